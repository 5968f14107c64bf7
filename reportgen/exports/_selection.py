"""The numbers that an export holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from reportgen.domain.record import Estimate, Results


class Bounds(NamedTuple):
    """An interval and its level."""

    lower: float
    upper: float
    level: float


def headline(results: Results, system: str) -> Iterator[Estimate]:
    """Yield the numbers of a system that the contract reports first, each on its own population; not those it lacks."""
    for metric in dict.fromkeys((*results.contract.headline, *results.contract.primary)):
        subset = results.home_subset(metric)
        record = results.headline(metric, system, subset) if subset else None
        if record is not None:
            yield record


def in_headline_aggregation(results: Results, system: str) -> Iterator[Estimate]:
    """Yield every number of a system on whole populations, in the aggregation that is shown first."""
    for subset in results.subsets:
        for metric in results.metrics if not subset.slice else ():
            record = results.headline(metric.id, system, subset.id)
            if record is not None:
                yield record


def interval(results: Results, record: Estimate) -> Bounds | None:
    """Return the interval that is shown beside a number."""
    if not record.intervals:
        return None
    first = record.intervals[0]
    return Bounds(first.lower, first.upper, results.interval_settings[first.settings].level)
