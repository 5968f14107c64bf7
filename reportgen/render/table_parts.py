"""A table cut into parts that each fit a page.

By rows where it is too long and its class cannot break tables; by columns where even a turned page is too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from reportgen.domain.presentation import Row, RowGroup, Table, Text, inlines, plain
from reportgen.render.table_text import TEXT_ROLES

_CONTINUED = " (continued)"
_FEWEST = 3
"""Rows that the last part has, if the others can do without them."""
_LOWER = tuple(1 - step / 50 for step in range(1, 25))
"""Shares of the height to which the parts before it are filled for that."""


def cut_by_rows(
    table: Table, heights: Sequence[float], head: float, most: float, last: float | None = None
) -> tuple[Table, ...]:
    """Cut a table into parts whose rows are at most so high; return the table itself where it is not higher.

    Args:
        table: Any table.
        heights: Height of each row, in the table's order, in any unit.
        head: Height of a group's head.
        most: Height of the rows and heads of a part; a single row that is taller has a part of its own.
        last: The same of the last part, under which the notes about the whole table stand.

    A part ends between groups, unless it would be less than half full; a group that is cut has its head in both parts,
    in the second with “(continued)”. The last part has three rows or more where that takes no further part. A part
    holds the notes that its cells refer to; those about the whole table are in the last.
    """
    cut = _of_height(table, heights, head, most, last)
    if len(cut) < 2:
        return (table,)
    if _rows(cut[-1]) < _FEWEST:
        lower = (_of_height(table, heights, head, share * most, last) for share in _LOWER)
        cut = next((one for one in lower if len(one) == len(cut) and _rows(one[-1]) >= _FEWEST), cut)
    return _with_their_notes([replace(table, groups=groups) for groups in cut], table)


def _of_height(
    table: Table, heights: Sequence[float], head: float, most: float, last: float | None
) -> list[tuple[RowGroup, ...]]:
    """Give the groups of each part where parts are filled one after the other."""
    cut = list(_cut(table, heights, head, most))
    if last is not None and cut:
        of_last = heights[len(heights) - _rows(cut[-1]) :]
        if head * len(cut[-1]) + sum(of_last) > last:
            cut[-1:] = _cut(replace(table, groups=cut[-1]), of_last, head, last)
    return cut


def _rows(groups: Sequence[RowGroup]) -> int:
    return sum(len(group.rows) for group in groups)


def cut_by_columns(table: Table, fits: Callable[[Table], bool]) -> tuple[Table, ...]:
    """Cut a table into parts that each hold as many of its columns as fit; return the table itself where all do.

    Each part begins with the columns of words that the table begins with, which say what a row is about. Columns
    under one head stay together where that head fits a part; a column that is alone too wide has a part of its own.
    """
    first = next((at for at, column in enumerate(table.columns) if column.role not in TEXT_ROLES), len(table.columns))
    lead = tuple(range(max(first, 1)))
    if fits(table) or len(lead) == len(table.columns):
        return (table,)
    cut: list[tuple[int, ...]] = []
    held: tuple[int, ...] = ()
    for block in _blocks(table, len(lead), lambda block: fits(_of_columns(table, (*lead, *block)))):
        if held and not fits(_of_columns(table, (*lead, *held, *block))):
            cut.append(held)
            held = ()
        held += block
    return _with_their_notes([_of_columns(table, (*lead, *at)) for at in (*cut, held)], table)


def _blocks(table: Table, first: int, fits: Callable[[tuple[int, ...]], bool]) -> Iterator[tuple[int, ...]]:
    """Give the columns from ``first`` on by index, those under one head together where they fit."""
    keys = [column.key for column in table.columns]
    heads = {spanner.columns[0]: len(spanner.columns) for spanner in table.spanners}
    at = first
    while at < len(keys):
        block = tuple(range(at, at + heads.get(keys[at], 1)))
        yield from (block,) if fits(block) else ((one,) for one in block)
        at = block[-1] + 1


def _of_columns(table: Table, at: tuple[int, ...]) -> Table:
    """Return the table of some columns, by index, with all its notes."""
    columns = tuple(table.columns[i] for i in at)
    keys = {column.key for column in columns}
    spanners = [replace(s, columns=tuple(key for key in s.columns if key in keys)) for s in table.spanners]
    groups = tuple(
        replace(group, rows=tuple(Row(tuple(row.cells[i] for i in at)) for row in group.rows)) for group in table.groups
    )
    return replace(table, columns=columns, groups=groups, spanners=tuple(s for s in spanners if s.columns))


def _with_their_notes(cut: Sequence[Table], table: Table) -> tuple[Table, ...]:
    """Give each part the notes its cells refer to, the last those about the whole table as well."""
    found = []
    for number, part in enumerate(cut):
        used = {key for row in part.rows for cell in row.cells for key in cell.notes}
        last = number == len(cut) - 1
        notes = tuple(note for note in table.notes if (note.key in used if note.key else last))
        found.append(replace(part, notes=notes))
    return tuple(found)


def _cut(table: Table, heights: Sequence[float], head: float, most: float) -> Iterator[tuple[RowGroup, ...]]:
    """Give the groups of each part."""
    remaining = iter(heights)
    part: list[RowGroup] = []
    height = 0.0
    for group in table.groups:
        of_group = [next(remaining) for _ in group.rows]
        whole = head + sum(of_group)
        for at, (row, own) in enumerate(zip(group.rows, of_group, strict=True)):
            # A group that begins needs its head and its first row on the same part, and all of it after half a part.
            needed = own if at else whole if height >= most / 2 and whole <= most else head + own
            if part and height + needed > most:
                yield tuple(part)
                part, height = [], 0.0
            if at == 0 or not part:
                part.append(RowGroup(group.head if at == 0 else _continued(group.head), ()))
                height += head
            part[-1] = replace(part[-1], rows=(*part[-1].rows, row))
            height += own
    if part:
        yield tuple(part)


def _continued(head: Text) -> Text:
    text = plain(head)
    return (*inlines(head), _CONTINUED) if text and not text.endswith(_CONTINUED) else head
