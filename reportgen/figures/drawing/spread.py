"""Sentences on how far values reach over the systems, where no end of the scale is the better one."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Shown
from reportgen.domain.record import Estimate, Results
from reportgen.wording.text import Phrase, with_interval


def spread(results: Results, estimates: Sequence[Estimate], name: str) -> Phrase:
    """``Mean K runs from 2.02 (A) to 2.42 (B)``, ``The mean K of A is 2.02 [1.9, 2.1]``; empty without a value.

    ``name`` begins with a small letter; no full stop.
    """
    valued = [estimate for estimate in estimates if estimate.value is not None]
    if not valued:
        return ()
    low, high = (pick(valued, key=lambda estimate: estimate.value or 0.0) for pick in (min, max))
    label = {estimate.id: results.system_by_id[estimate.system].label for estimate in valued}
    if len(valued) == 1:
        return (f"The {name} of {label[low.id]} is ", *with_interval(low))
    start = name[:1].upper() + name[1:]
    if low.display.value == high.display.value:
        return (f"{start} is ", Shown(low.display.value, low.id), " for every system")
    ends = [(Shown(end.display.value, end.id), f" ({label[end.id]})") for end in (low, high)]
    return (f"{start} runs from ", *ends[0], " to ", *ends[1])
