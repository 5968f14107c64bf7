"""Recorded states need a source: thresholds of every fold, or the run's word; otherwise what rests on them is refused.

Statement of work: "a value whose threshold has no recorded source is refused".
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.evaluation import evaluate, findings
from reportgen.metrics.frames import prepare
from reportgen.results import encode
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Recorded, in_order, run_of

UNEXPLAINED = Recorded(states_from=None)
NAN = float("nan")


def contract(**overrides):
    return load_contract(overrides={"resamples": 0, **overrides})


def run(recorded=UNEXPLAINED):
    """Four queries in two folds: two alerts, of which one is right; one positive is uncertain, one negative blocked."""
    return run_of(
        Asked("q1", p=0.9, state="POS", k=1, candidates=in_order(1, 0), cluster="c1", fold="f1"),
        Asked("q2", p=0.8, state="POS", k=1, candidates=in_order(0, 0), cluster="c2", fold="f1"),
        Asked("q3", p=0.5, state="UNCERTAIN", k=1, candidates=in_order(1, 0), cluster="c3", fold="f2"),
        Asked("q4", p=0.1, state="NEG", k=0, candidates=in_order(0, 0), cluster="c4", fold="f2"),
        recorded=recorded,
    )


def two_systems(decider="state_not_neg", **changes):
    """A system whose states are explained, and ``bare``, the same without a word of them."""
    whole = random_run(5)
    bare = replace(whole.systems[0], **{"id": "bare", "label": "Bare", "states_from": None, **changes})
    return replace(whole, systems=(*whole.systems, bare)), contract(
        multilabel_decider=decider, deployment_decider=decider
    )


def told(run, contract):
    return [check.message for check in findings(run, contract) if check.code == "RG326"]


EXPLAINED = [
    Recorded(states_from="a language model that answers in three states"),
    Recorded({"tau_neg": (0.3, 0.3), "tau_pos": (0.7, 0.7)}, states_from=None),
    Recorded({"tau_neg": (0.3, 0.3)}, states_from="tau_neg on TUNE; the alert is the model's own"),
]


@pytest.mark.parametrize("recorded", EXPLAINED, ids=["words", "both thresholds", "one threshold and words"])
def test_states_with_a_source_are_reported(recorded):
    results = evaluate(run(recorded), contract(), command="test").results
    # Of two alerts one is right; both positives pass, and each returns its one relevant document.
    assert results.find("alert_precision", "s", "all_queries", "pooled").value == 0.5
    assert results.find("evidence_recall", "s", "positives_only", "pooled").value == 1.0
    assert told(run(recorded), contract()) == []


@pytest.mark.parametrize(
    ("thresholds", "lacking"),
    [
        ({}, "tau_neg and tau_pos"),
        ({"tau": (0.5, 0.5)}, "tau_neg and tau_pos"),
        ({"tau_neg": (0.3, 0.3)}, "tau_pos"),
        ({"tau_neg": (0.3, 0.3), "tau_pos": (0.7, NAN)}, "tau_pos of fold f2"),
        ({"tau_neg": (NAN, 0.3), "tau_pos": (NAN, NAN)}, "tau_neg of fold f1 and tau_pos"),
    ],
)
def test_what_is_lacking_is_named_and_what_rests_on_states_is_not_reported(thresholds, lacking):
    bare = run(Recorded(thresholds, states_from=None))
    assert told(bare, contract()) == [
        f"The states are recorded without {lacking}, and run.toml does not say where they come from: values of the "
        "states and of what they decide are not reported."
    ]
    results = evaluate(bare, contract(), command="test").results
    assert not {"alert_precision", "screening_sensitivity", "evidence_recall", "avg_k[all]"} & set(results.metric_by_id)
    # Probabilities and rankings rest on no threshold: each positive has its relevant document first.
    assert results.find("ndcg@10", "s", "positives_only", "pooled").value == 1.0
    assert results.find("auroc", "s", "all_queries", "pooled").value == 0.75


def test_a_fold_without_queries_needs_no_threshold():
    # The third fold has TUNE rows alone, or lost its queries when runs were put side by side.
    partly = run(Recorded({"tau_neg": (0.3, 0.3, NAN), "tau_pos": (0.7, 0.7, NAN)}, states_from=None))
    assert told(replace(partly, folds=("f1", "f2", "f3")), contract()) == []


def test_a_system_without_a_source_is_refused_beside_one_that_has_it():
    both, field = two_systems()
    evaluation = evaluate(both, field, command="test")
    results = evaluation.results
    for metric in ("alert_precision", "alert_rate", "screening_sensitivity", "avg_k[all]", "exact_match"):
        bare = results.find(metric, "bare", "all_queries", "pooled")
        assert (bare.status, bare.reason) == ("not_applicable", "no_threshold_source"), metric
        sound = results.find(metric, "s", "all_queries", "pooled")
        assert sound.status == "ok"
        # The refused value is one under the same conventions: they are in one column.
        assert results.signatures[bare.signature] == results.signatures[sound.signature]
    assert results.find("evidence_recall", "bare", "positives_only", "pooled").reason == "no_threshold_source"
    for metric in ("ndcg@10", "auroc", "f1@tune"):
        subset = "positives_only" if metric == "ndcg@10" else "all_queries"
        assert results.find(metric, "bare", subset, "pooled").status == "ok", metric
    # One code tells of it, as a warning: what is shown is sound.
    assert [(c.code, c.severity, c.where) for c in results.checks if c.code in ("RG244", "RG326")] == [
        ("RG326", "warning", "bare")
    ]
    assert {item.system for item in results.distributions if item.kind == "selected_k"} == {"s"}
    assert crosscheck(both, field, evaluation).agrees


def test_a_decider_that_does_not_look_at_states_decides_all_the_same():
    both, other = two_systems(decider="threshold:tune")
    results = evaluate(both, other, command="test").results
    assert results.find("exact_match", "bare", "all_queries", "pooled").status == "ok"
    assert results.find("alert_rate", "bare", "all_queries", "pooled").reason == "no_threshold_source"
    assert told(both, other) == [
        "The states are recorded without tau_neg and tau_pos, and run.toml does not say where they come from: values "
        "of the states are not reported."
    ]


def test_states_that_the_contract_takes_from_tune_need_no_word_on_the_recorded_ones():
    both, _ = two_systems()
    rules = contract(tau_neg_rule="min_sensitivity", tau_pos_rule="min_precision")
    results = evaluate(both, rules, command="test").results
    assert results.find("alert_rate", "bare", "all_queries", "pooled").status == "ok"
    assert told(both, rules) == []


def test_values_of_the_selected_set_that_the_run_supplies_rest_on_the_states_too():
    both, field = two_systems(supplied={"evidence_recall": np.full(120, 0.5)})
    evaluation = evaluate(both, field, command="test")
    assert (
        evaluation.results.find("evidence_recall", "bare", "positives_only", "pooled").reason == "no_threshold_source"
    )
    assert crosscheck(both, field, evaluation).agrees


def test_a_system_is_refused_if_one_of_its_trainings_has_no_source():
    whole = random_run(5)
    one = replace(whole.systems[0], id="s/seed=1", seed="1")
    several = replace(whole.systems[0], y_prob=None, state=None, tune=None, thresholds={}, trainings=(
        one, replace(one, id="s/seed=2", seed="2", states_from=None)))  # fmt: skip
    trained = replace(whole, systems=(several, replace(whole.systems[0], id="other")))
    frames = prepare(trained, several, contract())
    assert frames.refused == dict.fromkeys(("states", "deployment_decider"), "no_threshold_source")
    assert "states" not in frames.components
    results = evaluate(trained, contract(), command="test").results
    assert results.find("alert_rate", "s", "all_queries", "pooled").reason == "no_threshold_source"
    assert results.find("auroc", "s", "all_queries", "pooled").status == "ok"
    assert [check.where for check in results.checks if check.code == "RG326"] == ["s/seed=2"]


def test_the_words_stand_with_the_system_and_only_where_there_are_some():
    both, field = two_systems()
    results = evaluate(both, field, command="test").results
    assert [system.states_from for system in results.systems] == ["drawn at random", None]
    assert encode(results).count(b'"states_from"') == 1
