"""How systems stand on one metric: who is best, and what the intervals alone say about it.

Two separate intervals are described, never tested: a sentence says that they overlap or that they do not. Captions of
tables and figures begin with the system (:func:`leads`), lists of the report with the metric
(:func:`best_sentence`), so that they can be scanned; both say the same of the same values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Text
from reportgen.domain.record import REASONS, Direction, Estimate, MetricRecord, Results
from reportgen.phrases import Phrase, in_words, joined, leading, listing, value, with_interval

_BESIDE = {"alert_precision": "alert_rate", "tpr": "fpr_achieved"}
"""Metrics whose value means little without another one, by name: the other's name."""
_NAMED = 3
"""Systems with overlapping intervals that a sentence names with their values, the nearest first."""


def places(values: Sequence[float | None], printed: Sequence[str], direction: Direction) -> tuple[int, ...]:
    """Place of each system by its printed value, from 1; systems that print the same share one; 0 = none.

    There are no places without a direction, with fewer than two values, and where all print the same.
    """
    known = [at for at, value in enumerate(values) if value is not None]
    ordered = sorted(known, key=lambda at: values[at] or 0.0, reverse=direction == "higher")
    texts = list(dict.fromkeys(printed[at] for at in ordered))
    if direction == "none" or len(texts) < 2:
        return (0,) * len(values)
    return tuple(0 if value is None else 1 + texts.index(text) for value, text in zip(values, printed, strict=True))


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems with a value, best first; ``rivals`` are those whose interval overlaps the best one's."""

    best: Estimate
    others: tuple[Estimate, ...]
    rivals: tuple[Estimate, ...]
    tied: bool
    """Whether another system prints the same value as the best."""


def ranking(results: Results, estimates: Sequence[Estimate]) -> Ranking | None:
    """Order the estimates of one metric by its direction; None if no system has a value."""
    valued = [estimate for estimate in estimates if estimate.value is not None]
    if not valued:
        return None
    sign = 1.0 if results.metric_by_id[valued[0].metric].direction == "lower" else -1.0
    best, *others = sorted(valued, key=lambda e: (sign * (e.value or 0.0), results.system_by_id[e.system].order))
    rivals = tuple(other for other in others if overlap(best, other))
    return Ranking(best, tuple(others), rivals, any(o.display.value == best.display.value for o in others))


def overlap(a: Estimate, b: Estimate) -> bool:
    """Whether the shown intervals of two records meet; False where one has none."""
    if not (a.intervals and b.intervals):
        return False
    first, second = a.intervals[0], b.intervals[0]
    return first.lower <= second.upper and second.lower <= first.upper


def leads(results: Results, order: Ranking, metric: str, superlative: str, on: str = "") -> Phrase:
    """One sentence on who leads and whether the intervals tell the systems apart; never a claim of a test.

    ``superlative`` is the adjective of the metric's good end: ``highest``, ``lowest``. ``on`` is the population,
    where nothing beside the sentence names it: ``1,279 positive queries``.
    """
    label = {record.system: results.system_by_id[record.system].label for record in (order.best, *order.others)}
    first = with_interval(order.best)
    where = f" on {on}" if on else ""
    if not order.others:
        return joined(f"The {metric} of {label[order.best.system]}{where} is ", first, ".")
    if order.tied:
        same = [o for o in (order.best, *order.others) if o.display.value == order.best.display.value]
        several = f"{len(same)} of {len(order.others) + 1} systems"
        names: Text = several if len(same) > _NAMED else listing([label[record.system] for record in same])
        # Equal printed values need not have equal intervals, so none is given where several share a value.
        return joined(names, f" share the {superlative} {metric}{where}, ", value(order.best), ".")
    opening = joined(f"{label[order.best.system]} has the {superlative} {metric}{where}, ", first)
    if not all(estimate.intervals for estimate in (order.best, *order.others)):
        return joined(opening, ".")
    if not order.rivals:
        rest = "does not overlap that of the other system" if len(order.others) == 1 else "overlaps no other's"
        return joined(opening, f"; its interval {rest}.")
    if len(order.rivals) > _NAMED:
        many = "all" if len(order.rivals) == len(order.others) else f"{len(order.rivals)} of the"
        return joined(opening, f"; its interval overlaps those of {many} {len(order.others)} others.")
    rivals = listing([joined(f"{label[r.system]} (", with_interval(r), ")") for r in order.rivals])
    return joined(opening, f"; its interval overlaps {_that(order.rivals)} of ", rivals, ".")


@dataclass(frozen=True, slots=True)
class Standing:
    """One metric on one subset: the systems' records, best first, and those without a value."""

    metric: MetricRecord
    subset: str
    ranked: tuple[Estimate, ...]
    without: tuple[Estimate, ...]

    @property
    def best(self) -> tuple[Estimate, ...]:
        """The records that share the best printed value."""
        return tuple(r for r in self.ranked if r.display.value == self.ranked[0].display.value)

    @property
    def rest(self) -> tuple[Estimate, ...]:
        """All other records with a value, in order."""
        return self.ranked[len(self.best) :]


