"""Operating points: thresholds chosen on TUNE under a false-positive-rate budget, and their confusion on EVAL.

The threshold is chosen in every resample of the TUNE clusters, so the interval with the threshold resampled comes
from the same weights as the one with the threshold fixed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from reportgen.domain.run import FloatArray, IntArray, TunePart
from reportgen.metrics.frames import Frame
from reportgen.metrics.scores import (
    CumulativeCounts,
    Search,
    SortedScores,
    Steps,
    as_they_are,
    at,
    batches,
    sort_scores,
    within_budgets,
)
from reportgen.metrics.totals import Confusion
from reportgen.metrics.weights import Block

_COUNTED = ("tp", "fp", "positives", "negatives")
"""What is counted at a threshold: with the threshold fixed, then with the threshold resampled."""

Chosen: TypeAlias = Mapping[int, IntArray]
"""Fold to (n_budgets, n_rows) places in its candidates, chosen under each row of weights; -1 = undefined."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold chosen in one fold for one budget, and what it achieves on TUNE."""

    fold: int
    alpha: float
    threshold: float
    """+inf = reject all, NaN = TUNE lacks a class, and so one of the two rates that choose."""
    tpr: float
    fpr: float


def decided_at(choices: Sequence[Choice], alpha: float, frame: Frame) -> FloatArray:
    """Return (n,) 1 for rows that reach the threshold of a budget in their fold, else 0; NaN where a fold lacks one."""
    thresholds = np.full(int(frame.fold.max(initial=0)) + 1, np.nan)
    for choice in choices:
        if choice.alpha == alpha and choice.fold < len(thresholds):
            thresholds[choice.fold] = choice.threshold
    own = thresholds[frame.fold]
    return np.where(np.isnan(own), np.nan, frame["p"] >= own)


@dataclass(frozen=True, slots=True)
class AtBudget:
    """The confusion on EVAL at the threshold for one budget; arrays as in :class:`CellTotals`."""

    fixed: Confusion
    """At the threshold chosen on the data as they are."""
    resampled: Confusion
    """At the threshold chosen again under each row of weights."""


class TunePlan:
    """TUNE rows of every fold's model, sorted once, ready to choose thresholds block by block.

    The chosen threshold has the highest TPR whose FPR is within the budget; ties go to the lowest FPR, then to the
    highest threshold. A fold without TUNE rows has no choice.
    """

    def __init__(self, tune: TunePart, n_folds: int, budgets: tuple[float, ...], unit: IntArray) -> None:
        """``unit``: (n_tune,) drawn unit of each row."""
        self.budgets, self._alphas = budgets, np.array(budgets)
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
            undefined = positives == 0 or negatives == 0
            for alpha, place in zip(self.budgets, _chosen(steps, self._alphas)[:, 0].tolist(), strict=True):
                threshold = float("nan") if undefined else float(self.candidates[fold][place])
                # Where all are rejected, nothing is counted: the start of the curve.
                step = 0 if place == len(self.candidates[fold]) - 1 else 1 + place
                tp, fp = float(steps.positives[0, step]), float(steps.negatives[0, step])
                found.append(Choice(fold, alpha, threshold, tp / max(positives, 1), fp / max(negatives, 1)))
        return tuple(found)

    @cached_property
    def candidates(self) -> dict[int, FloatArray]:
        """Fold to every threshold that a budget can choose there, whatever is drawn.

        The scores of positives are among them, falling; +inf at the end rejects all.
        """
        return {fold: np.append(rows.steps_at, np.inf) for fold, rows in self._rows.items()}

    def thresholds(self, block: Block) -> Chosen:
        """Return what is chosen in every fold under each row of weights."""
        chosen = {}
        for fold, rows in self._rows.items():
            chosen[fold] = np.empty((len(self.budgets), len(block.counts)), dtype=np.int64)
            for part, counts in batches(rows, block.counts):
                chosen[fold][:, part] = _chosen(counts.steps, self._alphas)
                chosen[fold][:, part][:, (counts.steps.all_positives == 0) | (counts.steps.all_negatives == 0)] = -1
        return chosen


