"""What checks ask of candidates, by query: of those of a run, or as workers found it in theirs.

Each function gives the same for a run whose candidates are at hand and for one whose candidates are with workers;
:func:`pools_in` is what workers find in whole clusters, and :func:`put_together` what follows for the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import TypeVar

import numpy as np

from reportgen.checks.order import falling
from reportgen.domain.pools import Pools, RankedGold, RankedPools, SmallIntArray
from reportgen.domain.retrieved import Retrieved, in_few_bytes
from reportgen.domain.run import BoolArray, Candidates, FloatArray, IntArray, Run, System

Values = TypeVar("Values", SmallIntArray, FloatArray)
FEWEST_DISTINCT = 4
"""Values that two queries must share, beyond label and candidates, to be taken for copies of one another."""


def n_candidates(run: Run) -> IntArray:
    """Return (n_queries,) candidates of each query; zeros without candidates."""
    if run.pools is not None:
        return run.pools.n_candidates
    return _counted(run, None)


def n_relevant(run: Run) -> IntArray:
    """Return (n_queries,) relevant candidates of each query; zeros without candidates."""
    if run.pools is not None:
        return run.pools.n_relevant
    return _counted(run, None if run.candidates is None else run.candidates.relevance > 0)


def _counted(run: Run, rows: BoolArray | None) -> IntArray:
    query = np.zeros(0, dtype=np.int64) if run.candidates is None else run.candidates.query
    return count(query if rows is None else query[rows], len(run.queries))


def count(query: IntArray, n_queries: int) -> IntArray:
    """Return (n_queries,) how many rows each query has."""
    return np.bincount(query, minlength=n_queries).astype(np.int64)


def grades(run: Run) -> tuple[float, ...]:
    """Return the distinct grades above 0, rising."""
    if run.pools is not None:
        found = run.pools.relevance
    else:
        found = np.zeros(0) if run.candidates is None else run.candidates.relevance
    return tuple(np.unique(found[found > 0]).tolist())


def n_unranked(run: Run) -> IntArray:
    """Return (n_queries,) relevant candidates that no system ranks; needs candidates."""
    if run.pools is not None:
        return run.pools.n_unranked
    if run.candidates is None:
        raise ValueError("a run without candidates ranks none")
    return _n_unranked(run.candidates, [one.retrieved for one in run.systems], len(run.queries))


def _n_unranked(candidates: Candidates, retrieved: Iterable[Retrieved | None], n_queries: int) -> IntArray:
    missing = candidates.relevance > 0
    for one in retrieved:
        if one is not None:
            missing[one.row] = False
    return count(candidates.query[missing], n_queries)


def n_retrieved(run: Run, system: System) -> IntArray:
    """Return (n_queries,) candidates that a system ranked; zeros for one that ranks none."""
    if run.pools is not None:
        known = run.pools.ranked.get(system.id)
        return np.zeros(len(run.queries), dtype=np.int64) if known is None else known.n_retrieved
    if run.candidates is None or system.retrieved is None:
        return np.zeros(len(run.queries), dtype=np.int64)
    return count(run.candidates.query[system.retrieved.row], len(run.queries))


def ties(run: Run, system: System) -> tuple[SmallIntArray, SmallIntArray]:
    """Return (n_ties,) the query, and the rank k of a candidate whose score is that of the next, of a system that ranks
    candidates.
    """
    if run.pools is not None:
        return run.pools.ranked[system.id].tied
    candidates, retrieved = _here(run, system)
    return _ties(candidates, retrieved, len(run.queries))


def _ties(candidates: Candidates, retrieved: Retrieved, n_queries: int) -> tuple[SmallIntArray, SmallIntArray]:
    score, n = falling(candidates.query, retrieved.scores, n_queries)
    query = np.repeat(np.arange(n_queries), n)
    second = 1 + np.flatnonzero((score[1:] == score[:-1]) & (query[1:] == query[:-1]))
    return in_few_bytes(query[second]), in_few_bytes(second - (np.cumsum(n) - n)[query[second]])


def gold_first(run: Run, system: System, *, by_input: bool = False) -> tuple[int, bool]:
    """Return how many queries have relevant and other candidates ranked, and whether in each all relevant ones have a
    higher score, or come earlier in the system's input; for a system that ranks candidates.
    """
    if run.pools is not None:
        known = run.pools.ranked[system.id]
        return known.by_input if by_input else known.by_score
    candidates, retrieved = _here(run, system)
    return _gold_first(candidates, _in_order(retrieved) if by_input else retrieved, len(run.queries))


def _in_order(retrieved: Retrieved) -> Retrieved:
    """Return the same with scores that fall in the system's own input order."""
    return Retrieved(retrieved.row, -np.arange(len(retrieved), dtype=np.float64), retrieved.n_candidates)


