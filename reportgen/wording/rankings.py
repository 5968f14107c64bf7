"""Rankings of systems on one metric: who is best, and what the intervals alone say about it.

Two separate intervals are described, never tested: a sentence says that they overlap or that they do not. Captions of
tables and figures begin with the system (:func:`leader_sentence`), lists of the report with the metric
(:func:`metric_sentence`), so that they can be scanned; both say the same of the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Text
from reportgen.domain.record import REASONS, Direction, Estimate, MetricRecord, Results
from reportgen.wording.text import MOST, Phrase, concat, enumeration, in_words, value, with_interval

_COMPANIONS = {"alert_precision": "alert_rate", "tpr": "fpr_achieved"}
"""Metrics whose value means little without another one, by name: the other's name."""
_NAMED = 3
"""Systems with overlapping intervals that a sentence names with their values, the nearest first."""


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
        """Return the records that share the best printed value."""
        return tuple(r for r in self.ranked if r.display.value == self.first.display.value)

    @property
    def rest(self) -> tuple[Estimate, ...]:
        """Return all other records with a value, in order."""
        return self.ranked[len(self.best) :]

    @property
    def rivals(self) -> tuple[Estimate, ...]:
        """Return the records whose interval overlaps the first one's."""
        return tuple(other for other in self.ranked[1:] if overlap(self.first, other))


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


def overlap(a: Estimate, b: Estimate) -> bool:
    """Return whether the shown intervals of two records meet; False where one has none."""
    if not (a.intervals and b.intervals):
        return False
    first, second = a.intervals[0], b.intervals[0]
    return first.lower <= second.upper and second.lower <= first.upper


def leader_sentence(results: Results, order: Standing, metric: str, superlative: str, on: str = "") -> Phrase:
    """Return who leads and whether the intervals tell the systems apart, as one sentence; never a claim of a test.

    ``superlative`` is the adjective of the metric's good end: ``highest``, ``lowest``. ``on`` is the population,
    where nothing beside the sentence names it: ``1,279 positive queries``.
    """
    first, others = order.first, order.ranked[1:]
    label, shown = name(results, first), with_interval(first)
    where = f" on {on}" if on else ""
    if not others:
        return concat(f"The {metric} of {label}{where} is ", shown, ".")
    if len(order.best) > 1:
        several = f"{len(order.best)} of {len(order.ranked)} systems"
        sharing: Text = several if len(order.best) > _NAMED else names(results, order.best)
        # Equal printed values need not have equal intervals, so none is given where several share a value.
        return concat(sharing, f" share the {superlative} {metric}{where}, ", value(first), ".")
    opening = concat(f"{label} has the {superlative} {metric}{where}, ", shown)
    if not all(record.intervals for record in order.ranked):
        return concat(opening, ".")
    if not order.rivals:
        rest = "does not overlap that of the other system" if len(others) == 1 else "overlaps no other's"
        return concat(opening, f"; its interval {rest}.")
    if len(order.rivals) > _NAMED:
        many = "all" if len(order.rivals) == len(others) else f"{len(order.rivals)} of the"
        return concat(opening, f"; its interval overlaps those of {many} {len(others)} others.")
    rivals = enumeration([_with_value(results, record) for record in order.rivals])
    return concat(opening, f"; its interval overlaps {_that(order.rivals)} of ", rivals, ".")


def _with_value(results: Results, record: Estimate) -> Phrase:
    return concat(f"{name(results, record)} (", with_interval(record), ")")


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


def companion_sentence(results: Results, at: Standing) -> Phrase:
    """Return what has to be read beside a metric, as a sentence; empty where nothing has to or it was not computed.

    A high alert precision is easily had by raising few alerts, and a high TPR by overrunning the budget of false
    positives, so the value alone would mislead.
    """
    id = MetricId.parse(at.metric.id)
    beside = _COMPANIONS.get(id.name)
    other = ranking_on(results, str(replace(id, name=beside)), at.subset) if beside else None
    if other is None or not other.ranked:
        return ()
    by_system = {record.system: record for record in other.ranked}
    in_order = tuple(by_system[record.system] for record in at.ranked if record.system in by_system)
    return concat(f"{quantity(other.metric)} is ", each_value(results, in_order, interval=False), ".")


def quantity(metric: MetricRecord) -> str:
    """Return a metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
    plain = metric.unit in {"proportion", "candidates", ""}
    return metric.name if plain else f"{metric.name} ({metric.unit})"


def metric_sentence(results: Results, at: Standing, over: str = "") -> Phrase:
    """Return who is best with which value, and which other intervals that value's interval meets.

    Starts with the metric's name, so that a list of such sentences can be scanned. ``over`` names the population
    where the text around it does not: ``the 100 positive queries``.
    """
    if not at.ranked:
        return _undefined(at)
    metric, first = at.metric, at.first
    subject = f"{quantity(metric)} over {over}" if over else quantity(metric)
    if len(at.ranked) == 1:
        return concat(f"{subject} is ", with_interval(first), f" for {name(results, first)}.")
    if metric.direction == "none":
        return concat(f"{subject} is ", each_value(results, at.ranked), ".")
    extreme = "highest" if metric.direction == "higher" else "lowest"
    if not at.rest:
        return concat(f"{subject} prints the same for all systems, ", value(first), ".")
    if len(at.best) > 1:
        each = enumeration([with_interval(record) for record in at.best])
        alike = concat(f"{subject} is {extreme} for ", names(results, at.best), " alike, at ", each)
        return concat(alike, _overlaps(results, at), ".")
    return concat(
        f"{subject} is {extreme} for {name(results, first)}, at ",
        with_interval(first),
        _overlaps(results, at),
        ".",
    )


def _undefined(at: Standing) -> Phrase:
    reasons = dict.fromkeys(REASONS[r.reason] for r in at.without if r.reason)
    return concat(f"{at.metric.name} has no value: ", "; ".join(reasons), ".")


def _overlaps(results: Results, at: Standing) -> Phrase:
    """Return ``; this interval lies above those of A and B and overlaps that of C (0.940 [0.930, 0.950])``.

    Where several systems share the best value, an interval that one of theirs meets is met.
    """
    best = at.best
    others = tuple(record for record in at.rest if record.intervals)
    if not all(record.intervals for record in best) or not others:
        return ()
    meet = tuple(r for r in others if any(overlap(one, r) for one in best))
    apart = tuple(r for r in others if r not in meet)
    side = "above" if at.metric.direction == "higher" else "below"
    subject, lies, overlaps = (
        ("this interval", "lies", "overlaps") if len(best) == 1 else ("these intervals", "lie", "overlap")
    )
    parts: list[Text] = []
    if apart:
        parts.append(concat(f"{lies} {side} {_that(apart)} of ", names(results, apart)))
    if meet:
        shown: list[Text] = [_with_value(results, record) for record in meet[:_NAMED]]
        if len(meet) > _NAMED:
            shown.append(f"{in_words(len(meet) - _NAMED)} more")
        parts.append(concat(f"{overlaps} {_that(meet)} of ", enumeration(shown)))
    return concat(f"; {subject} ", enumeration(parts))


def _that(records: tuple[Estimate, ...]) -> str:
    return "that" if len(records) == 1 else "those"
