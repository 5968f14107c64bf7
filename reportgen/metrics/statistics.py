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
from reportgen.metrics.weights import Weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

Totals: TypeAlias = Mapping[str, FloatArray]
"""Name to (1 + B,) totals of one cell (a fold, or all of them); entry 0 is the point value."""
Rows: TypeAlias = Callable[[SystemFrames, Frame, MetricId, Contract], Mapping[str, FloatArray]]
"""Row contributions of a metric: name to (n,) values. Equal names hold equal values, and are summed once."""

FIXED_POINT = 2.0**30
"""Cluster sums are integers of this unit: exact in float64, whatever the order of summation."""
_BLOCK = 1024
"""Resamples multiplied at a time: bounds the memory for weights as float64."""


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


Statistic: TypeAlias = Sums | Ordered | Operating


@dataclass(frozen=True, slots=True)
class CellTotals:
    """Totals of the same statistics in every fold and over all of them."""

    pooled: Totals
    folds: tuple[Totals, ...]


def sum_rows(columns: Mapping[str, FloatArray], frame: Frame, weights: Weights) -> CellTotals:
    """Totals of row contributions under every resample, per fold and pooled.

    ``columns``: name to (n,) finite values. A cluster is in one fold, so the pooled total is the sum of the folds'.
    """
    names = list(columns)
    n_clusters = len(weights.fold)
    sums = np.stack(
        [
            np.bincount(frame.cluster, weights=np.rint(columns[name] * FIXED_POINT), minlength=n_clusters)
            for name in names
        ],
        axis=1,
    )
    folds = []
    for fold in range(weights.n_folds):
        members = np.flatnonzero(weights.fold == fold)
        totals = np.empty((len(weights.counts), len(names)))
        for start in range(0, len(totals), _BLOCK):
            block = weights.counts[start : start + _BLOCK, members].astype(np.float64)
            totals[start : start + _BLOCK] = block @ sums[members]
        totals /= FIXED_POINT
        totals[0] = exact_sums(columns.values(), np.flatnonzero(frame.fold == fold))
        folds.append(totals)
    pooled = np.sum(folds, axis=0)
    pooled[0] = exact_sums(columns.values(), None)
    return CellTotals(_named(names, pooled), tuple(_named(names, totals) for totals in folds))


def exact_sums(columns: Iterable[FloatArray], rows: IntArray | None) -> list[float]:
    """The correctly rounded sum of each column, over some rows or all."""
    return [math.fsum((values if rows is None else values[rows]).tolist()) for values in columns]


def _named(names: Sequence[str], totals: NDArray[np.float64]) -> Totals:
    return {name: np.ascontiguousarray(totals[:, index]) for index, name in enumerate(names)}


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Numerator / denominator, NaN (undefined) where the denominator is zero."""
    undefined = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator != 0))


def mean_of_parts(parts: Sequence[FloatArray]) -> FloatArray:
    """Unweighted mean over parts (folds, labels), undefined parts skipped; NaN where all are undefined."""
    stacked = np.stack(parts)
    defined = ~np.isnan(stacked)
    # Added part after part, so that the result does not depend on how a reduction is vectorised.
    total = np.zeros(stacked.shape[1:])
    for part, is_defined in zip(stacked, defined, strict=True):
        total += np.where(is_defined, part, 0.0)
    return ratio(total, defined.sum(axis=0).astype(np.float64))
