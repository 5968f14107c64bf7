"""Columns of differences from the baseline, beside each value of a finished table: in points, and in per cent.

They are the recorded comparisons where the results hold them, else derived from the two unrounded values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypeAlias

from reportgen.domain.presentation import Cell, Column, Note, Row, Table, plain
from reportgen.domain.record import Estimate, Results
from reportgen.errors import Diagnostic, RenderError
from reportgen.prose import set_words
from reportgen.tables._cells import DIFFERENCE_SUFFIXES, Notes, between, difference_of
from reportgen.tables._number_forms import NumberForm
from reportgen.templating import Load
from reportgen.wording.comparisons import unit_of_difference
from reportgen.wording.rankings import baseline
from reportgen.wording.text import SPACE

Change: TypeAlias = Literal["points", "percent"]
KINDS: Mapping[str, tuple[Change, ...]] = {
    "points": ("points",),
    "percent": ("percent",),
    "both": ("points", "percent"),
}
"""What an option of a table asks for, by its word."""
_ARROWS = (f"{SPACE}↑", f"{SPACE}↓")


class _Placed(NamedTuple):
    """A value of the table, the baseline's where it has one, and whether its interval is printed."""

    record: Estimate
    other: Estimate | None
    detailed: bool


def with_changes(
    table: Table, kinds: Sequence[Change], numbers: NumberForm, load: Load, facts: Mapping[str, Any]
) -> Table:
    """Return a table with a column of differences from the baseline after each column of values.

    Args:
        table: A finished table.
        kinds: Which differences; ``percent`` are relative to the baseline's value.
        numbers: Everything that was computed, and how the numbers of the table are printed.
        load: Gives the template of the note, ``text/notes/changes.md.j2``.
        facts: What it can ask.

    Raises:
        RenderError: RG504, the table shows no value of another system than the baseline.
    """
    results = numbers.results
    first = baseline(results)
    rows = [
        [_value(results, first.id, *both) for both in zip(table.columns, row.cells, strict=True)] for row in table.rows
    ]
    beside = [any(one is not None and one.other is not None for one in column) for column in zip(*rows, strict=True)]
    if not any(beside):
        why = f"it shows no value beside which a difference from {first.label} could be"
        raise RenderError(
            Diagnostic("RG504", f"[tables.{table.id}] changes", why, "Choose a table with values of other systems.")
        )
    notes = Notes.after(table.notes)
    columns: list[Column] = []
    spanned: dict[str, list[str]] = {}
    for at, column in enumerate(table.columns):
        values = [row[at] for row in rows]
        added = [_column(results, column, kind, values) for kind in kinds] if beside[at] else []
        columns += (column, *added)
        spanned[column.key] = [column.key, *(one.key for one in added)]

    def row_of(row: Row, values: list[_Placed | None]) -> Row:
        cells: list[Cell] = []
        for cell, value, several in zip(row.cells, values, beside, strict=True):
            cells.append(cell)
            cells += (_cell(numbers, value, kind, notes) for kind in kinds if several)
        return Row(tuple(cells))

    values_of = iter(rows)
    groups = tuple(
        replace(group, rows=tuple(row_of(row, next(values_of)) for row in group.rows)) for group in table.groups
    )
    spanners = tuple(
        replace(one, columns=tuple(key for column in one.columns for key in spanned[column])) for one in table.spanners
    )
    words = set_words(load, ("notes/changes",), {**facts, "title": first.label, "caption": "", "kinds": kinds})
    lettered = [note for note in notes.all() if note.key not in {one.key for one in table.notes}]
    own = [Note("", text) for text in words.notes]
    return replace(
        table, columns=tuple(columns), groups=groups, spanners=spanners, notes=(*table.notes, *lettered, *own)
    )


def _value(results: Results, first: str, column: Column, cell: Cell) -> _Placed | None:
    """Return what a cell shows, if it is a value of a system."""
    record = results.by_id.get(cell.results[0]) if cell.results and column.role == "estimate" else None
    if record is None or record.value is None or cell.value != record.value:
        return None
    other = None if record.system == first else results.find(record.metric, first, record.subset, record.aggregation)
    return _Placed(record, other, bool(cell.detail))


def _column(results: Results, column: Column, kind: Change, values: list[_Placed | None]) -> Column:
    head = plain(column.head)
    for arrow in _ARROWS:
        head = head.removesuffix(arrow)
    name = "Δ" if head == "Value" else f"Δ{SPACE}{head}"
    if kind == "percent":
        return Column(f"{column.key}_change_percent", name, "number", "%", width=0.9)
    units = {unit_of_difference(results.metric_by_id[one.record.metric].unit) for one in values if one}
    unit = units.pop() if len(units) == 1 else ""
    return Column(f"{column.key}_change", name, "estimate", unit, width=1.1, suffixes=DIFFERENCE_SUFFIXES)


def _cell(numbers: NumberForm, value: _Placed | None, kind: Change, notes: Notes) -> Cell:
    if value is None or value.other is None:
        return Cell()
    pair = between(numbers.results, value.record, value.other)
    cell = difference_of(numbers.results, value.record, value.other, notes)
    if pair.difference is None:
        return replace(cell, extra=())
    if kind == "percent":
        if pair.relative is None:
            return notes.absent("the value it would relate to is not positive", cell.results)
        return Cell(numbers.relative(pair), value=pair.relative, results=cell.results)
    detail = numbers.bounds(pair) if value.detailed else ""
    return replace(cell, text=numbers.difference(pair, pair.difference, signed=True), detail=detail)
