"""What decides, use by use: the formulas of the documents' own sections, with NumPy and scikit-learn on the files.

Section 6 of the gold standard predicts each label as section 2.3 does, sections C, D and E of the end-to-end
specification decide by the threshold of A and G. Nothing of the product reads the files here.
"""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from tests.reference.engines import ENGINES, SAMPLE_RUNS, compute
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Recorded, Tuned, in_order, run_of

every_engine = pytest.mark.parametrize("engine", ENGINES)
SYSTEM = "centroid"
FOLDER = SAMPLE_RUNS / "digits_pages"


def rows(name):
    with gzip.open(FOLDER / f"{name}.csv.gz", "rt", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row.get("system", SYSTEM) == SYSTEM]


@pytest.fixture(scope="module")
def files():
    """One array per column of the queries: page, digit class, y, p, threshold, state, K, gold and gold returned."""
    predicted = {row["query_id"]: row for row in rows("predictions")}
    tau = {row["fold"]: float(row["tau_f1"]) for row in rows("thresholds")}
    ranked = defaultdict(list)
    for row in rows("candidates"):
        ranked[row["query_id"]].append((-float(row[f"score_{SYSTEM}"]), int(row["position"]), int(row["is_gold"])))
    queries = rows("queries")
    own = [predicted[row["query_id"]] for row in queries]
    k = [int(row["selected_k"]) for row in own]
    gold = [[grade for *_, grade in sorted(ranked[row["query_id"]])] for row in queries]
    return {
        "page": np.array([row["group_id"] for row in queries]),
        "label": np.array([row["criterion_id"] for row in queries]),
        "y": np.array([int(row["has_evidence"]) for row in queries]),
        "p": np.array([float(row["prob"]) for row in own]),
        "tau": np.array([tau[row["fold"]] for row in queries]),
        "not_neg": np.array([row["state"] != "NEG" for row in own]),
        "k": np.array(k),
        "gold": np.array([sum(grades) for grades in gold]),
        "hits": np.array([sum(grades[:size]) for grades, size in zip(gold, k, strict=True)]),
    }


def by_page(files, column):
    """(pages, digit classes) indicators, as scikit-learn's multi-label metrics take them."""
    pages, row = np.unique(files["page"], return_inverse=True)
    labels, at = np.unique(files["label"], return_inverse=True)
    table = np.zeros((len(pages), len(labels)), dtype=int)
    table[row, at] = column
    return table


def multilabel(files, predicted):
    """The metrics of the documents on the labels of a page, by scikit-learn."""
    truth, found = by_page(files, files["y"]), by_page(files, predicted)
    return {
        "exact_match": sk.accuracy_score(truth, found),
        "hamming_accuracy": 1 - sk.hamming_loss(truth, found),
        "f1[micro]": sk.f1_score(truth, found, average="micro"),
        "f1[macro:label]": sk.f1_score(truth, found, average="macro"),
        "f1[samples]": sk.f1_score(truth, found, average="samples", zero_division=np.nan),
    }


@every_engine
@pytest.mark.parametrize(
    ("contract", "decides"),
    [
        ("gold-standard", lambda files: files["p"] >= files["tau"]),
        ("end-to-end", lambda files: files["p"] >= files["tau"]),
        ("field-standard", lambda files: files["p"] >= files["tau"]),
    ],
    ids=["gold-standard", "end-to-end", "field-standard"],
)
def test_the_labels_of_a_page_are_predicted_as_the_contract_classifies(numbers, files, engine, contract, decides):
    expected = multilabel(files, decides(files))
    asked = {
        "gold-standard": ("exact_match", "hamming_accuracy", "f1[micro]", "f1[samples]"),
        "end-to-end": ("exact_match", "hamming_accuracy", "f1[micro]", "f1[macro:label]"),
        "field-standard": tuple(expected),
    }[contract]
    ours = numbers(engine, "digits_pages", contract, metrics=asked, system=SYSTEM)
    assert {name: ours.value(name, SYSTEM) for name in asked} == pytest.approx(
        {name: expected[name] for name in asked}, abs=1e-12
    )


