"""Ranks of chosen candidates, counted: a rank is 1 + the number of higher scores + what the tie rule adds.

A ranking metric needs the ranks of a query's relevant candidates and nothing of the others but their number. So no
list is sorted: one pass over the rows compares each score with that of the first chosen candidate of its query, the
next pass, over the queries that have a second one, with that of the second, and so on. Rows may be in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray, IntArray

COUNTED = 32
"""A query with more chosen candidates than this is sorted: a pass over its rows for each of them would cost more."""
_IN_CACHE = 1 << 14
"""Rows in a part: what is made of them on the way takes 128 KiB, and no new memory from the system."""


@dataclass(frozen=True)
class Scored:
    """What a system ranked: one row per query and candidate, in any order. All arrays have shape (n,)."""

    query: IntArray
    score: FloatArray
    """Higher first; NaN = not retrieved."""
    n_queries: int
    tie_order: Callable[[], tuple[IntArray, ...]] | None
    """Keys that order equal scores, lower first, the deciding one first; only called where scores are equal.

    None where no order is preferred: ``earlier`` is then 0.
    """

    @cached_property
    def tie_keys(self) -> tuple[IntArray, ...]:
        """The keys, made once."""
        return () if self.tie_order is None else self.tie_order()

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        """The rows in parts that fit the cache."""
        return _parts(self.query, self.score, self.n_queries)

    def counts(self) -> tuple[IntArray, IntArray]:
        """(n_queries,) rows of each query, and those of them that are retrieved."""
        rows, retrieved = (np.zeros(self.n_queries, dtype=np.int64) for _ in range(2))
        for part in self.parts:
            part.add(None, rows)
            lost = np.isnan(part.score)
            part.add(~lost if lost.any() else None, retrieved)
        return rows, retrieved


@dataclass(frozen=True)
class Places:
    """Where chosen candidates stand; arrays have shape (n_chosen,). For one that is not retrieved all are 0."""

    higher: IntArray
    """Candidates of the query with a higher score."""
    equal: IntArray
    """Candidates of the query with the same score, itself included."""
    earlier: IntArray
    """Of these, the ones that the tie rule puts before it."""

    @property
    def rank(self) -> FloatArray:
        """Rank from 1; inf where not retrieved."""
        return np.where(self.equal > 0, 1.0 + self.higher + self.earlier, np.inf)

    def of(self, rows: IntArray) -> Places:
        """The places of some of them, in this order."""
        return Places(self.higher[rows], self.equal[rows], self.earlier[rows])


def places_of(scored: Scored, chosen: IntArray) -> Places:
    """Where the ``chosen`` rows stand, which are sorted by query."""
    owner = scored.query[chosen]
    nth, size = numbered(owner, scored.n_queries)
    places = Places(*(np.zeros(len(chosen), dtype=np.int64) for _ in range(3)))
    many = size > COUNTED
    if many.any():
        _sort(scored, chosen, many, places)
        nth[many[owner]] = -1
    _count(scored, chosen, nth, places)
    return places


def numbered(query: IntArray, n_queries: int) -> tuple[IntArray, IntArray]:
    """(n,) place of each row among those of its query, from 0, of rows sorted by query; (n_queries,) their number."""
    size = np.bincount(query, minlength=n_queries)
    return np.arange(len(query)) - (np.cumsum(size) - size)[query], size


@dataclass(frozen=True)
class _Part:
    """Rows that follow each other, few enough to stay in the cache while they are compared and counted."""

    start: int
    query: IntArray
    score: FloatArray
    runs: tuple[IntArray, IntArray, IntArray] | None
    """The queries, where each begins and how many rows it has, where the rows are sorted by query."""

    def spread(self, values: FloatArray) -> FloatArray:
        """(n,) the value of each row's query."""
        if self.runs is None:
            return np.asarray(values[self.query])
        queries, _, size = self.runs
        return np.repeat(values[queries], size)

    def add(self, rows: BoolArray | None, total: IntArray) -> None:
        """Add to (n_queries,) totals how many of these rows (None = of all) each query has."""
        if self.runs is None:
            total += np.bincount(self.query, weights=rows, minlength=len(total)).astype(np.int64)
        else:
            queries, first, size = self.runs
            total[queries] += size if rows is None else np.add.reduceat(rows, first, dtype=np.int64)