def _gold_first(candidates: Candidates, retrieved: Retrieved, n_queries: int) -> tuple[int, bool]:
    query, relevant = candidates.query[retrieved.row], candidates.relevance[retrieved.row] > 0
    lowest_gold, highest_other = np.full(n_queries, np.inf), np.full(n_queries, -np.inf)
    np.minimum.at(lowest_gold, query[relevant], retrieved.score[relevant])
    np.maximum.at(highest_other, query[~relevant], retrieved.score[~relevant])
    both = np.isfinite(lowest_gold) & np.isfinite(highest_other)
    return int(both.sum()), bool((lowest_gold[both] > highest_other[both]).all())


def _here(run: Run, system: System) -> tuple[Candidates, Retrieved]:
    if run.candidates is None or system.retrieved is None:
        raise ValueError(f"system '{system.id}' ranks no candidates")
    return run.candidates, system.retrieved


def pools_are_of_clusters(run: Run) -> bool:
    """Return whether nearly all queries of a cluster choose from the same documents, in most clusters with several."""
    if run.pools is not None:
        shapes = run.pools.shapes
    elif run.candidates is not None:
        shapes = _shapes(run.candidates, run.queries.cluster)
    else:
        return False
    clusters, several, shared = shapes
    return several > clusters / 2 and shared > 0.8 * several


def _shapes(candidates: Candidates, cluster: IntArray) -> tuple[int, int, int]:
    """Return the clusters, those with several queries, and those in which most queries have the same candidates.

    ``cluster``: (n_queries,).
    """
    ends = np.searchsorted(candidates.query, np.arange(len(cluster) + 1)).tolist()
    n_docs = max(len(candidates.docs), 1)
    doc = np.sort(candidates.query * n_docs + candidates.doc) % n_docs  # each query's, in one order for all
    pools: dict[int, list[bytes]] = {}
    for of, (start, end) in zip(cluster.tolist(), pairwise(ends), strict=True):
        pools.setdefault(of, []).append(doc[start:end].tobytes())
    several = [found for found in pools.values() if len(found) > 1]
    shared = [max(found.count(pool) for pool in set(found)) > len(found) / 2 for found in several]
    return len(pools), len(several), sum(shared)


def foreign_documents(run: Run) -> tuple[int, tuple[str, ...]]:
    """Return the number of documents, and those that are candidates in several clusters, in natural order."""
    if run.prepared is not None:
        return run.prepared.listing.foreign()
    if run.candidates is None:
        return 0, ()
    doc, docs = run.candidates.doc, run.candidates.docs
    homes = homes_of(run.candidates, run.queries.cluster, len(run.clusters))
    return int((homes > 0).sum()), tuple(docs[at] for at in np.flatnonzero(homes > 1).tolist()) if len(doc) else ()


