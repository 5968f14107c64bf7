"""How scores order rows, for checks that come before any metric: two classes told apart, lists and their ties."""

from __future__ import annotations

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray, IntArray

_SPARSE = 4
"""Cells of a table of all lists per score in it, above which the scores are sorted as one list."""


def share_in_order(values: FloatArray, positive: BoolArray) -> float:
    """Share of pairs of a positive and a negative row with the positive one higher, ties half; needs both classes."""
    _, level = np.unique(values, return_inverse=True)
    ups, downs = (np.bincount(level[rows], minlength=int(level.max()) + 1) for rows in (positive, ~positive))
    below = np.cumsum(downs) - downs
    return float((ups * (below + 0.5 * downs)).sum() / (ups.sum() * downs.sum()))


def tells_apart(values: FloatArray, positive: BoolArray) -> bool:
    """Tell whether every positive row is higher than every negative one; False without both classes."""
    return bool(positive.any() and not positive.all() and values[positive].min() > values[~positive].max())


def falling(query: IntArray, score: FloatArray, n_queries: int) -> tuple[FloatArray, IntArray]:
    """Return (k,) the scores of retrieved candidates, falling within each query; (n_queries,) how many each query has.

    ``query``: (n,) rising; ``score``: (n,), NaN = not retrieved.
    """
    retrieved = ~np.isnan(score)
    query, score = query[retrieved], score[retrieved]
    n = np.bincount(query, minlength=n_queries)
    longest = int(n.max(initial=0))
    if n_queries * longest > _SPARSE * len(score):
        return score[np.lexsort((-score, query))], n
    # A row for each list, filled up at its end: many short sorts cost a fraction of one long sort.
    held = np.arange(longest) < n[:, None]
    table = np.full(held.shape, np.inf)
    table[held] = -score
    table.sort(axis=1)
    return -table[held], n
