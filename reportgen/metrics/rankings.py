"""One system's rankings: the ranks of the relevant candidates under a tie rule, which all ranking metrics rest on.

Under ``ties = "expected"`` no order of a tie is preferred: a metric of a query is its expected value when every group
of equal scores is shuffled uniformly (McSherry & Najork 2008). Closed forms make one pass over the groups; no order is
ever enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.pools import Pools, RankedGold
from reportgen.domain.retrieved import Retrieved, in_few_bytes
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray

_DEEPEST = np.finfo(np.float64).max
"""What no rank exceeds but that of a candidate that is not retrieved, which is inf."""
_PAIRS_PER_ROW = 16
"""A row is sorted in the time in which so many pairs are compared."""
KEPT = 3
"""Systems whose rankings are kept: the one in work, what it is compared with, and one more."""
Discount: TypeAlias = Callable[[float], float]
"""Rank from 1 to the weight of its place."""
TieKeys: TypeAlias = "Callable[[], tuple[IntArray | FloatArray, ...]]"
"""Makes the (n,) keys that order equal scores, lower first, the deciding key first; called only where there are any."""


@dataclass(frozen=True)
class TieGroups:
    """Groups of equal scores that hold at least one member (a relevant, or an unjudged, candidate).

    Sorted by query and rank; all arrays have shape (n_groups,) unless stated.
    """

    query: IntArray
    start: FloatArray
    """Candidates ranked above the group."""
    size: FloatArray
    """Candidates in the group."""
    members: FloatArray
    """Members in the group."""
    before: FloatArray
    """Members of the query above the group."""
    of_member: IntArray
    """(n_members,) the group of each member, in the order of the ranking; -1 where it is not retrieved."""
    n_queries: int

    def in_top(self, k: FloatArray | float) -> FloatArray:
        """Return how many places of each group are in the top k (one k, inf for no cut, or one per query)."""
        depth = k[self.query] if isinstance(k, np.ndarray) else k
        return np.asarray(np.clip(depth - self.start, 0, self.size), dtype=np.float64)

    def per_query(self, values: FloatArray) -> FloatArray:
        """Return (n_queries,) sums of one value per group."""
        return np.bincount(self.query, weights=values, minlength=self.n_queries).astype(np.float64)

    def hits(self, k: FloatArray | float) -> FloatArray:
        """Return (n_queries,) expected members in the top k."""
        return self.per_query(self.members * self.in_top(k) / self.size)

    def gain(self, gain: FloatArray, discount: Discount, k: float) -> FloatArray:
        """Return (n_queries,) expected gain of the top k: ``gain`` (n_members,) times the discount of its rank."""
        retrieved = self.of_member >= 0
        total = np.bincount(self.of_member[retrieved], weights=gain[retrieved], minlength=len(self.query))
        discounts = np.array([0.0, *(discount(rank) for rank in range(1, self._deepest() + 1))])
        return self.per_query(total / self.size * self._between(np.cumsum(discounts), self.in_top(k)))

    def cascade(self, stops: FloatArray, k: float) -> FloatArray:
        """Return (n_queries,) the expected reciprocal of the rank, within k, at which a reader stops.

        ``stops`` (n_members,): the chance to stop at a member; a reader passes everything else. After t places of a
        group the chance not to have stopped is the mean over all t of its candidates of the product of their chances.
        """
        order = np.argsort(self.of_member, kind="stable")
        bounds = np.searchsorted(self.of_member[order], np.arange(len(self.query) + 1))
        expected, reaching = np.zeros(self.n_queries), np.ones(self.n_queries)
        for group, (query, places) in enumerate(zip(self.query.tolist(), self.in_top(k).tolist(), strict=True)):
            passing = self._passing(stops[order[bounds[group] : bounds[group + 1]]], int(self.size[group]))
            ranks = self.start[group] + np.arange(1, int(places) + 1)
            stopping = passing[: int(places)] - passing[1 : int(places) + 1]
            expected[query] += reaching[query] * math.fsum((stopping / ranks).tolist())
            reaching[query] *= passing[-1]
        return expected

    @staticmethod
    def _passing(stops: FloatArray, size: int) -> FloatArray:
        """Return (size + 1,) the chance not to have stopped after t places of one group, its members added in turn."""
        passing = np.ones(size + 1)
        for n, stop in enumerate(stops.tolist(), size - len(stops) + 1):
            # Of t places among n candidates the new one has one with the chance t / n.
            share = np.arange(1, n + 1) / n
            passing[1 : n + 1] = (1 - share) * passing[1 : n + 1] + share * (1 - stop) * passing[:n]
        return passing

    def precisions(self, k: float) -> FloatArray:
        """Return (n_queries,) expected sum of the precisions at the ranks of members within k."""
        places = self.in_top(k)
        return self.per_query(self._precisions(self.members, self.size, places))

    def precisions_over_hits(self, k: float) -> FloatArray:
        """Return (n_queries,) expected value of that sum divided by the members in the top k; 0 without any.

        The group that straddles k holds a hypergeometric number of hits; given that number they are spread evenly.
        """
        places = self.in_top(k)
        cut = (places > 0) & (places < self.size)
        above = self.per_query(np.where(cut, 0.0, self._precisions(self.members, self.size, places)))
        found = self.per_query(np.where(cut | (places == 0), 0.0, self.members))
        plain = above / np.maximum(found, 1)
        if not cut.any():
            return plain
        group = np.flatnonzero(cut)
        query, size, gold = self.query[group], self.size[group], self.members[group]
        places, expected = places[group], np.zeros(len(group))
        for hits in range(int(np.minimum(gold, places).max()) + 1):
            chance = _hypergeometric(float(hits), size, gold, places)
            within = self._precisions(np.full(len(group), float(hits)), places, places, group)
            expected += chance * (above[query] + within) / np.maximum(found[query] + hits, 1)
        plain[query] = expected
        return plain

    def first_within(self, k: float) -> tuple[FloatArray, FloatArray]:
        """Return (n_queries,) the chance of a member in the top k, and the first one's expected reciprocal rank."""
        first = np.flatnonzero(self.before == 0)
        start, size, gold = self.start[first], self.size[first], self.members[first]
        places = self.in_top(k)[first]
        chance = gold / size
        hit, reciprocal = np.zeros(len(first)), np.zeros(len(first))
        for place in range(1, int(np.minimum(places, size - gold + 1).max(initial=0)) + 1):
            now = np.where(place <= places, chance, 0.0)
            hit += now
            reciprocal += now / (start + place)
            # The next place is the first hit if this one is not: without replacement.
            chance = chance * (size - place - gold + 1) / np.maximum(size - place, 1)
        hit[places >= size - gold + 1] = 1.0
        both = np.zeros((2, self.n_queries))
        both[:, self.query[first]] = np.minimum(hit, 1.0), reciprocal
        return both[0], both[1]

    def first_rank(self) -> FloatArray:
        """Return (n_queries,) expected rank of the first member; inf where none is retrieved."""
        first = self.before == 0
        ranks = np.full(self.n_queries, np.inf)
        ranks[self.query[first]] = (self.start + (self.size + 1) / (self.members + 1))[first]
        return ranks

    def _precisions(
        self, gold: FloatArray, size: FloatArray, places: FloatArray, group: IntArray | None = None
    ) -> FloatArray:
        """Return the expected sum of precisions over the first places of each group, ``gold`` of whose ``size`` are
        members.

        At place j a member is expected to have before + 1 + (j - 1)(gold - 1)/(size - 1) members up to and with it.
        """
        rows = np.arange(len(self.query)) if group is None else group
        start, before = self.start[rows], self.before[rows]
        ranks = np.array([0.0, *(1.0 / rank for rank in range(1, self._deepest() + 1))])
        harmonic = self._between(np.cumsum(ranks), places, rows)
        slope = np.divide(gold - 1, size - 1, out=np.zeros(len(size)), where=size > 1)
        return gold / size * ((before + 1) * harmonic + slope * (places - (start + 1) * harmonic))

    def _deepest(self) -> int:
        return int((self.start + self.size).max(initial=0))

    def _between(self, cumulative: FloatArray, places: FloatArray, rows: IntArray | None = None) -> FloatArray:
        """Sum over the ranks start + 1 … start + places of what ``cumulative`` accumulates by rank."""
        start = (self.start if rows is None else self.start[rows]).astype(np.int64)
        return np.asarray(cumulative[start + places.astype(np.int64)] - cumulative[start])


