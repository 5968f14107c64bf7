"""The cross-check asks programs by other authors: what it finds through them, and where it does not ask them."""

from __future__ import annotations

import functools
import warnings
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from reportgen import peers
from reportgen.contracts import load_contract
from reportgen.crosscheck import OURS, CrosscheckOutcome, PeerOutcome, check_of, crosscheck
from reportgen.crosscheck import _restricted as restricted
from reportgen.domain.metric_id import MetricId
from reportgen.metrics import deciders, registry
from reportgen.metrics import ranking as measures
from reportgen.metrics.statistics import Sums
from reportgen.metrics.totals import Confusion, Mean
from reportgen.peers import UNDEFINED
from reportgen.reference import classification, ranking, rows
from reportgen.reference.rows import OfRows
from tests.reference.engines import with_every_variant
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, run_of

QUICK = load_contract(overrides={"resamples": 0})
TREC = load_contract("trec-eval", {"resamples": 0})
SCIKIT_LEARN = f"scikit-learn {version('scikit-learn')}"
PYTREC_EVAL = f"pytrec_eval {version('pytrec_eval-terrier')}"
ACCURACY = deciders.rate(deciders.threshold, Confusion.accuracy)


def only(*metrics: str, contract=QUICK):
    """The contract that asks for some metrics alone."""
    return replace(contract, metrics=metrics, headline=metrics[:1], primary=())


def by_program(outcome: CrosscheckOutcome) -> dict[str, PeerOutcome]:
    return {one.program: one for one in outcome.peers}


def entry_as(monkeypatch, metric: str, **changes):
    """Put another entry in the place of one in the registry."""
    found = registry.find(MetricId.parse(metric))
    changed = replace(found, **changes)
    listed = tuple(changed if one is found else one for one in registry.entries())
    monkeypatch.setattr(registry, "entries", lambda: listed)
    monkeypatch.setattr(registry, "_by_kind", functools.cache(registry._by_kind.__wrapped__))


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("contract", [QUICK, TREC], ids=lambda contract: contract.id)
def test_other_programs_agree_with_every_metric_they_have(seed, contract):
    outcome = crosscheck(random_run(seed, graded=seed == 2, one_class=seed == 3), with_every_variant(contract))
    assert [str(difference) for difference in (*outcome.differences, *outcome.query_differences)] == []
    found = by_program(outcome)
    assert found[SCIKIT_LEARN].values > 200
    assert found[PYTREC_EVAL].values > 200
    assert found[PYTREC_EVAL].per_query > 1000


def test_every_value_is_compared_with_a_program_or_has_a_reason_why_not():
    outcome = crosscheck(random_run(3), QUICK)
    compared = sum(one.values for one in outcome.peers) + sum(outcome.without_peer.values())
    of_queries = sum(one.per_query for one in outcome.peers) + sum(outcome.per_query_without_peer.values())
    assert (compared, of_queries) == (outcome.values, outcome.per_query)
    assert "ap_denominator = min_R_K" in outcome.per_query_without_peer


def test_a_fault_of_a_statistic_is_found_by_scikit_learn_and_by_our_second_formula(monkeypatch):
    entry_as(monkeypatch, "f1@0.5", statistic=ACCURACY)
    outcome = crosscheck(random_run(3), only("f1@0.5"))
    assert {difference.by for difference in outcome.differences} == {SCIKIT_LEARN, OURS}


def test_scikit_learn_finds_a_fault_that_both_our_formulas_share(monkeypatch):
    entry_as(monkeypatch, "f1@0.5", statistic=ACCURACY, recompute=OfRows(classification.accuracy, rows.at_threshold))
    outcome = crosscheck(random_run(3), only("f1@0.5"))
    assert {difference.by for difference in outcome.differences} == {SCIKIT_LEARN}
    assert (check_of(outcome).status, check_of(outcome).severity) == ("failed", "error")
    assert f" by {SCIKIT_LEARN}" in check_of(outcome).message


def test_trec_eval_finds_a_fault_that_both_our_formulas_share_down_to_single_queries(monkeypatch):
    entry_as(
        monkeypatch,
        "recall@5",
        statistic=Sums(measures.mean_of(measures.hit), Mean.value),
        query_values=measures.per_query(measures.hit),
        recompute=rows.over_rankings(ranking.hit),
    )
    outcome = crosscheck(random_run(3), only("recall@k"))
    assert {difference.by for difference in outcome.differences} == {PYTREC_EVAL}
    assert {difference.by for difference in outcome.query_differences} == {PYTREC_EVAL}


@pytest.mark.parametrize(
    ("metric", "overrides", "reason"),
    [
        ("ndcg@k", {"ndcg_gain": "exp2"}, "ndcg_gain = exp2"),
        ("ndcg@k", {"ties": "expected"}, "ties = expected"),
        ("precision@k", {"precision_denominator": "K_eff"}, "precision_denominator = K_eff"),
        ("map@k", {"ap_denominator": "hits"}, "ap_denominator = hits"),
        ("log_loss", {"log_loss_clip": 1.2e-16}, "log_loss_clip is below the one of scikit-learn"),
        ("ece", {}, "no other program has the metric"),
    ],
)
def test_a_program_is_not_asked_where_the_contract_wants_another_quantity(metric, overrides, reason):
    outcome = crosscheck(random_run(3), only(metric, contract=load_contract(overrides={"resamples": 0, **overrides})))
    assert outcome.agrees
    assert outcome.peers == ()
    assert outcome.without_peer == {reason: outcome.values}


