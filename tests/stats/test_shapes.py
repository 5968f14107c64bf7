"""Compact records for figures, by hand and against scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression
from sklearn.metrics import roc_curve

from reportgen.contracts import load_contract
from reportgen.domain.run import Run
from reportgen.evaluation import evaluate
from reportgen.metrics.frames import Frame, isotonic
from reportgen.stats.curves import LABEL_GRID, MOST_POINTS, corp_curve, label_roc
from reportgen.stats.distributions import score_distributions
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, in_order, run_of


def frame_of(p, y, fold=None):
    n = len(p)
    zeros = np.zeros(n, dtype=np.int64)
    columns = {"p": np.array(p, dtype=np.float64), "y": np.array(y, dtype=np.float64)}
    return Frame("query", np.arange(n), np.arange(n), zeros if fold is None else np.array(fold), zeros, 1, columns)


def test_the_isotonic_curve_pools_neighbours_that_fall():
    # Shares 0, 1, 0, 1 at 0.1, 0.2, 0.3, 0.4: the second and third pool to one half, the others stand alone.
    curve = corp_curve(frame_of([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1]), "s", "all_queries")
    assert curve.x == (0.1, 0.2, 0.3, 0.4)
    assert curve.y == (0.0, 0.5, 0.5, 1.0)
    assert (curve.id, curve.band) == ("corp|s|all_queries|pooled", None)


def test_a_block_of_one_probability_is_one_point_and_equal_probabilities_stay_together():
    curve = corp_curve(frame_of([0.2, 0.2, 0.2, 0.7], [1, 0, 0, 1]), "s", "all_queries")
    assert curve.x == (0.2, 0.7)
    assert curve.y == pytest.approx((1 / 3, 1.0), abs=1e-9)


def test_the_isotonic_curve_is_that_of_scipy_at_every_probability():
    rng = np.random.default_rng(7)
    p = rng.uniform(size=300).round(2)
    y = (rng.uniform(size=300) < p**2).astype(float)
    values, member = np.unique(p, return_inverse=True)
    n = np.bincount(member)
    expected = isotonic_regression(np.bincount(member, weights=y) / n, weights=n).x
    curve = corp_curve(frame_of(p, y), "s", "all_queries")
    assert np.interp(values, curve.x, curve.y) == pytest.approx(expected, abs=1e-9)


def test_the_blocks_of_many_probabilities_are_those_of_scipy():
    rng = np.random.default_rng(3)
    n = rng.integers(1, 4, 5000)
    y = rng.binomial(n, np.linspace(0.1, 0.9, 5000))
    blocks = isotonic(n, y)
    rates = np.repeat([positives / size for size, positives in blocks], [size for size, _ in blocks])
    assert rates == pytest.approx(np.repeat(isotonic_regression(y / n, weights=n).x, n), abs=1e-9)
    assert sum(positives for _, positives in blocks) == y.sum()


def test_a_curve_of_many_blocks_keeps_both_ends_and_says_that_it_was_thinned():
    # All probabilities in the order of strictly rising shares: k of 200 positives at the k-th.
    p = np.repeat(np.arange(1, 200) / 200, 200)
    y = np.concatenate([np.repeat([1, 0], [k, 200 - k]) for k in range(1, 200)])
    curve = corp_curve(frame_of(p, y), "s", "all_queries")
    assert len(curve.x) == MOST_POINTS
    assert (curve.x[0], curve.x[-1]) == (1 / 200, 199 / 200)
    assert curve.y == pytest.approx(curve.x, abs=1e-9)
    assert curve.description.endswith("101 of 199 points")


def test_without_queries_there_is_no_isotonic_curve():
    assert corp_curve(frame_of([], []), "s", "all_queries") is None


def test_probabilities_are_counted_by_class_in_bins_closed_at_the_left_and_at_1():
    none, all_ = score_distributions(frame_of([0.0, 0.05, 0.3, 1.0, 0.95], [0, 0, 1, 1, 1]), "s", "all_queries")
    assert (none.by, all_.by) == ("y=0", "y=1")
    assert none.bins[:2] == ("[0, 0.05)", "[0.05, 0.1)")
    assert none.bins[-1] == "[0.95, 1]"
    assert none.counts == (1, 1, *[0] * 18)
    assert all_.counts == (*[0] * 6, 1, *[0] * 12, 2)


def test_a_label_curve_is_the_roc_curve_at_the_grid():
    rng = np.random.default_rng(3)
    y = np.repeat([0.0, 1.0], 60)
    p = rng.normal(loc=y).round(1)
    fpr, tpr, _ = roc_curve(y, p, drop_intermediate=False)
    curve = label_roc(frame_of(p, y), "s", "label=A", "pooled")
    assert curve.y == pytest.approx(np.interp(LABEL_GRID, fpr, tpr), abs=1e-4)
    assert (curve.x[0], curve.x[-1]) == (0.0, 1.0)


def test_a_label_curve_averages_the_folds_that_have_both_classes():
    # Fold 0 is perfect, fold 1 is all wrong, fold 2 has one class: the mean is one half up to the last point.
    frame = frame_of([0.9, 0.1, 0.1, 0.9, 0.5], [1, 0, 1, 0, 1], [0, 0, 1, 1, 2])
    curve = label_roc(frame, "s", "label=A", "fold_mean")
    # The vertical step of the second curve stands at a false positive rate of 1.
    assert curve.y == (*[0.5] * 20, 1.0)
    assert "2 folds" in curve.description


def test_a_label_of_one_class_has_no_curve():
    assert label_roc(frame_of([0.1, 0.2], [1, 1]), "s", "label=A", "pooled") is None


@pytest.fixture(scope="module")
def results():
    return evaluate(random_run(5), load_contract(overrides={"resamples": 0}), command="test").results


def test_an_evaluation_records_them_for_every_system_with_probabilities(results):
    total = results.subset_by_id["all_queries"]
    counts = {item.by: sum(item.counts) for item in results.distributions if item.kind == "score"}
    assert counts == {"y=0": total.n_queries - total.n_positive, "y=1": total.n_positive}
    kinds = [curve.kind for curve in results.curves if curve.subset == "all_queries"]
    assert kinds.count("corp") == 1
    labels = {curve.subset for curve in results.curves if curve.kind == "roc"} - {"all_queries"}
    assert labels
    assert labels <= {f"label={label.id}" for label in results.labels}


def test_a_ranking_alone_has_none_of_them():
    run: Run = run_of(
        Asked("q1", cluster="c1", candidates=in_order(1, 0)), Asked("q2", cluster="c2", candidates=in_order(0, 1)),
        with_labels=False,
    )  # fmt: skip
    found = evaluate(run, load_contract(overrides={"resamples": 0}), command="test").results
    assert found.curves == ()
    # Only how long the lists are, and how many of each are relevant.
    assert {shape.kind for shape in found.distributions} == {"ranked", "relevant"}
