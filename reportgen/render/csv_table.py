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
from collections.abc import Collection, Iterable
from functools import partial

from reportgen.domain.directions import bare
from reportgen.domain.presentation import Cell, Column, Figure, Table, Value, plain
from reportgen.render.table_pieces import Pieces
from reportgen.render.table_text import TEXT_ROLES, full_head, has_groups
from reportgen.results import inert

_MARKS = {"": "", "best": "(best)", "second": "(second best)"}


def render(table: Table) -> str:
    """Return the machine form of a table.

    One column per key, then ``key_lower``, ``key_upper``, … and ``key_status`` of estimates.
    """
    made, grouped = table_pieces(table), has_groups(table)
    lines = [["group"] * grouped + [*made.heads]]
    lines += ([head] * grouped + [*cells] for head, rows in made.groups for cells in rows)
    return "".join(f"{','.join(line)}\n" for line in lines)


def table_pieces(table: Table) -> Pieces:
    """Return the pieces of a table as CSV: of each column all fields, with the commas between them."""
    groups = tuple(
        (
            _joined([inert(bare(plain(group.head)))]),
            tuple(tuple(map(_joined, map(_fields, table.columns, row.cells))) for row in group.rows),
        )
        for group in table.groups
    )
    return Pieces("", tuple(_joined(_names(column)) for column in table.columns), (), groups, "")


def render_display(table: Table) -> str:
    """Return the display form: the heads and strings that the other formats print, best values in words."""
    grouped = has_groups(table)
    signs = {note.key for note in table.notes if note.word}
    head = [inert(bare(full_head(table, column))) for column in table.columns]
    rows = (
        [*([inert(bare(plain(group.head)))] if grouped else []), *map(partial(_shown, signs), table.columns, row.cells)]
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


def _fields(column: Column, cell: Cell) -> list[str]:
    text = inert(bare(plain(cell.text))) if column.role in TEXT_ROLES and cell.value is None else _machine(cell.value)
    extra = dict(cell.extra)
    status = [cell.status] if column.role == "estimate" else []
    return [text, *(_machine(extra.get(suffix)) for suffix in column.suffixes), *status]


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


def _shown(signs: Collection[str], column: Column, cell: Cell) -> str:
    text = plain(cell.text)
    own = ",".join(key for key in cell.notes if key in signs)
    if cell.detail or cell.mark or own:
        return inert(" ".join(part for part in (f"{text}{own}", cell.detail, _MARKS[cell.mark]) if part))
    # A column of numbers can hold a word of the data: a setting of a sweep.
    return inert(bare(text)) if column.role in TEXT_ROLES or isinstance(cell.value, str) else text


def _joined(fields: list[str]) -> str:
    # A line that is one empty field is written with quotation marks; within a longer line it has none.
    return _written([fields]).removesuffix("\n") if any(fields) else "," * (len(fields) - 1)


def _written(rows: Iterable[Iterable[str]]) -> str:
    target = io.StringIO()
    csv.writer(target, lineterminator="\n").writerows(rows)
    return target.getvalue()
