"""States from thresholds that TUNE gives for a target, by hand, for both implementations."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.metrics.states import alert_threshold, choose_states, screening_threshold
from reportgen.metrics.threshold_counts import count
from reportgen.reference import answers as reference
from reportgen.results import decode, encode
from tests.reference.engines import ENGINES, compute
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Recorded, Tuned, run_of

TUNE = [(0.9, 1), (0.8, 1), (0.7, 0), (0.6, 1), (0.5, 0), (0.1, 0)]
BOTH = {"tau_neg_rule": "min_sensitivity", "tau_pos_rule": "min_precision"}


def rows(pairs):
    p, y = zip(*pairs, strict=True)
    return count(np.array(p), np.array(y))


def contract(**overrides):
    return load_contract(overrides={"resamples": 0, **overrides})


def run(tune=TUNE, recorded=None):
    evaluated = [(0.9, 1), (0.6, 1), (0.5, 1), (0.7, 0), (0.3, 0), (0.2, 0), (0.1, 0)]
    queries = [Asked(f"q{i}", y=y, p=p, cluster=f"c{i}") for i, (p, y) in enumerate(evaluated)]
    return run_of(*queries, tune=[Tuned(p, y) for p, y in tune], recorded=recorded, with_labels=False)


@pytest.mark.parametrize(
    ("target", "expected"),
    # Three positives, at 0.9, 0.8 and 0.6: all, two or one of them must reach the threshold.
    [(1.0, 0.6), (0.67, 0.6), (0.66, 0.8), (0.34, 0.8), (0.33, 0.9)],
)
def test_tau_neg_is_the_largest_threshold_that_keeps_the_asked_sensitivity(target, expected):
    assert screening_threshold(rows(TUNE), target) == reference.tau_neg(TUNE, target) == expected


@pytest.mark.parametrize(
    ("target", "floor", "expected"),
    [
        # Precision at 0.9 … 0.1: 1, 1, 2/3, 3/4, 3/5, 1/2. It is not monotone: the smallest threshold counts …
        (0.9, 0.0, 0.8),
        (0.7, 0.0, 0.6),
        (0.6, 0.0, 0.5),
        # … that is not below tau_neg; a query at tau_neg itself can be POS …
        (0.7, 0.65, 0.8),
        (0.7, 0.6, 0.6),
        # … and where there is none, no query is.
        (0.7, 0.95, math.inf),
    ],
)
def test_tau_pos_is_the_smallest_threshold_from_tau_neg_on_with_the_asked_precision(target, floor, expected):
    assert alert_threshold(rows(TUNE), target, floor) == reference.tau_pos(TUNE, target, floor) == expected


def test_a_share_equal_to_the_target_reaches_it_whatever_its_decimals():
    # 9 of 10 is 0.9 and 199 of 200 is 0.995, though neither is a float.
    ten = [(0.5, 1)] * 9 + [(0.5, 0)]
    assert alert_threshold(rows(ten), 0.9, 0.0) == reference.tau_pos(ten, 0.9, 0.0) == 0.5
    kept = [(0.5, 1)] * 199 + [(0.4, 1)]
    assert screening_threshold(rows(kept), 0.995) == reference.tau_neg(kept, 0.995) == 0.5


@pytest.mark.parametrize("engine", ENGINES)
def test_the_states_of_eval_follow_from_both_thresholds(engine):
    # tau_neg = 0.6, tau_pos = 0.8: one alert of seven queries (0.9, positive), 0.6 and 0.7 uncertain.
    found = compute(engine, run(), contract(**BOTH, tau_neg_target=1.0, tau_pos_target=0.9))
    assert found.value("alert_precision", "s") == 1.0
    assert found.value("alert_rate", "s") == pytest.approx(1000 / 7, abs=1e-12)


def test_chosen_thresholds_are_recorded_with_rule_target_source_and_what_they_achieve():
    results = evaluate(run(), contract(**BOTH, tau_neg_target=1.0, tau_pos_target=0.9), command="test").results
    lower, upper = (t for t in results.thresholds if t.target is not None)
    assert (lower.id, lower.rule, lower.value, lower.target, lower.source) == (
        "tau_neg:min_sensitivity=1|s|f1", "min_sensitivity", 0.6, 1.0, "chosen on TUNE",
    )  # fmt: skip
    assert lower.achieved == {"sensitivity": 1.0, "share_reached": 4 / 6}
    assert (upper.rule, upper.value, upper.achieved) == (
        "min_precision",
        0.8,
        {"precision": 1.0, "share_reached": 2 / 6},
    )
    assert (
        "tau_neg:min_sensitivity|sensitivity:1.0|tau_pos:min_precision|precision:0.9"
        in results.signatures[results.find("alert_rate", "s", "all_queries", "pooled").signature]
    )
    assert any(check.code == "RG243" for check in results.checks)
    # What is chosen can be written, and read back as it was.
    assert decode(encode(results), Path("results.json")).thresholds == results.thresholds


@pytest.mark.parametrize("rules", [BOTH, {"tau_neg_rule": "min_sensitivity"}, {"tau_pos_rule": "min_precision"}])
def test_results_with_chosen_thresholds_can_be_written_and_read_back(rules):
    recorded = Recorded({"tau_neg": [0.1], "tau_pos": [0.55]})
    results = evaluate(run(recorded=recorded), contract(**rules), command="test").results
    read = decode(encode(results), Path("metrics_master.json"))
    # tau_neg: all three positives reach 0.6, and a recorded tau_pos caps it; tau_pos: precision 0.9 from 0.8 on.
    assert [t.value for t in read.thresholds if t.target is not None] == {
        2: [0.6, 0.8], 1: [0.55] if "tau_neg_rule" in rules else [0.8],
    }[len(rules)]  # fmt: skip


def test_a_precision_that_no_threshold_reaches_is_said_and_no_query_is_pos():
    results = evaluate(run(tune=[(0.9, 0), (0.1, 1)]), contract(**BOTH), command="test").results
    (upper,) = (t for t in results.thresholds if t.rule == "min_precision")
    assert (upper.value, upper.reject_all) == (None, True)
    (check,) = (check for check in results.checks if check.code == "RG245")
    assert "precision of 0.9 in fold f1: no query there is in state POS" in check.message
    assert results.find("alert_rate", "s", "all_queries", "pooled").value == 0
    assert results.find("alert_precision", "s", "all_queries", "pooled").reason == "no_alerts"


def test_a_recorded_tau_pos_keeps_a_chosen_tau_neg_below_it():
    recorded = Recorded({"tau_neg": [0.1], "tau_pos": [0.55]})
    chosen = choose_states(run(recorded=recorded), run(recorded=recorded).systems[0], contract(
        tau_neg_rule="min_sensitivity", tau_neg_target=1.0))  # fmt: skip
    assert [(t.name, t.threshold) for t in chosen.thresholds] == [("tau_neg", 0.55)]
    # From 0.55 on POS, below NEG: equal thresholds leave nothing uncertain.
    assert chosen.system.state.tolist() == [2, 2, 0, 2, 0, 0, 0]


def test_the_field_standard_leaves_recorded_states_alone():
    system = random_run(2).systems[0]
    assert choose_states(random_run(2), system, contract()).system is system


def test_labels_of_eval_choose_nothing():
    one = run()
    other = replace(one, queries=replace(one.queries, y_true=1 - one.queries.y_true))
    thresholds = [choose_states(r, r.systems[0], contract(**BOTH)).thresholds for r in (one, other)]
    assert thresholds[0] == thresholds[1] != ()


@pytest.mark.parametrize(
    "system",
    [
        lambda system: replace(system, tune=None),
        lambda system: replace(system, y_prob=None, tune=None),
        lambda system: replace(system, tune=replace(system.tune, y_true=0 * system.tune.y_true)),
        lambda system: replace(system, tune=replace(system.tune, fold=0 * system.tune.fold)),
    ],
    ids=["no TUNE", "no probabilities", "no positives on TUNE", "a fold without TUNE"],
)
def test_what_rests_on_states_is_refused_where_a_threshold_has_no_source(system):
    whole = random_run(5)
    both = replace(whole, systems=(*whole.systems, replace(system(whole.systems[0]), id="bare", label="Bare")))
    results = evaluate(both, contract(**BOTH), command="test").results
    for metric in ("alert_precision", "alert_rate", "avg_k[all]"):
        record = results.find(metric, "bare", "all_queries", "pooled")
        assert (record.status, record.reason) == ("not_applicable", "no_threshold_source"), metric
        assert results.find(metric, "s", "all_queries", "pooled").status == "ok"
    assert results.find("evidence_recall", "bare", "positives_only", "pooled").reason == "no_threshold_source"
    assert results.find("ndcg@10", "bare", "positives_only", "pooled").status == "ok"
    assert [check.where for check in results.checks if check.code == "RG244"] == ["bare"]
    assert {item.system for item in results.distributions if item.kind == "selected_k"} == {"s"}


def test_a_decider_that_does_not_look_at_states_decides_without_them():
    whole = random_run(5)
    bare = replace(whole, systems=(replace(whole.systems[0], tune=None),))
    results = evaluate(bare, contract(**BOTH, deployment_decider="threshold:tune"), command="test").results
    assert results.find("exact_match", "s", "all_queries", "pooled").status == "ok"
    assert "alert_rate" not in results.metric_by_id
