"""One pass over sorted scores: AUROC, average precision, TPR at FPR budgets and curves, for every resample.

Scores are sorted once. A resample is a set of integer weights of drawn units, so every count is an integer and no
result depends on the order of summation. Counts are kept at few points only: see :class:`SortedScores`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.statistics import ratio

if TYPE_CHECKING:
    from reportgen.metrics.weights import WeightArray

_WORKING_SET = 2**16
"""Points × resamples taken at a time, so that the working set stays in the cache."""
_LEAST_BATCH = 8
"""Resamples taken at a time whatever the number of points: a product with fewer columns costs as much."""
_MANY_LIMITS = 32
"""Limits of a row above which it is searched by itself: it then stays in the cache, which outweighs the call."""
_FIXED_POINT = 2.0**32
"""Terms of average precision are integers of this unit, so that their sum is exact."""


@dataclass(frozen=True, slots=True)
class SortedScores:
    """Rows by falling score, taken together into the points of the ROC curve that anything can be read off.

    A group of equal scores is a point where it holds a positive, where the next group does (there a flat piece of the
    curve ends), where the caller wants to read a count, and at the end. Between points lie negatives alone; no area,
    precision at a positive, or highest TPR within a budget depends on where.
    """

    score: FloatArray
    """(n_points,) the score at which each point is reached, falling."""
    units: IntArray
    """(n_units,) drawn units that have rows here."""
    rows: Any
    """(2 · n_points, n_units) sparse: rows of each unit that each point adds, positives first, then negatives."""

    @property
    def holds_positive(self) -> BoolArray:
        """(n_points,) whether a positive has the score of the point."""
        return np.asarray(np.diff(self.rows.indptr[: len(self.score) + 1]) > 0)


@dataclass(frozen=True)
class Counts:
    """Per resample of a batch: weighted positives and negatives at or above the score of each point."""

    positives: IntArray
    """(batch, n_points)"""
    negatives: IntArray
    rises: IntArray
    """The points that hold a positive: between them the curve is flat."""
    added: tuple[IntArray, IntArray] | None = None
    """(batch, n_points) positives and negatives that each point adds, where they are at hand."""

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """(batch,) all positives, (batch,) all negatives."""
        return self.positives[:, -1].astype(np.float64), self.negatives[:, -1].astype(np.float64)

    @cached_property
    def steps(self) -> Steps:
        """What every rise adds."""
        positives, negatives = self.positives.take(self.rises, axis=1), self.negatives.take(self.rises, axis=1)
        if self.added is not None:
            # A point that holds a positive is one group of equal scores: the point before it is the next higher score.
            new, tied = (one.take(self.rises, axis=1) for one in self.added)
            return Steps(positives, negatives, new, tied, *self.totals)
        new, tied = positives.copy(), negatives.copy()
        new[:, 1:] -= positives[:, :-1]
        first = int(self.rises[:1].sum() == 0)  # before the first point nothing is counted
        tied[:, first:] -= self.negatives.take(self.rises[first:] - 1, axis=1)
        return Steps(positives, negatives, new, tied, *self.totals)


@dataclass(frozen=True, slots=True)
class Steps:
    """The rises of the ROC curve: all that areas and average precision depend on. Arrays are (batch, n_rises)."""

    positives: IntArray
    """At or above the score of each rise."""
    negatives: IntArray
    new: IntArray
    """Positives with this very score."""
    tied: IntArray
    """Negatives with this very score."""
    all_positives: FloatArray
    """(batch,)"""
    all_negatives: FloatArray


def sort_scores(score: FloatArray, y: FloatArray, unit: IntArray, read_at: FloatArray | None = None) -> SortedScores:
    """Rows by falling score; all arrays of shape (n,), n ≥ 1.

    ``read_at``: scores at which the rows that reach them will be counted, in any order.
    """
    order = np.argsort(-score, kind="stable")
    ordered, positive = score[order], y[order] > 0
    is_end = np.append(ordered[1:] != ordered[:-1], True)
    group = np.cumsum(is_end) - is_end
    distinct = ordered[is_end]
    kept = np.zeros(len(distinct), dtype=bool)
    kept[group[positive]] = True
    kept[:-1] |= kept[1:]
    kept[-1] = True
    if read_at is not None:
        reached = np.searchsorted(-distinct, -read_at, side="right")
        kept[reached[reached > 0] - 1] = True
    points = np.flatnonzero(kept)
    units, column = np.unique(unit[order], return_inverse=True)
    point = np.searchsorted(points, group) + np.where(positive, 0, len(points))
    entries = (np.ones(len(order), dtype=np.int32), (point, column))
    return SortedScores(distinct[points], units, csr_array(entries, shape=(2 * len(points), len(units))))


def batches(rows: SortedScores, weights: WeightArray) -> Iterator[tuple[slice, Counts]]:
    """The cumulative counts of every resample, a batch at a time; ``weights`` (n, all units)."""
    rises = np.flatnonzero(rows.holds_positive)
    size = max(_WORKING_SET // max(len(rows.score), len(rows.units)), _LEAST_BATCH)
    for start in range(0, len(weights), size):
        part = slice(start, min(start + size, len(weights)))
        columns = weights.T[rows.units, part].astype(np.int32, order="C")
        added = (rows.rows @ columns).reshape(2, len(rows.score), -1)
        # Counts stay below 2^31, and sums of 32 bits take an eighth of the time of those in floating point.
        by_row = np.ascontiguousarray(added.transpose(0, 2, 1))
        counts = np.cumsum(by_row, axis=2, dtype=np.int32)
        yield part, Counts(counts[0], counts[1], rises, (by_row[0], by_row[1]))


def auroc(steps: Steps) -> FloatArray:
    """(batch,) P(s⁺ > s⁻) + ½ P(s⁺ = s⁻); NaN with one class. Mann & Whitney 1947; Hanley & McNeil 1982."""
    # The negatives below a rise, and half of those that share its score, twice: 2N - (2n - tied).
    reached = 2.0 * steps.negatives
    reached -= steps.tied
    # Whole numbers: exact in any order.
    twice_lost = np.einsum("bg,bg->b", steps.new.astype(np.float64), reached)
    twice_won = 2 * steps.all_positives * steps.all_negatives - twice_lost
    return ratio(twice_won, 2 * steps.all_positives * steps.all_negatives)


def average_precision(steps: Steps) -> FloatArray:
    """(batch,) Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores; NaN without positives."""
    taken = steps.positives + steps.negatives
    terms = steps.positives / np.maximum(taken, 1, out=taken)
    terms *= steps.new
    return ratio(_exact_sum(terms), steps.all_positives)


def trapezoid(steps: Steps) -> FloatArray:
    """(batch,) Σ (Rₙ − Rₙ₋₁)(Pₙ + Pₙ₋₁) / 2 over distinct scores, from the point (0, 1); NaN without positives."""
    p, n = steps.positives, steps.negatives
    before, taken_before = p - steps.new, (p - steps.new) + (n - steps.tied)
    terms = p / np.maximum(p + n, 1)
    # Where a resample has drawn nothing yet, the curve is still at its starting point.
    terms += np.where(taken_before > 0, before / np.maximum(taken_before, 1), 1.0)
    terms *= steps.new
    return ratio(_exact_sum(terms) / 2, steps.all_positives)


def _exact_sum(terms: FloatArray) -> FloatArray:
    """(batch,) sums along the rows, of terms rounded to whole numbers of the fixed-point unit."""
    terms *= _FIXED_POINT
    np.rint(terms, out=terms)
    return np.asarray(terms.sum(axis=1) / _FIXED_POINT)


def within(cumulative: IntArray, limits: FloatArray) -> IntArray:
    """(batch, k) number of points, from the first, at which the cumulative count is no more than each limit.

    ``limits``: (batch, k) whole numbers ≥ 0.
    """
    n_rows, n_points = cumulative.shape
    if limits.shape[1] > _MANY_LIMITS:
        rows = zip(cumulative, limits.astype(cumulative.dtype), strict=True)
        return np.stack([row.searchsorted(limit, side="right") for row, limit in rows])
    # One search for all rows: each is moved above the last, by more than any of its counts or limits.
    step = np.int64(max(int(cumulative[:, -1:].max(initial=0)), int(limits.max(initial=0))) + 1)
    above = np.arange(n_rows)[:, None]
    keys = (cumulative + above * step).ravel()
    found = np.searchsorted(keys, limits.astype(np.int64) + above * step, side="right")
    return np.asarray(found - above * n_points)


def within_budgets(steps: Steps, alphas: FloatArray) -> IntArray:
    """(batch, k) number of rises, from the highest score, at which FPR ≤ each of k budgets."""
    return within(steps.negatives, largest_count(steps.all_negatives[:, None], alphas))


def largest_count(total: FloatArray, alpha: float | FloatArray) -> FloatArray:
    """The largest whole c with c / total ≤ alpha in floating point; 0 where total is 0. Arguments are broadcast."""
    count = np.floor(total * alpha) + 1
    safe = np.maximum(total, 1)
    count -= count / safe > alpha
    count -= count / safe > alpha
    return np.asarray(np.where(total > 0, count, 0.0))


def tpr_at_fpr(counts: Counts, alphas: FloatArray) -> FloatArray:
    """(batch, k) the highest TPR with FPR ≤ each of k budgets, over all thresholds of the set; NaN with one class."""
    positives, negatives = (total[:, None] for total in counts.totals)
    hits = at(counts.steps.positives, within_budgets(counts.steps, alphas))
    return np.where(negatives > 0, ratio(hits, np.broadcast_to(positives, hits.shape)), np.nan)


def tpr_at_fpr_without_collinear(counts: Counts, alphas: FloatArray) -> FloatArray:
    """(batch, k) the same over the points that scikit-learn's ``roc_curve`` keeps by default; NaN with one class.

    ``drop_intermediate`` removes points on a straight line between their neighbours, and with them thresholds that
    are within the budget. A resample drops the scores it does not draw before that. What it removes of a flat piece
    changes nothing, since the TPR of its first point is within every budget that the others are in.
    """
    positives, negatives = counts.totals
    rates = np.full((len(positives), len(alphas)), np.nan)
    limits = largest_count(negatives[:, None], alphas)
    for row in np.flatnonzero((positives > 0) & (negatives > 0)):
        points = np.stack([counts.positives[row], counts.negatives[row]])
        drawn = np.append(True, np.any(points[:, 1:] != points[:, :-1], axis=0))
        drawn[0] = bool(points[:, 0].any())
        points = points[:, drawn]
        corner = np.any(np.diff(points, 2) != 0, axis=0)
        kept = points[:, np.concatenate([[True], corner, [True]])] if points.shape[1] > 2 else points
        highest = np.append(0, kept[0])[np.searchsorted(kept[1], limits[row], side="right")]
        rates[row] = highest / positives[row]
    return rates


def at(cumulative: IntArray, n_points: IntArray) -> FloatArray:
    """(batch, k) the cumulative count after the first ``n_points`` (batch, k) points; 0 after none."""
    if not cumulative.shape[1]:
        return np.zeros(n_points.shape)
    row = np.arange(len(cumulative))[:, None] * cumulative.shape[1]
    value = cumulative.take(row + np.maximum(n_points - 1, 0))
    return np.where(n_points > 0, value, 0).astype(np.float64)


def roc_on_grid(steps: Steps, grid: FloatArray) -> FloatArray:
    """(batch, len(grid)) TPR at given FPRs, straight lines between the points of the curve; NaN with one class.

    At an FPR with several TPRs (a vertical step) the highest is taken.
    """
    positives, negatives = steps.all_positives[:, None], steps.all_negatives[:, None]
    rises = within(steps.negatives, largest_count(negatives, grid))
    tpr = at(steps.positives, rises) / np.maximum(positives, 1)
    if steps.tied.any():
        # Towards a rise that shares its score with negatives the curve is slanted.
        following = np.minimum(rises + 1, steps.tied.shape[1])
        end, length = (at(count, following) for count in (steps.negatives, steps.tied))
        start, end = (end - length) / np.maximum(negatives, 1), end / np.maximum(negatives, 1)
        climb = at(steps.positives, following) / np.maximum(positives, 1) - tpr
        slope = np.divide(climb, end - start, out=np.zeros(tpr.shape), where=end > start)
        tpr = np.where(grid > start, slope * (grid - start) + tpr, tpr)
    return np.where((positives > 0) & (negatives > 0), tpr, np.nan)


def precision_on_grid(steps: Steps, grid: FloatArray) -> FloatArray:
    """(batch, len(grid)) precision at the highest threshold that reaches each recall; NaN without positives.

    No interpolation: between its points a precision-recall curve is not straight (Davis & Goadrich 2006).
    """
    positives = steps.all_positives[:, None]
    # Recall r is reached at the smallest whole number of positives with share ≥ r; at r = 0 at the first positive.
    needed = np.maximum(np.ceil(grid * positives - 1e-9), 1)
    reached = np.minimum(within(steps.positives, needed - 1) + 1, steps.positives.shape[1])
    p, n = at(steps.positives, reached), at(steps.negatives, reached)
    return np.where(positives > 0, p / np.maximum(p + n, 1), np.nan)


def as_they_are(rows: SortedScores) -> Counts:
    """(1, n_points) counts of the rows themselves, each once."""
    ((_, counts),) = batches(rows, np.ones((1, int(rows.units[-1]) + 1), dtype=np.uint16))
    return counts


def exact_average_precision(rows: SortedScores) -> float:
    """Average precision of the rows themselves, its terms summed exactly; NaN without positives."""
    positives, taken = _cumulative(rows)
    if positives[-1] == 0:
        return math.nan
    terms = np.diff(positives, prepend=0) * positives / taken
    return math.fsum(terms.tolist()) / int(positives[-1])


def exact_trapezoid(rows: SortedScores) -> float:
    """The trapezoid of the rows themselves, its terms summed exactly; NaN without positives."""
    positives, taken = _cumulative(rows)
    if positives[-1] == 0:
        return math.nan
    precision = positives / taken
    terms = np.diff(positives, prepend=0) * (precision + np.append(1.0, precision[:-1]))
    return math.fsum(terms.tolist()) / (2 * int(positives[-1]))


def _cumulative(rows: SortedScores) -> tuple[IntArray, IntArray]:
    """(n_points,) positives, and all rows, at or above each point."""
    counts = as_they_are(rows)
    positives, negatives = (count[0].astype(np.int64) for count in (counts.positives, counts.negatives))
    return positives, positives + negatives
