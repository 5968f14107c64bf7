"""HTML tables, read back with a real parser."""

from functools import cache

import pytest
from lxml import etree
from lxml import html as parser

from reportgen.domain.presentation import Cell, CellStatus, Column, Row, RowGroup, Table
from reportgen.render import html_table
from reportgen.tables import build_tables
from tests.support.results import make_results
from tests.support.tables import HOSTILE, hostile, small


@cache
def every_table() -> tuple[Table, ...]:
    """Tables made by hand, those with hostile names, and the widest."""
    made = (make_results(hostile=True), make_results(n_systems=5))
    return (small(), hostile(), *(table for results in made for table in build_tables(results)))


def parsed(table: Table) -> etree._Element:
    return parser.fragment_fromstring(html_table.render(table))


def test_every_head_has_a_scope_and_a_text() -> None:
    for table in every_table():
        heads = parsed(table).findall(".//th")
        assert heads, table.id
        for head in heads:
            assert head.get("scope") in {"col", "row", "colgroup", "rowgroup"}, table.id
            assert head.text_content().strip(), table.id


def test_ids_are_unique_and_every_note_mark_leads_to_its_note() -> None:
    for table in every_table():
        tree = parsed(table)
        ids = tree.xpath("//@id")
        assert len(set(ids)) == len(ids), table.id
        assert {href.removeprefix("#") for href in tree.xpath("//sup/a/@href")} <= set(ids), table.id


def test_every_row_is_as_wide_as_the_table() -> None:
    for table in every_table():
        for row in parsed(table).xpath(".//tbody/tr"):
            assert sum(int(cell.get("colspan", "1")) for cell in row) == len(table.columns), table.id


def test_text_is_shown_as_text_and_is_nothing_else() -> None:
    tree = parsed(hostile())
    assert not tree.xpath("//img | //script | //style")
    assert [cell.text_content() for cell in tree.xpath(".//tbody/tr/td[1]")] == list(HOSTILE)


def test_a_number_carries_its_result_and_its_mark_has_words() -> None:
    tree = parsed(small())
    [best] = tree.xpath('.//strong[@class="best"]')
    assert best.xpath("string(span/@data-result)") == "m|0.946|all|pooled"
    assert best.text_content() == "0.946"
    assert [mark.text for mark in tree.xpath('.//span[@class="mark-text"]')] == [" (best)", " (second best)"]


def test_decimal_points_are_brought_into_line_with_spaces_that_are_not_read_out() -> None:
    # 62.5 lacks two digits against 0.946, in the value and in each bound of [60.1, 64.0] against [0.939, 0.953] one.
    pads = parsed(small()).xpath('.//tr[th="Alert rate"]/td[1]//span[@class="pad"]')
    assert [pad.text for pad in pads] == ["\u2007\u2007", "\u2007\u2007"]
    assert {pad.get("aria-hidden") for pad in pads} == {"true"}


def test_a_cell_without_detail_keeps_its_place_beside_those_that_have_one() -> None:
    [pad] = parsed(small()).xpath('.//tr[th="None"]/td[1]//span[@class="detail"]/span')
    # Eight digits of [0.939, 0.953], and its two brackets, two points, a comma and a space.
    assert pad.text == "\u2008" * 6 + "\u2007" * 8


def test_a_column_without_a_head_gets_a_cell_and_no_empty_head() -> None:
    table = small(
        columns=(Column("name", "", "stub"), Column("x", "X", "number")),
        groups=(RowGroup("", (Row((Cell("a"), Cell("1"))),)),),
        spanners=(),
    )
    assert [cell.tag for cell in parsed(table).xpath(".//thead/tr/*")] == ["td", "th"]


def test_the_caption_holds_the_number_it_is_given_and_names_the_region() -> None:
    tree = parser.fragment_fromstring(html_table.render(small(), number="Table 3"))
    [caption] = tree.xpath(".//caption")
    assert caption.text_content() == "Table 3. One message. The mean ȳ of synthetic data."
    assert tree.xpath(".//div/@aria-labelledby") == [caption.get("id")]


def test_widths_are_classes_with_rules_and_share_out_the_line() -> None:
    columns = (Column("a", "A", "stub", width=3.0), Column("b", "B", "number"))
    table = small(columns=columns, groups=(), spanners=())
    assert [column.get("class") for column in parsed(table).xpath(".//col")] == ["role-stub w75", "role-number w25"]
    assert "col.w75{width:75%}" in html_table.width_rules().splitlines()
    assert " style=" not in html_table.render(table)


def test_columns_of_intervals_are_set_on_two_lines_where_one_has_no_room() -> None:
    def modifiers(columns: int) -> str | None:
        # Each column takes 22 characters, the value with its interval and 2 between, of the 112 of a line.
        keys = [f"c{n}" for n in range(columns)]
        rows = RowGroup("", (Row(tuple(Cell("0.946", "[0.939, 0.954]") for _ in keys)),))
        return parsed(Table("t", "T", "C.", tuple(Column(key, "H", "estimate") for key in keys), (rows,))).get("class")

    assert [modifiers(columns) for columns in (1, 2, 5, 6)] == ["table", *["table stackable"] * 2, "table stacked"]


@pytest.mark.parametrize(
    ("status", "classes"),
    [
        ("ok", "role-number"),
        ("undefined", "role-number undefined"),
        ("not_applicable", "role-number not-applicable"),
        ("missing", "role-number missing"),
    ],
)
def test_a_cell_without_a_value_has_a_class_that_says_why(status: CellStatus, classes: str) -> None:
    columns = (Column("m", "Metric", "stub"), Column("v", "Value", "number"))
    row = Row((Cell("AUROC"), Cell("0.5" if status == "ok" else "—", status=status)))
    tree = parsed(Table("t", "T", "C.", columns, (RowGroup("", (row,)),)))
    assert [cell.get("class") for cell in tree.xpath(".//tbody//td")] == [classes]
