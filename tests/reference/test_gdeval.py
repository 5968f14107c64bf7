"""Expected reciprocal rank and nDCG with exponential gain against gdeval, the TREC Web Track's own script."""

from __future__ import annotations

import math
import random
import shutil

import ir_measures
import pytest
from ir_measures import ERR, nDCG

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute, with_every_variant
from tests.support.small_runs import MISSING, Asked, run_of

HIGHEST = 4
"""gdeval's scale of grades ends here."""
FIVE_DECIMALS = 5.01e-6

pytestmark = pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")


@pytest.fixture(scope="module")
def run():
    """20 queries of 12 documents with grades up to 4, many scores equal, some documents not retrieved."""
    rng = random.Random(5)
    grades = [[HIGHEST, *(rng.choice((0, 0, 1, 2, 3, HIGHEST)) for _ in range(11))] for _ in range(20)]
    scores = [[rng.choice((MISSING, 0.0, 1.0, 2.0, 3.0, 4.0)) for _ in range(12)] for _ in range(20)]
    rows = [
        [(f"d{i:02}", *cell) for i, cell in enumerate(zip(*columns, strict=True))]
        for columns in zip(grades, scores, strict=True)
    ]
    return run_of(*(Asked(f"{i}", candidates=candidates) for i, candidates in enumerate(rows)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("k", [1, 5, 20])
def test_expected_reciprocal_rank_is_that_of_gdeval(engine, k, run):
    rows, queries = run.candidates, run.queries.ids
    qrels, ranked = ({query: {} for query in queries} for _ in range(2))
    columns = rows.query.tolist(), rows.doc_ids, rows.relevance.tolist(), run.systems[0].score.tolist()
    for query, doc, grade, score in zip(*columns, strict=True):
        qrels[queries[query]][doc] = int(grade)
        if not math.isnan(score):
            ranked[queries[query]][doc] = score
    theirs = ir_measures.providers.registry["gdeval"].calc_aggregate([ERR @ k, nDCG(dcg="exp-log2") @ k], qrels, ranked)
    conventions = {"resamples": 0, "ndcg_gain": "exp2"}
    ours = compute(engine, run, with_every_variant(load_contract("trec-eval", conventions)))
    for measure, name in ((ERR @ k, "err"), (nDCG(dcg="exp-log2") @ k, "ndcg")):
        assert ours.value(f"{name}@{k}", "s", "positives_only") == pytest.approx(theirs[measure], abs=FIVE_DECIMALS)
