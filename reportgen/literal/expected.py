"""Ranking metrics of one query whose candidates with equal scores stand in no order: means over all their orders.

Every order within a level of equal scores is equally likely (McSherry and Najork 2008), so a place holds a relevant
candidate with the share its level has of them, and two places of one level are drawn without replacement. The
formulas below say this place by place, with exact fractions; they need no order. All return None where G is empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reportgen.literal.answers import Ranking
from reportgen.literal.ranking import ApDenominator, Gain, PrecisionDenominator, gain_of


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a ranking: the level it belongs to and how many candidates of it are what we look for."""

    level: int
    size: int
    wanted: int


def places(wanted: Sequence[bool], levels: Sequence[int]) -> list[Place]:
    """Every place, best first; ``wanted`` by place in any order within a level of ``levels`` candidates."""
    found: list[Place] = []
    for level, size in enumerate(levels):
        number = sum(wanted[len(found) : len(found) + size])
        found += [Place(level, size, number)] * size
    return found


def _relevant(ranking: Ranking) -> list[Place]:
    return places([grade > 0 for grade in ranking.ranked], ranking.levels)


def wanted_in(spots: Sequence[Place]) -> Fraction:
    """Expected number of wanted candidates in some places: Σ of each place's share."""
    return sum((Fraction(spot.wanted, spot.size) for spot in spots), Fraction(0))


def none_in(spots: Sequence[Place]) -> Fraction:
    """Chance that the first places hold nothing wanted: Π over levels of C(n − g, m) / C(n, m), m places of it."""
    chance = Fraction(1)
    for level in {spot.level for spot in spots}:
        mine = [spot for spot in spots if spot.level == level]
        size, wanted = mine[0].size, mine[0].wanted
        chance *= Fraction(math.comb(size - wanted, len(mine)), math.comb(size, len(mine)))
    return chance


def hits(ranking: Ranking, k: int | None) -> Fraction:
    """Expected number of relevant candidates in the top k, or in the whole list."""
    return wanted_in(_relevant(ranking)[:k])


def recall(ranking: Ranking, k: int) -> Fraction | None:
    """Expected |G ∩ top k| / |G|."""
    return hits(ranking, k) / ranking.n_relevant if ranking.n_relevant else None


def precision(ranking: Ranking, k: int, denominator: PrecisionDenominator = "K") -> Fraction | None:
    """Expected |G ∩ top k| / k, or under ``K_eff`` over min(k, length of the list)."""
    if not ranking.n_relevant:
        return None
    depth = {"K": k, "K_eff": min(k, len(ranking.ranked))}[denominator]
    return hits(ranking, k) / depth if depth else Fraction(0)


def r_precision(ranking: Ranking) -> Fraction | None:
    """Expected |G ∩ top R| / R."""
    return hits(ranking, ranking.n_relevant) / ranking.n_relevant if ranking.n_relevant else None


def hit(ranking: Ranking, k: int) -> Fraction | None:
    """Chance that the top k holds a relevant candidate."""
    return 1 - none_in(_relevant(ranking)[:k]) if ranking.n_relevant else None


def first_at(ranking: Ranking) -> list[Fraction]:
    """Chance that the first relevant candidate is at rank 1, 2, …: nothing before it, and not nothing with it."""
    spots = _relevant(ranking)
    return [none_in(spots[:i]) - none_in(spots[: i + 1]) for i in range(len(spots))]


def reciprocal_rank(ranking: Ranking, k: int | None = None) -> Fraction | None:
    """Σ over ranks i ≤ k of the chance that the first relevant candidate is at i, / i."""
    if not ranking.n_relevant:
        return None
    return sum((chance / i for i, chance in enumerate(first_at(ranking)[:k], start=1)), Fraction(0))


def first_rank(ranking: Ranking) -> Fraction | None:
    """Σ i × chance that the first relevant candidate is at i; None where none is retrieved."""
    if not any(grade > 0 for grade in ranking.ranked):
        return None
    return sum((chance * i for i, chance in enumerate(first_at(ranking), start=1)), Fraction(0))


def average_precision(ranking: Ranking) -> Fraction | None:
    """Expected (1/|G|) Σ over ranks i of relevant candidates of precision at i."""
    return _precisions(_relevant(ranking)) / ranking.n_relevant if ranking.n_relevant else None


def average_precision_cut(ranking: Ranking, k: int, denominator: ApDenominator) -> Fraction | None:
    """The same over ranks i ≤ k, over min(|G|, k), |G| or the hits in the top k.

    The number of hits varies with the order: its mean is taken over what the cut level can hold above k.
    """
    if not ranking.n_relevant:
        return None
    spots = _relevant(ranking)
    if denominator != "hits":
        return _precisions(spots[:k]) / {"min_R_K": min(ranking.n_relevant, k), "R": ranking.n_relevant}[denominator]
    total = Fraction(0)
    for chance, top in _cuts(spots, k):
        found = wanted_in(top)
        total += chance * _precisions(top) / found if found else 0
    return total


def _cuts(spots: Sequence[Place], k: int) -> Iterator[tuple[Fraction, list[Place]]]:
    """(chance, top k) for every number of wanted candidates the level cut by k can have in it."""
    top = list(spots[:k])
    if not top or len(spots) <= k or spots[k].level != top[-1].level:
        yield Fraction(1), top
        return
    last = top[-1]
    whole = [spot for spot in top if spot.level != last.level]
    inside = len(top) - len(whole)
    for wanted in range(min(inside, last.wanted) + 1):
        ways = math.comb(last.wanted, wanted) * math.comb(last.size - last.wanted, inside - wanted)
        yield Fraction(ways, math.comb(last.size, inside)), [*whole, *[Place(last.level, inside, wanted)] * inside]


def _precisions(spots: Sequence[Place]) -> Fraction:
    """Σᵢ (1/i) Σ_{j ≤ i} chance that places i and j are both wanted."""
    return sum(
        (sum((_both(spot, other, i == j) for j, other in enumerate(spots[: i + 1])), Fraction(0)) / (i + 1)
         for i, spot in enumerate(spots)),
        Fraction(0),
    )  # fmt: skip


def _both(one: Place, other: Place, same: bool) -> Fraction:
    """Chance that two places are wanted: within a level the second is drawn from what the first leaves."""
    chance = Fraction(one.wanted, one.size)
    if same:
        return chance
    if one.level != other.level:
        return chance * Fraction(other.wanted, other.size)
    return chance * Fraction(one.wanted - 1, one.size - 1)


def ndcg(ranking: Ranking, k: int | None = None, gain: Gain = "linear") -> float | None:
    """Expected DCG@k / ideal DCG@k: every place of a level has the level's mean gain."""
    if not ranking.n_relevant:
        return None
    highest = max(ranking.judged)
    gains = [Fraction(gain_of(grade, gain, highest)) for grade in ranking.ranked]
    means: list[Fraction] = []
    for size in ranking.levels:
        means += [sum(gains[len(means) : len(means) + size], Fraction(0)) / size] * size
    ideal = [gain_of(grade, gain, highest) for grade in sorted(ranking.judged, reverse=True)]
    return _discounted(means[:k]) / _discounted(ideal[:k])


def _discounted(gains: Sequence[Fraction | float]) -> float:
    return math.fsum(float(gain) / math.log2(i + 1) for i, gain in enumerate(gains, start=1))
