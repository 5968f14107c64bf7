"""Values of every metric on one subset of one system: per fold, pooled and as fold mean, under every resample.

A :class:`SubsetPlan` sorts and sums the rows once; resamples then flow through it in blocks. Only the values that
intervals need are kept, so memory is bounded by metrics × resamples, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.edges import instead_of_undefined
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.scores import (
    Counts,
    SortedScores,
    auroc,
    average_precision,
    batches,
    exact_average_precision,
    exact_trapezoid,
    sort_scores,
    tpr_at_fpr,
    tpr_at_fpr_without_collinear,
    trapezoid,
)
from reportgen.metrics.statistics import (
    CellTotals,
    Operating,
    Ordered,
    Refit,
    SumPlan,
    Sums,
    Totals,
    cell_totals,
    mean_of_parts,
    unit_of,
)
from reportgen.metrics.thresholds import Chosen, OperatingPlan, TunePlan
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.errors import errors_of_auroc, errors_of_operating_point, errors_of_sums
from reportgen.stats.linearize import Errors, Strata

SCOPES = ("pooled", "fold_mean")


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of one metric under every row of weights; entry 0 is the point value, NaN is undefined."""

    scopes: Mapping[str, FloatArray]
    """Scope (``pooled``, ``fold_mean``) to (n_rows,) values."""
    folds: FloatArray
    """(n_folds,) the folds' own point values."""
    resampled: Mapping[str, FloatArray] | None = None
    """For operating points: the same with the threshold chosen again under each row of weights."""
    left_out: BoolArray | None = None
    """(n,) which queries of the subset have no value of their own and are left out; None = the metric has none."""
    errors: Mapping[str, Errors] = field(default_factory=dict)
    """Scope to linearized standard errors, where the metric is a smooth function of sums."""
    trials: float | None = None
    """Denominator of a proportion over the whole subset; None for other metrics."""
    per_query: FloatArray | None = None
    """The defined values of single queries, for metrics that have them."""
    seeds: Mapping[str, FloatArray] = field(default_factory=dict)
    """Scope to (n_trainings,) point values, for a system that was trained several times; else empty."""
    thinned: int = 0
    """Resamples in which a fold has no value though it has one in the data: their mean is over fewer folds."""


