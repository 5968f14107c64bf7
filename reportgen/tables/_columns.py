"""A finished table whose columns are left out, ordered or renamed as its options say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from reportgen.domain.presentation import Column, Note, Row, Spanner, Table, plain
from reportgen.domain.record import TableOptions
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import unknown_names

REQUIRED = ("metric", "value", "subset", "interpretation")
"""The columns that the full form of a table of metrics always has."""


def in_columns(
    table: Table, options: TableOptions, *, named: Collection[str] = (), required: Sequence[str] = ()
) -> Table:
    """Return the table with the columns, heads and notes that its options ask for.

    A column is called by its key, by its head, or by the id of the metric or system that it is of. Columns that say
    what a row is about stay in front.

    Args:
        table: The table as it is built.
        options: Those of the table.
        named: Ids of metrics, systems and subsets, which have their names already.
        required: Keys of columns that it cannot do without.

    Raises:
        RenderError: RG503 for a column that the table does not have, RG504 for one that it cannot do without.
    """
    chosen = _chosen(table, options, required)
    heads = {
        at: text for name, text in options.rename.items() if name not in named for at in _places(table, name, "rename")
    }
    columns = tuple(
        replace(table.columns[at], head=heads[at], unit="") if at in heads else table.columns[at] for at in chosen
    )
    notes = (*table.notes, *(Note("", text) for text in options.notes))
    return replace(_of(table, chosen, columns), notes=notes)


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


def in_parts(table: Table, most: int) -> tuple[Table, ...]:
    """Return a table in parts of at most ``most`` columns of values (0: any number), each with what rows are about.

    The parts after the first are called ``<id>-2`` and so on, as those of figures are.
    """
    values = [at for at, column in enumerate(table.columns) if column.role == "estimate"]
    if not 0 < most < len(values):
        return (table,)
    parts = []
    for number, start in enumerate(range(0, len(values), most), start=1):
        left = {*values} - {*values[start : start + most]}
        chosen = [at for at in range(len(table.columns)) if at not in left]
        part = _of(table, chosen, tuple(table.columns[at] for at in chosen))
        used = {key for row in part.rows for cell in row.cells for key in cell.notes}
        notes = tuple(note for note in part.notes if not note.key or note.key in used)
        suffix, title = (f"-{number}", f"{table.title} ({number})") if number > 1 else ("", table.title)
        label = table.label if number == 1 else ""
        parts.append(replace(part, id=f"{table.id}{suffix}", title=title, notes=notes, label=label))
    return tuple(parts)


def _of(table: Table, chosen: Sequence[int], columns: tuple[Column, ...]) -> Table:
    """Return the table with the cells of some of its columns, in an order."""
    return replace(
        table,
        columns=columns,
        groups=tuple(
            replace(group, rows=tuple(Row(tuple(row.cells[at] for at in chosen)) for row in group.rows))
            for group in table.groups
        ),
        spanners=tuple(_spanners(table, columns)),
    )
