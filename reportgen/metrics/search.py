"""Counts looked up among the cumulative counts of many resamples at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from reportgen.domain.run import IntArray

_COUNTS_PER_LIMIT = 8
"""Highest count of a row, in limits, up to which its points are tabulated by count; above, they are searched."""


class Search:
    """Looks for counts among the cumulative counts of every resample of a batch.

    One search for all rows: each is moved above the last, by more than any of its counts or limits. A search for each
    row would let go of the interpreter so often that threads would wait for one another.
    """

    def __init__(self, cumulative: IntArray) -> None:
        """``cumulative``: (batch, 1 + n_points), its first column zero."""
        n_rows, n_columns = cumulative.shape
        above = np.arange(n_rows)[:, None]
        self._highest = int(cumulative[:, -1].max(initial=0))
        self._first = above * n_columns + 1
        # Counts of 32 bits move faster in 32 bits.
        self._kind = np.dtype(np.int32 if n_rows * (self._highest + 1) < 2**31 else np.int64)
        self._step = above * (self._highest + 1)
        self._keys = (cumulative + self._step.astype(self._kind)).ravel()
        self._n_rows = n_rows

    def within(self, limits: IntArray) -> IntArray:
        """(batch, k) number of points, from the first, at which the count is no more than each limit.

        ``limits``: (batch, k) whole numbers ≥ 0.
        """
        wanted = np.minimum(limits, self._highest) + self._step
        if self._highest < _COUNTS_PER_LIMIT * limits.shape[1]:
            return np.asarray(self._reached.take(wanted))
        return np.asarray(np.searchsorted(self._keys, wanted.astype(self._kind), side="right") - self._first)

    @cached_property
    def _reached(self) -> IntArray:
        """(batch · counts,) for each count of each row, the number of points at which the count is no more."""
        counts = self._highest + 1
        points = np.bincount(self._keys, minlength=self._n_rows * counts).reshape(self._n_rows, counts)
        return np.asarray(np.cumsum(points, axis=1) - 1).ravel()