def test_an_edge_that_the_contract_fills_is_not_compared_since_programs_fill_it_otherwise():
    contract = only("auroc", contract=load_contract(overrides={"resamples": 0, "single_class": "half"}))
    outcome = crosscheck(random_run(3, one_class=True), contract)
    assert outcome.agrees
    (found,) = outcome.peers
    # The fold of one class, the mean over folds that it is a part of, and no other value of all queries.
    assert outcome.without_peer == {UNDEFINED.reason: 2}
    assert found.values == outcome.values - 2


@pytest.mark.parametrize("factor", [0.5, 1e9])
def test_grades_that_trec_eval_cannot_count_are_not_given_to_it(factor):
    run = random_run(3)
    changed = replace(run, candidates=replace(run.candidates, relevance=run.candidates.relevance * factor))
    outcome = crosscheck(changed, only("ndcg@k"))
    assert outcome.agrees
    assert outcome.without_peer == {"grades that are not whole numbers from 0 to 1,000,000": outcome.values}


def test_labels_that_some_clusters_lack_are_not_given_to_scikit_learn():
    run = sample_without_a_query(random_run(3))
    outcome = crosscheck(run, only("hamming_accuracy"))
    assert outcome.agrees
    assert outcome.without_peer["clusters that do not have one query for each label"] >= 2


def test_decisions_on_one_label_are_not_given_to_scikit_learn_which_takes_them_for_two_classes():
    run = run_of(*(Asked(f"q{i}", y=y, p=p, state="POS") for i, (p, y) in enumerate([(0.9, 1), (0.8, 0), (0.3, 1)])))
    outcome = crosscheck(run, only("f1[macro:label]", "f1[samples]"))
    assert outcome.agrees
    assert outcome.without_peer == {"one label only: scikit-learn takes its decisions for two classes": outcome.values}


def refuse(*args, **options):
    raise ValueError("Only one class is present")


def warn(*args, **options):
    warnings.warn("Only one class is present", UndefinedMetricWarning, stacklevel=2)
    return 0.5


@pytest.mark.parametrize("undefined", [refuse, warn])
def test_what_scikit_learn_refuses_or_warns_of_is_a_reason_with_its_message(monkeypatch, undefined):
    monkeypatch.setattr("sklearn.metrics.brier_score_loss", undefined)
    outcome = crosscheck(random_run(3), only("brier"))
    assert outcome.agrees
    reason = "scikit-learn does not define it for these rows: Only one class is present"
    assert outcome.without_peer == {reason: outcome.values}


def test_what_pytrec_eval_refuses_is_a_reason_with_its_message(monkeypatch):
    monkeypatch.setattr("pytrec_eval.RelevanceEvaluator", refuse)
    outcome = crosscheck(random_run(3), only("ndcg@k"))
    assert outcome.agrees
    reason = "pytrec_eval does not take the rankings: Only one class is present"
    assert outcome.without_peer == {reason: outcome.values}
    assert outcome.per_query_without_peer == {reason: outcome.per_query}


def test_without_pytrec_eval_its_values_have_our_second_formula_alone(monkeypatch):
    monkeypatch.setattr(peers, "find_spec", lambda name: None if name == "pytrec_eval" else name)
    run = random_run(3)
    outcome = crosscheck(run, TREC)
    assert outcome.agrees
    assert [one.program for one in outcome.peers] == [SCIKIT_LEARN]
    assert outcome.without_peer["pytrec_eval is not installed"] > 100
    # Evidence recall and evidence precision are not measures of trec_eval.
    of_evidence = 2 * len(run.queries) * len(run.systems)
    assert outcome.per_query_without_peer == {
        "pytrec_eval is not installed": outcome.per_query - of_evidence,
        "no other program has the metric": of_evidence,
    }


def test_a_program_that_does_not_say_its_version_is_named_all_the_same(monkeypatch):
    def unknown(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(peers, "version", unknown)
    assert peers.version_of("pytrec_eval") == "of unknown version"


def test_the_outcome_names_the_programs_and_how_much_they_computed():
    found = (PeerOutcome("pytrec_eval 0.5", 20, 40, 0.0), PeerOutcome("scikit-learn 1.6", 30, 0, 1e-16))
    outcome = CrosscheckOutcome(100, 50, 10, None, 1e-16, (), (), found, {"ties = expected": 50}, {"other": 10})
    assert outcome.message == (
        "A second implementation, written from the formulas alone, recomputed 100 values and 50 values of single "
        "queries; of these, pytrec_eval 0.5 recomputed 20 values and 40 of single queries and scikit-learn 1.6 "
        "recomputed 30 values, too; all agree, the largest difference is 1e-16."
    )
    assert check_of(outcome).message == outcome.message
    assert outcome.record()["peers"][0] == {"program": "pytrec_eval 0.5", "values": 20, "per_query": 40, "largest": 0.0}
    assert outcome.record()["without_peer"] == {"ties = expected": 50}


def sample_without_a_query(run):
    """The run without its first query."""
    kept = np.arange(len(run.queries)) > 0
    return restricted(run, kept)
