"""Facts about a difference beside its test, by hand."""

import math

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats.paired import (
    WinsAndLosses,
    effect_size,
    record_of,
    smallest_detectable,
)
from tests.stats.test_permutation import losses, permuted, swaps_of


def test_wins_ties_and_losses_follow_the_direction_and_leave_out_what_is_undefined():
    d = np.array([0.2, 0.0, -0.1, np.nan, 0.3])
    assert record_of(d, "higher") == WinsAndLosses(2, 1, 1)
    assert record_of(d, "lower") == WinsAndLosses(1, 1, 2)
    assert record_of(d, "none") == WinsAndLosses(2, 1, 1)
    # Two orders of the same sum differ in the last bit: still a tie.
    assert record_of(np.array([(0.1 + 0.2) + 0.3 - (0.1 + (0.2 + 0.3))]), "higher") == WinsAndLosses(0, 1, 0)


def test_effect_size_is_the_mean_over_the_sd_of_the_pairs():
    # Mean 2, SD 1.
    found = effect_size(np.array([1.0, 2.0, 3.0, np.nan]), "query", "queries")
    assert found is not None
    assert (found.name, found.value) == ("Cohen's d_z over queries", 2.0)


@pytest.mark.parametrize("d", [[], [0.5], [0.5, 0.5], [0.5, math.nan]])
def test_without_spread_there_is_no_effect_size(d):
    assert effect_size(np.array(d), "query", "queries") is None


def test_the_smallest_detectable_difference_has_the_power_it_says():
    found = smallest_detectable(0.01, 0.95, 4)
    assert found is not None
    # Alpha 0.05 / 4; the chance that an estimate of that true difference exceeds its critical value on its side.
    critical = norm.ppf(1 - 0.0125 / 2) * 0.01
    assert norm.sf(critical, loc=found, scale=0.01) == pytest.approx(0.8, abs=1e-9)
    # One comparison: 1.959964 + 0.841621 standard errors.
    assert smallest_detectable(1.0, 0.95, 1) == pytest.approx(2.801585, abs=1e-6)


@pytest.mark.parametrize("family_size", [1, 4])
def test_a_difference_of_that_size_is_found_as_often_as_it_says(family_size):
    # 200 clusters of one query, whose differences have an SD of 0.1: the test of comparisons, at alpha over the family.
    n, spread, replications, draws = 200, 0.1, 200, 399
    size = smallest_detectable(spread / math.sqrt(n), 0.95, family_size)
    assert size is not None
    rng = np.random.default_rng(family_size)
    found = 0
    for seed in range(replications):
        differences = rng.normal(size, spread, n)
        found += permuted(*losses(differences), "brier", swaps_of([0] * n, draws, seed)).p <= 0.05 / family_size
    # Three binomial standard errors, and what a test by 399 exchanges loses against the exact one: below 0.02.
    assert found / replications == pytest.approx(0.8, abs=3 * math.sqrt(0.8 * 0.2 / replications) + 0.02)


def test_without_a_standard_error_nothing_is_said_of_what_could_be_shown():
    assert smallest_detectable(None, 0.95, 1) is None
    assert smallest_detectable(0.0, 0.95, 1) is None
