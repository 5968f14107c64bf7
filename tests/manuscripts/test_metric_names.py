"""Metrics as people name them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.domain.metric_id import MetricId
from reportgen.manuscripts.metric_names import direction, mentions, metric_named


@pytest.mark.parametrize(
    ("text", "metric", "rest"),
    [
        ("nDCG@10", "ndcg@10", ""),
        ("ndcg_at_10", "ndcg@10", ""),
        ("nDCG_10", "ndcg@10", ""),
        ("nDCG@10 ↑", "ndcg@10", ""),
        ("baseline_ndcg@10", "ndcg@10", "baseline"),
        ("P@5", "precision@5", ""),
        ("R@5", "recall@5", ""),
        ("Hits@10", "hit@10", ""),
        ("MAP@10 (min(R,K))", "map[min_R_K]@10", ""),
        ("MAP@10 (/R)", "map[R]@10", ""),
        ("MAP@10", "map@10", ""),
        ("Evidence Recall@10", "recall@10", ""),
        ("evidence_recall_at_k", "evidence_recall", ""),
        ("TPR@FPR≤5% (TUNE→EVAL)", "tpr_fpr@fpr=0.05", "tune→eval"),
        ("TPR@5%FPR", "tpr_fpr@fpr=0.05", ""),
        ("TPR@FPR10%", "tpr_fpr@fpr=0.1", ""),
        ("ROC AUC", "auroc", ""),
        ("AUPRC (AP)", "auprc", ""),
        ("BalancedAccuracy", "balanced_accuracy", ""),
        ("Macro F1", "f1", "macro"),
        ("Attainable P@10", "precision@10", "attainable"),
        ("n_queries_with_evidence", "n_positive", ""),
        ("Positive queries", "n_positive", ""),
        ("n", "n_queries", ""),
        ("Brier score", "brier", ""),
    ],
)
def test_a_name_is_a_metric_and_what_else_it_says(text, metric, rest):
    found = metric_named(text)
    assert found is not None
    assert (str(found.metric), found.rest) == (metric, rest)


@pytest.mark.parametrize("text", ["System", "p", "Verdict", "mapping", "Prec0", "hpo", "x" * 300])
def test_other_words_name_no_metric(text):
    assert metric_named(text) is None


def test_a_sentence_names_several_in_their_order():
    found = mentions("AUROC rises while nDCG@10 and the Brier score stay.")
    assert [str(one.metric) for one in found] == ["auroc", "ndcg@10", "brier"]


def test_better_is_lower_for_errors_and_neither_for_counts():
    assert direction(MetricId("ece")) == "lower"
    assert direction(MetricId("ndcg", parameter="10")) == "higher"
    assert direction(MetricId("prevalence")) == direction(MetricId("tp")) == "none"


@given(st.text(max_size=250))
def test_no_text_makes_it_fail(text):
    metric_named(text)
    mentions(text)
