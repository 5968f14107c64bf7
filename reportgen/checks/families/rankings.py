"""Rankings: what keeps a value at K from being what its name says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen import numbers
from reportgen.checks import pools
from reportgen.checks.naming import named
from reportgen.checks.rule import Observed, rule
from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.run import IntArray, Run, System

_MANY = 0.05
"""Share of queries or of gold from which a finding is a warning."""
_FEWEST = 10
"""Queries below which one K for all of them says nothing."""


def _ranked(run: Run) -> Iterator[tuple[System, IntArray]]:
    """Yield each system that ranks candidates, and (n_queries,) how many it ranked."""
    for system in run.systems:
        if run.has_candidates and run.ranks(system):
            yield system, pools.n_retrieved(run, system)


@rule("RG344")
def nothing_retrieved(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a system without a document for any query."""
    for system, n in _ranked(run):
        if not n.any():
            yield Observed(f"It ranks no document for any of {run.units.query.count(len(run.queries))}.", system.id)


@rule("RG240")
def short_lists(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield positive queries with fewer than K ranked candidates: a metric at K is then a metric at less."""
    positive = run.queries.y_true == 1
    if not positive.any():
        return
    for system, n_retrieved in _ranked(run):
        n = n_retrieved[positive]
        shares = [(k, int((n < k).sum())) for k in contract.every_cutoff if (n < k).any()]
        if shares:
            words = ", ".join(f"{count:,} of {len(n):,} at K = {k}" for k, count in shares)
            yield Observed(
                f"Positive {run.units.query.many} with fewer than K ranked {run.units.candidate.many}: {words}; "
                "metrics at such a K saturate.",
                system.id,
                "warning" if shares[-1][1] > len(n) / 2 else "note",
            )


@rule("RG241")
def ties(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield positive queries whose order at a cut-off depends on the tie rule, and their share."""
    positive = run.queries.y_true == 1
    n = int(positive.sum())
    for system, _ in _ranked(run):
        query, rank = pools.ties(run, system)
        tied = [(k, int(positive[query[rank == k]].sum())) for k in contract.every_cutoff]
        words = ", ".join(f"{count:,} at K = {k}" for k, count in tied if count)
        if words:
            share = max(count for _, count in tied) / n
            yield Observed(
                f"Positive {run.units.query.many} with a tie in score across the cut-off, decided by the tie rule "
                f"({vocabulary()['ties'].says(contract['ties'])}), at most {numbers.percent(share, 1)} % of {n:,}: "
                f"{words}.",
                system.id,
                "warning" if share > _MANY else "note",
            )


@rule("RG246")
def grades(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield graded relevance: nDCG then depends on the gain, which only a contract that states it has chosen."""
    found = pools.grades(run)
    if found in ((), (1.0,)):
        return
    stated = "ndcg_gain" not in contract.silent
    words = "the contract states it" if stated else "the contract's source does not state one: nDCG is a choice here"
    listed = ", ".join(f"{grade:g}" for grade in found)
    yield Observed(
        f"Relevance is graded ({listed}). nDCG uses the gain {contract.text('ndcg_gain')!r} ({words}); all other "
        "ranking metrics but ERR take every grade above 0 as relevant.",
        severity="note" if stated else "warning",
    )


@rule("RG340")
def gold_nobody_ranked(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield relevant candidates that no system ranked."""
    if not run.has_candidates or not any(run.ranks(system) for system in run.systems):
        return
    missing = pools.n_unranked(run)
    if missing.any():
        n, of, queries = int(missing.sum()), int(pools.n_relevant(run).sum()), int((missing > 0).sum())
        yield Observed(
            f"{n:,} of {of:,} relevant {run.units.candidate.many} ({numbers.percent(n / of, 1)} %), of "
            f"{run.units.query.count(queries)}, are ranked by no system: no recall can exceed "
            f"{numbers.fixed(1 - n / of, 3)} over all gold.",
            severity="warning" if n > _MANY * of else "note",
        )


@rule("RG341")
def candidates_of_another_cluster(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield documents in the pools of two clusters, where clusters have pools of their own."""
    if not pools.pools_are_of_clusters(run):
        return
    n_docs, foreign = pools.foreign_documents(run)
    if 0 < len(foreign) <= 0.1 * n_docs:
        yield Observed(
            f"{run.units.candidate.count(len(foreign))} of {n_docs:,} {'is' if len(foreign) == 1 else 'are'} in "
            f"the pools of more than one {run.units.cluster.one}, where each has a pool of its own: "
            f"{named(foreign)}."
        )


@rule("RG342")
def lists_cut_at_selected_k(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield rankings that hold exactly the selected candidates, of a K that differs from query to query."""
    listed = pools.n_candidates(run)
    for system, n in _ranked(run):
        k = system.selected_k
        if k is None or len(np.unique(k)) < 2 or (k == listed).all():
            continue
        if (n == k).all():
            yield Observed(
                f"In each of {run.units.query.count(len(k))} the ranking holds as many {run.units.candidate.many} as "
                "were selected, and no more.",
                system.id,
            )


@rule("RG343")
def fixed_k_as_selected(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield one K above 0 for every query that has as many candidates."""
    for system in run.systems:
        k = system.selected_k
        if k is None or not run.has_candidates:
            continue
        # A blocked query returns nothing, and a short pool less, whatever the policy.
        listed = pools.n_candidates(run)
        free = (k > 0) & (listed > k)
        if int(free.sum()) >= _FEWEST and len(np.unique(k[free])) == 1 and int(k.max()) == int(k[free][0]) > 1:
            yield Observed(
                f"K = {int(k[free][0])} is selected for each of {run.units.query.count(int(free.sum()))} that could "
                "have more.",
                system.id,
            )
