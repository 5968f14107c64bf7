"""Standard errors by linearization: how far clusters make an interval wider than independent queries would.

A metric that is a smooth function of sums is, near its value, a sum of one contribution per row (its influence). The
variance of that sum over rows and over clusters gives the design effect. Woodruff 1971; Kish 1965.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.statistics import Totals

_STEP = 1e-5
"""Relative step of the numeric derivative: the cube root of the rounding unit, for central differences."""
_NONE = 1e-12
"""An error this small is the rounding of contributions that are all equal."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of one value as if rows, and as if clusters, were independent."""

    rows: float
    clusters: float

    @property
    def design_effect(self) -> float | None:
        """Variance with clusters over variance without; None where the value has no variance."""
        return (self.clusters / self.rows) ** 2 if self.rows > _NONE else None


class Strata:
    """The rows and clusters of each fold, which is a stratum of the resampling: the same for all metrics of a frame."""

    def __init__(self, cluster: IntArray, fold: IntArray, n_folds: int) -> None:
        """``cluster``, ``fold``: (n,) of each row; a cluster lies in one fold."""
        self.fold, self.n_folds = fold, n_folds
        _, first, self._cluster = np.unique(cluster, return_index=True, return_inverse=True)
        self._fold_of_cluster = fold[first]
        self._rows, self._clusters = (np.bincount(of, minlength=n_folds) for of in (fold, self._fold_of_cluster))

    @property
    def is_complete(self) -> bool:
        """Whether every fold has rows."""
        return bool(self._rows.all())

    def variances(self, contributions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(n_folds,) variance of the sum of (n,) contributions in each fold: over rows, and over clusters."""
        sums = np.bincount(self._cluster, weights=contributions).astype(np.float64)
        clusters = self._centred(sums, self._fold_of_cluster, self._clusters)
        return self._centred(contributions, self.fold, self._rows), clusters

    def _centred(self, values: FloatArray, fold: IntArray, n: IntArray) -> FloatArray:
        # bincount adds one by one, so that no bit depends on how a processor vectorises a sum.
        mean = np.bincount(fold, weights=values, minlength=self.n_folds) / np.maximum(n, 1)
        squares = np.bincount(fold, weights=(values - mean[fold]) ** 2, minlength=self.n_folds)
        return np.where(n > 1, squares * n / np.maximum(n - 1, 1), 0.0)


def linearized(
    columns: Mapping[str, FloatArray], strata: Strata, finish: Callable[[Totals], FloatArray]
) -> dict[str, Errors]:
    """Errors, by scope, of ``finish`` of the sums of (n,) columns; a scope is left out where it is undefined.

    Folds share no cluster, so the variance of their mean is the mean variance over their number.
    """
    slopes = _slopes(columns, strata, finish)
    found = {}
    if not np.isnan(slopes[0]).any():
        rows, clusters = strata.variances(_combined(columns, slopes[0]))
        found["pooled"] = Errors(_root(rows), _root(clusters))
    if not np.isnan(slopes[1:]).any() and strata.is_complete:
        rows, clusters = strata.variances(_combined(columns, slopes[1 + strata.fold].T))
        found["fold_mean"] = Errors(_root(rows) / strata.n_folds, _root(clusters) / strata.n_folds)
    return found


def _slopes(columns: Mapping[str, FloatArray], strata: Strata, finish: Callable[[Totals], FloatArray]) -> FloatArray:
    """(1 + n_folds, n_columns) derivatives of ``finish`` by each total, pooled and in each fold; NaN = undefined.

    Numeric, by central differences of the totals.
    """
    n = strata.n_folds
    folds = [np.bincount(strata.fold, weights=column, minlength=n) for column in columns.values()]
    totals = np.array([[fold.sum(), *fold] for fold in folds])
    steps = _STEP * np.maximum(np.abs(totals), 1.0)
    # By total, cell, total that is varied, and whether it is raised or lowered.
    varied = np.tile(totals[:, :, None, None], (1, 1, len(folds), 2))
    index = np.arange(len(folds))
    varied[index, :, index, 0] += steps
    varied[index, :, index, 1] -= steps
    # At an edge (no false positives, say) a lowered total is impossible, and so then is the derivative.
    with np.errstate(invalid="ignore", divide="ignore"):
        values = finish({name: total.ravel() for name, total in zip(columns, varied, strict=True)})
    raised_and_lowered = values.reshape(1 + n, len(folds), 2)
    return np.asarray((raised_and_lowered[..., 0] - raised_and_lowered[..., 1]) / (2 * steps.T))


def _combined(columns: Mapping[str, FloatArray], slopes: FloatArray) -> FloatArray:
    """(n,) contribution of each row to the metric: its columns times their slopes, one for all or one for each row."""
    return np.asarray(sum(slope * column for slope, column in zip(slopes, columns.values(), strict=True)))


def _root(variances: FloatArray) -> float:
    return math.sqrt(math.fsum(variances.tolist()))
