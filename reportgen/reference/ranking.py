"""Ranking metrics of one query.

Throughout, G is the set of relevant candidates of the query, retrieved or not, and rᵢ the relevance grade at rank i.
Every function takes a :class:`~reportgen.reference.answers.Ranking`, and returns None where G is empty unless it says
otherwise.

Where equal scores are in no order (``levels``), values are means over all orders, each equally likely (McSherry and
Najork 2008): a place holds a relevant candidate with the share its level has of them, and two places of one level are
drawn without replacement.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from reportgen.reference.answers import Ranking
from reportgen.reference.arithmetic import choice


def hits(ranking: Ranking, k: int | None) -> int | Fraction:
    """Return the (expected) number of relevant candidates in the top k, or in the whole list."""
    if ranking.levels and k is not None:
        return wanted_in(_relevant(ranking)[:k])
    return sum(grade > 0 for grade in ranking.ranked[:k])


def recall(ranking: Ranking, k: int) -> Fraction | None:
    """Return |G ∩ top k| / |G| (Manning, Raghavan and Schütze 2008, section 8.3; trec_eval ``recall_K``)."""
    return Fraction(hits(ranking, k), ranking.n_relevant) if ranking.n_relevant else None


def precision(ranking: Ranking, k: int, precision_denominator: str = "K") -> Fraction | None:
    """Return |G ∩ top k| / k (trec_eval ``P_K``), or under ``K_eff`` over min(k, length of the list)."""
    if not ranking.n_relevant:
        return None
    places = choice({"K": k, "K_eff": min(k, len(ranking.ranked))}, precision_denominator)
    return Fraction(hits(ranking, k), places) if places else Fraction(0)


def hit(ranking: Ranking, k: int) -> Fraction | None:
    """Return 1 if a relevant candidate is in the top k, else 0 (trec_eval ``success_K``); a chance under ties."""
    if not ranking.n_relevant:
        return None
    return 1 - none_in(_relevant(ranking)[:k]) if ranking.levels else Fraction(hits(ranking, k) > 0)


def reciprocal_rank(ranking: Ranking, k: int | None = None) -> Fraction | None:
    """Return 1 / rank of the first relevant candidate, 0 if none is retrieved or its rank is above k (Voorhees 1999).

    Under ties: Σ over ranks i ≤ k of the chance that the first relevant candidate is at i, / i.
    """
    if not ranking.n_relevant:
        return None
    if ranking.levels:
        return sum((chance / i for i, chance in enumerate(_first_at(ranking)[:k], start=1)), Fraction(0))
    for i, grade in enumerate(ranking.ranked[:k], start=1):
        if grade > 0:
            return Fraction(1, i)
    return Fraction(0)


def average_precision(ranking: Ranking) -> Fraction | None:
    """Return (1/|G|) Σ over ranks i of relevant candidates of precision at i (Buckley and Voorhees 2000)."""
    return _sum_of_precisions(ranking, None) / ranking.n_relevant if ranking.n_relevant else None


def average_precision_cut(ranking: Ranking, k: int, ap_denominator: str) -> Fraction | None:
    """Return Σ over ranks i ≤ k of relevant candidates of precision at i, over min(|G|, k), |G| or the top k's hits.

    ``R`` is trec_eval's ``map_cut``; ``hits`` gives 0 where the top k holds no relevant candidate. Under ties the
    number of hits varies with the order: the mean is taken over what the cut level can hold above k.
    """
    if not ranking.n_relevant:
        return None
    if ap_denominator == "hits" and ranking.levels:
        cuts = [(chance, top, wanted_in(top)) for chance, top in _cuts(_relevant(ranking), k)]
        return sum((chance * _tied_precisions(top) / found for chance, top, found in cuts if found), Fraction(0))
    in_top, n = hits(ranking, k), ranking.n_relevant
    divisor = choice({"min_R_K": Fraction(min(n, k)), "R": Fraction(n), "hits": Fraction(in_top)}, ap_denominator)
    return _sum_of_precisions(ranking, k) / divisor if in_top else Fraction(0)


def _sum_of_precisions(ranking: Ranking, k: int | None) -> Fraction:
    if ranking.levels:
        return _tied_precisions(_relevant(ranking)[:k])
    found, terms = 0, Fraction(0)
    for i, grade in enumerate(ranking.ranked[:k], start=1):
        if grade > 0:
            found += 1
            terms += Fraction(found, i)
    return terms


def r_precision(ranking: Ranking) -> Fraction | None:
    """Return |G ∩ top R| / R with R = |G| (Buckley and Voorhees 2000; trec_eval ``Rprec``)."""
    return recall(ranking, ranking.n_relevant)


def ndcg(ranking: Ranking, k: int | None = None, ndcg_gain: str = "linear") -> float | None:
    """Return DCG@k / ideal DCG@k; the ideal ranks all judged candidates by grade and is cut at k too.

    Järvelin and Kekäläinen (2002) with the discount log₂(i + 1); gain ``linear`` is trec_eval's ``ndcg_cut``, ``exp2``
    the gain of Burges et al. (2005). Without k both are taken over their whole length (trec_eval ``ndcg``). Under ties
    every place of a level has the level's mean gain.
    """
    if not ranking.n_relevant:
        return None
    highest = max(ranking.judged)
    # Within a level that k cuts, all its places have a share of its gain.
    ranked = ranking.ranked if ranking.levels else ranking.ranked[:k]
    gains: list[Fraction | float] = [gain(grade, ndcg_gain, highest) for grade in ranked]
    start = 0
    for size in ranking.levels:
        gains[start : start + size] = [
            sum((Fraction(one) for one in gains[start : start + size]), Fraction(0)) / size
        ] * size
        start += size
    ideal = [gain(grade, ndcg_gain, highest) for grade in sorted(ranking.judged, reverse=True)[:k]]
    return _discounted(gains[:k]) / _discounted(ideal)


def _discounted(gains: Sequence[Fraction | float]) -> float:
    """Return Σ gainᵢ / log₂(i + 1)."""
    return math.fsum(float(one) / math.log2(i + 1) for i, one in enumerate(gains, start=1))


def gain(grade: float, ndcg_gain: str, highest: float) -> float:
    """Return the grade r, or (2ʳ − 1) / 2ʰ, h the highest grade, since 2ʳ may exceed every float."""
    return choice({"linear": grade, "exp2": math.pow(2, grade - highest) - math.pow(2, -highest)}, ndcg_gain)


def bpref(ranking: Ranking) -> Fraction | None:
    """Return (1/|G|) Σ over ranked i ∈ G of 1 − min(nᵢ, |G|) / min(N, |G|), a term of 1 where nᵢ = 0.

    nᵢ of the N judged candidates outside G are ranked above i (Buckley and Voorhees 2004; trec_eval ``bpref``). Under
    ties each number of those of the same level is above i with the same chance.
    """
    if not ranking.n_relevant:
        return None
    most = min(len(ranking.judged) - ranking.n_relevant, ranking.n_relevant)
    terms, start, above = Fraction(0), 0, 0
    for size in ranking.levels or [1] * len(ranking.ranked):
        level = range(start, start + size)
        wanted = sum(ranking.ranked[i] > 0 for i in level)
        beside = sum(ranking.known[i] and ranking.ranked[i] == 0 for i in level)
        for n in range(above, above + beside + 1):
            preferred = 1 - Fraction(min(n, ranking.n_relevant), most) if n else Fraction(1)
            terms += Fraction(wanted, beside + 1) * preferred
        start, above = start + size, above + beside
    return terms / ranking.n_relevant


def rank_biased_precision(ranking: Ranking, persistence: float) -> float | None:
    """Return (1 − p) Σ over ranks i of relevant candidates of pⁱ⁻¹ (Moffat and Zobel 2008)."""
    if not ranking.n_relevant:
        return None
    return _rank_biased([grade > 0 for grade in ranking.ranked], ranking, persistence)


def residual_of_rank_biased_precision(ranking: Ranking, persistence: float) -> float | None:
    """Return pⁿ + (1 − p) Σ over ranks i of unjudged candidates of pⁱ⁻¹, n the length of the list."""
    if not ranking.n_relevant:
        return None
    unjudged = [not known for known in ranking.known]
    return persistence ** len(ranking.ranked) + _rank_biased(unjudged, ranking, persistence)


def _rank_biased(wanted: Sequence[bool], ranking: Ranking, persistence: float) -> float:
    levels = ranking.levels or [1] * len(ranking.ranked)
    return math.fsum(
        (1 - persistence) * persistence**i * spot.wanted / spot.size for i, spot in enumerate(places(wanted, levels))
    )


def expected_reciprocal_rank(ranking: Ranking, k: int, highest: float) -> float | None:
    """Return Σ over ranks i ≤ k of (1/i) sᵢ Π_{j < i} (1 − sⱼ) with s = (2ʳ − 1) / 2ʰ, h the highest grade of the run.

    Chapelle, Metzler, Zhang and Grinspan (2009). Under ties the chance to pass t candidates of a level of n is the
    mean of Π (1 − s) over all t of them: the coefficient of xᵗ in Π (1 + (1 − s) x), over C(n, t).
    """
    if not ranking.n_relevant:
        return None
    stops = [gain(grade, "exp2", highest) for grade in ranking.ranked]
    reaching, terms, start = Fraction(1), [], 0
    for size in ranking.levels or [1] * len(stops):
        passing = _passing([1 - Fraction(stop) for stop in stops[start : start + size]])
        for t in range(1, min(size, k - start) + 1):
            terms.append(float(reaching * (passing[t - 1] - passing[t])) / (start + t))
        reaching, start = reaching * passing[size], start + size
    return math.fsum(terms)


def _passing(chances: Sequence[Fraction]) -> list[Fraction]:
    """Return, for each t, the mean over all choices of t of some chances of their product."""
    coefficients = [Fraction(1)]
    for chance in chances:
        pairs = zip([*coefficients, Fraction(0)], [Fraction(0), *coefficients], strict=True)
        coefficients = [same + chance * before for same, before in pairs]
    return [one / math.comb(len(chances), t) for t, one in enumerate(coefficients)]


# How much there is to find, and to rank


def recall_of_all(ranking: Ranking) -> Fraction | None:
    """Return |G ∩ ranked| / |G| (trec_eval ``set_recall``)."""
    return Fraction(hits(ranking, None), ranking.n_relevant) if ranking.n_relevant else None


def hit_of_all(ranking: Ranking) -> Fraction | None:
    """Return 1 if a relevant candidate is ranked at all, else 0."""
    return Fraction(hits(ranking, None) > 0) if ranking.n_relevant else None


def precision_of_all(ranking: Ranking) -> Fraction | None:
    """Return |G ∩ ranked| / |ranked|, 0 for an empty list (trec_eval ``set_P``)."""
    if not ranking.n_relevant:
        return None
    return Fraction(hits(ranking, None), len(ranking.ranked)) if ranking.ranked else Fraction(0)


def attainable_precision(ranking: Ranking, k: int, precision_denominator: str = "K") -> Fraction | None:
    """Return min(|G|, d) / d with d = k, or under ``K_eff`` min(k, length of the list), at least 1."""
    if not ranking.n_relevant:
        return None
    depth = choice({"K": k, "K_eff": max(1, min(k, len(ranking.ranked)))}, precision_denominator)
    return Fraction(min(ranking.n_relevant, depth), depth)


def conditional_recall(ranking: Ranking, k: int) -> Fraction | None:
    """Return |G ∩ top k| / |G ∩ ranked|; None where nothing relevant is ranked."""
    ranked = hits(ranking, None)
    return Fraction(hits(ranking, k), ranked) if ranked else None


def short_list(ranking: Ranking, k: int) -> Fraction:
    """Return 1 if fewer than k candidates are ranked, else 0, whether G is empty or not."""
    return Fraction(len(ranking.ranked) < k)


def judged(ranking: Ranking, k: int) -> Fraction | None:
    """Return the judged candidates in the top k / min(k, length of the list); None for an empty list."""
    if not ranking.ranked:
        return None
    known = wanted_in(places(ranking.known, ranking.levels)[:k]) if ranking.levels else sum(ranking.known[:k])
    return Fraction(known, min(k, len(ranking.ranked)))


def coverage(rankings: Sequence[Ranking]) -> Fraction | None:
    """Return Σ |G ∩ ranked| / Σ |G| over queries; None if there is no relevant candidate."""
    relevant = sum(ranking.n_relevant for ranking in rankings)
    return Fraction(sum(hits(ranking, None) for ranking in rankings), relevant) if relevant else None


def first_rank(ranking: Ranking) -> Fraction | None:
    """Return the (expected) rank of the first relevant candidate; None where none is ranked."""
    if ranking.levels and hits(ranking, None):
        return sum((chance * i for i, chance in enumerate(_first_at(ranking), start=1)), Fraction(0))
    return next((Fraction(i) for i, grade in enumerate(ranking.ranked, start=1) if grade > 0), None)


def median_rank(rankings: Sequence[Ranking]) -> Fraction | None:
    """Return the median of the first relevant rank over queries with relevant candidates; unranked is infinite.

    Between the two middle ones where their number is even; None where the median is infinite.
    """
    firsts = [first_rank(ranking) for ranking in rankings if ranking.n_relevant]
    ranks = sorted(math.inf if rank is None else rank for rank in firsts)
    middle = ranks[(len(ranks) - 1) // 2 : len(ranks) // 2 + 1]
    finite = [rank for rank in middle if isinstance(rank, Fraction)]
    return sum(finite, Fraction(0)) / len(finite) if finite and len(finite) == len(middle) else None


# Places whose equal scores are in no order


@dataclass(frozen=True, slots=True)
class TiedPlace:
    """One place of a ranking: the level it belongs to and how many candidates of it are what we look for."""

    level: int
    size: int
    wanted: int


def places(wanted: Sequence[bool], levels: Sequence[int]) -> list[TiedPlace]:
    """Return every place, best first; ``wanted`` by place in any order within a level of ``levels`` candidates."""
    found: list[TiedPlace] = []
    for level, size in enumerate(levels):
        number = sum(wanted[len(found) : len(found) + size])
        found += [TiedPlace(level, size, number)] * size
    return found


def _relevant(ranking: Ranking) -> list[TiedPlace]:
    return places([grade > 0 for grade in ranking.ranked], ranking.levels)


def wanted_in(spots: Sequence[TiedPlace]) -> Fraction:
    """Return the expected number of wanted candidates in some places: Σ of each place's share."""
    return sum((Fraction(spot.wanted, spot.size) for spot in spots), Fraction(0))


