"""Values of every metric on one subset of one system: per fold, pooled and as fold mean, under every resample.

A :class:`SubsetPlan` sorts and sums the rows once; resamples then flow through it in blocks. Only the values that
intervals need are kept, so memory is bounded by metrics × resamples, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.edges import instead_of_undefined
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import (
    CellTotals,
    Operating,
    Ordered,
    Refit,
    SumPlan,
    Sums,
    Totals,
    mean_of_parts,
)
from reportgen.metrics.thresholds import Chosen, OperatingPlan, TunePlan
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.errors import (
    RankedCells,
    errors_of_auroc,
    errors_of_operating_point,
    errors_of_quantile,
    errors_of_scores,
    errors_of_sums,
)
from reportgen.stats.linearize import Errors, Influence, Strata, of_fit
from reportgen.stats.score_pass import CurvePlan, ScoreMeasures, ScorePlan, reads_roc

AGGREGATIONS = ("pooled", "fold_mean")


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of one metric under every row of weights; entry 0 is the point value, NaN is undefined."""

    by_aggregation: Mapping[str, FloatArray]
    """Aggregation (``pooled``, ``fold_mean``) to (n_rows,) values."""
    folds: FloatArray
    """(n_folds,) the folds' own point values."""
    resampled: Mapping[str, FloatArray] | None = None
    """For operating points: the same with the threshold chosen again under each row of weights."""
    left_out: BoolArray | None = None
    """(n,) which queries of the subset have no value of their own and are left out; None = the metric has none."""
    errors: Mapping[str, Errors] = field(default_factory=dict)
    """Aggregation to linearized standard errors, where the metric is a smooth function of sums or a fit to all rows."""
    influence: Mapping[str, Influence] = field(default_factory=dict)
    """Aggregation to the influence of each query, for a value that is fitted to all rows; else empty."""
    trials: float | None = None
    """Denominator of a proportion over the whole subset; None for other metrics."""
    per_query: FloatArray | None = None
    """The defined values of single queries, for metrics that have them."""
    seeds: Mapping[str, FloatArray] = field(default_factory=dict)
    """Aggregation to (n_trainings,) point values, for a system that was trained several times; else empty."""
    with_fewer_folds: int = 0
    """Resamples in which a fold has no value though it has one in the data: their mean is over fewer folds."""


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
    ) -> None:
        """``tune``: chooses the thresholds of operating points, which need it; ``curves``: plans that want the
        cumulative counts of every batch of the same scores.
        """
        self._draws = draws
        self._columns: dict[MetricId, tuple[str, ...]] = {}
        self._left_out: dict[MetricId, BoolArray] = {}
        self._per_query: dict[MetricId, FloatArray] = {}
        self._errors: dict[MetricId, Mapping[str, Errors]] = {}
        self._trials: dict[MetricId, float] = {}
        self._refits = [(item, statistic) for item in wanted if isinstance(statistic := item.metric.statistic, Refit)]
        self._strata = {
            unit: Strata(frame.cluster, frame.fold, draws.n_folds)
            for unit, frame in subset.items()
            if unit != "candidate"
        }
        self._sums = self._plan_sums(frames, subset, wanted, contract)
        self._subset, self._contract = subset, contract
        self._influence: dict[MetricId, Mapping[str, Influence]] = {}
        self._instead = {item.id: instead_of_undefined(item.metric, contract) for item in wanted}
        frame = subset["query"]
        # How many rows a cell has says where a value stands in for an undefined one.
        stands_in = any(value is not None for value in self._instead.values())
        self._presence = SumPlan({"n": np.ones(len(frame))}, frame, draws) if stands_in else None
        self._ordered = [item for item in wanted if isinstance(item.metric.statistic, Ordered)]
        self._operating = [item for item in wanted if isinstance(item.metric.statistic, Operating)]
        self._at_budget: OperatingPlan | None = None
        if self._operating and tune is not None:
            self._at_budget = OperatingPlan(tune, draws.n_folds, {item.id.number for item in self._operating})
        passes = bool(self._ordered or self._operating or curves)
        every_point = contract.text("roc_points") == "all"
        read = (*self._ordered, *self._operating)
        measures = ScoreMeasures(read, every_point)
        self._scores = ScorePlan(subset["query"], draws, measures, self._at_budget, curves) if passes else None
        self._kept = {item.id: _Kept(len(draws), draws.n_folds, item in self._operating) for item in wanted}
        choices, strata, cells = () if tune is None else tune.choices, self._strata["query"], None
        for item in read:
            if item.id.name == "auroc":
                self._errors[item.id] = errors_of_auroc(frame, draws.n_folds)
            elif isinstance(item.metric.statistic, Operating) and not reads_roc(item):
                self._errors[item.id] = errors_of_operating_point(item, frame, choices, strata)
            else:
                cells = cells or RankedCells(frame, draws.n_folds)
                self._errors[item.id] = errors_of_scores(item, cells, choices, strata)

    def _plan_sums(
        self, frames: SystemFrames, subset: Mapping[str, Frame], wanted: Sequence[Instance], contract: Contract
    ) -> list[tuple[SumPlan, list[Instance]]]:
        """All metrics of row sums by unit: equal columns are summed once, in one product."""
        by_unit: dict[str, list[Instance]] = {}
        columns: dict[str, dict[str, FloatArray]] = {}
        for item in wanted:
            statistic = item.metric.statistic
            if isinstance(statistic, Sums):
                frame = subset[statistic.unit]
                rows = statistic.rows(frames, frame, item.id, contract)
                columns.setdefault(statistic.unit, {}).update(rows)
                by_unit.setdefault(statistic.unit, []).append(item)
                self._columns[item.id] = tuple(rows)
                of_rows = errors_of_sums if item.metric.smooth else errors_of_quantile
                if item.metric.smooth or "quantile" in item.metric.conventions:
                    self._errors[item.id] = of_rows(item, rows, self._strata[statistic.unit])
                counted = rows.get(f"{item.id}:n")
                if counted is not None:
                    self._left_out[item.id] = counted == 0
                    self._per_query[item.id] = rows[f"{item.id}:sum"][counted > 0]
        return [(SumPlan(columns[unit], subset[unit], self._draws), group) for unit, group in by_unit.items()]

    def update(self, block: Block, chosen: Chosen) -> None:
        """Take in a block of weights; ``chosen`` are the thresholds of the same block."""
        present = None if self._presence is None else self._presence.totals(block)
        for plan, group in self._sums:
            totals = plan.totals(block)
            for item in group:
                self._keep(item, block, _picked(totals, self._columns[item.id]), present)
        if block.is_first:
            self._fit(block, present)
        if self._scores is None:
            return
        totals, counted = self._scores.totals(block, chosen)
        for item in self._ordered:
            self._keep(item, block, totals, present)
        if self._at_budget is not None:
            at_budget = self._at_budget.totals(counted)
            for item in self._operating:
                confusion = at_budget[item.id.number]
                if reads_roc(item):
                    confusion = _with_roc(confusion, totals, item)
                self._keep(item, block, confusion, present)

    def _fit(self, block: Block, present: CellTotals | None) -> None:
        """The values that are fitted to all rows, once; what was found out about the rows of folds is let go of."""
        cells = _Cells(self._subset, self._contract, self._draws.n_folds)
        for item, refit in self._refits:
            fit = cells.fit(refit)
            self._keep(item, block, fit, present)
            n_folds = int((~np.isnan(self._kept[item.id].folds)).sum())
            influence = cells.influence(refit, self._strata["query"], fit, n_folds)
            self._influence[item.id] = influence
            self._errors[item.id] = {aggregation: one.errors for aggregation, one in influence.items()}

    def _keep(self, item: Instance, block: Block, totals: CellTotals, present: CellTotals | None) -> None:
        kept, instead = self._kept[item.id], self._instead[item.id]
        for mark, into in kept.series.items():
            marked = _marked(totals.everywhere, mark)
            finished = item.metric.finish(marked, item.id)
            if instead is not None and present is not None:
                counted = isinstance(item.metric.statistic, Sums | Operating)
                finished = _replaced(finished, instead, present.everywhere, marked if counted else {})
            pooled, *folds = totals.in_cells(finished)
            into["pooled"][block.rows] = pooled
            into["fold_mean"][block.rows] = mean_of_parts(folds)
            if mark:
                continue
            if block.rows.stop <= 1 + self._draws.resamples:
                kept.with_fewer_folds[block.rows] = _with_fewer_folds(folds, ~np.isnan(kept.folds))
            if block.is_first:
                kept.folds[:] = [fold[0] for fold in folds]
                if item.metric.proportion is not None:
                    _, trials = item.metric.proportion(totals.everywhere, item.id)
                    self._trials[item.id] = float(trials[0])

    def values(self) -> dict[MetricId, MetricValues]:
        """What was kept, once all blocks have been taken in."""
        return {
            metric_id: MetricValues(
                by_aggregation=kept.series[""],
                folds=kept.folds,
                resampled=kept.series.get("~"),
                left_out=self._left_out.get(metric_id),
                errors=self._errors.get(metric_id, {}),
                influence=self._influence.get(metric_id, {}),
                trials=self._trials.get(metric_id),
                per_query=self._per_query.get(metric_id),
                with_fewer_folds=int(kept.with_fewer_folds.sum()),
            )
            for metric_id, kept in self._kept.items()
        }


