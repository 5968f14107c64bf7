"""Probability metrics of both implementations against scikit-learn and SciPy, on random data full of ties."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.optimize import isotonic_regression, minimize
from sklearn import metrics as sk
from statsmodels import api as sm

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute
from tests.reference.random_runs import random_run

every_engine = pytest.mark.parametrize("engine", ENGINES)
every_seed = pytest.mark.parametrize("seed", [1, 2])


@cache
def evaluated(engine, seed, contract="field-standard"):
    run = random_run(seed)
    return run, compute(engine, run, load_contract(contract, {"resamples": 0}))


def trapezoid(y, p):
    precision, recall, _ = sk.precision_recall_curve(y, p)
    return sk.auc(recall, precision)


def isotonic_brier(y, p):
    """Brier score after isotonic recalibration, equal probabilities pooled first."""
    _, member = np.unique(p, return_inverse=True)
    n = np.bincount(member)
    fit = isotonic_regression(np.bincount(member, weights=y) / n, weights=n).x
    return np.mean((fit[member] - y) ** 2)


def recalibrated(y, p):
    """(intercept, slope) by a general optimiser."""
    kept = np.clip(p, 2.0**-52, 1 - 2.0**-52)
    x = np.log(kept) - np.log1p(-kept)

    def loss(line):
        z = line[0] + line[1] * x
        return np.sum(np.logaddexp(0, z) - y * z)

    return minimize(loss, [0.0, 0.1], method="BFGS", options={"gtol": 1e-9}).x


REFERENCES = {
    "auprc[trapezoid]": trapezoid,
    "brier_skill": lambda y, p: 1 - sk.brier_score_loss(y, p) / np.var(y),
    "brier[miscalibration]": lambda y, p: sk.brier_score_loss(y, p) - isotonic_brier(y, p),
    "brier[discrimination]": lambda y, p: np.var(y) - isotonic_brier(y, p),
    "sensitivity@0.5": lambda y, p: sk.recall_score(y, p >= 0.5),
    "specificity@0.5": lambda y, p: sk.recall_score(y, p >= 0.5, pos_label=0),
    "precision@0.5": lambda y, p: sk.precision_score(y, p >= 0.5),
    "npv@0.5": lambda y, p: sk.precision_score(y, p >= 0.5, pos_label=0),
    "balanced_accuracy@0.5": lambda y, p: sk.balanced_accuracy_score(y, p >= 0.5),
    "accuracy@0.5": lambda y, p: sk.accuracy_score(y, p >= 0.5),
}


@every_engine
@every_seed
@pytest.mark.parametrize("metric", REFERENCES)
def test_probability_metrics_equal_those_of_other_tools(engine, seed, metric):
    run, ours = evaluated(engine, seed)
    y, p, fold = run.queries.y_true, run.systems[0].y_prob, run.queries.fold
    reference = REFERENCES[metric]
    assert ours.value(metric, "s") == pytest.approx(reference(y, p), abs=1e-9)
    by_fold = [reference(y[fold == i], p[fold == i]) for i in range(len(run.folds))]
    assert ours.by_fold(metric, "s") == pytest.approx(by_fold, abs=1e-9)


@every_engine
@every_seed
def test_logistic_recalibration_equals_that_of_a_general_optimiser(engine, seed):
    run, ours = evaluated(engine, seed)
    intercept, slope = recalibrated(run.queries.y_true, run.systems[0].y_prob)
    assert ours.value("calibration_intercept", "s") == pytest.approx(intercept, abs=1e-5)
    assert ours.value("calibration_slope", "s") == pytest.approx(slope, abs=1e-5)


@every_engine
@every_seed
def test_calibration_in_the_large_equals_a_binomial_model_with_an_offset(engine, seed):
    run, ours = evaluated(engine, seed)
    p = np.clip(run.systems[0].y_prob, 2.0**-52, 1 - 2.0**-52)
    offset = np.log(p) - np.log1p(-p)
    model = sm.GLM(run.queries.y_true, np.ones(len(p)), family=sm.families.Binomial(), offset=offset)
    assert ours.value("calibration_in_the_large", "s") == pytest.approx(model.fit(tol=1e-14).params[0], abs=1e-7)


@every_engine
@every_seed
def test_confusion_counts_equal_those_of_scikit_learn(engine, seed):
    run, ours = evaluated(engine, seed)
    tn, fp, fn, tp = sk.confusion_matrix(run.queries.y_true, run.systems[0].y_prob >= 0.5).ravel()
    assert [ours.value(f"{name}@0.5", "s") for name in ("tn", "fp", "fn", "tp")] == [tn, fp, fn, tp]


@every_engine
@every_seed
def test_candidate_metrics_equal_those_of_scikit_learn_on_all_pairs(engine, seed):
    run, ours = evaluated(engine, seed)
    relevant = run.candidates.relevance > 0
    score = np.nan_to_num(run.systems[0].score, nan=-1e9)
    assert ours.value("auroc[candidate]", "s") == pytest.approx(sk.roc_auc_score(relevant, score), abs=1e-9)
    assert ours.value("auprc[candidate]", "s") == pytest.approx(sk.average_precision_score(relevant, score), abs=1e-9)