class SubsetPlan:
    """Everything about a subset that does not depend on the weights.

    The system must have what the metrics need; the subset's frames must not be empty.
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
        self._strata = {
            unit: Strata(frame.cluster, frame.fold, draws.n_folds)
            for unit, frame in subset.items()
            if unit != "candidate"
        }
        self._sums = self._plan_sums(frames, subset, wanted, contract)
        self._refits = [(item, statistic) for item in wanted if isinstance(statistic := item.metric.statistic, Refit)]
        self._cells = _Cells(subset, contract, draws.n_folds)
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
        for item in self._ordered:
            if item.id.name == "auroc":
                self._errors[item.id] = errors_of_auroc(frame, draws.n_folds)
        choices = () if tune is None else tune.choices
        for item in self._operating:
            if not _reads_roc(item):  # what is read off a ROC curve is no smooth function of sums
                self._errors[item.id] = errors_of_operating_point(item, frame, choices, self._strata["query"])

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
                if item.metric.smooth:
                    self._errors[item.id] = errors_of_sums(item, rows, self._strata[statistic.unit])
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
        for item, refit in self._refits if block.is_first else ():
            self._keep(item, block, self._cells.fit(refit), present)
        if self._scores is None:
            return
        totals = self._scores.totals(block, chosen)
        for item in self._ordered:
            self._keep(item, block, totals, present)
        if self._at_budget is not None:
            at_budget = self._at_budget.totals()
            for item in self._operating:
                confusion = at_budget[item.id.number]
                if _reads_roc(item):
                    confusion = _with_roc(confusion, totals, item)
                self._keep(item, block, confusion, present)

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
                kept.thinned += _n_thinned(folds, ~np.isnan(kept.folds))
            if block.is_first:
                kept.folds[:] = [fold[0] for fold in folds]
                if item.metric.proportion is not None:
                    _, trials = item.metric.proportion(totals.everywhere, item.id)
                    self._trials[item.id] = float(trials[0])

    def values(self) -> dict[MetricId, MetricValues]:
        """What was kept, once all blocks have been taken in."""
        return {
            metric_id: MetricValues(
                scopes=kept.series[""],
                folds=kept.folds,
                resampled=kept.series.get("~"),
                left_out=self._left_out.get(metric_id),
                errors=self._errors.get(metric_id, {}),
                trials=self._trials.get(metric_id),
                per_query=self._per_query.get(metric_id),
                thinned=kept.thinned,
            )
            for metric_id, kept in self._kept.items()
        }


class _Kept:
    """Arrays that the blocks fill in: by mark (``~``: threshold resampled), then by scope."""

    def __init__(self, n_rows: int, n_folds: int, with_resampled: bool) -> None:
        marks = ("", "~") if with_resampled else ("",)
        self.series = {mark: {scope: np.full(n_rows, np.nan) for scope in SCOPES} for mark in marks}
        self.folds = np.full(n_folds, np.nan)
        self.thinned = 0


def _n_thinned(folds: Sequence[FloatArray], has_value: BoolArray) -> int:
    """Number of rows of weights under which some fold has no value, of those that have one in the data."""
    return int(np.any([np.isnan(fold) & has for fold, has in zip(folds, has_value, strict=True)], axis=0).sum())


class _Cells:
    """The rows of every fold and all of them, by unit: what values that are fitted anew are fitted on."""

    def __init__(self, subset: Mapping[str, Frame], contract: Contract, n_folds: int) -> None:
        self._subset, self._contract, self._n_folds = subset, contract, n_folds
        self._folds: dict[str, list[Frame]] = {}

    def fit(self, statistic: Refit) -> CellTotals:
        """The value of a fit on the rows of every fold and on all of them."""
        unit = statistic.unit
        frame = self._subset[unit]
        if unit not in self._folds:
            self._folds[unit] = [frame.where(frame.fold == fold, frame.protocol) for fold in range(self._n_folds)]

        def value(rows: Frame) -> float:
            return statistic.value(rows, self._contract) if len(rows) else np.nan

        folds = [value(rows) for rows in self._folds[unit]]
        pooled = value(frame) if self._n_folds > 1 else folds[0]
        return CellTotals({"value": np.array([pooled, *folds])}, self._n_folds)


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


def _reads_roc(item: Instance) -> bool:
    """Whether a metric reads the highest TPR within its budget off the evaluation set's own scores."""
    statistic = item.metric.statistic
    return item.id.name == "roc_tpr" or (isinstance(statistic, Operating) and statistic.same_set)


def _with_roc(confusion: CellTotals, scores: CellTotals, item: Instance) -> CellTotals:
    """The totals of an operating point with ``roc_tpr`` beside them: the same, whatever happens to the threshold."""
    roc_tpr = scores.everywhere[f"tpr@{item.id.number:g}"]
    return CellTotals({**confusion.everywhere, "roc_tpr": roc_tpr, "roc_tpr~": roc_tpr}, confusion.n_folds)


def _picked(totals: CellTotals, names: Iterable[str]) -> CellTotals:
    return CellTotals({name: totals.everywhere[name] for name in names}, totals.n_folds)


class ScoreMeasures:
    """What metrics of sorted scores need of cumulative counts, each computed once, by the name of its total."""

    def __init__(self, wanted: Sequence[Instance], every_point: bool = True) -> None:
        """``every_point``: a TPR at an FPR is read from all points of the ROC curve, not from its corners."""
        ids = {str(item.id) for item in wanted}
        known = {"auroc": auroc, "auprc": average_precision, "auprc[trapezoid]": trapezoid}
        self._single = [(name, known[name]) for name in known if name in ids]
        budgets = dict.fromkeys(item.id.number for item in wanted if _reads_roc(item))
        self._budgets = np.array(list(budgets))
        self._rate = tpr_at_fpr if every_point else tpr_at_fpr_without_collinear
        self.corners = not every_point
        self.names = (*(name for name, _ in self._single), *(f"tpr@{alpha:g}" for alpha in budgets))

    def __call__(self, counts: Counts) -> FloatArray:
        """(len(names), batch) the totals of a batch."""
        found = np.empty((len(self.names), len(counts.positives)))
        for index, (_, measure) in enumerate(self._single):
            found[index] = measure(counts.steps)
        if len(self._budgets):
            found[len(self._single) :] = self._rate(counts, self._budgets).T
        return found


