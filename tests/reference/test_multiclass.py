"""Metrics of rows with one of several classes: by hand, by scikit-learn, and as others published them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from sklearn.datasets import load_digits
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

import reportgen as rg
from reportgen.contracts import load_contract
from reportgen.crosscheck import crosscheck
from reportgen.inputs import read_run
from tests.reference.engines import ENGINES, SHARED_DATA, compute, fast_results

SIX = """id,y_class,p_a,p_b,p_c
1,a,0.5,0.25,0.25
2,a,0.125,0.5,0.375
3,c,0.25,0.25,0.5
4,b,0.375,0.375,0.25
5,c,0.125,0.125,0.75
6,a,0.5,0,0.5
"""
"""Predicted: a, b, c, a (the first of two that share .375), c, a (the first of two that share .5)."""
BY_HAND = {
    "accuracy[argmax]": Fraction(4, 6),
    # a: 2 right, 3 true, 3 predicted; b: 0, 1, 1; c: 2, 2, 2.
    "f1[macro:argmax]": (Fraction(4, 6) + 0 + 1) / 3,
    "f1[weighted:argmax]": (3 * Fraction(4, 6) + 0 + 2) / 6,
    # Rows of a, b, c: 2 of 3, 0 of 1, 2 of 2 right; rows predicted so: 2 of 3, 0 of 1, 2 of 2.
    "recall[macro:argmax]": Fraction(5, 9),
    "precision[macro:argmax]": Fraction(5, 9),
    "recall[argmax]@class=a": Fraction(2, 3),
    "precision[argmax]@class=b": Fraction(0),
    "f1[argmax]@class=c": Fraction(1),
    # Row 2 alone has two classes above its own; of equal ones the first in order comes first.
    "top_k_accuracy@2": Fraction(5, 6),
    "log_loss[vector]": -math.log(0.5 * 0.125 * 0.5 * 0.375 * 0.75 * 0.5) / 6,
    "brier[vector]": (0.375 + 1.15625 + 0.375 + 0.59375 + 0.09375 + 0.5) / 6,
    "auroc[macro:ovr]": (Fraction(13, 18) + Fraction(4, 5) + Fraction(15, 16)) / 3,
    # a over b 2/3, a over c 3/4, b over a 2/3, b over c 1, c over a 11/12, c over b 1.
    "auroc[macro:ovo]": Fraction(60, 72),
}


def asking(*metrics, **conventions):
    """The contract without resamples, for some metrics alone."""
    contract = load_contract("field-standard", {"resamples": 0, **conventions})
    return replace(contract, metrics=metrics, headline=(), primary=())


PLAIN = asking(*BY_HAND, "top_k_accuracy@3")


def of_rows(numbers, metric, aggregation="pooled", system="system"):
    return numbers.value(metric, system, "all_rows", aggregation)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("metric", BY_HAND)
def test_six_rows_by_hand(tmp_path, engine, metric):
    (tmp_path / "oof.csv").write_text(SIX, encoding="utf-8")
    numbers = compute(engine, read_run(tmp_path), PLAIN)
    assert of_rows(numbers, metric) == pytest.approx(float(BY_HAND[metric]), abs=1e-15)


@pytest.mark.parametrize("engine", ENGINES)
def test_digits_of_a_public_report(engine):
    """A report gave accuracy .968 and log loss .515, of the classes one against the rest; these are right."""
    X, y = load_digits(return_X_y=True)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    p = cross_val_predict(GaussianNB(), X, y, cv=folds, method="predict_proba")
    run = rg.from_predictions(y, p, classes=list(range(10)))
    numbers = compute(engine, run, asking("accuracy[argmax]", "log_loss[vector]", "accuracy@0.5", "log_loss"))
    assert round(of_rows(numbers, "accuracy[argmax]"), 3) == 0.840
    assert round(of_rows(numbers, "log_loss[vector]"), 3) == 2.870
    assert round(numbers.value("accuracy@0.5", "system"), 3) == 0.968
    assert round(numbers.value("log_loss", "system"), 3) == 0.515


@pytest.mark.parametrize("engine", ENGINES)
def test_yardsticks_four_classes_in_ten_folds(engine):
    folder = SHARED_DATA / "yardstick"
    if not folder.is_dir():
        pytest.skip("the data of yardstick are not here")
    numbers = compute(engine, rg.load(folder / "hpc_cv.csv.gz"), PLAIN)
    # tests/testthat/py-data of yardstick, to 12 digits.
    published = {
        "accuracy[argmax]": 0.708681857514,
        "f1[macro:argmax]": 0.570451209073,
        "f1[weighted:argmax]": 0.68579868364,
        "log_loss[vector]": 0.802136750916,
        "auroc[macro:ovr]": 0.869263627712,
        "auroc[macro:ovo]": 0.828867472404,
    }
    for metric, value in published.items():
        assert of_rows(numbers, metric) == pytest.approx(value, abs=1e-12), metric
    # The README's Hand-Till AUC of each fold.
    by_fold = [round(value, 3) for value in numbers.by_fold("auroc[macro:ovo]", "system", "all_rows")]
    assert by_fold == [0.813, 0.817, 0.869, 0.849, 0.811, 0.836, 0.825, 0.846, 0.828, 0.812]


def random_predictions(seed, n=120, k=5, *, missing=None):
    """(n,) classes and (n, k) probabilities of few distinct values, so that many are equal."""
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    if missing is not None:
        y = np.where(y == missing, (missing + 1) % k, y)
    weights = rng.integers(0, 4, size=(n, k)) + (np.arange(k) == y[:, None]) + np.array([0, 0, 0, 0, 1])[:k]
    return y, weights / weights.sum(axis=1, keepdims=True)


def by_scikit_learn(y, p, k):
    """The same metrics by scikit-learn; top-k with the classes in reverse order, since it takes the last of equals."""
    predicted, labels = p.argmax(axis=1), list(range(k))
    f1 = {
        average: sklearn.metrics.f1_score(y, predicted, labels=labels, average=average)
        for average in ("macro", "weighted")
    }
    found = {
        "accuracy[argmax]": sklearn.metrics.accuracy_score(y, predicted),
        "f1[macro:argmax]": f1["macro"],
        "f1[weighted:argmax]": f1["weighted"],
        "log_loss[vector]": sklearn.metrics.log_loss(y, p, labels=labels),
        "brier[vector]": float(((p - np.eye(k)[y]) ** 2).sum(axis=1).mean()),
    }
    for top in (2, 3):
        reverse = sklearn.metrics.top_k_accuracy_score(k - 1 - y, p[:, ::-1], k=top, labels=labels)
        found[f"top_k_accuracy@{top}"] = reverse
    for name in ("ovr", "ovo"):
        found[f"auroc[macro:{name}]"] = sklearn.metrics.roc_auc_score(y, p, multi_class=name, labels=labels)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("engine", ENGINES)
def test_random_rows_full_of_ties_agree_with_scikit_learn(engine, seed):
    y, p = random_predictions(seed)
    folds = np.arange(len(y)) % 2
    numbers = compute(engine, rg.from_predictions(y, p, classes=range(5), folds=folds), PLAIN)
    for metric, value in by_scikit_learn(y, p, 5).items():
        assert of_rows(numbers, metric) == pytest.approx(value, abs=1e-12), metric
    for fold in (0, 1):
        for metric, value in by_scikit_learn(y[folds == fold], p[folds == fold], 5).items():
            assert of_rows(numbers, metric, f"fold={fold}") == pytest.approx(value, abs=1e-12), (metric, fold)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_class_that_a_fold_lacks_leaves_auroc_undefined_there_and_not_f1_if_it_is_predicted(engine):
    y, p = random_predictions(4)
    y[y == 3], y[100:] = 2, np.arange(20) % 5
    folds = np.repeat([0, 1], [100, 20])
    numbers = compute(engine, rg.from_predictions(y, p, classes=range(5), folds=folds), PLAIN)
    for metric in ("auroc[macro:ovr]", "auroc[macro:ovo]"):
        assert of_rows(numbers, metric, "fold=0") is None, metric
        assert of_rows(numbers, metric, "fold=1") is not None, metric
    expected = sklearn.metrics.f1_score(y[:100], p[:100].argmax(axis=1), labels=range(5), average="macro")
    assert of_rows(numbers, "f1[macro:argmax]", "fold=0") == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("engine", ENGINES)
def test_macro_f1_is_undefined_for_a_class_that_is_nowhere_unless_the_contract_says_zero(engine):
    y = ["a", "a", "b", "c"]
    p = [[0.8, 0.1, 0, 0.1], [0.6, 0.4, 0, 0], [0.1, 0.9, 0, 0], [0, 0, 1, 0]]
    run = rg.from_predictions(y, p, classes=["a", "b", "c", "d"])
    assert of_rows(compute(engine, run, PLAIN), "f1[macro:argmax]") is None
    zero = asking("f1[macro:argmax]", zero_division="zero")
    assert of_rows(compute(engine, run, zero), "f1[macro:argmax]") == pytest.approx(3 / 4, abs=1e-15)


def test_the_reason_of_an_undefined_value_is_the_missing_class():
    p = [[0.8, 0.1, 0.1], [0.1, 0.9, 0], [1, 0, 0]]
    run = rg.from_predictions(["a", "b", "a"], p, classes=["a", "b", "c"])
    record = fast_results(run, PLAIN).find("auroc[macro:ovo]", "system", "all_rows", "pooled")
    assert (record.value, record.status, record.reason) == (None, "undefined", "class_missing")


@pytest.mark.parametrize("seed", [5, 6])
def test_the_cross_check_covers_every_value_and_asks_scikit_learn(seed):
    y, p = random_predictions(seed, missing=2)
    run = rg.from_predictions(y, {"one": p, "other": p[::-1]}, classes=range(5), folds=np.arange(len(y)) % 3)
    outcome = crosscheck(run, load_contract("field-standard"))
    assert outcome.agrees, outcome.message
    assert {one.program.split()[0] for one in outcome.peers} == {"scikit-learn"}
    assert not any(reason.startswith("scikit-learn does not") for reason in outcome.without_peer)
