"""Numbers share a column only if they were made the same way.

A signature is ``metric|aspect:value|…``. Along one metric all signatures must be equal; a column that holds several
metrics must at least agree on what every number has: aggregation, standard deviation, interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.domain.record import Estimate, Results


def aspects(signature: str) -> dict[str, str]:
    """The conventions of a signature by name; the metric's id stands under ``metric``."""
    metric, *rest = signature.split("|")
    pairs = (part.partition(":") for part in rest)
    return {"metric": metric, **{name: value for name, _, value in pairs}}


def comparable(estimates: Iterable[Estimate | None]) -> bool:
    """True if all defined records have one signature, and so may stand beside each other and be ranked."""
    return (
        len({estimate.signature for estimate in estimates if estimate is not None and estimate.value is not None}) < 2
    )


def differing(results: Results, estimates: Sequence[Estimate | None]) -> tuple[str, ...]:
    """The aspects in which defined records of one metric differ, by name; empty where they are comparable."""
    found = [
        aspects(results.signatures[estimate.signature])
        for estimate in estimates
        if estimate is not None and estimate.value is not None
    ]
    names = dict.fromkeys(name for one in found for name in one)
    return tuple(name for name in names if len({one.get(name) for one in found}) > 1)
