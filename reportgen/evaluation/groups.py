"""Differences between groups of queries: each group against the reference, and the widest gap on each metric.

All values under one row of weights rest on the same drawn clusters, so a difference of two of them is one of that
resample, whether the groups share clusters (both sexes in one hospital) or not (hospitals themselves).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
from msgspec import structs

from reportgen import numbers
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import (
    GroupDifference,
    GroupDisplay,
    GroupingRecord,
    Interval,
    Reason,
    result_id,
)
from reportgen.domain.run import FloatArray
from reportgen.evaluation.context import Context
from reportgen.evaluation.facts import grouping_records
from reportgen.evaluation.intervals import (
    UNMOVED,
    WITHOUT_ERROR,
    WITHOUT_WIDTH,
    is_distance,
    linearized_interval,
    undefined_resamples,
)
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import NotResampled
from reportgen.stats.intervals import Resampled, bootstrap_interval, gap_interval, recentred_interval
from reportgen.stats.linearize import Influence, Strata
from reportgen.stats.values import MetricValues
from reportgen.wording.comparisons import amount, gap_between, unit_of_difference
from reportgen.wording.groups import (
    EQUALIZED_ODDS,
    PrintedDifference,
    difference_sentence,
    gap_sentence,
    undefined_sentence,
)

AGGREGATION = "pooled"
"""Of all differences: a group is small, and in a single fold smaller."""
_ODDS = ("sensitivity", "fpr")
_UNCOMPARED = ("prevalence",)
"""What is of the data and not of a system."""
Outcomes: TypeAlias = "Mapping[tuple[str, MetricId], MetricValues | Reason]"


@dataclass(frozen=True)
class _Value:
    """The value of one group."""

    subset: Subset
    values: MetricValues

    @property
    def point(self) -> float:
        return float(self.values.by_aggregation[AGGREGATION][0])

    @property
    def series(self) -> FloatArray:
        """Return (n_rows,) values under the shared weights; of operating points with the threshold chosen again."""
        return (self.values.resampled or self.values.by_aggregation)[AGGREGATION]

    @property
    def id(self) -> str:
        return self.subset.record.id


@dataclass(frozen=True)
class _Gap:
    """The groups that have a value of a metric, and what any two of them differ by."""

    item: Instance
    defined: Sequence[_Value]
    without: Sequence[_Value]

    @property
    def ends(self) -> tuple[_Value, _Value]:
        """Return the groups with the highest and the lowest value; of equals the first."""
        in_order = sorted(self.defined, key=lambda one: -one.point)
        return in_order[0], in_order[-1]

    @property
    def point(self) -> float:
        """Return the highest value less the lowest."""
        high, low = self.ends
        return gap_between(high.point, low.point)

    def pairs(self, context: Context) -> list[Resampled]:
        """Return the difference of every two groups under the shared weights."""
        return [context.resampled(a.series - b.series) for a, b in combinations(self.defined, 2)]


def keys_of_groups(subsets: Sequence[Subset]) -> Iterator[tuple[str, MetricId]]:
    """Yield the values that differences between groups are made of: the subset of a group, and a metric on it."""
    for subset in subsets:
        if subset.record.grouping is not None:
            yield from ((subset.record.id, item.id) for item in subset.wanted)


def group_differences(
    context: Context, system: str, label: str, subsets: Sequence[Subset], outcomes: Outcomes
) -> Iterator[GroupDifference]:
    """Yield the differences between groups of one system, by what divides the queries and by metric.

    Counts are not compared: they grow with the group. A metric that the system cannot have is left out.
    """
    for grouping in grouping_records(context.run):
        of = _Grouping(context, grouping, system, label)
        members = [subset for subset in subsets if subset.record.grouping == grouping.id]
        gaps: dict[str, _Gap] = {}
        for item in {item.id: item for subset in members for item in subset.wanted}.values():
            if item.metric.unit == "queries" or item.metric.name in _UNCOMPARED:
                continue
            found = [(one, outcomes[one.record.id, item.id]) for one in members if item in one.wanted]
            values = [_Value(subset, of_one) for subset, of_one in found if isinstance(of_one, MetricValues)]
            if len(values) < 2:
                continue
            yield from of.against_reference(item, values)
            if not isinstance(item.metric.statistic, NotResampled) and not is_distance(item):
                without = [one for one in values if math.isnan(one.point)]
                gap = gaps[item.metric.name] = _Gap(item, [one for one in values if one not in without], without)
                yield of.gap(gap)
        if all(name in gaps for name in _ODDS):
            yield of.equalized_odds([gaps[name] for name in _ODDS])


@dataclass(frozen=True)
class _Grouping:
    """One system under one property that divides the queries."""

    context: Context
    record: GroupingRecord
    system: str
    label: str

    def against_reference(self, item: Instance, values: Sequence[_Value]) -> Iterator[GroupDifference]:
        """Yield each other group less the reference; nothing where the reference has no queries."""
        reference = next((one for one in values if one.subset.record.group == self.record.reference), None)
        for one in values:
            if reference is not None and one is not reference:
                yield self._difference(item, one, reference)

    def _difference(self, item: Instance, a: _Value, b: _Value) -> GroupDifference:
        what = f"={a.subset.record.group}-vs-{b.subset.record.group}"
        without = [one for one in (a, b) if math.isnan(one.point)]
        if without:
            return self._undefined("difference", item, what, without)
        value = gap_between(a.point, b.point)
        found = None if self._single((a, b)) else self._interval(item, a, b, value)
        said = difference_sentence(self._printed(item, (a, b), value, found))
        return self._record("difference", item, what, (a, b), value, found, said)

    def gap(self, gap: _Gap) -> GroupDifference:
        """Return the widest gap on a metric, over the groups that have a value; the others are named."""
        if len(gap.defined) < 2:
            return self._undefined("gap", gap.item, ":gap", gap.without)
        found = None if self._single(gap.defined) else self._of_pairs(gap.item, gap.pairs(self.context))
        said = gap_sentence(self._printed(gap.item, gap.ends, gap.point, found), self.record.title)
        return self._record("gap", gap.item, ":gap", gap.ends, gap.point, found, said, gap.without)

    def equalized_odds(self, gaps: Sequence[_Gap]) -> GroupDifference:
        """Return the larger of the gaps of sensitivity and false-positive rate (Hardt, Price & Srebro 2016)."""
        metric = f"{EQUALIZED_ODDS}@{gaps[0].item.id.parameter}"
        for gap in gaps:
            if len(gap.defined) < 2:
                return self._undefined("gap", gap.item, ":gap", gap.without, metric)
        larger = max(gaps, key=lambda one: one.point)
        found = None
        if not any(self._single(gap.defined) for gap in gaps):
            pairs = [pair for gap in gaps for pair in gap.pairs(self.context)]
            found = self._of_pairs(larger.item, pairs)
        said = gap_sentence(
            self._printed(larger.item, larger.ends, larger.point, found), self.record.title, of_odds=True
        )
        without = [one for gap in gaps for one in gap.without]
        return self._record("gap", larger.item, ":gap", larger.ends, larger.point, found, said, without, metric)

    def _single(self, groups: Sequence[_Value]) -> bool:
        """Tell whether some group is one cluster, so that resampling says nothing of how certain its value is."""
        return any(one.subset.record.n_clusters < 2 for one in groups)

    def _interval(self, item: Instance, a: _Value, b: _Value, value: float) -> Interval | None:
        if not is_distance(item) and isinstance(item.metric.statistic, NotResampled):
            of_a, of_b = (one.values.influence.get(AGGREGATION) for one in (a, b))
            if of_a is None or of_b is None:
                return None
            return linearized_interval(self.context, value, _joint(of_a, of_b).errors, (None, None))
        # Two distances are not biased equally by resampling, unless they are equal.
        interval = recentred_interval if is_distance(item) else bootstrap_interval
        settings = self.context.settings.index("resampled" if a.values.resampled else "bootstrap")
        return interval(self.context.resampled(a.series - b.series), self.context.level, settings)

    def _of_pairs(self, item: Instance, pairs: Sequence[Resampled]) -> Interval | None:
        """Return the interval of the largest difference, which is no larger than the metric's range."""
        found, (low, high) = (
            gap_interval(pairs, self.context.level, self.context.settings.index("bootstrap")),
            item.metric.range,
        )
        if found is None or low is None or high is None:
            return found
        return structs.replace(found, upper=min(found.upper, high - low))

    def _printed(
        self, item: Instance, groups: tuple[_Value, _Value], value: float, interval: Interval | None
    ) -> PrintedDifference:
        return PrintedDifference(
            self.context.title(item),
            self.label,
            item.metric.unit,
            item.metric.decimals,
            (groups[0].subset.words, groups[1].subset.words),
            value,
            interval,
            self.context.level,
        )

    def _undefined(
        self, kind: Literal["difference", "gap"], item: Instance, what: str, without: Sequence[_Value], metric: str = ""
    ) -> GroupDifference:
        said = undefined_sentence(self.context.title(item), self.label, without[0].subset.words, item.metric.undefined)
        return self._record(kind, item, what, None, None, None, said, without, metric)

    def _record(
        self,
        kind: Literal["difference", "gap"],
        item: Instance,
        what: str,
        groups: tuple[_Value, _Value] | None,
        value: float | None,
        interval: Interval | None,
        interpretation: str,
        without: Sequence[_Value] = (),
        metric: str = "",
    ) -> GroupDifference:
        metric, intervals = metric or str(item.id), () if interval is None else (interval,)
        return GroupDifference(
            id=result_id(metric, self.system, f"{self.record.id}{what}", AGGREGATION),
            kind=kind,
            metric=metric,
            system=self.system,
            grouping=self.record.id,
            aggregation=AGGREGATION,
            subsets=() if groups is None else (groups[0].id, groups[1].id),
            value=value,
            intervals=intervals,
            interpretation=interpretation,
            display=_display(item, value, interval, signed=kind == "difference"),
            reason=item.metric.undefined if value is None else None,
            left_out=tuple(dict.fromkeys(one.id for one in without)),
            notes=() if value is None else tuple(self._notes(item, interval)),
        )

    def _notes(self, item: Instance, interval: Interval | None) -> Iterator[str]:
        """Yield why a difference has no interval, or what is odd about the one that it has."""
        resamples, cluster = self.context.contract.integer("resamples"), self.context.run.units.cluster
        if interval is not None:
            yield from undefined_resamples((interval,), resamples, 0)
            if interval.degenerate:
                yield UNMOVED if interval.method_used == "linearized" else WITHOUT_WIDTH
        elif isinstance(item.metric.statistic, NotResampled) and not is_distance(item):
            yield f"No interval: {WITHOUT_ERROR}, or a group is one {cluster.one}."
        elif resamples:
            yield (
                f"No interval: a group is one {cluster.one}, or nearly all resamples of {cluster.many} lack some group."
            )


def _joint(a: Influence, b: Influence) -> Influence:
    """Return how each row moves the difference of two fits; the members of a cluster in both move it together."""
    cluster, fold = (np.concatenate([getattr(one.strata, name) for one in (a, b)]) for name in ("cluster", "fold"))
    return Influence(Strata(cluster, fold, a.strata.n_folds), np.concatenate([a.rows, -b.rows]))


def _display(item: Instance, value: float | None, interval: Interval | None, *, signed: bool) -> GroupDisplay:
    unit, decimals = item.metric.unit, item.metric.decimals
    if value is None:
        return GroupDisplay(unit="", value=numbers.UNDEFINED, interval="")
    bounds = [] if interval is None else [amount(one, unit, decimals) for one in (interval.lower, interval.upper)]
    return GroupDisplay(
        unit=unit_of_difference(unit),
        value=amount(value, unit, decimals, signed=signed),
        interval=f"[{', '.join(bounds)}]" if bounds else "",
    )
