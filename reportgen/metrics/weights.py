"""Cluster weights: how often each cluster is drawn in each resample.

Drawn once per evaluation, a block of resamples at a time, they serve every system, metric and part, so that
differences are paired. Row 0 is ones: the estimate itself. Resample b takes its random numbers from a fixed place of
one Philox stream (counter-based), so its weights do not depend on how many are drawn, nor in which blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped] # ships no types

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray, IntArray, Run, TunePart

if TYPE_CHECKING:
    from numpy.typing import NDArray

WeightArray: TypeAlias = "NDArray[np.uint16]"

_BLOCK_CELLS = 2**20
"""Resamples × clusters drawn at a time: bounds memory, whatever the number of clusters."""
_LEAST_ROWS = 16
"""Resamples drawn at a time whatever the number of clusters: a product with fewer rows costs as much."""
_DRAWN_CELLS = 2**16
"""Resamples × members of a stratum whose random numbers are made at a time: they stay in the cache."""
_KEPT_BYTES = 2**25 - 2**16
"""Just below the largest block, 32 MiB, by which glibc learns how much memory to keep."""
_WORDS_PER_STEP = 4
"""A Philox step yields four 64-bit words."""


@dataclass(frozen=True)
class Block:
    """Weights of consecutive rows: ``rows`` of the whole, as ``counts`` of shape (len(rows), n_clusters)."""

    rows: slice
    counts: WeightArray
    only_fold: int | None = None
    """The one fold in which a weight is not 1, where units are left out; None = any."""

    @property
    def is_first(self) -> bool:
        """Whether row 0, the estimate itself, is in it."""
        return bool(self.rows.start == 0)

    @cached_property
    def _known(self) -> dict[bytes, FloatArray]:
        return {}

    def of_units(self, units: IntArray) -> FloatArray:
        """Return (len(units), len(rows)) weights of some units, to multiply with sums; made once for all plans."""
        key = units.tobytes()
        if key not in self._known:
            self._known[key] = self.counts.T.take(units, axis=0).astype(np.float64)
        return self._known[key]


class Rows(Protocol):
    """Rows of weights that are made a block at a time."""

    def spans(self) -> Sequence[slice]:
        """Return all rows in order, a bounded number of cells at a time."""

    def block(self, rows: slice) -> Block:
        """Return the weights of the rows of a span; the same, whichever others were made before."""


def feed(
    weights: Rows,
    consumers: Sequence[Callable[[Block], None]],
    threads: int = 1,
    spans: Sequence[slice] | None = None,
) -> None:
    """Feed every block of weights to each consumer, ``threads`` blocks at a time; changes no bit.

    The first block is taken in before the others, which may build on it; each block fills in rows of its own.
    ``spans``: some of the spans of the weights, the first among them, where not all are wanted.
    """

    def take_in(rows: slice) -> None:
        block = weights.block(rows)
        for take in consumers:
            take(block)

    _keep_memory()
    first, *others = weights.spans() if spans is None else spans
    # BLAS in one thread: its products are exact, so threads change no bit, but they would wait for each other.
    with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(threads) as pool:
        take_in(first)
        for _ in pool.map(take_in, others):
            pass  # raises what was raised in a thread


@cache
def _blas() -> ThreadpoolController:
    """Return what sets the threads of NumPy's BLAS; to find the libraries of a process takes milliseconds."""
    return ThreadpoolController()


def _keep_memory() -> None:
    """Have the C library keep the memory of an array for the next one, instead of giving it back and asking again.

    The arrays of a batch come and go thousands of times, and the system clears each page that it hands out. glibc keeps
    twice as much as the largest block that it has seen mapped and freed (mallopt(3), M_MMAP_THRESHOLD); to other
    libraries this is a block that nobody writes to.
    """
    np.empty(_KEPT_BYTES, dtype=np.uint8)


