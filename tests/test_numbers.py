"""The one rounding path, against hand arithmetic and against decimal itself."""

from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.numbers import (
    MINUS,
    count,
    fixed,
    in_spreadsheet,
    interval,
    p_value,
    percent,
    share,
    significant,
    within,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("value", "decimals", "printed"),
    [
        (0.946, 3, "0.946"),
        (0.9465, 3, "0.946"),  # half-even: the 6 before the 5 is even
        (0.9475, 3, "0.948"),
        (0.0125, 2, "0.01"),  # 1.25 hundredths is not a tie
        (0.125, 2, "0.12"),
        (2.675, 2, "2.68"),  # the binary number lies below 2.675; its shortest text does not
        (1.0, 3, "1.000"),
        (2.5, 0, "2"),
        (3.5, 0, "4"),
        (1234567.891, 1, "1,234,567.9"),
        (-0.0126, 3, "−0.013"),
        (1e-7, 3, "0.000"),
        (1e22, 0, "10,000,000,000,000,000,000,000"),
    ],
)
def test_a_number_is_rounded_half_even_on_its_shortest_text(value: float, decimals: int, printed: str) -> None:
    assert fixed(value, decimals) == printed


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("value", [-0.0004, -0.0, 0.0, 0.0004])
def test_a_value_that_rounds_to_nothing_shows_no_sign(value: float, *, signed: bool) -> None:
    assert fixed(value, 3, signed=signed) == "0.000"


def test_a_difference_shows_its_plus_and_a_true_minus_sign() -> None:
    assert fixed(0.0105, 3, signed=True) == "+0.010"
    assert fixed(-0.25, 2, signed=True) == f"{MINUS}0.25"
    assert MINUS == "\u2212"


@pytest.mark.parametrize(
    ("value", "decimals", "ends", "printed"),
    [
        (0.9996, 3, (0.0, 1.0), ">0.999"),
        (1.0, 3, (0.0, 1.0), "1.000"),
        (1 - 1e-15, 3, (0.0, 1.0), "1.000"),  # the last bits of a sum of ones
        (0.9994, 3, (0.0, 1.0), "0.999"),
        (0.0004, 3, (0.0, 1.0), "<0.001"),
        (0.0005, 3, (0.0, 1.0), "<0.001"),  # half-even: it would print 0.000
        (0.0006, 3, (0.0, 1.0), "0.001"),
        (0.0, 3, (0.0, 1.0), "0.000"),
        (-0.9997, 3, (-1.0, 1.0), f"<{MINUS}0.999"),
        (0.0004, 3, (-1.0, 1.0), "0.000"),  # nothing is said of a sign that the digits do not show
        (0.9996, 3, (None, None), "1.000"),  # a slope may be above 1
        (0.249996, 4, (0.0, 0.25), ">0.2499"),
        (0.3, 0, (0.0, None), "<1"),
        (0.03, 1, (0.0, 1000.0), "<0.1"),
    ],
)
def test_the_end_of_a_range_is_printed_only_by_what_is_there(
    value: float, decimals: int, ends: tuple[float | None, float | None], printed: str
) -> None:
    assert within(value, decimals, ends) == printed


def test_the_bounds_of_an_interval_keep_off_the_ends_as_values_do() -> None:
    assert interval(0.99, 0.9999, 3, (0.0, 1.0)) == "[0.990, >0.999]"
    assert interval(0.0, 1.0, 3, (0.0, 1.0)) == "[0.000, 1.000]"


@pytest.mark.parametrize(
    ("part", "decimals", "printed"),
    [
        (0.9996, 1, ">99.9"),
        (1.0, 1, "100.0"),
        (0.0004, 1, "<0.1"),
        (0.0, 1, "0.0"),
        (0.521, 1, "52.1"),
        (0.996, 0, ">99"),
    ],
)
def test_a_share_is_all_or_none_only_where_it_is(part: float, decimals: int, printed: str) -> None:
    assert share(part, decimals) == printed