def _hypergeometric(hits: float, size: FloatArray, gold: FloatArray, places: FloatArray) -> FloatArray:
    """Return the chance of ``hits`` members in ``places`` draws without replacement from a group."""
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, size.max(initial=1.0) + 1)))])
    possible = (hits <= np.minimum(gold, places)) & (places - hits <= size - gold)

    def log_choose(n: FloatArray, k: FloatArray) -> FloatArray:
        def at(values: FloatArray) -> FloatArray:
            # Impossible draws may point outside the table; their chance is set to 0 below.
            return np.asarray(logs[np.clip(values, 0, len(logs) - 1).astype(np.int64)])

        return at(n) - at(k) - at(n - k)

    drawn = np.full(len(size), hits)
    chance = np.exp(log_choose(gold, drawn) + log_choose(size - gold, places - drawn) - log_choose(size, places))
    return np.where(possible, chance, 0.0)


@dataclass(frozen=True)
class Judgments:
    """The relevant (or all judged) candidates of all queries, sorted by query and rank."""

    query: IntArray
    """(n,) query index."""
    rank: FloatArray
    """(n,) rank from 1 under the tie rule; inf = not retrieved."""
    relevance: FloatArray
    """(n,) grade."""
    nth: IntArray
    """(n,) 1 for the query's first row, 2 for its second, …"""
    tied: TieGroups | None = None
    """Groups of equal scores that hold them, under ``ties = "expected"``: ``rank`` then means nothing."""

    @cached_property
    def discount(self) -> FloatArray:
        """(n,) 1 / log2(rank + 1), 0 where not retrieved."""
        return at_ranks(self.rank, log_discount)

    @cached_property
    def ideal_discount(self) -> FloatArray:
        """(n,) the discount at rank ``nth``, which they have where nothing else stands above them."""
        return at_ranks(self.nth.astype(np.float64), log_discount)

    def in_top(self, k: FloatArray | float, n_queries: int) -> FloatArray:
        """Return (n_queries,) how many are in the top k (one k, or one per query); expected under shuffled ties."""
        if self.tied is not None:
            return self.tied.hits(k)
        depth = k[self.query] if isinstance(k, np.ndarray) else k
        found = np.bincount(self.query, weights=self.within(depth), minlength=n_queries)
        return np.asarray(found, dtype=np.float64)

    def within(self, k: FloatArray | float) -> BoolArray:
        """Return (n,) which are in the top k (one k, inf for no cut, or one per row); none that is not retrieved."""
        return np.asarray(self.rank <= np.minimum(k, _DEEPEST))


