"""Classification metrics of both implementations against scikit-learn and NumPy, on random data full of ties."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sklearn import metrics as sk

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute, with_every_variant
from tests.reference.random_runs import CLUSTERS, LABELS, random_run

CLIP = 2.0**-52

every_engine = pytest.mark.parametrize("engine", ENGINES)
every_seed = pytest.mark.parametrize("seed", [1, 2, 3])


@cache
def evaluated(engine, seed):
    run = random_run(seed)
    return run, compute(engine, run, with_every_variant(load_contract("field-standard", {"resamples": 0})))


@every_engine
@every_seed
@pytest.mark.parametrize(
    ("metric", "reference"),
    [
        ("auroc", sk.roc_auc_score),
        ("auprc", sk.average_precision_score),
        ("brier", sk.brier_score_loss),
        ("log_loss", lambda y, p: sk.log_loss(y, np.clip(p, CLIP, 1 - CLIP))),
        ("f1@0.5", lambda y, p: sk.f1_score(y, p >= 0.5)),
        ("mcc@0.5", lambda y, p: sk.matthews_corrcoef(y, p >= 0.5)),
    ],
)
def test_probability_metrics_equal_those_of_scikit_learn(engine, seed, metric, reference):
    run, ours = evaluated(engine, seed)
    y, p, fold, label = run.queries.y_true, run.systems[0].y_prob, run.queries.fold, run.queries.label
    assert ours.value(metric, "s") == pytest.approx(reference(y, p), abs=1e-9)
    by_fold = [reference(y[fold == i], p[fold == i]) for i in range(len(run.folds))]
    assert ours.by_fold(metric, "s") == pytest.approx(by_fold, abs=1e-9)
    assert ours.value(metric, "s", aggregation="fold_mean") == pytest.approx(np.mean(by_fold), abs=1e-9)
    assert ours.spread(metric, "s") == pytest.approx(np.std(by_fold, ddof=1), abs=1e-9)
    if metric in load_contract().primary:
        for i, item in enumerate(run.labels):
            expected = reference(y[label == i], p[label == i])
            assert ours.value(metric, "s", f"label={item.id}") == pytest.approx(expected, abs=1e-9)


@every_engine
@every_seed
@pytest.mark.parametrize("budget", [0.01, 0.03, 0.05, 0.1])
def test_operating_points_equal_those_read_off_the_full_roc_curve(engine, seed, budget):
    run, ours = evaluated(engine, seed)
    y, p, fold, tune = run.queries.y_true, run.systems[0].y_prob, run.queries.fold, run.systems[0].tune
    fpr, tpr, thresholds = sk.roc_curve(y, p, drop_intermediate=False)
    assert ours.value(f"roc_tpr@fpr={budget}", "s") == pytest.approx(tpr[fpr <= budget].max(), abs=1e-9)
    highest = thresholds[np.argmax(np.where(fpr <= budget, tpr, -1))]
    assert ours.value(f"roc_threshold@fpr={budget}", "s") == (None if np.isinf(highest) else highest)

    accepted = np.zeros(len(y), dtype=bool)
    for i in range(len(run.folds)):
        mine = tune.fold == i
        fpr, tpr, thresholds = sk.roc_curve(tune.y_true[mine], tune.y_prob[mine], drop_intermediate=False)
        feasible = np.flatnonzero(fpr <= budget)
        # Highest TPR, then lowest FPR, then highest threshold: the curve runs from the highest threshold down.
        best = feasible[np.argmax(tpr[feasible])]
        accepted[fold == i] = p[fold == i] >= thresholds[best]
    counts = sk.confusion_matrix(y, accepted).ravel().tolist()  # TN, FP, FN, TP
    assert [ours.value(f"{name}@fpr={budget}", "s") for name in ("tn", "fp", "fn", "tp")] == counts
    assert ours.value(f"tpr@fpr={budget}", "s") == pytest.approx(accepted[y == 1].mean(), abs=1e-9)
    assert ours.value(f"fpr_achieved@fpr={budget}", "s") == pytest.approx(accepted[y == 0].mean(), abs=1e-9)


@every_engine
@every_seed
def test_decisions_at_the_recorded_threshold_equal_those_of_scikit_learn(engine, seed):
    run, ours = evaluated(engine, seed)
    system, y = run.systems[0], run.queries.y_true
    predicted = system.y_prob >= system.thresholds["tau"][run.queries.fold]
    assert ours.value("f1@tune", "s") == pytest.approx(sk.f1_score(y, predicted), abs=1e-9)
    assert ours.value("mcc@tune", "s") == pytest.approx(sk.matthews_corrcoef(y, predicted), abs=1e-9)


@every_engine
@every_seed
def test_multilabel_metrics_equal_those_of_scikit_learn(engine, seed):
    run, ours = evaluated(engine, seed)
    truth = np.zeros((CLUSTERS, LABELS), dtype=int)
    predicted = np.zeros_like(truth)
    truth[run.queries.cluster, run.queries.label] = run.queries.y_true
    system = run.systems[0]
    decided = system.y_prob >= system.thresholds["tau"][run.queries.fold]  # the decision that the run names
    predicted[run.queries.cluster, run.queries.label] = decided
    assert ours.value("f1[macro:label]", "s") == pytest.approx(sk.f1_score(truth, predicted, average="macro"), abs=1e-9)
    assert ours.value("exact_match", "s") == pytest.approx(sk.accuracy_score(truth, predicted), abs=1e-9)
    averages = {"f1[micro]": "micro", "f1[weighted:label]": "weighted"}
    for metric, average in averages.items():
        reference = sk.f1_score(truth, predicted, average=average)
        assert ours.value(metric, "s") == pytest.approx(reference, abs=1e-9), metric
    samples = {"f1[samples]": np.nan, "f1[samples:zero]": 0.0, "f1[samples:one]": 1.0}
    for metric, instead in samples.items():
        reference = sk.f1_score(truth, predicted, average="samples", zero_division=instead)
        assert ours.value(metric, "s") == pytest.approx(reference, abs=1e-9), metric
    assert ours.value("hamming_loss", "s") == pytest.approx(sk.hamming_loss(truth, predicted), abs=1e-9)
    assert ours.value("hamming_accuracy", "s") == pytest.approx(1 - sk.hamming_loss(truth, predicted), abs=1e-9)


@every_engine
@every_seed
def test_screening_and_deployment_are_decisions_that_scikit_learn_can_score(engine, seed):
    run, ours = evaluated(engine, seed)
    system, y = run.systems[0], run.queries.y_true
    kept, alert = system.state != 0, system.state == 2
    returned = np.where(kept, system.selected_k, 0)
    assert ours.value("screening_sensitivity", "s") == pytest.approx(sk.recall_score(y, kept), abs=1e-9)
    assert ours.value("alert_recall", "s") == pytest.approx(sk.recall_score(y, alert), abs=1e-9)
    tn, fp, fn, tp = sk.confusion_matrix(y, returned >= 1).ravel()
    counted = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    assert {name: ours.value(f"{name}[deployment]", "s") for name in counted} == counted
    for name, score in (("precision", sk.precision_score), ("recall", sk.recall_score), ("f1", sk.f1_score)):
        assert ours.value(f"{name}[deployment]", "s") == pytest.approx(score(y, returned >= 1), abs=1e-9)
    assert ours.value("sd_k[all]", "s") == pytest.approx(returned.std(ddof=1), abs=1e-9)
    assert ours.value("p75_k[all]", "s") == pytest.approx(np.quantile(returned, 0.75), abs=1e-9)


@every_engine
@every_seed
def test_quantiles_of_the_returned_k_equal_those_of_numpy(engine, seed):
    run, ours = evaluated(engine, seed)
    returned = np.where(run.systems[0].state == 0, 0, run.systems[0].selected_k)
    assert ours.value("avg_k[all]", "s") == pytest.approx(returned.mean(), abs=1e-9)
    assert ours.value("median_k[all]", "s") == pytest.approx(np.median(returned), abs=1e-9)
    assert ours.value("p90_k[all]", "s") == pytest.approx(np.quantile(returned, 0.9), abs=1e-9)


@every_engine
@every_seed
def test_alert_precision_is_the_precision_of_state_pos(engine, seed):
    run, ours = evaluated(engine, seed)
    alerts, y = run.systems[0].state == 2, run.queries.y_true
    assert ours.value("alert_precision", "s") == pytest.approx(sk.precision_score(y, alerts), abs=1e-9)
    assert ours.value("alert_rate", "s") == pytest.approx(1000 * alerts.mean(), abs=1e-9)
