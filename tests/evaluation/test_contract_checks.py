"""Targets, expectations, bands and omissions of a contract are shown beside the run and fail nothing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.contract import ContractTarget
from reportgen.domain.presentation import plain
from reportgen.evaluation import evaluate
from reportgen.tables import build_tables
from tests.support.small_runs import Asked, Tuned, run_of

PERFECT = [Asked(f"q{i}", y=i % 2, p=0.2 + 0.6 * (i % 2), fold=f"f{i % 4 // 2}", cluster=f"c{i}") for i in range(8)]


def checks_of(contract, run=None, **codes):
    results = evaluate(run or run_of(*PERFECT), contract, command="test").results
    return [check for check in results.checks if check.code in codes.values()], results


def contract_of(name="field-standard", resamples=0, **changes):
    return replace(load_contract(name, {"resamples": resamples}), **changes)


def test_a_target_is_reported_as_met_or_missed_for_every_system():
    targets = (ContractTarget("f1@0.5", ">=", 0.85), ContractTarget("brier", "<", 0.01, "A note."))
    checks, results = checks_of(contract_of(targets=targets), code="RG252")
    assert [check.message for check in checks] == [
        "Target f1@0.5 >= 0.85: S meets it (1.000).",
        "Target brier < 0.01: S misses it (0.040). A note.",
    ]
    assert all(check.severity == "note" for check in checks)
    assert results.headline("f1@0.5", "s", "all_queries").target.met


def test_a_target_for_a_metric_that_no_system_has_is_not_passed_over():
    targets = (ContractTarget("evidence_recall", ">=", 0.7),)
    checks, _ = checks_of(contract_of(targets=targets), code="RG252")
    assert [(check.status, check.message) for check in checks] == [
        ("not_run", "Target evidence_recall >= 0.7: no system has this metric here.")
    ]


def test_a_target_within_the_interval_is_said_to_be_open():
    asked = [Asked(f"q{i:02}", y=int(i % 3 == 0), p=(0.9, 0.2, 0.6, 0.4)[i % 4], cluster=f"c{i}") for i in range(24)]
    contract = contract_of(resamples=200, targets=(ContractTarget("auroc", ">=", 0.5),))
    (check,), results = checks_of(contract, run_of(*asked), code="RG252")
    interval = results.headline("auroc", "s", "all_queries").intervals[0]
    assert interval.lower < 0.5 < interval.upper
    assert "though the interval leaves it open" in check.message


def test_expectations_are_held_against_the_run_and_fail_nothing():
    run = run_of(*PERFECT, tune=[Tuned(0.5, 1, fold="f0", cluster="t1"), Tuned(0.5, 0, fold="f1", cluster="t1")])
    # Beside each fold's own four clusters there are four of the other fold and t1: TUNE has 1 of 5.
    contract = contract_of(
        expectations={"queries": 8, "positives": 5, "fold_clusters": (4, 4), "tune_share": 0.2, "clusters": 9}
    )
    checks, _ = checks_of(contract, run, code="RG253")
    assert [check.message.rpartition("here ")[2] for check in checks] == [
        "8 (as expected).",
        "4 (not the data the contract was written for).",
        "4, 4 (as expected).",
        "0.20 (as expected).",
        "8 (not the data the contract was written for).",
    ]
    assert {check.severity for check in checks} == {"note"}


def test_a_band_says_where_a_value_lies():
    checks, _ = checks_of(contract_of(bands={"good": {"brier_skill": (0.7, 0.8), "brier": (0.0, 0.1)}}), code="RG254")
    assert [check.message for check in checks] == [
        "Band “good” for brier_skill, 0.7 to 0.8: S is above it (0.840).",
        "Band “good” for brier, 0 to 0.1: S is in it (0.040).",
    ]
    assert [(check.status, check.severity) for check in checks] == [("failed", "note"), ("passed", "note")]


def test_systems_inside_a_band_and_outside_it_are_two_outcomes():
    # A second system that says 0.5 of every query: Brier 0.25; the first is 0.2 off everywhere: 0.04.
    run = run_of(*PERFECT)
    (system,) = run.systems
    coin = replace(system, id="t", label="T", y_prob=np.full(8, 0.5))
    checks, _ = checks_of(
        contract_of(bands={"good": {"brier": (0.1, 0.3)}}), replace(run, systems=(system, coin)), code="RG254"
    )
    assert [(check.status, check.message) for check in checks] == [
        ("passed", "Band “good” for brier, 0.1 to 0.3: T is in it (0.250)."),
        ("failed", "Band “good” for brier, 0.1 to 0.3: S is below it (0.040)."),
    ]


def test_an_omitted_convention_is_a_warning():
    (check,), _ = checks_of(contract_of(omitted=("ties",)), code="RG251")
    assert check.severity == "warning"
    assert "ties = input_order" in check.message


def test_a_value_under_a_questionable_convention_carries_the_reason():
    contract = contract_of("audit")
    _, results = checks_of(contract, code="")
    assert contract.questionable["ece_edges"] in results.headline("ece", "s", "all_queries").notes


@pytest.mark.parametrize(("metric", "key"), [("auroc", "single_class"), ("auprc", "auprc_edge")])
def test_a_convention_on_an_edge_case_is_doubted_only_where_the_case_occurs(metric, key):
    contract = contract_of("audit")
    # Every fold of the one run has both classes; the second fold of the other holds no positive query.
    _, sound = checks_of(contract, code="")
    queries = [replace(one, y=0 if one.fold == "f1" else one.y) for one in PERFECT]
    _, edge = checks_of(contract, run_of(*queries), code="")
    reason = contract.questionable[key]
    for aggregation, occurs in (("pooled", False), ("fold_mean", True)):
        assert reason not in sound.find(metric, "s", "all_queries", aggregation).notes
        assert (reason in edge.find(metric, "s", "all_queries", aggregation).notes) == occurs


def test_a_ratio_over_nothing_is_doubted_where_nothing_is_predicted_and_always_as_a_mean_of_parts():
    contract = replace(
        load_contract("end-to-end", {"resamples": 0, "multilabel_decider": "threshold:0.5"}),
        metrics=("f1@0.5", "f1[macro:label]"), headline=("f1@0.5",), primary=("f1@0.5",),
    )  # fmt: skip
    labelled = [replace(one, label="AB"[i % 4 // 2]) for i, one in enumerate(PERFECT)]
    _, sound = checks_of(contract, run_of(*labelled), code="")
    _, edge = checks_of(contract, run_of(*(replace(one, y=0, p=0.1) for one in labelled)), code="")
    reason = contract.questionable["zero_division"]
    assert reason not in sound.headline("f1@0.5", "s", "all_queries").notes
    assert reason in edge.headline("f1@0.5", "s", "all_queries").notes
    assert reason in sound.headline("f1[macro:label]", "s", "all_queries").notes


@pytest.mark.parametrize(
    ("contract", "metric", "says"),
    [
        (
            "gold-standard",
            "mrr",
            "The document reads 1/MRR as the expected rank of the first relevant candidate (3.4).",
        ),
        ("dual-protocol", "mrr", "The document reads MRR as the average position of the first relevant candidate."),
        ("dual-protocol", "recall@10", "The document divides by the relevant candidates that are retrieved at all;"),
    ],
)
def test_a_departure_from_the_document_is_said_where_the_number_stands_and_with_the_conventions(contract, metric, says):
    asked = [
        Asked(f"q{i}", p=0.5, candidates=[("a", 1, 1.0), ("b", 0, 0.0)], fold=f"f{i % 2}", cluster=f"c{i}")
        for i in range(4)
    ]
    _, results = checks_of(contract_of(contract), run_of(*asked), code="")
    [note] = [note for note in results.headline(metric, "s", "positives_only").notes if note.startswith("The document")]
    assert note.startswith(says)
    assert not any(note.startswith("The document") for note in results.headline("ndcg@10", "s", "positives_only").notes)
    tables = build_tables(results, ["conventions", "conventions-compact", "ranking-at-k"])
    said = [" ".join(plain(note.text) for note in table.notes) for table in tables]
    assert [text.count(says) for text in said] == [1, 1, 1]
    [start] = [plain(note.text) for note in tables[0].notes if "Departures" in plain(note.text)]
    assert start.startswith("Departures from the source: The document ")


def test_a_contract_that_departs_nowhere_says_nothing_of_it():
    _, results = checks_of(contract_of("paper"), code="")
    [table] = build_tables(results, ["conventions"])
    assert not any("Departures" in plain(note.text) for note in table.notes)


def test_empty_gold_is_doubted_only_where_a_query_has_none():
    contract = contract_of("audit")
    asked = [
        Asked(f"q{i}", y=1, p=0.5, candidates=[("a", 1, 1.0), ("b", 0, 0.0)], fold=f"f{i % 2}", cluster=f"c{i}")
        for i in range(4)
    ]
    _, results = checks_of(contract, run_of(*asked), code="")
    assert (
        contract.questionable["empty_gold_all_queries"] not in results.headline("recall@10", "s", "all_queries").notes
    )


def test_the_population_carries_its_own_reason():
    asked = [
        Asked(f"q{i}", p=0.5, candidates=[("a", i % 2, 1.0), ("b", 0, 0.0)], fold=f"f{i // 4}", cluster=f"c{i}")
        for i in range(8)
    ]
    contract = contract_of("audit")
    _, results = checks_of(contract, run_of(*asked), code="")
    everything = results.find("recall@10", "s", "all_queries", "fold_mean").notes
    positives = results.find("recall@10", "s", "positives_only", "fold_mean").notes
    assert contract.questionable["empty_gold_all_queries"] in everything
    assert contract.questionable["empty_gold_all_queries"] not in positives
    # The SD over folds is doubted where it is printed.
    assert contract.questionable["sd_ddof"] not in everything
