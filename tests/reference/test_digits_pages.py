"""Both implementations against values of the digits run that other tools computed.

expected.json holds what trec_eval, pytrec_eval and scikit-learn say; its conventions are those of the contract
``trec-eval``, with the tie rule named where it matters; nothing decides there, so dynamic K is as selected.
"""

from __future__ import annotations

import json
from collections import Counter
from statistics import mean

import pytest

from reportgen.reference.answers import read_answers
from reportgen.reference.classification import DecisionCounts, missed, sensitivity
from tests.reference.engines import ENGINES, SAMPLE_RUNS

EXPECTED_FILE = SAMPLE_RUNS / "digits_pages" / "expected.json"
SYSTEMS = ("logreg_few_pixels", "gnb", "tree3", "centroid")
TIE_RULES = {"raw_score": "docno_desc", "stable_rank": "input_order"}
"""Name of the tie rule in expected.json to its name in a contract."""

METRICS = (
    "ndcg", "ndcg@k", "map", "map@k", "mrr", "rprec", "precision@k", "recall@k", "hit@k", "auroc", "auprc", "brier",
    "log_loss", "prevalence", "ece", "f1@threshold", "mcc@threshold", "roc_tpr@fpr", "alert_precision", "alert_rate",
    "screening_sensitivity", "screening_fn", "avg_k[all]", "median_k[all]", "p90_k[all]", "evidence_recall",
    "evidence_precision",
)  # fmt: skip

EIGHT_DECIMALS = 5.1e-9
TEN_DECIMALS = 5.1e-11
NAMES = {"P": "precision", "recall": "recall", "success": "hit", "map_cut": "map", "ndcg_cut": "ndcg"}
WITHOUT_CUT = {"map": "map", "recip_rank": "mrr", "Rprec": "rprec", "ndcg": "ndcg"}

# Tracing doubles the time, and quicker tests run the same lines.
pytestmark = pytest.mark.slow

every_engine = pytest.mark.parametrize("engine", ENGINES)
every_system = pytest.mark.parametrize("system", SYSTEMS)
# The slow engine under one rule: its rules for ties are held to the fast one's on random runs.
every_tie_rule = pytest.mark.parametrize(
    ("engine", "tie_rule"), [("fast", "raw_score"), ("fast", "stable_rank"), ("reference", "stable_rank")]
)
DDOF = {"raw_score": 1, "stable_rank": 0}
"""Each named SD under one of the rules."""


@pytest.fixture(scope="module")
def expected():
    return json.loads(EXPECTED_FILE.read_text(encoding="utf-8"))


def our_name(trec_name: str) -> str:
    """``map_cut_10`` as ``map@10``."""
    if trec_name in WITHOUT_CUT:
        return WITHOUT_CUT[trec_name]
    name, _, k = trec_name.rpartition("_")
    return f"{NAMES[name]}@{k}"


def under_trec_eval(numbers, engine, tie_rule="stable_rank"):
    chosen = {"ties": TIE_RULES[tie_rule], "deployment_decider": "none", "sd_ddof": DDOF[tie_rule]}
    return numbers(engine, "digits_pages", "trec-eval", metrics=METRICS, **chosen)


def test_the_run_has_the_counted_queries_clusters_and_candidates(runs, expected):
    run, counts = runs("digits_pages"), expected["counts"]
    assert len(run.queries) == counts["n_queries"]
    assert int(run.queries.y_true.sum()) == counts["n_positive"]
    assert len(run.clusters) == counts["n_groups"]
    assert len(run.labels) == counts["n_criteria"]
    assert len(run.candidates) == counts["n_candidates"]
    assert int((run.candidates.relevance > 0).sum()) == counts["n_gold"]
    by_fold = {fold: int((run.queries.fold == i).sum()) for i, fold in enumerate(run.folds)}
    assert by_fold == counts["queries_per_fold"]
    clusters = {fold: int((run.cluster_fold == i).sum()) for i, fold in enumerate(run.folds)}
    assert clusters == counts["groups_per_fold"]


@every_system
@every_tie_rule
def test_ranking_means_over_positive_queries_under_ap_over_R(numbers, expected, engine, system, tie_rule):
    ours = under_trec_eval(numbers, engine, tie_rule)
    means = expected["ranking_positives_only"][system][tie_rule]["pooled_mean_over_queries"]
    assert len(means) == 29
    for name in means:
        value = ours.value(our_name(name), system, "positives_only")
        assert value == pytest.approx(means[name], abs=EIGHT_DECIMALS), name


