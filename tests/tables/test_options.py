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
from reportgen.tables import build_tables, table_names, with_options
from tests.support.full_results import make_full_results

RESULTS = make_full_results(n_systems=3)
TESTED = make_full_results(n_systems=3, n_folds=1)
"""With comparisons of the values that tables show."""
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
    "rows": ('"systems"', ("--rows", "systems"), "systems"),
    "groups": ('"families"', ("--groups", "families"), "families"),
    "spanners": ('"none"', ("--spanners", "none"), "none"),
    "sort": ('"ndcg@10"', ("--sort", "ndcg@10"), "ndcg@10"),
    "add": ('["n"]', ("--add", "n"), ["n"]),
    "split": ("2", ("--split", "2"), 2),
    "label": ('"tab:ours"', ("--label", "tab:ours"), "tab:ours"),
    "placement": ('"t"', ("--placement", "t"), "t"),
    "font_size": ('"scriptsize"', ("--font-size", "scriptsize"), "scriptsize"),
    "rename": ('{ s1 = "Ours" }', ("--rename", "s1=Ours"), {"s1": "Ours"}),
    "decimals": ("1", ("--decimals", "1"), 1),
    "decimals_of": ('{ "ndcg@10" = 2 }', ("--decimals-of", "ndcg@10=2"), {"ndcg@10": 2}),
    "percent": ("true", ("--percent",), True),
    "unit": ('"cell"', ("--unit", "cell"), "cell"),
    "thousands": ('"space"', ("--thousands", "space"), "space"),
    "intervals": ('"below"', ("--intervals", "below"), "below"),
    "mark": ('"best"', ("--mark", "best"), "best"),
    "mark_within": ('"group"', ("--mark-within", "group"), "group"),
    "against": ('["s1"]', ("--against", "s1"), ["s1"]),
    "signs": ('"letters"', ("--signs", "letters"), "letters"),
    "changes": ('"both"', ("--changes", "both"), "both"),
}
"""Each option in run.toml, on the command line and in Python."""
OF_LATEX = {"label", "placement", "font_size"}
BESIDE_OTHERS = frozenset({"unit", "thousands", "mark_within"})
"""Options that change nothing of this table without another option, or without large numbers."""


def test_every_option_is_in_the_table_of_this_file() -> None:
    assert {*EACH, "base"} == {option.name for option in table_options()}


