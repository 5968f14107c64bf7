"""Quantiles of values that repeat, from how often each occurs: a function of sums, so nothing is sorted twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.metrics.statistics import Totals


def counts_of(values: FloatArray, name: str) -> dict[str, FloatArray]:
    """Row contributions: one 0/1 column per distinct value, named ``name=value``; NaN belongs to none."""
    distinct = np.unique(values[~np.isnan(values)])
    return {f"{name}={value!r}": (values == value).astype(np.float64) for value in distinct.tolist()}


def quantile(totals: Totals, name: str, q: float) -> FloatArray:
    """(n_rows,) q-quantile of the counted values; NaN where nothing is counted or the quantile is infinite.

    Linear interpolation between order statistics (Hyndman & Fan 1996, rule 7; numpy's default).
    """
    values, counts = _counted(totals, name)
    if not len(values):
        return np.full(_n_rows(totals), np.nan)
    return quantile_of_counts(values, counts, q)


def extreme(totals: Totals, name: str, which: int) -> FloatArray:
    """(n_rows,) smallest (``which`` 0) or largest (-1) value that is counted; NaN where nothing is."""
    values, counts = _counted(totals, name)
    result = np.full(_n_rows(totals), np.nan)
    # The value written last wins: the smallest when written from the largest down.
    for index in range(len(values))[:: -1 if which == 0 else 1]:
        result[counts[index] > 0] = values[index]
    return result


def quantile_of_counts(values: Sequence[float], counts: Sequence[FloatArray], q: float) -> FloatArray:
    """(n_rows,) q-quantile of ascending values that occur ``counts`` times, one array of counts per value."""
    cumulative = np.cumsum(np.stack(counts), axis=0)
    n = cumulative[-1]
    position = q * np.maximum(n - 1, 0)
    below = np.floor(position)
    at = np.array([*values, np.nan])

    def order_statistic(index: FloatArray) -> FloatArray:
        return np.asarray(at[(cumulative <= index).sum(axis=0)], dtype=np.float64)

    low, high = order_statistic(below), order_statistic(np.minimum(below + 1, np.maximum(n - 1, 0)))
    share = position - below
    step = np.where(np.isfinite(low) & np.isfinite(high), high, 0.0) - np.where(np.isfinite(low), low, 0.0)
    between = np.where((share > 0) & ~np.isfinite(high), np.nan, low + step * share)
    return np.asarray(np.where((n > 0) & np.isfinite(low), between, np.nan))


def _counted(totals: Totals, name: str) -> tuple[list[float], list[FloatArray]]:
    found = sorted((float(key.partition("=")[2]), key) for key in totals if key.startswith(f"{name}="))
    return [value for value, _ in found], [totals[key] for _, key in found]


def _n_rows(totals: Totals) -> int:
    return len(next(iter(totals.values())))