@given(st.floats(0.0, 1.0), st.integers(1, 6))
def test_within_a_range_a_number_prints_as_anywhere(value: float, decimals: int) -> None:
    printed = within(value, decimals, (0.0, 1.0))
    if printed[0] not in "<>":
        assert printed == fixed(value, decimals)
    else:
        assert fixed(value, decimals) in {fixed(0.0, decimals), fixed(1.0, decimals)}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_what_is_no_number_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="cannot be printed as a number"):
        fixed(value, 3)


def test_a_negative_count_of_decimals_is_refused() -> None:
    with pytest.raises(ValueError, match="-1 decimals"):
        fixed(1.0, -1)


def test_a_numpy_number_prints_like_the_python_number() -> None:
    assert fixed(np.float64(0.9475), 3) == "0.948"
    assert count(np.int64(14770)) == "14,770"


@given(FINITE, st.integers(0, 12))
def test_a_printed_number_reads_back_as_the_number_that_decimal_rounds_to(value: float, decimals: int) -> None:
    with localcontext() as context:
        context.prec = 400
        expected = Decimal(repr(value)).quantize(Decimal(10) ** -decimals, rounding=ROUND_HALF_EVEN)
        printed = fixed(value, decimals)
        assert Decimal(printed.replace(",", "").replace(MINUS, "-")) == expected


@given(FINITE, st.integers(0, 12))
def test_a_printed_number_has_the_decimals_asked_for(value: float, decimals: int) -> None:
    assert len(fixed(value, decimals).partition(".")[2]) == decimals


@given(FINITE)
def test_a_number_without_its_sign_prints_the_same_digits(value: float) -> None:
    assert fixed(-value, 4).lstrip(MINUS) == fixed(value, 4).lstrip(MINUS)


def test_an_interval_is_two_bounds_in_brackets() -> None:
    assert interval(0.88849, 0.9061, 3) == "[0.888, 0.906]"
    assert interval(-0.0201, 0.01, 2) == "[−0.02, 0.01]"


def test_an_interval_out_of_order_is_refused() -> None:
    with pytest.raises(ValueError, match="lies above"):
        interval(0.9, 0.8, 3)


@pytest.mark.parametrize(
    ("value", "decimals", "printed"),
    [
        (0.05, 1, "5.0"),
        (0.0285, 2, "2.85"),
        (0.285, 0, "28"),  # 28.5 is a tie; in binary 0.285 * 100 is 28.499999999999996
        (0.575, 0, "58"),  # in binary 57.49999999999999, which rounds to 57
        (1.0, 1, "100.0"),
        (0.00096, 1, "0.1"),
        (-0.00004, 1, "0.0"),
    ],
)
def test_a_percentage_is_multiplied_in_decimal_arithmetic(value: float, decimals: int, printed: str) -> None:
    assert percent(value, decimals) == printed


def test_a_percentage_can_show_its_plus() -> None:
    assert percent(0.1195, 1, signed=True) == "+12.0"  # 11.95 is a tie, and 12.0 ends even


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.000123, 2, "0.00012"),
        (1234.5, 2, "1,200"),
        (9.96, 2, "10"),
        (99.96, 3, "100"),
        (0.0999, 2, "0.10"),
        (0.5, 3, "0.500"),
        (-0.25, 1, "−0.2"),
        (0.0, 3, "0"),
        (5e-324, 1, f"0.{'0' * 323}5"),
    ],
)
def test_significant_digits_are_counted_after_rounding(value: float, digits: int, printed: str) -> None:
    assert significant(value, digits) == printed


def test_no_significant_digit_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one significant digit"):
        significant(1.0, 0)


