"""Intervals and spreads, by hand and against numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import bootstrap

from reportgen.contracts import load_contract
from reportgen.stats.intervals import (
    OfQueries,
    Resampled,
    analytic_interval,
    bootstrap_error,
    bootstrap_interval,
    corrected_fold_bounds,
    distance_interval,
    fold_values,
    interval_settings,
    pointwise_band,
    query_quartiles,
    query_spread,
    recentred_interval,
    significant_digits,
    simultaneous_band,
    spread_over,
)


def interval_of(values, level=0.95, resamples=None):
    return bootstrap_interval(Resampled(values, len(values) - 1 if resamples is None else resamples), level, 0)


def test_a_percentile_interval_holds_the_middle_of_the_resamples():
    # Resamples 0, 1, …, 100: the 2.5th and 97.5th percentiles by rule 7 are 2.5 and 97.5.
    interval = interval_of(np.array([50.0, *range(101)]), 0.95)
    assert (interval.lower, interval.upper, interval.failed, interval.degenerate) == (2.5, 97.5, 0, False)


def test_undefined_resamples_are_dropped_and_counted():
    interval = interval_of(np.array([2.0, math.nan, 1.0, 3.0, math.nan]), 0.5)
    assert (interval.lower, interval.upper, interval.failed) == (1.5, 2.5, 2)


def test_resamples_that_all_agree_give_an_interval_marked_degenerate():
    interval = interval_of(np.ones(21))
    assert (interval.lower, interval.upper, interval.degenerate, interval.method_used) == (1, 1, True, "percentile")


@pytest.mark.parametrize("values", [np.array([0.5]), np.array([0.5, math.nan])])
def test_without_a_defined_resample_there_is_no_interval(values):
    assert interval_of(values) is None


def test_the_monte_carlo_error_is_what_repeated_bootstraps_show():
    # 400 bootstraps of 2,000 standard normal resamples: the SD of the upper bound between them is the truth.
    rng = np.random.default_rng(0)
    draws = [np.concatenate([[0.0], rng.normal(size=2000)]) for _ in range(400)]
    found = [interval_of(draw) for draw in draws]
    truth = np.std([interval.upper for interval in found], ddof=1)
    assert np.median([interval.mc_error for interval in found]) == pytest.approx(truth, rel=0.25)


def test_the_monte_carlo_error_of_bca_holds_that_of_its_bias_which_the_same_resamples_give():
    # Without bias and acceleration BCa reads the percentile bounds, at shares that move with the share below the
    # estimate: by 2 φ(1.96) / φ(0) = .293 of it. Variance in ranks: .025 * .975 + .293² / 4 - 2 * .293 * .0125 = .0385,
    # where that of a percentile bound is .0244: the error is 1.26 times as large.
    rng = np.random.default_rng(0)
    draws = [np.concatenate([[0.0], rng.normal(size=4000), [-1.0, 1.0]]) for _ in range(1000)]
    bca, percentile = [interval_of(draw, resamples=4000) for draw in draws], [interval_of(draw[:-2]) for draw in draws]
    assert {interval.method_used for interval in bca} == {"bca"}
    errors = [np.median([interval.mc_error for interval in found]) for found in (bca, percentile)]
    spreads = [np.std([interval.upper for interval in found], ddof=1) for found in (bca, percentile)]
    assert errors[0] / errors[1] == pytest.approx(1.257, rel=0.05)
    assert spreads[0] / spreads[1] == pytest.approx(1.257, rel=0.08)


def test_the_sd_over_folds_uses_the_named_degrees_of_freedom():
    # pandas issue 47903: .1 … .5 has SD .158114 with ddof 1 and .141421 with ddof 0.
    points = [0.1, 0.2, 0.3, 0.4, 0.5]
    assert spread_over("fold", points, 1).value == pytest.approx(0.158113883, abs=1e-9)
    assert spread_over("fold", points, 0).value == pytest.approx(0.141421356, abs=1e-9)


def test_the_sd_is_over_defined_folds_and_needs_two():
    assert spread_over("fold", [0.1, math.nan, 0.3], 1).n == 2
    assert spread_over("fold", [0.1, math.nan], 1) is None
    # A single value has no spread, also where nothing is taken off its degrees of freedom.
    assert spread_over("fold", [0.1], 0) is None
    assert spread_over("seed", [0.1, 0.3], 0).over == "seed"
    # A divisor of n - 2 leaves nothing to divide by for two values.
    assert spread_over("fold", [0.1, 0.3], 2) is None


def test_fold_values_keep_the_reason_of_undefined_folds():
    values = fold_values([0.8, math.nan], ("1", "2"), "single_class")
    assert [(v.fold, v.value, v.reason) for v in values] == [("1", 0.8, None), ("2", None, "single_class")]


def test_bounds_are_stored_with_ten_significant_digits_and_never_as_minus_zero():
    assert significant_digits(0.12345678901234) == 0.1234567890
    assert math.copysign(1, significant_digits(-0.0)) == 1


def test_bca_equals_scipy_on_the_same_resamples_and_jackknife():
    # scipy's BCa of a mean, fed by its own resamples: bias and acceleration from the same numbers must give its bounds.
    rng = np.random.default_rng(4)
    x = rng.exponential(size=60)
    reference = bootstrap((x,), np.mean, n_resamples=3000, method="BCa", rng=np.random.default_rng(1))
    left_out = np.array([np.delete(x, i).mean() for i in range(len(x))])
    values = np.concatenate([[x.mean()], reference.bootstrap_distribution, left_out])
    found = interval_of(values, resamples=3000)
    assert found.method_used == "bca"
    assert found.lower == pytest.approx(reference.confidence_interval.low, rel=2e-3)
    assert found.upper == pytest.approx(reference.confidence_interval.high, rel=2e-3)


def test_bca_of_degenerate_data_falls_back_to_the_percentile_interval_and_says_so():
    # scipy issues 14351, 15883: twenty ones give BCa (nan, nan).
    found = interval_of(np.ones(1 + 50 + 20), resamples=50)
    assert (found.lower, found.upper, found.degenerate, found.method_used) == (1, 1, True, "percentile")


def test_an_estimate_outside_all_resamples_has_their_spread_around_it():
    # Resamples 0 … 1 with mean 0.5 and quantiles 0.025 and 0.975: 0.475 to either side.
    for left_out in ([], [4.9, 5.0, 5.1]):
        found = interval_of(np.array([5.0, *np.linspace(0, 1, 41), *left_out]), resamples=41)
        assert found.method_used == "recentred"
        assert (found.lower, found.upper) == pytest.approx((4.525, 5.475), abs=1e-9)


def test_the_spread_of_skewed_resamples_is_turned_around():
    # Resamples 1 … 4 with mean 2, at level 1: 2 below their largest, 1 above their smallest; the value is 0.5.
    found = recentred_interval(Resampled(np.array([0.5, 1, 1, 2, 4]), 4), 1 - 1e-12, 0)
    assert (found.lower, found.upper) == pytest.approx((0.5 + 2 - 4, 0.5 + 2 - 1), abs=1e-9)


def test_a_single_far_resample_can_leave_no_room_above_the_value_and_the_interval_still_holds_it():
    # 199 zeros and a 200: the mean, 1, lies above both quantiles, which would put the bounds at 0.5 + 1.
    found = recentred_interval(Resampled(np.array([0.5, *np.zeros(199), 200.0]), 200), 0.95, 0)
    assert (found.lower, found.upper) == (0.5, 1.5)


def test_an_interval_of_a_distance_by_hand():
    # Squares 1, 4, 9, 16, 25 of the resamples, mean 11, around the value's 9: bounds at 2 · 9 - 25 < 0 and 9 + 11 - 1.
    values = Resampled(np.array([3.0, 1, 2, 3, 4, 5]), 5)
    found = distance_interval(values, 1 - 1e-12, 0)
    assert (found.lower, found.upper) == (0.0, pytest.approx(math.sqrt(19), rel=1e-9))
    # A value of 4: 2 · 16 - 25 and 16 + 11 - 1.
    found = distance_interval(Resampled(np.array([4.0, 1, 2, 3, 4, 5]), 5), 1 - 1e-12, 0)
    assert (found.lower, found.upper) == pytest.approx((math.sqrt(7), math.sqrt(26)), rel=1e-9)
    assert (found.method_used, found.degenerate) == ("recentred", False)
    assert distance_interval(Resampled(np.array([0.5, math.nan]), 1), 0.95, 0) is None
    # All resamples are zero, and so is the value.
    assert distance_interval(Resampled(np.zeros(5), 4), 0.95, 0).degenerate


def test_a_bound_that_equals_the_value_in_ten_digits_is_the_value():
    third = 1 / 3
    found = interval_of(np.array([third, *np.full(20, third * (1 + 1e-15))]))
    assert (found.lower, found.upper, found.degenerate) == (third, third, True)
    for bounds in ((third, third), (third - 1e-13, third + 1e-13)):
        analytic = analytic_interval(bounds, third, 0, "linearized")
        assert (analytic.lower, analytic.upper, analytic.degenerate) == (third, third, True)


def test_the_bootstrap_error_is_the_sd_of_the_defined_resamples():
    assert bootstrap_error(Resampled(np.array([9.0, 1.0, math.nan, 3.0]), 3)) == pytest.approx(math.sqrt(2))
    assert bootstrap_error(Resampled(np.array([9.0, 1.0]), 1)) is None


def test_the_corrected_fold_interval_has_nadeau_and_bengios_factor():
    # statistics: 5 folds, n_test / n_train = .25: t(4) = 2.776445, factor sqrt(.2 + .25): half width 1.8625 s.
    points = [0.1, 0.2, 0.3, 0.4, 0.5]
    low, high = corrected_fold_bounds(points, 20 / 80, 0.95)
    assert (high - low) / 2 == pytest.approx(1.8625 * 0.158113883, rel=1e-3)
    nested = corrected_fold_bounds(points, 20 / 56, 0.95)
    assert (nested[1] - nested[0]) / 2 == pytest.approx(2.07 * 0.158113883, rel=2e-3)
    assert corrected_fold_bounds([0.5], 20 / 80, 0.95) is None


def test_the_spread_over_queries_is_not_the_spread_over_folds():
    spread = query_spread(OfQueries.of(np.array([0.0, 1.0, 1.0])))
    assert (spread.over, spread.n, spread.value) == ("query", 3, pytest.approx(math.sqrt(1 / 3)))
    assert query_quartiles(OfQueries.of(np.array([1.0, 2.0, 3.0, 4.0]))) == (1.75, 2.5, 3.25)
    # Of two trainings the means: SD 1 and 2, quartiles 1, 2, 3 and 2, 4, 6.
    both = [*OfQueries.of(np.array([1.0, 2.0, 3.0])), *OfQueries.of(np.array([2.0, 4.0, 6.0]))]
    assert (query_spread(both).value, query_quartiles(both)) == (1.5, (2.25, 3.0, 3.75))


def test_a_simultaneous_band_is_wider_than_a_pointwise_one_and_holds_whole_resamples():
    rng = np.random.default_rng(0)
    curves = np.concatenate([np.zeros((1, 8)), rng.normal(size=(4000, 8))])
    low, high = simultaneous_band(curves, 0.9)
    inside = ((curves[1:] >= low) & (curves[1:] <= high)).all(axis=1).mean()
    assert inside == pytest.approx(0.9, abs=0.005)
    assert (high - low > np.subtract(*pointwise_band(curves, 0.9)[::-1])).all()


def test_every_role_of_an_interval_has_its_settings():
    settings = interval_settings(load_contract())
    shown = settings.table[settings.index("resampled")]
    assert (shown.method, shown.threshold, shown.resamples) == ("cluster_percentile", "resampled", 10000)
    beside = settings.table[settings.index("wilson")]
    assert (beside.method, beside.resamples, beside.threshold) == ("wilson", 0, "")


def test_resamples_that_agree_but_for_their_last_bits_have_no_width_and_are_marked():
    found = bootstrap_interval(Resampled(np.array([0.5, *(0.5 + 1e-14 * np.arange(40))]), 40), 0.95, 0)
    assert (found.lower, found.upper, found.degenerate) == (0.5, 0.5, True)


def test_bca_whose_bounds_fall_together_is_the_percentile_interval():
    # The estimate lies below nearly all resamples, so both corrected bounds are read at the lowest of them.
    drawn = np.concatenate([[0.0, 0.0, 0.0, 0.0], np.linspace(1, 2, 96)])
    values = Resampled(np.concatenate([[0.0], drawn, [0.1, 0.2, -0.2]]), 100)
    found = bootstrap_interval(values, 0.95, 0)
    assert (found.method_used, found.degenerate) == ("percentile", False)
    assert (found.lower, found.upper) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), rel=1e-9)


def test_a_simultaneous_band_drops_what_is_undefined():
    random = np.random.default_rng(3)
    curves = random.normal(size=(301, 4))
    with_gaps = np.vstack([curves, np.full((5, 4), np.nan)])
    assert np.array_equal(simultaneous_band(with_gaps, 0.9), simultaneous_band(curves, 0.9))
    with_gaps[1:200, 2] = np.nan
    assert np.isfinite(simultaneous_band(with_gaps, 0.9)).all()
