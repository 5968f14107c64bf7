"""What every table format promises. A new format joins by existing."""

import csv
import io

import pytest

from reportgen.domain.presentation import Table, plain
from reportgen.render.table_formats import FORMATS
from reportgen.tables import build_tables
from tests.support.results import make_results
from tests.support.tables import hostile, small

RUNS = {
    "two systems": {},
    "one system, one fold, no labels": {"n_systems": 1, "n_labels": 0, "n_folds": 1},
    "six systems": {"n_systems": 6, "n_labels": 2, "n_folds": 2},
    "hostile names": {"hostile": True},
}
TABLES = {
    "small": small(),
    "hostile": hostile(),
    "empty": small(groups=()),
    **{f"{table.id}, {run}": table for run, how in RUNS.items() for table in build_tables(make_results(**how))},
}
each_format = pytest.mark.parametrize("name", sorted(FORMATS))
each_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))


def test_the_formats_the_command_line_promises_exist() -> None:
    assert {"latex", "html", "md", "csv"} <= set(FORMATS)


def test_no_two_formats_share_a_suffix() -> None:
    suffixes = [form.suffix for form in FORMATS.values()]
    assert len(set(suffixes)) == len(suffixes)


@each_format
@each_table
def test_every_number_of_a_table_is_in_every_format(name: str, table: Table) -> None:
    written = FORMATS[name].render(table)
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if column.role in {"number", "count", "estimate"} and cell.value is not None:
                text = plain(cell.text)
                assert any(form in written for form in (text, text.replace("−", "$-$"), repr(cell.value))), text


@each_format
@each_table
def test_a_table_is_written_the_same_twice_and_ends_with_a_line_end(name: str, table: Table) -> None:
    written = FORMATS[name].render(table)
    assert written == FORMATS[name].render(table)
    assert written.endswith("\n")
    written.encode("utf-8")


def test_the_two_csv_forms_have_one_row_per_row_and_equal_widths() -> None:
    for table in TABLES.values():
        for name in ("csv", "csv-display"):
            lines = list(csv.reader(io.StringIO(FORMATS[name].render(table))))
            assert len(lines) == 1 + len(table.rows)
            assert len({len(line) for line in lines}) == 1
