"""How much there is to find and to rank. G is the set of relevant candidates of a query, retrieved or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from reportgen.literal import expected
from reportgen.literal.answers import Answer, Ranking
from reportgen.literal.ranking import PrecisionDenominator, hits


def recall_of_all(ranking: Ranking) -> Fraction | None:
    """|G ∩ ranked| / |G| (trec_eval ``set_recall``); None where G is empty."""
    return Fraction(hits(ranking, None), ranking.n_relevant) if ranking.n_relevant else None


def hit_of_all(ranking: Ranking) -> Fraction | None:
    """1 if a relevant candidate is ranked at all, else 0; None where G is empty."""
    return Fraction(hits(ranking, None) > 0) if ranking.n_relevant else None


def precision_of_all(ranking: Ranking) -> Fraction | None:
    """|G ∩ ranked| / |ranked|, 0 for an empty list (trec_eval ``set_P``); None where G is empty."""
    if not ranking.n_relevant:
        return None
    return Fraction(hits(ranking, None), len(ranking.ranked)) if ranking.ranked else Fraction(0)


def attainable_precision(ranking: Ranking, k: int, denominator: PrecisionDenominator = "K") -> Fraction | None:
    """min(|G|, d) / d with d = k, or under ``K_eff`` min(k, length of the list), at least 1; None where G is empty."""
    if not ranking.n_relevant:
        return None
    depth = {"K": k, "K_eff": max(1, min(k, len(ranking.ranked)))}[denominator]
    return Fraction(min(ranking.n_relevant, depth), depth)


def conditional_recall(ranking: Ranking, k: int) -> Fraction | None:
    """|G ∩ top k| / |G ∩ ranked|; None where nothing relevant is ranked."""
    ranked = hits(ranking, None)
    if not ranked:
        return None
    return (expected.hits(ranking, k) if ranking.levels else Fraction(hits(ranking, k))) / ranked


def short_list(ranking: Ranking, k: int) -> Fraction:
    """1 if fewer than k candidates are ranked, else 0."""
    return Fraction(len(ranking.ranked) < k)


def judged(ranking: Ranking, k: int) -> Fraction | None:
    """Judged candidates in the top k / min(k, length of the list); None for an empty list."""
    if not ranking.ranked:
        return None
    if ranking.levels:
        return expected.wanted_in(expected.places(ranking.known, ranking.levels)[:k]) / min(k, len(ranking.ranked))
    top = ranking.known[:k]
    return Fraction(sum(top), len(top))


def coverage(answers: Sequence[Answer]) -> Fraction | None:
    """Σ |G ∩ ranked| / Σ |G| over queries; None if there is no relevant candidate."""
    rankings = [answer.ranking for answer in answers if answer.ranking is not None]
    relevant = sum(ranking.n_relevant for ranking in rankings)
    return Fraction(sum(hits(ranking, None) for ranking in rankings), relevant) if relevant else None


def first_rank(ranking: Ranking) -> Fraction | None:
    """Rank of the first relevant candidate; None where none is ranked."""
    if ranking.levels:
        return expected.first_rank(ranking)
    return next((Fraction(i) for i, grade in enumerate(ranking.ranked, start=1) if grade > 0), None)


def median_rank(answers: Sequence[Answer]) -> Fraction | None:
    """Median of the first relevant rank over queries with relevant candidates, those without a rank at infinity.

    Between the two middle ones where their number is even; None where the median is infinite.
    """
    rankings = [answer.ranking for answer in answers if answer.ranking is not None and answer.ranking.n_relevant]
    ranks = sorted(math.inf if (rank := first_rank(ranking)) is None else rank for ranking in rankings)
    middle = ranks[(len(ranks) - 1) // 2 : len(ranks) // 2 + 1]
    finite = [rank for rank in middle if isinstance(rank, Fraction)]
    return sum(finite, Fraction(0)) / len(finite) if finite and len(finite) == len(middle) else None
