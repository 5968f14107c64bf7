"""Operating points: thresholds chosen on TUNE under a false-positive-rate budget, and their confusion on EVAL.

The threshold is chosen in every resample of the TUNE clusters, so the interval with the threshold resampled comes
from the same weights as the one with the threshold fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from reportgen.domain.run import FloatArray, IntArray, TunePart
from reportgen.metrics.scores import Counts, SortedScores, at, batches, sort_scores, within_budget
from reportgen.metrics.statistics import CellTotals, Totals
from reportgen.metrics.weights import Block

_NAMES = ("tp", "fp", "pos", "neg", "tp~", "fp~", "pos~", "neg~")
"""Totals of an operating point; names ending in ``~`` hold the threshold resampled."""

Budget: TypeAlias = tuple[int, float]
"""Fold and false-positive-rate budget."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold chosen in one fold for one budget, and what it achieves on TUNE."""

    fold: int
    alpha: float
    threshold: float
    """+inf = reject all, NaN = TUNE has no negatives and so no false-positive rate."""
    tpr: float
    fpr: float


class TunePlan:
    """TUNE rows of every fold's model, sorted once, ready to choose thresholds block by block.

    The chosen threshold has the highest TPR whose FPR is within the budget; ties go to the lowest FPR, then to the
    highest threshold. A fold without TUNE rows has no choice.
    """

    def __init__(self, tune: TunePart, n_folds: int, budgets: tuple[float, ...], unit: IntArray) -> None:
        """``unit``: (n_tune,) drawn unit of each row."""
        self._budgets = budgets
        self._rows: dict[int, SortedScores] = {}
        for fold in range(n_folds):
            members = np.flatnonzero(tune.fold == fold)
            if len(members):
                y = tune.y_true[members].astype(np.float64)
                self._rows[fold] = sort_scores(tune.y_prob[members], y, unit[members])

    def choices(self) -> tuple[Choice, ...]:
        """The thresholds chosen on the data as they are."""
        found = []
        for fold, rows in self._rows.items():
            ones = np.ones((1, int(rows.cluster.max()) + 1), dtype=np.uint16)
            ((_, counts),) = batches(rows, ones)
            positives, negatives = (float(total[0]) for total in counts.totals)
            for alpha in self._budgets:
                best, first = _best(counts.positives, within_budget(counts, alpha))
                tp, fp = (float(best[0]), float(counts.negatives[0, first[0]])) if best[0] > 0 else (0.0, 0.0)
                threshold = float(_threshold(rows, best, first, np.array([negatives]))[0])
                found.append(Choice(fold, alpha, threshold, tp / max(positives, 1), fp / max(negatives, 1)))
        return tuple(found)

    def thresholds(self, block: Block) -> dict[Budget, FloatArray]:
        """For every fold and budget the threshold chosen under each row of weights; +inf = reject all."""
        chosen = {(fold, alpha): np.empty(len(block.counts)) for fold in self._rows for alpha in self._budgets}
        for fold, rows in self._rows.items():
            for part, counts in batches(rows, block.counts):
                _, negatives = counts.totals
                for alpha in self._budgets:
                    best, first = _best(counts.positives, within_budget(counts, alpha))
                    chosen[fold, alpha][part] = _threshold(rows, best, first, negatives)
        return chosen


def _best(positives: np.ndarray, n_groups: np.ndarray) -> tuple[FloatArray, np.ndarray]:
    """Per row of weights the most positives within budget, and the first distinct score that reaches them."""
    best = at(positives, n_groups)
    return best, np.argmax(positives >= best[:, None], axis=1)


def _threshold(rows: SortedScores, best: FloatArray, first: np.ndarray, negatives: FloatArray) -> FloatArray:
    chosen = np.where(best > 0, rows.score[rows.ends[first]], np.inf)
    return np.where(negatives == 0, np.nan, chosen)


class OperatingPlan:
    """Counts a frame's rows at thresholds: fed with the cumulative counts of the folds, batch by batch."""

    def __init__(self, choices: tuple[Choice, ...], n_folds: int) -> None:
        self._fixed = {(choice.fold, choice.alpha): choice.threshold for choice in choices}
        self._budgets = tuple(dict.fromkeys(choice.alpha for choice in choices))
        self._n_folds = n_folds
        self._folds: list[dict[float, Totals]] = []

    def start(self, n: int, with_rows: list[bool]) -> None:
        """Begin a block of n rows of weights; ``with_rows`` says which folds have rows in the frame."""
        self._folds = [
            {
                # No rows count as zeros; no threshold makes everything undefined.
                alpha: {
                    name: np.full(n, 0.0 if (fold, alpha) in self._fixed and not filled else np.nan) for name in _NAMES
                }
                for alpha in self._budgets
            }
            for fold, filled in enumerate(with_rows)
        ]

    def take(
        self, fold: int, part: slice, rows: SortedScores, counts: Counts, chosen: Mapping[Budget, FloatArray]
    ) -> None:
        """Confusion of a batch of one fold's rows, at the fixed thresholds and at the batch's own."""
        for alpha in self._budgets:
            if (fold, alpha) in self._fixed:
                fixed = np.full(len(counts.positives), self._fixed[fold, alpha])
                for mark, thresholds in (("", fixed), ("~", chosen[fold, alpha][part])):
                    for name, value in zip(_NAMES, _count(rows, counts, thresholds), strict=False):
                        self._folds[fold][alpha][name + mark][part] = value

    def totals(self) -> dict[float, CellTotals]:
        """For each budget the totals tp, fp, pos, neg of the block, per fold and pooled; ``~``: threshold resampled.

        A fold whose threshold is undefined is NaN, and so is then the pooled total.
        """
        return {
            alpha: CellTotals(
                {name: np.sum([fold[alpha][name] for fold in self._folds], axis=0) for name in _NAMES},
                tuple(fold[alpha] for fold in self._folds),
            )
            for alpha in self._budgets
        }


def _count(rows: SortedScores, counts: Counts, thresholds: FloatArray) -> tuple[FloatArray, ...]:
    """tp, fp, positives and negatives per row of weights; NaN where the threshold is undefined."""
    # Distinct scores at or above the threshold: a score equal to it is positive.
    reached = np.searchsorted(-rows.score[rows.ends], -thresholds, side="right")
    values = (at(counts.positives, reached), at(counts.negatives, reached), *counts.totals)
    return tuple(np.where(np.isnan(thresholds), np.nan, value) for value in values)
