"""What the page's script is told."""

from __future__ import annotations

import json

from reportgen.domain.presentation import Detail
from reportgen.render.figure_places import HitArea
from reportgen.render.report_data import page_data
from tests.support.tables import small


def test_texts_stand_once_and_are_named_by_number() -> None:
    details = [Detail("m|a", "A", (("Definition", "Same."),)), Detail("m|b", "B", (("Definition", "Same."),))]
    data = page_data(details, {"f": (HitArea(1.5, 2.0, "Same.", "m|a"),), "empty": ()}, [])
    texts = json.loads(data["texts"])
    assert texts == ["A", "Definition", "Same.", "B", "m|a"]
    assert json.loads(data["details"]) == {"m|a": [0, 1, 2], "m|b": [3, 1, 2]}
    assert json.loads(data["places"]) == {"f": [[1.5, 2.0, 2, 4]]}


def test_a_table_is_there_in_each_format_as_its_file_would_be() -> None:
    from reportgen.render import csv_table, latex_table, markdown_table
    from reportgen.render.themes import base_theme

    (copies,) = json.loads(page_data([], {}, [small()])["copies"]).values()
    assert copies == {
        "latex": latex_table.render(small(), base_theme().text_area("article")),
        "csv": csv_table.render(small()),
        "md": markdown_table.render(small()),
    }


def test_no_text_ends_the_block_or_turns_the_writing() -> None:
    data = page_data([Detail("r", "</script><!--\u2028\u202e", ())], {}, [])
    assert "<" not in data["texts"]
    assert "\u2028" not in data["texts"]
    assert json.loads(data["texts"]) == ["</script><!--\u2028[U+202E]"]
