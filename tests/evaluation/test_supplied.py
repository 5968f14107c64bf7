"""Values per query that a run brings along: recorded as supplied, and compared with what is computed here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck, sample_of
from reportgen.domain.metric_id import MetricId
from reportgen.domain.retrieved import Retrieved
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.metrics.frames import prepare
from reportgen.metrics.registry import find
from tests.support.small_runs import Asked, in_order, run_of

CONTRACT = load_contract("field-standard", {"resamples": 20})
PIPELINE = (
    "fold_id,post_id,criterion_id,p4_prob_calibrated,has_evidence_gold,state,tau_neg,tau_pos,n_candidates,selected_k,"
    "evidence_recall_at_k,evidence_precision_at_k,mrr\n"
    "0,p1,A.1,0.9,1,POS,0.1,0.7,5,2,1.0,0.5,0.5\n"
    "0,p1,A.2,0.2,0,UNCERTAIN,0.1,0.7,5,1,,0.0,\n"
    "0,p3,A.1,0.2,0,NEG,0.1,0.7,5,1,,,\n"
    "1,p2,A.1,0.05,0,NEG,0.2,0.8,4,1,,,\n"
    "1,p2,A.2,0.6,1,UNCERTAIN,0.2,0.8,4,3,0.25,0.33,1\n"
)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipeline")
    (folder / "per_query.csv").write_text(PIPELINE, encoding="utf-8")
    return read_run(folder)


@pytest.fixture(scope="module")
def evaluation(pipeline):
    return evaluate(pipeline, CONTRACT, command="test")


def test_the_means_of_supplied_values_are_recorded_as_supplied(evaluation):
    results = evaluation.results
    (system,) = results.systems
    for metric, value in {"mrr": 0.75, "evidence_recall": 0.625, "evidence_precision": 0.415}.items():
        record = results.find(metric, system.id, "positives_only", "pooled")
        assert (record.value, record.provenance) == (pytest.approx(value, abs=1e-12), "supplied")
        assert "|source:supplied|" in results.signatures[record.signature]
    assert results.find("auroc", system.id, "all_queries", "pooled").provenance == "computed"


def test_a_query_without_a_supplied_value_is_left_out_and_counted(evaluation):
    (system,) = evaluation.results.systems
    record = evaluation.results.find("mrr", system.id, "all_queries", "pooled")
    # No policy of the contract is applied: the negatives have no value, and are not 0.
    assert (record.value, record.n.undefined) == (pytest.approx(0.75, abs=1e-12), 3)
    assert evaluation.per_query["mrr"] == [0.5, None, None, 1.0, None]


def test_the_second_implementation_agrees_on_supplied_values(pipeline, evaluation):
    outcome = crosscheck(pipeline, CONTRACT, evaluation)
    assert outcome.agrees, outcome.message


def test_what_the_contract_computes_without_supplied_values_has_no_value(pipeline):
    bare = replace(pipeline, systems=tuple(replace(system, supplied={}) for system in pipeline.systems))
    assert "mrr" not in {metric.id for metric in evaluate(bare, CONTRACT, command="test").results.metrics}


def two_queries(**supplied):
    run = run_of(
        Asked("q1", state="POS", k=2, candidates=in_order(0, 1, 0)),
        Asked("q2", state="POS", k=2, candidates=in_order(1, 0, 1)),
    )
    values = {name: np.array(column) for name, column in supplied.items()}
    return replace(run, systems=(replace(run.systems[0], supplied=values),))


def finding(run):
    (check,) = [check for check in evaluate(run, CONTRACT, command="test").results.checks if check.code == "RG275"]
    return check


def test_computed_values_are_reported_where_both_exist():
    run = two_queries(mrr=[0.9, 0.9])
    record = evaluate(run, CONTRACT, command="test").results.find("mrr", "s", "positives_only", "pooled")
    assert (record.value, record.provenance) == (0.75, "computed")


def test_supplied_values_that_differ_are_a_finding_with_the_queries():
    check = finding(two_queries(mrr=[0.25, 1.0]))
    assert (check.status, check.severity) == ("failed", "warning")
    assert check.message.startswith(
        "mrr: of 2 queries with a supplied and a computed value, 1 differ, by up to 0.25 (q1: 0.25 against 0.5)."
    )


@pytest.mark.parametrize(
    ("supplied", "status"),
    [
        ({"evidence_recall": [1.0, 0.5]}, "passed"),
        ({"evidence_precision": [0.5, 0.5]}, "passed"),
        ({"evidence_precision": [0.5, 0.4]}, "failed"),
        ({"mrr": [0.504, 1.0]}, "failed"),
    ],
)
def test_the_selected_set_and_the_digits_given_decide(supplied, status):
    assert finding(two_queries(**supplied)).status == status


def test_rounding_of_the_supplied_values_is_no_difference():
    run = run_of(Asked("q1", candidates=in_order(0, 0, 1)), Asked("q2", candidates=in_order(1, 0, 1)))
    run = replace(run, systems=(replace(run.systems[0], supplied={"mrr": np.array([0.33, np.nan])}),))
    check = finding(run)
    assert check.status == "passed"
    assert check.message == (
        "mrr: of 1 query with a supplied and a computed value, all agree as far as the digits supplied go. "
        "1 query has only one of them."
    )


def test_a_sample_of_a_run_takes_the_supplied_values_and_the_order_of_its_own_queries():
    run = two_queries(mrr=[0.5, 1.0])
    place = np.array([2, 1, 0, 2, 1, 0])
    equal = replace(run.systems[0], retrieved=Retrieved.of(np.zeros(6), run.candidates.query, place))
    run = replace(run, systems=(equal,))
    sample = sample_of(run, 1)
    (system,) = sample.systems
    reciprocal_ranks = find(MetricId("mrr")).query_values
    kept = sample.queries.ids.index("q1") if "q1" in sample.queries.ids else None
    whole = reciprocal_ranks(prepare(run, equal, CONTRACT), MetricId("mrr"), CONTRACT)
    part = reciprocal_ranks(prepare(sample, system, CONTRACT), MetricId("mrr"), CONTRACT)
    chosen = [run.queries.ids.index(query) for query in sample.queries.ids]
    assert part.tolist() == whole[chosen].tolist()
    assert system.supplied["mrr"].tolist() == [[0.5, 1.0][i] for i in chosen]
    assert kept is None or part[kept] == 0.5
