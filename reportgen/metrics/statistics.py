"""Statistics: from the rows of a frame and cluster weights to named totals, one value per resample.

Three kinds, all shared and memoised by the engine: :class:`Sums` (rows summed within cluster, then weights @ sums),
:class:`Ordered` (one pass over sorted scores) and :class:`Operating` (a threshold chosen on TUNE, counted on EVAL).
Totals do not depend on threads, batch size or BLAS kernel: sums are fixed-point integers held in float64, counts are
integers, and the point value is summed exactly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.weights import Block, Draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

Totals: TypeAlias = Mapping[str, FloatArray]
"""Name to totals of one cell (a fold, or all of them), one per row of a block of weights."""
Rows: TypeAlias = Callable[[SystemFrames, Frame, MetricId, Contract], Mapping[str, FloatArray]]
"""Row contributions of a metric: name to (n,) values. Equal names hold equal values, and are summed once."""

FIXED_POINT = 2.0**30
"""Cluster sums are integers of this unit: exact in float64, whatever the order of summation."""
_WHOLE = 2.0**53
"""Below it all whole numbers are floating-point numbers."""
_MANY = 4
"""A plan whose rows are in fewer than one of so many units of a fold takes the weights of these units alone."""


@dataclass(frozen=True, slots=True)
class Sums:
    """Totals of row contributions, on the rows of one unit."""

    rows: Rows
    unit: str = "query"


@dataclass(frozen=True, slots=True)
class Ordered:
    """A pass over the sorted column ``score`` against the class ``y``; see :mod:`reportgen.metrics.scores`."""

    score: str = "p"
    unit: str = "query"


@dataclass(frozen=True, slots=True)
class Operating:
    """A threshold chosen on TUNE for a false-positive-rate budget, its confusion counted on EVAL."""

    unit: str = "query"
    same_set: bool = False
    """Whether the totals also hold ``roc_tpr``, the highest TPR within the budget on EVAL itself."""


@dataclass(frozen=True, slots=True)
class Refit:
    """A value that is fitted to the rows of a cell once, and not again in every resample.

    How much it moves with each row says how certain it is: see :mod:`reportgen.stats.linearize`.
    """

    value: Callable[[Frame, Contract], float]
    """Rows of one cell, at least one, to the value; NaN = undefined."""
    influence: Callable[[Frame, Contract, float], FloatArray]
    """The same rows and their value, where it is defined, to its (n,) derivatives by the weight of each row.

    They add up to zero, since a value does not change where all rows weigh twice as much. NaN = there is none.
    """
    unit: str = "query"


def fitted(totals: Totals, metric_id: MetricId) -> FloatArray:
    """``finish`` of every :class:`Refit`."""
    return totals["value"]


Statistic: TypeAlias = Sums | Ordered | Operating | Refit


@dataclass(frozen=True, slots=True)
class CellTotals:
    """Totals of the same statistics over all folds and in every fold, for the rows of one block of weights.

    Values of all cells stand in one array, so that a metric is finished once and not cell by cell.
    """

    everywhere: Totals
    """Name to ((1 + n_folds) · n_rows,) totals: pooled over the folds, then of each fold in turn."""
    n_folds: int

    def in_cells(self, values: FloatArray) -> FloatArray:
        """(1 + n_folds, n_rows) what was made of the totals: pooled, then by fold."""
        return values.reshape(1 + self.n_folds, -1)

    @property
    def pooled(self) -> Totals:
        """The totals over all folds."""
        return {name: self.in_cells(values)[0] for name, values in self.everywhere.items()}


def cell_totals(names: Iterable[str], found: NDArray[np.float64]) -> CellTotals:
    """The totals from a contiguous array by name, cell and row of weights."""
    n_names, n_cells, n_rows = found.shape
    return CellTotals(dict(zip(names, found.reshape(n_names, n_cells * n_rows), strict=True)), n_cells - 1)


def unit_of(frame: Frame, draws: Draws) -> IntArray:
    """(n,) the drawn unit of each row of a frame."""
    return draws.of_cluster[frame.cluster] if frame.unit == "cluster" else draws.of_query[frame.rows]


class SumPlan:
    """Row contributions summed within drawn units once, ready to be weighted block by block.

    A unit is in one fold, so the pooled total is the sum of the folds'.
    """

    def __init__(self, columns: Mapping[str, FloatArray], frame: Frame, draws: Draws) -> None:
        """``columns``: name to (n,) finite values of the frame's rows."""
        fold, unit, n_folds = draws.fold, unit_of(frame, draws), draws.n_folds
        self._names = tuple(columns)
        fixed = [np.rint(values * FIXED_POINT) for values in columns.values()]
        sums = np.stack([np.bincount(unit, weights=f, minlength=len(fold)) for f in fixed])
        present = np.bincount(unit, minlength=len(fold)) > 0
        self._folds = []
        for index in range(n_folds):
            every = fold == index
            some = every & present
            # The weights of a whole fold are at hand for all plans; zeros among the sums cost less than another copy.
            members = np.flatnonzero(some if _MANY * some.sum() < every.sum() else every)
            # Scaled by a power of two, which changes no digit of a whole number.
            self._folds.append((members, sums[:, members] / FIXED_POINT))
        self._exact = np.array([_exact_sums(values, frame.fold, n_folds) for values in columns.values()])

    def totals(self, block: Block) -> CellTotals:
        """Totals under each row of weights; the estimate itself (row 0) is summed exactly."""
        if block.is_first:
            return cell_totals(self._names, np.ascontiguousarray(self._exact)[:, :, None])
        found = np.empty((len(self._names), 1 + len(self._folds), len(block.counts)))
        for index, (members, sums) in enumerate(self._folds):
            if block.only_fold in (None, index):
                np.matmul(sums, block.of_units(members), out=found[:, 1 + index])
            else:
                found[:, 1 + index] = sums.sum(axis=1)[:, None]
        # Whole numbers of the fixed-point unit, so the order does not matter.
        np.sum(found[:, 1:], axis=1, out=found[:, 0])
        return cell_totals(self._names, found)


