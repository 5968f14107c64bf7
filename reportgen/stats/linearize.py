"""Standard errors by linearization: how far clusters make an interval wider than independent queries would.

A metric that is a smooth function of sums is, near its value, a sum of one contribution per row (its influence). The
variance of that sum over rows and over clusters gives the design effect. Woodruff 1971; Kish 1965. So it does for a
value that is fitted to rows, whose influences its entry knows: there it is the interval, too (Huber 1967; Binder 1983).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.statistics import NotResampled
from reportgen.metrics.totals import columns_of, mean_of_parts, with_columns

T = TypeVar("T")
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

    def degrees(self, unit: str) -> int:
        """Degrees of freedom of a variance over ``cluster`` or single rows: units less strata.

        Korn & Graubard 1990.
        """
        units = self._clusters if unit == "cluster" else self._rows
        return int(np.maximum(units - 1, 0).sum())

    def _centred(self, values: FloatArray, fold: IntArray, n: IntArray) -> FloatArray:
        # bincount adds one by one, so that no bit depends on how a processor vectorises a sum.
        mean = np.bincount(fold, weights=values, minlength=self.n_folds) / np.maximum(n, 1)
        squares = np.bincount(fold, weights=(values - mean[fold]) ** 2, minlength=self.n_folds)
        return np.where(n > 1, squares * n / np.maximum(n - 1, 1), 0.0)


@dataclass(frozen=True)
class Influence:
    """How a value moves with the weight of each query, to first order."""

    strata: Strata
    rows: FloatArray
    """(n_queries,) derivatives by the weight of each query, with all candidates that it has."""

    @cached_property
    def errors(self) -> Errors:
        """The standard errors of the value."""
        rows, clusters = self.strata.variances(self.rows)
        return Errors(_root(rows), _root(clusters))

    def error(self, unit: str) -> float:
        """The standard error as if ``cluster`` or single rows were independent; 0 where it is but rounding."""
        error = self.errors.clusters if unit == "cluster" else self.errors.rows
        return error if error > _NONE else 0.0

    def less(self, other: Influence) -> Influence:
        """Of the difference of two values on the same rows."""
        return Influence(self.strata, self.rows - other.rows)


def of_fit(
    statistic: NotResampled,
    contract: Contract,
    queries: Frame,
    strata: Strata,
    cells: Sequence[Frame],
    values: Sequence[float],
    n_folds: int,
) -> dict[str, Influence]:
    """The influence, by scope, of each query on a value that is fitted to all rows, and on the mean over folds.

    ``queries``: those of the subset, in ``strata``. ``cells``: all rows, then those of each fold; ``values``: the value
    of each, NaN = undefined. ``n_folds``: folds that the mean is over; what stands in for an undefined value does not
    move. A scope is left out where nothing of it has a value, or where the fit has no derivative.
    """

    def of_queries(rows: Frame, value: float) -> FloatArray:
        at = np.searchsorted(queries.rows, rows.rows if rows.query is None else rows.query)
        influence = statistic.influence(rows, contract, value)
        return np.bincount(at, weights=influence, minlength=len(queries)).astype(np.float64)

    found = {}
    if not math.isnan(values[0]):
        found["pooled"] = of_queries(cells[0], values[0])
    of_folds = [of_queries(*cell) for cell in zip(cells[1:], values[1:], strict=True) if not math.isnan(cell[1])]
    if of_folds and n_folds:
        found["fold_mean"] = np.asarray(sum(of_folds) / n_folds)
    return {scope: Influence(strata, rows) for scope, rows in found.items() if not np.isnan(rows).any()}


def mean_influence(influences: Sequence[Influence]) -> Influence:
    """Of the mean of several values on the same rows."""
    return Influence(influences[0].strata, mean_of_parts([one.rows for one in influences]))


def linearized(contributions: T, strata: Strata, finish: Callable[[T], FloatArray]) -> dict[str, Errors]:
    """Return the errors, by scope, of ``finish`` of summed contributions; a scope is left out where it is undefined.

    Folds share no cluster, so the variance of their mean is the mean variance over their number.
    """
    columns = list(columns_of(contributions))
    slopes = _slopes(columns, strata, lambda totals: finish(with_columns(contributions, iter(totals))))
    found = {}
    if not np.isnan(slopes[0]).any():
        rows, clusters = strata.variances(_combined(columns, slopes[0]))
        found["pooled"] = Errors(_root(rows), _root(clusters))
    if not np.isnan(slopes[1:]).any() and strata.is_complete:
        rows, clusters = strata.variances(_combined(columns, slopes[1 + strata.fold].T))
        found["fold_mean"] = Errors(_root(rows) / strata.n_folds, _root(clusters) / strata.n_folds)
    return found


def _slopes(
    columns: Sequence[FloatArray], strata: Strata, finish: Callable[[list[FloatArray]], FloatArray]
) -> FloatArray:
    """Return (1 + n_folds, n_columns) derivatives of ``finish`` by each total, pooled and in each fold.

    NaN = undefined. Numeric, by central differences of the totals.
    """
    n = strata.n_folds
    folds = [np.bincount(strata.fold, weights=column, minlength=n) for column in columns]
    totals = np.array([[fold.sum(), *fold] for fold in folds])
    steps = _STEP * np.maximum(np.abs(totals), 1.0)
    # By total, cell, total that is varied, and whether it is raised or lowered.
    varied = np.tile(totals[:, :, None, None], (1, 1, len(folds), 2))
    index = np.arange(len(folds))
    varied[index, :, index, 0] += steps
    varied[index, :, index, 1] -= steps
    # At an edge (no false positives, say) a lowered total is impossible, and so then is the derivative.
    with np.errstate(invalid="ignore", divide="ignore"):
        values = finish([total.ravel() for total in varied])
    raised_and_lowered = values.reshape(1 + n, len(folds), 2)
    return np.asarray((raised_and_lowered[..., 0] - raised_and_lowered[..., 1]) / (2 * steps.T))


def _combined(columns: Sequence[FloatArray], slopes: FloatArray) -> FloatArray:
    """Return (n,) contributions to the metric: columns times their slopes, one for all rows or one for each."""
    return np.asarray(sum(slope * column for slope, column in zip(slopes, columns, strict=True)))


def _root(variances: FloatArray) -> float:
    return math.sqrt(math.fsum(variances.tolist()))
