"""Operating points: thresholds chosen on TUNE under a false-positive-rate budget, and their confusion on EVAL.

The threshold is chosen in every resample of the TUNE clusters, so the interval with the threshold resampled comes
from the same weights as the one with the threshold fixed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray, TunePart
from reportgen.metrics.frames import Frame
from reportgen.metrics.scores import at, batches, sort_scores, within_budget
from reportgen.metrics.statistics import CellTotals, Totals
from reportgen.metrics.weights import Weights

_NAMES = ("tp", "fp", "pos", "neg", "tp~", "fp~", "pos~", "neg~")
"""Totals of an operating point; names ending in ``~`` hold the threshold resampled."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The threshold chosen in one fold for one budget, and what it achieves on TUNE."""

    fold: int
    alpha: float
    thresholds: FloatArray
    """(1 + B,) +inf = reject all, NaN = TUNE has no negatives and so no false-positive rate."""
    tpr: float
    fpr: float


def choose_thresholds(tune: TunePart, weights: Weights, budgets: tuple[float, ...]) -> tuple[Choice, ...]:
    """For each fold and budget the threshold with the highest TPR whose FPR is within the budget.

    Ties go to the lowest FPR, then to the highest threshold. A fold without TUNE rows has no choice.
    """
    choices = []
    for fold in range(weights.n_folds):
        rows = np.flatnonzero(tune.fold == fold)
        if len(rows):
            choices += _choose_in_fold(tune, rows, fold, weights, budgets)
    return tuple(choices)


def _choose_in_fold(
    tune: TunePart, members: np.ndarray, fold: int, weights: Weights, budgets: tuple[float, ...]
) -> list[Choice]:
    rows = sort_scores(tune.y_prob[members], tune.y_true[members].astype(np.float64), tune.cluster[members])
    chosen = {alpha: np.empty(len(weights.counts)) for alpha in budgets}
    achieved = {}
    for part, counts in batches(rows, weights.counts):
        positives, negatives = counts.totals
        for alpha in budgets:
            best = at(counts.positives, within_budget(counts, alpha))
            first = np.argmax(counts.positives >= best[:, None], axis=1)
            chosen[alpha][part] = np.where(best > 0, rows.score[rows.ends[first]], np.inf)
            chosen[alpha][part][negatives == 0] = np.nan
            if part.start == 0:
                fp = counts.negatives[0, first[0]] if best[0] > 0 else 0
                achieved[alpha] = (float(best[0] / max(positives[0], 1)), float(fp / max(negatives[0], 1)))
    return [Choice(fold, alpha, chosen[alpha], *achieved[alpha]) for alpha in budgets]


def count_at_thresholds(frame: Frame, choices: tuple[Choice, ...], weights: Weights) -> dict[float, CellTotals]:
    """For each budget the totals tp, fp, pos, neg on the frame's rows, per fold and pooled.

    Names ending in ``~`` hold the same with the threshold resampled; without it, the threshold is the one chosen on
    the data as they are. A fold whose threshold is undefined is NaN, and so is then the pooled total.
    """
    cells: dict[float, list[Totals]] = {alpha: [] for alpha in dict.fromkeys(choice.alpha for choice in choices)}
    for fold in range(weights.n_folds):
        counted = _count_in_fold(frame, fold, [c for c in choices if c.fold == fold], weights)
        for alpha, folds in cells.items():
            folds.append(counted.get(alpha) or _missing(len(weights.counts)))
    return {
        alpha: CellTotals({name: np.sum([fold[name] for fold in folds], axis=0) for name in folds[0]}, tuple(folds))
        for alpha, folds in cells.items()
    }


def _missing(n: int) -> Totals:
    return dict.fromkeys(_NAMES, np.full(n, np.nan))


def _count_in_fold(frame: Frame, fold: int, choices: list[Choice], weights: Weights) -> Mapping[float, Totals]:
    """Confusion of one fold's rows at each resample's threshold."""
    members = np.flatnonzero(frame.fold == fold)
    n = len(weights.counts)
    if not len(members):
        return {choice.alpha: dict.fromkeys(_NAMES, np.zeros(n)) for choice in choices}
    rows = sort_scores(frame["p"][members], frame["y"][members], frame.cluster[members])
    groups = rows.score[rows.ends]
    totals = {choice.alpha: {name: np.empty(n) for name in _NAMES} for choice in choices}
    for part, counts in batches(rows, weights.counts):
        positives, negatives = counts.totals
        for choice in choices:
            into = totals[choice.alpha]
            for sign, thresholds in (
                ("", choice.thresholds[:1].repeat(len(positives))),
                ("~", choice.thresholds[part]),
            ):
                # Distinct scores at or above the threshold: a score equal to it is positive.
                reached = np.searchsorted(-groups, -thresholds, side="right")
                undefined = np.isnan(thresholds)
                into["tp" + sign][part] = np.where(undefined, np.nan, at(counts.positives, reached))
                into["fp" + sign][part] = np.where(undefined, np.nan, at(counts.negatives, reached))
                into["pos" + sign][part] = np.where(undefined, np.nan, positives)
                into["neg" + sign][part] = np.where(undefined, np.nan, negatives)
    return dict(totals)
