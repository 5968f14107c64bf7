"""Intervals cover as often as they say, and p values are uniform; the small version of benchmarks/coverage.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from threadpoolctl import threadpool_limits

from benchmarks.measuring.simulation import Model, coverage, p_values

# Intra-cluster correlation 1 / (0.3 + 0.7 + 1) = 0.5: the design effect of ten queries is 1 + 9 · 0.5 = 5.5.
MODEL = Model(clusters=150, a=0.3, b=0.7)
LEVEL, REPLICATIONS, CHANCE = 0.95, 100, 1e-4


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def fewest(level):
    """So few of the replications, or fewer, are covered by chance once in ten thousand."""
    return stats.binom.ppf(CHANCE, REPLICATIONS, level)


def test_intervals_of_whole_clusters_cover_the_truth_as_often_as_they_say():
    hits = coverage(MODEL, MODEL.truth, REPLICATIONS, 400, clustered=True)
    assert set(hits) == {"prevalence", "auroc", "f1@0.5"}
    assert min(hits.values()) >= fewest(LEVEL)


def test_intervals_of_single_queries_do_not_where_clusters_share_their_rate():
    # They are √5.5 times too narrow and should cover 2 Φ(1.96 / √5.5) - 1 of the time.
    hits = coverage(MODEL, MODEL.truth, REPLICATIONS, 400, clustered=False)["prevalence"]
    expected = 2 * stats.norm.cdf(stats.norm.ppf(0.975) / 5.5**0.5) - 1
    assert hits < fewest(LEVEL)
    assert abs(hits / REPLICATIONS - expected) < 4 * (expected * (1 - expected) / REPLICATIONS) ** 0.5


@pytest.mark.parametrize("model", [
    Model(clusters=60, calibrated=True), Model(clusters=60), Model(clusters=400, calibrated=True),
])  # fmt: skip
def test_intervals_of_calibration_errors_cover_whether_there_is_an_error_or_chance_alone(model):
    truth = {name: value for name, value in model.truth_of_distances.items() if name != "mce"}
    hits = coverage(model, truth, REPLICATIONS, 400, clustered=True)
    assert set(hits) == {"ece", "ece[debiased]", "ece[equal_mass]"}
    assert min(hits.values()) >= fewest(LEVEL)


def test_the_true_values_of_the_model_are_what_many_queries_show():
    many = Model(clusters=4000, a=0.3, b=0.7)
    found = coverage(many, many.truth, 20, 200, clustered=True)
    # A truth that is wrong by one standard error of 40,000 queries would be missed by most intervals.
    assert min(found.values()) >= stats.binom.ppf(CHANCE, 20, LEVEL)


@pytest.mark.slow
@pytest.mark.parametrize("trainings", [(1, 1), (2, 2)])
def test_p_values_are_uniform_where_two_systems_do_not_differ_however_often_they_were_trained(trainings):
    replications, draws = 200, 99
    found = p_values(Model(clusters=30, per_cluster=4), replications, draws, trainings, ("brier", "auroc"))
    for p in found.values():
        # p is one of 0.01, 0.02, …, 1, each as likely: counts in ten classes.
        counts = np.bincount((np.rint(100 * p).astype(int) - 1) // 10, minlength=10)
        assert counts.sum() == replications
        assert stats.chisquare(counts).pvalue > CHANCE
        low, high = stats.binom.ppf([CHANCE, 1 - CHANCE], replications, 0.05)
        assert low <= (p <= 0.05 + 1e-12).sum() <= high
