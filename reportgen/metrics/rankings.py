"""One system's rankings: the ranks of the relevant candidates under a tie rule, which all ranking metrics rest on."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.contract import Contract
from reportgen.domain.run import BoolArray, FloatArray, IntArray, Run, System
from reportgen.metrics.ranks import Scored, numbered, places_of
from reportgen.metrics.ties import TieGroups, tie_groups

_DEEPEST = np.finfo(np.float64).max
"""What no rank exceeds but that of a candidate that is not retrieved, which is inf."""


@dataclass(frozen=True)
class Gold:
    """The relevant candidates of all queries, sorted by query and rank: all that binary ranking metrics need."""

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
        return discounts(self.rank)

    @cached_property
    def ideal_discount(self) -> FloatArray:
        """(n,) the discount at rank ``nth``, which they have where nothing else stands above them."""
        return discounts(self.nth.astype(np.float64))

    def in_top(self, k: FloatArray | float, n_queries: int) -> FloatArray:
        """(n_queries,) how many are in the top k (one k, or one per query); expected under shuffled ties."""
        if self.tied is not None:
            return self.tied.hits(k)
        depth = k[self.query] if isinstance(k, np.ndarray) else k
        found = np.bincount(self.query, weights=self.within(depth), minlength=n_queries)
        return np.asarray(found, dtype=np.float64)

    def within(self, k: FloatArray | float) -> BoolArray:
        """(n,) which of them are in the top k (one k, inf for no cut, or one per row); none that is not retrieved."""
        return np.asarray(self.rank <= np.minimum(k, _DEEPEST))


@dataclass(frozen=True)
class Judgements:
    """Where judged and unjudged candidates stand: the ranks of the fewer of the two, since both fill the list."""

    rows: Gold
    judged: bool
    """True where ``rows`` are the judged candidates, False where they are the unjudged ones."""


@dataclass(frozen=True)
class Rankings:
    """One system's rankings: per query the number of retrieved and relevant candidates, and the gold ranks."""

    gold: Gold
    n_candidates: IntArray
    """(n_queries,) candidates in the pool."""
    n_retrieved: IntArray
    """(n_queries,) candidates the system ranked."""
    n_gold: IntArray
    """(n_queries,)"""
    ideal_gold: Gold
    """The same gold by falling grade: ``nth`` is its rank in the ideal ranking."""
    judgements: Judgements | None = None
    """None where everybody is judged."""

    @property
    def tied(self) -> TieGroups | None:
        """The groups of equal scores with gold, under ``ties = "expected"``."""
        return self.gold.tied

    def hits(self, k: FloatArray | float) -> FloatArray:
        """(n_queries,) relevant candidates in the top k (one k, or one per query); expected under shuffled ties."""
        return self.gold.in_top(k, len(self.n_gold))

    def n_judged(self, k: float) -> FloatArray:
        """(n_queries,) judged candidates in the top k; expected under shuffled ties."""
        depth = np.minimum(self.n_retrieved, k).astype(np.float64)
        if self.judgements is None:
            return depth
        found = self.judgements.rows.in_top(k, len(self.n_gold))
        return found if self.judgements.judged else depth - found


def discounts(rank: FloatArray) -> FloatArray:
    """1 / log2(rank + 1), 0 where the rank is inf; through math.log2: numpy's last bit differs between processors.

    Ranks are whole numbers, so each that occurs is looked up in a table.
    """
    deepest = int(rank.max(initial=0.0, where=np.isfinite(rank))) + 1
    place = np.minimum(rank, deepest).astype(np.int64)
    table = np.zeros(deepest + 1)
    for r in np.flatnonzero(np.bincount(place, minlength=1)[:deepest]).tolist():
        table[r] = 1.0 / math.log2(r + 1.0)
    return np.asarray(table[place])


def rank_candidates(run: Run, system: System, contract: Contract) -> Rankings:
    """Ranks under the contract's tie rule, kept for relevant (and for judged or unjudged) candidates only.

    Candidates without a score are not retrieved: they have no rank, but count as relevant where they are. Under
    ``unjudged = "judged_only"`` a candidate nobody judged is taken out of the ranking (trec_eval -J).
    """
    candidates, score = run.candidates, system.score
    if candidates is None or score is None:
        raise ValueError("a ranking needs candidates and scores")
    if candidates.judged is not None and contract.text("unjudged") == "judged_only":
        score = np.where(candidates.judged, score, np.nan)
    position = candidates.position if system.position is None else system.position
    keys = tie_keys(
        contract.text("ties"),
        candidates.relevance,
        lambda: position,
        lambda: descending_ids(pa.array(candidates.docs, pa.large_string()))[candidates.doc],
    )
    return rank_rows(Scored(candidates.query, score, len(run.queries), keys), candidates.relevance, candidates.judged)


def rank_rows(scored: Scored, relevance: IntArray, judged: BoolArray | None = None) -> Rankings:
    """The rankings of rows of candidates in any order, with their grades (above 0 = relevant)."""
    n = scored.n_queries
    gold = _gold(scored, relevance, relevance > 0)
    n_candidates, n_retrieved = scored.counts()
    best_first = np.lexsort((-gold.relevance, gold.query))
    judgements = None
    if judged is not None:
        fewer = bool(2 * int(judged.sum()) <= len(judged))
        judgements = Judgements(_gold(scored, relevance, judged if fewer else ~judged), judged=fewer)
    return Rankings(
        gold,
        n_candidates,
        n_retrieved,
        np.bincount(gold.query, minlength=n),
        # Of the ideal ranking, the places are ``nth``; the order of the system does not change them.
        Gold(gold.query, gold.rank[best_first], gold.relevance[best_first], gold.nth),
        judgements,
    )


def _gold(scored: Scored, relevance: IntArray, chosen: BoolArray) -> Gold:
    """The chosen rows by query and rank."""
    rows = np.flatnonzero(chosen)
    query = scored.query[rows]
    if np.any(query[1:] < query[:-1]):
        order = np.argsort(query, kind="stable")
        rows, query = rows[order], query[order]
    places = places_of(scored, rows)
    rank = places.rank
    if np.any((query[1:] == query[:-1]) & (rank[1:] < rank[:-1])):
        # One key for both, of whole numbers, is sorted several times faster than two; what is lost comes last.
        lost = len(scored.query) + 1.0
        order = np.argsort(query * int(lost + 1) + np.minimum(rank, lost).astype(np.int64), kind="stable")
        rows, rank, places = rows[order], rank[order], places.of(order)
    nth, _ = numbered(query, scored.n_queries)
    tied = tie_groups(query, places, scored.n_queries) if scored.tie_order is None else None
    return Gold(query, rank, relevance[rows].astype(np.float64), nth + 1, tied)


def tie_keys(
    rule: str, relevance: IntArray, position: Callable[[], IntArray], descending: Callable[[], IntArray]
) -> Callable[[], tuple[IntArray, ...]] | None:
    """What makes the keys that order equal scores, the deciding one first; None where no order is preferred."""
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
    """(n,) sort key that puts ids in descending order of their bytes, as trec_eval's strcmp does."""
    encoded = ids.dictionary_encode()
    place = np.empty(len(encoded.dictionary), dtype=np.int64)
    place[pc.array_sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(place))
    return np.asarray(-place[encoded.indices.to_numpy()])
