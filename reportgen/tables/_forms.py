"""The forms in which a value and its uncertainty stand: a finished table in another form, its numbers untouched.

- ``brackets``: ``0.897 [0.888, 0.906]``, as tables are built; ``below``: the same, on two lines;
- ``columns``: value, lower and upper bound in columns of their own;
- ``sd``: ``0.897 ± 0.011``; ``sd-and-interval``: ``0.897 ± 0.011 (95% CI: [0.888, 0.906])``, the form that the
  gold-standard document asks for (§10.1).

A form changes the cells that show an interval; where a table leaves intervals out for width, it stays as it is. The
character ± never stands without a note that says what it is over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from reportgen.domain.presentation import Cell, Column, Inline, Note, Row, Spanner, Table, Text, inlines, plain
from reportgen.domain.record import Estimate, IntervalForm, Results
from reportgen.numbers import percent
from reportgen.wording.text import SPACE

_BOUNDS = re.compile(r"\[(?P<lower>\S+), (?P<upper>\S+)\]")
# As :func:`reportgen.wording.captions.interval_sentence` writes it, with what it says of thresholds. A point within a
# number ends no sentence.
_BRACKETS = re.compile(r"Brackets hold (?P<what>(?:[^.]|\.(?=\d))*\.)(?P<more> Thresholds (?:[^.]|\.(?=\d))*\.)?\s*")


def in_form(table: Table, results: Results, form: IntervalForm) -> Table:
    """The table with its intervals in another form; the same table where it shows none."""
    if form == "brackets" or not any(cell.detail for row in table.rows for cell in row.cells):
        return table
    if form == "below":
        return replace(table, stacked=True)
    return _in_columns(table) if form == "columns" else _with_sd(table, results, interval=form == "sd-and-interval")


def _with_sd(table: Table, results: Results, *, interval: bool) -> Table:
    """SDs in place of intervals, or before them; a cell without an SD keeps its interval."""
    used: dict[str, None] = {}
    without = False

    def changed(cell: Cell) -> Cell:
        nonlocal without
        record = results.by_id.get(cell.results[0]) if len(cell.results) == 1 else None
        if not cell.detail or record is None:
            return cell
        if not record.display.sd:
            without = True
            return cell
        used[_sd_words(record)] = None
        return replace(cell, detail=f"±{SPACE}{record.display.sd}{_interval_words(results, record, cell, interval)}")

    done = _of_cells(table, changed)
    if not used:
        return table
    words = "; or ".join(used)
    notes = [f"± is the standard deviation of {words}, and no interval."]
    notes += ["A value without ± has no such standard deviation."] * without
    kept = interval or any("[" in text for text in _printed(done))
    general = tuple(note if kept else replace(note, text=_reworded(note.text, "")) for note in done.notes)
    return replace(done, notes=(*(note for note in general if plain(note.text)), Note("", " ".join(notes))))


def _sd_words(record: Estimate) -> str:
    [spread] = [spread for spread in record.sd if spread.over == "fold"]
    return f"the values of {spread.n} folds (divisor {'n − 1' if spread.ddof == 1 else 'n'})"


def _interval_words(results: Results, record: Estimate, cell: Cell, shown: bool) -> str:
    if not shown or not record.intervals:
        return ""
    level = percent(results.interval_settings[record.intervals[0].settings].level, 1).removesuffix(".0")
    return f" ({level}% CI: {cell.detail})"


def _in_columns(table: Table) -> Table:
    """Each column with intervals as three: value, lower bound, upper bound."""
    split = [any(_BOUNDS.fullmatch(row.cells[at].detail) for row in table.rows) for at in range(len(table.columns))]
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
    holders = "Brackets and the columns" if "[" in plain(table.caption) else "The columns"
    lead = f"{holders} lower and upper hold the bounds of "
    notes = tuple(replace(note, text=_reworded(note.text, lead)) for note in table.notes)
    return replace(table, columns=tuple(columns), groups=groups, spanners=tuple(spanners), notes=notes)


def _three(column: Column, *, alone: bool) -> tuple[Column, Column, Column]:
    """A column and those of its bounds; where it stands ``alone`` its head goes over the three."""
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
        bounds = _BOUNDS.fullmatch(cell.detail)
        yield replace(cell, detail="", extra=tuple(pair for pair in cell.extra if pair[0] not in {"lower", "upper"}))
        for part in ("lower", "upper"):
            text = bounds[part] if bounds else plain(cell.text) if cell.value is None else ""
            yield Cell(text, value=extra.get(part), results=cell.results, status=cell.status)


def _of_cells(table: Table, changed: Callable[[Cell], Cell]) -> Table:
    groups = tuple(
        replace(group, rows=tuple(Row(tuple(map(changed, row.cells))) for row in group.rows)) for group in table.groups
    )
    return replace(table, groups=groups)


def _printed(table: Table) -> Iterator[str]:
    yield plain(table.caption)
    yield from (cell.detail for row in table.rows for cell in row.cells)


def _reworded(text: Text, lead: str) -> Text:
    """A note with its sentence about brackets begun otherwise; without that sentence if ``lead`` is empty."""

    def of(part: Inline) -> Inline:
        if not isinstance(part, str):
            return part
        return _BRACKETS.sub(lambda m: f"{lead}{m['what']}{m['more'] or ''} " if lead else "", part).strip()

    return tuple(of(part) for part in inlines(text)) if isinstance(text, tuple) else of(text)
