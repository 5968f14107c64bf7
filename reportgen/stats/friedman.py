"""Several systems on the same blocks: mean ranks, Friedman's test, and which systems Nemenyi's test tells apart.

The module is loaded where it is asked for, since scipy.stats takes long to load.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from reportgen.domain.run import FloatArray

FEWEST_SYSTEMS, FEWEST_BLOCKS = 3, 2
_DIGITS = 12
"""Decimals to which values are compared: rounding of their sums makes no rank."""


@dataclass(frozen=True, slots=True)
class MeanRanks:
    """How systems rank on the same blocks, 1 the best."""

    ranks: tuple[float, ...]
    """Mean rank of each system, in their order."""
    blocks: int
    statistic: float
    """Friedman's chi-squared, corrected for ties; 0 where all systems tie on all blocks."""
    p: float
    critical_difference: float
    """Mean ranks that differ by at least this are told apart by Nemenyi's test."""
    groups: tuple[tuple[int, ...], ...]
    """Systems, by their place, that cannot be told apart, best first; each group that is in no larger one."""


def mean_ranks(values: FloatArray, *, higher: bool, alpha: float = 0.05) -> MeanRanks:
    """Return the mean ranks of systems with Friedman's and Nemenyi's tests.

    Source: Demšar 2006, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, section 3.2.

    Args:
        values: (n blocks, k systems), none missing.
        higher: Whether the highest value is the best.
        alpha: Of Nemenyi's test, for all pairs together.

    Raises ValueError for fewer than three systems or two blocks.
    """
    n, k = values.shape
    if k < FEWEST_SYSTEMS or n < FEWEST_BLOCKS:
        raise ValueError(f"mean ranks need {FEWEST_SYSTEMS} systems and {FEWEST_BLOCKS} blocks, not {k} and {n}")
    rounded = values.round(_DIGITS)
    ranks = stats.rankdata(-rounded if higher else rounded, axis=1)
    means = ranks.mean(axis=0)
    moved = bool((ranks != (k + 1) / 2).any())
    test = stats.friedmanchisquare(*ranks.T) if moved else None
    quantile = float(stats.studentized_range.ppf(1 - alpha, k, np.inf)) / np.sqrt(2)
    critical = float(quantile * np.sqrt(k * (k + 1) / (6 * n)))
    return MeanRanks(
        ranks=tuple(means.tolist()),
        blocks=n,
        statistic=float(test.statistic) if test else 0.0,
        p=float(test.pvalue) if test else 1.0,
        critical_difference=critical,
        groups=_groups(means, critical),
    )


def _groups(means: FloatArray, critical: float) -> tuple[tuple[int, ...], ...]:
    order = np.argsort(means, kind="stable")
    found: list[tuple[int, ...]] = []
    reached = 0
    for start, first in enumerate(order):
        stop = int(np.searchsorted(means[order], means[first] + critical))
        if stop - start > 1 and stop > reached:
            found.append(tuple(order[start:stop].tolist()))
        reached = max(reached, stop)
    return tuple(found)
