"""Curves: ROC, precision-recall, reliability and decision curves under every resample, and those without a band."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Literal, Self, TypeAlias

import numpy as np
from msgspec import structs

from reportgen.domain.contract import Contract
from reportgen.domain.record import Band, Curve, SeedCurve
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.calibration import Bin, bin_of, bins_of
from reportgen.metrics.frames import Frame
from reportgen.metrics.operating_point import net_benefit, odds_of
from reportgen.metrics.scores import (
    CumulativeCounts,
    SortedScores,
    as_they_are,
    precision_on_grid,
    roc_on_grid,
    sort_scores,
)
from reportgen.metrics.statistics import SumPlan
from reportgen.metrics.totals import ratio
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.intervals import pointwise_band, significant_digits, simultaneous_band

GRID_POINTS = 101
GRID = np.linspace(0, 1, GRID_POINTS)
MOST_POINTS = 101
LABEL_GRID = np.array([(i / 20) ** 2 for i in range(21)])
"""False positive rates of a label's curve: close together at the left, where a ROC curve bends."""
_LABEL_DIGITS = 4
CurveKind: TypeAlias = Literal["roc", "pr", "reliability", "corp", "decision"]
Policy: TypeAlias = Literal["", "model", "treat_all", "treat_none"]
_TREATED: Mapping[Policy, str] = {
    "model": "treating the queries that reach the threshold probability",
    "treat_all": "treating every query",
    "treat_none": "treating no query",
}
_NET_BENEFITS = (-math.inf, 1.0)


class BandPlan(ABC):
    """A curve, or several, under every row of weights, and so with a band."""

    by_row: ClassVar[tuple[str, ...]]
    """Attributes that hold one entry for each row of weights."""

    def within(self, rows: slice) -> Self:
        """Return what is known under some rows of weights alone: enough for :meth:`joined`."""
        part = copy(self)
        for name in self.by_row:
            setattr(part, name, getattr(self, name)[rows].copy())
        return part

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """Return it under all rows of weights from what is known under consecutive ones, the first with row 0."""
        whole = copy(parts[0])
        for name in cls.by_row:
            setattr(whole, name, np.concatenate([getattr(one, name) for one in parts]))
        return whole

    @staticmethod
    @abstractmethod
    def mean_of(parts: Sequence[Any]) -> BandPlan:
        """Return the mean over trainings or repeats, row by row of weights."""

    @abstractmethod
    def curves(self, system: str, subset: str, contract: Contract) -> list[Curve]:
        """Return the curves with their bands; none where nothing defines them."""


class CurveOnGrid(BandPlan):
    """The ROC or precision-recall curve on a grid, under every row of weights.

    Under ``fold_mean`` it averages the folds' curves at each grid point (vertical averaging, Fawcett 2006), so that the
    area under the ROC curve is the mean of the folds' AUROCs; ``pooled`` is the curve over all queries.
    """

    by_row = ("_sum", "_n")
    read_at: FloatArray | None = None
    """It reads every point of the curve, and no count at a given score."""

    def __init__(self, kind: CurveKind, aggregation: str, draws: Draws, grid: FloatArray = GRID) -> None:
        self._kind = kind
        self._grid = grid
        self._aggregation = aggregation
        self._n_folds = draws.n_folds
        pooled = aggregation == "pooled" and draws.n_folds > 1
        self._cells = {"pooled"} if pooled else {str(fold) for fold in range(draws.n_folds)}
        self._sum = np.zeros((1 + draws.resamples, len(grid)))
        self._n = np.zeros(1 + draws.resamples)

    def wants(self, cell: str) -> bool:
        """Tell whether a cell belongs to its aggregation."""
        return cell in self._cells

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: CumulativeCounts) -> None:
        """Take in a batch of cumulative counts; the jackknife rows are not needed."""
        if rows.stop <= len(self._n):
            y = (roc_on_grid if self._kind == "roc" else precision_on_grid)(counts.steps, self._grid)
            defined = ~np.isnan(y[:, 0])
            self._sum[rows] += y if defined.all() else np.where(defined[:, None], y, 0.0)
            self._n[rows] += defined

    @staticmethod
    def mean_of(parts: Sequence[CurveOnGrid]) -> CurveOnGrid:
        """Return the mean curve over trainings or repeats, row by row of weights, over all folds with a curve."""
        mean = copy(parts[0])
        mean._sum = np.mean([one._sum for one in parts], axis=0)
        mean._n = np.mean([one._n for one in parts], axis=0)
        return mean

    def curves(self, system: str, subset: str, contract: Contract) -> list[Curve]:
        """Return the curve with its band; none where a class is missing."""
        if self._n[0] == 0:
            return []
        y = ratio(self._sum, np.broadcast_to(self._n[:, None], self._sum.shape))
        # Folds that hold both classes: a curve of another is undefined.
        n = int(self._n[0])
        averaged = f"averaged vertically over {n if n == self._n_folds else f'{n} of {self._n_folds}'} folds"
        what = "of all queries" if self._aggregation == "pooled" else averaged
        name = "ROC curve" if self._kind == "roc" else "Precision at each recall"
        curve = curve_of(self._kind, system, subset, self._aggregation, self._grid, y[0], f"{name} {what}")
        return [with_band(curve, y, contract)]


