"""The forms of intervals, by hand: 0.73 [0.71, 0.75] with fold values 0.71 … 0.75, whose SD is 0.0158."""

from dataclasses import replace
from typing import get_args

import msgspec
import pytest

from reportgen.cli.options import INTERVAL_FORMS
from reportgen.domain.presentation import Brackets, Cell, Note, Spanner, Table, plain
from reportgen.domain.record import IntervalForm, Results
from reportgen.figures import build_figures
from reportgen.tables import build_tables, with_intervals
from reportgen.tables._interval_forms import in_form
from tests.support.results import make_results

RESULTS = make_results(2)


def compact(form: IntervalForm, results: Results = RESULTS) -> Table:
    [table] = build_tables(with_intervals(results, form), ["main-results-compact"])
    return table


def ndcg(table: Table) -> tuple[Cell, ...]:
    return next(row.cells for row in table.rows if plain(row.cells[0].text).startswith("nDCG@10"))


def notes(table: Table) -> str:
    return " ".join(plain(note.text) for note in table.notes)


def test_the_forms_of_the_command_line_are_those_that_exist() -> None:
    assert get_args(IntervalForm) == INTERVAL_FORMS


def test_brackets_are_the_form_that_tables_are_built_in() -> None:
    [built] = build_tables(RESULTS, ["main-results-compact"])
    assert compact("brackets") == built
    assert (ndcg(built)[1].text, ndcg(built)[1].detail) == ("0.730", "[0.710, 0.750]")


def test_two_lines_are_the_same_cells_stacked() -> None:
    assert compact("below") == replace(compact("brackets"), stacked=True)


@pytest.mark.parametrize(
    ("form", "detail"), [("sd", "±\u00a00.016"), ("sd-and-interval", "±\u00a00.016 (95% CI: [0.710, 0.750])")]
)
def test_an_sd_says_in_a_note_what_it_is_over_and_that_it_is_no_interval(form: IntervalForm, detail: str) -> None:
    table = compact(form)
    assert (ndcg(table)[1].text, ndcg(table)[1].detail) == ("0.730", detail)
    assert "± is the standard deviation of the values of 5 folds (divisor n − 1), and no interval." in notes(table)


def test_an_sd_is_beside_values_whose_intervals_are_left_out_for_width_and_no_interval_is() -> None:
    wide = make_results(6)
    with_sd, both = compact("sd", wide), compact("sd-and-interval", wide)
    assert ndcg(compact("brackets", wide))[1].detail == ndcg(both)[1].detail == ""
    assert (ndcg(with_sd)[1].text, ndcg(with_sd)[1].detail) == ("0.730", "±\u00a00.016")
    assert "± is the standard deviation of the values of 5 folds (divisor n − 1)" in notes(with_sd)
    # A table with a column of SDs does not print them twice.
    brackets, sd = (build_tables(with_intervals(wide, form), ["per-fold-compact"])[0] for form in ("brackets", "sd"))
    assert (sd.columns, sd.groups) == (brackets.columns, brackets.groups)


def test_a_questionable_divisor_is_called_so_where_the_sd_is_printed_and_nowhere_else() -> None:
    contract = msgspec.structs.replace(RESULTS.contract, questionable={"sd_ddof": "the folds are a sample"})
    results = msgspec.structs.replace(RESULTS, contract=contract)
    doubt = "(This choice is questionable: the folds are a sample.)"
    assert f"and no interval. {doubt}" in notes(compact("sd", results))
    assert doubt not in notes(compact("brackets", results))
    [per_fold] = build_tables(results, ["per-fold"])
    assert f"(ddof\u00a01). {doubt}" in plain(per_fold.caption)
    [drawn] = build_figures(results, ["per-fold"])
    assert doubt in plain(drawn.caption)


def test_a_value_without_an_sd_keeps_its_interval_and_the_note_says_so() -> None:
    records = tuple(
        msgspec.structs.replace(r, sd=(), display=msgspec.structs.replace(r.display, sd=""))
        if r.metric == "ndcg@10"
        else r
        for r in RESULTS.results
    )
    table = compact("sd", msgspec.structs.replace(RESULTS, results=records))
    assert ndcg(table)[1].detail == "[0.710, 0.750]"
    assert "A value without ± has no such standard deviation." in notes(table)
    assert "Brackets hold" in notes(table)


