"""Values of every metric on one subset of one system: per fold, pooled and as fold mean, under every resample.

A :class:`SubsetPlan` sorts and sums the rows once; resamples then flow through it in blocks. Only the values that
intervals need are kept, so memory is bounded by metrics × resamples, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import (
    AreaOverCandidates,
    BinnedDistance,
    FitToRows,
    Operating,
    Ordered,
    Sample,
    SumPlan,
    Sums,
    digest,
    in_cells,
    weighted,
)
from reportgen.metrics.thresholds import Choice, Chosen, OperatingPlan, TunePlan
from reportgen.metrics.totals import Mean, columns_of, mean_of_parts
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.intervals import OfQueries, kish
from reportgen.stats.linearize import (
    Errors,
    Fit,
    FitToCandidates,
    FitToCells,
    Influence,
    Strata,
    errors_of_operating_point,
    errors_of_scores,
    errors_of_sums,
    mean_influence,
)
from reportgen.stats.score_pass import CurvePlan, ScoreMeasures, ScorePlan, reads_roc

T = TypeVar("T")
AGGREGATIONS = ("pooled", "fold_mean")


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of one metric under every row of weights; entry 0 is the point value, NaN is undefined."""

    by_aggregation: Mapping[str, FloatArray]
    """Aggregation (``pooled``, ``fold_mean``) to (n_rows,) values."""
    folds: FloatArray
    """(n_folds,) the folds' own point values, repeat after repeat."""
    resampled: Mapping[str, FloatArray] | None = None
    """For operating points: the same with the threshold chosen again under each row of weights."""
    left_out: BoolArray | None = None
    """(n,) which queries of the subset have no value of their own and are left out; None = none of them."""
    errors: Mapping[str, Errors] = field(default_factory=dict)
    """Aggregation to linearized standard errors, where the metric is a smooth function of sums or a fit to all rows."""
    influence: Mapping[str, Influence] = field(default_factory=dict)
    """Aggregation to the influence of each query, for a fitted value that is compared, or a part of a mean."""
    trials: float | None = None
    """Denominator of a proportion over the whole subset, an effective number if weighted; None for other metrics."""
    of_queries: tuple[OfQueries, ...] = ()
    """How much the values of single queries differ in each training or repeat; empty where fewer than two have one, or
    others in each."""
    seeds: Mapping[str, FloatArray] = field(default_factory=dict)
    """Aggregation to (n_trainings,) point values, for a system that was trained several times; else empty."""
    repeats: Mapping[str, FloatArray] = field(default_factory=dict)
    """Aggregation to (n_repeats,) point values, of a repeated cross-validation; else empty."""
    with_fewer_folds: int = 0
    """Resamples in which a fold has no value though it has one in the data: their mean is over fewer folds."""
    stands_in: frozenset[str] = frozenset()
    """Aggregations in whose point value the contract's own value stands for an undefined one, of a fold or of all."""

    def within(self, rows: slice) -> MetricValues:
        """Return it with the values under some rows of weights alone."""

        def some(series: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
            return {name: values[rows].copy() for name, values in series.items()}

        resampled = None if self.resampled is None else some(self.resampled)
        return replace(self, by_aggregation=some(self.by_aggregation), resampled=resampled)

    @staticmethod
    def joined(parts: Sequence[MetricValues]) -> MetricValues:
        """Return the values under all rows of weights from those under consecutive ones, the first with row 0."""

        def all_rows(series: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
            return {name: np.concatenate([one[name] for one in series]) for name in series[0]}

        resampled = [one.resampled for one in parts if one.resampled is not None]
        return replace(
            parts[0],
            by_aggregation=all_rows([one.by_aggregation for one in parts]),
            resampled=all_rows(resampled) if resampled else None,
            with_fewer_folds=sum(one.with_fewer_folds for one in parts),
        )


class SubsetPlan:
    """Everything about a subset that does not depend on the weights.

    The system must have what the metrics need; the subset's frames must not be empty. The first block must be taken
    in before the others; these may be taken in by several threads, since each fills in rows of its own.
    """

    def __init__(
        self,
        frames: SystemFrames,
        subset: Mapping[str, Frame],
        wanted: Sequence[Instance],
        draws: Draws,
        contract: Contract,
        tune: TunePlan | None = None,
        curves: Sequence[CurvePlan] = (),
        compared: Container[MetricId] = (),
        *,
        first: bool = True,
    ) -> None:
        """``tune``: chooses the thresholds of operating points, which need it; ``curves``: plans that want the
        cumulative counts of every batch of the same scores; ``compared``: fitted values whose influences are kept;
        ``first``: whether the values of row 0 are wanted, with what is said of them alone: errors, and who is left out.
        """
        self._draws, self._compared, self._first = draws, compared, first
        self._kept = {item.id: _Kept(item, contract, len(draws), draws.n_folds) for item in wanted}
        self._fits = [(item, one) for item in wanted if isinstance(one := item.metric.statistic, FitToRows)]
        self._areas = [(item, one) for item in wanted if isinstance(one := item.metric.statistic, AreaOverCandidates)]
        self._binned = [
            (item, BinnedDistance(fit, replace(subset[fit.unit]), contract, draws))
            for item, fit in self._fits
            if fit.gaps is not None
        ]
        self._strata = {unit: Strata(frame.cluster, frame.fold, draws.n_folds) for unit, frame in subset.items()}
        self._left_out: dict[bytes, BoolArray] = {}
        by_unit: dict[str, list[tuple[Instance, Sums[Any]]]] = {}
        for item in wanted:
            if isinstance(statistic := item.metric.statistic, Sums):
                by_unit.setdefault(statistic.unit, []).append((item, statistic))
        self._sums = [
            (SumPlan(self._contributions(frames, subset[unit], of_unit, contract), subset[unit], draws), of_unit)
            for unit, of_unit in by_unit.items()
        ]
        self._frames, self._subset, self._contract = frames, subset, contract
        frame = subset["query"]
        # How many rows a cell has says where a value replaces an undefined one.
        stands_in = any(kept.fallback is not None for kept in self._kept.values())
        self._presence = SumPlan([np.ones(len(frame))], frame, draws) if stands_in else None
        self._ordered = [item for item in wanted if isinstance(item.metric.statistic, Ordered)]
        self._operating = [(item, one) for item in wanted if isinstance(one := item.metric.statistic, Operating)]
        self._at_budget: OperatingPlan | None = None
        if self._operating and tune is not None:
            self._at_budget = OperatingPlan(tune, draws.n_folds, {item.id.number for item, _ in self._operating})
        passes = bool(self._ordered or self._operating or curves)
        every_point = contract.text("roc_points") == "all"
        read = (*self._ordered, *(item for item, _ in self._operating))
        self._measures = ScoreMeasures(read, every_point)
        # The errors of what is read off sorted scores take each row once.
        if frame.weight is None and first:
            self._linearize_scores(read, frame, () if tune is None else tune.choices)
        self._scores = ScorePlan(subset["query"], draws, self._measures, self._at_budget, curves) if passes else None

    def _linearize_scores(self, read: Sequence[Instance], frame: Frame, choices: tuple[Choice, ...]) -> None:
        """Find the errors of what is read off sorted scores, and of operating points at their fixed thresholds."""
        strata, by_score = self._strata["query"], list[Instance]()
        for item in read:
            statistic = item.metric.statistic
            if isinstance(statistic, Operating) and not reads_roc(item):
                self._kept[item.id].errors = errors_of_operating_point(item, statistic.finish, frame, choices, strata)
            else:
                by_score.append(item)
        for metric_id, errors in errors_of_scores(by_score, frame, choices, strata).items():
            self._kept[metric_id].errors = errors

    def _contributions(
        self, frames: SystemFrames, frame: Frame, wanted: Sequence[tuple[Instance, Sums[Any]]], contract: Contract
    ) -> Iterator[Any]:
        """Yield what the rows add to metric after metric, once what else follows from them is found."""
        strata = self._strata[frame.unit]
        for item, statistic in wanted:
            kept, sample = self._kept[item.id], Sample(frames, frame, item.id, contract)
            rows = statistic.rows(sample)
            if not self._first:
                yield rows
                continue
            kept.errors = errors_of_sums(statistic, weighted(rows, frame), strata)
            if isinstance(rows, Mean) and statistic.unit == "query":
                kept.left_out = self._held(rows.n == 0)
                if frame.weight is None:  # a spread over queries takes each once
                    kept.of_queries = OfQueries.of(statistic.finish(rows)[rows.n > 0])
            elif statistic.counted is not None:
                kept.left_out = self._held(~statistic.counted(sample))
            if statistic.proportion is not None and frame.weight is not None:
                kept.trials = kish(frame.weighted(statistic.proportion(rows).denominator))
            yield rows
            del rows

    def _held(self, left_out: BoolArray) -> BoolArray | None:
        """Return the mask that is held for equal ones; None where nothing is left out."""
        return self._left_out.setdefault(digest(left_out), left_out) if left_out.any() else None

    def update(self, block: Block, chosen: Chosen) -> None:
        """Take in a block of weights; ``chosen`` are the thresholds of the same block."""
        present = None if self._presence is None else self._presence.totals(block).everywhere[0]
        for plan, group in self._sums:
            for (item, statistic), found in zip(group, plan.totals(block).everywhere, strict=True):
                self._keep(item, block, statistic.finish(found), present, columns_of(found))
                self._count_trials(item, block, statistic, found)
        if block.is_first:
            self._fit(block, present)
        else:
            for item, distance in self._binned:
                self._keep(item, block, distance.values(block), present)
        if self._scores is None:
            return
        measured, counted = self._scores.totals(block, chosen)
        for item in self._ordered:
            self._keep(item, block, measured[self._measures.place(item)].ravel(), present)
        if self._at_budget is None:
            return
        at_budget = self._at_budget.totals(counted)
        for item, operating in self._operating:
            both = at_budget[item.id.number]
            for again, confusion in ((False, both.fixed), (True, both.resampled)):
                value = operating.finish(confusion)
                if operating.below_roc:
                    value = measured[self._measures.place(item)].ravel() - value
                self._keep(item, block, value, present, columns_of(confusion), again=again)
            self._count_trials(item, block, operating, both.fixed)

    def _count_trials(self, item: Instance, block: Block, statistic: Sums[T] | Operating, totals: Any) -> None:
        """Note the denominator of a proportion over the whole subset."""
        if block.is_first and statistic.proportion is not None and self._kept[item.id].trials is None:
            self._kept[item.id].trials = float(statistic.proportion(totals).denominator[0])

    def _fit(self, block: Block, present: FloatArray | None) -> None:
        """Fit once the values that are fitted to all rows."""
        n_folds = self._draws.n_folds
        for unit in dict.fromkeys(statistic.unit for _, statistic in self._fits):
            strata = self._strata[unit]
            of_unit = [
                (
                    item,
                    FitToCells(item.id, statistic, self._contract, strata, keeps_influence=item.id in self._compared),
                )
                for item, statistic in self._fits
                if statistic.unit == unit
            ]
            # What is found out about the rows of a cell goes with it.
            for cells, rows in self._cells(unit):
                for _, one in of_unit:
                    one.take(cells, rows)
            while of_unit:
                self._keep_fit(*of_unit.pop(), block, present)
        if self._areas:
            queries = self._subset["query"]
            wanted = [(item.id, statistic) for item, statistic in self._areas]
            parts = self._frames.sums_of_areas(queries, n_folds, wanted)
            for item, _ in self._areas:
                fitted = FitToCandidates(item.id, parts, queries, self._strata["query"])
                self._keep_fit(item, fitted, block, present)

    def _keep_fit(self, item: Instance, fit: Fit, block: Block, present: FloatArray | None) -> None:
        """Keep the values of a fit, and its influences where these are compared."""
        kept = self._kept[item.id]
        self._keep(item, block, fit.values, present)
        if not self._first:
            return
        n_folds = int((~np.isnan(kept.folds)).sum())
        if item.id in self._compared:
            kept.influence = fit.influence(n_folds)
            kept.errors = {aggregation: one.errors for aggregation, one in kept.influence.items()}
        else:
            kept.errors = fit.errors(n_folds)

    def _cells(self, unit: str) -> Iterator[tuple[tuple[int, ...], Frame]]:
        """Yield all rows, then those of each fold, with their place among these; a single fold is both."""
        frame, n_folds = self._subset[unit], self._draws.n_folds
        if n_folds == 1:
            yield (0, 1), frame.where(frame.fold == 0, frame.population)
            return
        # The frame stays, and what is found out about its rows would stay with it.
        yield (0,), replace(frame)
        for fold in range(n_folds):
            yield (1 + fold,), frame.where(frame.fold == fold, frame.population)

    def _keep(
        self,
        item: Instance,
        block: Block,
        values: FloatArray,
        present: FloatArray | None,
        counted: Iterable[FloatArray] = (),
        *,
        again: bool = False,
    ) -> None:
        """Keep ((1 + n_folds) · n_rows,) values of a block.

        ``present``: how many rows each cell has, ``counted``: the totals that a value is made of; ``again``: the value
        is made with the threshold chosen again under each row of weights.
        """
        kept = self._kept[item.id]
        if kept.fallback is not None and present is not None:
            unknown = _unknown(values, present, counted)
            values = np.where(unknown, kept.fallback, values)
            if block.is_first and not again:
                kept.stands_in = _where_unknown(unknown.reshape(1 + self._draws.n_folds, -1)[:, 0])
        pooled, *folds = in_cells(values, self._draws.n_folds)
        into = kept.resampled if again else kept.by_aggregation
        into["pooled"][block.rows] = pooled
        into["fold_mean"][block.rows] = mean_of_parts(folds)
        if again:
            return
        if block.rows.stop <= 1 + self._draws.resamples:
            kept.with_fewer_folds[block.rows] = _with_fewer_folds(folds, ~np.isnan(kept.folds))
        if block.is_first:
            kept.folds[:] = [fold[0] for fold in folds]

    def values(self) -> dict[MetricId, MetricValues]:
        """Return what was kept, once all blocks have been taken in."""
        return {metric_id: kept.values() for metric_id, kept in self._kept.items()}


class _Kept:
    """What is known of one metric, and the arrays that blocks fill in; see :class:`MetricValues`."""

    def __init__(self, item: Instance, contract: Contract, n_rows: int, n_folds: int) -> None:
        again = isinstance(item.metric.statistic, Operating)
        self.fallback = item.metric.fallback(contract)
        self.by_aggregation = {name: np.full(n_rows, np.nan) for name in AGGREGATIONS}
        self.resampled = {name: np.full(n_rows, np.nan) for name in AGGREGATIONS} if again else {}
        self.folds = np.full(n_folds, np.nan)
        self.with_fewer_folds = np.zeros(n_rows, dtype=bool)
        self.stands_in: frozenset[str] = frozenset()
        self.left_out: BoolArray | None = None
        self.of_queries: tuple[OfQueries, ...] = ()
        self.trials: float | None = None
        self.errors: Mapping[str, Errors] = {}
        self.influence: Mapping[str, Influence] = {}

    def values(self) -> MetricValues:
        """Return what was kept."""
        return MetricValues(
            by_aggregation=self.by_aggregation,
            folds=self.folds,
            resampled=self.resampled or None,
            left_out=self.left_out,
            errors=self.errors,
            influence=self.influence,
            trials=self.trials,
            of_queries=self.of_queries,
            with_fewer_folds=int(self.with_fewer_folds.sum()),
            stands_in=self.stands_in,
        )


def _with_fewer_folds(folds: Sequence[FloatArray], has_value: BoolArray) -> BoolArray:
    """Return (n_rows,) the rows of weights under which some fold has no value, of those that have one in the data."""
    return np.asarray(np.any([np.isnan(fold) & has for fold, has in zip(folds, has_value, strict=True)], axis=0))


def _unknown(values: FloatArray, present: FloatArray, counted: Iterable[FloatArray]) -> BoolArray:
    """Return where a value is undefined and the contract puts its own.

    A cell without rows stays undefined, and so does one whose counts are: without a threshold nothing is decided, and
    no denominator is zero.
    """
    unknown = np.isnan(values) & (present > 0)
    for total in counted:
        unknown &= ~np.isnan(total)
    return unknown


def _where_unknown(cells: BoolArray) -> frozenset[str]:
    """Return the aggregations whose value holds an undefined one of (1 + n_folds,) cells: pooled, then by fold."""
    found = zip(AGGREGATIONS, (cells[0], cells[1:].any()), strict=True)
    return frozenset(aggregation for aggregation, unknown in found if unknown)


def mean_over_parts(parts: Sequence[MetricValues], *, in_repeats: bool) -> MetricValues:
    """Return the values of a system from those of its trainings, or of the repeats, which met the same resamples.

    Row by row of weights, the unweighted mean over the parts that have a value there; so an interval is that of the
    mean of these very trainings, or repeats. They are not drawn: what another would give is not in it, and is
    next to it as the SD over seeds, or repeats. What rests on single rows of one output (trials, errors of metrics that
    are resampled) has no mean that could be read the same way and is left out; influences have one. Trainings share
    their folds, whose values are means, too; each repeat has folds of its own.
    """
    resampled = [values.resampled for values in parts]
    left_out = [values.left_out for values in parts if values.left_out is not None]
    influences = _mean_influences([values.influence for values in parts], in_repeats=in_repeats)
    folds = [values.folds for values in parts]
    points = {name: np.array([one.by_aggregation[name][0] for one in parts]) for name in parts[0].by_aggregation}
    of_queries = tuple(one for values in parts for one in values.of_queries)
    alike = len(of_queries) == len(parts) and len({one.n for one in of_queries}) == 1
    return MetricValues(
        by_aggregation=_means([values.by_aggregation for values in parts]),
        folds=np.concatenate(folds) if in_repeats else mean_of_parts(folds),
        resampled=None if None in resampled else _means([one for one in resampled if one is not None]),
        # A query counts where some part has a value for it.
        errors={name: influence.errors for name, influence in influences.items()},
        influence=influences,
        left_out=np.logical_and.reduce(left_out) if len(left_out) == len(parts) else None,
        of_queries=of_queries if alike else (),
        with_fewer_folds=max(values.with_fewer_folds for values in parts),
        stands_in=frozenset[str]().union(*(values.stands_in for values in parts)),
        seeds={} if in_repeats else points,
        repeats=points if in_repeats else {},
    )


def _mean_influences(parts: Sequence[Mapping[str, Influence]], *, in_repeats: bool) -> dict[str, Influence]:
    """Return the mean influence by aggregation; a part without a value has no influence either."""
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: mean_influence([one[name] for one in parts if name in one], in_repeats=in_repeats) for name in names}


def _means(series: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    return {name: mean_of_parts([one[name] for one in series]) for name in series[0]}