@dataclass(frozen=True)
class Rankings:
    """One system's rankings: per query the number of retrieved and relevant candidates, and the ranks of the latter."""

    relevant: Judgments
    """All that binary ranking metrics need."""
    n_candidates: IntArray
    """(n_queries,) candidates in the pool."""
    n_retrieved: IntArray
    """(n_queries,) candidates the system ranked."""
    n_relevant: IntArray
    """(n_queries,)"""
    ideal: Judgments
    """The relevant candidates by falling grade: ``nth`` is their rank in the ideal ranking."""
    judged: Judgments | None = None
    """None where all candidates are judged."""

    @property
    def tied(self) -> TieGroups | None:
        """The groups of equal scores with relevant candidates, under ``ties = "expected"``."""
        return self.relevant.tied

    def hits(self, k: FloatArray | float) -> FloatArray:
        """Return (n_queries,) the relevant in the top k (one k, or one per query); expected under shuffled ties."""
        return self.relevant.in_top(k, len(self.n_relevant))

    @property
    def n_nonrelevant(self) -> FloatArray:
        """Return (n_queries,) candidates that were judged and are not relevant, retrieved or not."""
        n = len(self.n_relevant)
        judged = self.n_candidates if self.judged is None else np.bincount(self.judged.query, minlength=n)
        return np.asarray(judged - self.n_relevant, dtype=np.float64)

    def nonrelevant_above(self) -> tuple[FloatArray, FloatArray]:
        """Return (n,) judged non-relevant candidates above each relevant one, and (n,) those in no order with it.

        Both are 0 where it is not retrieved.
        """
        relevant, tied = self.relevant, self.relevant.tied
        above, beside = np.zeros((2, len(relevant.rank)))
        retrieved = np.flatnonzero(np.isfinite(relevant.rank))
        if self.judged is not None:
            # The relevant ones are in the same order among all that are judged.
            known = np.flatnonzero(self.judged.relevance > 0)[retrieved]
        if tied is None:
            place = relevant.rank[retrieved] if self.judged is None else self.judged.nth[known]
            above[retrieved] = place - relevant.nth[retrieved]
            return above, beside
        group = tied.of_member[retrieved]
        first, size = tied.start[group], tied.size[group]
        if self.judged is not None and self.judged.tied is not None:
            of_judged = self.judged.tied
            first, size = (values[of_judged.of_member[known]] for values in (of_judged.before, of_judged.members))
        above[retrieved], beside[retrieved] = first - tied.before[group], size - tied.members[group]
        return above, beside

    def n_judged(self, k: float) -> FloatArray:
        """Return (n_queries,) judged candidates in the top k; expected under shuffled ties."""
        if self.judged is None:
            return np.minimum(self.n_retrieved, k).astype(np.float64)
        return self.judged.in_top(k, len(self.n_relevant))


