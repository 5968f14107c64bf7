"""How much what is read off sorted scores moves with the weight of each row: areas under curves, and the ROC curve.

Derivatives by the weights of the rows, at weight 1: they add up to zero, and their sums within clusters give the
standard error of a value to first order. Hampel 1974; for AUROC they are the placements of DeLong et al. 1988.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.scores import largest_count
from reportgen.metrics.threshold_counts import ThresholdCounts

_REACH = 0.5
"""Share of a budget on either side of it over which the slope of the ROC curve is taken."""


@dataclass(frozen=True, slots=True, eq=False)
class ByClass:
    """What the weight of a row moves, by the place of its score. Arrays have shape (n_places,)."""

    positive: FloatArray
    negative: FloatArray

    @classmethod
    def nothing(cls, n_places: int) -> ByClass:
        """Return zeros."""
        return cls(np.zeros(n_places), np.zeros(n_places))

    @classmethod
    def joined(cls, parts: Sequence[ByClass]) -> ByClass:
        """Return the places of several parts, one after the other."""
        return cls(np.concatenate([one.positive for one in parts]), np.concatenate([one.negative for one in parts]))

    def of_rows(self, place: NDArray[np.int32], positive: BoolArray) -> FloatArray:
        """Return (n,) what rows at these places move."""
        found, rows = self.negative[place], np.flatnonzero(positive)
        found[rows] = self.positive[place[rows]]
        return found


@dataclass(frozen=True)
class Ranks:
    """How many rows of each class are at each place, highest first; a place may be empty."""

    counts: ThresholdCounts
    of_positives: NDArray[np.int32]
    """(n_positives,) the place of each positive row, in the order of the rows."""

    @classmethod
    def of(cls, rows: IntArray, of_positives: NDArray[np.int32]) -> Ranks:
        """Return the counts from the (n_places,) rows at each place, one at least, and the places of positives."""
        tp = np.bincount(of_positives, minlength=len(rows))
        of_no_matter = np.broadcast_to(0.0, len(rows))
        return cls(ThresholdCounts(of_no_matter, np.cumsum(tp), np.cumsum(rows)), of_positives)

    @property
    def negatives(self) -> int:
        """All negative rows."""
        return self.counts.n - self.counts.positives

    @cached_property
    def _new(self) -> IntArray:
        """Positives with the very score of each place."""
        return np.diff(self.counts.tp, prepend=0)

    @cached_property
    def fp(self) -> IntArray:
        """Negatives at or above the score of each place."""
        return self.counts.predicted - self.counts.tp

    @cached_property
    def _below(self) -> IntArray:
        """Twice the negatives below the score of each place, equal ones counting half: whole numbers."""
        return 2 * (self.negatives - self.fp) + np.diff(self.fp, prepend=0)

    def area(self) -> float:
        """Return the probability that a positive is above a negative, ties counting half; needs a negative."""
        return int((self._new * self._below).sum()) / (2 * self.counts.positives * self.negatives)

    def auroc(self) -> ByClass:
        """Return the influence on :meth:`area`: DeLong's placements less their mean, over the rows of the class."""
        positives, negatives = self.counts.positives, self.negatives
        won, lost = self._below / (2 * negatives), (2 * self.counts.tp - self._new) / (2 * positives)
        mean = self._mean(won)
        return ByClass((won - mean) / positives, (lost - mean) / negatives)

    def average_precision(self) -> ByClass:
        """Return the influence on Σ (Rₙ − Rₙ₋₁) Pₙ over distinct scores."""
        predicted = np.maximum(self.counts.predicted, 1)  # at empty places above all rows
        precision = self.counts.tp / predicted
        gain = self._new / predicted
        return self._of_terms(precision, gain, gain * precision)

    def trapezoid(self) -> ByClass:
        """Return the influence on Σ (Rₙ − Rₙ₋₁)(Pₙ + Pₙ₋₁) / 2 over distinct scores, from the point (0, 1)."""
        predicted = self.counts.predicted
        precision = self.counts.tp / predicted
        before = np.append(1.0, precision[:-1])
        gain = self._new / predicted
        loss = gain * precision
        # What precision before a place makes of a row at a higher place; the starting point moves with no row.
        after = self._new / np.append(1, predicted[:-1])
        gain[:-1] += after[1:]
        after *= before
        loss[:-1] += after[1:]
        del after
        gain /= 2
        loss /= 2
        before += precision
        before /= 2
        return self._of_terms(before, gain, loss)

    def _of_terms(self, own: FloatArray, gain: FloatArray, loss: FloatArray) -> ByClass:
        """Return the influence by each place's term, and what it and all lower ones gain and lose by a row's weight.

        A positive at or above a place raises its term by ``gain``, and any row there lowers it by ``loss``. The memory
        of all three is used.
        """
        for terms in (gain, loss):  # Cumulative sums add one by one: the same bits on every processor.
            np.cumsum(terms[::-1], out=terms[::-1])
        own -= self._mean(own)
        own += gain
        own -= loss
        own /= self.counts.positives
        loss /= -self.counts.positives
        return ByClass(own, loss)

    def _mean(self, values: FloatArray) -> float:
        """Mean over the positives of what each place has."""
        return float(np.cumsum(values[self.of_positives])[-1]) / self.counts.positives


