"""Synthetic runs of the size the product is made for: 1,477 clusters of ten queries in five folds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from reportgen.domain.record_facts import DEFAULT_UNITS
from reportgen.domain.run import Candidates, Queries, Run, RunInfo, System, TunePart

PREVALENCE = 0.0934
N_CANDIDATES = 20


def synthetic_run(n_clusters: int = 1477, per_cluster: int = 10, *, candidates: bool = False, seed: int = 0) -> Run:
    """One system. Labels, probabilities and scores share a cluster effect; ``per_cluster`` 1 makes queries independent.

    Clusters are cut from one sequence of queries, so that only the grouping differs between values of ``per_cluster``.
    """
    rng = np.random.default_rng(seed)
    n, n_folds = n_clusters * per_cluster, 5
    cluster = np.repeat(np.arange(n_clusters), per_cluster)
    y = (rng.random(n) < PREVALENCE).astype(np.int64)
    effect = rng.normal(0, 0.5, n_clusters)[cluster]
    # Rounded to four digits, as files hold them: some probabilities are equal.
    p = np.round(1 / (1 + np.exp(-(1.5 * y - 2.8 + effect + rng.normal(0, 0.8, n)))), 4)
    fold = np.arange(n_clusters) % n_folds
    tuned = [rng.choice(n, n // 4, replace=False) for _ in range(n_folds)]
    rows = np.concatenate(tuned)
    pool, score = _candidates(rng, y) if candidates else (None, None)
    system = System(
        id="s",
        label="Synthetic",
        y_prob=p,
        score=score,
        tune=TunePart(cluster[rows], np.repeat(np.arange(n_folds), n // 4), y[rows], p[rows]),
        thresholds={"tau": np.full(n_folds, 0.2)},
    )
    return Run(
        info=RunInfo(title="Synthetic benchmark run", synthetic=True, decision="tau"),
        units=DEFAULT_UNITS,
        clusters=tuple(f"c{i}" for i in range(n_clusters)),
        cluster_fold=fold,
        folds=tuple(f"f{i}" for i in range(n_folds)),
        labels=(),
        queries=Queries(tuple(f"q{i}" for i in range(n)), cluster, fold[cluster], np.zeros(n, dtype=np.int64), y),
        candidates=pool,
        systems=(system,),
        inputs=(),
    )


def _candidates(rng: np.random.Generator, y: np.ndarray) -> tuple[Candidates, np.ndarray]:
    """Twenty candidates a query; of a positive one, one or two are relevant and tend to be ranked high."""
    n = len(y)
    relevance = np.zeros((n, N_CANDIDATES), dtype=np.int64)
    relevance[:, 0] = y
    relevance[:, 1] = y * (rng.random(n) < 0.1)
    order = np.argsort(rng.random(relevance.shape), axis=1)
    relevance = np.take_along_axis(relevance, order, axis=1)
    score = np.round(rng.normal(0, 1, relevance.shape) + 2.0 * relevance, 3)
    docs = tuple(f"d{j:02}" for j in range(N_CANDIDATES))
    query = np.repeat(np.arange(n), N_CANDIDATES)
    position = np.tile(np.arange(N_CANDIDATES), n)
    return Candidates(docs, position, query, position, relevance.ravel()), score.ravel()


def write_run(run: Run, folder: Path) -> None:
    """A run folder of Parquet files with the same contents."""
    queries, (system,) = run.queries, run.systems
    clusters, folds = np.array(run.clusters), np.array(run.folds)
    _write(folder / "queries.parquet", query_id=queries.ids, cluster=clusters[queries.cluster],
           fold=folds[queries.fold], y_true=queries.y_true)  # fmt: skip
    thresholds = system.thresholds["tau"][queries.fold]
    _write(folder / "predictions.parquet", query_id=queries.ids, system=["s"] * len(queries), y_prob=system.y_prob,
           tau=thresholds)  # fmt: skip
    pool = run.candidates
    if pool is not None:
        _write(folder / "candidates.parquet", query_id=np.array(queries.ids)[pool.query], doc_id=pool.doc_ids,
               position=pool.position, relevance=pool.relevance, score_s=system.score)  # fmt: skip
    (folder / "run.toml").write_text(
        'title = "Synthetic benchmark run"\nsynthetic = true\n[files]\nqueries = "queries.parquet"\n'
        'predictions = "predictions.parquet"\n'
        + ('candidates = "candidates.parquet"\n' if pool is not None else "")
        + '[columns]\nquery = "query_id"\n[[systems]]\nid = "s"\nlabel = "Synthetic"\n',
        encoding="utf-8",
    )


def _write(path: Path, **columns: object) -> None:
    pa.parquet.write_table(pa.table(columns), path)
