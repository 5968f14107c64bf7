"""Permutation of two systems within clusters: is their difference larger than chance assignment would make it?

Under the hypothesis that it does not matter which system an output came from, the two systems' outputs can be
exchanged, cluster by cluster. Exchanging is done on totals: of row contributions for metrics of sums (for a mean this
is the sign flip of each cluster's difference), of sorted rows for metrics of the order of scores. Scores of two
systems have no common scale, so they are exchanged as ranks within the part that a value is computed on (a fold, or
everything); decisions, states and returned sets are exchanged as they are, and thresholds stay fixed.

A system that was trained several times, or evaluated in several repeats, is exchanged as a whole: a cluster gives away
the outputs of all trainings or repeats, or of none. Its k-th training meets the k-th of the other, the shorter list
being repeated until both end together, and the value is the mean over these pairs; unexchanged that is the mean over
trainings. What is exchanged is then the data themselves, which keeps the test exact where the two systems' outputs are
exchangeable.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance
from reportgen.metrics.scores import CumulativeCounts, as_they_are, batches, sort_scores
from reportgen.metrics.statistics import NotResampled, Operating, Ordered, Sample, Sums, digest, weighted
from reportgen.metrics.thresholds import Choice, decided_at
from reportgen.metrics.totals import Confusion, aligned, columns_of, emptied, mean_of_parts, with_columns
from reportgen.metrics.weights import Block, feed
from reportgen.stats.score_pass import ScoreMeasures

STREAM = 2**32
"""Second word of the random stream's key; the streams of the bootstrap have the numbers of strata there."""
_BLOCK_CELLS = 2**18
_WORDS_PER_STEP = 4
_FIXED_POINT = 2.0**30
"""Cluster sums are whole numbers of this unit: exact in float64, whatever the order of summation."""
_EQUAL = 2.0**-28
"""Differences this close, relative to values above 1, count as equal: cluster sums are fixed-point."""