@dataclass(frozen=True)
class RankedRows:
    """Rows of both classes by falling score, equal scores together; at least one positive."""

    ranks: Ranks
    y: FloatArray
    """(n,) 1 for a positive."""
    place: NDArray[np.int32]
    """(n,) the place of each row's score among the distinct ones, highest first."""

    @classmethod
    def of(cls, score: FloatArray, y: FloatArray) -> RankedRows:
        """Return rows with (n,) scores and classes, n ≥ 1."""
        order = np.argsort(-score)  # in which order equal scores stand does not matter
        falling = score[order]
        is_end = np.append(falling[1:] != falling[:-1], True)
        place = np.empty(len(score), dtype=np.int32)
        place[order] = np.cumsum(is_end, dtype=np.int32) - is_end
        return cls(Ranks.of(np.bincount(place), place[y > 0]), y.astype(np.float64, copy=False), place)

    def auroc(self) -> FloatArray:
        """Return (n,) what each row moves of :meth:`Ranks.area`."""
        return self._moved(self.ranks.auroc())

    def average_precision(self) -> FloatArray:
        """Return (n,) what each row moves of :meth:`Ranks.average_precision`."""
        return self._moved(self.ranks.average_precision())

    def trapezoid(self) -> FloatArray:
        """Return (n,) what each row moves of :meth:`Ranks.trapezoid`."""
        return self._moved(self.ranks.trapezoid())

    def _moved(self, of_places: ByClass) -> FloatArray:
        return of_places.of_rows(self.place, self.y > 0)

    def highest_rate(self, alpha: float) -> FloatArray:
        """Return (n,) for the highest TPR with FPR ≤ alpha; needs a negative.

        A row moves the counts at the threshold, and a negative the threshold itself, as far as the curve is steep
        there: its slope is taken between half the budget and one and a half (Hsieh & Turnbull 1996).
        """
        low, at, high = (self._within(alpha * share) for share in (1 - _REACH, 1.0, 1 + _REACH))
        rise, run = high[1] - low[1], high[2] - low[2]
        slope = rise / run if run else 0.0
        reached = (self.place < at[0]).astype(np.float64)
        of_positives = self.y * (reached - at[1]) / self.ranks.counts.positives
        return np.asarray(of_positives - slope * (1 - self.y) * (reached - at[2]) / self.ranks.negatives)

    def _within(self, alpha: float) -> tuple[int, float, float]:
        """Return the number of places within a budget, and TPR and FPR there."""
        limit = float(largest_count(np.array(float(self.ranks.negatives)), alpha))
        places = int(np.searchsorted(self.ranks.fp, limit, side="right"))
        if not places:
            return 0, 0.0, 0.0
        counts, fp = self.ranks.counts, self.ranks.fp
        return places, counts.tp[places - 1] / counts.positives, fp[places - 1] / self.ranks.negatives
