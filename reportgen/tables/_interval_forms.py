"""The forms in which a value and its uncertainty stand: a finished table in another form, its numbers untouched.

- ``brackets``: ``0.897 [0.888, 0.906]``, as tables are built; ``below``: the same, on two lines;
- ``columns``: value, lower and upper bound in columns of their own;
- ``sd``: ``0.897 ± 0.011``; ``sd-and-interval``: ``0.897 ± 0.011 (95% CI: [0.888, 0.906])``, the form that the
  gold-standard document asks for (§10.1).

A form changes the cells that show an interval; where a table leaves intervals out for width, it stays as it is, but
for ``sd``: ± and an SD are half as wide, and are next to each estimate of a table that has no column of SDs. The
character ± never stands without a note that says what it is over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from reportgen.domain.presentation import (
    Brackets,
    Cell,
    Column,
    Note,
    Row,
    Shown,
    Spanner,
    Table,
    Text,
    inlines,
    plain,
)
from reportgen.domain.record import Estimate, IntervalForm, Results
from reportgen.numbers import percent
from reportgen.wording.conventions import doubt
from reportgen.wording.text import SPACE, paragraph


def in_form(table: Table, results: Results, form: IntervalForm) -> Table:
    """Return the table with its intervals in another form; the same table where it shows none."""
    if form == "brackets":
        return table
    if form == "sd":
        return _with_sd(table, results, interval=False)
    if not any(_holds_interval(cell) for row in table.rows for cell in row.cells):
        return table
    if form == "below":
        return replace(table, stacked=True)
    if form == "columns":
        return _in_columns(table, results)
    return _with_sd(table, results, interval=True)


def _holds_interval(cell: Cell) -> bool:
    """Return whether what is next to a value is its interval; a share beside a count is of no result."""
    return bool(cell.detail and cell.results)


def _with_sd(table: Table, results: Results, *, interval: bool) -> Table:
    """Return the table with SDs in place of intervals, or before them; a cell without an SD keeps its interval."""
    used: dict[str, None] = {}
    without, brackets = False, interval or _shows_interval(results, table.caption)
    own = any(column.key.startswith("sd") for column in table.columns)
    bare = [column.role == "estimate" and not interval and not own for column in table.columns]

    def changed(cell: Cell, bare: bool) -> Cell:
        nonlocal without, brackets
        shown = _holds_interval(cell) or (bare and cell.value is not None and bool(cell.results))
        record = results.by_id.get(cell.results[0]) if shown else None
        if record is None or not record.display.sd:
            without, brackets = without or record is not None, brackets or _holds_interval(cell)
            return cell
        used[_sd_words(record)] = None
        return replace(
            cell, detail=f"±{SPACE}{record.display.sd}{_interval_words(results, record) if interval else ''}"
        )

    groups = tuple(
        replace(group, rows=tuple(Row(tuple(map(changed, row.cells, bare))) for row in group.rows))
        for group in table.groups
    )
    if not used:
        return table
    notes = table.notes if brackets else _with_brackets_said(table.notes, lambda said: "")
    words = f"± is the standard deviation of {'; or '.join(used)}, and no interval.{doubt(results, 'sd_ddof')}"
    words += " A value without ± has no such standard deviation." * without
    return replace(table, groups=groups, notes=(*notes, Note("", words)))


def _sd_words(record: Estimate) -> str:
    [spread] = [spread for spread in record.sd if spread.over == "fold"]
    return f"the values of {spread.n} folds (divisor {'n − 1' if spread.ddof == 1 else 'n'})"


def _interval_words(results: Results, record: Estimate) -> str:
    if not record.intervals:
        return ""
    level = percent(results.interval_settings[record.intervals[0].settings].level, 1).removesuffix(".0")
    return f" ({level}% CI: {record.display.interval})"


def _in_columns(table: Table, results: Results) -> Table:
    """Return the table with three columns for each with intervals: value, lower bound, upper bound."""
    split = [any(_holds_interval(row.cells[at]) for row in table.rows) for at in range(len(table.columns))]
    spanned = {key: spanner for spanner in table.spanners for key in spanner.columns}
    columns: list[Column] = []
    spanners: list[Spanner] = []
    for column, divided in zip(table.columns, split, strict=True):
        own = _three(column, alone=column.key not in spanned) if divided else (column,)
        columns += own
        keys = tuple(part.key for part in own)
        if over := spanned.get(column.key):
            if spanners and spanners[-1].head == over.head and column.key != over.columns[0]:
                spanners[-1] = replace(spanners[-1], columns=(*spanners[-1].columns, *keys))
            else:
                spanners.append(Spanner(over.head, keys))
        elif divided:
            spanners.append(Spanner(column.head, keys))
    groups = tuple(
        replace(group, rows=tuple(Row(tuple(_divided(results, row, split))) for row in group.rows))
        for group in table.groups
    )
    holders = "Brackets and the columns" if _shows_interval(results, table.caption) else "The columns"
    notes = _with_brackets_said(
        table.notes, lambda said: f"{holders} lower and upper hold the bounds of {said.hold}.{said.further}"
    )
    return replace(table, columns=tuple(columns), groups=groups, spanners=tuple(spanners), notes=notes)


def _three(column: Column, *, alone: bool) -> tuple[Column, Column, Column]:
    """Return a column and those of its bounds; where it stands ``alone`` its head goes over the three."""
    rest = tuple(suffix for suffix in column.suffixes if suffix not in {"lower", "upper"})
    head = plain(column.head)
    lower, upper = ("Lower", "Upper") if alone else (f"{head}, lower", f"{head}, upper")
    return (
        replace(column, head="Value" if alone else column.head, suffixes=rest),
        Column(f"{column.key}_lower", lower, "number", column.unit, column.width / 2),
        Column(f"{column.key}_upper", upper, "number", column.unit, column.width / 2),
    )


def _divided(results: Results, row: Row, split: list[bool]) -> Iterator[Cell]:
    for cell, divided in zip(row.cells, split, strict=True):
        if not divided:
            yield cell
            continue
        extra = dict(cell.extra)
        absent = plain(cell.text) if cell.value is None else ""
        texts = _bounds(results, cell.results[0]) if _holds_interval(cell) else (absent, absent)
        yield replace(cell, detail="", extra=tuple(pair for pair in cell.extra if pair[0] not in {"lower", "upper"}))
        for part, text in zip(("lower", "upper"), texts, strict=True):
            yield Cell(text, value=extra.get(part), results=cell.results, status=cell.status)


def _bounds(results: Results, id: str) -> tuple[str, str]:
    """Return the bounds of the interval that is shown of a record, as they are printed in its brackets."""
    record = results.by_id.get(id) or results.comparison_by_id[id]
    lower, upper = record.display.interval[1:-1].split(", ")
    return lower, upper


def _shows_interval(results: Results, text: Text) -> bool:
    """Return whether a text shows the interval of a result."""
    shown = [part for part in inlines(text) if isinstance(part, Shown)]
    return any(
        part.text == record.display.interval
        for part in shown
        if (record := results.by_id.get(part.result) or results.comparison_by_id.get(part.result))
    )


def _with_brackets_said(notes: tuple[Note, ...], said: Callable[[Brackets], str]) -> tuple[Note, ...]:
    """Return the notes with what they say of brackets said otherwise; without a note that says nothing then."""
    parts = ([said(part) if isinstance(part, Brackets) else part for part in inlines(note.text)] for note in notes)
    texts = [paragraph(part.strip() if isinstance(part, str) else part for part in of_note) for of_note in parts]
    return tuple(replace(note, text=text) for note, text in zip(notes, texts, strict=True) if text)
