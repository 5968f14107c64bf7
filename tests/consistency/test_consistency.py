"""Consistency of results: one number changed by hand, and the rule that finds it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from reportgen.consistency import consistency_checks, errors_of, rechecked, with_consistency_checks
from reportgen.consistency.populations import populations
from reportgen.contracts import load_contract
from reportgen.domain.record import Results, Target
from reportgen.errors import Diagnostic
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from tests.reference.random_runs import random_run

ROOT = Path(__file__).resolve().parents[2]


@cache
def tiny() -> Results:
    """The run of twelve queries in two folds: its states decide what is returned, tau_f1 all else."""
    run = read_run(ROOT / "sample_runs" / "tiny")
    return evaluate(run, load_contract(overrides={"resamples": 20}), command="test").results


def changed(results: Results, metric: str, subset: str, aggregation: str = "pooled", **fields) -> Results:
    """The results with other fields in one record of the system ``neural``."""
    target = results.find(metric, "neural", subset, aggregation)
    assert target is not None
    records = tuple(replace(r, **fields) if r is target else r for r in results.results)
    return replace(results, results=records)


def failed(results: Results) -> dict[str, str]:
    """Code to message of what is found wrong."""
    return {check.code: check.message for check in consistency_checks(results) if check.status == "failed"}


def test_a_sound_evaluation_passes_and_says_what_was_looked_at():
    outcome = consistency_checks(tiny())
    assert failed(tiny()) == {}
    assert [check.code for check in outcome] == [
        "RG370", "RG370", "RG371", "RG372", "RG373", "RG374", "RG375", "RG376", "RG377"
    ]  # fmt: skip
    said = {check.code: check.message for check in outcome}
    # Two systems, two thresholds and the deployment, the whole and two folds.
    assert said["RG371"].startswith("18 confusion matrices add up")
    assert said["RG375"] == f"{len(tiny().results):,} results have metric, value, subset and interpretation."


def test_a_rate_above_1_is_outside_its_range():
    message = failed(changed(tiny(), "auprc", "all_queries", value=1.25))["RG370"]
    assert message == "auprc|neural|all_queries|pooled is 1.25, outside 0 to 1."


def test_a_fold_value_below_0_is_outside_its_range():
    record = tiny().find("brier", "neural", "all_queries", "fold_mean")
    folds = (replace(record.folds[0], value=-0.1), *record.folds[1:])
    message = failed(changed(tiny(), "brier", "all_queries", "fold_mean", folds=folds))["RG370"]
    assert message.startswith("brier|neural|all_queries|fold_mean in fold ")
    assert "is -0.1, outside 0 to 1" in message


def test_an_interval_beyond_the_range_is_a_warning():
    record = tiny().find("auroc", "neural", "all_queries", "pooled")
    wide = tuple(replace(interval, upper=1.1) for interval in record.intervals)
    found = [c for c in consistency_checks(changed(tiny(), "auroc", "all_queries", intervals=wide)) if c.fix]
    assert [(check.code, check.severity) for check in found] == [("RG370", "warning")]
    assert "outside 0 to 1" in found[0].message


def test_a_range_open_on_one_side_is_said_so():
    assert "outside at least 0" in failed(changed(tiny(), "log_loss", "all_queries", value=-1.0))["RG370"]
    assert "outside at most 1" in failed(changed(tiny(), "brier_skill", "all_queries", value=2.0))["RG370"]


def test_a_count_of_one_more_does_not_add_up_to_the_population_nor_over_the_folds():
    tp = tiny().find("tp@0.5", "neural", "all_queries", "pooled").value
    message = failed(changed(tiny(), "tp@0.5", "all_queries", value=tp + 1))["RG371"]
    # Six of the twelve queries are positive.
    assert "at 0.5 there are 7 positive and 6 negative queries, but the population has 6 and 6" in message


def test_a_count_that_is_no_whole_number_is_found():
    tp = tiny().find("tp@0.5", "neural", "all_queries", "pooled").value
    fn = tiny().find("fn@0.5", "neural", "all_queries", "pooled").value
    results = changed(tiny(), "tp@0.5", "all_queries", value=tp - 0.5)
    message = failed(changed(results, "fn@0.5", "all_queries", value=fn + 0.5))["RG371"]
    assert "counts at 0.5 are not whole numbers from 0" in message


def test_folds_that_do_not_add_up_to_the_whole_are_found():
    record = tiny().find("fp@0.5", "neural", "all_queries", "pooled")
    first = record.folds[0]
    folds = (replace(first, value=first.value + 1), *record.folds[1:])
    message = failed(changed(tiny(), "fp@0.5", "all_queries", folds=folds))["RG371"]
    assert f"is {record.value:,.0f}, but its folds add up to {record.value + 1:,.0f}" in message


def test_the_counts_of_the_deployment_are_looked_at_as_those_of_a_threshold_are():
    # Neural returns something for all six positive queries and three of the six negative ones.
    message = failed(changed(tiny(), "fp[deployment]", "all_queries", value=4.0))["RG371"]
    assert "at deployment there are 6 positive and 7 negative queries, but the population has 6 and 6" in message
    for metric, counts in (("recall", "1.0"), ("fpr", "0.5"), ("precision", repr(6 / 9))):
        message = failed(changed(tiny(), f"{metric}[deployment]", "all_queries", value=0.123))["RG371"]
        assert f"pooled: {metric}[deployment] is 0.123, but its counts give {counts}" in message


def test_a_micro_f1_is_the_f1_at_the_threshold_that_decides_both():
    # Metrics Contract 1.0.0, 9.3: the same metric in several places has one value. Neural: 12/14 at the TUNE threshold.
    message = failed(changed(tiny(), "f1[micro]", "all_queries", value=0.5))["RG371"]
    assert (
        f"neural, all_queries, pooled: f1[micro] is 0.5, but f1@tune, of the same decisions, is {12 / 14!r}" in message
    )
    by_states = load_contract(overrides={"resamples": 0, "multilabel_decider": "state_not_neg"})
    other = evaluate(read_run(ROOT / "sample_runs" / "tiny"), by_states, command="test").results
    assert other.find("f1[micro]", "neural", "all_queries", "pooled").value != pytest.approx(12 / 14)
    assert failed(other) == {}


@pytest.mark.parametrize("metric", ["sensitivity", "specificity", "fpr", "precision", "npv", "f1", "accuracy", "mcc"])
def test_a_rate_that_is_not_the_quotient_of_its_counts_is_found(metric):
    message = failed(changed(tiny(), f"{metric}@0.5", "all_queries", value=0.123))["RG371"]
    assert message.startswith(f"neural, all_queries, pooled: {metric}@0.5 is 0.123, but its counts give ")


@pytest.mark.parametrize(
    ("metric", "value", "message"),
    [
        ("recall@5", 0.0, "recall falls from"),
        ("hit@5", 0.0, "hit falls from"),
        ("mrr@10", 0.0, "mrr falls from"),
        ("precision@3", 0.0, "K · precision falls from"),
        ("map@1", 1.0, "map@1 is 1.0, above hit@1"),
        ("mrr@1", 0.0, "at K = 1 these are one number: hit@1"),
    ],
)
def test_values_at_k_that_contradict_each_other_are_found(metric, value, message):
    assert message in failed(changed(tiny(), metric, "positives_only", value=value))["RG372"]


def test_parts_that_do_not_add_up_to_their_sum_are_found():
    brier = tiny().find("brier", "neural", "all_queries", "pooled").value
    message = failed(changed(tiny(), "brier", "all_queries", value=brier / 2))["RG372"]
    assert "brier[miscalibration] − brier[discrimination] + brier[uncertainty] − brier is" in message


def test_a_fold_mean_that_is_not_the_mean_of_its_folds_is_found():
    # Published: nDCG@10 of 0.8206 in a table whose own folds have a mean of 0.8100.
    message = failed(changed(tiny(), "ndcg@10", "positives_only", "fold_mean", value=0.8206))["RG372"]
    assert message.startswith("ndcg@10|neural|positives_only|fold_mean is 0.8206, which is not the mean of its folds")


def test_a_difference_that_is_not_that_of_its_values_is_found():
    pair = next(p for p in tiny().comparisons if p.difference is not None)
    results = replace(
        tiny(), comparisons=tuple(replace(p, difference=0.5) if p is pair else p for p in tiny().comparisons)
    )
    assert f"{pair.id} is 0.5, but its values differ by" in failed(results)["RG372"]


def test_folds_that_do_not_add_up_to_all_queries_are_found():
    first = tiny().folds[0]
    results = replace(tiny(), folds=(replace(first, n_candidates=first.n_candidates + 1), *tiny().folds[1:]))
    assert failed(results)["RG373"].startswith("candidates: ")


@pytest.mark.parametrize(
    ("subset", "fields", "message"),
    [
        ("label=A", {"n_gold": 0}, "gold of All queries"),
        ("positives_only", {"n_positive": 5}, "positives_only is of positives only, but has 1 negative queries"),
        ("positives_only", {"n_queries": 5, "n_positive": 5}, "all_queries has 6 positive ones"),
        ("label=A", {"n_positive": 99}, "label=A has more positive queries than queries"),
        ("positives_only", {"n_queries": 2, "n_positive": 2}, "is of 6 queries (6 positive), but positives_only has 2"),
    ],
)
def test_subsets_that_do_not_add_up_are_found(subset, fields, message):
    subsets = tuple(replace(s, **fields) if s.id == subset else s for s in tiny().subsets)
    outcome = populations(replace(tiny(), subsets=subsets))
    assert any(message in what for what in outcome.wrong)
    assert (outcome.check.code, outcome.check.status) == ("RG373", "failed")


@pytest.mark.parametrize(("field", "word"), [("positives", "positive"), ("clusters", "clusters")])
def test_a_value_of_fewer_queries_than_positives_or_clusters_is_found(field, word):
    record = tiny().find("ndcg@10", "neural", "positives_only", "pooled")
    n = replace(
        record.n, **{"queries": record.n.positives - 1, "positives": 1, "clusters": 1, field: record.n.positives}
    )
    message = failed(changed(tiny(), "ndcg@10", "positives_only", n=n))["RG373"]
    assert message.startswith(f"{record.id} is of {n.queries} queries, of which")
    assert f"{record.n.positives} " in message
    assert word in message


def test_one_signature_has_one_value():
    record = tiny().find("auroc", "neural", "all_queries", "pooled")
    twin = replace(record, id="auroc-again|neural|all_queries|pooled", value=0.5)
    message = failed(replace(tiny(), results=(*tiny().results, twin)))["RG374"]
    assert message.endswith("is 0.5 under one signature.")


def test_a_result_without_a_subset_or_an_interpretation_is_found():
    message = failed(changed(tiny(), "auroc", "all_queries", interpretation=" "))["RG375"]
    assert message == "auroc|neural|all_queries|pooled has no interpretation."


def test_a_verdict_that_contradicts_its_value_is_found():
    value = tiny().find("auroc", "neural", "all_queries", "pooled").value
    wrong = Target(op=">=", value=value + 0.1, met=True)
    message = failed(changed(tiny(), "auroc", "all_queries", target=wrong))["RG376"]
    assert "and said to meet >=" in message


def test_numbers_that_no_second_implementation_saw_are_said_to_be_so():
    [alone] = [check for check in consistency_checks(tiny()) if check.code == "RG377"]
    assert (alone.status, alone.severity) == ("not_run", "warning")
    seen = replace(tiny(), checks=(Diagnostic("RG260", "", "All agree.", status="passed", severity="note"),))
    assert "RG377" not in {check.code for check in consistency_checks(seen)}


def test_a_sound_file_is_not_changed_by_a_second_look_and_a_wrong_one_says_it_once():
    once = with_consistency_checks(tiny())
    assert rechecked(once) is once
    wrong = rechecked(changed(once, "auprc", "all_queries", value=1.25))
    assert [check.code for check in errors_of(wrong)] == ["RG370"]
    assert rechecked(wrong) is wrong
    assert errors_of(once) == ()


@pytest.mark.parametrize("contract", ["field-standard", "trec-eval", "gold-standard", "end-to-end"])
@pytest.mark.parametrize("graded", [False, True])
def test_whatever_the_data_and_the_contract_no_relation_fails(contract, graded):
    run = random_run(7, graded=graded)
    results = evaluate(run, load_contract(contract, {"resamples": 0}), command="test").results
    assert failed(results) == {}


def test_results_of_positive_queries_alone_have_folds_to_check_nothing_against():
    subsets = tuple(subset for subset in tiny().subsets if subset.id != "all_queries")
    records = tuple(record for record in tiny().results if record.subset != "all_queries")
    assert failed(replace(tiny(), subsets=subsets, results=records, curves=(), comparisons=())) == {}


def test_many_contradictions_are_counted_and_the_first_named():
    results = replace(
        tiny(), results=tuple(replace(r, interpretation=" ") if r.metric == "auroc" else r for r in tiny().results)
    )
    n = sum(r.metric == "auroc" for r in tiny().results)
    assert failed(results)["RG375"].endswith(f"; and {n - 3} more.")