def _chosen(steps: Steps, budgets: FloatArray) -> IntArray:
    """Return (k, batch) the first step, from 0, that has the most positives within each of k budgets.

    One after the last step = reject all.
    """
    best = at(steps.positives, within_budgets(steps, budgets))
    first = Search(steps.positives).within(np.maximum(best - 1, 0))
    return np.where(best > 0, first, steps.positives.shape[1] - 1).T


class OperatingPlan:
    """Counts a frame's rows at thresholds: fed with the cumulative counts of the folds, batch by batch."""

    def __init__(self, tune: TunePlan, n_folds: int, budgets: Collection[float]) -> None:
        """``budgets``: those of the contract at which anything is read."""
        self._budgets = tuple(alpha for alpha in tune.budgets if alpha in budgets)
        self._wanted = [tune.budgets.index(alpha) for alpha in self._budgets]
        self.candidates = tune.candidates
        fixed = [choice for choice in tune.choices if choice.alpha in budgets]
        self._fixed = {
            fold: np.array([choice.threshold for choice in fixed if choice.fold == fold]) for fold in self.candidates
        }
        self._reached: dict[int, tuple[IntArray, IntArray]] = {}
        self._n_folds = n_folds

    def read(self, fold: int, rows: SortedScores) -> None:
        """Note at which points of a fold's rows the fixed thresholds and all candidates are reached.

        The rows were sorted with the candidates among the scores to be read at.
        """
        if fold in self.candidates:
            self._reached[fold] = rows.reached(self._fixed[fold]), rows.reached(self.candidates[fold])

    def start(self, n: int) -> FloatArray:
        """Return (n_budgets, n_totals, 1 + n_folds, n) what the counts of a block of n rows of weights are put into."""
        found = np.empty((len(self._budgets), 2 * len(_COUNTED), 1 + self._n_folds, n))
        for fold in range(self._n_folds):
            if fold not in self._reached:
                # No threshold makes everything undefined; no rows count as zeros.
                found[:, :, 1 + fold] = 0.0 if fold in self._fixed else np.nan
        return found

    def take(self, into: FloatArray, fold: int, part: slice, counts: CumulativeCounts, chosen: Chosen) -> None:
        """Put the confusion of a batch of one fold's rows into a block's: at the fixed thresholds, and at its own."""
        if fold not in self._reached:
            return
        fixed, again = self._fixed[fold], chosen[fold][self._wanted, part]
        found, n = into[:, :, 1 + fold, part], len(_COUNTED)
        at_fixed, of_candidates = self._reached[fold]
        at_again = of_candidates.take(again) + np.arange(len(counts.positives)) * counts.positives.shape[1]
        for index, cumulative in enumerate((counts.positives, counts.negatives)):
            found[:, index] = cumulative.take(at_fixed, axis=1).T
            found[:, n + index] = cumulative.take(at_again)
        for index, total in enumerate(counts.totals, 2):
            found[:, index] = found[:, n + index] = total
        found[np.isnan(fixed), :n] = np.nan
        if again.min(initial=0) < 0:
            found[:, n:].transpose(0, 2, 1)[again < 0] = np.nan

    def totals(self, found: FloatArray) -> dict[float, AtBudget]:
        """Return the confusions of a block at each budget, per fold and pooled.

        A fold whose threshold is undefined is NaN, and so is then the pooled total.
        """
        np.sum(found[:, :, 1:], axis=2, out=found[:, :, 0])
        totals = found.reshape(len(found), 2, len(_COUNTED), -1)
        of_budgets = zip(self._budgets, totals, strict=True)
        return {alpha: AtBudget(*(Confusion.from_margins(*counts) for counts in both)) for alpha, both in of_budgets}
