"""A table as CSV, in two forms: machine values at full precision, and the printed strings; the data of a figure too.

The machine form is for programs: heads are keys, and a number without a value is an empty field with its status
beside it. The display form is for spreadsheets. Since either may be opened in a spreadsheet, a text that it would run
as a formula gets an apostrophe in front in both, which spreadsheets take as "this is text"; so does a number printed
with its interval. Fields that hold a number alone are left as they are, so that no minus or plus is harmed. A field
that is a name and nothing else is that name, whatever its direction of writing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator

from reportgen.domain.directions import bare
from reportgen.domain.presentation import Cell, Column, Figure, RowGroup, Table, Value, plain
from reportgen.render.table_text import TEXT_ROLES, full_head, has_groups
from reportgen.results import inert


def render(table: Table) -> str:
    """Return the machine form of a table.

    One column per key, then ``key_lower``, ``key_upper``, … and ``key_status`` of estimates.
    """
    grouped = has_groups(table)
    head = [name for column in table.columns for name in _names(column)]
    rows = (
        [*([inert(bare(plain(group.head)))] if grouped else []), *_fields(table, group, at)]
        for group in table.groups
        for at in range(len(group.rows))
    )
    return _written([["group"] * grouped + head, *rows])


def render_display(table: Table) -> str:
    """Return the display form: the heads and strings that the other formats print."""
    grouped = has_groups(table)
    head = [inert(bare(full_head(table, column))) for column in table.columns]
    rows = (
        [*([inert(bare(plain(group.head)))] if grouped else []), *map(_shown, table.columns, row.cells)]
        for group in table.groups
        for row in group.rows
    )
    return _written([["Group"] * grouped + head, *rows])


def render_data(figure: Figure) -> str:
    """Return the plotted data: a header and a line per row, full precision, empty where there is no value."""
    return _written([figure.columns, *(map(_machine, row) for row in figure.rows)])


def _names(column: Column) -> list[str]:
    status = ["status"] if column.role == "estimate" else []
    return [column.key, *(f"{column.key}_{suffix}" for suffix in (*column.suffixes, *status))]


def _fields(table: Table, group: RowGroup, at: int) -> Iterator[str]:
    for column, cell in zip(table.columns, group.rows[at].cells, strict=True):
        yield (
            inert(bare(plain(cell.text))) if column.role in TEXT_ROLES and cell.value is None else _machine(cell.value)
        )
        extra = dict(cell.extra)
        yield from (_machine(extra.get(suffix)) for suffix in column.suffixes)
        if column.role == "estimate":
            yield cell.status


def _machine(value: Value) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case float():
            return repr(float(value) + 0.0)  # adding zero turns -0.0 into 0.0
        case int():
            return str(value)
        case _:
            return inert(bare(value))


def _shown(column: Column, cell: Cell) -> str:
    text = plain(cell.text)
    if cell.detail:
        return inert(f"{text} {cell.detail}")
    # A column of numbers can hold a word of the data: a setting of a sweep.
    return inert(bare(text)) if column.role in TEXT_ROLES or isinstance(cell.value, str) else text


def _written(rows: Iterable[Iterable[str]]) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows(rows)
    return target.getvalue()
