"""The two implementations agree on every value, on real data and on the tiny run.

They share no code: one works on arrays with cluster weights, the other on one query at a time with exact fractions.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.metrics.registry import entries
from tests.reference.engines import ENGINES, compute, with_every_variant
from tests.reference.random_runs import random_run
from tests.support.small_runs import MISSING, Asked, run_of

TOLERANCE = 1e-9

every_contract = pytest.mark.parametrize("contract", ["field-standard", "trec-eval"])
every_run = pytest.mark.parametrize("name", ["tiny", pytest.param("digits_pages", marks=pytest.mark.slow)])


def differences(fast, recomputed):
    """``id: fast ≠ reference`` for every id whose values are not both undefined or equal within the tolerance."""
    found = []
    for key in sorted(set(fast) | set(recomputed)):
        # A metric that does not apply is a record without value on one side and absent on the other.
        ours, theirs = fast.get(key), recomputed.get(key)
        both = ours is not None and theirs is not None
        if not (math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE) if both else ours is theirs is None):
            found.append(f"{key}: {ours} ≠ {theirs}")
    return found


@every_run
@every_contract
def test_every_value_of_both_implementations_agrees(numbers, name, contract):
    # All queries once; under the second contract a quarter of them.
    queries = 600 if (name, contract) == ("digits_pages", "trec-eval") else None
    fast, recomputed = (numbers(engine, name, contract, queries=queries) for engine in ("fast", "reference"))
    assert sum(value is not None for value in recomputed.values.values()) > 500
    assert differences(fast.values, recomputed.values) == []


@every_run
def test_every_sd_over_folds_agrees(numbers, name):
    fast, recomputed = numbers("fast", name), numbers("reference", name)
    assert differences(fast.spreads, recomputed.spreads) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    "overrides",
    [
        {"ap_denominator": "hits", "precision_denominator": "K_eff", "ndcg_gain": "exp2"},
        {
            "multilabel_decider": "none",
            "deployment_decider": "none",
            "empty_gold_all_queries": "exclude",
        },
        {
            "multilabel_decider": "threshold:0.4",
            "deployment_decider": "threshold:tune",
            "ties": "docno_desc",
        },
        {"deployment_decider": "fpr_budget:0.05", "ece_bins": 7, "log_loss_clip": 0.01},
        {"tau_neg_rule": "min_sensitivity", "tau_neg_target": 0.98, "tau_pos_rule": "min_precision"},
        {"tau_neg_rule": "min_sensitivity"},
        {"tau_pos_rule": "min_precision", "tau_pos_target": 0.75},
    ],
    ids=["denominators", "nothing-decides", "thresholds", "budget", "states-tuned", "tau-neg-tuned", "tau-pos-tuned"],
)
def test_every_value_agrees_under_other_conventions(numbers, overrides):
    # A decision tree: few distinct probabilities and scores, so that every rule for ties matters.
    fast, recomputed = (
        numbers(engine, "digits_pages", system="tree3", queries=600, **overrides) for engine in ("fast", "reference")
    )
    assert sum(value is not None for value in recomputed.values.values()) > 500
    assert differences(fast.values, recomputed.values) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_no_system_returns_more_than_it_retrieved(engine):
    # K = 3 is recorded, but only two candidates have a score: the returned set has two, one of two relevant ones.
    run = run_of(Asked("q", state="POS", k=3, candidates=[("a", 1, 2.0), ("b", 0, 1.0), ("c", 1, MISSING)]))
    ours = compute(engine, run, load_contract("field-standard", {"resamples": 0}))
    assert ours.value("evidence_recall", "s", "positives_only") == 0.5
    assert ours.value("avg_k[all]", "s") == 2


@pytest.mark.parametrize("contract", contract_ids())
def test_every_value_agrees_under_every_contract_on_a_random_run(contract):
    run, chosen = random_run(4), load_contract(contract, {"resamples": 0})
    assert differences(compute("fast", run, chosen).values, compute("reference", run, chosen).values) == []


@pytest.mark.parametrize(
    "overrides",
    [
        {"ece_edges": "left_open_first_closed", "single_class": "half", "auprc_edge": "prevalence"},
        {"ece_bin_value": "centre", "roc_points": "drop_intermediate", "ece_bins": 7},
        {"zero_division": "zero", "ece_edges": "left_closed_drop_last", "log_loss_clip": 0.01},
    ],
    ids=["edges", "centres", "zeros"],
)
def test_every_value_agrees_under_other_conventions_of_probabilities(overrides):
    run, contract = random_run(5), load_contract("field-standard", {"resamples": 0, **overrides})
    assert differences(compute("fast", run, contract).values, compute("reference", run, contract).values) == []


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("graded", [False, True])
def test_every_value_agrees_on_random_runs_full_of_ties_and_unretrieved_candidates(seed, graded):
    run, contract = random_run(seed, graded=graded), load_contract("field-standard", {"resamples": 0})
    assert differences(compute("fast", run, contract).values, compute("reference", run, contract).values) == []


def asking_for_everything(**conventions):
    contract = load_contract("field-standard", {"resamples": 0, **conventions})
    populations = {**contract.populations, "selection": ("positives_only", "all_queries")}
    return with_every_variant(replace(contract, populations=populations))


def with_unjudged(run):
    """The same run with every third candidate unjudged, unless it is relevant."""
    rows = run.candidates
    judged = (rows.relevance > 0) | (np.arange(len(rows)) % 3 > 0)
    return replace(run, candidates=replace(rows, judged=judged))


@pytest.mark.parametrize(
    ("seed", "conventions"),
    [
        (4, {}),
        (5, {}),
        (4, {"ties": "expected"}),
        (5, {"ties": "expected", "ap_denominator": "hits", "precision_denominator": "K_eff", "ndcg_gain": "exp2"}),
        (4, {"ties": "optimistic", "missing_query": "exclude", "empty_gold_all_queries": "credit_if_empty"}),
        (5, {"ties": "pessimistic", "empty_selection": "zero", "empty_gold_selection": "zero"}),
        (4, {"empty_selection": "credit_if_empty", "empty_gold_selection": "credit_if_empty", "empty_gold": "zero"}),
        (5, {"unjudged": "judged_only", "ties": "expected"}),
        (4, {"unjudged": "judged_only", "deployment_decider": "fpr_budget:0.1"}),
        (5, {"multilabel_decider": "fpr_budget:0.05", "deployment_decider": "state_pos"}),
        (4, {"multilabel_decider": "state_not_neg", "deployment_decider": "threshold:0.5"}),
    ],
    ids=lambda value: ",".join(value.values()) if isinstance(value, dict) else str(value),
)
def test_every_metric_of_the_catalogue_agrees_under_every_convention_for_rankings_and_selections(seed, conventions):
    run, contract = with_unjudged(random_run(seed, graded=seed == 5)), asking_for_everything(**conventions)
    fast, recomputed = compute("fast", run, contract).values, compute("reference", run, contract).values
    found = {(metric.name, metric.variant) for metric in map(MetricId.parse, {key.split("|")[0] for key in recomputed})}
    # Metrics of rows with several classes need such rows: test_multiclass.py compares them.
    assert found == {(metric.name, metric.variant) for metric in entries() if metric.family != "multiclass"}
    assert differences(fast, recomputed) == []


@pytest.mark.parametrize("targets", [(0.9, 0.6), (0.5, 0.5), (1.0, 0.99), (0.8, None), (None, 0.7)])
def test_every_value_agrees_where_states_come_from_tune(targets):
    # The random run records neither tau_neg nor tau_pos, so that with one of them chosen the other has no source.
    sensitivity, precision = targets
    chosen = {"tau_neg_rule": "min_sensitivity", "tau_neg_target": sensitivity} if sensitivity else {}
    chosen |= {"tau_pos_rule": "min_precision", "tau_pos_target": precision} if precision else {}
    contract = load_contract("field-standard", {"resamples": 0, **chosen})
    fast, recomputed = (compute(engine, random_run(6), contract).values for engine in ENGINES)
    assert differences(fast, recomputed) == []
    assert ("alert_rate|s|all_queries|pooled" in recomputed) == (sensitivity is not None and precision is not None)