@pytest.fixture(scope="module")
def master(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "metrics_master.json"
    path.write_bytes(encode(TESTED))
    return path


@pytest.mark.parametrize("option", EACH)
def test_an_option_does_the_same_at_each_door(option: str, master: Path, tmp_path: Path) -> None:
    declared, typed, given = EACH[option]
    problems = ProblemList()
    read = parse(f"[tables.{COMPACT}]\n{option} = {declared}\n".encode(), problems)
    assert not problems
    presented = msgspec.structs.replace(TESTED.run, presentation=read.presentation)
    from_toml = msgspec.structs.replace(TESTED, run=presented)
    form, ending = ("latex", "tex") if option in OF_LATEX else ("md", "md")
    here = rg.tables(rg.Results(TESTED), COMPACT, **{option: given})[COMPACT].to(form)
    assert rg.tables(rg.Results(from_toml), COMPACT)[COMPACT].to(form) == here
    arguments = ["tables", str(master), COMPACT, "-o", str(tmp_path), "--formats", form, *typed]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    assert (tmp_path / f"{COMPACT}.{ending}").read_text("utf-8") == here
    assert (here == rg.tables(rg.Results(TESTED), COMPACT)[COMPACT].to(form)) == (option in BESIDE_OTHERS)


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


def heads(table: Table) -> list[str]:
    return [plain(column.head).replace("\u00a0", " ") for column in table.columns]


def over(table: Table) -> dict[str, int]:
    """Return the heads that span columns, and how many."""
    return {plain(one.head).partition(" (")[0]: len(one.columns) for one in table.spanners}


def groups(table: Table) -> dict[str, int]:
    return {plain(group.head).partition(" (")[0]: len(group.rows) for group in table.groups}


def test_systems_go_down_with_the_metrics_of_each_subset_under_one_head() -> None:
    table = shaped(COMPACT, rows="systems", metrics=("ndcg@10", "auroc", "brier"))
    assert heads(table) == ["System", "nDCG@10 ↑", "AUROC ↑", "Brier score ↓"]
    assert over(table) == {"Queries with evidence": 1, "All queries": 2}
    for row, system in zip(texts(table), ("s0", "s1", "s2"), strict=True):
        label = RESULTS.system_by_id[system].label
        assert row == [label, *(value(metric, system) for metric in ("ndcg@10", "auroc", "brier"))]


def test_every_value_of_an_arrangement_is_the_one_of_the_frame() -> None:
    """Whatever goes down or across, a cell holds the value of its metric, system and subset."""
    frame = rg.Results(RESULTS).frame().set_index("id")["value"]
    wanted = {"metrics": ("ndcg@10", "auroc"), "systems": ("s0", "s2")}
    for given in (
        {"rows": "systems"},
        {"rows": "systems", "spanners": "families"},
        {"rows": "systems", "groups": "subsets"},
        {"rows": "metrics", "groups": "families"},
        {"rows": "metrics", "groups": "systems"},
        {"rows": "labels"},
        {"rows": "labels", "groups": "none", "spanners": "systems"},
        {"rows": "subsets", "subsets": ("all_queries", "positives_only")},
    ):
        table = shaped(COMPACT, **wanted, **given)
        cells = [cell for row in table.rows for cell in row.cells if cell.results]
        assert cells, given
        assert {cell.results[0].split("|")[1] for cell in cells} == {"s0", "s2"}
        valued = [cell for cell in cells if cell.status == "ok"]
        assert [cell.value for cell in valued] == [frame[cell.results[0]] for cell in valued]
        # Three labels; on both populations nDCG@10 is computed, AUROC on all queries alone.
        assert len(cells) == {"labels": 12, "subsets": 6}.get(given["rows"], 4), given


def test_the_table_of_a_paper_is_the_one_that_pandas_makes_of_the_frame() -> None:
    """Systems down and sorted, some metrics, one system left out, names of one's own: in one call."""
    metrics, called = ["ndcg@10", "mrr@10", "auroc", "auprc", "ece"], {"s2": "Ours", "s0": "BM25"}
    given = {"rows": "systems", "metrics": metrics, "systems": ["s0", "s2"], "rename": called, "sort": "ndcg@10"}
    table = rg.tables(rg.Results(RESULTS), COMPACT, **given)[COMPACT].spec
    frame = rg.Results(RESULTS).frame()
    homes = {metric: RESULTS.home_subset(metric) for metric in metrics}
    shown = frame[(frame.subset == frame.metric.map(homes)) & (frame.aggregation == RESULTS.headline_aggregation)]
    pivot = shown[shown.system.isin(called)].pivot(index="system", columns="metric", values="value")[metrics]
    pivot = pivot.rename(index=called).sort_values("ndcg@10", ascending=False)
    assert [row[0] for row in texts(table)] == list(pivot.index)
    assert [[cell.value for cell in row.cells[1:]] for row in table.rows] == pivot.to_numpy().tolist()


def test_labels_go_down_one_row_each_whatever_their_queries() -> None:
    table = shaped(COMPACT, rows="labels", metrics=("auroc", "ndcg@10"), systems=("s1",), add=("prevalence",))
    names = [label.label or label.id for label in RESULTS.labels]
    assert [row[0] for row in texts(table)] == names
    assert over(table) == {"Candidate model": 2}
    notes = [plain(note.text) for note in table.notes]
    assert "All queries: AUROC." in notes
    assert "Queries with evidence: nDCG@10." in notes
    assert "Not shown: Baseline, Model 2." in notes


def test_metrics_that_are_not_computed_on_labels_are_left_out_unless_they_are_named() -> None:
    table = shaped(COMPACT, rows="labels", systems=("s1",))
    shown = {cell.results[0].split("|")[0] for row in table.rows for cell in row.cells if cell.results}
    on_labels = {one.metric for one in RESULTS.results if one.subset.startswith("label=")}
    assert shown == on_labels & set(RESULTS.contract.headline)
    lacking = next(one.id for one in RESULTS.metrics if one.id not in on_labels and one.family == "ranking")
    with pytest.raises(
        RenderError, match=rf"RG504 .* {lacking} has no values on label=D0/positives_only, label=D1/pos"
    ):
        shaped(COMPACT, rows="labels", metrics=(lacking,))


def test_families_group_metrics_and_a_note_says_what_they_are_on() -> None:
    down = shaped(COMPACT, groups="families", metrics=("ndcg@10", "auroc", "auprc"))
    assert groups(down) == {"Ranking": 1, "Classification": 2}
    across = shaped(COMPACT, rows="systems", spanners="families", metrics=("ndcg@10", "auroc", "auprc"))
    assert over(across) == {"Ranking": 1, "Classification": 2}
    for table in (down, across):
        on = [plain(note.text).replace("\u00a0", " ") for note in table.notes]
        assert "All queries (n = 500 in 50 pages): AUROC, AUPRC." in on
        assert "Queries with evidence (n = 100 in 50 pages): nDCG@10." in on


def test_systems_are_sorted_in_the_direction_of_the_metric() -> None:
    values = {system: RESULTS.headline("brier", system, "all_queries") for system in ("s0", "s1", "s2")}
    lowest_first = sorted(values, key=lambda system: values[system].value)  # type: ignore[union-attr,arg-type,return-value]
    table = shaped(COMPACT, rows="systems", sort="brier")
    assert [row[0] for row in texts(table)] == [RESULTS.system_by_id[system].label for system in lowest_first]
    highest_first = shaped(COMPACT, rows="systems", sort="ndcg@10")
    assert [row[0] for row in texts(highest_first)] == ["Model 2", "Candidate model", "Baseline"]


def test_parameters_and_sizes_are_columns_of_their_own() -> None:
    table = shaped(COMPACT, rows="systems", metrics=("auroc",), add=("gamma", "n", "positives"))
    assert heads(table)[:4] == ["System", "gamma", "n", "Positives"]
    assert [[cell.value for cell in row.cells[1:4]] for row in table.rows] == [
        [None, 500, 100], [0.75, 500, 100], [0.8, 500, 100],
    ]  # fmt: skip
    full = shaped(FULL, add=("n",))
    assert keys(full) == ["metric", "system", "value", "sd_folds", "n", "subset", "interpretation"]


def test_a_full_form_takes_any_metric_and_keeps_what_every_table_has() -> None:
    table = shaped(FULL, metrics=("log_loss", "ndcg@10"), leave_out=("sd_folds",))
    assert keys(table) == ["metric", "system", "value", "subset", "interpretation"]
    assert [row[0] for row in texts(table)] == ["Log loss"] * 3 + ["nDCG@10"] * 3


def test_names_of_ones_own_stand_wherever_a_thing_is_named() -> None:
    called = {"s2": "Ours", "ndcg@10": "Gain", "positives_only": "With evidence"}
    table = shaped(COMPACT, metrics=("ndcg@10",), rename=called)
    assert heads(table) == ["Metric", "Baseline", "Candidate model", "Ours"]
    assert texts(table)[0][0] == "Gain ↑"
    assert groups(table) == {"With evidence": 1}
    assert "Ours has the highest Gain" in plain(table.caption).replace("\u00a0", " ")


def test_a_table_of_ones_own_stands_beside_the_shipped_ones() -> None:
    own = TableOptions(base=COMPACT, title="Mine", rows="systems", metrics=("auroc",))
    presented = msgspec.structs.replace(RESULTS.run.presentation, table_options={"mine": own})
    results = msgspec.structs.replace(RESULTS, run=msgspec.structs.replace(RESULTS.run, presentation=presented))
    by_id = {table.id: table for table in build_tables(results)}
    assert list(by_id)[-1] == "mine"
    assert (by_id["mine"].title, by_id["mine"].compact) == ("Mine", True)
    assert by_id["mine"].groups == shaped(COMPACT, rows="systems", metrics=("auroc",)).groups
    assert by_id[COMPACT] == shaped(COMPACT)
    assert table_names(presented)[-1] == ("mine", "Mine", "the contract's headline metrics")
    shown = msgspec.structs.replace(presented, tables=("mine",))
    run = msgspec.structs.replace(RESULTS.run, presentation=shown)
    assert [table.id for table in build_tables(msgspec.structs.replace(RESULTS, run=run))] == ["mine"]


def test_tables_of_a_runs_own_are_listed_for_it(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_text(f'[tables.mine]\nbase = "{COMPACT}"\ntitle = "My table"\n')
    listed = CliRunner().invoke(main, ["tables", str(tmp_path), "--list"]).stdout.splitlines()
    assert listed[-1].split(maxsplit=1) == ["mine", "My table (needs the contract's headline metrics)"]
    assert len(listed) == len(table_names()) + 1


@pytest.mark.parametrize(
    ("name", "base", "said"),
    [
        ("mine", "main-result", "RG502 [tables.mine] base: there is no table 'main-result'"),
        ("per-fold", COMPACT, "RG504 [tables.per-fold] base: 'per-fold' is the name of another table"),
        ("My table", COMPACT, "RG504 [tables.My table] base: 'My table' is not of small letters"),
    ],
)
def test_a_table_that_cannot_be_made_is_refused(name: str, base: str, said: str) -> None:
    presented = msgspec.structs.replace(RESULTS.run.presentation, table_options={name: TableOptions(base=base)})
    results = msgspec.structs.replace(RESULTS, run=msgspec.structs.replace(RESULTS.run, presentation=presented))
    with pytest.raises(RenderError) as caught:
        build_tables(results)
    assert str(caught.value).startswith(said)


def test_a_wide_table_comes_in_parts_that_each_say_what_rows_are() -> None:
    results = make_full_results(n_systems=6)
    parts = build_tables(with_options(results, [COMPACT], {"split": 4}), [COMPACT])
    assert [part.id for part in parts] == [COMPACT, f"{COMPACT}-2"]
    assert [len(part.columns) for part in parts] == [5, 3]
    assert [plain(part.columns[0].head) for part in parts] == ["Metric", "Metric"]
    whole = shaped(COMPACT, results)
    for row, *of_parts in zip(whole.rows, *(part.rows for part in parts), strict=True):
        assert row.cells[1:] == tuple(cell for one in of_parts for cell in one.cells[1:])


def test_latex_has_the_label_the_place_and_the_type_of_the_author() -> None:
    table = rg.tables(rg.Results(RESULTS), COMPACT, label="tab:ours", placement="t", font_size="scriptsize")[COMPACT]
    source = table.to("latex")
    assert "\\begin{table}[t]\n" in source
    assert f"\\label{{tab:{COMPACT}}}\\label{{tab:ours}}" in source
    assert "\\scriptsize\\setlength" in source


def test_every_other_table_is_of_the_systems_that_are_chosen() -> None:
    table = shaped("comparisons-compact", systems=("s0", "s2"))
    ids = {id for row in table.rows for cell in row.cells for id in cell.results}
    assert {id.split("|")[1] for id in ids} == {"s2-vs-s0"}


def test_no_table_fails_on_a_choice() -> None:
    given: dict[str, Any] = {"systems": ("s2", "s1"), "rename": {"s2": "Ours"}, "sort": "auroc"}
    changed = with_options(RESULTS, [], given)
    there = {table.id for table in build_tables(RESULTS)}
    # Without the baseline nothing is compared with it.
    assert there - {table.id for table in build_tables(changed)} <= {"differences", "differences-compact"}


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
        (COMPACT, {"sort": "aurok"}, "RG503 [tables.main-results-compact] metrics: there is no metric 'aurok'"),
        (COMPACT, {"add": ("delta",)}, "RG503 [tables.main-results-compact] add: there is no column 'delta'"),
        (COMPACT, {"add": ("gamma",)}, "RG504 [tables.main-results-compact] add: gamma is of systems"),
        (COMPACT, {"rows": "systems", "add": ("n",)}, "RG504 [tables.main-results-compact] add: n is of a subset"),
        (COMPACT, {"rows": "systems", "groups": "systems"}, "RG504 [tables.main-results-compact] groups: rows are sys"),
        (COMPACT, {"spanners": "metrics"}, "RG504 [tables.main-results-compact] spanners: metrics do not go across"),
        ("ranking-at-k-compact", {"metrics": ("auroc",)}, "RG504 [tables.ranking-at-k-compact] metrics: its layout"),
        ("ranking-at-k-compact", {"add": ("n",)}, "RG504 [tables.ranking-at-k-compact] add: the layout of the table"),
        ("comparisons", {"rows": "systems"}, "RG504 [tables.comparisons] rows: the table has one arrangement"),
        ("dataset", {"metrics": ("auroc",)}, "RG504 [tables.dataset] metrics: the table shows no metric"),
        (COMPACT, {"label": "a b"}, "RG504 [tables.main-results-compact] label: is 'a b'"),
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
    with pytest.raises(RequestError, match="RG701 tables: an option cannot be read: Expected `int` >= 0"):
        rg.tables(rg.Results(RESULTS), COMPACT, split=-1)
