"""Cluster weights: how often each cluster is drawn in each resample.

Drawn once per evaluation, a block of resamples at a time, they serve every system, metric and part, so that
differences are paired. Row 0 is ones: the estimate itself. Resample b takes its random numbers from a fixed place of
one Philox stream (counter-based), so its weights do not depend on how many are drawn, nor in which blocks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import IntArray, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

WeightArray: TypeAlias = "NDArray[np.uint16]"

_BLOCK_CELLS = 2**18
"""Resamples × clusters drawn at a time: bounds memory, whatever the number of clusters."""
_WORDS_PER_STEP = 4
"""A Philox step yields four 64-bit words."""


@dataclass(frozen=True, slots=True)
class Block:
    """Weights of consecutive rows: ``rows`` of the whole, as ``counts`` of shape (len(rows), n_clusters)."""

    rows: slice
    counts: WeightArray

    @property
    def is_first(self) -> bool:
        """Whether row 0, the estimate itself, is in it."""
        return bool(self.rows.start == 0)


@dataclass(frozen=True, slots=True)
class Draws:
    """The rows of weights of an evaluation: ones, then B resamples, then one row per cluster left out.

    A stratum is a fold (``interval_strata = fold``) or the whole evaluation split (``none``); clusters that are seen
    in TUNE only form a stratum of their own. Field & Welsh 2007 (Bootstrapping clustered data).
    """

    fold: IntArray
    """(n_clusters,) fold of each cluster, -1 outside the evaluation split."""
    n_folds: int
    resamples: int
    """B."""
    seed: int
    stratified: bool = True
    leave_one_out: bool = False
    """Whether the jackknife rows follow, one per cluster of the evaluation split in order."""

    @property
    def left_out(self) -> IntArray:
        """(n_jackknife,) the cluster that each jackknife row leaves out."""
        return np.flatnonzero(self.fold >= 0) if self.leave_one_out else np.zeros(0, dtype=np.int64)

    def __len__(self) -> int:
        return 1 + self.resamples + len(self.left_out)

    def blocks(self) -> Iterator[Block]:
        """All rows in order, a bounded number of cells at a time; row 0 is alone in the first block."""
        n = len(self.fold)
        yield Block(slice(0, 1), np.ones((1, n), dtype=np.uint16))
        size = max(_BLOCK_CELLS // max(n, 1), 1)
        strata = self._strata()
        for start in range(0, self.resamples, size):
            stop = min(start + size, self.resamples)
            counts = np.empty((stop - start, n), dtype=np.uint16)
            for index, members in enumerate(strata):
                counts[:, members] = _draw(start, stop, len(members), self.seed, index)
            yield Block(slice(1 + start, 1 + stop), counts)
        left_out = self.left_out
        for start in range(0, len(left_out), size):
            part = left_out[start : start + size]
            counts = np.ones((len(part), n), dtype=np.uint16)
            counts[np.arange(len(part)), part] = 0
            first = 1 + self.resamples + start
            yield Block(slice(first, first + len(part)), counts)

    def _strata(self) -> list[IntArray]:
        stratum = self.fold if self.stratified else np.minimum(self.fold, 0)
        return [np.flatnonzero(stratum == value) for value in np.unique(stratum)]


def draws_of(run: Run, contract: Contract) -> Draws:
    """The draws that a contract asks for on a run's clusters."""
    return Draws(
        fold=run.cluster_fold,
        n_folds=len(run.folds),
        resamples=contract.integer("resamples"),
        seed=contract.integer("seed"),
        stratified=contract.text("interval_strata") == "fold",
        leave_one_out=contract.text("interval_method") == "bca" and contract.integer("resamples") > 0,
    )


def _draw(start: int, stop: int, n: int, seed: int, stratum: int) -> WeightArray:
    """(stop - start, n) multinomial counts of n draws from n members: resamples start … stop of a stratum."""
    size = stop - start
    steps = -(-n // _WORDS_PER_STEP)
    stream = np.random.Philox(key=[seed, stratum])
    stream.advance(start * steps)
    words = stream.random_raw(size * steps * _WORDS_PER_STEP).reshape(size, -1)[:, :n]
    # 53 random bits to a member: floor(u * n), the bias is below n / 2**53.
    member = ((words >> np.uint64(11)).astype(np.float64) * (n / 2**53)).astype(np.int64)
    cells = (member + np.arange(size)[:, None] * n).ravel()
    return np.bincount(cells, minlength=size * n).reshape(size, n).astype(np.uint16)
