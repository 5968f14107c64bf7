"""The forms in which a value and its uncertainty stand: a finished table in another form, its numbers untouched.

- ``brackets``: ``0.897 [0.888, 0.906]``, as tables are built; ``below``: the same, on two lines;
- ``columns``: value, lower and upper bound in columns of their own;
- ``none``: values alone;
- ``sd``: ``0.897 ± 0.011``; ``sd-and-interval``: ``0.897 ± 0.011 (95% CI: [0.888, 0.906])``, the form that the
  gold-standard document asks for (§10.1).

A form changes the cells that show an interval. Where a table leaves intervals out for width, it stays as it is, but
for ``sd``: ± and an SD are half as wide, and are next to each estimate of a table that has no column of SDs. The
character ± never stands without a note that says what it is over. Where a form leaves no interval in the cells, the
caption shows none, and no note is about intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from reportgen.domain.presentation import (
    Brackets,
    Cell,
    Column,
    Inline,
    Note,
    Row,
    Shown,
    Spanner,
    Table,
    Text,
    groups_with,
    inlines,
    plain,
)
from reportgen.domain.record import Estimate, IntervalForm, Results
from reportgen.numbers import percent
from reportgen.tables._number_forms import NumberForm
from reportgen.wording.conventions import doubt
from reportgen.wording.text import SPACE, concat, paragraph
from reportgen.wording.values import about_interval


def in_form(table: Table, results: Results, form: IntervalForm, numbers: NumberForm | None = None) -> Table:
    """Return the table with its intervals in another form; the same table where it shows none.

    ``numbers`` says how the table's numbers are printed, where that is not as the results print them.
    """
    if form == "none":
        return _without_intervals(_without_details(table), results)
    if form in ("sd", "sd-and-interval"):
        return _with_sd(table, numbers or NumberForm(results), interval=form == "sd-and-interval")
    if form == "brackets" or not _any_interval(table):
        return table
    return replace(table, stacked=True) if form == "below" else _in_columns(table, results)


def _holds_interval(cell: Cell) -> bool:
    """Return whether what is next to a value is its interval; a share beside a count is of no result."""
    return bool(cell.detail and cell.results)


def _any_interval(table: Table) -> bool:
    return any(_holds_interval(cell) for row in table.rows for cell in row.cells)


def _without_details(table: Table) -> Table:
    """Return the table whose cells print no interval."""

    def changed(_column: Column, cell: Cell) -> Cell:
        return replace(cell, detail="") if _holds_interval(cell) else cell

    return replace(table, groups=groups_with(table, changed))


def _without_intervals(table: Table, results: Results) -> Table:
    """Return a table whose cells print no interval without intervals in its caption, and without notes on them."""
    dropped = {note.key for note in table.notes if note.key.isalpha() and about_interval(plain(note.text))}

    def changed(_column: Column, cell: Cell) -> Cell:
        return replace(cell, notes=tuple(key for key in cell.notes if key not in dropped))

    notes = tuple(note for note in table.notes if note.key not in dropped)
    return replace(
        table,
        caption=_values_alone(table.caption, results),
        groups=groups_with(table, changed),
        notes=_with_brackets_said(notes, lambda said: ""),
    )


def _values_alone(text: Text, results: Results) -> Text:
    """Return a text without the intervals of results, and without the space before each."""
    kept: list[Inline] = []
    for part in inlines(text):
        if not _is_interval(results, part):
            kept.append(part)
        elif kept and isinstance(kept[-1], str):
            kept[-1] = kept[-1].removesuffix(SPACE)
    return concat(*kept)


def _with_sd(table: Table, numbers: NumberForm, *, interval: bool) -> Table:
    """Return the table with SDs in place of intervals, or before them; a cell without an SD keeps its interval."""
    results = numbers.results
    if interval and not _any_interval(table):
        return table
    used: dict[str, None] = {}
    without = False
    own = any(column.key.startswith("sd") for column in table.columns)

    def changed(column: Column, cell: Cell) -> Cell:
        nonlocal without
        bare = column.role == "estimate" and not interval and not own
        shown = _holds_interval(cell) or (bare and cell.value is not None and bool(cell.results))
        record = results.by_id.get(cell.results[0]) if shown else None
        if record is None or not record.display.sd:
            without = without or record is not None
            return cell
        used[_sd_words(record)] = None
        beside = _interval_words(numbers, record) if interval else ""
        return replace(cell, detail=f"±{SPACE}{numbers.sd(record)}{beside}")

    changed_table = replace(table, groups=groups_with(table, changed))
    if not used:
        return table
    if not any(_in_brackets(cell) for row in changed_table.rows for cell in row.cells):
        changed_table = _without_intervals(changed_table, results)
    words = f"± is the standard deviation of {'; or '.join(used)}, and no interval.{doubt(results, 'sd_ddof')}"
    words += " A value without ± has no such standard deviation." * without
    return replace(changed_table, notes=(*changed_table.notes, Note("", words)))


def _in_brackets(cell: Cell) -> bool:
    return _holds_interval(cell) and cell.detail.endswith(("]", ")"))


def _sd_words(record: Estimate) -> str:
    [spread] = [spread for spread in record.sd if spread.over == "fold"]
    return f"the values of {spread.n} folds (divisor {'n − 1' if spread.ddof == 1 else 'n'})"


def _interval_words(numbers: NumberForm, record: Estimate) -> str:
    if not record.intervals:
        return ""
    level = percent(numbers.results.interval_settings[record.intervals[0].settings].level, 1).removesuffix(".0")
    return f" ({level}% CI: {numbers.interval(record)})"


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
        replace(group, rows=tuple(Row(tuple(_divided(row, split))) for row in group.rows)) for group in table.groups
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


def _divided(row: Row, split: list[bool]) -> Iterator[Cell]:
    for cell, divided in zip(row.cells, split, strict=True):
        if not divided:
            yield cell
            continue
        extra = dict(cell.extra)
        absent = plain(cell.text) if cell.value is None else ""
        texts = cell.detail[1:-1].split(", ") if _holds_interval(cell) else (absent, absent)
        yield replace(cell, detail="", extra=tuple(pair for pair in cell.extra if pair[0] not in {"lower", "upper"}))
        for part, text in zip(("lower", "upper"), texts, strict=True):
            yield Cell(text, value=extra.get(part), results=cell.results, status=cell.status)


def _shows_interval(results: Results, text: Text) -> bool:
    """Return whether a text shows the interval of a result."""
    return any(_is_interval(results, part) for part in inlines(text))


def _is_interval(results: Results, part: Inline) -> bool:
    if not isinstance(part, Shown):
        return False
    record = results.by_id.get(part.result) or results.comparison_by_id.get(part.result)
    return record is not None and part.text.startswith("[") and bool(record.display.interval)


def _with_brackets_said(notes: tuple[Note, ...], said: Callable[[Brackets], str]) -> tuple[Note, ...]:
    """Return the notes with what they say of brackets said otherwise; without a note that says nothing then."""
    parts = ([said(part) if isinstance(part, Brackets) else part for part in inlines(note.text)] for note in notes)
    texts = [paragraph(part.strip() if isinstance(part, str) else part for part in of_note) for of_note in parts]
    return tuple(replace(note, text=text) for note, text in zip(notes, texts, strict=True) if text)
