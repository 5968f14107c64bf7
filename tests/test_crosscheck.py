"""The cross-check compares everything, finds what is wrong, and samples large runs by whole clusters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from msgspec.structs import replace as changed

import reportgen.crosscheck as module
from reportgen.contracts import contract_ids, load_contract
from reportgen.crosscheck import OURS, CrosscheckOutcome, Disagreement, check_of, crosscheck, most_queries, sample_of
from reportgen.domain.retrieved import Retrieved
from reportgen.domain.run import System
from reportgen.evaluation import Evaluation, evaluate
from tests.reference.random_runs import random_run

QUICK = load_contract(overrides={"resamples": 0})


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(random_run(3), QUICK, command="test")


@pytest.mark.parametrize("contract", contract_ids())
def test_both_implementations_agree_under_every_contract(contract):
    outcome = crosscheck(random_run(3), load_contract(contract, {"resamples": 0}))
    assert outcome.agrees
    assert outcome.values > 200
    assert check_of(outcome).status == "passed"


@pytest.mark.parametrize("metrics", [QUICK.metrics, ("ndcg@10",)])
@pytest.mark.parametrize("clears", [{}, {"y_prob": None, "state": None, "selected_k": None, "retrieved": None}])
def test_both_implementations_agree_where_a_training_lacks_what_another_has(clears, metrics):
    run = random_run(3)
    (system,) = run.systems
    whole = replace(system, id="s/seed=1", seed="1")
    lacking = replace(whole, id="s/seed=2", seed="2", tune=None, thresholds={}, **clears)
    several = replace(run, systems=(replace(System("s", "S"), trainings=(whole, lacking)),))
    outcome = crosscheck(several, replace(QUICK, metrics=metrics, headline=("ndcg@10",), primary=()))
    assert [str(difference) for difference in outcome.differences] == []


def spoilt(evaluation, of, amount):
    """The evaluation with one value moved."""
    records = tuple(
        changed(record, value=record.value + amount) if record.id == of else record
        for record in evaluation.results.results
    )
    return Evaluation(changed(evaluation.results, results=records), evaluation.columns)


@pytest.mark.parametrize(
    ("of", "amount", "is_found"),
    [
        ("mcc@0.5|s|all_queries|pooled", 2e-9, True),
        ("mcc@0.5|s|all_queries|pooled", 5e-10, False),  # irrational: 1e-9 is allowed
        ("auroc|s|all_queries|pooled", 5e-10, True),  # rational: only 1e-12 is
        ("auroc|s|all_queries|fold_mean", 1e-3, True),
    ],
)
def test_a_moved_value_is_found_if_it_moved_further_than_its_tolerance(evaluation, of, amount, is_found):
    outcome = crosscheck(random_run(3), QUICK, spoilt(evaluation, of, amount))
    assert [one.where for one in outcome.differences if one.by == OURS] == ([of] if is_found else [])


def test_a_moved_value_of_a_single_query_is_named(evaluation):
    column = list(evaluation.per_query["recall@5"])
    position = next(i for i, value in enumerate(column) if value is not None)
    column[position] += 0.25
    moved = {**evaluation.per_query, "recall@5": column}
    outcome = crosscheck(random_run(3), QUICK, Evaluation(evaluation.results, lambda: moved))
    query = evaluation.per_query["query"][position]
    assert {difference.where for difference in outcome.query_differences} == {f"recall@5|s|{query}"}
    assert "; 1 of them differ: " in check_of(outcome).message
    check = check_of(outcome)
    assert (check.status, check.severity) == ("failed", "error")
    assert query in check.message


@pytest.mark.parametrize("metric", ["ndcg", "rprec", "map", "mrr", "hit@3"])
def test_values_of_single_queries_are_compared_with_a_cut_off_and_without(metric):
    contract = replace(QUICK, metrics=("ndcg", "rprec", "map", "mrr", "hit@k"), headline=("mrr",), primary=())
    found = evaluate(random_run(3), contract, command="test")
    column = list(found.per_query[metric])
    position = next(i for i, value in enumerate(column) if value is not None)
    column[position] += 0.25
    moved = {**found.per_query, metric: column}
    outcome = crosscheck(random_run(3), contract, Evaluation(found.results, lambda: moved))
    query = found.per_query["query"][position]
    assert {difference.where for difference in outcome.query_differences} == {f"{metric}|s|{query}"}


def test_the_printed_record_of_a_difference_has_both_values():
    outcome = CrosscheckOutcome(1, 0, 1, None, 1.0, (Disagreement("m|s|all_queries|pooled", 1.0, 0.0),), ())
    assert list(outcome.record()["differences"]) == [
        {"where": "m|s|all_queries|pooled", "fast": 1.0, "by": OURS, "literal": 0.0}
    ]


def test_a_value_that_only_one_implementation_defines_is_a_difference(evaluation):
    records = tuple(r for r in evaluation.results.results if r.id != "brier|s|all_queries|pooled")
    lacking = Evaluation(changed(evaluation.results, results=records), evaluation.columns)
    differences = crosscheck(random_run(3), QUICK, lacking).differences
    assert {(one.where, one.fast) for one in differences} == {("brier|s|all_queries|pooled", None)}


def test_a_large_run_is_sampled_by_whole_clusters_of_every_fold(monkeypatch):
    run = random_run(3)
    monkeypatch.setattr(module, "LARGE", 60)
    outcome = crosscheck(run, QUICK)
    assert (outcome.queries, outcome.sampled_from) == (60, len(run.queries))
    assert outcome.agrees
    assert "on a sample of 60 of 120 queries" in outcome.message
    assert crosscheck(run, QUICK, extent="all").sampled_from is None


def test_many_rows_are_sampled_with_all_systems(monkeypatch):
    run = random_run(3)
    (one,), candidates = run.systems, run.candidates
    all_listed = Retrieved.of(np.zeros(len(candidates)))
    many = replace(run, systems=tuple(replace(one, id=id, retrieved=all_listed) for id in "abcde"))
    # Five systems with a row for each of 120 queries and for each candidate: a quarter of the rows is 30 queries.
    monkeypatch.setattr(module, "ROWS", (5 * (120 + len(candidates)) + 3) // 4)
    assert most_queries(many) == 30
    assert most_queries(run) == 120 * module.ROWS // (120 + len(one.retrieved)) > 120
    outcome = crosscheck(many, QUICK)
    assert (outcome.queries, outcome.sampled_from, outcome.agrees) == (30, 120, True)
    # Without rankings a system has a row for each query; trainings are systems.
    bare = replace(one, retrieved=None)
    trained = replace(run, candidates=None, systems=(replace(bare, trainings=(bare, bare)), bare))
    monkeypatch.setattr(module, "ROWS", 180)
    assert most_queries(trained) == 120 * 180 // 360


def test_the_smallest_sample_has_a_cluster_of_each_fold(monkeypatch):
    run = random_run(3)
    monkeypatch.setattr(module, "ROWS", 1)
    assert np.bincount(run.queries.cluster).tolist() == [3] * 40
    outcome = crosscheck(run, QUICK)
    assert (outcome.queries, outcome.agrees) == (len(run.folds) * 3, True)
    parts = tuple(replace(run, cluster_fold=np.roll(run.cluster_fold, at)) for at in range(2))
    kept = np.unique(sample_of(replace(run, repeats=parts), 1).queries.cluster)
    for part in parts:
        assert set(part.cluster_fold[kept]) == {0, 1, 2, 3}


def test_ten_systems_of_25000_rows_are_compared_whole():
    # 50 queries with 500 listed documents each, and each a row of its own: 250,500 rows, of the million that may be.
    assert 10 * (50 + 50 * 500) <= module.ROWS < 300 * (50 + 50 * 500)


def test_a_sample_keeps_clusters_whole_and_rows_together():
    run = random_run(3)
    part = sample_of(run, 30)
    kept = set(part.queries.cluster.tolist())
    assert len(part.queries) == sum(cluster in kept for cluster in run.queries.cluster.tolist()) == 30
    assert set(part.queries.fold.tolist()) == set(run.queries.fold.tolist())
    places = {query: i for i, query in enumerate(run.queries.ids)}
    for i, query in enumerate(part.queries.ids):
        mine, theirs = part.candidates.query == i, run.candidates.query == places[query]
        assert np.array_equal(part.systems[0].score[mine], run.systems[0].score[theirs], equal_nan=True)
        assert part.systems[0].y_prob[i] == run.systems[0].y_prob[places[query]]
        documents, all_documents = np.array(part.candidates.doc_ids), np.array(run.candidates.doc_ids)
        assert documents[mine].tolist() == all_documents[theirs].tolist()


def test_a_document_of_the_last_query_keeps_its_name_in_a_sample():
    run = random_run(3)
    candidates = run.candidates
    names = tuple(f"d{n}" for n in range(len(candidates)))  # a document of its own for every row
    run = replace(run, candidates=replace(candidates, docs=names, doc=np.arange(len(candidates))))
    part = sample_of(run, 30)
    kept = np.isin(run.queries.ids, part.queries.ids)[candidates.query]
    assert part.candidates.doc_ids == tuple(np.array(names)[kept])


def test_systems_without_a_ranking_can_be_sampled():
    run = random_run(3)
    bare = replace(run, candidates=None, systems=(replace(run.systems[0], retrieved=None),))
    assert crosscheck(sample_of(bare, 60), QUICK).agrees


def test_a_run_with_a_single_label_has_no_values_of_it_alone():
    run = random_run(3)
    labels = run.labels[:1]
    single = replace(run, labels=labels, queries=replace(run.queries, label=np.zeros_like(run.queries.label)))
    outcome = crosscheck(single, QUICK)
    assert outcome.agrees
    assert outcome.values > 200


def test_a_run_without_probabilities_has_its_prevalence_from_both():
    run = random_run(3)
    bare = replace(run, systems=(replace(run.systems[0], y_prob=None, tune=None, thresholds={}),))
    outcome = crosscheck(bare, QUICK)
    assert outcome.agrees


@pytest.mark.parametrize("clip", [1.2e-16, 1e-15, 0.01])
def test_a_clip_that_is_no_binary_fraction_is_met_exactly_by_both(clip):
    run = random_run(3)
    y_prob = np.where(np.arange(len(run.queries.ids)) % 2, 0.0, 1.0)
    certain = replace(run, systems=(replace(run.systems[0], y_prob=y_prob),))
    assert crosscheck(certain, load_contract(overrides={"resamples": 0, "log_loss_clip": clip})).agrees
