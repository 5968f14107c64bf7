"""Both implementations against the outputs that trec_eval publishes with its own source."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, SHARED_DATA, compute, with_every_variant
from tests.support.small_runs import Asked, run_of

FOLDER = SHARED_DATA / "trec_eval_test"
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
NAMES = {"P": "precision", "recall": "recall", "success": "hit", "map_cut": "map", "ndcg_cut": "ndcg"}
UNCUT = {
    "map": "map",
    "Rprec": "rprec",
    "recip_rank": "mrr",
    "ndcg": "ndcg",
    "set_recall": "recall@all",
    "set_P": "precision@all",
    "bpref": "bpref",
}
FOUR_DECIMALS = 5.01e-5

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="trec_eval_test is absent (REPORTGEN_SHARED_DATA)")


@pytest.fixture(scope="module")
def published():
    return json.loads((FOLDER / "expected.json").read_text(encoding="utf-8"))


def trec_run(results: str):
    """The run of qrels and results: every document of either is a candidate, unscored where it was not retrieved."""
    rows: dict[str, dict[str, list[float]]] = defaultdict(dict)
    judged: dict[str, set[str]] = defaultdict(set)
    for line in (FOLDER / "data" / "qrels.test").read_text(encoding="ascii").splitlines():
        query, _, doc, grade = line.split()
        rows[query][doc] = [max(int(grade), 0), math.nan]
        judged[query].add(doc)
    for line in (FOLDER / "data" / results).read_text(encoding="ascii").splitlines():
        query, _, doc, _, score, *_ = line.split()
        if query in judged:
            rows[query].setdefault(doc, [0, math.nan])[1] = float(score)
    run = run_of(
        *(
            Asked(query, candidates=[(doc, int(grade), score) for doc, (grade, score) in sorted(docs.items())])
            for query, docs in sorted(rows.items())
        )
    )
    known = [doc in judged[query] for query, docs in sorted(rows.items()) for doc in sorted(docs)]
    return replace(run, candidates=replace(run.candidates, judged=np.array(known)))


def values(engine, results, **conventions):
    contract = load_contract("trec-eval", {"resamples": 0, **conventions})
    return compute(engine, trec_run(results), with_every_variant(replace(contract, cutoffs=CUTS)))


def compared(printed):
    """trec_eval's name to ours, for what both have."""
    cut = {f"{theirs}_{k}": f"{ours}@{k}" for theirs, ours in NAMES.items() for k in CUTS}
    return {theirs: ours for theirs, ours in {**cut, **UNCUT}.items() if theirs in printed}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("output", "results", "missing"),
    [
        ("out.test.a", "results.test", "zero"),
        ("out.test.aq", "results.test", "zero"),
        # -c averages over all judged queries; without it those missing from the run are left out.
        ("out.test.aqc", "results.trunc", "zero"),
    ],
)
def test_every_measure_both_have_is_what_trec_eval_prints(published, engine, output, results, missing):
    printed = published[output]["all"]
    ours = values(engine, results, missing_query=missing)
    names = compared(printed)
    assert len(names) >= 30
    for theirs, metric in names.items():
        assert ours.value(metric, "s", "positives_only") == pytest.approx(printed[theirs], abs=FOUR_DECIMALS), theirs
    share = printed["num_rel_ret"] / printed["num_rel"]
    assert ours.value("coverage", "s", "positives_only") == pytest.approx(share, abs=1e-12)