def standing(results: Results, metric: str, subset: str | None = None) -> Standing | None:
    """How the systems stand on a metric, by default on its home subset; None where it was not computed.

    Metrics without a direction keep the systems' order of presentation.
    """
    subset = subset or results.home_subset(metric)
    facts = results.metric_by_id.get(metric)
    if subset is None or facts is None:
        return None
    found = [results.headline(metric, s.id, subset) for s in sorted(results.systems, key=lambda s: s.order)]
    records = [record for record in found if record is not None]
    if not records:
        return None
    sign = {"higher": -1.0, "lower": 1.0, "none": 0.0}[facts.direction]
    ranked = sorted((r for r in records if r.value is not None), key=lambda r: sign * (r.value or 0.0))
    return Standing(facts, subset, tuple(ranked), tuple(r for r in records if r.value is None))


def name(results: Results, record: Estimate) -> str:
    """The label of the system a record belongs to."""
    return results.system_by_id[record.system].label


def names(results: Results, records: tuple[Estimate, ...]) -> Phrase:
    """The labels of several records' systems as a list in words."""
    return listing([name(results, record) for record in records])


def each_value(results: Results, records: Sequence[Estimate], *, interval: bool = True) -> Phrase:
    """``0.946 [0.939, 0.953] for A and 0.931 [0.922, 0.940] for B``; long lists end with how many more there are.

    The value comes first: a label may itself end with a number (``Decision tree, depth 3``), and two numbers side by
    side read as one.
    """
    shown = (with_interval(r) if interval else (value(r),) for r in records)
    return leading([joined(text, f" for {name(results, r)}") for text, r in zip(shown, records, strict=True)])


def beside_sentence(results: Results, at: Standing) -> Phrase:
    """What has to be read beside a metric, as a sentence; empty where nothing has to or it was not computed.

    A high alert precision is easily had by raising few alerts, and a high TPR by overrunning the budget of false
    positives, so the value alone would mislead.
    """
    id = MetricId.parse(at.metric.id)
    beside = _BESIDE.get(id.name)
    other = standing(results, str(replace(id, name=beside)), at.subset) if beside else None
    if other is None or not other.ranked:
        return ()
    by_system = {record.system: record for record in other.ranked}
    in_order = tuple(by_system[record.system] for record in at.ranked if record.system in by_system)
    return joined(f"{quantity(other.metric)} is ", each_value(results, in_order, interval=False), ".")


def quantity(metric: MetricRecord) -> str:
    """A metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
    plain = metric.unit in {"proportion", "candidates", ""}
    return metric.name if plain else f"{metric.name} ({metric.unit})"


def best_sentence(results: Results, at: Standing, over: str = "") -> Phrase:
    """Who is best with which value, and which other intervals that value's interval meets.

    Starts with the metric's name, so that a list of such sentences can be scanned. ``over`` names the population
    where the text around it does not: ``the 100 positive queries``.
    """
    if not at.ranked:
        return _undefined(at)
    metric, first = at.metric, at.ranked[0]
    subject = f"{quantity(metric)} over {over}" if over else quantity(metric)
    if len(at.ranked) == 1:
        return joined(f"{subject} is ", with_interval(first), f" for {name(results, first)}.")
    if metric.direction == "none":
        return joined(f"{subject} is ", each_value(results, at.ranked), ".")
    extreme = "highest" if metric.direction == "higher" else "lowest"
    if not at.rest:
        return joined(f"{subject} prints the same for all systems, ", value(first), ".")
    if len(at.best) > 1:
        each = listing([with_interval(record) for record in at.best])
        alike = joined(f"{subject} is {extreme} for ", names(results, at.best), " alike, at ", each)
        return joined(alike, _overlaps(results, at), ".")
    return joined(
        f"{subject} is {extreme} for {name(results, first)}, at ",
        with_interval(first),
        _overlaps(results, at),
        ".",
    )


def _undefined(at: Standing) -> Phrase:
    reasons = dict.fromkeys(REASONS[r.reason] for r in at.without if r.reason)
    return joined(f"{at.metric.name} has no value: ", "; ".join(reasons), ".")


def _overlaps(results: Results, at: Standing) -> Phrase:
    """``; this interval lies above those of A and B and overlaps that of C (0.940 [0.930, 0.950])``.

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
        parts.append(joined(f"{lies} {side} {_that(apart)} of ", names(results, apart)))
    if meet:
        shown: list[Text] = [joined(f"{name(results, r)} (", with_interval(r), ")") for r in meet[:_NAMED]]
        if len(meet) > _NAMED:
            shown.append(f"{in_words(len(meet) - _NAMED)} more")
        parts.append(joined(f"{overlaps} {_that(meet)} of ", listing(shown)))
    return joined(f"; {subject} ", listing(parts))


def _that(records: tuple[Estimate, ...]) -> str:
    return "that" if len(records) == 1 else "those"