@every_engine
def test_the_gold_standard_decides_at_one_half_where_the_run_names_no_threshold(runs, files, engine):
    # 2.3: "Default threshold τ = 0.5 (or optimized threshold)"; 6 predicts each criterion as 2.3 does.
    run = runs("digits_pages")
    one = next(system for system in run.systems if system.id == SYSTEM)
    unnamed = replace(run, systems=(one,), info=replace(run.info, decision=None))
    asked = ("exact_match", "hamming_accuracy", "f1[micro]", "f1[samples]", "f1@0.5")
    contract = replace(load_contract("gold-standard", {"resamples": 0}), metrics=asked, headline=(), targets=())
    ours = compute(engine, unnamed, contract)
    decided = files["p"] >= 0.5
    expected = multilabel(files, decided) | {"f1@0.5": sk.f1_score(files["y"], decided)}
    assert [ours.value(name, SYSTEM) for name in asked] == pytest.approx([expected[name] for name in asked], abs=1e-12)


@every_engine
def test_micro_f1_is_the_f1_of_the_same_decisions(numbers, engine):
    # Gold standard 9.3: the same metric in two places has one value.
    for contract, at in (("gold-standard", "tune"), ("end-to-end", "tune")):
        ours = numbers(engine, "digits_pages", contract, metrics=("f1[micro]", f"f1@{at}"), system=SYSTEM)
        for aggregation in ("pooled", "fold_mean"):
            micro, plain = (ours.value(name, SYSTEM, aggregation=aggregation) for name in ("f1[micro]", f"f1@{at}"))
            assert micro == pytest.approx(plain, abs=1e-12)


@every_engine
@pytest.mark.parametrize(
    ("contract", "passing"),
    [("end-to-end", lambda files: files["p"] >= files["tau"]), ("gold-standard", lambda files: files["not_neg"])],
    ids=["end-to-end", "gold-standard"],
)
def test_what_is_returned_is_the_selection_of_the_queries_that_pass(numbers, files, engine, contract, passing):
    passed, y = passing(files), files["y"] == 1
    k = np.where(passed, files["k"], 0)
    hits, gold = np.where(passed, files["hits"], 0)[y], files["gold"][y]
    both = y & passed
    if contract == "end-to-end":  # C.1 to C.5
        expected = {
            "avg_k[pred_pos]": k[passed].mean(),
            "avg_k[all]": k.mean(),
            "min_k[all]": k.min(),
            "max_k[all]": k.max(),
            "median_k[all]": np.median(k),
            "sd_k[all]": k.std(ddof=1),
            "p25_k[all]": np.quantile(k, 0.25),
            "p75_k[all]": np.quantile(k, 0.75),
            "evidence_recall[pooled]": hits.sum() / gold.sum(),
            "evidence_recall[conditional:pooled]": files["hits"][both].sum() / files["gold"][both].sum(),
        }
    else:  # 4.1 to 4.3
        precision = np.divide(hits, k[y], out=np.zeros(len(hits)), where=k[y] > 0)
        expected = {
            "avg_k[all]": k.mean(),
            "p90_k[all]": np.quantile(k, 0.9),
            "evidence_recall": (hits / gold).mean(),
            "evidence_precision": precision.mean(),
        }
    ours = numbers(engine, "digits_pages", contract, metrics=tuple(expected), system=SYSTEM)
    found = {
        name: ours.value(name, SYSTEM, "positives_only" if name.startswith("evidence") else "all_queries")
        for name in expected
    }
    assert found == pytest.approx(expected, abs=1e-12)