def log_discount(rank: float) -> float:
    """Return 1 / log2(rank + 1) (Järvelin & Kekäläinen 2002)."""
    return 1.0 / math.log2(rank + 1.0)


def at_ranks(rank: FloatArray, discount: Discount) -> FloatArray:
    """Return (n,) the discount of each rank from 1, 0 where the rank is inf.

    Ranks are whole numbers, so each that occurs is looked up in a table, made without numpy: the last bit of its
    logarithms and powers differs between processors.
    """
    deepest = int(rank.max(initial=0.0, where=np.isfinite(rank))) + 1
    place = np.minimum(rank, deepest).astype(np.int64)
    table = np.zeros(deepest + 1)
    for r in np.flatnonzero(np.bincount(place, minlength=1)[:deepest]).tolist():
        table[r] = discount(r)
    return np.asarray(table[place])


def rank_candidates(candidates: Candidates, retrieved: Retrieved, n_queries: int, contract: Contract) -> Rankings:
    """Return the ranks under the contract's tie rule, kept for relevant (and for judged or unjudged) candidates only.

    Candidates that are not retrieved have no rank, but count as relevant where they are. Under
    ``unjudged = "judged_only"`` a candidate nobody judged is taken out of the ranking (trec_eval -J).
    """
    return _ranked(candidates, retrieved, n_queries, contract.text("ties"), contract.text("unjudged"))


@lru_cache(maxsize=KEPT)
def _ranked(candidates: Candidates, retrieved: Retrieved, n_queries: int, ties: str, unjudged: str) -> Rankings:
    listed = _Listed.of(candidates, retrieved, unjudged)
    scored = Scored(listed.query, listed.score, n_queries, listed.keys(ties))
    rankings = rank_rows(scored, listed.relevance, listed.judged)
    return replace(rankings, n_candidates=np.bincount(candidates.query, minlength=n_queries))


@dataclass(frozen=True, slots=True, eq=False)
class _Listed:
    """The candidates that a system ranked, and those that it should have. Arrays have shape (n,)."""

    query: IntArray
    relevance: FloatArray
    score: FloatArray
    """NaN = not retrieved."""
    position: IntArray
    """In the system's own input order."""
    judged: BoolArray | None
    docs: Callable[[], pa.Array]
    """Gives the (n,) documents."""

    @classmethod
    def of(cls, candidates: Candidates, retrieved: Retrieved, unjudged: str) -> _Listed:
        """Return what a system listed of all candidates."""
        judged, row, score = candidates.judged, retrieved.row, retrieved.score
        if judged is not None and unjudged == "judged_only":
            row, score = row[judged[row]], score[judged[row]]
        # What is neither retrieved nor judged counts as a candidate, and is nothing else: of many systems, most are.
        kept = candidates.relevance > 0 if judged is None else judged.copy()
        kept[row] = True
        rows = np.flatnonzero(kept)
        at = np.searchsorted(rows, row)
        scores, position = np.full(len(rows), np.nan), np.zeros(len(rows), dtype=np.int64)
        scores[at], position[at] = score, np.arange(len(row))

        def docs() -> pa.Array:
            return pa.array([candidates.docs[code] for code in candidates.doc[rows].tolist()], pa.large_string())

        of_rows = None if judged is None else judged[rows]
        return cls(candidates.query[rows], candidates.relevance[rows], scores, position, of_rows, docs)

    def keys(self, ties: str) -> TieKeys | None:
        """Return what makes the keys of a tie rule."""
        return tie_keys(ties, self.relevance, lambda: self.position, lambda: descending_ids(self.docs()))


