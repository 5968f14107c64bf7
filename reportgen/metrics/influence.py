"""How much what is read off sorted scores moves with the weight of each row: areas under curves, and the ROC curve.

Derivatives by the weights of the rows, at weight 1: they add up to zero, and their sums within clusters give the
standard error of a value to first order. Hampel 1974; for AUROC they are the placements of DeLong et al. 1988.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.scores import largest_count
from reportgen.metrics.threshold_counts import ThresholdCounts

_TOGETHER = 2**20
"""Rows whose places are looked up at a time."""
_REACH = 0.5
"""Share of a budget on either side of it over which the slope of the ROC curve is taken."""


@dataclass(frozen=True)
class RankedRows:
    """Rows of both classes by falling score, equal scores together; at least one positive."""

    counts: ThresholdCounts
    y: FloatArray
    """(n,) 1 for a positive."""
    place: NDArray[np.int32]
    """(n,) the place of each row's score among the distinct ones, highest first."""

    @classmethod
    def of(cls, score: FloatArray, y: FloatArray) -> RankedRows:
        """Return rows with (n,) scores and classes, n ≥ 1."""
        order = np.argsort(-score)  # in which order equal scores stand does not matter
        falling, positive = score[order], y[order] > 0
        is_end = np.append(falling[1:] != falling[:-1], True)
        ends = np.flatnonzero(is_end)
        place = np.empty(len(score), dtype=np.int32)
        place[order] = np.cumsum(is_end, dtype=np.int32) - is_end
        counts = ThresholdCounts(falling[ends], np.cumsum(positive, dtype=np.int64)[ends], ends + 1)
        return cls(counts, y.astype(np.float64, copy=False), place)

    @classmethod
    def for_areas(cls, score: FloatArray, y: FloatArray) -> RankedRows:
        """Return rows like :meth:`of`, for AUROC and average precision alone.

        Scores between two neighbouring scores of positives share a place: these values tell no more apart. So tables of
        places grow with the positives, and rows are not sorted.
        """
        levels = np.unique(score[y > 0])
        place = np.empty(len(score), dtype=np.int32)
        for begin in range(0, len(score), _TOGETHER):
            some = slice(begin, begin + _TOGETHER)
            lower = np.searchsorted(levels, score[some])
            equal = np.append(levels, np.nan)[lower] == score[some]
            # Falling: an odd place for each score of positives, and an even one above, between and below these.
            place[some] = 2 * (len(levels) - lower) - equal
        rows, tp = np.bincount(place), np.bincount(place[y > 0], minlength=int(place.max()) + 1)
        held = np.flatnonzero(rows)
        number = np.zeros(len(rows), dtype=np.int32)
        number[held] = np.arange(len(held))
        counts = ThresholdCounts(np.zeros(len(held)), np.cumsum(tp[held]), np.cumsum(rows[held]))
        return cls(counts, y.astype(np.float64, copy=False), number[place])

    @property
    def negatives(self) -> int:
        """All negative rows."""
        return self.counts.n - self.counts.positives

    @cached_property
    def _new(self) -> IntArray:
        """Positives with the very score of each place."""
        return np.diff(self.counts.tp, prepend=0)

    @cached_property
    def _fp(self) -> IntArray:
        """Negatives at or above the score of each place."""
        return self.counts.predicted - self.counts.tp

    @cached_property
    def _below(self) -> IntArray:
        """Twice the negatives below the score of each place, equal ones counting half: whole numbers."""
        return 2 * (self.negatives - self._fp) + np.diff(self._fp, prepend=0)

    def area(self) -> float:
        """Return the probability that a positive is above a negative, ties counting half; needs a negative."""
        return int((self._new * self._below).sum()) / (2 * self.counts.positives * self.negatives)

    def auroc(self) -> FloatArray:
        """Return (n,) for :meth:`area`: DeLong's placements less their mean, over the number of rows of the class."""
        positives, negatives = self.counts.positives, self.negatives
        won, lost = self._below / (2 * negatives), (2 * self.counts.tp - self._new) / (2 * positives)
        mean = self._mean(won)
        return self._of_classes((won - mean) / positives, (lost - mean) / negatives)

    def average_precision(self) -> FloatArray:
        """Return (n,) for Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores."""
        own = self.counts.tp / self.counts.predicted
        return self._of_terms(own, *self._of_precisions(self.counts.tp, self.counts.predicted))

    def trapezoid(self) -> FloatArray:
        """Return (n,) for Σ (Rₙ − Rₙ₋₁)(Pₙ + Pₙ₋₁) / 2 over distinct scores, from the point (0, 1)."""
        tp, predicted = self.counts.tp, self.counts.predicted
        before = np.append(1, tp[:-1]), np.append(1, predicted[:-1])
        own = (tp / predicted + before[0] / before[1]) / 2
        at, earlier = self._of_precisions(tp, predicted), self._of_precisions(*before)
        # What precision before a place makes of a row at a higher place; the starting point moves with no row.
        after = [np.append(terms[1:], 0.0) for terms in earlier]
        gain, loss = ((one + other) / 2 for one, other in zip(at, after, strict=True))
        return self._of_terms(own, gain, loss)

    def highest_rate(self, alpha: float) -> FloatArray:
        """Return (n,) for the highest TPR with FPR ≤ alpha; needs a negative.

        A row moves the counts at the threshold, and a negative the threshold itself, as far as the curve is steep
        there: its slope is taken between half the budget and one and a half (Hsieh & Turnbull 1996).
        """
        low, at, high = (self._within(alpha * share) for share in (1 - _REACH, 1.0, 1 + _REACH))
        rise, run = high[1] - low[1], high[2] - low[2]
        slope = rise / run if run else 0.0
        reached = (self.place < at[0]).astype(np.float64)
        of_positives = self.y * (reached - at[1]) / self.counts.positives
        return np.asarray(of_positives - slope * (1 - self.y) * (reached - at[2]) / self.negatives)

    def _within(self, alpha: float) -> tuple[int, float, float]:
        """Return the number of places within a budget, and TPR and FPR there."""
        limit = float(largest_count(np.array(float(self.negatives)), alpha))
        places = int(np.searchsorted(self._fp, limit, side="right"))
        if not places:
            return 0, 0.0, 0.0
        last = places - 1
        return places, self.counts.tp[last] / self.counts.positives, self._fp[last] / self.negatives

    def _of_precisions(self, tp: IntArray, predicted: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return by how much a positive and any row at or above each place raise and lower its term of the sum."""
        gain = np.asarray(self._new / predicted, dtype=np.float64)
        return gain, np.asarray(gain * (tp / predicted))

    def _of_terms(self, own: FloatArray, gain: FloatArray, loss: FloatArray) -> FloatArray:
        """Return (n,) by the term of each place, and by what it and all lower ones gain and lose by a row's weight."""
        # Cumulative sums add one by one: the same bits on every processor.
        gained, lost = (np.cumsum(terms[::-1])[::-1] for terms in (gain, loss))
        positives = self.counts.positives
        return self._of_classes((own - self._mean(own) + gained - lost) / positives, -lost / positives)

    def _of_classes(self, positive: FloatArray, negative: FloatArray) -> FloatArray:
        """Return (n,) from what each place makes of a positive and of a negative row."""
        return np.where(self.y > 0, positive[self.place], negative[self.place])

    def _mean(self, values: FloatArray) -> float:
        """Mean over the positives of what each place has."""
        return float(np.cumsum(values[self.place[self.y > 0]])[-1]) / self.counts.positives
