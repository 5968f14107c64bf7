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
    for start in range(0, len(weights), size):
        part = slice(start, min(start + size, len(weights)))
        w = weights[part].astype(np.int32).take(rows.cluster, axis=1)
        positives = np.cumsum(w * rows.positive, axis=1)[:, rows.ends]
        total = np.cumsum(w, axis=1)[:, rows.ends]
        yield part, Counts(positives.astype(np.int64), (total - positives).astype(np.int64))


def auroc(counts: Counts) -> FloatArray:
    """(batch,) P(s⁺ > s⁻) + ½ P(s⁺ = s⁻); NaN with one class. Mann & Whitney 1947; Hanley & McNeil 1982."""
    positives, negatives = counts.totals
    steps = np.diff(counts.negatives, axis=1, prepend=0)
    before = np.concatenate([np.zeros((len(steps), 1), dtype=np.int64), counts.positives[:, :-1]], axis=1)
    twice_area = (steps * (before + counts.positives)).sum(axis=1).astype(np.float64)
    pairs = 2 * positives * negatives
    return ratio(twice_area, pairs)


def average_precision(counts: Counts) -> FloatArray:
    """(batch,) Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores; NaN without positives."""
    positives, _ = counts.totals
    steps = np.diff(counts.positives, axis=1, prepend=0)
    precision = counts.positives / np.maximum(counts.positives + counts.negatives, 1)
    area = np.rint(steps * precision * _FIXED_POINT).sum(axis=1) / _FIXED_POINT
    return ratio(area, positives)


def within_budget(counts: Counts, alpha: float) -> IntArray:
    """(batch,) number of distinct scores, from the highest, at which FPR ≤ alpha."""
    _, negatives = counts.totals
    return np.asarray((counts.negatives <= largest_count(negatives, alpha)[:, None]).sum(axis=1))


def largest_count(total: FloatArray, alpha: float) -> FloatArray:
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
    defined = (positives > 0) & (negatives > 0)
    return np.where(defined, ratio(hits, positives), np.nan)


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
    for row in np.flatnonzero((positives > 0) & (negatives > 0)):
        fpr = np.concatenate([[0.0], counts.negatives[row] / negatives[row]])
        tpr = np.concatenate([[0.0], counts.positives[row] / positives[row]])
        curves[row] = np.interp(grid, fpr, tpr)
    return curves


def exact_average_precision(rows: SortedScores) -> float:
    """Average precision of the rows themselves, its terms summed exactly; NaN without positives."""
    positives = np.cumsum(rows.positive)[rows.ends]
    if positives[-1] == 0:
        return math.nan
    terms = np.diff(positives, prepend=0) * positives / (rows.ends + 1)
    return math.fsum(terms.tolist()) / int(positives[-1])