class _Kept:
    """Arrays that the blocks fill in: by mark (``~``: threshold resampled), then by aggregation."""

    def __init__(self, n_rows: int, n_folds: int, with_resampled: bool) -> None:
        marks = ("", "~") if with_resampled else ("",)
        self.series = {mark: {name: np.full(n_rows, np.nan) for name in AGGREGATIONS} for mark in marks}
        self.folds = np.full(n_folds, np.nan)
        self.with_fewer_folds = np.zeros(n_rows, dtype=bool)


def _with_fewer_folds(folds: Sequence[FloatArray], has_value: BoolArray) -> BoolArray:
    """(n_rows,) the rows of weights under which some fold has no value, of those that have one in the data."""
    return np.asarray(np.any([np.isnan(fold) & has for fold, has in zip(folds, has_value, strict=True)], axis=0))


class _Cells:
    """The rows of every fold and all of them, by unit: what values that are fitted anew are fitted on."""

    def __init__(self, subset: Mapping[str, Frame], contract: Contract, n_folds: int) -> None:
        self._subset, self._contract, self._n_folds = subset, contract, n_folds
        self._cells: dict[str, list[Frame]] = {}

    def fit(self, statistic: Refit) -> CellTotals:
        """The value of a fit on the rows of every fold and on all of them."""

        def value(rows: Frame) -> float:
            return statistic.value(rows, self._contract) if len(rows) else np.nan

        every, *parts = self._of_unit(statistic.unit)
        folds = [value(rows) for rows in parts]
        pooled = value(every) if self._n_folds > 1 else folds[0]
        return CellTotals({"value": np.array([pooled, *folds])}, self._n_folds)

    def influence(self, statistic: Refit, strata: Strata, fit: CellTotals, n_folds: int) -> dict[str, Influence]:
        """Return the influence of each query on a fit, by aggregation; ``n_folds``: those that its mean is over."""
        cells, values = self._of_unit(statistic.unit), fit.everywhere["value"].tolist()
        return of_fit(statistic, self._contract, self._subset["query"], strata, cells, values, n_folds)

    def _of_unit(self, unit: str) -> list[Frame]:
        """All rows, then those of each fold."""
        if unit not in self._cells:
            frame = self._subset[unit]
            folds = [frame.where(frame.fold == fold, frame.protocol) for fold in range(self._n_folds)]
            # A single fold is all rows; taken once, what was found out about them is at hand.
            self._cells[unit] = [*folds, *folds] if len(folds) == 1 else [frame, *folds]
        return self._cells[unit]