class ReliabilityPlan(BandPlan):
    """Observed rate against mean probability in the bins of the calibration error, pooled over folds."""

    by_row = ("_rate",)

    def __init__(self, frame: Frame, draws: Draws, contract: Contract) -> None:
        self._bins = contract.integer("ece_bins")
        self._sums: SumPlan[Bin] | None = SumPlan(bins_of(frame, self._bins), frame, draws)
        self._rate = np.full((1 + draws.resamples, self._bins), np.nan)
        self._n = np.bincount(bin_of(frame["p"], self._bins), minlength=self._bins).tolist()
        self._x = np.full(self._bins, np.nan)

    def update(self, block: Block) -> None:
        """Take in a block of weights; the jackknife rows are not needed."""
        if block.rows.stop > len(self._rate) or self._sums is None:
            return
        for index, one in enumerate(self._sums.totals(block).pooled):
            self._rate[block.rows, index] = ratio(one.y, one.n)
            if block.is_first:
                self._x[index] = ratio(one.p, one.n)[0]

    def within(self, rows: slice) -> Self:
        """Return what is known under some rows of weights alone; it takes in no more blocks."""
        part = super().within(rows)
        part._sums = None
        return part

    @staticmethod
    def mean_of(parts: Sequence[ReliabilityPlan]) -> ReliabilityPlan:
        """Return the mean over trainings or repeats, bin by bin, over those with a value there; counts are rounded, not
        to 0.
        """
        mean = copy(parts[0])
        mean._rate = _mean_defined([one._rate for one in parts])
        mean._x = _mean_defined([one._x for one in parts])
        sums = [sum(counts) for counts in zip(*(one._n for one in parts), strict=True)]
        mean._n = [max(round(n / len(parts)), 1) if n else 0 for n in sums]
        return mean

    def curves(self, system: str, subset: str, contract: Contract) -> list[Curve]:
        """Return the curve with its band over the bins that hold queries; none where there are none."""
        filled = [index for index, n in enumerate(self._n) if n]
        if not filled:
            return []
        what = f"observed rate in {self._bins} equal-width bins of the probability, all queries"
        n, rate = tuple(self._n[index] for index in filled), self._rate[:, filled]
        curve = curve_of("reliability", system, subset, "pooled", self._x[filled], rate[0], what, n=n)
        return [with_band(curve, rate, contract)]


def threshold_grid(contract: Contract) -> FloatArray:
    """Return threshold probabilities step, 2 · step, … below 1, as the decimals they are written as."""
    step = contract.real("threshold_step")
    points = [round(i * step, 10) for i in range(1, math.ceil(1 / step))]
    return np.array([point for point in points if point < 1])


