"""Verdicts say what the adjusted p value allows, in sentences that name size, uncertainty and population."""

import pytest

from reportgen.domain import record
from reportgen.wording.comparisons import (
    ComparedPair,
    amount,
    comparison_sentence,
    equal_or_below,
    relative_change,
    verdict_of,
)

WORDS = ComparedPair("nDCG@10", "New", "Old", "1,279 positive queries in 246 pages", "proportion", 3)
BOUNDS = record.Interval(0.002, 0.022, 0)


def outcome(p, p_adjusted, adjustment="holm", size=3):
    return record.TestRecord(
        name="permutation within pages", statistic=None, p=p, p_adjusted=p_adjusted, adjustment=adjustment,
        family=("ndcg@10",), family_size=size, alternative="two-sided", resamples=999, seed=0,
    )  # fmt: skip


def shown(difference="+1.20", p="0.010", p_adjusted="0.030", smallest="1.50"):
    return record.ComparisonDisplay(
        unit="points", difference=difference, interval="[0.20, 2.20]", relative="+1.30", p=p, p_adjusted=p_adjusted,
        effect_size="+0.10", smallest_detectable=smallest,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("difference", "direction", "p_adjusted", "verdict"),
    [
        (0.01, "higher", 0.05, "better"),
        (-0.01, "higher", 0.05, "worse"),
        (-0.01, "lower", 0.01, "better"),
        (0.01, "lower", 0.01, "worse"),
        (0.01, "none", 0.01, "higher"),
        (-0.01, "none", 0.01, "lower"),
        (0.01, "higher", 0.0501, "not_shown"),
        (0.0, "higher", 0.01, "not_shown"),
    ],
)
def test_the_verdict_follows_the_adjusted_p_and_the_direction(difference, direction, p_adjusted, verdict):
    assert verdict_of(difference, direction, outcome(0.001, p_adjusted), 0.05) == verdict


def test_without_a_value_or_a_test_there_is_no_verdict_on_the_systems():
    assert verdict_of(None, "higher", None, 0.05) == "undefined"
    assert verdict_of(0.3, "higher", None, 0.05) == "not_tested"


def said(verdict, value=0.012, test=None, **display):
    words = comparison_sentence(
        verdict, WORDS, value, None, display=shown(**display), interval=BOUNDS, level=0.95, test=test
    )
    return words.replace("\u00a0", " ")


def test_a_better_system_is_called_so_with_size_interval_p_and_population():
    assert said("better", test=outcome(0.01, 0.03)) == (
        "New is better than Old on nDCG@10: 1.20 points higher (95 % CI 0.20 to 2.20; relative change +1.30 %; "
        "p = 0.010, Holm-adjusted p = 0.030; 1,279 positive queries in 246 pages)."
    )


def test_an_operating_point_says_what_its_interval_does_with_the_threshold():
    words = comparison_sentence(
        "better",
        WORDS,
        0.012,
        None,
        display=shown(),
        interval=BOUNDS,
        level=0.95,
        test=outcome(0.01, 0.03),
        of_interval=", threshold fixed",
    )
    assert "(95 % CI 0.20 to 2.20, threshold fixed; relative change" in words


def test_where_no_difference_is_shown_none_is_called_absent():
    assert said("not_shown", -0.012, outcome(0.2, 0.6), difference="−1.20", p="0.200", p_adjusted="0.600") == (
        "No difference between New and Old is shown on nDCG@10: 1.20 points lower (95 % CI 0.20 to 2.20; relative "
        "change +1.30 %; p = 0.200, Holm-adjusted p = 0.600; 1,279 positive queries in 246 pages)."
    )


def test_one_comparison_needs_no_adjusted_p_and_an_unadjusted_family_says_so():
    assert "p = 0.010; 1,279" in said("better", test=outcome(0.01, 0.01, size=1))
    unadjusted = said("better", test=outcome(0.01, 0.01, adjustment="none"))
    assert "p = 0.010, not adjusted for 3 comparisons; 1,279" in unadjusted


def test_metrics_without_direction_are_higher_or_lower_and_never_better():
    assert said("higher", test=outcome(0.01, 0.03)).startswith("nDCG@10 of New is higher than that of Old: 1.20 points")
    assert said("not_tested").startswith("The difference between New and Old on nDCG@10 was not tested: 1.20 points")


def test_no_difference_at_all_is_neither_higher_nor_lower():
    assert "on nDCG@10: 0.00 points apart (" in said("not_shown", 0.0, outcome(1.0, 1.0), difference="0.00")


@pytest.mark.parametrize(
    ("value", "unit", "decimals", "text"),
    [
        (0.6605 - 0.5540, "proportion", 3, "+10.65"),
        (-0.0004, "proportion", 3, "−0.04"),
        (0.00001, "proportion", 3, "0.00"),
        (0.0213, "nats", 3, "+0.0213"),
        (1.26, "per 1,000 queries", 1, "+1.26"),
    ],
)
def test_differences_are_printed_in_points_or_the_metrics_own_unit_with_one_digit_more(value, unit, decimals, text):
    assert amount(value, unit, decimals, signed=True) == text


def test_a_printed_p_value_becomes_words():
    assert [equal_or_below(p).replace("\u00a0", " ") for p in ("0.012", "<0.001", ">0.999")] == [
        "= 0.012", "< 0.001", "> 0.999",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("new", "old", "points", "percent"),
    [(0.6605, 0.5540, 10.65, 19.22), (0.8206, 0.7330, 8.76, 11.95)],
)
def test_points_and_relative_change_are_two_numbers_from_unrounded_values(new, old, points, percent):
    assert round(100 * (new - old), 2) == points
    relative = relative_change(new, old)
    assert relative is not None
    assert round(100 * relative, 2) == percent


def test_there_is_no_relative_change_to_nothing_or_to_a_negative_value():
    assert relative_change(0.2, 0.0) is None
    assert relative_change(0.2, -0.1) is None
    assert relative_change(0.2, 5e-324) is None  # else infinite, which no file and no table could hold
