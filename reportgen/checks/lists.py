"""Ranked lists as their scores alone: what ties can be seen in."""

from __future__ import annotations

import numpy as np

from reportgen.domain.run import FloatArray, IntArray

_SPARSE = 4
"""Cells of a table of all lists per score in it, above which the scores are sorted as one list."""


def falling(query: IntArray, score: FloatArray, n_queries: int) -> tuple[FloatArray, IntArray]:
    """(k,) the scores of retrieved candidates, falling within each query; (n_queries,) how many each query has.

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