class DecisionPlan(BandPlan):
    """Net benefit on a grid of threshold probabilities, under every row of weights, for the model and for treating all.

    Vickers & Elkin 2006. It reads the cumulative counts of the score pass. Under ``fold_mean`` it averages the folds'
    net benefits; ``pooled`` is that of all queries, whose counts are the sums of the folds'.
    """

    by_row = ("_model", "_positives", "_n")

    def __init__(self, aggregation: str, draws: Draws, contract: Contract) -> None:
        self._aggregation = aggregation
        self._n_folds = draws.n_folds
        self.read_at = threshold_grid(contract)
        self._odds = np.array([odds_of(float(point)) for point in self.read_at])
        self._model = np.zeros((1 + draws.resamples, len(self.read_at)))
        self._positives = np.zeros(1 + draws.resamples)
        self._n = np.zeros(1 + draws.resamples)

    def wants(self, cell: str) -> bool:
        """Tell whether a cell belongs to its aggregation."""
        return cell != "pooled"

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: CumulativeCounts) -> None:
        """Take in a batch of cumulative counts; the jackknife rows are not needed."""
        if rows.stop > len(self._n):
            return
        positives, negatives = counts.totals
        n = positives + negatives
        reached = scores.reached(self.read_at)
        tp, fp = (count.take(reached, axis=1).astype(np.float64) for count in (counts.positives, counts.negatives))
        # Every fold counts one in a mean of folds, and as many queries as it has in the pooled value.
        weight = np.minimum(n, 1) if self._aggregation == "fold_mean" else n
        per_query = ratio(weight, n)
        per_query[n == 0] = 0.0
        self._model[rows] += net_benefit(tp, fp, self._odds) * per_query[:, None]
        self._positives[rows] += positives * per_query
        self._n[rows] += weight

    @staticmethod
    def mean_of(parts: Sequence[DecisionPlan]) -> DecisionPlan:
        """Return the mean net benefit over trainings or repeats, row by row of weights; of the same queries, but each
        repeat has other folds.
        """
        mean = copy(parts[0])
        mean._model = np.mean([one._model for one in parts], axis=0)
        # Around the first, so that equal values keep their bits.
        positives, n = ([getattr(one, name) for one in parts] for name in ("_positives", "_n"))
        mean._positives = positives[0] + np.mean([one - positives[0] for one in positives], axis=0)
        mean._n = n[0] + np.mean([one - n[0] for one in n], axis=0)
        return mean

    def curves(self, system: str, subset: str, contract: Contract) -> list[Curve]:
        """Return the model's curve and that of treating all, with bands, and of treating none, which is zero."""
        if self._n[0] == 0:
            return []
        n = np.broadcast_to(self._n[:, None], self._model.shape)
        prevalence = ratio(self._positives, self._n)[:, None]
        values: dict[Policy, FloatArray] = {
            "model": ratio(self._model, n),
            "treat_all": net_benefit(prevalence, 1 - prevalence, self._odds),
            "treat_none": np.zeros((1, len(self.read_at))),
        }
        return [self._record(policy, system, subset, values[policy], contract) for policy in values]

    def _record(self, policy: Policy, system: str, subset: str, values: FloatArray, contract: Contract) -> Curve:
        where = f"mean of {self._n_folds} folds" if self._aggregation == "fold_mean" else "all queries"
        words = f"net benefit of {_TREATED[policy]}, {where}"
        curve = curve_of("decision", system, subset, self._aggregation, self.read_at, values[0], words, policy=policy)
        return with_band(curve, values, contract, _NET_BENEFITS)


def _mean_defined(values: Sequence[FloatArray]) -> FloatArray:
    """Return the mean over the first axis of what is not NaN; NaN where all are."""
    stacked = np.stack(values)
    defined = ~np.isnan(stacked)
    return ratio(np.where(defined, stacked, 0.0).sum(axis=0), defined.sum(axis=0))


def over_parts(own: Sequence[Curve], seeds: Sequence[str], mean: Curve | None = None) -> Curve:
    """Return the curve of a system of several parts, with those of its trainings beside it.

    Policies without a model have none beside them, nor have repeats, whose ``seeds`` are empty. ``mean`` is their mean
    where it was taken under every resample. Else it is taken here, at each x that one of them has (vertical averaging,
    Fawcett 2006), of more than 101 at every so many.
    """
    first = own[0]
    if mean is None:
        every = np.unique(np.concatenate([one.x for one in own]))
        x = every[np.unique(np.linspace(0, len(every) - 1, min(len(every), MOST_POINTS)).round().astype(int))]
        y = np.mean([np.interp(x, one.x, one.y) for one in own], axis=0)
        mean = structs.replace(first, x=_stored(x), y=_stored(y))
    if first.policy.startswith("treat_"):
        return mean
    return structs.replace(
        mean,
        description=f"{mean.description}; mean of {len(own)} {'trainings' if seeds else 'repeats'}",
        seeds=tuple(SeedCurve(seed, one.x, one.y) for seed, one in zip(seeds, own, strict=False)),
    )


