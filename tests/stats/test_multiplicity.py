"""Adjusted p values against hand arithmetic and other implementations."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from reportgen.stats.multiplicity import adjusted, max_t

P = (0.01, 0.04, 0.03, 0.005)
THEIRS = {"holm": "holm", "bh": "fdr_bh"}
"""The names that statsmodels gives the methods."""
HOLM = (0.03, 0.06, 0.06, 0.02)
BH = (0.02, 0.04, 0.04, 0.02)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)
in_steps = st.lists(st.integers(0, 10).map(lambda tenths: tenths / 10), min_size=1, max_size=40)
"""Families with many ties, zeros and ones."""


def of_statsmodels(p, method):
    # Its Holm collects garbage at every call, which takes long in a process that holds what other tests share.
    with patch("gc.collect"):
        return multipletests(p, method=THEIRS[method])[1].tolist()


def test_holm_and_benjamini_hochberg_of_four_p_values():
    assert adjusted(P, "holm") == pytest.approx(HOLM, abs=1e-15)
    assert adjusted(P, "bh") == pytest.approx(BH, abs=1e-15)
    assert adjusted(P, "none") == list(P)


def test_max_t_is_no_function_of_the_p_values():
    with pytest.raises(ValueError, match="max_t"):
        adjusted(P, "max_t")


@pytest.mark.parametrize("method", THEIRS)
@given(p_values | in_steps)
def test_holm_and_benjamini_hochberg_equal_statsmodels(method, p):
    assert adjusted(p, method) == pytest.approx(of_statsmodels(p, method), abs=1e-15)


@pytest.mark.parametrize("method", THEIRS)
@pytest.mark.parametrize("p", [[0.02], [0.0] * 3, [1.0] * 3, [0.03] * 5, [0.0, 1.0], list(np.linspace(0, 1, 2000))])
def test_families_of_one_of_equals_and_of_thousands_equal_statsmodels(method, p):
    assert adjusted(p, method) == pytest.approx(of_statsmodels(p, method), abs=1e-15)


@pytest.mark.parametrize("method", THEIRS)
def test_an_empty_family_has_no_adjusted_p(method):
    assert adjusted([], method) == []


@given(p_values)
def test_holm_lies_between_the_p_value_and_bonferroni_and_keeps_the_order(p):
    found = adjusted(p, "holm")
    assert all(
        raw <= one <= min(len(p) * raw, 1) + 1e-15 or one == max(found) for raw, one in zip(p, found, strict=True)
    )
    assert all(raw <= one <= 1 for raw, one in zip(p, found, strict=True))
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [found[i] for i in order] == sorted(found)


def test_no_adjusted_p_is_below_its_own_by_rounding():
    # 3 times 5/21 is rounded, and over 3 again is less than 5/21.
    assert adjusted([5 / 21] * 3, "bh") == [5 / 21] * 3


@given(p_values, st.randoms())
def test_the_order_of_a_family_changes_nothing(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    for method in ("holm", "bh"):
        assert adjusted([p[i] for i in order], method) == [adjusted(p, method)[i] for i in order]


def test_max_t_by_hand():
    # Both have root mean square 2, so they are on one scale. |observed| is 4 and 2.
    first = np.array([4.0, 0.0, 0.0, 0.0])
    second = np.array([2.0, 2.0, 2.0, -2.0])
    # Step 1: max(|4|, |2|) >= 4 in row 0 alone: 1/4. Step 2: the second alone is >= 2 in all rows: 4/4.
    assert max_t([first, second], [0.0, 0.0]) == [0.25, 1.0]
    assert max_t([second, first], [0.0, 0.0]) == [1.0, 0.25]


def test_max_t_of_one_comparison_is_its_p_value_and_copies_of_it_cost_nothing():
    draws = np.array([1.5, *np.random.default_rng(0).normal(size=99)])
    p = float((np.abs(draws) >= 1.5).mean())
    assert max_t([draws], [0.0]) == [p]
    assert max_t([draws, draws * 7, -draws], [0.0] * 3) == [p] * 3


def test_max_t_is_never_above_holm_on_independent_comparisons_by_more_than_chance():
    # Independent: the single-step maximum has 1 - (1 - p)^m, below Bonferroni's m p.
    draws = np.random.default_rng(1).normal(size=(3, 20_000))
    draws[:, 0] = (2.5, 0.3, 0.1)
    found = max_t(list(draws), [0.0] * 3)
    p = float((np.abs(draws[0]) >= 2.5).mean())
    assert found[0] == pytest.approx(1 - (1 - p) ** 3, abs=0.006)


def test_a_permutation_that_falls_short_by_rounding_alone_is_as_extreme_as_the_observed_one():
    # Two of three rows reach 0.3, the second but for 1e-12, which the slack of 1e-9 makes up for.
    assert max_t([np.array([0.3, 0.3 - 1e-12, 0.1])], [1e-9]) == [2 / 3]


def test_undefined_permutations_leave_the_scale_of_a_comparison_as_it_is():
    # Root mean squares sqrt(3.25 / 4) = 0.901 of four defined rows and sqrt(9 / 6) = 1.225 of six: in these units the
    # first comparison has 0.55 and three times 1.11, the second 1.63. Two undefined rows and its own are as extreme as
    # 1.63, and all six as 0.55. Scales that grew with the number of rows would put 1.11 above it.
    first = np.array([0.5, 1.0, 1.0, 1.0, np.nan, np.nan])
    assert max_t([first, np.array([2.0, 1.0, 1.0, 1.0, 1.0, 1.0])], [0.0, 0.0]) == [1.0, 3 / 6]


def test_each_comparison_has_a_slack():
    with pytest.raises(ValueError, match="shorter"):
        max_t([np.array([0.3, 0.1]), np.array([0.2, 0.1])], [0.0])


def test_an_undefined_permutation_counts_as_extreme_and_nothing_divides_by_zero():
    assert max_t([np.array([1.0, np.nan, 0.0, 0.0])], [0.0]) == [0.5]
    assert max_t([np.zeros(4)], [0.0]) == [1.0]
    assert max_t([], []) == []
