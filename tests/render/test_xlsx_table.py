"""Workbooks, read back with another library. XlsxWriter 150 and 30, libxlsxwriter 122 and 223, and pandas, which
writes ``=1+1`` as a formula and other bytes each time."""

import io
import re
import zipfile

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.errors import RenderError
from reportgen.render.xlsx_table import render, render_workbook, sheet_names
from tests.support.tables import HOSTILE, hostile, small


def opened(table: Table) -> Worksheet:
    [sheet] = load_workbook(io.BytesIO(render(table))).worksheets
    return sheet


def values(sheet: Worksheet) -> list[list[object]]:
    return [list(row) for row in sheet.iter_rows(values_only=True)]


def one(cell: Cell, role: str = "number", suffixes: tuple[str, ...] = ()) -> Worksheet:
    """The sheet of a table with one row and one column beside its stub."""
    columns = (Column("m", "M", "stub"), Column("v", "V", role, suffixes=suffixes))  # type: ignore[arg-type]
    return opened(Table("one", "One", "c", columns, (RowGroup("", (Row((Cell("x"), cell)),)),)))


def test_a_sheet_is_title_caption_heads_rows_and_notes() -> None:
    rows = values(opened(small()))
    assert {len(row) for row in rows} == {10}
    assert [[value for value in row if value is not None] for row in rows] == [
        ["Small table"],
        ["One message. The mean ȳ of synthetic data."],
        [],
        [
            "Group", "Metric", "Systems: A", "Systems: A, lower bound", "Systems: A, upper bound", "Systems: A, status",
            "Systems: B (per 1,000)", "Systems: B (per 1,000), status", "n", "Notes",
        ],
        ["First group", "AUROC", 0.9461, 0.939, 0.953, "not applicable", 1477],
        ["Second group", "Alert rate", 62.5, 60.1, 64, "not applicable", 14770],
        ["Second group", "None", "undefined", "not applicable", 3, "a"],
        [],
        ["a  —: one class only."],
        ["Brackets hold 95 % intervals."],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "printed", "held", "number_format"),
    [
        (0.9461, "0.946", 0.9461, "0.000;−0.000;0.000"),
        (0.9465, "0.946", 0.9465, '"0.946"'),  # a tie: a spreadsheet would print 0.947
        (-0.012, "−0.012", -0.012, "0.000;−0.000;0.000"),
        (0.0105, "+1.05", 1.05, "+0.00;−0.00;0.00"),  # points
        (-0.0004, "0.000", -0.0004, '"0.000"'),  # a spreadsheet would print −0.000
        (0.00004, "<0.001", 0.00004, '"<0.001"'),
        (14770, "14,770", 14770, "#,##0;−#,##0;#,##0"),
        (2.5, "2", 2.5, '"2"'),
    ],
)
def test_a_number_stays_a_number_and_shows_its_printed_text(
    value: float, printed: str, held: float, number_format: str
) -> None:
    cell = one(Cell(printed, value=value))["B5"]
    assert (cell.data_type, cell.value, cell.number_format) == ("n", held, number_format)


def test_bounds_show_the_printed_interval_and_other_machine_values_the_decimals_of_the_number() -> None:
    extra = (("lower", 0.93851), ("upper", 0.9535), ("sd", 0.0121))
    cell = Cell("0.946", "[0.939, 0.953]", 0.9461, extra=extra)
    sheet = one(cell, "estimate", ("lower", "upper", "sd"))
    assert [sheet.cell(4, at).value for at in range(2, 6)] == ["V", "V, lower bound", "V, upper bound", "V, SD"]
    assert [sheet.cell(5, at).number_format for at in range(2, 6)] == [
        "0.000;−0.000;0.000", "0.000;−0.000;0.000", '"0.953"', "0.000",
    ]  # fmt: skip
    assert [sheet.cell(5, at).value for at in range(2, 6)] == [0.9461, 0.93851, 0.9535, 0.0121]


def test_what_is_printed_in_points_is_held_in_points_and_its_p_value_as_it_is() -> None:
    extra = (("lower", -0.00403), ("upper", 0.01516), ("p", 0.2496))
    sheet = one(Cell("+0.57", "[−0.40, 1.52]", 0.0057, extra=extra), "estimate", ("lower", "upper", "p"))
    assert [sheet.cell(5, at).value for at in range(2, 6)] == [0.57, -0.403, 1.516, 0.2496]
    assert sheet["E5"].number_format == "General"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None])
def test_a_number_without_a_value_is_an_empty_cell_with_its_status(value: float | None) -> None:
    sheet = one(Cell("—", value=value, status="undefined"))
    assert (sheet["B5"].value, sheet["C4"].value, sheet["C5"].value) == (None, "V, status", "undefined")


def test_text_is_never_a_formula_or_a_link() -> None:
    sheet = opened(hostile())
    texts = [cell for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert {cell.data_type for cell in texts} == {"s"}
    assert all(cell.hyperlink is None for cell in texts)
    assert set(HOSTILE) <= {cell.value for cell in texts}
    parts = zipfile.ZipFile(io.BytesIO(render(hostile()))).namelist()
    assert not [name for name in parts if "rels" in name and "sheet" in name]


def test_what_acts_unseen_is_shown() -> None:
    assert one(Cell("a\u202eb\x00c\ud800"), "text")["B5"].value == "a[U+202E]b\ufffdc\ufffd"


@pytest.mark.parametrize(
    ("titles", "names"),
    [
        (["Per-fold: all queries (positives_only) [v2]"], ["Per-fold all queries (positives"]),
        (["a/b\\c*d?e"], ["a b c d e"]),
        (["'quoted'"], ["quoted"]),
        (["", "[]"], ["Table", "Table 2"]),
        (["History"], ["History 2"]),
        (["A" * 40, "a" * 40], ["A" * 31, f"{'a' * 29} 2"]),
        (["🎉" * 20], ["🎉" * 15]),  # an emoji counts twice
    ],
)
def test_sheets_have_names_that_spreadsheets_take(titles: list[str], names: list[str]) -> None:
    assert list(sheet_names(titles)) == names


def test_all_tables_stand_in_one_workbook_a_sheet_each() -> None:
    book = load_workbook(io.BytesIO(render_workbook((small(), hostile(), small()))))
    assert book.sheetnames == ["Small table", sheet_names([hostile().title])[0], "Small table 2"]
    assert load_workbook(io.BytesIO(render_workbook(()))).sheetnames == ["No tables"]


def test_a_workbook_has_the_same_bytes_each_time_and_no_clock() -> None:
    first, second = render(small()), render(small())
    assert first == second
    with zipfile.ZipFile(io.BytesIO(first)) as parts:
        assert {info.date_time for info in parts.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        core = parts.read("docProps/core.xml").decode()
    assert set(re.findall(r"\d{4}-\d\d-\d\dT[\d:]+Z", core)) == {"1980-01-01T00:00:00Z"}


def test_a_text_that_no_cell_can_hold_is_an_error_that_names_the_table() -> None:
    with pytest.raises(RenderError, match="RG551 table one: a text is longer than a cell"):
        one(Cell("x" * 32_768), "text")
