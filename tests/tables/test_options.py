"""The options of tables: the same at three doors, and the values that a table then shows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import main
from reportgen.domain.presentation import Table, plain
from reportgen.domain.record import Results, TableOptions
from reportgen.domain.table_options import table_options
from reportgen.errors import ProblemList, RenderError, RequestError
from reportgen.inputs.declaration import parse
from reportgen.results import encode
from reportgen.tables import build_tables, with_options
from tests.support.full_results import make_full_results

RESULTS = make_full_results(n_systems=3)
COMPACT, FULL = "main-results-compact", "main-results"


def shaped(name: str, results: Results = RESULTS, **given: Any) -> Table:
    [table] = build_tables(with_options(results, [name], given), [name])
    return table


def texts(table: Table) -> list[list[str]]:
    return [[plain(cell.text).replace("\u00a0", " ") for cell in row.cells] for row in table.rows]


def keys(table: Table) -> list[str]:
    return [column.key for column in table.columns]


def value(metric: str, system: str) -> str:
    """What the results print, by the frame that Python gives of them."""
    return rg.Results(RESULTS).estimate(metric, system).display.value


EACH: Mapping[str, tuple[str, tuple[str, ...], Any]] = {
    "title": ('"Ours"', ("--title", "Ours"), "Ours"),
    "caption": ('"As seen."', ("--caption", "As seen."), "As seen."),
    "notes": ('["One, two.", "Three."]', ("--notes", "One, two.", "--notes", "Three."), ["One, two.", "Three."]),
    "metrics": ('["auroc", "ndcg@10"]', ("--metrics", "auroc, ndcg@10"), ["auroc", "ndcg@10"]),
    "systems": ('["s2", "s0"]', ("--systems", "s2,s0"), ["s2", "s0"]),
    "subsets": ('["positives_only"]', ("--subsets", "positives_only"), ["positives_only"]),
    "columns": ('["s1"]', ("--columns", "s1"), ["s1"]),
    "leave_out": ('["s1"]', ("--leave-out", "s1"), ["s1"]),
    "rename": ('{ s1 = "Ours" }', ("--rename", "s1=Ours"), {"s1": "Ours"}),
}
"""Each option in run.toml, on the command line and in Python."""


def test_every_option_is_in_the_table_of_this_file() -> None:
    assert list(EACH) == [name for name in EACH if name in {option.name for option in table_options()}]
    assert set(EACH) == {option.name for option in table_options()}


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "metrics_master.json"
    path.write_bytes(encode(RESULTS))
    return path


@pytest.mark.parametrize("option", EACH)
def test_an_option_does_the_same_at_each_door(option: str, master: Path, tmp_path: Path) -> None:
    declared, typed, given = EACH[option]
    problems = ProblemList()
    read = parse(f"[tables.{COMPACT}]\n{option} = {declared}\n".encode(), problems)
    assert not problems
    presented = msgspec.structs.replace(RESULTS.run, presentation=read.presentation)
    from_toml = msgspec.structs.replace(RESULTS, run=presented)
    here = rg.tables(rg.Results(RESULTS), COMPACT, **{option: given})[COMPACT].to("md")
    assert rg.tables(rg.Results(from_toml), COMPACT)[COMPACT].to("md") == here
    arguments = ["tables", str(master), COMPACT, "-o", str(tmp_path), "--formats", "md", *typed]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert (tmp_path / f"{COMPACT}.md").read_text("utf-8") == here
    assert here != rg.tables(rg.Results(RESULTS), COMPACT)[COMPACT].to("md")


def test_options_stand_in_the_results_file_under_the_name_of_their_table() -> None:
    options = TableOptions(title="T", metrics=("auroc",), rename={"s1": "Ours"})
    changed = with_options(RESULTS, [COMPACT], {"title": "T", "metrics": ("auroc",), "rename": {"s1": "Ours"}})
    assert changed.run.presentation.table_options == {COMPACT: options}
    stored = json.loads(encode(changed))["run"]["presentation"]["table_wordings"]
    assert stored == {COMPACT: {"title": "T", "metrics": ["auroc"], "rename": {"s1": "Ours"}}}


def test_metrics_and_systems_stand_in_the_order_that_is_asked_for() -> None:
    table = shaped(COMPACT, metrics=("auroc", "ndcg@20"), systems=("s2", "s0"))
    assert [plain(column.head) for column in table.columns] == ["Metric", "Model 2", "Baseline"]
    assert texts(table) == [
        ["AUROC ↑", value("auroc", "s2"), value("auroc", "s0")],
        ["nDCG@20 ↑", value("ndcg@20", "s2"), value("ndcg@20", "s0")],
    ]


def test_the_best_is_the_best_of_those_that_are_shown() -> None:
    values = {system: RESULTS.headline("ndcg@10", system, "positives_only") for system in ("s0", "s1", "s2")}
    assert values["s2"].value > values["s1"].value > values["s0"].value  # type: ignore[union-attr,operator]
    [row] = shaped(COMPACT, metrics=("ndcg@10",), systems=("s0", "s1")).rows
    assert [cell.mark for cell in row.cells] == ["", "", "best"]


def test_columns_are_called_by_key_head_or_system_and_stubs_stay_in_front() -> None:
    for name in ("value_s1", "Candidate model", "s1"):
        assert keys(shaped(COMPACT, leave_out=(name,))) == ["metric", "value_s0", "value_s2"]
    assert keys(shaped(COMPACT, columns=("s2", "s0"))) == ["metric", "value_s2", "value_s0"]
    renamed = shaped(COMPACT, rename={"s1": "Ours", "Metric": "Measure"})
    assert [plain(column.head) for column in renamed.columns] == ["Measure", "Baseline", "Ours", "Model 2"]


def test_a_note_whose_cells_are_left_out_goes_with_them() -> None:
    table = shaped(FULL, leave_out=("sd_folds",), notes=("Own words.",))
    used = {key for row in table.rows for cell in row.cells for key in cell.notes}
    assert {note.key for note in table.notes} - {""} == used
    assert plain(table.notes[-1].text) == "Own words."


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        (COMPACT, {"metrics": ("aurok",)}, "RG503 [tables.main-results-compact] metrics: there is no metric 'aurok'"),
        (COMPACT, {"systems": ("s9",)}, "RG503 [tables.main-results-compact] systems: there is no system 's9'"),
        (COMPACT, {"subsets": ("al",)}, "RG503 [tables.main-results-compact] subsets: there is no subset 'al'"),
        (COMPACT, {"leave_out": ("s9",)}, "RG503 [tables.main-results-compact] leave_out: there is no column 's9'"),
        (COMPACT, {"rename": {"x": "y"}}, "RG503 [tables.main-results-compact] rename: there is no column 'x'"),
        (FULL, {"leave_out": ("subset",)}, "RG504 [tables.main-results]: the table needs its column 'subset'"),
        (COMPACT, {"leave_out": ("metric",)}, "RG504 [tables.main-results-compact]: the table needs its column 'me"),
    ],
)
def test_what_a_table_cannot_obey_is_refused(name: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(RenderError) as caught:
        shaped(name, **given)
    assert str(caught.value).startswith(said)


def test_in_python_an_option_has_a_name_and_a_type() -> None:
    with pytest.raises(RequestError, match="RG701 tables: there is no option 'metric'"):
        rg.tables(rg.Results(RESULTS), COMPACT, metric=["auroc"])
    with pytest.raises(RequestError, match="RG701 tables: an option cannot be read: Expected `array`"):
        rg.tables(rg.Results(RESULTS), COMPACT, metrics=3)
