"""What holds for every table, and that none is forgotten."""

from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

import reportgen
from reportgen.domain.presentation import Table, plain
from reportgen.domain.record import Results
from reportgen.errors import RenderError
from reportgen.tables import build_tables, table_names
from tests.support.full_results import make_full_results
from tests.support.results import HOSTILE_NAMES, make_results

FOLDER = Path(reportgen.__file__).parent / "tables"
RUNS = {
    "two systems": {},
    "one system, one fold, no labels": {"n_systems": 1, "n_labels": 0, "n_folds": 1},
    "twelve systems, forty labels": {"n_systems": 12, "n_labels": 40, "n_folds": 3},
    "hostile names": {"hostile": True},
}
REQUIRED = ("metric", "value", "subset", "interpretation")


@cache
def built() -> tuple[tuple[Results, Table], ...]:
    """Every table of every run, with the results it shows: of these each test goes through all."""
    return tuple((results, table) for how in RUNS.values() for results in [make_full_results(**how)]
                 for table in build_tables(results))  # fmt: skip


def test_every_table_that_a_module_declares_is_found_and_every_module_without_an_underscore_declares_some() -> None:
    modules = [path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_")]
    declared = [one.name for name in modules for one in import_module(f"reportgen.tables.{name}").TABLES]
    assert len(set(declared)) == len(declared) >= len(modules)
    found = {info.name for info in table_names()}
    assert set(declared) <= found
    assert {name.removesuffix("-compact") for name in found} == set(declared)


ELSEWHERE = (
    "label-sets", "label-sets-compact", "per-seed", "per-seed-compact", "per-repeat", "per-repeat-compact",
    "named-tests", "multiclass", "multiclass-compact", "class-confusion", "class-confusion-compact",
    "supplied", "supplied-compact", "subgroups", "subgroups-compact", "subgroup-differences",
    "subgroup-differences-compact",
)  # fmt: skip
"""Tables that the full run does not fill: it has no sets of labels (see ``test_label_sets``), no systems that were
trained several times (see ``test_trainings``), no repeats (see ``test_repeats``), no rows of several classes (see
``test_class_confusion``), declares no metrics (see ``test_declared_metrics``), names no tests (see
``test_comparisons``) and divides its queries into no groups (see ``test_subgroups``)."""


def test_a_compact_twin_follows_its_full_form_and_says_that_it_is_one() -> None:
    names = [info.name for info in table_names()]
    tables = {table.id: table for table in build_tables(make_full_results())}
    for name in names:
        if name in ELSEWHERE:
            continue
        if name.endswith("-compact"):
            assert names[names.index(name) - 1] == name.removesuffix("-compact")
        assert tables[name].compact == name.endswith("-compact")


def test_every_table_of_values_has_the_required_columns_in_its_full_form() -> None:
    results = make_full_results(n_systems=3)
    tables = {table.id: table for table in build_tables(results)}
    full = [table for id, table in tables.items() if f"{id}-compact" in tables and id != "conventions"]
    # Of scores and rankings thirteen; of folds, single queries, steps, settings, targets and other contracts one each;
    # of comparisons, of differences, of the distribution of K and of the grid of thresholds one each.
    assert len(full) == 23
    for table in full:
        keys = [column.key for column in table.columns]
        assert [key for key in keys if key in REQUIRED] == list(REQUIRED), table.id
        for row in table.rows:
            by_key = dict(zip(keys, (plain(cell.text) for cell in row.cells), strict=True))
            assert all(by_key[key] for key in REQUIRED), table.id
    # What a paper's body takes is the compact form: a table in the full form alone would be retouched.
    alone = [id for id, table in tables.items() if set(table.results) & set(results.by_id) and table not in full]
    assert all(id.endswith("-compact") for id in alone)


def test_the_full_run_fills_every_table() -> None:
    names = [info.name for info in table_names() if info.name not in ELSEWHERE]
    assert [table.id for table in build_tables(make_full_results())] == names


def test_titles_and_needs_are_said_and_titles_differ() -> None:
    assert all(info.title and info.needs for info in table_names())
    assert len({info.title for info in table_names()}) == len(table_names())


def test_tables_without_data_are_left_out() -> None:
    single = make_results(n_systems=1, n_labels=0, n_folds=1)
    assert [table.id for table in build_tables(single)] == [
        "main-results",
        "main-results-compact",
        "dataset",
        "ranking-at-k",
        "ranking-at-k-compact",
        "dual-protocol",
        "dual-protocol-compact",
        "classification",
        "classification-compact",
        "operating-points",
        "operating-points-compact",
        "thresholds",
        "calibration",
        "calibration-compact",
        "selection",
        "selection-compact",
        "triage",
        "triage-compact",
        "threshold-grid",
        "threshold-grid-compact",
        "multilabel",
        "multilabel-compact",
        "targets",
        "targets-compact",
        "conventions",
        "checks",
    ]
    empty = msgspec.structs.replace(single, results=(), metrics=(), folds=(), thresholds=(), checks=(), sweeps=())
    assert [table.id for table in build_tables(empty)] == ["conventions"]


def test_named_tables_come_in_the_order_named_and_once() -> None:
    built = build_tables(make_results(), ["dataset", "main-results", "dataset"])
    assert [table.id for table in built] == ["dataset", "main-results"]


def test_a_name_that_is_no_table_is_refused_with_the_nearest() -> None:
    with pytest.raises(RenderError, match=r"RG502 there is no table 'main-result'\n.*\n  Did you mean 'main-results'"):
        build_tables(make_results(), ["main-result"])


def test_every_number_is_the_display_string_of_a_result_that_exists() -> None:
    for results, table in built():
        known = results.by_id.keys() | results.comparison_by_id.keys()
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                assert set(cell.results) <= known, table.id
                if column.role == "estimate" and cell.results and cell.results[0] in results.by_id:
                    record = results.by_id[cell.results[0]]
                    assert plain(cell.text) == record.display.value, table.id
                    assert cell.detail in {"", record.display.interval}, table.id
                    assert cell.value == record.value, table.id
                elif column.role == "estimate" and cell.results:
                    compared = results.comparison_by_id[cell.results[0]]
                    assert plain(cell.text) == compared.display.difference, table.id
                    assert cell.detail == compared.display.interval, table.id
                    assert cell.value == compared.difference, table.id


def test_every_estimate_carries_its_bounds_and_sd() -> None:
    for results, table in built():
        for row in table.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                record = results.by_id.get(cell.results[0]) if cell.results and column.role == "estimate" else None
                if record is not None and record.value is not None:
                    extra = dict(cell.extra)
                    first = [(interval.lower, interval.upper) for interval in record.intervals[:1]] or [(None, None)]
                    assert (extra["lower"], extra["upper"]) == first[0], table.id
                    # Over folds, and never the one over queries that a record may hold beside it or alone.
                    of_folds = [spread.value for spread in record.sd if spread.over == "fold"] or [None]
                    assert [extra["sd"]] == of_folds, table.id


def test_every_value_that_is_missing_has_a_note() -> None:
    for _, table in built():
        for row in table.rows:
            for cell in row.cells:
                if plain(cell.text) in {"—", "n/a"}:
                    assert cell.notes, table.id
                    assert cell.mark == "", table.id
                    assert cell.value is None, table.id


def test_a_caption_is_sentences_and_says_that_the_data_are_synthetic() -> None:
    for _, table in built():
        caption = plain(table.caption)
        assert caption.endswith("The data are synthetic."), table.id
        assert "significant" not in caption, table.id
        assert "  " not in caption, table.id


def test_text_of_the_data_stays_whole() -> None:
    for table in build_tables(make_results(hostile=True), ["main-results", "per-fold", "ranking-at-k"]):
        heads = [plain(group.head) for group in table.groups]
        texts = {plain(cell.text) for row in table.rows for cell in row.cells} | set(heads)
        assert set(HOSTILE_NAMES[:2]) <= texts


def test_building_changes_nothing_and_gives_the_same_again() -> None:
    results = make_results()
    before = msgspec.json.encode(results)
    assert build_tables(results) == build_tables(results)
    assert msgspec.json.encode(results) == before