# tableone 67 and 189, estout 32: p-values cut off, printed as 0.000, or on the wrong side of the level.
@pytest.mark.parametrize(
    ("p", "printed"),
    [
        (0.0116, "0.012"),
        (0.00004, "<0.001"),
        (0.00096, "<0.001"),
        (0.001, "0.001"),
        (0.9994, "0.999"),
        (0.9996, ">0.999"),
        (1.0, ">0.999"),
        (0.0495, "0.0495"),
        (0.04996, "0.04996"),
        (0.05, "0.050"),
        (0.0504, "0.050"),
        (0.0099999, "0.0099999"),
        (0.0, "<0.001"),
    ],
)
def test_a_p_value_is_never_zero_and_lies_on_its_own_side_of_each_level(p: float, printed: str) -> None:
    assert p_value(p) == printed


def test_a_level_below_the_last_decimal_is_kept_apart_too() -> None:
    assert p_value(0.0004, alphas=(0.05, 0.0001)) == "0.0004"
    assert p_value(0.00004, alphas=(0.05, 0.0001)) == "<0.0001"


@given(st.floats(0, 1), st.integers(1, 5))
def test_a_printed_p_value_is_below_a_level_exactly_when_the_p_value_is(p: float, decimals: int) -> None:
    printed = p_value(p, decimals=decimals)
    bound = Decimal(printed.lstrip("<>"))
    for alpha in ("0.05", "0.01", "0.001"):
        below = Decimal(repr(p)) < Decimal(alpha)
        if printed.startswith("<"):
            assert below
            assert bound <= Decimal(alpha)
        else:
            assert (bound < Decimal(alpha)) == below


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_a_p_value_outside_its_range_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match=r"lies in \[0, 1\]|cannot be printed"):
        p_value(p)


def test_a_p_value_needs_a_decimal_and_levels_inside_the_range() -> None:
    with pytest.raises(ValueError, match="at least one decimal"):
        p_value(0.5, decimals=0)
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        p_value(0.5, alphas=(0.0,))


def test_a_count_has_thousands_separators_and_refuses_fractions() -> None:
    assert count(14770) == "14,770"
    assert count(0) == "0"
    assert count(-1234) == "−1,234"
    with pytest.raises(TypeError):
        count(1.5)  # type: ignore[arg-type]  # the point of the test


@pytest.mark.parametrize(
    ("value", "printed", "held"),
    [
        (0.9461, "0.946", (0.9461, "0.000;−0.000;0.000")),
        (0.9465, "0.946", (0.9465, '"0.946"')),  # half-even here, away from zero there
        (0.0, "0.000", (0.0, "0.000;−0.000;0.000")),
        (-0.0004, "0.000", (-0.0004, '"0.000"')),
        (0.0105, "+1.05", (1.05, "+0.00;−0.00;0.00")),
        (0.285, "28.5", (28.5, "0.0;−0.0;0.0")),  # in binary 0.285 * 100 is 28.499999999999996
        (1234.56, "1,234.6", (1234.56, "#,##0.0;−#,##0.0;#,##0.0")),
        (0.5, 'a "b"', None),
        (0.5, "x" * 201, None),
        (0.5, "0.7", (0.5, '"0.7"')),  # not our rounding: shown as printed all the same
    ],
)
def test_a_spreadsheet_shows_a_number_as_it_is_printed(
    value: float, printed: str, held: tuple[float, str] | None
) -> None:
    assert in_spreadsheet(value, printed) == held


@given(st.floats(-1e9, 1e9), st.integers(0, 6))
def test_a_spreadsheet_that_rounds_either_way_at_ties_prints_our_digits(value: float, decimals: int) -> None:
    printed = fixed(value, decimals)
    shown = in_spreadsheet(value, printed)
    assert shown is not None
    if shown[1] != f'"{printed}"':
        for rounding in ("ROUND_HALF_UP", "ROUND_HALF_DOWN"):
            rounded = Decimal(repr(shown[0])).quantize(Decimal(1).scaleb(-decimals), rounding=rounding)
            assert rounded == Decimal(printed.replace(",", "").replace(MINUS, "-"))
