"""Intervals of proportions, at the edges where Wald's has no width. Values: statsmodels 0.15.0."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest

from reportgen.stats.proportions import clopper_pearson, effective_trials, wilson


@pytest.mark.parametrize(
    ("hits", "trials", "expected"),
    [
        (0, 25, (0, 0.133192)),  # lm-evaluation-harness issue 4070
        (0, 5000, (0, 0.000768)),
        (20, 20, (0.838875, 1)),  # scipy issue 14351
        (1373, 1379, (0.9905, 0.9980)),
    ],
)
def test_wilson_has_width_at_the_edges(hits, trials, expected):
    assert wilson(hits / trials, trials, 0.95) == pytest.approx(expected, abs=5e-5 if hits == 1373 else 5e-7)


@pytest.mark.parametrize(("hits", "trials", "expected"), [(0, 10, (0, 0.308497)), (5, 5, (0.478176, 1))])
def test_clopper_pearson_is_exact_at_the_edges(hits, trials, expected):
    # statsmodels issues 3487, 2742.
    assert clopper_pearson(hits / trials, trials, 0.95) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(("hits", "trials"), [(3, 17), (50, 100), (999, 1000)])
def test_both_equal_scipy_for_whole_trials(hits, trials):
    for ours, method in ((wilson, "wilson"), (clopper_pearson, "exact")):
        theirs = binomtest(hits, trials).proportion_ci(0.95, method=method)
        assert ours(hits / trials, trials, 0.95) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_fewer_effective_trials_widen_the_interval():
    wide, narrow = wilson(0.2, 50, 0.95), wilson(0.2, 100, 0.95)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_the_effective_number_of_trials_leaves_a_proportion_as_uncertain_as_its_error_says():
    # Of 100 trials at 0.2 the error is 0.04; twice that leaves 25. A smaller one does not make more than 100 of them.
    assert effective_trials(0.2, 100, 0.04) == pytest.approx(100)
    assert effective_trials(0.2, 100, 0.08) == pytest.approx(25)
    assert effective_trials(0.2, 100, 0.01) == 100


def test_where_the_error_cannot_be_estimated_the_plain_number_of_trials_stands():
    assert effective_trials(0.0, 100, 0.0) == effective_trials(1.0, 100, 0.0) == effective_trials(0.7, 100, 0.0) == 100
