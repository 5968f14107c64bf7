"""Numbers as people print them, and the values that round to them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import numbers
from reportgen.manuscripts.printed_numbers import parse_cell, parse_number


def bounds(text: str) -> tuple[Fraction, Fraction]:
    number = parse_number(text)
    assert number is not None
    return number.lower, number.upper


@pytest.mark.parametrize(
    ("text", "lower", "upper"),
    [
        ("0.812", "0.8115", "0.8125"),
        (".81", "0.805", "0.815"),
        ("\u22120.40", "-0.405", "-0.395"),
        ("+10.48%", "10.475", "10.485"),
        ("1,279", "1278.5", "1279.5"),
        ("14\u202f770", "14769.5", "14770.5"),
        (r"14\,770", "14769.5", "14770.5"),
        ("1.5e-3", "0.00145", "0.00155"),
        ("$0.5$", "0.45", "0.55"),
        (">0.999", "0.999", "1"),
        ("< 0.001", "0", "0.001"),
        ("<\u22120.999", "-1", "-0.999"),
    ],
)
def test_a_printed_number_stands_for_what_rounds_to_it(text, lower, upper):
    assert bounds(text) == (Fraction(lower), Fraction(upper))


@pytest.mark.parametrize("text", ["0,812", "1,2", "—", "n/a", "3/4", "0.8-0.9", "1.2.3", "", "%", "nan", "inf", "A.1"])
def test_what_is_no_number_or_may_be_two_is_none(text):
    assert parse_number(text) is None


def test_percent_is_said_and_not_divided():
    number = parse_number("94.7%")
    assert number is not None
    assert (number.value, number.percent, number.decimals) == (Fraction("94.7"), True, 1)
    assert number.scaled(Fraction(1, 100)).lower == Fraction("0.9465")


def test_a_number_of_full_precision_has_room_for_its_last_digits():
    number = parse_number("0.8971664916892165")
    assert number is not None
    assert number.half == Fraction(1, 10**9)


@pytest.mark.parametrize(
    ("text", "value", "spread", "kind", "interval"),
    [
        ("0.947 [0.939, 0.954]", "0.947", None, "", ("0.939", "0.954")),
        ("0.947 (0.939–0.954)", "0.947", None, "", ("0.939", "0.954")),
        ("0.897 ± 0.011 (95% CI: [0.888, 0.906])", "0.897", "0.011", "±", ("0.888", "0.906")),
        ("0.82 (0.03)", "0.82", "0.03", "", None),
        ("0.82 (SD 0.03)", "0.82", "0.03", "sd", None),
        ("0.82 +/- 0.03", "0.82", "0.03", "±", None),
        ("82.1 %", "82.1 %", None, "", None),
        ("0.772* [0.759, 0.784]", "0.772", None, "", ("0.759", "0.784")),
        ("0.944 (second best) [0.935, 0.953]", "0.944", None, "", ("0.935", "0.953")),
        ("+5.0 pp", "+5.0", None, "", None),
        ("+10.9% ✅", "+10.9%", None, "", None),
        (">0.999 [0.991, >0.999]", ">0.999", None, "", ("0.991", ">0.999")),
    ],
)
def test_a_cell_says_value_spread_and_interval(text, value, spread, kind, interval):
    found = parse_cell(text)
    assert found is not None
    assert found.value is not None
    assert found.value.text == value
    assert (found.spread.text if found.spread else None) == spread
    assert found.spread_sign == kind
    assert ((found.lower.text, found.upper.text) if found.lower and found.upper else None) == interval


def test_an_interval_may_stand_alone():
    found = parse_cell("[0.7099, 0.7757]")
    assert found is not None
    assert found.value is None
    assert found.lower is not None
    assert found.lower.text == "0.7099"


@pytest.mark.parametrize("text", ["0.82 → 0.85", "about 0.8", "A.1", "0.8 or 0.9", "x" * 200])
def test_a_cell_with_anything_else_says_nothing(text):
    assert parse_cell(text) is None


@given(st.floats(-1e6, 1e6), st.integers(0, 8))
def test_what_the_product_prints_stands_for_the_value_behind_it(value, decimals):
    number = parse_number(numbers.fixed(value, decimals))
    assert number is not None
    assert number.lower <= Fraction(repr(value)) <= number.upper


@given(st.text(max_size=200))
def test_no_text_makes_the_readers_of_numbers_fail(text):
    parse_number(text)
    parse_cell(text)
