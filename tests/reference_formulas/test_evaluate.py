"""What the reference implementation reports: which ids, on which subsets, in which aggregations."""

from __future__ import annotations

import ast
import math
import sys
from pathlib import Path

import pytest

import reportgen.reference
from reportgen.contracts import load_contract
from tests.reference.engines import reference_of_queries, reference_values
from tests.support.small_runs import Asked, Recorded, Tuned, in_order, run_of


def complete_run():
    """Two folds, two labels, four queries with every component."""
    rows = [
        ("q1", "c1", "f1", "A", 1),
        ("q2", "c1", "f1", "B", 0),
        ("q3", "c2", "f2", "A", 1),
        ("q4", "c2", "f2", "B", 1),
    ]
    return run_of(
        *(
            Asked(
                query, y=y, p=0.25 + y / 2, state="POS", k=1, cluster=cluster, fold=fold, label=label,
                candidates=in_order(0, y),
            )
            for query, cluster, fold, label, y in rows
        ),
        tune=[Tuned(0.6, 1, fold) for fold in ("f1", "f2")] + [Tuned(0.3, 0, fold) for fold in ("f1", "f2")],
        recorded=Recorded({"tau": [0.5, 0.5]}, decision="tau"),
    )  # fmt: skip


def subsets(values, metric):
    return {subset for name, _, subset, _ in (key.split("|") for key in values) if name == metric}


def aggregations(values, metric):
    return {aggregation for name, _, _, aggregation in (key.split("|") for key in values) if name == metric}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ndcg@10", {"positives_only", "all_queries", "label=A/positives_only", "label=B/positives_only"}),
        ("ndcg@20", {"positives_only", "all_queries"}),
        ("auroc", {"all_queries", "label=A", "label=B"}),
        ("log_loss", {"all_queries"}),
        ("tpr@fpr=0.05", {"all_queries", "label=A", "label=B"}),
        ("evidence_recall", {"positives_only", "label=A/positives_only", "label=B/positives_only"}),
        ("avg_k[all]", {"all_queries", "label=A", "label=B"}),
        ("alert_precision", {"all_queries", "label=A", "label=B"}),
        ("f1[macro:label]", {"all_queries"}),
        ("exact_match", {"all_queries"}),
    ],
)
def test_each_family_has_its_own_subsets_and_labels_only_the_primary_metrics(metric, expected):
    assert subsets(reference_values(complete_run(), load_contract()), metric) == expected


def test_values_come_pooled_by_fold_and_as_fold_mean_which_quantiles_lack():
    values = reference_values(complete_run(), load_contract())
    assert aggregations(values, "brier") == {"pooled", "fold=f1", "fold=f2", "fold_mean"}
    assert (
        aggregations(values, "median_k[all]") == aggregations(values, "p90_k[all]") == {"pooled", "fold=f1", "fold=f2"}
    )


def test_a_single_fold_has_no_fold_mean():
    values = reference_values(run_of(Asked("q", y=1, p=0.5)), load_contract())
    assert aggregations(values, "brier") == {"pooled"}


def test_the_fold_mean_weighs_folds_equally_and_the_pooled_value_queries():
    # Fold f1 has squared errors .25, .25, .25, fold f2 has 0: mean of folds .125, of queries .1875.
    rows = [Asked(f"q{i}", y=1, p=0.5, fold="f1", cluster="c1") for i in range(3)]
    values = reference_values(run_of(*rows, Asked("q3", y=1, p=1.0, fold="f2", cluster="c2")), load_contract())
    assert values["brier|s|all_queries|fold_mean"] == 0.125
    assert values["brier|s|all_queries|pooled"] == 0.1875