@every_system
@every_tie_rule
def test_ranking_means_agree_with_what_trec_eval_prints(numbers, expected, engine, system, tie_rule):
    ours = under_trec_eval(numbers, engine, tie_rule)
    printed = expected["ranking_positives_only"][system][tie_rule]["trec_eval_C_all"]
    for name in set(printed) - {"num_q", "num_rel"}:
        value = ours.value(our_name(name), system, "positives_only")
        assert value == pytest.approx(printed[name], abs=5.01e-5), name


@every_system
@every_tie_rule
def test_ranking_means_of_each_fold(numbers, expected, engine, system, tie_rule):
    ours = under_trec_eval(numbers, engine, tie_rule)
    lists = expected["ranking_positives_only"][system][tie_rule]["per_fold_mean"]
    assert len(lists) == 8
    for name, values in lists.items():
        folds = ours.by_fold(our_name(name), system, "positives_only")
        assert folds == pytest.approx(values, abs=EIGHT_DECIMALS), name
        average = ours.value(our_name(name), system, "positives_only", "fold_mean")
        assert average == pytest.approx(mean(values), abs=EIGHT_DECIMALS), name


@every_system
@every_tie_rule
def test_fold_mean_and_sd_over_folds_with_the_named_ddof(numbers, expected, engine, system, tie_rule):
    ours, ddof = under_trec_eval(numbers, engine, tie_rule), DDOF[tie_rule]
    for name, values in expected["ranking_positives_only"][system][tie_rule]["fold_mean_std"].items():
        average = ours.value(our_name(name), system, "positives_only", "fold_mean")
        assert average == pytest.approx(values["mean"], abs=EIGHT_DECIMALS), name
        spread = ours.spread(our_name(name), system, "positives_only")
        assert spread == pytest.approx(values[f"std_ddof{ddof}"], abs=EIGHT_DECIMALS), name
    gate = expected["gate_all_queries"][system]
    assert ours.value("auroc", system, aggregation="fold_mean") == pytest.approx(
        gate["auroc_fold_mean"], abs=TEN_DECIMALS
    )
    assert ours.spread("auroc", system) == pytest.approx(gate[f"auroc_fold_std_ddof{ddof}"], abs=TEN_DECIMALS)


@every_engine
@every_system
def test_pooled_classification_and_calibration(numbers, expected, engine, system):
    ours, gate = under_trec_eval(numbers, engine), expected["gate_all_queries"][system]
    for metric, key in (
        ("auroc", "auroc"),
        ("auprc", "average_precision"),
        ("brier", "brier"),
        ("log_loss", "log_loss"),
        ("prevalence", "positive_rate"),
        ("ece", "ece10_left_closed"),
    ):
        assert ours.value(metric, system) == pytest.approx(gate[key], abs=TEN_DECIMALS), metric


@every_engine
@every_system
def test_auroc_of_each_fold_and_pooled_of_each_label(numbers, expected, engine, system):
    ours, gate = under_trec_eval(numbers, engine), expected["gate_all_queries"][system]
    assert ours.by_fold("auroc", system) == pytest.approx(gate["auroc_per_fold"], abs=TEN_DECIMALS)
    assert len(gate["auroc_per_criterion"]) == 10
    for label, value in gate["auroc_per_criterion"].items():
        assert ours.value("auroc", system, f"label={label}") == pytest.approx(value, abs=TEN_DECIMALS), label


@every_engine
@every_system
def test_auroc_agrees_with_pROC(numbers, expected, engine, system):
    value = under_trec_eval(numbers, engine).value("auroc", system)
    assert value == pytest.approx(expected["pROC_delong_iid"][system]["auc"], abs=TEN_DECIMALS)


@every_engine
@every_system
def test_f1_and_mcc_at_one_half_follow_from_the_counted_confusion(numbers, expected, engine, system):
    ours, counted = under_trec_eval(numbers, engine), expected["gate_all_queries"][system]["at_0.5"]
    assert ours.value("f1@0.5", system) == pytest.approx(counted["f1"], abs=TEN_DECIMALS)
    assert ours.value("mcc@0.5", system) == pytest.approx(counted["mcc"], abs=TEN_DECIMALS)
    assert ours.value("f1@0.5", system) == pytest.approx(
        2 * counted["tp"] / (2 * counted["tp"] + counted["fp"] + counted["fn"]), abs=1e-12
    )


