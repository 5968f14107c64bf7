"""Ranking metrics of one query.

Throughout, G is the set of relevant candidates of the query, retrieved or not, and rᵢ the relevance grade at rank i.
Every function takes a :class:`~reportgen.literal.answers.Ranking` and returns None where G is empty.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, TypeAlias

from reportgen.literal.answers import Ranking

ApDenominator: TypeAlias = Literal["min_R_K", "R", "hits"]
Gain: TypeAlias = Literal["linear", "exp2"]
PrecisionDenominator: TypeAlias = Literal["K", "K_eff"]


def hits(ranking: Ranking, k: int | None) -> int:
    """Number of relevant candidates in the top k, or in the whole list."""
    return sum(grade > 0 for grade in ranking.ranked[:k])


def recall(ranking: Ranking, k: int) -> Fraction | None:
    """|G ∩ top k| / |G| (Manning, Raghavan and Schütze 2008, section 8.3; trec_eval ``recall_K``)."""
    return Fraction(hits(ranking, k), ranking.n_relevant) if ranking.n_relevant else None


def precision(ranking: Ranking, k: int, denominator: PrecisionDenominator = "K") -> Fraction | None:
    """|G ∩ top k| / k (trec_eval ``P_K``), or under ``K_eff`` over min(k, length of the list)."""
    if not ranking.n_relevant:
        return None
    places = {"K": k, "K_eff": min(k, len(ranking.ranked))}[denominator]
    return Fraction(hits(ranking, k), places) if places else Fraction(0)


def hit(ranking: Ranking, k: int) -> Fraction | None:
    """1 if a relevant candidate is in the top k, else 0 (trec_eval ``success_K``)."""
    return Fraction(hits(ranking, k) > 0) if ranking.n_relevant else None


def reciprocal_rank(ranking: Ranking, k: int | None = None) -> Fraction | None:
    """1 / rank of the first relevant candidate, 0 if none is retrieved or its rank is above k (Voorhees 1999)."""
    if not ranking.n_relevant:
        return None
    for i, grade in enumerate(ranking.ranked[:k], start=1):
        if grade > 0:
            return Fraction(1, i)
    return Fraction(0)


def average_precision(ranking: Ranking) -> Fraction | None:
    """(1/|G|) Σ over ranks i of relevant candidates of precision at i (Buckley and Voorhees 2000)."""
    return _sum_of_precisions(ranking, None) / ranking.n_relevant if ranking.n_relevant else None


def average_precision_cut(ranking: Ranking, k: int, denominator: ApDenominator) -> Fraction | None:
    """Σ over ranks i ≤ k of relevant candidates of precision at i, over min(|G|, k), |G| or the hits in the top k.

    ``R`` is trec_eval's ``map_cut``; ``hits`` gives 0 where the top k holds no relevant candidate.
    """
    if not ranking.n_relevant:
        return None
    found = hits(ranking, k)
    divisor = {"min_R_K": min(ranking.n_relevant, k), "R": ranking.n_relevant, "hits": found}[denominator]
    return _sum_of_precisions(ranking, k) / divisor if found else Fraction(0)


def r_precision(ranking: Ranking) -> Fraction | None:
    """|G ∩ top R| / R with R = |G| (Buckley and Voorhees 2000; trec_eval ``Rprec``)."""
    return Fraction(hits(ranking, ranking.n_relevant), ranking.n_relevant) if ranking.n_relevant else None


def ndcg(ranking: Ranking, k: int | None = None, gain: Gain = "linear") -> float | None:
    """DCG@k / ideal DCG@k; the ideal ranks all judged candidates by grade and is cut at k too.

    Järvelin and Kekäläinen (2002) with the discount log₂(i + 1); gain ``linear`` is trec_eval's ``ndcg_cut``,
    ``exp2`` that of Burges et al. (2005). Without k both are taken over their whole length (trec_eval ``ndcg``).
    """
    if not ranking.n_relevant:
        return None
    ideal = sorted(ranking.judged, reverse=True)
    return _dcg(ranking.ranked[:k], gain, ideal[0]) / _dcg(ideal[:k], gain, ideal[0])


def _dcg(grades: Iterable[int], gain: Gain, highest: int) -> float:
    """Σ gain(rᵢ) / log₂(i + 1)."""
    return math.fsum(gain_of(grade, gain, highest) / math.log2(i + 1) for i, grade in enumerate(grades, start=1))


def gain_of(grade: int, gain: Gain, highest: int) -> float:
    """The grade r (``linear``), or (2ʳ − 1) / 2ʰ (``exp2``), h the highest grade, since 2ʳ may exceed every float."""
    return float(grade) if gain == "linear" else math.ldexp(1.0, grade - highest) - math.ldexp(1.0, -highest)


def _sum_of_precisions(ranking: Ranking, k: int | None) -> Fraction:
    found, terms = 0, Fraction(0)
    for i, grade in enumerate(ranking.ranked[:k], start=1):
        if grade > 0:
            found += 1
            terms += Fraction(found, i)
    return terms