def _exact_sums(values: FloatArray, fold: IntArray, n_folds: int) -> list[float]:
    """The correctly rounded sums over all rows and over those of each fold."""
    if float(np.abs(values).sum()) < _WHOLE and bool((np.rint(values) == values).all()):
        # No sum of whole numbers this small is rounded.
        folds = np.bincount(fold, weights=values, minlength=n_folds)
        return [float(values.sum()), *folds.tolist()]
    parts = _exact_parts(values, fold, n_folds)
    return [math.fsum(parts.ravel().tolist()), *(math.fsum(part) for part in parts.T.tolist())]


def _exact_parts(values: FloatArray, fold: IntArray, n_folds: int) -> FloatArray:
    """(n_parts, n_folds) numbers whose sum by fold is that of the values, digit by digit.

    Values are cut into layers of so few digits that no sum of a layer is rounded (Rump, Ogita & Oishi 2008).
    """
    rest, parts = values, []
    digits = 52 - len(values).bit_length()
    if not np.isfinite(values).all():
        raise ValueError("what is summed must be finite")
    while (largest := float(np.abs(rest).max())) > 0:
        # A layer holds multiples of the unit, 2^digits at most each; what it leaves of a value is exact.
        unit = math.ldexp(1.0, math.frexp(largest)[1] - digits)
        if unit == 0:
            unit = math.ulp(0.0)
        layer = np.rint(rest / unit) * unit
        parts.append(np.bincount(fold, weights=layer, minlength=n_folds))
        rest = rest - layer
    return np.array(parts, dtype=np.float64).reshape(-1, n_folds)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Numerator / denominator, NaN (undefined) where the denominator is zero."""
    if np.asarray(denominator).all():
        return np.asarray(numerator / denominator)
    undefined = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator != 0))


def mean_of_parts(parts: Sequence[FloatArray]) -> FloatArray:
    """Unweighted mean over parts (folds, labels), undefined parts skipped; NaN where all are undefined."""
    # Added part after part, so that the result does not depend on how a reduction is vectorised.
    total = parts[0] + 0.0
    for part in parts[1:]:
        total += part
    if not np.isnan(total).any():
        return np.asarray(total / len(parts))
    total, n = np.zeros(np.shape(total)), np.zeros(np.shape(total))
    for part in parts:
        defined = ~np.isnan(part)
        total += np.where(defined, part, 0.0)
        n += defined
    return ratio(total, n)
