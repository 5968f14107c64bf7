"""The corrected t test over folds, of one cross-validation and of several repeats."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reportgen.stats.paired import NoTest, corrected_t


def test_two_repeats_of_two_folds_by_hand():
    # k = 2, r = 2: mean 0.2, s² = (0.01 + 0.01) / 3, n_test / n_train = 1, so variance (1/4 + 1) · 0.02 / 3 = 0.025 / 3
    # and t = 0.2 / √(0.025 / 3) = √4.8. With 3 degrees of freedom and u = t / √3 = √1.6 the distribution is
    # 1/2 + (u / (1 + u²) + arctan u) / π: two-sided p = 1 - 2 (√1.6 / 2.6 + arctan √1.6) / π.
    test = corrected_t(np.array([0.1, 0.3, 0.2, 0.2]), 1.0, repeats=2)
    assert test.statistic == pytest.approx(math.sqrt(4.8), rel=1e-9)
    assert test.p == pytest.approx(1 - 2 * (math.sqrt(1.6) / 2.6 + math.atan(math.sqrt(1.6))) / math.pi, rel=1e-9)
    assert test.name == "corrected repeated k-fold cv t (Nadeau & Bengio 2003; Bouckaert & Frank 2004)"


@pytest.mark.parametrize(("folds", "repeats"), [(10, 10), (10, 3), (5, 2)])
def test_the_variance_is_that_of_the_r_package_machineshop(folds, repeats):
    # Its page on t.test for PerformanceDiff: t = mean / √(F s² / R) with R = T · K values and
    # F = 1 + T · K / (K - 1) for K folds repeated T times (Bouckaert & Frank 2004), R - 1 degrees of freedom.
    differences = np.random.default_rng(0).normal(0.01, 0.05, folds * repeats)
    n, factor = folds * repeats, 1 + repeats * folds / (folds - 1)
    t = differences.mean() / math.sqrt(factor * differences.var(ddof=1) / n)
    test = corrected_t(differences, 1 / (folds - 1), repeats)
    assert (test.statistic, test.p) == pytest.approx((t, 2 * stats.t.sf(abs(t), n - 1)), rel=1e-9)


def test_of_one_cross_validation_it_is_nadeau_and_bengios():
    # The factor of statistics with 5 folds: 1/5 + 1/4; the uncorrected t of scipy has 1/5 alone.
    differences = np.array([0.1, 0.3, 0.2, 0.2, 0.4])
    test = corrected_t(differences, 0.25, repeats=0)
    plain = stats.ttest_1samp(differences, 0).statistic
    assert test.statistic == pytest.approx(plain * math.sqrt(0.2 / 0.45), rel=1e-9)
    assert test.name == "corrected resampled t over folds (Nadeau & Bengio 2003)"


def test_a_fold_without_a_value_is_left_out_and_so_is_its_degree_of_freedom():
    whole = corrected_t(np.array([0.1, 0.3, 0.2]), 1.0, repeats=2)
    assert corrected_t(np.array([0.1, np.nan, 0.3, 0.2]), 1.0, repeats=2) == whole


@pytest.mark.parametrize(
    ("differences", "ratio", "why"),
    [
        ([0.1, math.nan], 1.0, "it needs two folds"),
        ([0.1, 0.2], math.inf, "it needs two folds"),
        ([0.1, 0.1, 0.1 + 1e-16], 1.0, "all folds differ by the same amount"),
    ],
)
def test_a_test_that_cannot_be_made_says_why(differences, ratio, why):
    test = corrected_t(np.array(differences), ratio, repeats=2)
    assert isinstance(test, NoTest)
    assert test.why.startswith(why)
