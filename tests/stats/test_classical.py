"""Tests by name, each against hand arithmetic."""

import math

import numpy as np
import pytest

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
    assert paired_t(np.array([1.0, 1.0, 1.0])) is None
    assert paired_t(np.array([1.0])) is None


def test_wilcoxon_of_five_positive_differences_is_two_of_32_patterns():
    found = wilcoxon(np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.0]))
    assert found is not None
    assert found.p == pytest.approx(2 / 32, abs=1e-12)
    assert wilcoxon(np.zeros(4)) is None


def test_mcnemar_exact_by_hand():
    found = mcnemar(*right(5, 8, 2, 1))
    assert found is not None
    # 2 * (C(10,0) + C(10,1) + C(10,2)) / 2^10.
    assert (found.statistic, found.p) == (8.0, pytest.approx(112 / 1024, abs=1e-12))
    assert mcnemar(*right(5, 0, 0, 1)) is None


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
    assert mcnemar_clustered(a, a, np.arange(6)) is None
