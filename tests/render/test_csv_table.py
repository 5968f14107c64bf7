import csv
import io

from reportgen.domain.presentation import Cell, Column, Row, RowGroup
from reportgen.render import csv_table
from tests.support.tables import HOSTILE, hostile, small


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_the_machine_form_holds_full_precision_bounds_and_status() -> None:
    assert read(csv_table.render(small())) == [
        ["group", "metric", "a", "a_lower", "a_upper", "a_status", "b", "b_lower", "b_upper", "b_status", "n"],
        ["First group", "AUROC", "0.9461", "0.939", "0.953", "ok", "", "", "", "not_applicable", "1477"],
        ["Second group", "Alert rate", "62.5", "60.1", "64.0", "ok", "", "", "", "not_applicable", "14770"],
        ["Second group", "None", "", "", "", "undefined", "", "", "", "not_applicable", "3"],
    ]


def test_the_display_form_holds_the_printed_strings() -> None:
    assert read(csv_table.render_display(small())) == [
        ["Group", "Metric", "Systems: A", "Systems: B (per 1,000)", "n"],
        ["First group", "AUROC", "0.946 [0.939, 0.953] (best)", "n/a", "1,477"],
        ["Second group", "Alert rate", "62.5 [60.1, 64.0] (second best)", "n/a", "14,770"],
        ["Second group", "None", "—", "n/a", "3"],
    ]


def test_the_machine_form_holds_every_text_exactly_but_for_an_apostrophe_before_a_formula() -> None:
    shown = [line[1] for line in read(csv_table.render(hostile()))[1:]]
    assert [text.removeprefix("'") for text in shown] == list(HOSTILE)
    assert [text for text in shown if text.startswith("'")] == ["'=1+1", "'-1+1", "'@sum"]


def test_a_spreadsheet_runs_no_text_of_the_display_form() -> None:
    rows = read(csv_table.render_display(hostile()))
    texts = {field for line in rows for at, field in enumerate(line) if at != 3}
    assert "'=1+1" in texts
    assert not any(field.startswith(("=", "+", "-", "@", "\t", "\r")) for field in texts)


def test_a_number_with_a_sign_is_left_alone_in_both_forms() -> None:
    row = Row((Cell("x"), Cell("+0.012", value=-0.0)))
    columns = (Column("name", "=name", "stub"), Column("d", "Difference", "number"))
    table = small(columns=columns, groups=(RowGroup("", (row,)),), spanners=())
    assert read(csv_table.render_display(table)) == [["'=name", "Difference"], ["x", "+0.012"]]
    assert read(csv_table.render(table)) == [["name", "d"], ["x", "0.0"]]


def test_a_number_with_a_sign_and_its_interval_is_a_text_in_the_display_form() -> None:
    rows = tuple(
        Row((Cell("x"), Cell(text, detail="[7.18, 17.86]", value=0.125))) for text in ("+12.50", "12.50", "\u221212.50")
    )
    columns = (Column("name", "name", "stub"), Column("d", "Difference", "estimate"))
    table = small(columns=columns, groups=(RowGroup("", rows),), spanners=())
    shown = [line[1] for line in read(csv_table.render_display(table))[1:]]
    assert shown == ["'+12.50 [7.18, 17.86]", "12.50 [7.18, 17.86]", "\u221212.50 [7.18, 17.86]"]
    assert [line[1] for line in read(csv_table.render(table))[1:]] == ["0.125"] * 3


def test_text_that_utf8_cannot_hold_is_replaced_so_that_the_file_can_be_written() -> None:
    table = small(groups=(RowGroup("", (Row((Cell("\ud800"), Cell(), Cell(), Cell(value=True))),)),))
    assert read(csv_table.render(table))[1][0] == "?"
    assert read(csv_table.render(table))[1][-1] == "true"
