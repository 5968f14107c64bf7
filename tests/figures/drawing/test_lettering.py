"""Text in figures: nothing vanishes, everything fits."""

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.figures.drawing.lettering import (
    MissingGlyphWarning,
    key_columns,
    legible,
    legible_words,
    text_width,
    wrapped,
)
from reportgen.figures.drawing.style import drawing_style
from reportgen.styles import load_tokens

TOKENS = load_tokens()


@pytest.fixture(autouse=True)
def _styled():
    with drawing_style(TOKENS):
        yield


@pytest.mark.parametrize("text", ["plain", "Δ ≥ −0.5 ± β → “x” – naïve", "a_b & 50% {x} $1$", "Ελληνικά", "Кириллица"])
def test_text_that_the_fonts_have_is_left_alone_without_warning(text):
    assert legible(text, TOKENS) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\U000f1234\U000f1235 gate", "[U+F1234][U+F1235] gate"),
        ("run \U000ffffd", "run [U+FFFFD]"),
        ("abc\u202edef", "abc[U+202E]def"),
        ("a\x00b", "a[U+0000]b"),
    ],
)
def test_a_character_that_cannot_be_shown_is_replaced_by_its_code_point_with_a_warning(text, shown):
    with pytest.warns(MissingGlyphWarning, match=r"U\+"):
        assert legible(text, TOKENS) == shown


def test_line_breaks_and_tabs_are_spaces():
    assert legible("a\r\nb\tc\u2028d", TOKENS) == "a b c d"


def test_a_long_name_keeps_its_beginning_and_its_end():
    shown = legible("begin " + "x" * 200 + " end", TOKENS)
    assert len(shown) == 90
    assert shown.startswith("begin x")
    assert shown.endswith("x end")
    assert "…" in shown


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_whatever_the_text_the_result_needs_no_further_replacement(text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingGlyphWarning)
        once = legible(text, TOKENS)
    assert legible(once, TOKENS) == once


def test_figures_are_tabular_so_that_numbers_align():
    assert {round(text_width(digit * 10, 10, TOKENS), 3) for digit in "0123456789"} == {50.0}


def test_text_that_fits_stays_on_one_line():
    assert wrapped("short name", 100, 8, TOKENS) == "short name"


def test_text_breaks_at_spaces_and_no_line_is_too_wide():
    lines = wrapped("a name of eighty characters which must be whole", 60, 8, TOKENS).split("\n")
    assert " ".join(lines) == "a name of eighty characters which must be whole"
    assert max(text_width(line, 8, TOKENS) for line in lines) <= 60


def test_text_without_spaces_breaks_after_an_underscore_and_loses_nothing():
    name = "retriever_reranker_gate_calibrated_seed_17"
    lines = wrapped(name, 70, 8, TOKENS).split("\n")
    assert "".join(lines) == name
    assert all(line.endswith("_") for line in lines[:-1])


def test_a_word_without_any_place_to_break_is_cut_anywhere():
    lines = wrapped("x" * 50, 40, 8, TOKENS).split("\n")
    assert "".join(lines) == "x" * 50
    assert max(text_width(line, 8, TOKENS) for line in lines) <= 40


def test_a_width_that_holds_not_even_a_letter_gives_one_letter_per_line():
    assert wrapped("abc", 0.1, 8, TOKENS) == "a\nb\nc"


def test_a_key_has_as_many_columns_as_its_widest_name_leaves_room_for():
    wide = text_width("a longer name", 7.5, TOKENS)
    # Two entries of the widest name and its mark fit beside the mark of one more, three do not.
    names, columns = key_columns(["short", "a longer name", "another"], 2 * (wide + 27) + 27.5, 27.0, 7.5, TOKENS)
    assert (names, columns) == (("short", "a longer name", "another"), 2)
    assert key_columns(["short", "a longer name"], 2 * (wide + 27) + 26.5, 27.0, 7.5, TOKENS)[1] == 1


def test_a_name_wider_than_the_key_breaks_and_stands_alone():
    names, columns = key_columns(["a name of many words", "b"], 80.0, 27.0, 7.5, TOKENS)
    assert "\n" in names[0]
    assert columns == 1


def test_a_line_of_ours_keeps_its_length_and_the_words_of_the_data_in_it_are_legible():
    line = " ".join(["nineteen characters"] * 6)
    assert legible_words(line, TOKENS) == line
    with pytest.warns(MissingGlyphWarning, match=r"U\+F1234"):
        assert legible_words(f"{line} \U000f1234", TOKENS) == f"{line} [U+F1234]"
    assert len(legible_words("x" * 200, TOKENS)) == 90