def corp_curve(frame: Frame, system: str, subset: str) -> Curve | None:
    """Return the share of positives given the forecast, by isotonic regression, pooled over folds; None without rows.

    A point stands where a block of equal shares begins and where it ends; between points the curve is straight, also
    across the gap between two blocks. Of more than 101 points every so many are kept, the first and last among them.

    Source: Dimitriadis, Gneiting & Jordan 2021 (CORP).
    """
    if not len(frame):
        return None
    p, n, _ = frame.by_forecast
    x, rate = [], []
    last = -1
    seen = np.cumsum(n)
    for size, positives in frame.isotonic:
        first, before = last + 1, seen[last] if last >= 0 else 0
        last = int(np.searchsorted(seen, before + size))
        for end in dict.fromkeys((first, last)):
            x.append(p[end])
            rate.append(positives / size)
    kept = np.unique(np.linspace(0, len(x) - 1, min(len(x), MOST_POINTS)).round().astype(int)).tolist()
    of_all = f", {len(kept)} of {len(x)} points" if len(kept) < len(x) else ""
    what = f"observed rate given the probability, by isotonic regression over all queries{of_all}"
    return curve_of("corp", system, subset, "pooled", np.array(x)[kept], np.array(rate)[kept], what)


def label_roc(frame: Frame, system: str, subset: str, aggregation: str) -> Curve | None:
    """Return the ROC curve of one label's queries on a coarse grid; None where no part of them has both classes.

    Under ``fold_mean`` it averages the curves of the folds that have both classes (vertical averaging, Fawcett 2006).
    """
    folds = np.unique(frame.fold) if aggregation == "fold_mean" else [None]
    parts = [_roc(frame, np.ones(len(frame), dtype=bool) if fold is None else frame.fold == fold) for fold in folds]
    defined = [part for part in parts if not np.isnan(part[0])]
    if not defined:
        return None
    rates = np.sum(defined, axis=0) / len(defined)
    how = (
        f"averaged vertically over {len(defined)} folds"
        if aggregation == "fold_mean"
        else "of all queries of the label"
    )
    # A panel of a few centimetres shows no more, and labels × systems curves must stay small.
    rounded = np.array([significant_digits(float(rate), _LABEL_DIGITS) for rate in rates])
    return curve_of("roc", system, subset, aggregation, LABEL_GRID, rounded, f"ROC curve {how}")


def _roc(frame: Frame, members: BoolArray) -> FloatArray:
    """Return (len(LABEL_GRID),) true positive rate of some rows; NaN with one class."""
    weight = None if frame.weight is None else frame.weight[members]
    rows = sort_scores(frame["p"][members], frame["y"][members], frame.cluster[members], weight=weight)
    return np.asarray(roc_on_grid(as_they_are(rows).steps, LABEL_GRID)[0])


def curve_of(
    kind: CurveKind,
    system: str,
    subset: str,
    aggregation: str,
    x: FloatArray,
    y: FloatArray,
    description: str,
    n: tuple[int, ...] = (),
    policy: Policy = "",
) -> Curve:
    """Return a curve without a band."""
    return Curve(
        id=f"{kind}{policy and f':{policy}'}|{system}|{subset}|{aggregation}",
        kind=kind,
        system=system,
        subset=subset,
        aggregation=aggregation,
        x=_stored(x),
        y=_stored(y),
        lower=(),
        upper=(),
        n=n,
        band=None,
        description=description,
        policy=policy,
    )


def with_band(curve: Curve, values: FloatArray, contract: Contract, bounds: tuple[float, float] = (0.0, 1.0)) -> Curve:
    """Return a curve with the band of its (1 + B, n_points) values, kept within ``bounds``.

    It lacks one without resamples, or where no resample has a value at some point.
    """
    if not (~np.isnan(values[1:])).any(axis=0).all():
        return curve
    level, kind, unit = contract.real("interval_level"), contract.text("band"), contract.text("interval_unit")
    low, high = (simultaneous_band if kind == "simultaneous" else pointwise_band)(values, level)
    return structs.replace(
        curve,
        # A band of equal reach to both sides knows no range.
        lower=_stored(np.clip(low, *bounds)),
        upper=_stored(np.clip(high, *bounds)),
        band=Band(
            level=level,
            method=f"{unit}_{'sup_t' if kind == 'simultaneous' else 'percentile'}",
            kind=kind,  # type: ignore[arg-type] # the vocabulary admits only the two
            settings=0,
        ),
        description=f"{curve.description}; {kind} {100 * level:g} % band",
    )


def _stored(values: FloatArray) -> tuple[float, ...]:
    return tuple(significant_digits(float(value)) for value in values)