def ranked_gold(candidates: Candidates, retrieved: Retrieved, n_queries: int) -> RankedGold:
    """Return where a system ranks the relevant candidates under every tie rule; all candidates are judged."""
    listed = _Listed.of(candidates, retrieved, "nonrelevant")
    gold = np.flatnonzero(listed.relevance > 0)
    plain = places_of(Scored(listed.query, listed.score, n_queries, None), gold)
    earlier = dict.fromkeys(vocabulary()["ties"].values, in_few_bytes(plain.earlier))
    if plain.equal.max(initial=0) > 1:
        for rule in earlier:
            scored = Scored(listed.query, listed.score, n_queries, listed.keys(rule))
            earlier[rule] = in_few_bytes(places_of(scored, gold).earlier)
    return RankedGold(listed.score[gold], in_few_bytes(plain.higher), in_few_bytes(plain.equal), earlier)


@lru_cache(maxsize=KEPT)
def rankings_of_gold(pools: Pools, system: str, ties: str) -> Rankings:
    """Return the rankings of a system of which only the places of relevant candidates are known."""
    gold, n = pools.ranked[system].gold, len(pools.n_candidates)
    places = Places(*(one.astype(np.int64) for one in (gold.higher, gold.equal, gold.earlier[ties])))
    query = pools.relevant.astype(np.int64)
    relevant = _by_rank(query, pools.relevance, places, n, expected=ties == "expected")
    return _rankings(relevant, pools.n_candidates, pools.ranked[system].n_retrieved, None)


@dataclass(frozen=True)
class Scored:
    """What a system ranked: one row per query and candidate, in any order. Arrays have shape (n,)."""

    query: IntArray
    score: FloatArray
    """Higher first; NaN = not retrieved."""
    n_queries: int
    tie_order: TieKeys | None
    """None where no order of equal scores is preferred."""

    @cached_property
    def tie_keys(self) -> tuple[IntArray | FloatArray, ...]:
        """The keys, made once."""
        return () if self.tie_order is None else self.tie_order()


def forget_rankings() -> None:
    """Let go of the rankings that are kept."""
    _ranked.cache_clear()
    rankings_of_gold.cache_clear()


def rank_rows(scored: Scored, relevance: FloatArray, judged: BoolArray | None = None) -> Rankings:
    """Return the rankings of rows of candidates in any order, with their grades (above 0 = relevant)."""
    n, retrieved = scored.n_queries, ~np.isnan(scored.score)
    return _rankings(
        _judgments(scored, relevance, relevance > 0),
        np.bincount(scored.query, minlength=n),
        np.bincount(scored.query[retrieved], minlength=n),
        None if judged is None else _judgments(scored, relevance, judged),
    )


def _rankings(relevant: Judgments, n_candidates: IntArray, n_retrieved: IntArray, judged: Judgments | None) -> Rankings:
    best_first = np.lexsort((-relevant.relevance, relevant.query))
    return Rankings(
        relevant,
        n_candidates,
        n_retrieved,
        np.bincount(relevant.query, minlength=len(n_candidates)),
        # Of the ideal ranking, the places are ``nth``; the order of the system does not change them.
        Judgments(relevant.query, relevant.rank[best_first], relevant.relevance[best_first], relevant.nth),
        judged,
    )


def _judgments(scored: Scored, relevance: FloatArray, chosen: BoolArray) -> Judgments:
    """Return the chosen rows by query and rank, those that are not retrieved last."""
    rows, expected = np.flatnonzero(chosen), scored.tie_order is None
    places = places_of(scored, rows)
    return _by_rank(scored.query[rows], relevance[rows], places, scored.n_queries, expected=expected)


def _by_rank(query: IntArray, relevance: FloatArray, places: Places, n_queries: int, *, expected: bool) -> Judgments:
    order = np.lexsort((places.rank, query))
    query, places = query[order], places.of(order)
    nth = np.arange(len(query)) - np.searchsorted(query, query)
    tied = _tie_groups(query, nth, places, n_queries) if expected else None
    return Judgments(query, places.rank, relevance[order], nth + 1, tied)


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
        """Return the places of some of them, in this order."""
        return Places(self.higher[rows], self.equal[rows], self.earlier[rows])


def places_of(scored: Scored, chosen: IntArray) -> Places:
    """Return where the chosen rows stand, in the way that takes less time."""
    pairs = int(np.bincount(scored.query, minlength=scored.n_queries)[scored.query[chosen]].sum())
    return (by_counting if pairs <= _PAIRS_PER_ROW * len(scored.query) else by_sorting)(scored, chosen)


