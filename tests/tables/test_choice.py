"""What a run picks, orders and renames, for tables and figures alike."""

import msgspec
import pytest

from reportgen.domain.presentation import plain
from reportgen.domain.record import FigureOptions, PresentationRecord, Results, TableOptions
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
    words = {
        "main-results": TableOptions(title="Ours", caption="50 % <b>better</b>?"),
        "per-fold": TableOptions(title="Folds"),
    }
    by_id = {table.id: table for table in build_tables(declaring(table_options=words))}
    assert by_id["main-results"].title == "Ours"
    assert by_id["main-results"].caption == "50 % <b>better</b>? The data are synthetic."
    assert by_id["per-fold"].title == "Folds"
    [own] = build_tables(make_results(2), ["per-fold"])
    assert by_id["per-fold"].caption == own.caption


def test_a_figure_in_parts_keeps_their_numbers_in_its_title() -> None:
    results = make_results(2, 90)
    shown = PresentationRecord(figure_options={"per-label": FigureOptions(title="Labels")})
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
        build_tables(declaring(table_options={"x": TableOptions(title="X")}))
    with pytest.raises(RenderError, match=r"RG512 here: there is no figure 'rock'\n.*\n  Did you mean 'roc'"):
        check_names(["roc", "rock"], "here")
    with pytest.raises(RenderError, match="RG512 there is no figure 'rock'"):
        build_figures(declaring(figure_options={"rock": FigureOptions(title="X")}))


def test_tables_and_figures_by_label_show_the_systems_that_the_run_names() -> None:
    results = make_results(6)
    named = PresentationRecord(label_systems=("s4", "s1"))
    chosen = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=named))
    # Without a name: of six systems the baseline and the last step.
    for run, shown in ((results, {"s0", "s5"}), (chosen, {"s1", "s4"})):
        [table] = build_tables(run, ["per-label-compact"])
        ids = {id_ for row in table.rows for cell in row.cells for id_ in cell.results}
        assert {id_.split("|")[1] for id_ in ids if id_.startswith("auroc|")} == shown
    labels = [run.system_by_id[one].label for run, one in ((chosen, "s1"), (chosen, "s4"))]
    [table] = build_tables(chosen, ["per-label-compact"])
    assert f"Of 6 systems with AUROC, {labels[0]} and {labels[1]} are shown." in plain(table.caption)
    [figure, *_] = build_figures(chosen, ["per-label"])
    assert {id_.split("|")[1] for id_ in figure.results if "|label=" in id_} == {"s1", "s4"}


def test_where_no_named_system_has_the_metric_the_choice_is_the_usual_one() -> None:
    results = make_results(6)
    bare = tuple(
        msgspec.structs.replace(r, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=())
        if r.system == "s3" and r.metric == "auroc"
        else r
        for r in results.results
    )
    run = msgspec.structs.replace(results.run, presentation=PresentationRecord(label_systems=("s3",)))
    [table] = build_tables(msgspec.structs.replace(results, run=run, results=bare), ["per-label-compact"])
    ids = {id_ for row in table.rows for cell in row.cells for id_ in cell.results}
    assert {id_.split("|")[1] for id_ in ids if id_.startswith("auroc|")} == {"s0", "s5"}


def test_the_choice_stands_with_the_numbers(tmp_path) -> None:
    results = declaring(tables=("dataset",), interval_form="sd", table_options={"dataset": TableOptions(title="D")})
    (tmp_path / "m.json").write_bytes(encode(results))
    assert read_results(tmp_path / "m.json").run.presentation == results.run.presentation
    assert [plain(table.title) for table in build_tables(read_results(tmp_path / "m.json"))] == ["D"]
