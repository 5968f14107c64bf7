"""One pass over sorted scores: AUROC, average precision, TPR at FPR budgets and curves, for every resample.

Scores are sorted once. A resample is a set of integer row weights, so every count is an integer and no result
depends on the order of summation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.statistics import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reportgen.metrics.weights import WeightArray

_WORKING_SET = 2**17
"""Rows × resamples taken at a time, so that the working set stays in the cache."""
_HALF = np.int64(32)
_POSITIVE = np.int64(1) << _HALF
_FIXED_POINT = 2.0**32
"""Terms of average precision are integers of this unit, so that their sum is exact."""


@dataclass(frozen=True, slots=True)
class SortedScores:
    """Rows by falling score. ``ends`` are the last rows of each group of equal scores."""

    score: FloatArray
    positive: BoolArray
    cluster: IntArray
    ends: IntArray


@dataclass(frozen=True, slots=True)
class Counts:
    """Per resample of a batch: weighted positives and negatives at or above each distinct score."""

    positives: NDArray[np.int64]
    """(batch, n_groups)"""
    negatives: NDArray[np.int64]

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """(batch,) all positives, (batch,) all negatives."""
        return self.positives[:, -1].astype(np.float64), self.negatives[:, -1].astype(np.float64)


def sort_scores(score: FloatArray, y: FloatArray, cluster: IntArray) -> SortedScores:
    """Rows by falling score; all arrays of shape (n,), n ≥ 1, scores finite."""
    order = np.argsort(-score, kind="stable")
    ordered = score[order]
    ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return SortedScores(ordered, y[order] > 0, cluster[order], ends)


def batches(rows: SortedScores, weights: WeightArray) -> Iterator[tuple[slice, Counts]]:
    """The cumulative counts of every resample, a batch at a time."""
    size = max(_WORKING_SET // len(rows.score), 1)
    # Positives in the high half of a word, all rows in the low half: one cumulative sum counts both.
    code = np.where(rows.positive, _POSITIVE + 1, 1)
    for start in range(0, len(weights), size):
        part = slice(start, min(start + size, len(weights)))
        packed = np.multiply(weights[part].take(rows.cluster, axis=1), code, dtype=np.int64)
        np.cumsum(packed, axis=1, out=packed)
        if len(rows.ends) < len(code):
            packed = packed[:, rows.ends]
        positives = packed >> _HALF
        packed &= _POSITIVE - 1
        packed -= positives
        yield part, Counts(positives, packed)


def auroc(counts: Counts) -> FloatArray:
    """(batch,) P(s⁺ > s⁻) + ½ P(s⁺ = s⁻); NaN with one class. Mann & Whitney 1947; Hanley & McNeil 1982."""
    positives, negatives = counts.totals
    p, n = counts.positives, counts.negatives
    # Σ over steps of ΔN (P before + P after), in whole numbers: exact in any order.
    twice_area = n[:, 0] * p[:, 0] + np.einsum("bg,bg->b", n[:, 1:] - n[:, :-1], p[:, 1:] + p[:, :-1])
    return ratio(twice_area.astype(np.float64), 2 * positives * negatives)


def average_precision(counts: Counts) -> FloatArray:
    """(batch,) Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores; NaN without positives."""
    positives, _ = counts.totals
    p = counts.positives
    terms = p / np.maximum(p + counts.negatives, 1)
    terms[:, 0] *= p[:, 0]
    terms[:, 1:] *= p[:, 1:] - p[:, :-1]
    terms *= _FIXED_POINT
    np.rint(terms, out=terms)
    return ratio(terms.sum(axis=1) / _FIXED_POINT, positives)


def within_budget(counts: Counts, alpha: float) -> IntArray:
    """(batch,) number of distinct scores, from the highest, at which FPR ≤ alpha."""
    limit = largest_count(counts.negatives[:, -1].astype(np.float64), alpha).astype(np.int64)
    beyond = counts.negatives > limit[:, None]
    first = beyond.argmax(axis=1)
    return np.asarray(np.where(beyond[:, -1], first, beyond.shape[1]))


def largest_count(total: FloatArray, alpha: float | FloatArray) -> FloatArray:
    """(batch,) the largest whole c with c / total ≤ alpha in floating point; 0 where total is 0."""
    count = np.floor(total * alpha) + 1
    safe = np.maximum(total, 1)
    count -= count / safe > alpha
    count -= count / safe > alpha
    return np.asarray(np.where(total > 0, count, 0.0))


def tpr_at_fpr(counts: Counts, alpha: float) -> FloatArray:
    """(batch,) the highest TPR with FPR ≤ alpha over all thresholds of the same set; NaN with one class."""
    positives, negatives = counts.totals
    hits = at(counts.positives, within_budget(counts, alpha))
    return np.where(negatives > 0, ratio(hits, positives), np.nan)


def tpr_at_fpr_without_collinear(counts: Counts, alpha: float) -> FloatArray:
    """(batch,) the same over the points that scikit-learn's ``roc_curve`` keeps by default; NaN with one class.

    ``drop_intermediate`` removes points on a straight line between their neighbours, and with them thresholds that
    are within the budget. A resample drops the scores it does not draw before that.
    """
    positives, negatives = counts.totals
    rates = np.full(len(positives), np.nan)
    limits = largest_count(negatives, alpha)
    for row in np.flatnonzero((positives > 0) & (negatives > 0)):
        points = np.stack([counts.positives[row], counts.negatives[row]])
        drawn = np.append(True, np.any(points[:, 1:] != points[:, :-1], axis=0))
        drawn[0] = bool(points[:, 0].any())
        points = points[:, drawn]
        corner = np.any(np.diff(points, 2) != 0, axis=0)
        kept = points[:, np.concatenate([[True], corner, [True]])] if points.shape[1] > 2 else points
        within = kept[1] <= limits[row]
        rates[row] = kept[0][within].max(initial=0) / positives[row]
    return rates


def trapezoid(counts: Counts) -> FloatArray:
    """(batch,) Σ (Rₙ − Rₙ₋₁)(Pₙ + Pₙ₋₁) / 2 over distinct scores, from the point (0, 1); NaN without positives."""
    positives, _ = counts.totals
    p = counts.positives
    taken = p + counts.negatives
    # Where a resample has drawn nothing yet, the curve is still at its starting point.
    precision = np.where(taken > 0, p / np.maximum(taken, 1), 1.0)
    terms = np.empty_like(precision)
    terms[:, 0] = p[:, 0] * (1.0 + precision[:, 0])
    terms[:, 1:] = (p[:, 1:] - p[:, :-1]) * (precision[:, 1:] + precision[:, :-1])
    terms *= _FIXED_POINT
    np.rint(terms, out=terms)
    return ratio(terms.sum(axis=1) / (2 * _FIXED_POINT), positives)


def at(cumulative: NDArray[np.int64], n_groups: IntArray) -> FloatArray:
    """(batch,) the cumulative count after the first ``n_groups`` distinct scores; 0 after none."""
    value = cumulative[np.arange(len(cumulative)), np.maximum(n_groups - 1, 0)]
    return np.asarray(np.where(n_groups > 0, value, 0), dtype=np.float64)


def roc_on_grid(counts: Counts, grid: FloatArray) -> FloatArray:
    """(batch, len(grid)) TPR at given FPRs, straight lines between the points of the curve; NaN with one class.

    At an FPR with several TPRs (a vertical step) the highest is taken.
    """
    positives, negatives = counts.totals
    curves = np.full((len(positives), len(grid)), np.nan)
    start = np.zeros((len(positives), 1))
    fpr = np.concatenate([start, counts.negatives / np.maximum(negatives, 1)[:, None]], axis=1)
    tpr = np.concatenate([start, counts.positives / np.maximum(positives, 1)[:, None]], axis=1)
    for row in np.flatnonzero((positives > 0) & (negatives > 0)):
        curves[row] = np.interp(grid, fpr[row], tpr[row])
    return curves


def precision_on_grid(counts: Counts, grid: FloatArray) -> FloatArray:
    """(batch, len(grid)) precision at the highest threshold that reaches each recall; NaN without positives.

    No interpolation: between its points a precision-recall curve is not straight (Davis & Goadrich 2006).
    """
    positives, _ = counts.totals
    curves = np.full((len(positives), len(grid)), np.nan)
    # Recall r is reached at the smallest whole number of positives with share ≥ r; at r = 0 at the first positive.
    needed = np.maximum(np.ceil(grid * positives[:, None] - 1e-9), 1)
    precision = counts.positives / np.maximum(counts.positives + counts.negatives, 1)
    for row in np.flatnonzero(positives > 0):
        curves[row] = precision[row, np.searchsorted(counts.positives[row], needed[row])]
    return curves


def exact_average_precision(rows: SortedScores) -> float:
    """Average precision of the rows themselves, its terms summed exactly; NaN without positives."""
    positives = np.cumsum(rows.positive)[rows.ends]
    if positives[-1] == 0:
        return math.nan
    terms = np.diff(positives, prepend=0) * positives / (rows.ends + 1)
    return math.fsum(terms.tolist()) / int(positives[-1])


def exact_trapezoid(rows: SortedScores) -> float:
    """The trapezoid of the rows themselves, its terms summed exactly; NaN without positives."""
    positives = np.cumsum(rows.positive)[rows.ends]
    if positives[-1] == 0:
        return math.nan
    precision = positives / (rows.ends + 1)
    terms = np.diff(positives, prepend=0) * (precision + np.append(1.0, precision[:-1]))
    return math.fsum(terms.tolist()) / (2 * int(positives[-1]))
