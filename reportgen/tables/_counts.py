"""Mean and quantiles of whole numbers of which only the counts are recorded."""

from __future__ import annotations

import math
from collections.abc import Mapping


def mean_of(counts: Mapping[int, int]) -> float:
    """The mean of values that occur so many times; ValueError where nothing was counted."""
    n = sum(counts.values())
    if not n:
        raise ValueError("nothing was counted, so there is no mean")
    return sum(value * count for value, count in counts.items()) / n


def quantile_of(counts: Mapping[int, int], q: float) -> float:
    """The quantile, interpolated linearly between order statistics (type 7 of Hyndman and Fan 1996, numpy's default).

    ValueError where nothing was counted.
    """
    n = sum(counts.values())
    if not n:
        raise ValueError("nothing was counted, so there is no quantile")
    place = q * (n - 1)
    low = _at(counts, math.floor(place))
    high = _at(counts, math.ceil(place))
    return low + (high - low) * (place - math.floor(place))


def _at(counts: Mapping[int, int], index: int) -> int:
    """The value at a place among all values in rising order, from 0."""
    seen = 0
    for value in sorted(counts):
        seen += counts[value]
        if index < seen:
            return value
    raise IndexError(index)