@dataclass(frozen=True)
class Draws:
    """The rows of weights of an evaluation: ones, then B resamples, then one row per unit left out.

    A unit is what is drawn with replacement, within its stratum: a cluster with all its rows, or a single row.
    Field & Welsh 2007 (Bootstrapping clustered data).
    """

    fold: IntArray
    """(n_units,) fold of each unit, -1 outside the evaluation split."""
    stratum: IntArray
    """(n_units,) units are drawn within their stratum."""
    n_folds: int
    resamples: int
    """B."""
    seed: int
    left_out: IntArray
    """(n_jackknife,) the unit that each jackknife row leaves out, by fold; empty without BCa."""
    of_query: IntArray
    """(n_queries,) unit of each query."""
    of_cluster: IntArray
    """(n_clusters,) unit of each cluster, for metrics whose rows are clusters."""
    first_tune: int | None
    """The unit of a system's first TUNE row where rows are units; None where clusters are."""
    of_row: IntArray
    """(n_rows,) unit of each row of a multi-class run; empty for other runs."""
    in_repeats: bool = False
    """The cross-validation is repeated, so that a unit is in another fold of each repeat."""

    def of_tune(self, tune: TunePart) -> IntArray:
        """Return (n_tune,) unit of each TUNE row."""
        return tune.cluster if self.first_tune is None else self.first_tune + np.arange(len(tune))

    def __len__(self) -> int:
        return 1 + self.resamples + len(self.left_out)

    def spans(self) -> list[slice]:
        """Return all rows in order, a bounded number of cells at a time; row 0 is alone in the first."""
        size = max(_BLOCK_CELLS // max(len(self.fold), 1), _LEAST_ROWS)
        # Units of different folds are left out in different blocks.
        turns = np.flatnonzero(np.diff(self.fold[self.left_out])) + 1
        ends = (1, *(1 + self.resamples + np.append(0, turns)).tolist(), len(self))
        spans = [slice(0, 1)]
        for first, last in pairwise(ends):
            spans += [slice(start, min(start + size, last)) for start in range(first, last, size)]
        return spans

    def block(self, rows: slice) -> Block:
        """Return the weights of the rows of a span."""
        n, n_rows = len(self.fold), rows.stop - rows.start
        if rows.start == 0:
            return Block(rows, np.ones((n_rows, n), dtype=np.uint16))
        if rows.start > self.resamples:
            first = rows.start - 1 - self.resamples
            left_out = self.left_out[first : first + n_rows]
            counts = np.ones((n_rows, n), dtype=np.uint16)
            counts[np.arange(n_rows), left_out] = 0
            return Block(rows, counts, None if self.in_repeats else int(self.fold[left_out[0]]))
        # By unit, since sums and scores need the weights of some units in many resamples.
        by_unit = np.empty((n, n_rows), dtype=np.uint16)
        for index, members in enumerate(self._strata):
            _draw(by_unit, members, rows.start - 1, self.seed, index)
        return Block(rows, by_unit.T)

    def blocks(self) -> Iterator[Block]:
        """Return the blocks of all spans, one after the other."""
        return map(self.block, self.spans())

    @cached_property
    def _strata(self) -> list[IntArray]:
        return [np.flatnonzero(self.stratum == value) for value in np.unique(self.stratum)]


def draws_of(run: Run, contract: Contract) -> Draws:
    """Return the draws that a contract asks for on a run.

    Units are clusters (``interval_unit = cluster``), or single rows (``query``): each query, each TUNE row, each
    cluster for metrics whose rows are clusters, and each row of a multi-class run. Strata are folds
    (``interval_strata = fold``), folds × the classes a unit holds (``fold_label``), or none; what is outside the
    evaluation split is a stratum of its own. The folds of a repeated cross-validation are not strata, since each repeat
    has others.
    """
    queries, n = run.queries, len(run.queries)
    first_query = first_queries(run)
    fold = _fold_of_units(run, run, contract)
    if contract.text("interval_unit") == "cluster":
        of_query, of_cluster, first_tune = queries.cluster, np.arange(len(fold)), None
        of_row = queries.cluster[first_query]
        stratum = fold
    else:
        of_query, of_cluster, first_tune = np.arange(n), n + np.arange(len(run.cluster_fold)), n + len(run.cluster_fold)
        n_tune = len(fold) - first_tune - len(first_query)
        of_row = first_tune + n_tune + np.arange(len(first_query))
        # What else is a row of some metric is drawn apart from queries.
        kind = np.digitize(np.arange(len(fold)), (n, first_tune + n_tune))
        stratum = np.where(fold < 0, -1, fold + kind * len(run.folds))
    strata = contract.text("interval_strata")
    if strata == "fold_label":
        has_positive = np.bincount(of_query, weights=queries.y_true == 1, minlength=len(fold)) > 0
        has_negative = np.bincount(of_query, weights=queries.y_true == 0, minlength=len(fold)) > 0
        stratum = 4 * stratum + 2 * has_positive + has_negative
    elif strata == "none":
        stratum = np.where(fold < 0, -1, np.where(np.isin(np.arange(len(fold)), of_query), 0, 1))
        stratum = np.where(np.isin(np.arange(len(fold)), np.setdiff1d(of_row, of_query)), 2, stratum)
    bca = contract.text("interval_method") == "bca" and contract.integer("resamples") > 0
    left_out = np.unique(of_query) if bca else np.zeros(0, dtype=np.int64)
    return Draws(
        fold=fold,
        stratum=stratum.astype(np.int64),
        n_folds=len(run.folds),
        resamples=contract.integer("resamples"),
        seed=contract.integer("seed"),
        left_out=left_out[np.argsort(fold[left_out], kind="stable")],
        of_query=of_query,
        of_cluster=of_cluster,
        first_tune=first_tune,
        of_row=of_row,
        in_repeats=bool(run.repeats),
    )


def draws_of_repeats(run: Run, contract: Contract) -> tuple[Draws, ...]:
    """Return the draws of a run by repeat: the same units are drawn in each, and each has folds of its own."""
    draws = draws_of(run, contract)
    return tuple(replace(draws, fold=_fold_of_units(run, one, contract), n_folds=len(one.folds)) for one in run.repeats)


def _fold_of_units(run: Run, part: Run, contract: Contract) -> IntArray:
    """Return (n_units,) the fold of each unit of a run in one of its parts, -1 outside the evaluation split."""
    if contract.text("interval_unit") == "cluster":
        return part.cluster_fold
    tuned = (len(system.tune) for one in run.parts for system in one.systems if system.tune is not None)
    of_rows = part.queries.fold[first_queries(part)]
    return np.concatenate([part.queries.fold, part.cluster_fold, np.full(max(tuned, default=0), -1), of_rows])


def first_queries(run: Run) -> IntArray:
    """Return (n_rows,) the first query of each row of a multi-class run; empty for other runs."""
    row = run.queries.row
    return np.zeros(0, dtype=np.int64) if row is None else np.unique(row, return_index=True)[1]


def _draw(into: WeightArray, members: IntArray, start: int, seed: int, stratum: int) -> None:
    """Draw multinomial counts of n draws from the n members of a stratum: resamples ``start``, ``start`` + 1, …

    ``into``: (n_units, n_rows), of which the rows of the members are filled.
    """
    n, n_rows = len(members), into.shape[1]
    steps = -(-n // _WORDS_PER_STEP)
    stream = np.random.Philox(key=[seed, stratum])
    stream.advance(start * steps)
    size = max(_DRAWN_CELLS // n, 1)
    for first in range(0, n_rows, size):
        part = slice(first, min(first + size, n_rows))
        rows = part.stop - part.start
        words = stream.random_raw(rows * steps * _WORDS_PER_STEP).reshape(rows, -1)
        # 53 random bits to a member: floor(u * n), the bias is below n / 2**53. Signed words convert faster, and fit.
        words >>= np.uint64(11)
        cells = words.view(np.int64)
        uniform = cells.astype(np.float64)
        uniform *= n / 2**53
        np.copyto(cells, uniform, casting="unsafe")
        cells += np.arange(rows)[:, None] * n
        drawn = np.bincount(cells[:, :n].ravel(), minlength=rows * n)
        into[members, part] = drawn.reshape(rows, n).T
