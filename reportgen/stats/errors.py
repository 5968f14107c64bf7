"""Standard errors of the metrics of a subset by linearization, per scope: with and without clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import TypeVar

import numpy as np

from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Area, Operating, Sums
from reportgen.metrics.thresholds import Choice
from reportgen.metrics.totals import Confusion, mapped
from reportgen.stats.auroc import auroc_errors
from reportgen.stats.linearize import Errors, Influence, Strata, linearized

T = TypeVar("T")


def errors_by_scope(one: Callable[[IntArray], Errors | None], fold: IntArray, n_folds: int) -> dict[str, Errors]:
    """Errors pooled and of the fold mean, from a function that gives those of some rows.

    Folds share no cluster, so the variance of their mean is the mean variance over their number.
    """
    found = {}
    pooled = one(np.arange(len(fold)))
    if pooled is not None:
        found["pooled"] = pooled
    folds = [one(np.flatnonzero(fold == index)) for index in range(n_folds)]
    defined = [errors for errors in folds if errors is not None]
    if defined and len(defined) == len(folds):
        rows = math.sqrt(math.fsum(errors.rows**2 for errors in defined)) / len(defined)
        clusters = math.sqrt(math.fsum(errors.clusters**2 for errors in defined)) / len(defined)
        found["fold_mean"] = Errors(rows, clusters)
    return found


class RankedCells:
    """The rows of a frame by falling probability, all of them and those of each fold."""

    def __init__(self, frame: Frame, n_folds: int) -> None:
        """``frame``: rows of single queries, at least one."""
        self.frame = frame
        folds = [np.flatnonzero(frame.fold == fold) for fold in range(n_folds)]
        self.members = [np.arange(len(frame)), *folds]

    @cached_property
    def rows(self) -> list[RankedRows | None]:
        """All rows, then those of each fold; None where it has none."""
        p, y = self.frame["p"], self.frame["y"]
        return [RankedRows.of(p[members], y[members]) if len(members) else None for members in self.members]


def errors_of_scores(
    item: Instance, cells: RankedCells, choices: tuple[Choice, ...], strata: Strata
) -> dict[str, Errors]:
    """Errors of what is read off sorted scores; ``choices``: the thresholds from TUNE that optimism is held against."""
    passed = None
    if isinstance(item.metric.statistic, Operating):
        passed = _passed(item, cells.frame, choices, strata.n_folds)
        if passed is None:
            return {}
    found = []
    for members, rows in zip(cells.members, cells.rows, strict=True):
        moved = None if rows is None else _moved(item, rows)
        if rows is not None and moved is not None and passed is not None:
            moved = moved - _moved_at(passed[members], rows.y)
        found.append(moved)
    pooled, *folds = found
    influences = {} if pooled is None else {"pooled": pooled}
    defined = [moved for moved in folds if moved is not None]
    if len(defined) == len(folds):
        influences["fold_mean"] = mean = np.empty(len(cells.frame))
        for members, moved in zip(cells.members[1:], defined, strict=True):
            mean[members] = moved / len(folds)
    return {scope: Influence(strata, rows).errors for scope, rows in influences.items()}


def _moved(item: Instance, rows: RankedRows) -> FloatArray | None:
    """(n,) influence on a metric of sorted scores; None where it has no value."""
    if not rows.counts.positives:
        return None
    statistic = item.metric.statistic
    if isinstance(statistic, Area):
        return statistic.influence(rows)
    return rows.highest_rate(item.id.number) if rows.negatives else None


def _moved_at(passed: FloatArray, y: FloatArray) -> FloatArray:
    """(n,) influence on the share of positives that pass."""
    n = np.bincount(y.astype(np.int64), minlength=2)[1]
    return np.asarray(y * (passed - float((passed * y).sum()) / n) / n)


def errors_of_sums(statistic: Sums[T], contributions: T, strata: Strata) -> dict[str, Errors]:
    """Return the errors of a function of sums of row contributions; none where its entry knows no way."""
    if statistic.influence is not None:
        point = statistic.finish(mapped(contributions, lambda column: np.array([float(column.sum())])))
        moved = statistic.influence(contributions, float(point[0]))
        return {} if moved is None else {"pooled": Influence(strata, moved).errors}
    return linearized(contributions, strata, statistic.finish) if statistic.smooth else {}


def errors_of_auroc(frame: Frame, n_folds: int) -> dict[str, Errors]:
    """Errors of AUROC: DeLong's for rows, Obuchowski's for clusters."""

    def one(members: IntArray) -> Errors | None:
        return auroc_errors(frame["p"][members], frame["y"][members], frame.cluster[members])

    return errors_by_scope(one, frame.fold, n_folds)


def _passed(item: Instance, frame: Frame, choices: tuple[Choice, ...], n_folds: int) -> FloatArray | None:
    """(n,) 1 for rows that reach the threshold of their fold; None where a fold has none."""
    thresholds = np.full(n_folds, np.nan)
    for choice in choices:
        if choice.alpha == item.id.number:
            thresholds[choice.fold] = choice.threshold
    own = thresholds[frame.fold]
    return None if np.isnan(own).any() else (frame["p"] >= own).astype(np.float64)


def errors_of_operating_point(
    item: Instance, finish: Callable[[Confusion], FloatArray], frame: Frame, choices: tuple[Choice, ...], strata: Strata
) -> dict[str, Errors]:
    """Return the errors of a metric at the thresholds chosen on TUNE, with these thresholds fixed."""
    passed = _passed(item, frame, choices, strata.n_folds)
    if passed is None:
        return {}
    y = frame["y"]
    margins = passed * y, passed * (1 - y), y, 1 - y
    return linearized(margins, strata, lambda totals: finish(Confusion.from_margins(*totals)))