def _replaced(values: FloatArray, instead: float, present: Totals, counted: Totals) -> FloatArray:
    """The values with what the contract puts where a value is undefined.

    A cell without rows stays undefined, and so does one whose counts are: without a threshold nothing is decided, and
    no denominator is zero.
    """
    unknown = np.isnan(values) & (present["n"] > 0)
    for total in counted.values():
        unknown &= ~np.isnan(total)
    return np.where(unknown, instead, values)


def _marked(totals: Totals, mark: str) -> Totals:
    """The totals whose names end in a mark, without it; no mark: all."""
    if not mark:
        return totals
    return {name.removesuffix(mark): value for name, value in totals.items() if name.endswith(mark)}


def _with_roc(confusion: CellTotals, scores: CellTotals, item: Instance) -> CellTotals:
    """The totals of an operating point with ``roc_tpr`` beside them: the same, whatever happens to the threshold."""
    roc_tpr = scores.everywhere[f"tpr@{item.id.number:g}"]
    return CellTotals({**confusion.everywhere, "roc_tpr": roc_tpr, "roc_tpr~": roc_tpr}, confusion.n_folds)


def _picked(totals: CellTotals, names: Iterable[str]) -> CellTotals:
    return CellTotals({name: totals.everywhere[name] for name in names}, totals.n_folds)