@dataclass(frozen=True, slots=True)
class Swaps:
    """Which clusters exchange the two systems: rows of 0 and 1, row 0 all zeros (the data as they are).

    All patterns where they are no more than the resamples asked for, else ``resamples`` random ones. Resample b takes
    its bits from a fixed place of one Philox stream, whatever the blocks.
    """

    fold: IntArray
    """(n_clusters,) fold of each cluster, -1 outside the evaluation split; those never exchange."""
    resamples: int
    seed: int

    @property
    def members(self) -> IntArray:
        """Return the clusters of the evaluation split."""
        return np.flatnonzero(self.fold >= 0)

    @property
    def is_exact(self) -> bool:
        """Tell whether every pattern is taken."""
        n = len(self.members)
        return n < 63 and 2**n <= self.resamples

    def __len__(self) -> int:
        """Count the rows; a p value is the share of rows at least as extreme as row 0."""
        return 2 ** len(self.members) if self.is_exact else 1 + self.resamples

    def spans(self) -> list[slice]:
        """Return all rows in order, a bounded number of cells at a time."""
        size = max(_BLOCK_CELLS // max(len(self.fold), 1), 1)
        return [slice(start, min(start + size, len(self))) for start in range(0, len(self), size)]

    def block(self, rows: slice) -> Block:
        """Return which clusters are exchanged in the rows of a span."""
        counts = np.zeros((rows.stop - rows.start, len(self.fold)), dtype=np.uint16)
        counts[:, self.members] = self._patterns(rows.start, rows.stop, len(self.members))
        return Block(rows, counts)

    def blocks(self) -> Iterator[Block]:
        """Return the blocks of all spans, one after the other."""
        return map(self.block, self.spans())

    def _patterns(self, start: int, stop: int, n: int) -> np.ndarray:
        if self.is_exact:
            number = np.arange(start, stop)[:, None]
            return (number >> np.arange(n)) & 1
        steps = -(-n // (64 * _WORDS_PER_STEP))
        # Row 0 takes no bits: row b has the place b - 1.
        first = max(start, 1)
        stream = np.random.Philox(key=[self.seed, STREAM])
        stream.advance((first - 1) * steps)
        shape = stop - first, steps * _WORDS_PER_STEP
        words = stream.random_raw(shape[0] * shape[1]).astype("<u8").reshape(shape)
        drawn = np.unpackbits(words.view(np.uint8), axis=1, count=n, bitorder="little")
        return np.concatenate([np.zeros((first - start, n), dtype=np.uint8), drawn])


@dataclass(frozen=True, slots=True)
class Side:
    """One training or repeat of one of two systems on one subset: its frames, rows by unit, thresholds for budgets."""

    system: SystemFrames
    subset: Mapping[str, Frame]
    choices: tuple[Choice, ...] = ()

    def sample(self, item: Instance, contract: Contract) -> Sample:
        """Return the rows of a metric."""
        return Sample(self.system, self.subset[item.metric.statistic.unit], item.id, contract)


@dataclass(frozen=True, slots=True)
class Permuted:
    """Differences of one metric under every row of :class:`Swaps`."""

    differences: FloatArray
    """(n_rows,) row 0 the observed one; NaN where the exchanged systems have no value."""
    slack: float
    """What counts as equal."""

    @property
    def p(self) -> float:
        """Return the two-sided p value; ties and undefined differences count as extreme.

        (b + 1) / (B + 1) over random draws (Phipson & Smyth 2010), b / 2^n over all patterns.
        """
        observed = abs(float(self.differences[0]))
        extreme = np.isnan(self.differences) | (np.abs(self.differences) + self.slack >= observed)
        return int(extreme.sum()) / len(self.differences)


def can_be_permuted(item: Instance) -> bool:
    """Tell whether a metric's statistic can be exchanged within clusters and summed up again.

    A fit to all rows would have to be made again under every exchange; its difference has a test of its own.
    """
    return not isinstance(item.metric.statistic, NotResampled) and untested_since(item) is None


def untested_since(item: Instance) -> str | None:
    """Return why a metric's difference is never tested, as the end of a sentence; None where there is a test."""
    statistic = item.metric.statistic
    if isinstance(statistic, Operating) and statistic.below_roc:
        return (
            "each system's optimum is read off its own scores, which an exchange would mix although their scales "
            "differ; the paired interval says how certain the difference is"
        )
    return None


def permute(
    a: Sequence[Side],
    b: Sequence[Side],
    wanted: Sequence[tuple[Instance, str]],
    swaps: Swaps,
    n_folds: int,
    contract: Contract,
    threads: int = 1,
) -> dict[MetricId, Permuted]:
    """Return differences a - b of each metric under its aggregation, with the same exchanges for all.

    ``a``, ``b``: the trainings or repeats of the two systems, one or more each, on the same queries; repeats in the
    same order. ``wanted``: metrics that both systems have and that can be permuted, each with its aggregation. Metrics
    whose observed difference is undefined are left out. Work grows with the least common multiple of the numbers of
    trainings. ``threads``: blocks of exchanges at a time; changes no bit.
    """
    pairs = [(a[k % len(a)], b[k % len(b)]) for k in range(math.lcm(len(a), len(b)))]
    values_of_pairs = [_exchanged(one, other, wanted, swaps, n_folds, contract, threads) for one, other in pairs]
    found = {}
    for item, _ in wanted:
        first, second = mean_of_parts([values[item.id] for values in values_of_pairs])
        differences = first - second
        if not np.isnan(differences[0]):
            slack = _EQUAL * max(abs(float(first[0])), abs(float(second[0])), 1.0)
            found[item.id] = Permuted(differences, slack)
    return found


def _exchanged(
    a: Side,
    b: Side,
    wanted: Sequence[tuple[Instance, str]],
    swaps: Swaps,
    n_folds: int,
    contract: Contract,
    threads: int,
) -> dict[MetricId, FloatArray]:
    """Return (2, n_rows) values of each metric of two exchanged trainings."""
    plans: list[_SumSwap | _ScoreSwap] = []
    for unit in dict.fromkeys(item.metric.statistic.unit for item, _ in wanted):
        of_unit = [(item, aggregation) for item, aggregation in wanted if item.metric.statistic.unit == unit]
        sums = [pair for pair in of_unit if not isinstance(pair[0].metric.statistic, Ordered)]
        if sums:
            plans.append(_SumSwap(a, b, sums, unit, len(swaps.fold), n_folds, contract))
        passes: dict[str, list[Instance]] = {}
        for item, aggregation in of_unit:
            if isinstance(item.metric.statistic, Ordered):
                passes.setdefault(aggregation, []).append(item)
        for aggregation, items in passes.items():
            plans.append(_ScoreSwap((a.subset[unit], b.subset[unit]), items, aggregation, n_folds))
    kept = {item.id: np.full((2, len(swaps)), np.nan) for item, _ in wanted}

    def keep(block: Block) -> None:
        for plan in plans:
            for metric_id, values in plan.values(block):
                kept[metric_id][:, block.rows] = values

    feed(swaps, [keep], threads)
    return kept


class _SumSwap:
    """Row contributions of both systems summed within clusters; an exchange moves a cluster's difference."""

    def __init__(
        self,
        a: Side,
        b: Side,
        wanted: Sequence[tuple[Instance, str]],
        unit: str,
        n_clusters: int,
        n_folds: int,
        contract: Contract,
    ) -> None:
        self._wanted: list[_Summed] = []
        place_of: dict[tuple[bytes, bytes], int] = {}
        sums: list[list[FloatArray]] = [[], []]
        for item, aggregation in wanted:
            statistic = item.metric.statistic
            if not isinstance(statistic, Sums | Operating):
                raise TypeError(f"{item.id} is not a function of sums")
            forms = aligned(*(row_contributions(side, item, contract) for side in (a, b)))
            places = []
            for of_a, of_b in zip(*map(columns_of, forms), strict=True):
                place = place_of.setdefault((digest(of_a), digest(of_b)), len(place_of))
                places.append(place)
                if place == len(sums[0]):
                    for into, column, side in zip(sums, (of_a, of_b), (a, b), strict=True):
                        into.append(_cluster_sums(column, side.subset[unit], n_clusters))
            self._wanted.append(_Summed(item.id, aggregation, statistic.finish, emptied(forms[0]), places))
        first, second = (np.stack(of_side, axis=1) for of_side in sums)
        fold = np.full(n_clusters, -1)
        fold[a.subset[unit].cluster] = a.subset[unit].fold
        self._folds = [
            (
                members,
                first[members].sum(axis=0),
                (first + second)[members].sum(axis=0),
                (second - first)[members],
            )
            for members in (np.flatnonzero(fold == index) for index in range(n_folds))
        ]

    def values(self, block: Block) -> Iterator[tuple[MetricId, FloatArray]]:
        """Yield per metric (2, n) values of the two exchanged systems."""
        first = [of_a + block.counts[:, members].astype(np.float64) @ moved for members, of_a, _, moved in self._folds]
        second = [both - found for found, (_, _, both, _) in zip(first, self._folds, strict=True)]
        for one in self._wanted:
            yield one.id, np.stack([one.finished(folds) for folds in (first, second)])


@dataclass(frozen=True, slots=True)
class _Summed:
    """A metric of sums, and where its columns are among all."""

    id: MetricId
    aggregation: str
    finish: Callable[[Any], FloatArray]
    form: Any
    places: Sequence[int]

    def finished(self, folds: Sequence[FloatArray]) -> FloatArray:
        """Return the values of (n_rows, n_columns) totals of each fold."""

        def finish(totals: FloatArray) -> FloatArray:
            columns = (np.ascontiguousarray(totals[:, place]) / _FIXED_POINT for place in self.places)
            return self.finish(with_columns(self.form, columns))

        if self.aggregation == "pooled":
            return finish(np.sum(folds, axis=0))
        return mean_of_parts([finish(totals) for totals in folds])


def row_contributions(side: Side, item: Instance, contract: Contract) -> Any:
    """Return the contributions of the rows of a metric of sums, or of an operating point at its fixed thresholds.

    Each is times the weight of its row.
    """
    statistic = item.metric.statistic
    if isinstance(statistic, Sums):
        return weighted(statistic.rows(side.sample(item, contract)), side.subset[statistic.unit])
    frame = side.subset[statistic.unit]
    return Confusion.of(decided_at(side.choices, item.id.number, frame), frame["y"])


def _cluster_sums(values: FloatArray, frame: Frame, n_clusters: int) -> FloatArray:
    """Return (n_clusters,) whole numbers of the fixed-point unit, so that their sums are exact."""
    return np.bincount(frame.cluster, weights=np.rint(values * _FIXED_POINT), minlength=n_clusters).astype(np.float64)


class _ScoreSwap:
    """The rows of both systems in one order of ranks; an exchange decides which system a cluster's rows count for."""

    def __init__(
        self,
        frames: tuple[Frame, Frame],
        wanted: Sequence[Instance],
        aggregation: str,
        n_folds: int,
    ) -> None:
        self._wanted, self._measures = wanted, ScoreMeasures(wanted)
        everything = np.arange(len(frames[0]))
        parts = [everything] if aggregation == "pooled" else [frames[0].fold == fold for fold in range(n_folds)]
        self._parts = []
        for part in parts:
            clusters = frames[0].cluster[part]
            if len(clusters):
                y = np.concatenate([frame["y"][part] for frame in frames])
                ranks = np.concatenate([_mid_ranks(frame["p"][part]) for frame in frames])
                here, place = np.unique(clusters, return_inverse=True)
                weight = frames[0].weight
                both_weights = None if weight is None else np.tile(weight[part], 2)
                rows = sort_scores(ranks, y, np.concatenate([place, place + len(here)]), weight=both_weights)
                self._parts.append((here, rows, as_they_are(rows)))

    def values(self, block: Block) -> Iterator[tuple[MetricId, FloatArray]]:
        """Yield per metric (2, n) values of the two exchanged systems."""
        measured: list[list[FloatArray]] = [[], []]
        for here, rows, both in self._parts:
            swapped = block.counts[:, here]
            found = np.empty((2, len(self._measures), len(swapped)))
            for part, first in batches(rows, np.concatenate([1 - swapped, swapped], axis=1)):
                second = CumulativeCounts(rows, both.positives - first.positives, both.negatives - first.negatives)
                found[0, :, part], found[1, :, part] = self._measures(first), self._measures(second)
            for into, values in zip(measured, found, strict=True):
                into.append(values)
        for item in self._wanted:
            place = self._measures.place(item)
            yield item.id, np.stack([mean_of_parts([part[place] for part in found]) for found in measured])


def _mid_ranks(score: FloatArray) -> FloatArray:
    """Return (n,) twice the average rank of each score, a whole number: equal scores share one."""
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    return np.asarray((2 * last - count + 1)[place], dtype=np.float64)
