"""Columns that could only be written by someone who has seen the gold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.checks.order import falling
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray, Run

_FEWEST = 10
"""Queries with relevant and other candidates below which a perfect order happens by chance."""


@rule("RG355")
def score_knows_relevance(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield scores by which every relevant candidate stands above every other, in every query."""
    if run.candidates is None:
        return
    for system in run.systems:
        if (score := system.score) is not None:
            n = _gold_first(run, run.candidates, score)
            if n is not None:
                yield Observed(
                    f"In each of {run.units.query.count(n)} with relevant and other {run.units.candidate.many} every "
                    "relevant one has a higher score than every other.",
                    system.id,
                )


@rule("RG356")
def input_order_knows_relevance(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield an input order, which breaks ties, that has the gold first in every query."""
    if run.candidates is None or contract.text("ties") != "input_order":
        return
    for system in run.systems:
        found, score = system.retrieved, system.score
        if found is None or score is None or _gold_first(run, run.candidates, score) is not None:
            continue
        # An order that is that of the scores says nothing the scores do not say.
        if not _has_ties(run.candidates, score, len(run.queries)):
            continue
        first_highest = np.full(len(score), np.nan)
        first_highest[found.row] = -np.arange(len(found), dtype=np.float64)
        n = _gold_first(run, run.candidates, first_highest)
        if n is not None:
            yield Observed(
                f"In each of {run.units.query.count(n)} with relevant and other {run.units.candidate.many} the "
                "relevant ones stand first in the input, and scores have ties.",
                system.id,
            )


def _has_ties(candidates: Candidates, score: FloatArray, n_queries: int) -> bool:
    scores, n = falling(candidates.query, score, n_queries)
    equal = scores[1:] == scores[:-1]
    last = np.cumsum(n)[:-1] - 1
    equal[last[(last >= 0) & (last < len(equal))]] = False  # from one query to the next
    return bool(equal.any())


def _gold_first(run: Run, candidates: Candidates, score: FloatArray) -> int | None:
    """Return in how many queries the order could be wrong; None if it is wrong in one, or they are few."""
    n_queries = len(run.queries)
    ranked, relevant = ~np.isnan(score), candidates.relevance > 0
    lowest_gold = _extreme(np.minimum, np.inf, score, candidates.query, ranked & relevant, n_queries)
    highest_other = _extreme(np.maximum, -np.inf, score, candidates.query, ranked & ~relevant, n_queries)
    both = np.isfinite(lowest_gold) & np.isfinite(highest_other)
    n = int(both.sum())
    return n if n >= _FEWEST and bool((lowest_gold[both] > highest_other[both]).all()) else None


def _extreme(
    pick: np.ufunc, start: float, score: FloatArray, query: IntArray, rows: BoolArray, n_queries: int
) -> FloatArray:
    """Return (n_queries,) the lowest or highest score of each query's rows in a mask."""
    found = np.full(n_queries, start)
    pick.at(found, query[rows], score[rows])
    return found


@rule("RG357")
def selected_k_knows_gold(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a selected K that is the number of relevant candidates in every query, and not the same in all."""
    if run.candidates is None:
        return
    relevant = run.candidates.query[run.candidates.relevance > 0]
    gold = np.bincount(relevant, minlength=len(run.queries))
    for system in run.systems:
        k = system.selected_k
        positive = gold > 0
        if k is None or int(positive.sum()) < _FEWEST or len(np.unique(gold[positive])) < 2:
            continue
        if np.array_equal(k[positive], gold[positive]):
            yield Observed(
                f"In each of {run.units.query.count(int(positive.sum()))} with gold the selected K is the number of "
                f"relevant {run.units.candidate.many}.",
                system.id,
            )
