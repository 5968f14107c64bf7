"""A finished table whose columns are left out, ordered or renamed as its options say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from reportgen.domain.presentation import Column, Note, Row, Spanner, Table, plain
from reportgen.domain.record import TableOptions
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import unknown_names

REQUIRED = ("metric", "value", "subset", "interpretation")
"""The columns that the full form of a table of metrics always has."""


def in_columns(table: Table, options: TableOptions, *, required: Sequence[str] = ()) -> Table:
    """Return the table with the columns, heads and notes that its options ask for.

    A column is called by its key, by its head, or by the id of the metric or system that it is of. Columns that say
    what a row is about stay in front.

    Args:
        table: The table as it is built.
        options: Those of the table.
        required: Keys of columns that it cannot do without.

    Raises:
        RenderError: RG503 for a column that the table does not have, RG504 for one that it cannot do without.
    """
    if not (options.columns or options.leave_out or options.rename or options.notes):
        return table
    chosen = _chosen(table, options, required)
    columns = tuple(_renamed(table, table.columns[at], options) for at in chosen)
    notes = (*table.notes, *(Note("", text) for text in options.notes))
    return replace(
        table,
        columns=columns,
        groups=tuple(
            replace(group, rows=tuple(Row(tuple(row.cells[at] for at in chosen)) for row in group.rows))
            for group in table.groups
        ),
        spanners=tuple(_spanners(table, columns)),
        notes=notes,
    )


def _chosen(table: Table, options: TableOptions, required: Sequence[str]) -> list[int]:
    """Return the places of the columns to show, in their order."""
    asked = [at for name in options.columns for at in _places(table, name, "columns")]
    stubs = [at for at, column in enumerate(table.columns) if column.role == "stub"]
    shown = list(dict.fromkeys((*stubs, *asked))) if asked else list(range(len(table.columns)))
    out = {at for name in options.leave_out for at in _places(table, name, "leave_out")}
    shown = [at for at in shown if at not in out]
    kept = {column.key for column in table.columns if column.role == "stub" or column.key in required}
    if lacking := kept - {table.columns[at].key for at in shown}:
        names = ", ".join(repr(column.key) for column in table.columns if column.key in lacking)
        fix = "Keep it. Tables for papers show less: the compact form, or a table of your own with this one as base."
        raise RenderError(Diagnostic("RG504", f"[tables.{table.id}]", f"the table needs its column {names}", fix))
    return shown


def _places(table: Table, name: str, option: str) -> list[int]:
    """Return the places of the columns that a name stands for."""
    named = [[column.key, plain(column.head)] for column in table.columns]
    if found := [at for at, names in enumerate(named) if name in names]:
        return found
    own = f"value_{name}"
    if found := [at for at, (key, _) in enumerate(named) if key == own or key.startswith(f"{own}_")]:
        return found
    known = [key for key, _ in named]
    raise RenderError(unknown_names("column", [name], known, f"[tables.{table.id}] {option}"))


def _renamed(table: Table, column: Column, options: TableOptions) -> Column:
    for name, text in options.rename.items():
        if table.columns.index(column) in _places(table, name, "rename"):
            return replace(column, head=text, unit="")
    return column


def _spanners(table: Table, columns: Iterable[Column]) -> Iterable[Spanner]:
    """Yield the spanners over the columns that are still there; one whose columns are apart stands over each part."""
    over = {key: spanner for spanner in table.spanners for key in spanner.columns}
    parts: list[tuple[Spanner | None, list[str]]] = []
    for column in columns:
        spanner = over.get(column.key)
        if parts and parts[-1][0] is spanner:
            parts[-1][1].append(column.key)
        else:
            parts.append((spanner, [column.key]))
    return (Spanner(spanner.head, tuple(keys)) for spanner, keys in parts if spanner is not None)
