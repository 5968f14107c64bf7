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


def test_a_table_is_there_as_its_latex_file_and_in_pieces() -> None:
    from reportgen.render import latex_table
    from reportgen.render.themes import base_theme

    (copies,) = json.loads(page_data([], {}, [small()])["copies"]).values()
    assert copies.keys() == {"whole", "latex", "csv", "md"}
    assert copies["whole"] == latex_table.render(small(), base_theme().text_area("article"))
    n = len(small().columns)
    for format in ("latex", "csv", "md"):
        assert len(copies[format]["heads"]) == n
        assert {len(cells) for _, rows in copies[format]["groups"] for cells in rows} == {n}


def test_the_better_ends_of_metrics_are_told_of_those_that_tables_show() -> None:
    shown = small().results[0].split("|")[0]
    data = page_data([], {}, [small()], {shown: "higher", "another": "lower"})
    assert json.loads(data["directions"]) == {shown: "higher"}


def test_no_text_ends_the_block_or_turns_the_writing() -> None:
    data = page_data([Detail("r", "</script><!--\u2028\u202e", ())], {}, [])
    assert "<" not in data["texts"]
    assert "\u2028" not in data["texts"]
    assert json.loads(data["texts"]) == ["</script><!--\u2028[U+202E]"]
