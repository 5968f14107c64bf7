"""Ranking metrics as averages over all orders of candidates with equal scores (McSherry & Najork 2008).

Under this rule no order of a tie is preferred: a metric of a query is its expected value when every group of equal
scores is shuffled uniformly. Closed forms make one pass over the groups; no order is ever enumerated.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.ranks import Places, numbered


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
        """How many places of each group are in the top k (one k, inf for no cut, or one per query)."""
        depth = k[self.query] if isinstance(k, np.ndarray) else k
        return np.asarray(np.clip(depth - self.start, 0, self.size), dtype=np.float64)

    def per_query(self, values: FloatArray) -> FloatArray:
        """(n_queries,) sums of one value per group."""
        return np.bincount(self.query, weights=values, minlength=self.n_queries).astype(np.float64)

    def hits(self, k: FloatArray | float) -> FloatArray:
        """(n_queries,) expected members in the top k."""
        return self.per_query(self.members * self.in_top(k) / self.size)

    def gain(self, gain: FloatArray, k: float) -> FloatArray:
        """(n_queries,) expected discounted gain of the top k, ``gain`` (n_members,), discount 1 / log2(rank + 1)."""
        retrieved = self.of_member >= 0
        total = np.bincount(self.of_member[retrieved], weights=gain[retrieved], minlength=len(self.query))
        discounts = np.array([0.0, *(1.0 / math.log2(rank + 1) for rank in range(1, self._deepest() + 1))])
        return self.per_query(total / self.size * self._between(np.cumsum(discounts), self.in_top(k)))

    def precisions(self, k: float) -> FloatArray:
        """(n_queries,) expected sum of the precisions at the ranks of members within k."""
        places = self.in_top(k)
        return self.per_query(self._precisions(self.members, self.size, places))

    def precisions_over_hits(self, k: float) -> FloatArray:
        """(n_queries,) expected value of that sum divided by the members in the top k; 0 without any.

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
        """(n_queries,) chance that a member is in the top k, and expected reciprocal rank of the first, 0 below k."""
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
        """(n_queries,) expected rank of the first member; inf where none is retrieved."""
        first = self.before == 0
        ranks = np.full(self.n_queries, np.inf)
        ranks[self.query[first]] = (self.start + (self.size + 1) / (self.members + 1))[first]
        return ranks

    def _precisions(
        self, gold: FloatArray, size: FloatArray, places: FloatArray, group: IntArray | None = None
    ) -> FloatArray:
        """Expected sum of precisions over the first places of each group, ``gold`` of whose ``size`` are members.

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


def tie_groups(query: IntArray, places: Places, n_queries: int) -> TieGroups:
    """The groups of equal scores that hold members, given the members by query and rank."""
    retrieved = places.equal > 0
    new = retrieved.copy()
    new[1:] &= (query[1:] != query[:-1]) | (places.higher[1:] != places.higher[:-1])
    group = np.cumsum(new) - 1
    nth, _ = numbered(query, n_queries)
    return TieGroups(
        query=query[new],
        start=places.higher[new].astype(np.float64),
        size=places.equal[new].astype(np.float64),
        members=np.bincount(group[retrieved], minlength=int(new.sum())).astype(np.float64),
        before=nth[new].astype(np.float64),
        of_member=np.where(retrieved, group, -1),
        n_queries=n_queries,
    )


def _hypergeometric(hits: float, size: FloatArray, gold: FloatArray, places: FloatArray) -> FloatArray:
    """Chance of ``hits`` members in ``places`` draws without replacement from a group."""
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
