"""One pass over sorted scores: AUROC, average precision, TPR at FPR budgets and curves, for every resample.

Scores are sorted once. A resample is a set of integer weights of drawn units, so every count is an integer and no
result depends on the order of summation. Counts are kept at few points only: see :class:`SortedScores`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.totals import ratio

if TYPE_CHECKING:
    from reportgen.metrics.weights import WeightArray

_WORKING_SET = 2**18
"""Points × resamples taken at a time: calls cost more with less, and the working set leaves the cache with more."""
_WHOLE = 2.0**53
"""Below it all whole numbers are floating-point numbers."""
_UNITS_PER_POINT = 4
"""Units whose weights count as one point: they are read once, and the counts of a point many times."""
_LEAST_BATCH = 8
"""Resamples taken at a time where more points need a larger set: a product with fewer columns costs as much."""
_LARGEST_SET = 2**22
"""Points × resamples of such a set; with millions of points it has one or two resamples, which bounds memory."""
_FEW_RISES = 0.75
"""Share of rises among the points below which they are taken out: what is computed of each outweighs the copy."""
_WEIGHT_DIGITS = 48
"""Binary digits of the sum of weights as a whole number."""
_WEIGHTED_BATCH = 2**10
"""Resamples of weighted rows taken at most at a time: so many counts below 2^53, one after another, fit 64 bits."""
_COUNTS_PER_LIMIT = 8
"""Highest count of a row, in limits, up to which its points are tabulated by count; above, they are searched."""


@dataclass(frozen=True, slots=True)
class SortedScores:
    """Rows by falling score, taken together into the points of the ROC curve that anything can be read off.

    A group of equal scores is a point where it holds a positive, where the caller wants to read a count, and at the
    end; where it holds both classes, so that the curve is slanted towards it, the group before it is one, too. Between
    points lie negatives alone; no area, precision at a positive, or highest TPR within a budget depends on where.
    """

    score: FloatArray
    """(n_points,) the score at which each point is reached, falling."""
    units: IntArray
    """(n_units,) drawn units that have rows here."""
    rows: Any
    """(2 · (1 + n_points), n_units) sparse: rows of each unit that each point adds, positives first, then negatives.

    The first row of either half is empty: every count starts at zero, before the first point.
    """
    most: int
    """Rows that one point adds, of either class, at most."""
    rises: IntArray | None
    """(1 + n_rises,) column 0 and the columns of points that hold a positive; None where these are most points."""
    mixed: IntArray
    """(n_mixed,) columns of points that hold both classes."""
    weighted: bool = False
    """True where a row counts as many units of its weight, and not once."""

    @property
    def steps_at(self) -> FloatArray:
        """(n_steps,) the score of each step of :class:`Steps`, falling."""
        return self.score if self.rises is None else self.score[self.rises[1:] - 1]

    def reached(self, thresholds: FloatArray) -> IntArray:
        """Return (k,) number of points, from the first, at or above each threshold: a score equal to it is positive."""
        return np.searchsorted(-self.score, -thresholds, side="right")


@dataclass(frozen=True)
class CumulativeCounts:
    """Per resample of a batch: weighted positives and negatives at or above the score of each point."""

    rows: SortedScores
    positives: IntArray
    """(batch, 1 + n_points) by number of points reached, so that the first column is zero."""
    negatives: IntArray

    @property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """(batch,) all positives, (batch,) all negatives."""
        return self.positives[:, -1].astype(np.float64), self.negatives[:, -1].astype(np.float64)

    @cached_property
    def steps(self) -> Steps:
        """The steps of the curve, apart from the points that are there to be read at."""
        rises, mixed, n = self.rows.rises, self.rows.mixed, self.negatives
        tied = n.take(mixed, axis=1) - n.take(mixed - 1, axis=1)
        if rises is None:
            return Steps(self.positives, n, *self.totals, mixed, tied)
        positives, negatives = (count.take(rises, axis=1) for count in (self.positives, n))
        return Steps(positives, negatives, *self.totals, np.searchsorted(rises, mixed), tied)


class Search:
    """Looks for counts among the cumulative counts of every resample of a batch.

    One search for all rows: each is moved above the last, by more than any of its counts or limits. A search for each
    row would let go of the interpreter so often that threads would wait for one another.
    """

    def __init__(self, cumulative: IntArray) -> None:
        """``cumulative``: (batch, 1 + n_points), its first column zero."""
        n_rows, n_columns = cumulative.shape
        above = np.arange(n_rows)[:, None]
        self._highest = int(cumulative[:, -1].max(initial=0))
        self._first = above * n_columns + 1
        # Counts of 32 bits move faster in 32 bits.
        self._kind = np.dtype(np.int32 if n_rows * (self._highest + 1) < 2**31 else np.int64)
        self._step = above * (self._highest + 1)
        self._keys = (cumulative + self._step.astype(self._kind)).ravel()
        self._n_rows = n_rows

    def within(self, limits: IntArray) -> IntArray:
        """Return (batch, k) number of points, from the first, at which the count is no more than each limit.

        ``limits``: (batch, k) whole numbers ≥ 0.
        """
        wanted = np.minimum(limits, self._highest) + self._step
        if self._highest < _COUNTS_PER_LIMIT * limits.shape[1]:
            return np.asarray(self._reached.take(wanted))
        return np.asarray(np.searchsorted(self._keys, wanted.astype(self._kind), side="right") - self._first)

    @cached_property
    def _reached(self) -> IntArray:
        """(batch · counts,) for each count of each row, the number of points with at most the count."""
        counts = self._highest + 1
        points = np.bincount(self._keys, minlength=self._n_rows * counts).reshape(self._n_rows, counts)
        return np.asarray(np.cumsum(points, axis=1) - 1).ravel()


@dataclass(frozen=True)
class Steps:
    """The steps of the ROC curve that hold its rises: all that areas and average precision depend on.

    Arrays are (batch, 1 + n_steps) where nothing else is said; column 0 is the start, at which nothing is counted.
    """

    positives: IntArray
    """At or above the score of each step."""
    negatives: IntArray
    all_positives: FloatArray
    """(batch,)"""
    all_negatives: FloatArray
    mixed: IntArray
    """(n_mixed,) columns of the steps that hold both classes."""
    tied: IntArray
    """(batch, n_mixed) negatives with the very score of each of these; no other step has one that matters."""

    @cached_property
    def new(self) -> IntArray:
        """Positives with the very score of each step."""
        new = np.empty_like(self.positives)
        # Over all resamples at once, whose first columns are then set right: many short rows would cost too much.
        np.subtract(self.positives.ravel()[1:], self.positives.ravel()[:-1], out=new.ravel()[1:])
        new[:, 0] = 0
        return new

    @cached_property
    def by_negatives(self) -> Search:
        """Finds steps by how many negatives are reached."""
        return Search(self.negatives)

    @cached_property
    def precision(self) -> FloatArray:
        """Positives among the rows at or above the score of each step; 0 where a resample has drawn none."""
        taken = self.positives + self.negatives
        return np.asarray(self.positives / np.maximum(taken, 1, out=taken))


def sort_scores(
    score: FloatArray,
    y: FloatArray,
    unit: IntArray,
    read_at: FloatArray | None = None,
    *,
    corners: bool = False,
    weight: FloatArray | None = None,
) -> SortedScores:
    """Sort rows by falling score; all arrays of shape (n,), n ≥ 1. ``weight``: what each row counts; None = once.

    ``read_at``: scores at which the rows that reach them will be counted, in any order. ``corners``: whether every
    corner of the curve is to be a point, the end of each flat piece too.
    """
    from scipy.sparse import csr_array  # noqa: PLC0415 # slow to load, and who only reads the registry needs none

    order = np.argsort(-score)  # in which order equal scores stand does not matter
    ordered, positive = score[order], y[order] > 0
    is_end = np.append(ordered[1:] != ordered[:-1], True)
    group = np.cumsum(is_end, dtype=np.int32) - is_end
    distinct = ordered[is_end]
    del ordered
    rising, mixed = np.zeros(len(distinct), dtype=bool), np.zeros(len(distinct), dtype=bool)
    rising[group[positive]] = True
    mixed[group[~positive]] = True
    mixed &= rising
    kept = rising.copy()
    kept[:-1] |= rising[1:] if corners else mixed[1:]
    kept[-1] = True
    if read_at is not None:
        reached = np.searchsorted(-distinct, -read_at, side="right")
        kept[reached[reached > 0] - 1] = True
    points = np.flatnonzero(kept)
    drawn = np.bincount(unit) > 0
    units, column = np.flatnonzero(drawn), (np.cumsum(drawn, dtype=np.int32) - 1)[unit[order]]
    row = (np.cumsum(kept, dtype=np.int32) - kept + 1)[group]
    row[~positive] += 1 + len(points)
    counted = np.ones(len(order), dtype=np.int32) if weight is None else _whole(weight[order])
    entries = (counted, (row, column))
    rises = np.append(0, 1 + np.flatnonzero(rising[points]))
    return SortedScores(
        distinct[points],
        units,
        csr_array(entries, shape=(2 + 2 * len(points), len(units))),
        int(np.bincount(row, weights=None if weight is None else counted).max()),
        rises if len(rises) < _FEW_RISES * len(points) else None,
        1 + np.flatnonzero(mixed[points]),
        weight is not None,
    )


def _whole(weight: FloatArray) -> IntArray:
    """Return (n,) weights as whole numbers of a power of two, of which all together are below 2^48.

    Counts of a resample then stay below 2^53 though it draws the heaviest unit many times: exact in any order.
    """
    return np.rint(np.ldexp(weight, _WEIGHT_DIGITS - math.frexp(math.fsum(weight.tolist()))[1])).astype(np.int64)


def batches(rows: SortedScores, weights: WeightArray) -> Iterator[tuple[slice, CumulativeCounts]]:
    """Return the cumulative counts of every resample, a batch at a time; ``weights`` (n, all units)."""
    points = max(len(rows.score), len(rows.units) // _UNITS_PER_POINT, 1)
    size = max(_WORKING_SET // points, min(_LEAST_BATCH, _LARGEST_SET // points), 1)
    widest = np.int64 if rows.weighted else np.int32
    size = min(size, _WEIGHTED_BATCH) if rows.weighted else size
    everything = len(rows.units) == weights.shape[1]
    # Half the width takes half the time, where no point of any resample can hold more.
    kind = np.int16 if rows.most * int(weights.max(initial=0)) < 2**15 else widest
    matrix = copy(rows.rows)  # its indices are not copied
    matrix.data = matrix.data.astype(kind)
    for start in range(0, len(weights), size):
        part = slice(start, min(start + size, len(weights)))
        drawn = weights.T[:, part] if everything else weights.T[rows.units, part]
        added = (matrix @ drawn.astype(kind, order="C")).reshape(2, 1 + len(rows.score), -1)
        # Counts stay below 2^31, and sums of 32 bits take an eighth of the time of those in floating point.
        counts = added.transpose(0, 2, 1).astype(widest, order="C")
        del added
        np.cumsum(counts, axis=2, dtype=widest, out=counts)
        yield part, CumulativeCounts(rows, counts[0], counts[1])


def auroc(steps: Steps) -> FloatArray:
    """Return (batch,) P(s⁺ > s⁻) + ½ P(s⁺ = s⁻); NaN with one class. Mann & Whitney 1947; Hanley & McNeil 1982."""
    pairs = steps.all_positives * steps.all_negatives
    # Whole numbers, and no sum of them exceeds the number of pairs: exact in any order, in 32 bits where these hold it.
    kind = np.int32 if pairs.max(initial=0) < 2**31 else np.float64

    def lost(new: IntArray, negatives: IntArray) -> FloatArray:
        if pairs.max(initial=0) >= _WHOLE:  # of weights: the sum is rounded, in the same way in any order
            return _exact_sum(new.astype(np.float64) * negatives, pairs)
        found = np.einsum("bg,bg->b", new.astype(kind, copy=False), negatives.astype(kind, copy=False))
        return np.asarray(found, dtype=np.float64)

    # Pairs with a negative above the positive, and half of those that share its score, twice.
    twice_lost = 2 * lost(steps.new, steps.negatives)
    if len(steps.mixed):
        twice_lost -= lost(steps.new.take(steps.mixed, axis=1), steps.tied)
    return ratio(2 * pairs - twice_lost, 2 * pairs)


def average_precision(steps: Steps) -> FloatArray:
    """Return (batch,) Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores; NaN without positives."""
    return ratio(_exact_sum(steps.precision * steps.new, steps.all_positives), steps.all_positives)


def trapezoid(steps: Steps) -> FloatArray:
    """Return (batch,) Σ (Rₙ − Rₙ₋₁)(Pₙ + Pₙ₋₁) / 2 over distinct scores, from (0, 1); NaN without positives."""
    return ratio(_exact_sum(_trapezoids(steps), 2 * steps.all_positives), 2 * steps.all_positives)


def _trapezoids(steps: Steps) -> FloatArray:
    """Return (batch, 1 + n_steps) new positives of each step times the sum of the precisions at it and before."""
    before = steps.positives - steps.new
    taken_before = before + steps.negatives
    taken_before[:, steps.mixed] -= steps.tied
    # Where a resample has drawn nothing yet, the curve is still at its starting point: 1 of 1.
    nothing = taken_before == 0
    before += nothing
    taken_before += nothing
    terms = before / taken_before
    terms += steps.precision
    terms *= steps.new
    return np.asarray(terms)


def _exact_sum(terms: FloatArray, most: FloatArray) -> FloatArray:
    """Return (batch,) sums along the rows, of which none exceeds ``most``, the same in whatever order.

    Terms are rounded to whole numbers of the finest unit of which 2^52 are no less than ``most``, row by row.
    """
    places = 52 - np.frexp(most)[1]
    terms *= np.ldexp(1.0, places)[:, None]
    np.rint(terms, out=terms)
    return np.asarray(np.ldexp(terms.sum(axis=1), -places))


def within_budgets(steps: Steps, alphas: FloatArray) -> IntArray:
    """Return (batch, k) number of rises, from the highest score, at which FPR ≤ each of k budgets."""
    return steps.by_negatives.within(_by_total(steps.all_negatives, lambda total: largest_count(total, alphas)))


def _by_total(totals: FloatArray, limits: Callable[[FloatArray], FloatArray]) -> IntArray:
    """Return (batch, k) limits that depend on (batch,) totals alone, of which there are few: each is worked out once.

    ``limits``: (n, 1) totals to (n, k) whole numbers.
    """
    distinct, place = np.unique(totals, return_inverse=True)
    return limits(distinct[:, None]).astype(np.int64).take(place, axis=0)


def largest_count(total: FloatArray, alpha: float | FloatArray) -> FloatArray:
    """Return the largest whole c with c / total ≤ alpha in floating point; 0 where total is 0. Broadcasts."""
    count = np.floor(total * alpha) + 1
    safe = np.maximum(total, 1)
    count -= count / safe > alpha
    count -= count / safe > alpha
    return np.asarray(np.where(total > 0, count, 0.0))


def tpr_at_fpr(counts: CumulativeCounts, alphas: FloatArray) -> FloatArray:
    """Return (batch, k) the highest TPR with FPR ≤ each of k budgets over all thresholds; NaN with one class."""
    positives, negatives = (total[:, None] for total in counts.totals)
    hits = at(counts.steps.positives, within_budgets(counts.steps, alphas)).astype(np.float64)
    return np.where(negatives > 0, ratio(hits, np.broadcast_to(positives, hits.shape)), np.nan)


def tpr_at_fpr_without_collinear(counts: CumulativeCounts, alphas: FloatArray) -> FloatArray:
    """Return (batch, k) it over the points that scikit-learn's ``roc_curve`` keeps by default; NaN with one class.

    ``drop_intermediate`` removes points on a straight line between their neighbours, and with them thresholds that
    are within the budget. A resample drops the scores it does not draw before that. What it removes of a flat piece
    changes nothing, since the TPR of its first point is within every budget that the others are in.
    """
    positives, negatives = counts.totals
    rates = np.full((len(positives), len(alphas)), np.nan)
    limits = _by_total(negatives, lambda total: largest_count(total, alphas))
    for row in np.flatnonzero((positives > 0) & (negatives > 0)):
        points = np.stack([counts.positives[row, 1:], counts.negatives[row, 1:]])
        drawn = np.append(True, np.any(points[:, 1:] != points[:, :-1], axis=0))
        drawn[0] = bool(points[:, 0].any())
        points = points[:, drawn]
        kept = points[:, without_collinear(points)]
        highest = np.append(0, kept[0])[np.searchsorted(kept[1], limits[row], side="right")]
        rates[row] = highest / positives[row]
    return rates


def without_collinear(points: IntArray) -> BoolArray:
    """Return (n,) which of (2, n) points of a ROC curve are not on a straight line between their neighbours."""
    kept = np.ones(points.shape[1], dtype=bool)
    kept[1:-1] = np.any(np.diff(points, 2) != 0, axis=0)
    return kept


def at(cumulative: IntArray, n_points: IntArray) -> IntArray:
    """Return (batch, k) the cumulative count after the first ``n_points`` (batch, k) points; 0 after none."""
    return np.asarray(cumulative.take(_places(cumulative, n_points)))


def _places(of: FloatArray | IntArray, columns: IntArray) -> IntArray:
    """Return (batch, k) flat indices of a column of each row of ``of``."""
    return np.asarray(np.arange(len(of))[:, None] * of.shape[1] + columns)


def roc_on_grid(steps: Steps, grid: FloatArray) -> FloatArray:
    """Return (batch, len(grid)) TPR at given FPRs, straight lines between the points of the curve; NaN with one class.

    At an FPR with several TPRs (a vertical step) the highest is taken.
    """
    places = _places(steps.positives, within_budgets(steps, grid))
    hits = steps.positives.take(places).astype(np.float64)
    if len(steps.mixed):
        _climb(hits, steps, places, grid)
    hits /= np.maximum(steps.all_positives, 1)[:, None]
    hits[(steps.all_positives == 0) | (steps.all_negatives == 0)] = np.nan
    return hits


def _climb(hits: FloatArray, steps: Steps, places: IntArray, grid: FloatArray) -> None:
    """Add to (batch, k) positives what the curve gains on slanted pieces: towards a step that holds both classes.

    ``places``: flat index of the last step that is within each budget.
    """
    n_rows, n_columns = steps.positives.shape
    which = np.full(n_columns + 1, -1)
    which[steps.mixed] = np.arange(len(steps.mixed))
    slanted = which.take(places + (1 - np.arange(n_rows) * n_columns)[:, None])
    is_slanted = slanted >= 0
    found = np.flatnonzero(is_slanted)
    row = np.repeat(np.arange(n_rows), np.count_nonzero(is_slanted, axis=1))
    following, low = places.take(found) + 1, hits.take(found)
    length = steps.tied.take(row * len(steps.mixed) + slanted.take(found))
    # Negatives beyond the start of the piece, of those on it.
    beyond = (steps.all_negatives[:, None] * grid).take(found) - (steps.negatives.take(following) - length)
    share = np.divide(beyond, length, out=np.zeros(len(row)), where=length > 0)
    hits.put(found, low + np.maximum(share, 0) * (steps.positives.take(following) - low))


def precision_on_grid(steps: Steps, grid: FloatArray) -> FloatArray:
    """Return (batch, len(grid)) precision at the highest threshold that reaches each recall; NaN without positives.

    No interpolation: between its points a precision-recall curve is not straight (Davis & Goadrich 2006).
    """

    # Recall r is reached at the smallest whole number of positives with share ≥ r; at r = 0 at the first positive.
    def most_below(total: FloatArray) -> FloatArray:
        return np.maximum(np.ceil(grid * total - np.maximum(1e-9, 1e-12 * total)), 1) - 1

    below = Search(steps.positives).within(_by_total(steps.all_positives, most_below))
    reached = np.minimum(below + 1, steps.positives.shape[1] - 1)
    precision = steps.precision.take(_places(steps.precision, reached))
    precision[steps.all_positives == 0] = np.nan
    return precision


def as_they_are(rows: SortedScores) -> CumulativeCounts:
    """Return (1, n_points) counts of the rows themselves, each once."""
    ((_, counts),) = batches(rows, np.ones((1, int(rows.units[-1]) + 1), dtype=np.uint16))
    return counts


def exact_average_precision(rows: SortedScores) -> float:
    """Average precision of the rows themselves, its terms summed exactly; NaN without positives."""
    steps = as_they_are(rows).steps
    counts = (steps.new, steps.positives, steps.negatives)
    # Products of whole numbers, rounded once, as they are where the numbers are weights.
    new, positives, negatives = (count[0, 1:].astype(np.float64) for count in counts)
    all_positives = int(steps.all_positives[0])
    terms = new * positives / (positives + negatives)
    return math.fsum(terms.tolist()) / all_positives if all_positives else math.nan


def exact_trapezoid(rows: SortedScores) -> float:
    """Return the trapezoid of the rows themselves, its terms summed exactly; NaN without positives."""
    steps = as_they_are(rows).steps
    all_positives = int(steps.all_positives[0])
    return math.fsum(_trapezoids(steps)[0].tolist()) / (2 * all_positives) if all_positives else math.nan
