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


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of one value as if rows, and as if clusters, were independent."""

    rows: float
    clusters: float

    @property
    def design_effect(self) -> float | None:
        """Variance with clusters over variance without; None where the value has no variance."""
        return (self.clusters / self.rows) ** 2 if self.rows > 0 else None


def influence(
    columns: Mapping[str, FloatArray], members: IntArray, finish: Callable[[Totals], FloatArray]
) -> FloatArray | None:
    """(len(members),) contribution of each row to ``finish`` of the rows' sums; None where it is undefined.

    The derivatives are numeric, by central differences of the totals.
    """
    names = list(columns)
    totals = np.array([math.fsum(columns[name][members].tolist()) for name in names])
    steps = _STEP * np.maximum(np.abs(totals), 1.0)
    # Column 2 j holds the totals with total j raised, column 2 j + 1 with it lowered.
    varied = np.repeat(totals[:, None], 2 * len(names), axis=1)
    index = np.arange(len(names))
    varied[index, 2 * index] += steps
    varied[index, 2 * index + 1] -= steps
    # At an edge (no false positives, say) a lowered total is impossible, and so then is the derivative.
    with np.errstate(invalid="ignore", divide="ignore"):
        values = finish(dict(zip(names, varied, strict=True)))
    slopes = (values[0::2] - values[1::2]) / (2 * steps)
    if np.isnan(slopes).any():
        return None
    contributions = np.zeros(len(members))
    for name, slope in zip(names, slopes, strict=True):
        contributions += slope * columns[name][members]
    return contributions


def errors_of(contributions: FloatArray, cluster: IntArray, fold: IntArray) -> Errors:
    """Standard errors of a sum of contributions, centred within folds (the strata of the resampling)."""
    return Errors(_stratified(contributions, fold), _stratified(*_by_cluster(contributions, cluster, fold)))


def _by_cluster(contributions: FloatArray, cluster: IntArray, fold: IntArray) -> tuple[FloatArray, IntArray]:
    present, first, member = np.unique(cluster, return_index=True, return_inverse=True)
    sums = np.bincount(member, weights=contributions, minlength=len(present))
    return sums.astype(np.float64), fold[first]


def _stratified(contributions: FloatArray, fold: IntArray) -> float:
    variance = 0.0
    for stratum in np.unique(fold):
        inside = contributions[fold == stratum]
        if len(inside) > 1:
            spread = math.fsum(((inside - inside.mean()) ** 2).tolist())
            variance += spread * len(inside) / (len(inside) - 1)
    return math.sqrt(variance)
