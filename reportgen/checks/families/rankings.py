"""Rankings: what keeps a value at K from being what its name says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import numpy as np

from reportgen import numbers
from reportgen.checks.naming import named
from reportgen.checks.order import falling
from reportgen.checks.rule import Observed, rule
from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray, Run, System

_MANY = 0.05
"""Share of queries or of gold from which a finding is a warning."""
_FEWEST = 10
"""Queries below which one K for all of them says nothing."""


def _ranked(run: Run) -> Iterator[tuple[System, Candidates, FloatArray]]:
    for system in run.systems:
        if run.candidates is not None and (score := system.score) is not None:
            yield system, run.candidates, score


def _n_retrieved(run: Run, candidates: Candidates, score: FloatArray) -> IntArray:
    """Return (n_queries,) candidates that the system ranked."""
    return np.bincount(candidates.query[~np.isnan(score)], minlength=len(run.queries)).astype(np.int64)


@rule("RG344")
def nothing_retrieved(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield a system without a document for any query."""
    for system, _, score in _ranked(run):
        if np.isnan(score).all():
            yield Observed(f"It ranks no document for any of {run.units.query.count(len(run.queries))}.", system.id)


@rule("RG240")
def short_lists(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield positive queries with fewer than K ranked candidates: a metric at K is then a metric at less."""
    positive = run.queries.y_true == 1
    if not positive.any():
        return
    for system, candidates, score in _ranked(run):
        n = _n_retrieved(run, candidates, score)[positive]
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
    for system, candidates, score in _ranked(run):
        crossed = _tie_crosses(candidates, score, len(positive), contract.every_cutoff)
        tied = [(k, int((at_k & positive).sum())) for k, at_k in crossed.items()]
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


def _tie_crosses(
    candidates: Candidates, score: FloatArray, n_queries: int, cutoffs: Sequence[int]
) -> Mapping[int, BoolArray]:
    """Map a cut-off to (n_queries,) whether the candidates ranked k and k + 1 have equal scores."""
    score, n = falling(candidates.query, score, n_queries)
    first = np.cumsum(n) - n
    found = {}
    for k in cutoffs:
        at = first[n > k] + k
        found[k] = np.zeros(n_queries, dtype=bool)
        found[k][n > k] = score[at - 1] == score[at]
    return found


@rule("RG246")
def grades(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield graded relevance: nDCG then depends on the gain, which only a contract that states it has chosen."""
    relevance = run.candidates.relevance if run.candidates is not None else np.zeros(0)
    found = np.unique(relevance[relevance > 0]).tolist()
    if found in ([], [1.0]):
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
    ranked = [system.retrieved for system in run.systems if system.retrieved is not None]
    if run.candidates is None or not ranked:
        return
    relevant = run.candidates.relevance > 0
    missing = relevant.copy()
    for one in ranked:
        missing[one.row] = False
    if missing.any():
        n, of = int(missing.sum()), int(relevant.sum())
        queries = len(np.unique(run.candidates.query[missing]))
        yield Observed(
            f"{n:,} of {of:,} relevant {run.units.candidate.many} ({numbers.percent(n / of, 1)} %), of "
            f"{run.units.query.count(queries)}, are ranked by no system: no recall can exceed "
            f"{numbers.fixed(1 - n / of, 3)} over all gold.",
            severity="warning" if n > _MANY * of else "note",
        )


@rule("RG341")
def candidates_of_another_cluster(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield documents in the pools of two clusters, where clusters have pools of their own."""
    if run.candidates is None or not _pools_are_of_clusters(run, run.candidates):
        return
    doc, docs = run.candidates.doc, run.candidates.docs
    pairs = np.unique(doc * len(run.clusters) + run.queries.cluster[run.candidates.query])
    homes = np.bincount(pairs // len(run.clusters), minlength=len(docs))
    foreign, n_docs = np.flatnonzero(homes > 1), int((homes > 0).sum())
    if 0 < len(foreign) <= 0.1 * n_docs:
        yield Observed(
            f"{run.units.candidate.count(len(foreign))} of {n_docs:,} {'is' if len(foreign) == 1 else 'are'} in "
            f"the pools of more than one {run.units.cluster.one}, where each has a pool of its own: "
            f"{named([docs[i] for i in foreign])}."
        )


def _pools_are_of_clusters(run: Run, candidates: Candidates) -> bool:
    """Return whether nearly all queries of a cluster choose from the same documents, in most clusters with several."""
    ends = np.searchsorted(candidates.query, np.arange(len(run.queries) + 1)).tolist()
    n_docs = max(len(candidates.docs), 1)
    doc = np.sort(candidates.query * n_docs + candidates.doc) % n_docs  # each query's, in one order for all
    pools: dict[int, list[bytes]] = {}
    for cluster, (start, end) in zip(run.queries.cluster.tolist(), pairwise(ends), strict=True):
        pools.setdefault(cluster, []).append(doc[start:end].tobytes())
    several = [found for found in pools.values() if len(found) > 1]
    shared = [max(found.count(pool) for pool in set(found)) > len(found) / 2 for found in several]
    return len(several) > len(pools) / 2 and sum(shared) > 0.8 * len(several)


@rule("RG342")
def lists_cut_at_selected_k(run: Run, contract: Contract) -> Iterator[Observed]:
    """Yield rankings that hold exactly the selected candidates, of a K that differs from query to query."""
    for system, candidates, score in _ranked(run):
        k = system.selected_k
        listed = np.bincount(candidates.query, minlength=len(run.queries))
        if k is None or len(np.unique(k)) < 2 or (k == listed).all():
            continue
        if (_n_retrieved(run, candidates, score) == k).all():
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
        if k is None or run.candidates is None:
            continue
        # A blocked query returns nothing, and a short pool less, whatever the policy.
        listed = np.bincount(run.candidates.query, minlength=len(run.queries))
        free = (k > 0) & (listed > k)
        if int(free.sum()) >= _FEWEST and len(np.unique(k[free])) == 1 and int(k.max()) == int(k[free][0]) > 1:
            yield Observed(
                f"K = {int(k[free][0])} is selected for each of {run.units.query.count(int(free.sum()))} that could "
                "have more.",
                system.id,
            )
