"""Ranking metrics of both implementations against pytrec_eval, on random data full of ties."""

from __future__ import annotations

import math
from statistics import fmean

import pytest
import pytrec_eval

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute, with_every_variant
from tests.reference.random_runs import random_run

MEASURES = {
    "ndcg_cut",
    "recall",
    "P",
    "success",
    "map_cut",
    "map",
    "recip_rank",
    "Rprec",
    "ndcg",
    "set_recall",
    "set_P",
    "bpref",
}
NAMES = {"ndcg_cut": "ndcg", "recall": "recall", "P": "precision", "success": "hit", "map_cut": "map"}
UNCUT = {
    "map": "map",
    "recip_rank": "mrr",
    "Rprec": "rprec",
    "ndcg": "ndcg",
    "set_recall": "recall@all",
    "set_P": "precision@all",
    "bpref": "bpref",
}


def trec_values(run, cutoffs):
    """Query id to measure to value; every query with a relevant candidate, answered or not."""
    qrels, ranked = {query: {} for query in run.queries.ids}, {query: {} for query in run.queries.ids}
    rows = run.candidates
    columns = (rows.query.tolist(), rows.doc_ids, rows.relevance.tolist(), run.systems[0].score.tolist())
    for query, doc, grade, score in zip(*columns, strict=True):
        name = run.queries.ids[query]
        qrels[name][doc] = int(grade)
        if not math.isnan(score):
            ranked[name][doc] = score
    cuts = ",".join(str(k) for k in cutoffs)
    measures = {name if name in UNCUT else f"{name}.{cuts}" for name in (*NAMES, *UNCUT)}
    return pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(ranked)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_ranking_metrics_equal_those_of_pytrec_eval_with_ties_by_document_id(engine, graded, seed):
    run = random_run(seed, graded=graded)
    contract = with_every_variant(load_contract("trec-eval", {"resamples": 0}))
    ours = compute(engine, run, contract)
    theirs = trec_values(run, contract.cutoffs)
    positives = [query for query, y in zip(run.queries.ids, run.queries.y_true.tolist(), strict=True) if y]
    names = {f"{name}_{k}": f"{NAMES[name]}@{k}" for name in NAMES for k in contract.cutoffs}
    for trec_name, metric in {**names, **UNCUT}.items():
        # pytrec_eval leaves out queries for which nothing was retrieved; trec_eval -c counts them as 0.
        reference = fmean(theirs.get(query, {}).get(trec_name, 0.0) for query in positives)
        value = ours.value(metric, "s", "positives_only")
        assert value == pytest.approx(reference, abs=1e-9), metric