def none_in(spots: Sequence[TiedPlace]) -> Fraction:
    """Return the chance that the first places hold nothing wanted: Π over levels of C(n − g, m) / C(n, m).

    m places are of the level of n candidates, g of them wanted.
    """
    chance = Fraction(1)
    for level in {spot.level for spot in spots}:
        mine = [spot for spot in spots if spot.level == level]
        size, wanted = mine[0].size, mine[0].wanted
        chance *= Fraction(math.comb(size - wanted, len(mine)), math.comb(size, len(mine)))
    return chance


def _first_at(ranking: Ranking) -> list[Fraction]:
    """Return the chance that the first relevant candidate is at rank 1, 2, …: nothing before it, and not with it."""
    spots = _relevant(ranking)
    return [none_in(spots[:i]) - none_in(spots[: i + 1]) for i in range(len(spots))]


def _cuts(spots: Sequence[TiedPlace], k: int) -> Iterator[tuple[Fraction, list[TiedPlace]]]:
    """Yield (chance, top k) for every number of wanted candidates the level cut by k can have in it."""
    top = list(spots[:k])
    if not top or len(spots) <= k or spots[k].level != top[-1].level:
        yield Fraction(1), top
        return
    last = top[-1]
    whole = [spot for spot in top if spot.level != last.level]
    inside = len(top) - len(whole)
    for wanted in range(min(inside, last.wanted) + 1):
        ways = math.comb(last.wanted, wanted) * math.comb(last.size - last.wanted, inside - wanted)
        yield Fraction(ways, math.comb(last.size, inside)), [*whole, *[TiedPlace(last.level, inside, wanted)] * inside]


def _tied_precisions(spots: Sequence[TiedPlace]) -> Fraction:
    """Return Σᵢ (1/i) Σ_{j ≤ i} chance that places i and j are both wanted."""
    return sum(
        (sum((_both(spot, other, i == j) for j, other in enumerate(spots[: i + 1])), Fraction(0)) / (i + 1)
         for i, spot in enumerate(spots)),
        Fraction(0),
    )  # fmt: skip


def _both(one: TiedPlace, other: TiedPlace, same: bool) -> Fraction:
    """Return the chance that two places are wanted: within a level the second is drawn from what the first leaves."""
    chance = Fraction(one.wanted, one.size)
    if same:
        return chance
    if one.level != other.level:
        return chance * Fraction(other.wanted, other.size)
    return chance * Fraction(one.wanted - 1, one.size - 1)