class CurvePlan(Protocol):
    """What a curve needs of a score pass."""

    @property
    def read_at(self) -> FloatArray | None:
        """Scores at which it reads counts, beside the points of the ROC curve."""

    def wants(self, cell: str) -> bool:
        """Whether it reads a cell: ``pooled``, or the number of a fold."""

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: Counts) -> None:
        """A batch of a cell that it wants; ``rows`` are rows of all weights."""


class ScorePlan:
    """A frame's rows by falling probability, for each fold and for all of them: one pass serves all that need it."""

    def __init__(
        self,
        frame: Frame,
        draws: Draws,
        measures: ScoreMeasures,
        operating: OperatingPlan | None = None,
        curves: Sequence[CurvePlan] = (),
    ) -> None:
        """``operating`` and ``curves`` read the cumulative counts of every batch."""
        self._measures, self._operating, self._curves = measures, operating, curves
        self._folds: list[SortedScores | None] = []
        for fold in range(draws.n_folds):
            points = [curve.read_at for curve in curves if curve.read_at is not None]
            if operating is not None and fold in operating.candidates:
                points.append(operating.candidates[fold])
            members = np.flatnonzero(frame.fold == fold)
            rows = sorted_rows(frame, members, draws, np.concatenate([np.zeros(0), *points]), measures.corners)
            if operating is not None and rows is not None:
                operating.read(fold, rows)
            self._folds.append(rows)
        everything = np.arange(len(frame))
        self._pooled = None
        if draws.n_folds > 1:
            self._pooled = sorted_rows(frame, everything, draws, corners=measures.corners)

    def totals(self, block: Block, chosen: Chosen) -> CellTotals:
        """Every measure of a block per fold and pooled; operating points and curves see the same counts."""
        if self._operating is not None:
            self._operating.start(len(block.counts))
        found = np.full((len(self._measures.names), 1 + len(self._folds), len(block.counts)), np.nan)
        for fold, rows in enumerate(self._folds):
            if rows is not None:
                self._fill(found[:, 1 + fold], str(fold), rows, block, chosen)
        if self._pooled is not None:
            self._fill(found[:, 0], "pooled", self._pooled, block, chosen)
        elif len(self._folds) == 1:
            found[:, 0] = found[:, 1]
        return cell_totals(self._measures.names, found)

    def _fill(self, found: FloatArray, cell: str, rows: SortedScores, block: Block, chosen: Chosen) -> None:
        """Put the measures of a cell into (n_measures, n_rows); show its counts to whoever reads them."""
        names = self._measures.names
        curves = [curve for curve in self._curves if curve.wants(cell)]
        operating = None if cell == "pooled" else self._operating
        if not (names or operating or curves):
            return
        for part, counts in batches(rows, block.counts):
            found[:, part] = self._measures(counts)
            if operating is not None:
                operating.take(int(cell), part, counts, chosen)
            for curve in curves:
                curve.take(cell, slice(block.rows.start + part.start, block.rows.start + part.stop), rows, counts)
        if block.is_first:  # the estimate itself, its terms summed exactly
            for name, exact in (("auprc", exact_average_precision), ("auprc[trapezoid]", exact_trapezoid)):
                if name in names:
                    found[names.index(name), 0] = exact(rows)


def sorted_rows(
    frame: Frame, members: np.ndarray, draws: Draws, read_at: FloatArray | None = None, corners: bool = False
) -> SortedScores | None:
    """The members of a frame by falling probability, as :func:`sort_scores` does; None where there are none."""
    if not len(members):
        return None
    score, y, unit = frame["p"][members], frame["y"][members], unit_of(frame, draws)[members]
    return sort_scores(score, y, unit, read_at, corners=corners)