@every_engine
def test_the_deployments_matrix_is_that_of_its_decider_where_each_query_that_passes_gets_something(
    numbers, files, engine
):
    # End to end, D.1 to D.6: "equals NE gate FPR if Dynamic-K always returns ≥ 1".
    returned = (files["p"] >= files["tau"]) & (files["k"] >= 1)
    (tn, fp), (fn, tp) = sk.confusion_matrix(files["y"], returned).tolist()
    expected = {
        "tp": tp, "fp": fp, "fn": fn, "tn": tn, "fpr": fp / (fp + tn), "fnr": fn / (fn + tp),
        "precision": tp / (tp + fp), "recall": tp / (tp + fn), "f1": sk.f1_score(files["y"], returned),
    }  # fmt: skip
    names = tuple(f"{name}[deployment]" for name in expected)
    ours = numbers(engine, "digits_pages", "end-to-end", metrics=(*names, "fpr@tune"), system=SYSTEM)
    assert [ours.value(name, SYSTEM) for name in names] == pytest.approx(list(expected.values()), abs=1e-12)
    assert ours.value("fpr[deployment]", SYSTEM) == ours.value("fpr@tune", SYSTEM)


def test_conditional_evidence_recall_rests_on_the_positive_queries_that_pass(runs, files):
    run = runs("digits_pages")
    one = replace(run, systems=tuple(system for system in run.systems if system.id == SYSTEM))
    contract = load_contract("end-to-end", {"resamples": 0})
    asked = replace(contract, metrics=("evidence_recall[conditional:pooled]",), headline=(), primary=())
    record = evaluate(one, asked, command="test").results.find(
        "evidence_recall[conditional:pooled]", SYSTEM, "positives_only", "pooled"
    )
    passed = int(((files["p"] >= files["tau"]) & (files["y"] == 1)).sum())
    assert (record.n.queries, record.n.undefined) == (passed, int(files["y"].sum()) - passed)


@every_engine
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("alpha", [0.03, 0.05, 0.1])
def test_a_budget_decides_by_the_threshold_that_tune_of_the_fold_gives(engine, seed, alpha):
    # End to end, G.1: on TUNE, the highest TPR with FPR within the budget, of equals the highest threshold.
    run = random_run(seed)
    system, tune, fold = run.systems[0], run.systems[0].tune, run.queries.fold
    passed = np.zeros(len(run.queries), dtype=bool)
    for index in range(len(run.folds)):
        own = tune.fold == index
        fpr, tpr, at = sk.roc_curve(tune.y_true[own], tune.y_prob[own], drop_intermediate=False)
        inside = fpr <= alpha
        best = np.flatnonzero(inside & (tpr == tpr[inside].max()))[0]
        passed |= (fold == index) & (system.y_prob >= at[best])
    deciders = dict.fromkeys(("multilabel_decider", "deployment_decider"), f"fpr_budget:{alpha}")
    contract = replace(load_contract(overrides={"resamples": 0, **deciders}), fpr_budgets=(alpha,))
    ours = compute(engine, run, contract)
    (tn, fp), (fn, tp) = sk.confusion_matrix(run.queries.y_true, passed).tolist()
    assert [ours.value(f"{name}@fpr={alpha:g}", "s") for name in ("tp", "fp", "fn", "tn")] == [tp, fp, fn, tn]
    assert ours.value("f1[micro]", "s") == pytest.approx(sk.f1_score(run.queries.y_true, passed), abs=1e-12)
    assert ours.value("avg_k[all]", "s") == pytest.approx(np.where(passed, system.selected_k, 0).mean(), abs=1e-12)


def decided(**recorded):
    """Three queries of which a threshold of .3, one of .5 and the states say different things."""
    thresholds = recorded.pop("thresholds", {})
    return run_of(
        Asked("q1", p=0.9, state="POS", k=1, candidates=in_order(1), cluster="c1"),
        Asked("q2", p=0.4, state="UNCERTAIN", k=2, candidates=in_order(1, 1), cluster="c2"),
        Asked("q3", p=0.2, state="UNCERTAIN", k=3, candidates=in_order(0, 0, 0), cluster="c3"),
        recorded=Recorded(thresholds, **recorded),
    )


