"""Tests by name, each against hand arithmetic, scipy and statsmodels."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_table

from reportgen.stats.classical import cluster_means, mcnemar, mcnemar_clustered, paired_t, wilcoxon


def right(both, only_a, only_b, neither):
    a = [1] * both + [1] * only_a + [0] * only_b + [0] * neither
    b = [1] * both + [0] * only_a + [1] * only_b + [0] * neither
    return np.array(a, dtype=float), np.array(b, dtype=float)


def test_cluster_means_leave_out_undefined_rows_and_clusters_without_any():
    d = np.array([1.0, 3.0, np.nan, np.nan, 5.0])
    assert cluster_means(d, np.array([0, 0, 0, 2, 4])).tolist() == [2.0, 5.0]


def test_paired_t_by_hand():
    found = paired_t(np.array([1.0, 2.0, 3.0]))
    assert found is not None
    # Mean 2, standard error 1 / sqrt(3).
    assert found.statistic == pytest.approx(2 * math.sqrt(3), abs=1e-9)
    # Two degrees of freedom have a closed form: p = 1 - t / sqrt(2 + t^2), here t^2 = 12.
    assert found.p == pytest.approx(1 - math.sqrt(12 / 14), abs=1e-9)
    assert "no variance" in paired_t(np.array([1.0, 1.0, 1.0])).why
    assert "two clusters" in paired_t(np.array([1.0])).why


def test_wilcoxon_of_five_positive_differences_is_two_of_32_patterns():
    found = wilcoxon(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.0]))
    assert found is not None
    assert found.p == pytest.approx(2 / 32, abs=1e-12)
    assert "nothing to rank" in wilcoxon(np.zeros(4)).why


@pytest.mark.parametrize("seed", range(4))
def test_paired_t_equals_scipys_test_of_two_columns(seed):
    a, b = np.random.default_rng(seed).normal(size=(2, 40 + seed))
    found, theirs = paired_t(a - b), stats.ttest_rel(a, b)
    assert found is not None
    assert (found.statistic, found.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)


@pytest.mark.parametrize("differences", [
    (0.3, -0.1, 0.4, 0.7, -0.2, 0.6),
    (0.1, 0.1, 0.2, 0.3, -0.1, -0.2, 0.0, 0.0),  # ties and zeros
])  # fmt: skip
def test_wilcoxon_is_the_share_of_sign_patterns_with_a_rank_sum_as_far_from_the_middle(differences):
    moved = np.array([d for d in differences if d])
    ranks = stats.rankdata(np.abs(moved))
    sums = np.array([ranks @ np.array(signs) for signs in product([0, 1], repeat=len(moved))])
    observed = ranks @ (moved > 0)
    middle = ranks.sum() / 2
    found = wilcoxon(np.array(differences))
    assert found is not None
    assert found.statistic == min(observed, ranks.sum() - observed)
    assert found.p == pytest.approx(np.mean(np.abs(sums - middle) >= abs(observed - middle) - 1e-12), abs=1e-9)


def test_wilcoxon_of_many_differences_with_ties_is_the_normal_approximation_corrected_for_ties():
    d = np.random.default_rng(5).integers(-8, 12, 200) / 16
    moved = d[d != 0]
    n, ranks = len(moved), stats.rankdata(np.abs(moved))
    _, ties = np.unique(ranks, return_counts=True)
    variance = n * (n + 1) * (2 * n + 1) / 24 - (ties**3 - ties).sum() / 48
    z = (ranks[moved > 0].sum() - n * (n + 1) / 4) / math.sqrt(variance)
    found = wilcoxon(d)
    assert found is not None
    assert found.p == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-9)


def test_differences_that_are_zero_or_equal_but_for_their_last_bits_are_zero_or_equal():
    zero = cluster_means(np.array([0.3, -0.1, -0.2]), np.array([0, 0, 0]))
    assert zero[0] != 0
    assert "nothing to rank" in wilcoxon(zero).why
    assert wilcoxon(np.array([*zero, 0.4, 0.5, -0.1])) == wilcoxon(np.array([0.0, 0.4, 0.5, -0.1]))
    # 0.3 and 0.1 + 0.2 share a rank.
    assert wilcoxon(np.array([0.3, -(0.1 + 0.2), 0.5])) == wilcoxon(np.array([0.3, -0.3, 0.5]))
    equal = np.array([0.9 - 0.4, 0.7 - 0.2, 0.6 - 0.1, 0.8 - 0.3])
    assert np.ptp(equal) > 0
    assert "no variance" in paired_t(equal).why


@pytest.mark.parametrize(("only_a", "only_b"), [(8, 2), (5, 5), (0, 7), (1, 0), (40, 61)])
def test_mcnemar_equals_the_exact_test_of_statsmodels(only_a, only_b):
    found = mcnemar(*right(12, only_a, only_b, 9))
    theirs = mcnemar_of_table([[12, only_a], [only_b, 9]], exact=True)
    assert found is not None
    assert found.p == pytest.approx(theirs.pvalue, rel=1e-9)
    # Theirs is the smaller of the two counts; which system is the better one is to be seen from ours.
    assert min(found.statistic, only_a + only_b - found.statistic) == theirs.statistic


@pytest.mark.parametrize(("only_a", "only_b"), [(8, 2), (0, 7), (40, 61)])
def test_clustered_mcnemar_of_single_rows_is_the_uncorrected_test_of_statsmodels(only_a, only_b):
    a, b = right(12, only_a, only_b, 9)
    found = mcnemar_clustered(a, b, np.arange(len(a)))
    theirs = mcnemar_of_table([[12, only_a], [only_b, 9]], exact=False, correction=False)
    assert found is not None
    # Obuchowski's factor (J - 1) / J is not in McNemar's statistic.
    assert found.statistic == pytest.approx((len(a) - 1) / len(a) * theirs.statistic, rel=1e-9)


def test_mcnemar_exact_by_hand():
    found = mcnemar(*right(5, 8, 2, 1))
    assert found is not None
    # 2 * (C(10,0) + C(10,1) + C(10,2)) / 2^10.
    assert (found.statistic, found.p) == (8.0, pytest.approx(112 / 1024, abs=1e-12))
    # Without a discordant pair, as statsmodels has it: every outcome is as extreme.
    none = mcnemar(*right(5, 0, 0, 1))
    assert (none.statistic, none.p) == (0.0, mcnemar_of_table([[5, 0], [0, 1]], exact=True).pvalue) == (0.0, 1.0)


def test_clustered_mcnemar_of_single_rows_is_mcnemars_statistic_up_to_j_minus_one_over_j():
    a, b = right(5, 8, 2, 1)
    found = mcnemar_clustered(a, b, np.arange(16))
    assert found is not None
    assert found.statistic == pytest.approx(15 / 16 * (8 - 2) ** 2 / (8 + 2), abs=1e-9)
    # Chi-squared with one degree of freedom is a squared normal.
    assert found.p == pytest.approx(math.erfc(math.sqrt(found.statistic / 2)), abs=1e-9)


def test_clustered_mcnemar_counts_whole_clusters():
    # Three clusters with d = 2, 2, -1: (3 - 1) / 3 * 3^2 / (4 + 4 + 1) = 2/3.
    a = np.array([1, 1, 1, 1, 0, 1], dtype=float)
    b = np.array([0, 0, 0, 0, 1, 1], dtype=float)
    found = mcnemar_clustered(a, b, np.array([0, 0, 1, 1, 2, 2]))
    assert found is not None
    assert found.statistic == pytest.approx(2 / 3, abs=1e-9)
    # Rows that belong together say less than rows that do not.
    alone = mcnemar_clustered(a, b, np.arange(6))
    assert alone is not None
    assert found.p > alone.p
    same = mcnemar_clustered(a, a, np.arange(6))
    assert (same.statistic, same.p) == (0.0, 1.0)
    assert "two clusters" in mcnemar_clustered(a, b, np.zeros(6, dtype=int)).why
