"""Operating points: thresholds chosen on TUNE under a false-positive-rate budget, and their confusion on EVAL.

The threshold is chosen in every resample of the TUNE clusters, so the interval with the threshold resampled comes
from the same weights as the one with the threshold fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from reportgen.domain.run import FloatArray, IntArray, TunePart
from reportgen.metrics.scores import (
    Counts,
    SortedScores,
    Steps,
    as_they_are,
    at,
    batches,
    sort_scores,
    within,
    within_budgets,
)
from reportgen.metrics.statistics import CellTotals, Totals
from reportgen.metrics.weights import Block

_COUNTED = ("tp", "fp", "pos", "neg")
_NAMES = (*_COUNTED, *(f"{name}~" for name in _COUNTED))
"""Totals of an operating point; names ending in ``~`` hold the threshold resampled."""

Chosen: TypeAlias = Mapping[int, FloatArray]
"""Fold to (n_budgets, n_rows) thresholds chosen under each row of weights; +inf = reject all, NaN = undefined."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold chosen in one fold for one budget, and what it achieves on TUNE."""

    fold: int
    alpha: float
    threshold: float
    """+inf = reject all, NaN = TUNE lacks a class, and so one of the two rates that choose."""
    tpr: float
    fpr: float


class TunePlan:
    """TUNE rows of every fold's model, sorted once, ready to choose thresholds block by block.

    The chosen threshold has the highest TPR whose FPR is within the budget; ties go to the lowest FPR, then to the
    highest threshold. A fold without TUNE rows has no choice.
    """

    def __init__(self, tune: TunePart, n_folds: int, budgets: tuple[float, ...], unit: IntArray) -> None:
        """``unit``: (n_tune,) drawn unit of each row."""
        self._budgets, self._alphas = budgets, np.array(budgets)
        self._rows: dict[int, SortedScores] = {}
        for fold in range(n_folds):
            members = np.flatnonzero(tune.fold == fold)
            if len(members):
                y = tune.y_true[members].astype(np.float64)
                self._rows[fold] = sort_scores(tune.y_prob[members], y, unit[members])

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """The thresholds chosen on the data as they are."""
        found = []
        for fold, rows in self._rows.items():
            steps = as_they_are(rows).steps
            positives, negatives = float(steps.all_positives[0]), float(steps.all_negatives[0])
            best, rises = _best(steps, self._alphas)
            thresholds = _thresholds(rows, steps, best, rises)
            for index, alpha in enumerate(self._budgets):
                tp = float(best[0, index])
                fp = float(steps.negatives[0, rises[0, index]]) if tp > 0 else 0.0
                threshold = float(thresholds[0, index])
                found.append(Choice(fold, alpha, threshold, tp / max(positives, 1), fp / max(negatives, 1)))
        return tuple(found)

    def candidates(self) -> dict[int, FloatArray]:
        """Fold to every threshold that a budget can choose there, whatever is drawn: the scores of positives."""
        return {fold: rows.score[rows.holds_positive] for fold, rows in self._rows.items()}

    def thresholds(self, block: Block) -> Chosen:
        """What is chosen in every fold under each row of weights."""
        chosen = {}
        for fold, rows in self._rows.items():
            chosen[fold] = np.empty((len(self._budgets), len(block.counts)))
            for part, counts in batches(rows, block.counts):
                chosen[fold][:, part] = _thresholds(rows, counts.steps, *_best(counts.steps, self._alphas)).T
        return chosen


def _best(steps: Steps, budgets: FloatArray) -> tuple[FloatArray, IntArray]:
    """Per row of weights and budget the most positives within it, and the first rise that reaches them."""
    best = at(steps.positives, within_budgets(steps, budgets))
    return best, within(steps.positives, np.maximum(best - 1, 0))


def _thresholds(rows: SortedScores, steps: Steps, best: FloatArray, rises: IntArray) -> FloatArray:
    scores = np.append(rows.score[rows.holds_positive], np.inf)
    chosen = np.where(best > 0, scores[rises], np.inf)
    one_class = (steps.all_negatives == 0) | (steps.all_positives == 0)
    return np.where(one_class[:, None], np.nan, chosen)


class OperatingPlan:
    """Counts a frame's rows at thresholds: fed with the cumulative counts of the folds, batch by batch."""

    def __init__(self, tune: TunePlan, n_folds: int) -> None:
        self._budgets = tuple(dict.fromkeys(choice.alpha for choice in tune.choices))
        self._fixed = {
            fold: np.array([choice.threshold for choice in tune.choices if choice.fold == fold])
            for fold in tune.candidates()
        }
        self._found = np.empty((n_folds, len(self._budgets), len(_NAMES), 0))

    def start(self, n: int, with_rows: list[bool]) -> None:
        """Begin a block of n rows of weights; ``with_rows`` says which folds have rows in the frame."""
        # No threshold makes everything undefined; no rows count as zeros.
        self._found = np.full((*self._found.shape[:3], n), np.nan)
        self._found[[fold in self._fixed and not filled for fold, filled in enumerate(with_rows)]] = 0.0

    def take(self, fold: int, part: slice, rows: SortedScores, counts: Counts, chosen: Chosen) -> None:
        """Confusion of a batch of one fold's rows, at the fixed thresholds and at the batch's own."""
        if fold in self._fixed:
            found, again = self._found[fold], chosen[fold][:, part].T
            found[:, : len(_COUNTED), part] = _count(rows, counts, self._fixed[fold][None]).transpose(2, 0, 1)
            found[:, len(_COUNTED) :, part] = _count(rows, counts, again).transpose(2, 0, 1)

    def totals(self) -> dict[float, CellTotals]:
        """For each budget the totals tp, fp, pos, neg of the block, per fold and pooled; ``~``: threshold resampled.

        A fold whose threshold is undefined is NaN, and so is then the pooled total.
        """

        def named(found: FloatArray) -> Totals:
            return dict(zip(_NAMES, found, strict=True))

        pooled = self._found.sum(axis=0)
        return {
            alpha: CellTotals(named(pooled[index]), tuple(named(fold[index]) for fold in self._found))
            for index, alpha in enumerate(self._budgets)
        }


def _count(rows: SortedScores, counts: Counts, thresholds: FloatArray) -> FloatArray:
    """(4, batch, k) tp, fp, positives and negatives at (batch, k), or (1, k), thresholds; NaN where one is undefined.

    The rows were sorted with these thresholds among those to be read at.
    """
    # Points at or above the threshold: a score equal to it is positive.
    reached = np.searchsorted(-rows.score, -thresholds, side="right")
    found = np.empty((len(_COUNTED), len(counts.positives), thresholds.shape[1]))
    found[0], found[1] = at(counts.positives, reached), at(counts.negatives, reached)
    found[2:] = np.stack(counts.totals)[:, :, None]
    found[:, np.broadcast_to(np.isnan(thresholds), found.shape[1:])] = np.nan
    return found