def by_sorting(scored: Scored, chosen: IntArray) -> Places:
    """Return where the chosen rows are in the sorted lists of all queries."""
    rows = np.flatnonzero(~np.isnan(scored.score))
    ties = (key[rows] for key in reversed(scored.tie_keys))
    rows = rows[np.lexsort((*ties, -scored.score[rows], scored.query[rows]))]
    query, score = scored.query[rows], scored.score[rows]
    is_new = np.append(True, (query[1:] != query[:-1]) | (score[1:] != score[:-1]))[: len(rows)]
    group = np.cumsum(is_new) - 1
    first = np.flatnonzero(is_new)[group]
    earlier = np.zeros(len(rows), dtype=np.int64) if scored.tie_order is None else np.arange(len(rows)) - first
    places = np.zeros((3, len(scored.query)), dtype=np.int64)
    places[:, rows] = first - np.searchsorted(query, query), np.bincount(group)[group], earlier
    return Places(*places[:, chosen])


def by_counting(scored: Scored, chosen: IntArray) -> Places:
    """Return where the chosen rows stand, comparing each with all rows of its query: sorting all costs more."""
    size = np.bincount(scored.query, minlength=scored.n_queries)
    owner = scored.query[chosen]
    length = size[owner]
    begin = np.cumsum(length) - length
    # Pairs of a row and the chosen one that it is compared with.
    rows = np.arange(length.sum()) + np.repeat((np.cumsum(size) - size)[owner] - begin, length)
    if np.any(scored.query[1:] < scored.query[:-1]):
        rows = np.argsort(scored.query, kind="stable")[rows]
    score, level = scored.score[rows], np.repeat(scored.score[chosen], length)
    is_equal = score == level
    higher, equal = (_counts(pairs, begin) for pairs in (score > level, is_equal))
    earlier = np.zeros(len(chosen), dtype=np.int64)
    if scored.tie_order is not None and equal.max(initial=0) > 1:
        pairs = np.flatnonzero(is_equal)
        which = np.repeat(np.arange(len(chosen)), equal)
        before = _before(scored.tie_keys, rows[pairs], chosen[which])
        earlier = np.bincount(which, weights=before, minlength=len(chosen)).astype(np.int64)
    return Places(higher, equal, earlier)


def _counts(pairs: BoolArray, begin: IntArray) -> IntArray:
    """Return how many pairs are true, for each chosen row; ``begin``: its first pair."""
    return np.asarray(np.add.reduceat(pairs, begin, dtype=np.int64)) if len(begin) else np.zeros(0, dtype=np.int64)


def _before(keys: tuple[IntArray | FloatArray, ...], rows: IntArray, others: IntArray) -> BoolArray:
    """Return whether each row comes before the other one by the first key that tells them apart."""
    before = np.zeros(len(rows), dtype=bool)
    for key in reversed(keys):
        mine, theirs = key[rows], key[others]
        before = (mine < theirs) | ((mine == theirs) & before)
    return before


def _tie_groups(query: IntArray, nth: IntArray, places: Places, n_queries: int) -> TieGroups:
    """Return the groups of equal scores that hold members, given the members by query and rank."""
    retrieved = places.equal > 0
    is_new = retrieved.copy()
    is_new[1:] &= (query[1:] != query[:-1]) | (places.higher[1:] != places.higher[:-1])
    group = np.cumsum(is_new) - 1
    return TieGroups(
        query=query[is_new],
        start=places.higher[is_new].astype(np.float64),
        size=places.equal[is_new].astype(np.float64),
        members=np.bincount(group[retrieved], minlength=int(is_new.sum())).astype(np.float64),
        before=nth[is_new].astype(np.float64),
        of_member=np.where(retrieved, group, -1),
        n_queries=n_queries,
    )


def tie_keys(
    rule: str, relevance: FloatArray, position: Callable[[], IntArray], descending: Callable[[], IntArray]
) -> TieKeys | None:
    """Return what makes the keys of a tie rule; None where no order is preferred."""
    match rule:
        case "expected":
            return None
        case "docno_desc":
            return lambda: (descending(),)
        case "optimistic":
            return lambda: (-relevance, position())
        case "pessimistic":
            return lambda: (relevance, position())
        case _:
            return lambda: (position(),)


def descending_ids(ids: pa.Array) -> IntArray:
    """Return (n,) sort key that puts ids in descending order of their bytes, as trec_eval's strcmp does."""
    encoded = ids.dictionary_encode()
    place = np.empty(len(encoded.dictionary), dtype=np.int64)
    place[pc.array_sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(place))
    return np.asarray(-place[encoded.indices.to_numpy()])