def test_a_run_without_folds_has_no_sd_and_keeps_its_intervals() -> None:
    single = make_results(n_folds=1)
    assert compact("sd", single) == compact("brackets", single)


def test_the_sentence_about_brackets_goes_where_no_brackets_are_left() -> None:
    table = replace(compact("brackets"), caption="No brackets here.")
    assert "Brackets hold" not in notes(in_form(table, RESULTS, "sd"))
    assert "Bold: best before rounding" in notes(in_form(table, RESULTS, "sd"))
    said = Brackets("99.5 % intervals (seed 0)", " Thresholds stay fixed in x.")
    only = replace(table, notes=(*(note for note in table.notes if note.key), Note("", said)))
    general = [plain(note.text) for note in in_form(only, RESULTS, "sd").notes if not note.key]
    assert [text[:4] for text in general] == ["± is"]
    assert "The columns lower and upper hold the bounds of 95" in notes(in_form(table, RESULTS, "columns"))


def test_bounds_in_columns_of_their_own_are_numbers_under_the_head_of_the_value() -> None:
    table = compact("columns")
    assert [column.key for column in table.columns][1:4] == ["value_s0", "value_s0_lower", "value_s0_upper"]
    assert [plain(column.head) for column in table.columns][1:4] == ["Value", "Lower", "Upper"]
    assert Spanner(RESULTS.systems[0].label, ("value_s0", "value_s0_lower", "value_s0_upper")) in table.spanners
    assert [(cell.text, cell.value, cell.detail) for cell in ndcg(table)[1:4]] == [
        ("0.730", pytest.approx(0.73), ""), ("0.710", pytest.approx(0.71), ""), ("0.750", pytest.approx(0.75), ""),
    ]  # fmt: skip
    assert table.columns[1].suffixes == ("sd",)
    assert "The columns lower and upper hold the bounds of 95" in notes(table)


def test_bounds_under_a_spanner_join_it_and_say_whose_they_are() -> None:
    built = compact("brackets")
    both = replace(built, spanners=(Spanner("Systems", ("value_s0", "value_s1")),))
    divided = in_form(both, RESULTS, "columns")
    assert [spanner.columns for spanner in divided.spanners] == [
        tuple(f"value_{system}{part}" for system in ("s0", "s1") for part in ("", "_lower", "_upper"))
    ]
    label = RESULTS.systems[0].label
    assert [plain(column.head) for column in divided.columns[1:4]] == [label, f"{label}, lower", f"{label}, upper"]


def test_bounds_of_a_value_that_does_not_exist_do_not_exist_either() -> None:
    table = compact("columns")
    undefined = next(cells for row in table.rows if (cells := row.cells)[1].status == "not_applicable")
    assert [cell.status for cell in undefined[1:4]] == ["not_applicable"] * 3
    assert {plain(cell.text) for cell in undefined[1:4]} == {"n/a"}


@pytest.mark.parametrize("form", get_args(IntervalForm))
def test_a_form_changes_no_number_and_no_result(form: IntervalForm) -> None:
    before, after = build_tables(RESULTS), build_tables(with_intervals(RESULTS, form))
    for old, new in zip(before, after, strict=True):
        assert new.results == old.results
        values = [cell.value for row in old.rows for cell in row.cells if cell.results]
        kept = {cell.value for row in new.rows for cell in row.cells if cell.results}
        assert set(values) <= kept


def test_the_bounds_of_a_difference_are_in_its_own_unit() -> None:
    [table] = build_tables(with_intervals(RESULTS, "columns"), ["comparisons-compact"])
    at = [column.key for column in table.columns].index("difference")
    # 0.005 and 0.015 in points.
    assert [plain(cell.text) for cell in table.rows[0].cells[at : at + 3]] == ["+1.00", "0.50", "1.50"]
    assert "The columns lower and upper hold the bounds of 95\u00a0% paired bootstrap intervals." in notes(table)
    assert "Brackets" not in notes(table)
