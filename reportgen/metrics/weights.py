"""Cluster weights: how often each cluster is drawn in each resample.

Drawn once per evaluation, they serve every system, metric and part, so that differences are paired. Row 0 is ones:
the estimate itself. Resample b takes its random numbers from a fixed place of one Philox stream (counter-based), so
the weights of a resample do not depend on how many are drawn, nor in which batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import IntArray, Run

if TYPE_CHECKING:
    from numpy.typing import NDArray

WeightArray: TypeAlias = "NDArray[np.uint16]"

_BLOCK = 512
"""Resamples drawn at a time: bounds the memory for random numbers."""
_WORDS_PER_STEP = 4
"""A Philox step yields four 64-bit words."""


@dataclass(frozen=True, slots=True)
class Weights:
    """(1 + B, n_clusters) draws; rows are resamples, row 0 is ones."""

    counts: WeightArray
    fold: IntArray
    """(n_clusters,) fold of each cluster, -1 outside the evaluation split."""
    n_folds: int
    seed: int

    @property
    def resamples(self) -> int:
        """B, the number of resamples."""
        return len(self.counts) - 1


def draw_weights(run: Run, contract: Contract) -> Weights:
    """Draw clusters with replacement within their stratum.

    A stratum is a fold (``interval_strata = fold``) or the whole evaluation split (``none``); clusters that are seen
    in TUNE only form a stratum of their own. Field & Welsh 2007 (Bootstrapping clustered data).
    """
    fold = run.cluster_fold
    stratum = fold if contract.text("interval_strata") == "fold" else np.minimum(fold, 0)
    counts = np.zeros((1 + contract.integer("resamples"), len(fold)), dtype=np.uint16)
    counts[0] = 1
    seed = contract.integer("seed")
    for index, members in enumerate(np.flatnonzero(stratum == s) for s in np.unique(stratum)):
        counts[1:, members] = _draw(len(counts) - 1, len(members), seed, index)
    return Weights(counts, fold, len(run.folds), seed)


def _draw(resamples: int, n: int, seed: int, stratum: int) -> WeightArray:
    """(resamples, n) multinomial counts of n draws from n members."""
    counts = np.empty((resamples, n), dtype=np.uint16)
    steps = -(-n // _WORDS_PER_STEP)
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        stream = np.random.Philox(key=[seed, stratum])
        stream.advance(start * steps)
        words = stream.random_raw(size * steps * _WORDS_PER_STEP).reshape(size, -1)[:, :n]
        # 53 random bits to a member: floor(u * n), the bias is below n / 2**53.
        member = ((words >> np.uint64(11)).astype(np.float64) * (n / 2**53)).astype(np.int64)
        cells = (member + np.arange(size)[:, None] * n).ravel()
        counts[start : start + size] = np.bincount(cells, minlength=size * n).reshape(size, n)
    return counts
