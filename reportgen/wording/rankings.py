"""Rankings of systems on one metric: who is best with which value, and by how much over the baseline.

Systems are compared by their paired difference, where it was tested, and never by two separate intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Shown, Text
from reportgen.domain.record import (
    Direction,
    Estimate,
    MetricRecord,
    Results,
    SystemRecord,
    comparison_id,
)
from reportgen.wording.text import MOST, SPACE, Phrase, concat, enumeration, value, with_interval

_COMPANIONS = {"alert_precision": "alert_rate", "tpr": "fpr_achieved"}
"""Metrics whose value means little without another one, by name: the other's name.

A high alert precision is easily had by raising few alerts, and a high TPR by overrunning the budget of false positives.
"""
_NAMED = 3
"""Systems with one value that a sentence names; of more, it gives their number."""
_SAME = 1e-12
"""Values that differ by no more are equal."""


def ranks(values: Sequence[float | None], printed: Sequence[str], direction: Direction) -> tuple[int, ...]:
    """Return the rank of each system by its printed value, from 1; systems that print the same share one; 0 = none.

    There are no ranks without a direction, with fewer than two values, and where all print the same.
    """
    known = [at for at, value in enumerate(values) if value is not None]
    ordered = sorted(known, key=lambda at: values[at] or 0.0, reverse=direction == "higher")
    texts = list(dict.fromkeys(printed[at] for at in ordered))
    if direction == "none" or len(texts) < 2:
        return (0,) * len(values)
    return tuple(0 if value is None else 1 + texts.index(text) for value, text in zip(values, printed, strict=True))


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


def over_baseline(results: Results, record: Estimate) -> Phrase:
    """Return ``; +0.83 points [0.10, 1.53] against A (adjusted p = 0.12)``; empty where this was not tested."""
    id = comparison_id(record.metric, record.system, baseline(results).id, record.subset, record.aggregation)
    found = results.comparison_by_id.get(id)
    if found is None or found.difference is None or not found.tests:
        return ()
    shown, test = found.display, found.tests[0]
    size = concat("; ", Shown(shown.difference, id), f" {shown.unit}" if shown.unit else "")
    if found.intervals and not found.intervals[0].degenerate:
        size = concat(size, SPACE, Shown(shown.interval, id))
    adjusted = "adjusted " if test.family_size > 1 and test.adjustment != "none" else ""
    equals = "" if shown.p_adjusted[0] in "<>" else f"={SPACE}"
    against = f" against {baseline(results).label} ({adjusted}p{SPACE}{equals}"
    return concat(size, against, Shown(shown.p_adjusted, id), ")")


def leader_sentence(results: Results, order: Standing, metric: str, superlative: str, on: str = "") -> Phrase:
    """Return who leads, and the difference from the baseline where it was tested, as one sentence.

    ``superlative`` is the adjective of the metric's good end: ``highest``, ``lowest``. ``on`` is the population,
    where nothing beside the sentence names it: ``1,279 positive queries``.
    """
    first, best = order.first, order.best
    where = f" on {on}" if on else ""
    if len(order.ranked) == 1:
        return concat(f"The {metric} of {name(results, first)}{where} is ", with_interval(first), ".")
    if len(best) > 1:
        several = f"{len(best)} of {len(order.ranked)} systems"
        sharing: Text = several if len(best) > _NAMED else names(results, best)
        # Equal values need not have equal intervals, so none is given where several share a value.
        return concat(sharing, f" share the {superlative} {metric}{where}, ", value(first), _alike(results, order), ".")
    opening = concat(f"{name(results, first)} has the {superlative} {metric}{where}, ", with_interval(first))
    return concat(opening, _alike(results, order), over_baseline(results, first), ".")


def _alike(results: Results, order: Standing) -> Phrase:
    """Return who prints the best value without having it; empty where nobody does."""
    if not order.alike:
        return ()
    verb = "has" if len(order.alike) == 1 else "have"
    return concat("; ", enumeration([name(results, r) for r in order.alike], at_most=MOST), f" {verb} it when rounded")


def name(results: Results, record: Estimate) -> str:
    """Return the label of the system a record belongs to."""
    return results.system_by_id[record.system].label


def names(results: Results, records: tuple[Estimate, ...]) -> Phrase:
    """Return the labels of several records' systems as a list in words."""
    return enumeration([name(results, record) for record in records])


def each_value(results: Results, records: Sequence[Estimate], *, interval: bool = True) -> Phrase:
    """Return ``0.946 [0.939, 0.953] for A and 0.931 [0.922, 0.940] for B``; long lists end with how many more.

    The value comes first: a label may itself end with a number (``Decision tree, depth 3``), and two numbers side by
    side read as one.
    """
    shown = (with_interval(r) if interval else (value(r),) for r in records)
    each = [concat(text, f" for {name(results, r)}") for text, r in zip(shown, records, strict=True)]
    return enumeration(each, at_most=MOST)


def companion(metric: str) -> str | None:
    """Return the id of the metric that has to be read beside another one; None where that can be read alone."""
    id = MetricId.parse(metric)
    return str(replace(id, name=_COMPANIONS[id.name])) if id.name in _COMPANIONS else None


def companion_sentence(results: Results, at: Standing) -> Phrase:
    """Return what has to be read beside a metric, as a sentence; empty where nothing has to or it was not computed."""
    beside = companion(at.metric.id)
    other = ranking_on(results, beside, at.subset) if beside else None
    if other is None or not other.ranked:
        return ()
    by_system = {record.system: record for record in other.ranked}
    in_order = tuple(by_system[record.system] for record in at.ranked if record.system in by_system)
    return concat(f"{quantity(other.metric)} is ", each_value(results, in_order, interval=False), ".")


def quantity(metric: MetricRecord) -> str:
    """Return a metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
    plain = metric.unit in {"proportion", "candidates", ""}
    return metric.name if plain else f"{metric.name} ({metric.unit})"
