"""Rankings of systems on one metric: who is best, and what must be read beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import (
    Direction,
    Estimate,
    MetricRecord,
    Results,
    SystemRecord,
)
from reportgen.wording.conventions import in_units

_COMPANIONS = {"alert_precision": "alert_rate", "tpr": "fpr_achieved"}
"""Metrics whose value means little without another one, by name: the other's name.

A high alert precision is easily had by raising few alerts, and a high TPR by overrunning the budget of false positives.
"""
_SAME = 1e-12
"""Values that differ by no more are equal."""


def ranks(values: Sequence[float | None], direction: Direction) -> tuple[int, ...]:
    """Return the rank of each system by its unrounded value, from 1; equal values share one; 0 = none.

    There are no ranks without a direction, with fewer than two values, and where all are equal.
    """
    place: dict[float, int] = {}
    rank, before = 0, math.inf
    for one in sorted({one for one in values if one is not None}, reverse=direction == "higher"):
        rank += abs(one - before) > _SAME
        place[one], before = rank, one
    if direction == "none" or rank < 2:
        return (0,) * len(values)
    return tuple(0 if one is None else place[one] for one in values)


@dataclass(frozen=True, slots=True)
class Standing:
    """One metric on one subset: the systems' records, best first, and those without a value."""

    metric: MetricRecord
    subset: str
    ranked: tuple[Estimate, ...]
    without: tuple[Estimate, ...]

    @property
    def first(self) -> Estimate:
        """Return the best record; IndexError where none has a value."""
        return self.ranked[0]

    @property
    def best(self) -> tuple[Estimate, ...]:
        """Return the records that share the best value; values that only print alike are not shared."""
        return tuple(r for r in self.ranked if abs((r.value or 0.0) - (self.first.value or 0.0)) <= _SAME)

    @property
    def rest(self) -> tuple[Estimate, ...]:
        """Return all other records with a value, in order."""
        return self.ranked[len(self.best) :]

    @property
    def alike(self) -> tuple[Estimate, ...]:
        """Return the records that print the best value and do not have it."""
        return tuple(r for r in self.rest if r.display.value == self.first.display.value)


def ranking(results: Results, estimates: Sequence[Estimate]) -> Standing | None:
    """Order the estimates of one metric by its direction; None if no system has a value.

    Metrics without a direction keep the systems' order of presentation.
    """
    valued = [estimate for estimate in estimates if estimate.value is not None]
    return _ordered(results, estimates) if valued else None


class Lead(NamedTuple):
    """A metric that a table or figure speaks of first, and the systems on it."""

    metric: MetricRecord
    at: Standing | None
    """None where no system has a value."""


def lead(results: Results, metric: MetricRecord, records: Iterable[Estimate]) -> Lead:
    """Return who is best on a metric, by its records."""
    return Lead(metric, ranking(results, list(records)))


def ranking_on(results: Results, metric: str, subset: str | None = None) -> Standing | None:
    """Rank the systems on a metric, by default on its home subset; None where it was not computed."""
    subset = subset or results.home_subset(metric)
    if subset is None or metric not in results.metric_by_id:
        return None
    found = [results.headline(metric, system.id, subset) for system in results.systems]
    records = [record for record in found if record is not None]
    return _ordered(results, records) if records else None


def _ordered(results: Results, records: Sequence[Estimate]) -> Standing:
    metric = results.metric_by_id[records[0].metric]
    sign = {"higher": -1.0, "lower": 1.0, "none": 0.0}[metric.direction]
    in_order = sorted(records, key=lambda record: results.system_by_id[record.system].order)
    valued = sorted((r for r in in_order if r.value is not None), key=lambda r: sign * (r.value or 0.0))
    return Standing(metric, records[0].subset, tuple(valued), tuple(r for r in in_order if r.value is None))


def baseline(results: Results) -> SystemRecord:
    """Return the declared baseline; without one the first step of a ladder, or the first system."""
    known = sorted(results.systems, key=lambda system: (system.order, system.id))
    steps = sorted((system.step, at) for at, system in enumerate(known) if system.step is not None)
    first = known[steps[0][1]] if len(steps) > 1 else known[0]
    return next((system for system in known if system.id == results.run.baseline), first)


def ends(records: Sequence[Estimate]) -> tuple[Estimate, Estimate]:
    """Return the records with the lowest and with the highest value; ValueError without a value."""
    valued = [record for record in records if record.value is not None]
    low, high = (pick(valued, key=lambda record: record.value or 0.0) for pick in (min, max))
    return low, high


def companion(metric: str) -> str | None:
    """Return the id of the metric that has to be read beside another one; None where that can be read alone."""
    id = MetricId.parse(metric)
    return str(replace(id, name=_COMPANIONS[id.name])) if id.name in _COMPANIONS else None


def quantity(results: Results, metric: MetricRecord) -> str:
    """Return a metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
    plain = metric.unit in {"proportion", "candidates", ""}
    return metric.name if plain else f"{metric.name} ({in_units(metric.unit, results.units)})"