def _parts(query: IntArray, score: FloatArray, n_queries: int) -> tuple[_Part, ...]:
    """The rows in parts: a query may go on in the next one, since counts add up."""
    is_sorted = not np.any(query[1:] < query[:-1])
    size = _IN_CACHE if is_sorted else max(_IN_CACHE, n_queries)
    parts = []
    for start in range(0, len(query), size):
        mine = query[start : start + size]
        runs = None
        if is_sorted:
            first = np.concatenate([[0], np.flatnonzero(mine[1:] != mine[:-1]) + 1])
            runs = (mine[first], first, np.diff(first, append=len(mine)))
        parts.append(_Part(start, mine, score[start : start + size], runs))
    return tuple(parts)


def _count(scored: Scored, chosen: IntArray, nth: IntArray, places: Places) -> None:
    """Fill in the places of the chosen rows with ``nth`` from 0, one pass over the rows for each value of it."""
    n, parts, kept = scored.n_queries, scored.parts, None
    queries = n
    for turn in range(int(nth.max(initial=-1)) + 1):
        now = np.flatnonzero(nth == turn)
        owner = scored.query[chosen[now]]
        if 4 * len(owner) < queries:  # leave out the rows of those that have had all their turns
            kept, parts = _narrowed(parts, kept, owner, n)
            queries = len(owner)
        # A query that has no turn, and a row that is not retrieved, is NaN: neither above nor equal to anything.
        level = np.full(n, np.nan)
        level[owner] = scored.score[chosen[now]]
        higher, found = np.zeros(n, dtype=np.int64), [np.zeros(0, dtype=np.int64)]
        for part in parts:
            compared = part.spread(level)
            part.add(part.score > compared, higher)
            found.append(np.flatnonzero(part.score == compared) + part.start)
        same = np.concatenate(found) if kept is None else kept[np.concatenate(found)]
        of = scored.query[same]
        equal = np.bincount(of, minlength=n)
        places.higher[now], places.equal[now] = higher[owner], equal[owner]
        if scored.tie_order is not None and len(of) and equal.max() > 1:
            this = np.zeros(n, dtype=np.int64)
            this[owner] = chosen[now]
            tied = equal[of] > 1
            same, of = same[tied], of[tied]
            before = _before(scored.tie_keys, same, this[of])
            places.earlier[now] = np.bincount(of, weights=before, minlength=n)[owner]


def _narrowed(
    parts: tuple[_Part, ...], kept: IntArray | None, queries: IntArray, n_queries: int
) -> tuple[IntArray, tuple[_Part, ...]]:
    """The rows of some queries only: their numbers among all rows, and they in parts."""
    wanted = np.zeros(n_queries, dtype=bool)
    wanted[queries] = True
    among = [np.flatnonzero(wanted[part.query]) for part in parts]
    query = np.concatenate([part.query[rows] for part, rows in zip(parts, among, strict=True)])
    score = np.concatenate([part.score[rows] for part, rows in zip(parts, among, strict=True)])
    keep = np.concatenate([rows + part.start for part, rows in zip(parts, among, strict=True)])
    return keep if kept is None else kept[keep], _parts(query, score, n_queries)


def _before(keys: tuple[IntArray, ...], rows: IntArray, others: IntArray) -> BoolArray:
    """Whether each row comes before the other one by the first key that tells them apart."""
    before = np.zeros(len(rows), dtype=bool)
    for key in reversed(keys):
        mine, theirs = key[rows], key[others]
        before = (mine < theirs) | ((mine == theirs) & before)
    return before


def _sort(scored: Scored, chosen: IntArray, many: BoolArray, places: Places) -> None:
    """Fill in the places of the chosen rows of these queries from their sorted rows."""
    rows = np.flatnonzero(many[scored.query] & ~np.isnan(scored.score))
    ties = [key[rows] for key in reversed(scored.tie_keys)]
    rows = rows[np.lexsort((*ties, -scored.score[rows], scored.query[rows]))]
    query, score = scored.query[rows], scored.score[rows]
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (query[1:] != query[:-1]) | (score[1:] != score[:-1])
    group = np.cumsum(new) - 1
    place, _ = numbered(query, scored.n_queries)
    first = np.flatnonzero(new)
    at = np.full(len(scored.query), -1, dtype=np.int64)
    at[rows] = np.arange(len(rows))
    now = np.flatnonzero(at[chosen] >= 0)
    at = at[chosen[now]]
    places.higher[now] = place[first[group[at]]]
    places.equal[now] = np.bincount(group)[group[at]]
    if scored.tie_order is not None:
        places.earlier[now] = place[at] - place[first[group[at]]]
