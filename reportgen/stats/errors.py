"""Standard errors of the metrics of a subset by linearization, per scope: with and without clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Totals
from reportgen.metrics.thresholds import Choice
from reportgen.stats.auroc import auroc_errors
from reportgen.stats.linearize import Errors, Strata, linearized


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


def errors_of_sums(item: Instance, columns: Mapping[str, FloatArray], strata: Strata) -> dict[str, Errors]:
    """Errors of a metric that is a smooth function of sums of row contributions."""

    def finish(totals: Totals) -> FloatArray:
        return item.metric.finish(totals, item.id)

    return linearized(columns, strata, finish)


def errors_of_auroc(frame: Frame, n_folds: int) -> dict[str, Errors]:
    """Errors of AUROC: DeLong's for rows, Obuchowski's for clusters."""

    def one(members: IntArray) -> Errors | None:
        return auroc_errors(frame["p"][members], frame["y"][members], frame.cluster[members])

    return errors_by_scope(one, frame.fold, n_folds)


def errors_of_operating_point(
    item: Instance, frame: Frame, choices: tuple[Choice, ...], strata: Strata
) -> dict[str, Errors]:
    """Errors of a metric at the thresholds chosen on TUNE, with these thresholds fixed."""
    thresholds = np.full(strata.n_folds, np.nan)
    for choice in choices:
        if choice.alpha == item.id.number:
            thresholds[choice.fold] = choice.threshold
    own = thresholds[frame.fold]
    if np.isnan(own).any():
        return {}
    passed = (frame["p"] >= own).astype(np.float64)
    y = frame["y"]
    columns = {"tp": passed * y, "fp": passed * (1 - y), "pos": y, "neg": 1 - y}
    return errors_of_sums(item, columns, strata)
