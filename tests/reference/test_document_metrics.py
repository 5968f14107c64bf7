"""Every metric that the five documents define, section by section, is one of the catalogue and of their contract."""

from __future__ import annotations

import pytest

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.metrics.registry import find, instances


def at(name, *parameters):
    return [f"{name}@{parameter}" for parameter in parameters]


TPR = ("fpr=0.03", "fpr=0.05", "fpr=0.1")
DOCUMENTS = {
    "gold-standard": {
        "2.1 ROC metrics": ["auroc", *at("roc_tpr", "fpr=0.01", *TPR)],
        "2.2 Precision-recall metrics": ["auprc", "prevalence"],
        "2.3 Confusion matrix metrics": [
            f"{name}@0.5"
            for name in ("tp", "fp", "fn", "tn", "sensitivity", "specificity", "precision", "npv", "f1", "mcc")
        ],
        "2.4 Calibration metrics": ["ece", "brier"],
        "3.1 Recall @ K": at("recall", 1, 3, 5, 10, 20),
        "3.2 Precision @ K": at("precision", 1, 3, 5, 10, 20),
        "3.3 Hit rate @ K": at("hit", 1, 3, 5, 10, 20),
        "3.4 MRR": ["mrr"],
        "3.5 MAP @ K": at("map", 1, 3, 5, 10, 20),
        "3.6 nDCG @ K": at("ndcg", 1, 3, 5, 10, 20),
        "4.1 Selected K distribution": [f"{name}[all]" for name in ("avg_k", "median_k", "p90_k", "min_k", "max_k")],
        "4.2 Evidence recall @ selected K": ["evidence_recall"],
        "4.3 Evidence precision @ selected K": ["evidence_precision"],
        "5.2 Workload metrics": [f"state_rate[{state}]" for state in ("neg", "uncertain", "pos")],
        "5.3 Screening stage metrics": ["screening_sensitivity", "screening_fn"],
        "5.4 Alert stage metrics": ["alert_precision", "alert_rate"],
        "6.1 Exact match rate": ["exact_match"],
        "6.2 Hamming score": ["hamming_accuracy"],
        "6.3 Hamming loss": ["hamming_loss"],
        "6.4 Per-post F1 metrics": ["f1[micro]", "f1[samples]", "f1[weighted:cluster]"],
    },
    "dual-protocol": {
        "nDCG@K": at("ndcg", 1, 3, 5, 10, 20),
        "Evidence Recall@K": ["conditional_recall@10"],
        "MRR": ["mrr"],
        "AUROC": ["auroc"],
        "AUPRC": ["auprc"],
        "Extended metrics": [*at("precision", 1, 3, 5, 10), *at("hit", 1, 3, 5, 10), *at("map", 1, 3, 5, 10)],
    },
    "end-to-end": {
        "A.1 to A.2": ["auroc", "auprc"],
        "A.3 to A.9": [
            f"{name}@tune"
            for name in ("sensitivity", "fpr", "specificity", "precision", "f1", "mcc", "balanced_accuracy")
        ],
        "A.10 TPR at fixed FPR": at("tpr", *TPR),
        "B.1 Recall@K": at("recall", 1, 3, 5, 10, 20),
        "B.2 Hit rate@K": at("hit", 1, 3, 5, 10, 20),
        "B.3 MRR": ["mrr"],
        "B.4 nDCG@K": at("ndcg", 1, 3, 5, 10, 20),
        "B.5 MAP@K": at("map", 1, 3, 5, 10, 20),
        "C.1 Average K (predicted positive)": ["avg_k[pred_pos]"],
        "C.2 Average K (all queries)": ["avg_k[all]"],
        "C.3 Evidence recall (unconditional)": ["evidence_recall[pooled]"],
        "C.4 Evidence recall (conditional)": ["evidence_recall[conditional:pooled]"],
        "C.5 K distribution": [f"{name}[all]" for name in ("min_k", "max_k", "median_k", "sd_k", "p25_k", "p75_k")],
        "D.1 to D.6": [
            f"{name}[deployment]" for name in ("tp", "fp", "fn", "tn", "fpr", "fnr", "precision", "recall", "f1")
        ],
        "E.1 to E.4": ["exact_match", "hamming_accuracy", "f1[micro]", "f1[macro:label]"],
        "G.2 Metrics at operating point": [
            *at("fpr_achieved", *TPR),
            *at("precision", *TPR),
            *at("f1", *TPR),
            *at("mcc", *TPR),
        ],
    },
    "audit": {
        "1.1 to 1.4": ["recall@10", "mrr@10", "map@10", "ndcg@10"],
        "2.1 to 2.2": ["auroc", "auprc"],
        "2.3 TPR@FPR": at("roc_tpr", *TPR),
        "3.1 to 3.3": ["evidence_recall", "evidence_precision", "avg_k[all]"],
        "4.1 ECE": ["ece"],
        "5.1 to 5.2": [f"{name}{by}@10" for name in ("recall", "mrr", "map", "ndcg") for by in ("", "[macro:label]")],
    },
    "paper": {
        "1.2 to 1.5": [f"{name}@{k}" for name in ("recall", "mrr", "map", "ndcg") for k in (3, 5, 10)],
        "3.1 ALL as a ceiling": ["recall@all"],
        "4.1 to 4.2": ["auroc[candidate]", "auprc[candidate]"],
    },
}
SECTIONS = [(contract, section) for contract, sections in DOCUMENTS.items() for section in sections]


@pytest.mark.parametrize(("contract", "section"), SECTIONS, ids=[f"{c}: {s}" for c, s in SECTIONS])
def test_the_contract_of_a_document_computes_the_metrics_of_each_section(contract, section):
    computed = {str(item.id) for item in instances(load_contract(contract))}
    assert sorted(set(DOCUMENTS[contract][section]) - computed) == []


def test_each_of_them_exists():
    ids = {MetricId.parse(text) for sections in DOCUMENTS.values() for texts in sections.values() for text in texts}
    assert len(ids) > 100
    for metric_id in ids:
        find(metric_id)
