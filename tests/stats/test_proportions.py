"""Intervals of proportions against statsmodels and scipy, also at the edges, where Wald's has no width."""

from __future__ import annotations

import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from reportgen.stats.intervals import clopper_pearson, effective_trials, wilson

EDGES = [
    (0, 25),  # lm-evaluation-harness issue 4070
    (0, 5000),
    (20, 20),  # scipy issue 14351
    (0, 10),  # statsmodels issue 3487
    (5, 5),  # statsmodels issue 2742
]
METHODS = [(wilson, "wilson"), (clopper_pearson, "beta")]
"""Ours, and the name that statsmodels gives the method."""


@pytest.mark.parametrize(("ours", "method"), METHODS)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
# Also an effective number of trials, which is not whole.
@pytest.mark.parametrize(("hits", "trials"), [*EDGES, (1373, 1379), (1, 2), (3, 11.5), (0.3, 1.7), (58.25, 233.6)])
def test_both_equal_statsmodels_for_whole_and_for_effective_trials(ours, method, level, hits, trials):
    theirs = proportion_confint(hits, trials, 1 - level, method=method)
    assert ours(hits / trials, trials, level) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(("ours", "_"), METHODS)
@pytest.mark.parametrize(("hits", "trials"), EDGES)
def test_both_have_width_at_the_edges_and_end_there(ours, _, hits, trials):
    lower, upper = ours(hits / trials, trials, 0.95)
    assert (upper if hits else lower) == hits / trials
    assert lower < upper


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
