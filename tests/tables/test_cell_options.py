"""What stands in cells as options of a table say; values by hand: nDCG@10 of s0 is 0.73 [0.71, 0.75], of s1 0.74."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import openpyxl
import pytest

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table, plain
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.manuscripts.readers import read
from reportgen.manuscripts.tracing import trace
from reportgen.render import csv_table, html_table, latex_table, markdown_table, report_docx, xlsx_table
from reportgen.render.themes import base_theme
from reportgen.tables import build_tables, with_options
from reportgen.tables._marks import marked_again
from tests.support.results import make_results

RESULTS = make_results(3, n_folds=1)
NAME = "main-results-compact"
METRICS = ("ndcg@10", "auroc", "alert_rate")


def shaped(results: Results = RESULTS, name: str = NAME, **given: Any) -> Table:
    [table] = build_tables(with_options(results, [name], given), [name])
    return table


def row(table: Table, metric: str = "nDCG@10") -> list[Cell]:
    return next(list(one.cells) for one in table.rows if plain(one.cells[0].text).startswith(metric))


def printed(cells: list[Cell]) -> list[str]:
    return [f"{plain(cell.text)} {cell.detail}".strip().replace("\u00a0", " ") for cell in cells]


def notes(table: Table) -> list[str]:
    return [f"{note.key} {plain(note.text)}".strip().replace("\u00a0", " ") for note in table.notes]


def with_value(value: float, display: str) -> Results:
    """The results with another nDCG@10 of the first system."""
    records = tuple(
        msgspec.structs.replace(
            one, value=value, intervals=(), display=msgspec.structs.replace(one.display, value=display, interval="")
        )
        if (one.metric, one.system, one.subset) == ("ndcg@10", "s0", "positives_only")
        else one
        for one in RESULTS.results
    )
    return msgspec.structs.replace(RESULTS, results=records)


@pytest.mark.parametrize(
    ("value", "display", "given", "expected"),
    [
        (0.9346, "0.935", {"decimals": 2}, "0.93"),  # 0.935 would be 0.94
        (0.9346, "0.935", {"decimals": 4}, "0.9346"),
        (0.9346, "0.935", {"percent": True}, "93.5"),
        (0.9346, "0.935", {"percent": True, "decimals": 0}, "93"),
        (0.9346, "0.935", {"percent": True, "decimals_of": {"ndcg@10": 2}, "decimals": 0}, "93.46"),
        (0.9346, "0.935", {"percent": True, "unit": "cell"}, "93.5 %"),
        (0.99996, ">0.999", {"decimals": 2}, ">0.99"),
        (0.99996, ">0.999", {"percent": True}, ">99.9"),
        (1.0, "1.000", {"percent": True}, "100.0"),
    ],
)
def test_a_value_is_rounded_once_from_full_precision(
    value: float, display: str, given: dict[str, Any], expected: str
) -> None:
    table = shaped(with_value(value, display), **given)
    assert printed(row(table))[1] == expected
    assert row(table)[1].value == value


def test_percent_is_said_once_by_the_name_or_the_head_and_rates_stay_as_they_are() -> None:
    table = shaped(metrics=METRICS, percent=True)
    assert printed(row(table))[:2] == ["nDCG@10 ↑ (%)", "73.0 [71.0, 75.0]"]
    plain_table = shaped(metrics=METRICS)
    assert printed(row(table, "Alert rate")) == printed(row(plain_table, "Alert rate"))
    caption = plain(shaped(name="dual-protocol-compact", percent=True).caption).replace("\u00a0", " ")
    assert caption.startswith("nDCG@10 of Model 2 is 74.1 % on 20 queries with evidence and 14.8 % on all 100 queries.")
    wide = shaped(make_results(8, n_folds=1), metrics=("ndcg@10", "auroc"), percent=True)
    assert [(plain(column.head), column.unit) for column in wide.columns[1:]] == [
        ("nDCG@10\u00a0↑", "%"), ("AUROC\u00a0↑", "%"),
    ]  # fmt: skip


def test_decimals_are_those_of_differences_too() -> None:
    assert printed(list(shaped(name="comparisons-compact", decimals=1).rows[0].cells))[1] == "+1.0 [0.5, 1.5]"


def test_thousands_are_set_off_as_asked() -> None:
    large = with_value(0.73, "0.730")
    metrics = tuple(
        msgspec.structs.replace(one, range=(0.0, None)) if one.id == "ndcg@10" else one for one in large.metrics
    )
    records = tuple(
        msgspec.structs.replace(one, value=1234.5, display=msgspec.structs.replace(one.display, value="1,234.500"))
        if (one.metric, one.system, one.subset) == ("ndcg@10", "s0", "positives_only")
        else one
        for one in large.results
    )
    results = msgspec.structs.replace(large, metrics=metrics, results=records)
    for mark, expected in (("comma", "1,234.5"), ("space", "1\u202f234.5"), ("none", "1234.5")):
        assert plain(row(shaped(results, thousands=mark, decimals=1))[1].text) == expected


def test_intervals_that_are_asked_for_stay_at_any_number_of_systems() -> None:
    many = make_results(8, n_folds=1)
    assert printed(row(shaped(many)))[1] == "0.730"
    kept = shaped(many, intervals="brackets")
    assert printed(row(kept))[1] == "0.730 [0.710, 0.750]"
    assert not any("left out for width" in note for note in notes(kept))
    assert any("Brackets hold" in note for note in notes(kept))


def row_of_system(table: Table) -> list[str]:
    return printed(list(table.rows[0].cells))


def test_without_intervals_nothing_is_said_of_them() -> None:
    for form in ("none", "sd"):
        table = shaped(make_results(3), intervals=form)
        assert row(table)[1].detail == {"none": "", "sd": "±\u00a00.016"}[form]
        assert "[" not in plain(table.caption)
        assert not any(word in " ".join(notes(table)) for word in ("Brackets", "interval ", "esign effect"))


def test_the_best_of_each_group_is_marked_where_that_is_asked_for() -> None:
    heads = (Column("system", "System", "stub"), Column("a", "A", "estimate"), Column("b", "B", "estimate"))

    def cell(system: str) -> Cell:
        record = RESULTS.headline("auroc", system, "all_queries")
        assert record is not None
        return Cell(record.display.value, value=record.value, results=(record.id,))

    groups = tuple(RowGroup(system, (Row((Cell(system), cell(system), cell("s0"))),)) for system in ("s1", "s2"))
    both = {"best", "second"}

    def marks(*, within_groups: bool, spanners: tuple[Spanner, ...] = ()) -> list[list[str]]:
        marked = marked_again(heads, groups, spanners, RESULTS, both, within_groups=within_groups)  # type: ignore[arg-type]
        return [[one.mark for one in group.rows[0].cells] for group in marked]

    assert marks(within_groups=False) == [["", "second", ""], ["", "best", ""]]
    assert marks(within_groups=True) == [["", "best", ""], ["", "best", ""]]
    apart = (Spanner("A", ("a",)), Spanner("B", ("b",)))
    assert marks(within_groups=True, spanners=apart) == [["", "", ""], ["", "", ""]]


def test_marks_can_be_fewer_or_none() -> None:
    assert [cell.mark for cell in row(shaped(mark="best"))] == ["", "", "", "best"]
    none = shaped(mark="none")
    assert {cell.mark for one in none.rows for cell in one.cells} == {""}
    assert not any("*" in cell.notes for one in none.rows for cell in one.cells)
    assert not any(note.startswith(("*", "Bold")) for note in notes(none))
    with pytest.raises(RenderError, match="marks no best values"):
        shaped(name="comparisons-compact", mark="best")


TESTED = (
    "Differs from {}: adjusted p of at most 0.05. p: two-sided permutation within pages; Holm-adjusted for 2 "
    "comparisons. Not tested: AUROC and Alert rate."
)


def test_signs_follow_the_recorded_tests_and_each_note_names_its_test() -> None:
    table = shaped(metrics=METRICS, against=("s0", "s1"))
    assert [cell.notes for cell in row(table)[1:]] == [("‡",), ("†",), ("†", "‡")]
    assert notes(table)[-2:] == [f"† {TESTED.format('Baseline')}", f"‡ {TESTED.format('Candidate model')}"]
    starred = shaped(metrics=METRICS, against=("s0",), signs="stars")
    assert [cell.notes for cell in row(starred)[1:]] == [(), ("*",), ("*",)]  # adjusted p is 0.023


def test_letters_of_signs_go_before_those_of_footnotes() -> None:
    table = shaped(against=("s0", "s1"), signs="letters")
    assert [cell.notes for cell in row(table)[1:]] == [("b",), ("a",), ("a", "b")]
    absent = row(table, "Evidence recall")[1]
    assert [note for note in notes(table) if note[0] == absent.notes[0]] == ["c n/a: the system has no such component."]


def test_a_system_without_a_difference_is_named_with_its_sign() -> None:
    unshown = tuple(msgspec.structs.replace(one, verdict="not_shown") for one in RESULTS.comparisons)
    table = shaped(msgspec.structs.replace(RESULTS, comparisons=unshown), metrics=METRICS, against=("s1",))
    assert notes(table)[-1].startswith("† No value is shown to differ from Candidate model: adjusted p above 0.05.")
    assert [cell.notes for cell in row(table)[1:]] == [(), (), ()]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"against": ("s0", "s1"), "signs": "stars"}, "stars are for one system"),
        ({"against": ("s0",), "metrics": ("auroc",)}, "hold no test of its values against Baseline"),
        ({"against": ("s9",)}, "there is no system 's9'"),
        ({"decimals_of": {"ndgc@10": 1}}, "there is no metric 'ndgc@10'"),
        ({"systems": ("s0",), "changes": "points"}, "no value beside which a difference from Baseline could be"),
    ],
)
def test_what_a_table_cannot_show_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(RenderError, match=message):
        shaped(**given)


def test_differences_from_the_baseline_stand_beside_values_in_points_and_in_per_cent() -> None:
    table = shaped(metrics=METRICS, changes="both", systems=("s1",))
    assert [(plain(column.head).replace("\u00a0", " "), column.unit) for column in table.columns[1:]] == [
        ("Candidate model", ""), ("Δ Candidate model", ""), ("Δ Candidate model", "%"),
    ]  # fmt: skip
    # (0.74 - 0.73) / 0.73; the interval is that of the recorded comparison.
    assert printed(row(table))[2:] == ["+1.00 [0.50, 1.50]", "+1.37"]
    assert printed(row(table, "AUROC"))[2:] == ["+1.00", "+1.14"]  # not compared: 0.89 and 0.88
    assert notes(table)[-1] == (
        "Δ: difference from Baseline, of proportions in percentage points; with % relative to its value."
    )
    all_systems = shaped(metrics=METRICS, changes="points", decimals=1)
    assert [column.key for column in all_systems.columns] == [
        "metric", "value_s0", "value_s1", "value_s1_change", "value_s2", "value_s2_change",
    ]  # fmt: skip
    assert printed(row(all_systems))[3] == "+1.0 [0.5, 1.5]"
    wide = shaped(make_results(8, n_folds=1), metrics=("ndcg@10", "auroc"), changes="points")
    assert [column.key for column in wide.columns if "_change" in column.key] == [
        "value_ndcg@10_positives_only_change", "value_auroc_all_queries_change",
    ]  # fmt: skip
    assert row_of_system(wide)[2] == ""  # the baseline itself


def test_marks_and_signs_are_in_every_format() -> None:
    table = shaped(metrics=METRICS, percent=True, unit="cell", against=("s0",))
    latex = latex_table.render(table, base_theme().text_area())
    assert r"\textbf{74.1~\%}\rlap{\textsuperscript{\dag{}}}" in latex
    assert r"\underline{74.0~\%}\rlap{\textsuperscript{\dag{}}}" in latex
    assert "**74.1\u00a0%**<sup>†</sup>" in markdown_table.render(table)
    page = html_table.render(table)
    assert '<span class="mark-text"> (best)</span>' in page
    assert '†</a><span class="mark-text"> (differs from Baseline)</span>' in page
    assert "74.1\u00a0%† [72.1, 76.1] (best)" in csv_table.render_display(table)
    sheet = openpyxl.load_workbook(io.BytesIO(xlsx_table.render(table))).active
    cell, *_ = [
        cell for cells in sheet.iter_rows() for cell in cells if cell.font.b and cell.number_format.startswith("0.0")
    ]
    assert (cell.value, cell.number_format.split(";")[0]) == (pytest.approx(74.1), '0.0"\u00a0%"')
    assert "†" in [value for values in sheet.iter_rows(values_only=True) for value in values]
    with zipfile.ZipFile(io.BytesIO(report_docx.render_tables([table]))) as archive:
        assert "†" in archive.read("word/document.xml").decode()


@pytest.mark.parametrize("ending", ["md", "tex", "html"])
def test_numbers_in_another_form_are_traced_to_their_results(ending: str, tmp_path: Path) -> None:
    given = {"metrics": METRICS, "systems": ("s0", "s1"), "percent": True, "decimals": 1}
    table = shaped(**given, changes="both", against=("s0",))
    path = tmp_path / f"paper.{ending}"
    written = {
        "md": markdown_table.render(table),
        "tex": latex_table.render(table, base_theme().text_area()),
        "html": html_table.page(table),
    }
    path.write_text(written[ending], encoding="utf-8")
    found = {(one.text, one.verdict) for one in trace(read(path), RESULTS)}
    assert {verdict for _, verdict in found} == {"linked"}
    assert ("73.0", "linked") in {(text.split(" ")[0], verdict) for text, verdict in found}
