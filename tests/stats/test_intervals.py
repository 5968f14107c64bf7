"""Intervals and spreads, by hand and against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reportgen.stats.intervals import fold_spread, fold_values, percentile_interval, significant_digits


def test_a_percentile_interval_holds_the_middle_of_the_resamples():
    # Resamples 0, 1, …, 100: the 2.5th and 97.5th percentiles by rule 7 are 2.5 and 97.5.
    interval = percentile_interval(np.array([50.0, *range(101)]), 0.95, 0)
    assert (interval.lower, interval.upper, interval.failed, interval.degenerate) == (2.5, 97.5, 0, False)


def test_undefined_resamples_are_dropped_and_counted():
    interval = percentile_interval(np.array([1.0, math.nan, 1.0, 3.0, math.nan]), 0.5, 0)
    assert (interval.lower, interval.upper, interval.failed) == (1.5, 2.5, 2)


def test_resamples_that_all_agree_give_an_interval_marked_degenerate():
    interval = percentile_interval(np.ones(21), 0.95, 0)
    assert (interval.lower, interval.upper, interval.degenerate, interval.method_used) == (1, 1, True, "percentile")


@pytest.mark.parametrize("values", [np.array([0.5]), np.array([0.5, math.nan])])
def test_without_a_defined_resample_there_is_no_interval(values):
    assert percentile_interval(values, 0.95, 0) is None


def test_the_monte_carlo_error_is_what_repeated_bootstraps_show():
    # 400 bootstraps of 2,000 standard normal resamples: the SD of the upper bound between them is the truth.
    rng = np.random.default_rng(0)
    draws = [np.concatenate([[0.0], rng.normal(size=2000)]) for _ in range(400)]
    found = [percentile_interval(draw, 0.95, 0) for draw in draws]
    truth = np.std([interval.upper for interval in found], ddof=1)
    assert np.median([interval.mc_error for interval in found]) == pytest.approx(truth, rel=0.25)


def test_the_sd_over_folds_uses_the_named_degrees_of_freedom():
    # pandas issue 47903: .1 … .5 has SD .158114 with ddof 1 and .141421 with ddof 0.
    points = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert fold_spread(points, 1).value == pytest.approx(0.158113883, abs=1e-9)
    assert fold_spread(points, 0).value == pytest.approx(0.141421356, abs=1e-9)


def test_the_sd_is_over_defined_folds_and_needs_two():
    assert fold_spread([0.1, math.nan, 0.3], 1).n == 2
    assert fold_spread([0.1, math.nan], 1) is None


def test_fold_values_keep_the_reason_of_undefined_folds():
    values = fold_values([0.8, math.nan], ("1", "2"), "single_class")
    assert [(v.fold, v.value, v.reason) for v in values] == [("1", 0.8, None), ("2", None, "single_class")]


def test_bounds_are_stored_with_ten_significant_digits_and_never_as_minus_zero():
    assert significant_digits(0.12345678901234) == 0.1234567890
    assert math.copysign(1, significant_digits(-0.0)) == 1
