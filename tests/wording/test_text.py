from __future__ import annotations

import msgspec
import pytest

from reportgen.domain.presentation import Ref, Shown, plain
from reportgen.domain.record import Results
from reportgen.wording.heads import subset_size
from reportgen.wording.text import concat, enumeration, in_words, paragraph, share, with_interval
from tests.support.words import said


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((), ""),
        (("a",), "a"),
        (("a", "b"), "a and b"),
        (("a", "b", "c"), "a, b and c"),
        (("a, x", "b", "c"), "a, x; b; and c"),
        (("a, x", "b"), "a, x and b"),
    ],
)
def test_a_list_in_words_has_commas_and_one_and(items: tuple[str, ...], expected: str) -> None:
    assert plain(enumeration(items)) == expected


def test_neighbouring_strings_are_joined_and_references_stay_whole() -> None:
    assert concat("a", "", ("b", Ref("tab:x")), "c", "d") == ("ab", Ref("tab:x"), "cd")


def test_sentences_stand_one_space_apart_and_empty_ones_vanish() -> None:
    assert plain(paragraph(["One.", "", (), "Two."])) == "One. Two."


@pytest.mark.parametrize(("n", "expected"), [(0, "no"), (1, "one"), (12, "twelve"), (13, "13"), (1_000, "1,000")])
def test_numbers_up_to_twelve_are_words(n: int, expected: str) -> None:
    assert in_words(n) == expected


def test_a_share_is_a_percentage_that_no_line_end_parts_from_its_sign() -> None:
    # 521 / 1000 by hand.
    assert share(521, 1000) == "52.1\u00a0%"
    assert share(0, 0) == "—"


def test_a_value_with_its_interval_shows_the_display_strings_of_one_result(synthetic: Results) -> None:
    record = synthetic.headline("ndcg@10", "s0", "positives_only")
    assert record is not None
    assert with_interval(record) == (
        Shown("0.730", record.id), "\u00a0", Shown("[0.710, 0.750]", record.id),
    )  # fmt: skip
    bare = msgspec.structs.replace(record, display=msgspec.structs.replace(record.display, interval=""))
    assert with_interval(bare) == (Shown("0.730", record.id),)


def test_brackets_are_explained_once_with_their_level(synthetic: Results) -> None:
    assert said(synthetic, "intervals.brackets()") == "Brackets hold 95 % intervals."
    assert said(msgspec.structs.replace(synthetic, interval_settings=()), "intervals.brackets()") == ""


def test_a_subset_is_called_by_its_own_label(synthetic: Results) -> None:
    assert subset_size(synthetic, "positives_only") == "100 queries with evidence"
    assert subset_size(synthetic, "all_queries") == "500 queries"


def test_a_long_list_ends_with_how_many_more_there_are() -> None:
    assert plain(enumeration([*"abcdef"], at_most=6)) == "a, b, c, d, e and f"
    assert plain(enumeration([*"abcdefg"], at_most=6)) == "a, b, c, d, e and two more"
