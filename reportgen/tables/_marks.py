"""Best in bold, second best underlined.

The rule: among the systems with a value, by the metric's direction, on the printed value. Systems that print the
same value share the mark. The second mark needs three systems with a value, as of two the other is obvious. Where
all print the same, where a metric has no direction, and where the values were not made the same way, nothing is
marked. ``n/a`` and undefined values never are.
"""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.record import Direction, Estimate
from reportgen.tables._cells import Mark
from reportgen.tables._signatures import comparable

EXPLANATION = "Bold: best by the printed value"
SECOND_EXPLANATION = "underlined: second best"


def marks(estimates: Sequence[Estimate | None], direction: Direction) -> tuple[Mark, ...]:
    """The mark of each record of one metric and one subset, in their order."""
    defined = [e for e in estimates if e is not None and e.value is not None]
    unmarked: tuple[Mark, ...] = tuple("" for _ in estimates)
    if direction == "none" or len(defined) < 2 or not comparable(estimates):
        return unmarked
    ordered = sorted(defined, key=lambda e: e.value or 0.0, reverse=direction == "higher")
    printed = list(dict.fromkeys(estimate.display.value for estimate in ordered))
    if len(printed) == 1:
        return unmarked
    by_text: dict[str, Mark] = {printed[0]: "best"}
    if len(defined) > 2:
        by_text[printed[1]] = "second"
    return tuple(by_text.get(e.display.value, "") if e is not None and e.value is not None else "" for e in estimates)


def explanation(used: set[Mark]) -> str:
    """What the marks of a table mean; empty where it has none."""
    if "best" not in used:
        return ""
    parts = [EXPLANATION] + [SECOND_EXPLANATION] * ("second" in used)
    return f"{'; '.join(parts)}; equal printed values share a mark. Marks are no test of a difference."
