"""Values of every metric on one subset of one system: per fold, pooled and as fold mean, under every resample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.scores import (
    SortedScores,
    auroc,
    average_precision,
    batches,
    exact_average_precision,
    sort_scores,
    tpr_at_fpr,
)
from reportgen.metrics.statistics import CellTotals, Operating, Ordered, Sums, Totals, mean_of_parts, sum_rows
from reportgen.metrics.thresholds import Choice, count_at_thresholds
from reportgen.metrics.weights import Weights


@dataclass(frozen=True, slots=True)
class Cells:
    """(1 + B,) values pooled and of each fold; entry 0 is the point value, NaN is undefined."""

    pooled: FloatArray
    folds: tuple[FloatArray, ...]

    def scope(self, name: str) -> FloatArray:
        """The values of a scope: ``pooled`` or ``fold_mean``."""
        return self.pooled if name == "pooled" else mean_of_parts(self.folds)


@dataclass(frozen=True, slots=True)
class MetricValues:
    """The values of one metric; for operating points also with the threshold chosen again in each resample."""

    cells: Cells
    resampled: Cells | None
    n_undefined: int
    """Queries of the subset that have no value of their own and are left out."""


def metric_values(
    frames: SystemFrames,
    subset: Mapping[str, Frame],
    wanted: Sequence[Instance],
    weights: Weights,
    contract: Contract,
    choices: tuple[Choice, ...],
) -> dict[MetricId, MetricValues]:
    """Every wanted metric on a subset (unit name to the frame's rows in it).

    The system must have what the metrics need; the subset's frames must not be empty.
    """
    values: dict[MetricId, MetricValues] = {}
    by_unit: dict[str, list[Instance]] = {}
    for instance in wanted:
        if isinstance(instance.metric.statistic, Sums):
            by_unit.setdefault(instance.metric.statistic.unit, []).append(instance)
    for unit, group in by_unit.items():
        values |= _from_sums(frames, subset[unit], group, weights, contract)
    ordered = [instance for instance in wanted if isinstance(instance.metric.statistic, Ordered)]
    if ordered:
        totals = score_totals(subset["query"], weights, contract.fpr_budgets)
        values |= {instance.id: _finished(instance, totals) for instance in ordered}
    operating = [instance for instance in wanted if isinstance(instance.metric.statistic, Operating)]
    if operating:
        at_budget = count_at_thresholds(subset["query"], choices, weights)
        values |= {instance.id: _finished(instance, at_budget[instance.id.number], True) for instance in operating}
    return values


def _from_sums(
    frames: SystemFrames, frame: Frame, group: Iterable[Instance], weights: Weights, contract: Contract
) -> dict[MetricId, MetricValues]:
    """All metrics of row sums: equal columns are summed once, in one product."""
    rows = {
        instance.id: instance.metric.statistic.rows(frames, frame, instance.id, contract)
        for instance in group
        if isinstance(instance.metric.statistic, Sums)
    }
    columns = {name: column for contributions in rows.values() for name, column in contributions.items()}
    totals = sum_rows(columns, frame, weights)
    values = {}
    for instance in group:
        names = rows[instance.id].keys()
        own = CellTotals(_pick(totals.pooled, names), tuple(_pick(fold, names) for fold in totals.folds))
        counted = rows[instance.id].get(f"{instance.id}:n")
        undefined = 0 if counted is None else int(len(frame) - counted.sum())
        values[instance.id] = _finished(instance, own, n_undefined=undefined)
    return values


def _marked(totals: Totals, mark: str) -> Totals:
    """The totals whose names end in a mark, without it; no mark: all."""
    return {name.removesuffix(mark): value for name, value in totals.items() if name.endswith(mark)}


def _pick(totals: Totals, names: Iterable[str]) -> Totals:
    return {name: totals[name] for name in names}


def _finished(
    instance: Instance, totals: CellTotals, with_resampled: bool = False, n_undefined: int = 0
) -> MetricValues:
    """``finish`` on every cell."""

    def cells(mark: str) -> Cells:
        def finish(cell: Totals) -> FloatArray:
            return instance.metric.finish(_marked(cell, mark), instance.id)

        return Cells(finish(totals.pooled), tuple(finish(fold) for fold in totals.folds))

    return MetricValues(cells(""), cells("~") if with_resampled else None, n_undefined)


def score_totals(frame: Frame, weights: Weights, budgets: tuple[float, ...]) -> CellTotals:
    """AUROC, AUPRC and same-set TPR at each budget, pooled and per fold, in one pass over sorted scores each."""
    folds = tuple(
        _score_pass(frame, np.flatnonzero(frame.fold == fold), weights, budgets) for fold in range(weights.n_folds)
    )
    if weights.n_folds == 1:
        return CellTotals(folds[0], folds)
    return CellTotals(_score_pass(frame, np.arange(len(frame)), weights, budgets), folds)


def sorted_rows(frame: Frame, members: np.ndarray) -> SortedScores:
    """The members of a frame by falling probability."""
    return sort_scores(frame["p"][members], frame["y"][members], frame.cluster[members])


def _score_pass(frame: Frame, members: np.ndarray, weights: Weights, budgets: tuple[float, ...]) -> Totals:
    n = len(weights.counts)
    totals = {name: np.full(n, np.nan) for name in ("auroc", "auprc", *(f"tpr@{alpha:g}" for alpha in budgets))}
    if not len(members):
        return totals
    rows = sorted_rows(frame, members)
    for part, counts in batches(rows, weights.counts):
        totals["auroc"][part] = auroc(counts)
        totals["auprc"][part] = average_precision(counts)
        for alpha in budgets:
            totals[f"tpr@{alpha:g}"][part] = tpr_at_fpr(counts, alpha)
    totals["auprc"][0] = exact_average_precision(rows)
    return totals