@every_engine
@every_system
@pytest.mark.parametrize("budget", ["0.01", "0.03", "0.05", "0.1"])
def test_tpr_under_a_budget_of_false_positives_on_the_same_set(numbers, expected, engine, system, budget):
    value = under_trec_eval(numbers, engine).value(f"roc_tpr@fpr={budget}", system)
    assert value == pytest.approx(expected["gate_all_queries"][system]["tpr_at_fpr"][budget], abs=TEN_DECIMALS)


@every_engine
@every_system
def test_alerts_are_the_queries_in_state_pos(numbers, expected, engine, system):
    ours, states = under_trec_eval(numbers, engine), expected["gate_all_queries"][system]["three_state"]
    assert ours.value("alert_precision", system) == pytest.approx(states["alert_precision"], abs=TEN_DECIMALS)
    assert ours.value("alert_rate", system) == pytest.approx(states["alert_rate_per_1000"], abs=TEN_DECIMALS)
    sensitivity, missed = states["screening_sensitivity"], states["screening_fn_per_1000"]
    assert ours.value("screening_sensitivity", system) == pytest.approx(sensitivity, abs=TEN_DECIMALS)
    assert ours.value("screening_fn", system) == pytest.approx(missed, abs=TEN_DECIMALS)
    n_queries = expected["counts"]["n_queries"]
    assert ours.value("alert_rate", system) * n_queries / 1000 == pytest.approx(states["n_POS"], abs=1e-9)


@every_engine
@every_system
def test_dynamic_k_and_evidence_recall_with_the_gate_ignored(numbers, expected, engine, system):
    ours, selection = under_trec_eval(numbers, engine), expected["gate_all_queries"][system]["dynamic_k"]
    for metric, key in (("avg_k[all]", "mean_k"), ("median_k[all]", "median_k"), ("p90_k[all]", "p90_k")):
        assert ours.value(metric, system) == pytest.approx(selection[key], abs=TEN_DECIMALS), metric
    for metric in ("evidence_recall", "evidence_precision"):
        value = ours.value(metric, system, "positives_only")
        assert value == pytest.approx(selection[metric], abs=TEN_DECIMALS), metric


@every_system
def test_reference_counts_of_the_confusion_and_of_the_three_states(runs, expected, system):
    run, gate = runs("digits_pages"), expected["gate_all_queries"][system]
    answers = read_answers(run, next(item for item in run.systems if item.id == system), "input_order")
    at_half, states = gate["at_0.5"], gate["three_state"]
    counted = DecisionCounts.count((answer.p >= 0.5, answer.y) for answer in answers)
    assert counted == DecisionCounts(**{key: at_half[key] for key in ("tp", "fp", "fn", "tn")})
    by_state = Counter(answer.state for answer in answers)
    assert {f"n_{state}": n for state, n in by_state.items()} == {
        key: states[key] for key in ("n_NEG", "n_UNCERTAIN", "n_POS")
    }
    screened = DecisionCounts.count((answer.state != "NEG", answer.y) for answer in answers)
    assert float(sensitivity(screened)) == pytest.approx(states["screening_sensitivity"], abs=TEN_DECIMALS)
    assert float(missed(screened, per=1000)) == pytest.approx(states["screening_fn_per_1000"], abs=TEN_DECIMALS)


@every_system
@pytest.mark.parametrize(
    "case",
    [("auroc", "all_queries", "auroc"), ("ndcg@10", "positives_only", "ndcg10_positives")],
    ids=["auroc", "ndcg"],
)
def test_pooled_intervals_without_strata_equal_the_reference(resampled, expected, system, case):
    metric, subset, key = case
    # Another implementation's 2,000 resamples with another generator: the ends agree to Monte-Carlo error.
    reference = expected["cluster_bootstrap_reference"][system][key]["ci95"]
    shown = resampled.find(metric, system, subset, "pooled").intervals[0]
    assert (shown.lower, shown.upper) == pytest.approx(tuple(reference), abs=0.002)
