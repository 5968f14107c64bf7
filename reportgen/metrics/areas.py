"""Areas over the candidates of all queries, which are in partitions of whole queries and never come together.

A score matters by its place alone: it is one of the distinct scores of relevant candidates, or above, between or below
these. So the scores of relevant candidates make the places, each partition counts its candidates by place, and each
sums by query what the places make of its candidates. Candidates in one table are one partition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.influence import ByClass, Ranks

_TOGETHER = 2**20
"""Candidates whose places are looked up at a time."""
_TABLE = 16
"""Places for each candidate up to which a table of all places is made, in which they are looked up faster."""
Counts: TypeAlias = Sequence[NDArray[np.integer[Any]]]
"""How many candidates are at each place, in a subset and in its folds."""


class Area(Protocol):
    """An area under a curve: :class:`reportgen.metrics.statistics.AreaOverCandidates`."""

    @property
    def value(self) -> Callable[[Ranks], float]:
        """Return what makes the value of ranks; NaN = undefined."""

    @property
    def influence(self) -> Callable[[Ranks], ByClass]:
        """Return what makes its derivatives by the weight of a candidate."""


Areas: TypeAlias = Sequence[tuple[MetricId, Area]]
"""What is wanted."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoredCandidates:
    """Candidates with the scores of one system, by query. Arrays have shape (n,)."""

    query: NDArray[np.int32]
    relevant: BoolArray
    score: FloatArray
    """-inf = not retrieved, below all that are."""

    @classmethod
    def of(cls, query: NDArray[np.integer[Any]], relevant: BoolArray, score: FloatArray) -> ScoredCandidates:
        """Return candidates with their scores, NaN = not retrieved."""
        return cls(query.astype(np.int32), relevant, np.where(np.isnan(score), -np.inf, score))

    @property
    def gold(self) -> ScoredCandidates:
        """Return the relevant candidates."""
        rows = np.flatnonzero(self.relevant)
        return ScoredCandidates(self.query[rows], self.relevant[rows], self.score[rows])


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The queries of a subset, by fold."""

    fold: NDArray[np.int32]
    """(n_queries,) of each query of the run; -1 outside the subset."""
    n_folds: int

    @classmethod
    def of(cls, rows: NDArray[np.signedinteger[Any]], fold: IntArray, n_queries: int, n_folds: int) -> Cells:
        """Return the cells of a subset's queries, which are ``rows`` of the run's."""
        found = np.full(n_queries, -1, dtype=np.int32)
        found[rows] = fold
        return cls(found, n_folds)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The distinct scores of relevant candidates, which make the places of all."""

    scores: FloatArray
    """(k,) of the subset, rising; its candidates have 2 k + 1 places, highest first."""
    in_folds: IntArray
    """(m,) the scores that occur in each fold in turn, as (2 k + 1) · fold + place in the subset, rising.

    The candidates of fold f have places behind those of earlier folds; 2 m + n_folds in all.
    """
    n_folds: int

    @classmethod
    def of(cls, gold: ScoredCandidates, cells: Cells) -> Levels:
        """Return the scores of relevant candidates."""
        fold = cells.fold[gold.query]
        scores, rising = np.unique(gold.score[fold >= 0], return_inverse=True)
        place = 2 * (len(scores) - rising) - 1
        return cls(scores, np.unique((2 * len(scores) + 1) * fold[fold >= 0].astype(np.int64) + place), cells.n_folds)

    @property
    def n_places(self) -> tuple[int, ...]:
        """Return the number of places in the subset, and in its folds; a single fold is the subset."""
        of_subset = 2 * len(self.scores) + 1
        return (of_subset,) if self.n_folds == 1 else (of_subset, 2 * len(self.in_folds) + self.n_folds)

    def places_in_folds(self, place: NDArray[np.int32], fold: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return (n,) the places in their folds of candidates at (n,) places in the subset."""
        of_subset = 2 * len(self.scores) + 1
        key = place + of_subset * fold.astype(np.int64)
        if self.n_folds * of_subset > _TABLE * len(key):
            found = np.searchsorted(self.in_folds, key)
            here = np.append(self.in_folds, -1)[found] == key
        else:
            among = np.zeros(self.n_folds * of_subset, dtype=bool)
            among[self.in_folds] = True
            found, here = (np.cumsum(among, dtype=np.int32) - among)[key], among[key]
        return np.asarray(2 * found + here + fold, dtype=np.int32)

    def starts(self) -> IntArray:
        """Return (n_folds + 1,) where the places of each fold begin, and where all end."""
        folds = np.arange(self.n_folds + 1)
        return np.asarray(2 * np.searchsorted(self.in_folds, (2 * len(self.scores) + 1) * folds) + folds)


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The candidates of a subset at their places. Arrays have shape (n,)."""

    query: NDArray[np.int32]
    relevant: BoolArray
    places: tuple[NDArray[np.int32], ...]
    """In the subset, and in its folds; a single fold is the subset."""

    @classmethod
    def of(cls, candidates: ScoredCandidates, levels: Levels, cells: Cells) -> Placed:
        """Return the candidates of the cells at their places."""
        inside = cells.fold[candidates.query] >= 0
        rows: Any = slice(None) if inside.all() else np.flatnonzero(inside)
        query, relevant, scores = candidates.query[rows], candidates.relevant[rows], candidates.score[rows]
        places = tuple(np.empty(len(query), dtype=np.int32) for _ in levels.n_places)
        of_levels = np.append(levels.scores, np.nan)
        for begin in range(0, len(query), _TOGETHER):
            some = slice(begin, begin + _TOGETHER)
            order = np.argsort(scores[some])  # neighbours are near in memory
            score = scores[some][order]
            lower = np.searchsorted(levels.scores, score)
            # Falling: an odd place for each score of relevant candidates, and an even one above, between and below.
            places[0][some][order] = 2 * (len(levels.scores) - lower) - (of_levels[lower] == score)
            if len(places) > 1:
                places[1][some] = levels.places_in_folds(places[0][some], cells.fold[query[some]])
        return cls(query, relevant, places)

    def counts(self, levels: Levels) -> Counts:
        """Return how many candidates are at each place."""
        return added([[np.bincount(place, minlength=n) for place, n in zip(self.places, levels.n_places, strict=True)]])


def added(counts: Sequence[Counts]) -> Counts:
    """Return the counts of several partitions together, in as few bytes as hold them."""
    sums = [np.sum(parts, axis=0, dtype=np.int64) for parts in zip(*counts, strict=True)]
    return [one.astype(np.min_scalar_type(int(one.max(initial=0)))) for one in sums]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What follows from the counts of all candidates: values, and what a candidate moves by its place."""

    values: FloatArray
    """(n_areas, 1 + n_folds) of the subset, then of each fold; NaN = undefined."""
    moved: Sequence[Sequence[ByClass]]
    """Of each area in the subset, and in its folds; zeros where it is undefined."""

    @classmethod
    def of(cls, counts: Counts, gold: ScoredCandidates, levels: Levels, cells: Cells, areas: Areas) -> Tables:
        """Return the tables of a subset from the counts of all partitions."""
        placed, starts = Placed.of(gold, levels, cells), levels.starts()
        ranks = [Ranks.of(counts[0].astype(np.int64), placed.places[0])]
        if levels.n_folds > 1:
            fold = cells.fold[placed.query]
            order = np.argsort(fold, kind="stable")
            members = np.split(order, np.searchsorted(fold[order], np.arange(1, levels.n_folds)))
            ranks += [
                Ranks.of(counts[1][start:end].astype(np.int64), placed.places[1][own] - np.int32(start))
                for start, end, own in zip(starts[:-1].tolist(), starts[1:].tolist(), members, strict=True)
            ]
        values, moved = np.full((len(areas), 1 + levels.n_folds), np.nan), []
        for at, (_, area) in enumerate(areas):
            values[at, : len(ranks)] = [area.value(one) for one in ranks]
            every, *in_folds = (
                ByClass.nothing(len(one.fp)) if np.isnan(value) else area.influence(one)
                for one, value in zip(ranks, values[at], strict=False)
            )
            moved.append([every, ByClass.joined(in_folds)] if in_folds else [every])
        if levels.n_folds == 1:
            values[:, 1] = values[:, 0]
        return cls(values, moved)


@dataclass(frozen=True, slots=True, eq=False)
class QuerySums:
    """What the candidates of some queries move, summed by query."""

    areas: tuple[MetricId, ...]
    values: FloatArray
    """(n_areas, 1 + n_folds) of all candidates of the subset."""
    query: NDArray[np.int32]
    """(k,) queries of the run."""
    sums: FloatArray
    """(n_areas, 1 or 2, k) in the subset, and in its folds; a single fold is the subset."""

    @classmethod
    def of(cls, placed: Placed, tables: Tables, areas: Areas) -> QuerySums:
        """Return the sums of candidates, whose order within a query is that of the run."""
        first = np.diff(placed.query, prepend=-1) != 0
        own, member = placed.query[first], np.cumsum(first) - 1
        sums = np.empty((len(areas), len(placed.places), len(own)))
        for at, of_area in enumerate(tables.moved):
            for kind, (place, moved) in enumerate(zip(placed.places, of_area, strict=True)):
                # bincount adds one by one, from the first candidate of a query to its last.
                sums[at, kind] = np.bincount(member, weights=moved.of_rows(place, placed.relevant), minlength=len(own))
        return cls(tuple(id for id, _ in areas), tables.values, own, sums)


def sums_of(candidates: ScoredCandidates, cells: Cells, areas: Areas) -> QuerySums:
    """Return the sums of candidates that are all here."""
    gold = candidates.gold
    levels = Levels.of(gold, cells)
    placed = Placed.of(candidates, levels, cells)
    tables = Tables.of(placed.counts(levels), gold, levels, cells, areas)
    return QuerySums.of(placed, tables, areas)