@pytest.mark.parametrize(
    ("query", "present", "absent"),
    [
        (Asked("q", y=1, p=0.5), {"auroc", "f1@0.5", "roc_tpr@fpr=0.05"},
         {"ndcg@10", "f1@tune", "tpr@fpr=0.05", "alert_rate", "avg_k[all]"}),
        (Asked("q", candidates=in_order(1)), {"ndcg@10", "mrr"}, {"auroc", "alert_rate", "evidence_recall"}),
        (Asked("q", y=1, state="POS"), {"alert_rate"}, {"ndcg@10", "auroc", "avg_k[all]", "exact_match"}),
        (Asked("q", y=1, p=0.5), {"exact_match"}, {"alert_rate"}),
        (Asked("q", y=1, state="POS", k=2), {"avg_k[all]"}, {"evidence_recall"}),
        (Asked("q", y=1, k=2), {"avg_k[all]", "avg_k[pred_pos]"}, {"exact_match"}),
    ],
)  # fmt: skip
def test_a_metric_whose_component_the_system_lacks_is_absent(query, present, absent):
    metrics = {key.split("|")[0] for key in reference_values(run_of(query), load_contract())}
    assert present <= metrics
    assert not absent & metrics


def test_a_run_without_labels_has_no_multilabel_metrics():
    values = reference_values(run_of(Asked("q", y=1, p=0.5, state="POS"), with_labels=False), load_contract())
    assert not subsets(values, "f1[macro:label]") | subsets(values, "exact_match")
    assert subsets(values, "auroc") == {"all_queries"}


def test_where_nothing_decides_nothing_is_predicted_and_multilabel_metrics_are_absent():
    values = reference_values(complete_run(), load_contract("field-standard", {"multilabel_decider": "none"}))
    assert not subsets(values, "f1[macro:label]") | subsets(values, "exact_match")


def test_a_subset_without_queries_is_undefined():
    values = reference_values(run_of(Asked("q", candidates=in_order(0, 0))), load_contract())
    assert values["ndcg@10|s|positives_only|pooled"] is None
    assert values["ndcg@10|s|all_queries|pooled"] == 0


def test_a_threshold_unknown_in_one_fold_leaves_what_it_decides_unreported():
    rows = [
        Asked(f"q{fold}", p=0.9, k=1, fold=fold, cluster=fold, label="A", candidates=in_order(1, 0))
        for fold in ("f1", "f2")
    ]
    run = run_of(*rows, recorded=Recorded({"tau": [0.5, math.nan]}, decision="tau"))
    found = reference_values(run, load_contract())
    for metric in ("avg_k[all]", "evidence_recall", "evidence_recall[pooled]", "f1[macro:label]", "exact_match"):
        assert not subsets(found, metric), metric


def test_per_query_values_average_to_the_pooled_value():
    run, contract = complete_run(), load_contract()
    single, values = reference_of_queries(run, contract), reference_values(run, contract)
    assert single["mrr|s|q1"] == 0.5
    assert single["mrr|s|q2"] is None
    assert single["brier|s|q2"] == 0.0625
    for metric, queries, subset in (
        ("brier", ("q1", "q2", "q3", "q4"), "all_queries"),
        ("log_loss", ("q1", "q2", "q3", "q4"), "all_queries"),
        ("avg_k[all]", ("q1", "q2", "q3", "q4"), "all_queries"),
        ("evidence_recall", ("q1", "q3", "q4"), "positives_only"),
        ("ndcg@10", ("q1", "q3", "q4"), "positives_only"),
    ):
        mean = sum(single[f"{metric}|s|{query}"] for query in queries) / len(queries)
        assert values[f"{metric}|s|{subset}|pooled"] == pytest.approx(mean, abs=1e-12)


def test_a_convention_without_formula_is_refused():
    contract = load_contract()
    contract.conventions["ties"] = "random"
    with pytest.raises(ValueError, match="no reference formula for ties = 'random'"):
        reference_values(complete_run(), contract)


def test_the_oracle_imports_nothing_but_the_standard_library_and_the_domain():
    package = Path(reportgen.reference.__file__).parent
    imported = set()
    for path in package.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
    foreign = {name for name in imported if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name for name in foreign if not name.startswith(("reportgen.domain.", "reportgen.reference"))} == set()
