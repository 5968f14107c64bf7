"""How systems stand on one metric: who is best, and what the intervals alone say about it.

Two separate intervals are described, never tested: a sentence says that they overlap or that they do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen.documents import prose
from reportgen.documents.prose import Sentence, sentence
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Text
from reportgen.domain.record import REASONS, Estimate, MetricRecord, Results

_PREFERRED = ("positives_only", "all_queries")
_BESIDE = {"alert_precision": "alert_rate", "tpr": "fpr_achieved"}
"""Metrics whose value means little without another one, by name: the other's name."""
_NAMED = 3
"""Systems with overlapping intervals that a sentence names with their values, the nearest first."""


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


def home_subset(results: Results, metric: str) -> str | None:
    """The subset a metric is reported on first: as its facts say, else positives only; None if it is on neither."""
    facts = results.metric_by_id.get(metric)
    for subset in (*(facts.populations if facts else ()), *_PREFERRED):
        if any(results.headline(metric, system.id, subset) for system in results.systems):
            return subset
    return None


def standing(results: Results, metric: str, subset: str | None = None) -> Standing | None:
    """How the systems stand on a metric, by default on its home subset; None where it was not computed.

    Metrics without a direction keep the systems' order of presentation.
    """
    subset = subset or home_subset(results, metric)
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


def names(results: Results, records: tuple[Estimate, ...]) -> Sentence:
    """The labels of several records' systems as a list in words."""
    return prose.listing([name(results, record) for record in records])


def each_value(results: Results, records: Sequence[Estimate], *, interval: bool = True) -> Sentence:
    """``0.946 [0.939, 0.953] for A and 0.931 [0.922, 0.940] for B``; long lists end with how many more there are.

    The value comes first: a label may itself end with a number (``Decision tree, depth 3``), and two numbers side by
    side read as one.
    """
    shown = (prose.with_interval(r) if interval else (prose.value(r),) for r in records)
    return prose.leading([sentence(text, f" for {name(results, r)}") for text, r in zip(shown, records, strict=True)])


def beside_sentence(results: Results, at: Standing) -> Sentence:
    """What has to be read beside a metric, as a sentence; empty where nothing has to or it was not computed.

    A high alert precision is easily had by raising few alerts, and a high TPR by overrunning the budget of false
    positives, so the value alone would mislead.
    """
    id = MetricId.parse(at.metric.id)
    beside = _BESIDE.get(id.name)
    other = standing(results, str(replace(id, name=beside)), at.subset) if beside else None
    if other is None or not other.ranked:
        return ()
    value = {record.system: record for record in other.ranked}
    in_order = tuple(value[record.system] for record in at.ranked if record.system in value)
    return sentence(f"{quantity(other.metric)} is ", each_value(results, in_order, interval=False), ".")


def quantity(metric: MetricRecord) -> str:
    """A metric's name with the unit that the name does not say: ``Alert rate (per 1,000 queries)``."""
    plain = metric.unit in {"proportion", "candidates", ""}
    return metric.name if plain else f"{metric.name} ({metric.unit})"


def best_sentence(results: Results, at: Standing, over: str = "") -> Sentence:
    """Who is best with which value, and which other intervals that value's interval meets.

    Starts with the metric's name, so that a list of such sentences can be scanned. ``over`` names the population
    where the text around it does not: ``the 100 queries with evidence``.
    """
    if not at.ranked:
        return _undefined(at)
    metric, first = at.metric, at.ranked[0]
    subject = f"{quantity(metric)} over {over}" if over else quantity(metric)
    if len(at.ranked) == 1:
        return sentence(f"{subject} is ", prose.with_interval(first), f" for {name(results, first)}.")
    if metric.direction == "none":
        return sentence(f"{subject} is ", each_value(results, at.ranked), ".")
    extreme = "highest" if metric.direction == "higher" else "lowest"
    if not at.rest:
        return sentence(f"{subject} prints the same for all systems, ", prose.value(first), ".")
    if len(at.best) > 1:
        return sentence(f"{subject} is {extreme} for ", names(results, at.best), " alike, at ", prose.value(first), ".")
    return sentence(
        f"{subject} is {extreme} for {name(results, first)}, at ",
        prose.with_interval(first),
        _overlaps(results, at),
        ".",
    )


def _undefined(at: Standing) -> Sentence:
    reasons = dict.fromkeys(REASONS[r.reason] for r in at.without if r.reason)
    return sentence(f"{at.metric.name} has no value: ", "; ".join(reasons), ".")


def _overlaps(results: Results, at: Standing) -> Sentence:
    """``; this interval lies above those of A and B and overlaps that of C (0.940 [0.930, 0.950])``."""
    first = at.best[0]
    others = tuple(record for record in at.rest if record.intervals)
    if not first.intervals or not others:
        return ()
    meet = tuple(r for r in others if _meet(first, r))
    apart = tuple(r for r in others if not _meet(first, r))
    side = "above" if at.metric.direction == "higher" else "below"
    parts: list[Text] = []
    if apart:
        parts.append(sentence(f"lies {side} {_that(apart)} of ", names(results, apart)))
    if meet:
        shown: list[Text] = [sentence(f"{name(results, r)} (", prose.with_interval(r), ")") for r in meet[:_NAMED]]
        if len(meet) > _NAMED:
            shown.append(f"{prose.in_words(len(meet) - _NAMED)} more")
        parts.append(sentence(f"overlaps {_that(meet)} of ", prose.listing(shown)))
    return sentence("; this interval ", prose.listing(parts))


def _meet(a: Estimate, b: Estimate) -> bool:
    return a.intervals[0].lower <= b.intervals[0].upper and b.intervals[0].lower <= a.intervals[0].upper


def _that(records: tuple[Estimate, ...]) -> str:
    return "that" if len(records) == 1 else "those"
