"""Headline values of a larger run on real text against other tools; 4,855 of its queries have tied scores."""

from __future__ import annotations

import json

import pytest

from tests.reference.engines import ENGINES, SHARED_DATA

SYSTEMS = ("bm25", "tfidf", "minilm", "rrf")
TIE_RULES = {"raw_score": "docno_desc", "stable_rank": "input_order"}

METRICS = (
    "ndcg@k", "recall@k", "map", "map@k", "mrr", "precision@k", "hit@k", "auroc", "auprc", "brier", "log_loss", "ece",
    "mcc@threshold", "roc_tpr@fpr", "alert_precision", "avg_k[all]", "evidence_recall",
)  # fmt: skip

# Tracing doubles the time, and quicker tests run the same lines.
pytestmark = pytest.mark.slow

every_engine = pytest.mark.parametrize("engine", ENGINES)
every_system = pytest.mark.parametrize("system", SYSTEMS)


@pytest.fixture(scope="module")
def expected():
    file = SHARED_DATA / "selqa" / "expected.json"
    if not file.is_file():
        pytest.skip("shared data set 'selqa' is absent (REPORTGEN_SHARED_DATA says where it is)")
    return json.loads(file.read_text(encoding="utf-8"))


@every_system
# The slow engine once: its rules for ties are held to the fast one's on random runs.
@pytest.mark.parametrize(
    ("engine", "tie_rule"), [("fast", "raw_score"), ("fast", "stable_rank"), ("reference", "stable_rank")]
)
def test_ranking_means_under_ap_over_R_and_the_named_tie_rule(numbers, expected, engine, system, tie_rule):
    ours = numbers(engine, "selqa", "trec-eval", metrics=METRICS, ties=TIE_RULES[tie_rule])
    means = expected["ranking_positives_only"][system][tie_rule]["pooled_mean_over_queries"]
    for metric, key in (("ndcg@10", "ndcg_cut_10"), ("recall@5", "recall_5"), ("map", "map"), ("map@3", "map_cut_3"),
                        ("mrr", "recip_rank"), ("precision@10", "P_10"), ("hit@1", "success_1")):  # fmt: skip
        value = ours.value(metric, system, "positives_only")
        assert value == pytest.approx(means[key], abs=5.1e-9), metric


@every_engine
@every_system
def test_gate_values_pooled_over_folds(numbers, expected, engine, system):
    ours = numbers(engine, "selqa", "trec-eval", metrics=METRICS, ties="input_order")
    gate = expected["gate_all_queries"][system]
    for metric, value in (
        ("auroc", gate["auroc"]),
        ("auprc", gate["average_precision"]),
        ("brier", gate["brier"]),
        ("log_loss", gate["log_loss"]),
        ("ece", gate["ece10_left_closed"]),
        ("mcc@0.5", gate["at_0.5"]["mcc"]),
        ("roc_tpr@fpr=0.05", gate["tpr_at_fpr"]["0.05"]),
        ("alert_precision", gate["three_state"]["alert_precision"]),
        ("avg_k[all]", gate["dynamic_k"]["mean_k"]),
    ):
        assert ours.value(metric, system) == pytest.approx(value, abs=5.1e-11), metric
    assert ours.by_fold("auroc", system) == pytest.approx(gate["auroc_per_fold"], abs=5.1e-11)
    recall = ours.value("evidence_recall", system, "positives_only")
    assert recall == pytest.approx(gate["dynamic_k"]["evidence_recall"], abs=5.1e-11)
