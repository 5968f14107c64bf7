"""What each distinct score as a threshold would call positive: on TUNE for choosing one, on EVAL for areas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray, IntArray, TunePart


@dataclass(frozen=True, slots=True)
class ThresholdCounts:
    """Counts at the distinct scores of some rows as thresholds, highest first; a score equal to one reaches it."""

    thresholds: FloatArray
    """(k,) falling."""
    tp: IntArray
    """(k,) positive rows that reach the threshold."""
    predicted: IntArray
    """(k,) rows that reach it: the predicted positives."""

    @property
    def n(self) -> int:
        """All rows."""
        return int(self.predicted[-1])

    @property
    def positives(self) -> int:
        """All positive rows."""
        return int(self.tp[-1])

    def at(self, threshold: float) -> tuple[int, int]:
        """Return the true and all predicted positives at any threshold; none reach +inf."""
        reached = int(np.searchsorted(-self.thresholds, -threshold, side="right"))
        return (int(self.tp[reached - 1]), int(self.predicted[reached - 1])) if reached else (0, 0)


def count(p: FloatArray, y: IntArray) -> ThresholdCounts:
    """Return the counts of rows with scores p and classes y (0 or 1), both of shape (n,), n ≥ 1."""
    # Values alone are sorted several times faster than the places that they come from.
    falling, positive = -np.sort(-p), np.sort(-p[y > 0])
    ends = np.flatnonzero(np.append(falling[1:] != falling[:-1], True))
    thresholds = falling[ends]
    return ThresholdCounts(thresholds, np.searchsorted(positive, -thresholds, side="right"), ends + 1)


def counts_by_fold(tune: TunePart, n_folds: int) -> dict[int, ThresholdCounts]:
    """Return, by fold, the counts on the TUNE rows of its model; a fold without TUNE rows is left out."""
    members = {fold: np.flatnonzero(tune.fold == fold) for fold in range(n_folds)}
    return {fold: count(tune.y_prob[rows], tune.y_true[rows]) for fold, rows in members.items() if len(rows)}
