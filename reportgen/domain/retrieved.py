"""What a system retrieved, in little memory; dense columns are made for one system at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Floats: TypeAlias = NDArray[np.float64]
_Whole: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Retrieved:
    """The candidates that one system ranked, by query, and within a query in its own input order."""

    row: NDArray[np.signedinteger]
    """(n,) row of each among all candidates of the run: whole numbers of four bytes where these are enough."""
    score: _Floats
    """(n,) higher first."""
    n_candidates: int
    """Candidates of the run."""

    @classmethod
    def of(cls, score: _Floats, query: _Whole | None = None, position: _Whole | None = None) -> Retrieved:
        """Return what has a score, from (n_candidates,) scores, NaN = not retrieved.

        ``position``: the system's own input order within each ``query``; that of the candidates without it.
        """
        row = np.flatnonzero(~np.isnan(score))
        if query is not None and position is not None:
            row = row[np.lexsort((position[row], query[row]))]
        return cls.at(row, score[row], len(score))

    @classmethod
    def at(cls, row: _Whole, score: _Floats, n_candidates: int) -> Retrieved:
        """Return what is in some rows, which are in order."""
        return cls(row.astype(np.int32 if n_candidates < 2**31 else np.int64), score, n_candidates)

    def __len__(self) -> int:
        return len(self.row)

    @property
    def scores(self) -> _Floats:
        """Return (n_candidates,) scores; NaN = not retrieved."""
        scores = np.full(self.n_candidates, np.nan)
        scores[self.row] = self.score
        return scores

    def within(self, kept: NDArray[np.bool_]) -> Retrieved:
        """Return it on the candidates of a mask, which are numbered anew."""
        inside = kept[self.row]
        number = np.cumsum(kept) - 1
        return Retrieved.at(number[self.row[inside]], self.score[inside], int(kept.sum()))


def in_few_bytes(whole: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return whole numbers from 0 in the smallest type that holds them."""
    return whole.astype(np.min_scalar_type(int(whole.max(initial=0))))
