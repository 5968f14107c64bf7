"""Names in letters that are written from right to left, apart from the words around them."""

from __future__ import annotations

import pytest

from reportgen.domain.directions import bare, isolated, pieces, turns


@pytest.mark.parametrize("name", ["מסווג", "a מסווג 2", "مصنف", "\ufb1d", "\U0001e900"])
def test_a_name_with_letters_from_right_to_left_is_isolated(name: str) -> None:
    assert turns(name)
    assert isolated(name) == f"\u2068{name}\u2069"
    assert bare(isolated(name)) == name


@pytest.mark.parametrize("name", ["", "Baseline", "Модель Λ 证据", "2.5"])
def test_a_name_from_left_to_right_stays_as_it_is(name: str) -> None:
    assert isolated(name) == name
    assert bare(name) == name


def test_marks_in_a_name_are_shown_and_so_cannot_leave_it() -> None:
    assert isolated("מ\u2069\u202eevil") == "\u2068מ[U+2069][U+202E]evil\u2069"


def test_a_text_is_cut_into_isolated_names_and_the_rest_whose_marks_are_shown() -> None:
    assert pieces("a \u2068מ 2\u2069, b\u202e\u2068") == [("a ", False), ("מ 2", True), (", b[U+202E][U+2068]", False)]
    assert bare("a \u2068מ\u2069") == "a \u2068מ\u2069"
