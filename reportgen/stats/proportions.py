"""Intervals for proportions from counts, with the effective number of trials where data are clustered."""

from __future__ import annotations

import math
from statistics import NormalDist

from scipy.special import betaincinv


def effective_trials(share: float, trials: float, error: float) -> float:
    """The number of independent trials that would leave a proportion as uncertain as it is; at most ``trials``.

    Args:
        share: The proportion.
        trials: Its denominator.
        error: Its standard error over whole clusters; 0 where it cannot be estimated, as at 0 and at 1.

    Returns:
        share (1 - share) / error². Clusters can also make a proportion more certain than independent trials; the
        plain number then stands, which is cautious, and so it does where nothing can be estimated. Korn & Graubard
        1998; Parker et al. 2017 (National Center for Health Statistics data presentation standards for proportions).
    """
    variance = share * (1 - share)
    return min(trials, variance / error**2) if variance > 0 and error > 0 else trials


def wilson(share: float, trials: float, level: float) -> tuple[float, float]:
    """The score interval of a proportion; its bounds stay in [0, 1] and have width at 0 and at 1.

    ``trials`` may be an effective number and need not be whole. Wilson 1927; Brown, Cai & DasGupta 2001.
    """
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    # At the edges the bound is the edge itself; rounding would leave it a hair inside.
    return (0.0 if share == 0 else max(centre - half, 0.0)), (1.0 if share == 1 else min(centre + half, 1.0))


def clopper_pearson(share: float, trials: float, level: float) -> tuple[float, float]:
    """The exact interval of a proportion from beta quantiles: covers at least ``level``.

    ``trials`` may be an effective number and need not be whole. Clopper & Pearson 1934; Korn & Graubard 1998 for the
    effective number.
    """
    tail, hits = (1 - level) / 2, share * trials
    lower = 0.0 if share == 0 else float(betaincinv(hits, trials - hits + 1, tail))
    upper = 1.0 if share == 1 else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return lower, upper
