"""The interval of the largest difference among pairs of groups: by hand, and how often it covers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reportgen.stats.intervals import Resampled, bootstrap_interval, gap_interval


def drawn(point, values):
    return Resampled(np.array([point, *values], dtype=np.float64), len(values))


def test_that_of_one_pair_is_its_own_without_the_sign():
    values = np.linspace(-0.4, 0.1, 101)
    own = bootstrap_interval(drawn(-0.2, values), 0.95, 0)
    found = gap_interval([drawn(-0.2, values)], 0.95, 0)
    assert (found.lower, found.upper) == (0, -own.lower)
    away = gap_interval([drawn(-0.5, values - 0.3)], 0.95, 0)
    assert (away.lower, away.upper) == (pytest.approx(0.2125), pytest.approx(0.6875))


def test_those_of_several_pairs_reach_as_far_in_standard_errors():
    # Deviations -1, 0, 1 in turn have standard error 1 over three resamples; ten times as much has 10.
    # The largest deviations in standard errors are 1, 0 and 1; their 95 % quantile (rule 7) is 1.
    found = gap_interval([drawn(5, [4, 5, 6]), drawn(-20, [-30, -20, -10])], 0.95, 0)
    assert (found.lower, found.upper) == (10, 30)
    assert found.method_used == "simultaneous"
    near = gap_interval([drawn(0.5, [-0.5, 0.5, 1.5]), drawn(-2, [-12, -2, 8])], 0.95, 0)
    assert (near.lower, near.upper) == (0, 12)


def test_resamples_in_which_a_pair_has_no_value_are_left_out_and_counted():
    found = gap_interval([drawn(5, [4, 5, 6, np.nan]), drawn(-20, [-30, -20, -10, -999])], 0.95, 0)
    assert (found.lower, found.upper, found.failed) == (10, 30, 1)
    assert gap_interval([drawn(5, [np.nan, 4]), drawn(1, [1, np.nan])], 0.95, 0) is None


@pytest.mark.parametrize("truth", [(0.5, 0.5, 0.5), (0.4, 0.5, 0.6)])
def test_it_covers(truth):
    rng, n, runs, hits = np.random.default_rng(7), 80, 150, 0
    gap = max(truth) - min(truth)
    for _ in range(runs):
        rates = rng.binomial(n, truth) / n
        resampled = rng.binomial(n, rates, (200, 3)) / n
        pairs = [
            drawn(rates[a] - rates[b], resampled[:, a] - resampled[:, b])
            for a, b in itertools.combinations(range(3), 2)
        ]
        found = gap_interval(pairs, 0.9, 0)
        hits += found.lower <= gap <= found.upper
    assert hits / runs >= 0.85