@every_engine
@pytest.mark.parametrize(
    ("decider", "mean_k", "exact"),
    [
        # K is 1, 2, 3 where the query passes; of the three clusters c1 and c2 are positive.
        ("threshold:0.5", 1 / 3, 2 / 3),
        ("threshold:0.4", 3 / 3, 3 / 3),
        ("threshold:tune", 3 / 3, 3 / 3),
        ("state_pos", 1 / 3, 2 / 3),
        ("state_not_neg", 6 / 3, 2 / 3),
    ],
)
def test_each_decider_decides_by_hand(engine, decider, mean_k, exact):
    deciders = {"multilabel_decider": decider, "deployment_decider": decider}
    run = decided(thresholds={"tau": [0.3]}, decision="tau")
    ours = compute(engine, run, load_contract(overrides={"resamples": 0, **deciders}))
    assert ours.value("avg_k[all]", "s") == pytest.approx(mean_k)
    assert ours.value("exact_match", "s") == pytest.approx(exact)


@every_engine
def test_the_field_standard_takes_the_runs_decision_then_one_half_and_states_only_for_what_is_returned(engine):
    contract = load_contract(overrides={"resamples": 0})
    named = compute(engine, decided(thresholds={"tau": [0.3]}, decision="tau"), contract)
    silent = compute(engine, decided(), contract)
    assert [one.value("exact_match", "s") for one in (named, silent)] == pytest.approx([1, 2 / 3])
    assert [one.value("avg_k[all]", "s") for one in (named, silent)] == [2, 2]
    # Without states the run's decision lets queries pass as well.
    bare = run_of(
        Asked("q1", p=0.9, k=1, candidates=in_order(1)), Asked("q2", p=0.4, k=2, candidates=in_order(1, 1)),
        recorded=Recorded(),
    )  # fmt: skip
    assert compute(engine, bare, contract).value("avg_k[all]", "s") == 0.5


@pytest.mark.parametrize(
    ("asked", "decider", "reason"),
    [
        ({"p": 0.9}, "state_not_neg", "component_absent"),
        ({"p": 0.9}, "threshold:tune", "no_threshold_source"),
        ({"p": 0.9}, "fpr_budget:0.05", "no_threshold_source"),
        ({"state": "POS"}, "threshold:0.5", "component_absent"),
        ({"p": 0.9, "state": "POS"}, "none", "nothing_decides"),
    ],
)
def test_a_decider_without_a_source_is_refused_with_the_reason(asked, decider, reason):
    sound = Asked("q1", p=0.9, state="POS", k=1, candidates=in_order(1))
    both = run_of(sound, tune=[Tuned(0.9, 1), Tuned(0.1, 0)], recorded=Recorded({"tau": [0.5]}, decision="tau"))
    bare = run_of(Asked("q1", k=1, candidates=in_order(1), **asked), recorded=Recorded()).systems[0]
    run = replace(both, systems=(*both.systems, replace(bare, id="bare", label="Bare")))
    contract = load_contract(overrides={"resamples": 0, "multilabel_decider": decider, "deployment_decider": decider})
    results = evaluate(run, contract, command="test").results
    if decider == "none":
        assert "exact_match" not in results.metric_by_id
        assert any("nothing decides under this contract" in check.message for check in results.checks)
        assert results.find("avg_k[all]", "bare", "all_queries", "pooled").value == 1
        return
    for metric in ("exact_match", "avg_k[all]"):
        record = results.find(metric, "bare", "all_queries", "pooled")
        assert (record.value, record.reason) == (None, reason), metric
        assert results.find(metric, "s", "all_queries", "pooled").status == "ok"


@every_engine
def test_a_system_without_probabilities_and_states_returns_what_it_selects_under_every_decider(engine):
    run = run_of(Asked("q1", k=1, candidates=in_order(1, 0)), Asked("q2", k=2, candidates=in_order(0, 0)))
    for decider in ("threshold:0.5", "threshold:tune", "state_not_neg", "recorded", "fpr_budget:0.05"):
        ours = compute(engine, run, load_contract(overrides={"resamples": 0, "deployment_decider": decider}))
        assert ours.value("avg_k[all]", "s") == 1.5
        assert "exact_match|s|all_queries|pooled" not in ours.values