def homes_of(candidates: Candidates, cluster: IntArray, n_clusters: int) -> IntArray:
    """Return (n_docs,) in how many clusters each document is a candidate; ``cluster``: (n_queries,)."""
    pairs = np.unique(candidates.doc * n_clusters + cluster[candidates.query])
    return count(pairs // n_clusters, len(candidates.docs))


def alike_at_first_sight(run: Run) -> IntArray:
    """Return rising rows of queries that share label, number of candidates, and first and last score with another one.

    The scores are those of the first system that ranks; only queries with enough candidates to tell are looked at.
    """
    if run.pools is not None:
        ends = run.pools.ends
    else:
        first = next((one.score for one in run.systems if one.retrieved is not None), None)
        if run.candidates is None or first is None:
            return np.zeros(0, dtype=np.int64)
        ends = _ends(run.candidates, first, len(run.queries))
    n = n_candidates(run)
    rows = np.flatnonzero(n >= FEWEST_DISTINCT)
    facts = np.stack([run.queries.label[rows], n[rows], *ends[rows].view(np.int64).T])
    order = np.lexsort(facts)
    same = np.all(facts[:, order[1:]] == facts[:, order[:-1]], axis=0)
    return np.sort(rows[order[np.append(same, False) | np.append(False, same)]]) if len(rows) else rows


def _ends(candidates: Candidates, score: FloatArray, n_queries: int) -> FloatArray:
    starts = np.searchsorted(candidates.query, np.arange(n_queries + 1))
    has = np.flatnonzero(starts[1:] > starts[:-1])
    ends = np.full((n_queries, 2), np.nan)
    ends[has, 0], ends[has, 1] = score[starts[has]], score[starts[has + 1] - 1]
    return ends


def contents(run: Run, rows: IntArray) -> Mapping[int, bytes]:
    """Map those of some queries whose scores are varied enough to tell to a digest of candidates, grades and scores."""
    if run.prepared is not None:
        return run.prepared.listing.contents(rows) if len(rows) else {}
    if run.candidates is None:
        return {}
    return contents_of(run.candidates, [one.retrieved for one in run.systems], rows.tolist())


def contents_of(
    candidates: Candidates, retrieved: Sequence[Retrieved | None], rows: Sequence[int]
) -> Mapping[int, bytes]:
    """Map those of some queries whose scores are varied enough to tell to a digest of candidates, grades and scores."""
    starts = np.searchsorted(candidates.query, np.array([(row, row + 1) for row in rows]).reshape(-1, 2)).tolist()
    found = {row: sha256() for row in rows}
    tells = dict.fromkeys(rows, False)
    for one in retrieved if rows else ():
        if one is None:
            continue
        score = one.scores
        for row, (low, high) in zip(rows, starts, strict=True):
            tells[row] = tells[row] or len(set(score[low:high].tolist())) >= FEWEST_DISTINCT
            found[row].update(score[low:high].tobytes())
    for row, (low, high) in zip(rows, starts, strict=True):
        docs = [candidates.docs[code] for code in candidates.doc[low:high].tolist()]
        found[row].update("".join(f"{len(doc)}:{doc}" for doc in docs).encode())
        found[row].update(candidates.relevance[low:high].tobytes())
    return {row: one.digest() for row, one in found.items() if tells[row]}


def pools_in(
    candidates: Candidates, retrieved: Mapping[str, Retrieved], cluster: IntArray, gold: Mapping[str, RankedGold]
) -> Pools:
    """Return what is known of the candidates of whole clusters; ``cluster``: (n_queries,), of each of their queries."""
    n, relevant = len(cluster), candidates.relevance > 0
    first = next(iter(retrieved.values()), None)
    return Pools(
        n_candidates=count(candidates.query, n),
        n_relevant=count(candidates.query[relevant], n),
        n_unranked=_n_unranked(candidates, retrieved.values(), n),
        relevant=in_few_bytes(candidates.query[relevant]),
        relevance=candidates.relevance[relevant],
        ends=np.full((n, 2), np.nan) if first is None else _ends(candidates, first.scores, n),
        shapes=_shapes(candidates, cluster),
        ranked={
            name: RankedPools(
                n_retrieved=count(candidates.query[one.row], n),
                tied=_ties(candidates, one, n),
                by_score=_gold_first(candidates, one, n),
                by_input=_gold_first(candidates, _in_order(one), n),
                gold=gold[name],
            )
            for name, one in retrieved.items()
        },
    )


def put_together(parts: Sequence[tuple[SmallIntArray, Pools]], cluster: IntArray) -> Pools:
    """Return what is known of all queries from what is known of those of parts, by (n_part,) the queries of each.

    ``cluster``: (n_queries,) of all; a query that is in no part has no candidates.
    """
    n, pools = len(cluster), [one for _, one in parts]

    def all_of(name: str) -> IntArray:
        found = np.zeros(n, dtype=np.int64)
        for at, one in parts:
            found[at] = getattr(one, name)
        return found

    ends, seen = np.full((n, 2), np.nan), np.zeros(n, dtype=bool)
    for at, one in parts:
        ends[at], seen[at] = one.ends, True
    relevant = np.concatenate([at[one.relevant] for at, one in parts])
    by_query = np.argsort(relevant, kind="stable")
    # Queries without candidates, all of a cluster, have the same ones.
    of_others = np.unique(cluster[~seen], return_counts=True)[1]
    several = int((of_others > 1).sum())
    shapes = np.sum([*(one.shapes for one in pools), (len(of_others), several, several)], axis=0)
    return Pools(
        n_candidates=all_of("n_candidates"),
        n_relevant=all_of("n_relevant"),
        n_unranked=all_of("n_unranked"),
        relevant=relevant[by_query],
        relevance=np.concatenate([one.relevance for one in pools])[by_query],
        ends=ends,
        shapes=(int(shapes[0]), int(shapes[1]), int(shapes[2])),
        ranked={name: _ranked([(at, one.ranked[name]) for at, one in parts], by_query, n) for name in pools[0].ranked},
    )


def _ranked(parts: Sequence[tuple[SmallIntArray, RankedPools]], by_query: IntArray, n_queries: int) -> RankedPools:
    n = np.zeros(n_queries, dtype=np.int64)
    for at, one in parts:
        n[at] = one.n_retrieved
    return RankedPools(
        n_retrieved=n,
        tied=(
            np.concatenate([at[one.tied[0]] for at, one in parts]),
            np.concatenate([one.tied[1] for _, one in parts]),
        ),
        by_score=_of_all([one.by_score for _, one in parts]),
        by_input=_of_all([one.by_input for _, one in parts]),
        gold=_gold([one.gold for _, one in parts], by_query),
    )


def _of_all(found: Sequence[tuple[int, bool]]) -> tuple[int, bool]:
    return sum(n for n, _ in found), all(holds for _, holds in found)


def _gold(parts: Sequence[RankedGold], by_query: IntArray) -> RankedGold:
    def joined(columns: Sequence[Values]) -> Values:
        return np.concatenate(columns)[by_query]

    earlier: dict[tuple[int, ...], SmallIntArray] = {}
    for columns in zip(*(one.earlier.values() for one in parts), strict=True):
        if (same := tuple(map(id, columns))) not in earlier:
            earlier[same] = joined(columns)
    return RankedGold(
        joined([one.score for one in parts]),
        joined([one.higher for one in parts]),
        joined([one.equal for one in parts]),
        {rule: earlier[tuple(id(one.earlier[rule]) for one in parts)] for rule in parts[0].earlier},
    )
