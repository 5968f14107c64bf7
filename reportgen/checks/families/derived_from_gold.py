"""Columns that could only be written by someone who has seen the gold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.checks import pools
from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import Run, System

_FEWEST = 10
"""Queries with relevant and other candidates below which a perfect order happens by chance."""


@rule("RG355")
def score_knows_relevance(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield scores by which every relevant candidate stands above every other, in every query."""
    if not run.has_candidates:
        return
    for system in run.systems:
        if run.ranks(system):
            n = _perfect(run, system)
            if n is not None:
                yield Observed(
                    f"In each of {run.units.query.count(n)} with relevant and other {run.units.candidate.many} every "
                    "relevant one has a higher score than every other.",
                    system.id,
                )


@rule("RG356")
def input_order_knows_relevance(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield an input order, which breaks ties, that has the gold first in every query."""
    if not run.has_candidates or contract.text("ties") != "input_order":
        return
    for system in run.systems:
        if not run.ranks(system) or _perfect(run, system) is not None:
            continue
        # An order that is that of the scores says nothing the scores do not say.
        if not len(pools.ties(run, system)[0]):
            continue
        n = _perfect(run, system, by_input=True)
        if n is not None:
            yield Observed(
                f"In each of {run.units.query.count(n)} with relevant and other {run.units.candidate.many} the "
                "relevant ones stand first in the input, and scores have ties.",
                system.id,
            )


def _perfect(run: Run, system: System, *, by_input: bool = False) -> int | None:
    """Return in how many queries the order could be wrong; None if it is wrong in one, or they are few."""
    n, holds = pools.gold_first(run, system, by_input=by_input)
    return n if n >= _FEWEST and holds else None


@rule("RG357")
def selected_k_knows_gold(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a selected K that is the number of relevant candidates in every query, and not the same in all."""
    if not run.has_candidates:
        return
    gold = pools.n_relevant(run)
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
