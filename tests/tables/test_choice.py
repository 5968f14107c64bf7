"""What a run picks, orders and renames, for tables and figures alike."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import PresentationRecord, Results, Wording
from reportgen.errors import RenderError
from reportgen.figures import build_figures, check_names
from reportgen.results import encode, read_results
from reportgen.tables import build_tables
from tests.support.results import make_results


def declaring(**fields: object) -> Results:
    results = make_results(2)
    shown = PresentationRecord(**fields)  # type: ignore[arg-type]  # the fields of the record, by name
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=shown))


def test_the_tables_and_figures_a_run_names_are_shown_in_its_order() -> None:
    results = declaring(tables=("per-fold", "main-results"), figures=("per-label", "roc"))
    assert [table.id for table in build_tables(results)] == ["per-fold", "main-results"]
    assert [figure.id for figure in build_figures(results)] == ["per-label", "roc"]


def test_names_that_are_asked_for_go_before_those_of_the_run() -> None:
    results = declaring(tables=("per-fold",), figures=())
    assert [table.id for table in build_tables(results, ["dataset"])] == ["dataset"]
    assert [figure.id for figure in build_figures(results, ["roc"])] == ["roc"]
    assert build_figures(results) == ()


def test_a_title_and_a_caption_of_the_author_stand_and_say_that_data_are_synthetic() -> None:
    words = {"main-results": Wording(title="Ours", caption="50 % <b>better</b>?"), "per-fold": Wording(title="Folds")}
    by_id = {table.id: table for table in build_tables(declaring(table_wordings=words))}
    assert by_id["main-results"].title == "Ours"
    assert by_id["main-results"].caption == "50 % <b>better</b>? The data are synthetic."
    assert by_id["per-fold"].title == "Folds"
    [own] = build_tables(make_results(2), ["per-fold"])
    assert by_id["per-fold"].caption == own.caption


def test_a_figure_in_parts_keeps_their_numbers_in_its_title() -> None:
    results = make_results(2, 90)
    shown = PresentationRecord(figure_wordings={"per-label": Wording(title="Labels")})
    changed = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=shown))
    titles = {figure.id: figure.title for figure in build_figures(changed, ["per-label"])}
    assert titles["per-label"] == "Labels"
    assert titles["per-label-2"] == "Labels (2)"


def test_every_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(RenderError) as caught:
        build_tables(declaring(tables=("per-folds", "main-result")))
    assert [problem.code for problem in caught.value.problems] == ["RG502", "RG502"]
    assert "Did you mean 'per-fold'?" in str(caught.value)
    with pytest.raises(RenderError, match="RG502 there is no table 'x'"):
        build_tables(declaring(table_wordings={"x": Wording(title="X")}))
    with pytest.raises(RenderError, match=r"RG512 here: there is no figure 'rock'\n.*\n  Did you mean 'roc'"):
        check_names(["roc", "rock"], "here")
    with pytest.raises(RenderError, match="RG512 there is no figure 'rock'"):
        build_figures(declaring(figure_wordings={"rock": Wording(title="X")}))


def test_the_choice_stands_with_the_numbers(tmp_path) -> None:
    results = declaring(tables=("dataset",), interval_form="sd", table_wordings={"dataset": Wording(title="D")})
    (tmp_path / "m.json").write_bytes(encode(results))
    assert read_results(tmp_path / "m.json").run.presentation == results.run.presentation
    assert [plain(table.title) for table in build_tables(read_results(tmp_path / "m.json"))] == ["D"]
