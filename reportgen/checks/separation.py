"""How well a value tells two classes apart, for checks that come before any metric."""

from __future__ import annotations

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray


def share_in_order(values: FloatArray, positive: BoolArray) -> float:
    """Share of pairs of a positive and a negative row with the positive one higher, ties half; needs both classes."""
    _, level = np.unique(values, return_inverse=True)
    ups, downs = (np.bincount(level[rows], minlength=int(level.max()) + 1) for rows in (positive, ~positive))
    below = np.cumsum(downs) - downs
    return float((ups * (below + 0.5 * downs)).sum() / (ups.sum() * downs.sum()))


def tells_apart(values: FloatArray, positive: BoolArray) -> bool:
    """Whether every positive row is higher than every negative one; False without both classes."""
    return bool(positive.any() and not positive.all() and values[positive].min() > values[~positive].max())
