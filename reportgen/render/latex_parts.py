"""A long table cut into parts that each fit a page, for two-column classes, where nothing else can break a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from reportgen.domain.presentation import Row, RowGroup, Table, Text, inlines, plain

_CONTINUED = " (continued)"


def parts(table: Table, heights: Sequence[float], head: float, most: float) -> tuple[Table, ...]:
    """The table in parts whose rows are at most so high; the table itself where it is no higher.

    Args:
        table: Any table.
        heights: Height of each row, in the table's order, in any unit.
        head: Height of a group's head.
        most: Height of the rows and heads of a part; a single row that is taller has a part of its own.

    A group that is cut has its head in both parts, in the second with “(continued)”. A part holds the notes that its
    cells refer to; those about the whole table stand in the last.
    """
    cut = list(_cut(table, heights, head, most))
    if len(cut) < 2:
        return (table,)
    found = []
    for number, groups in enumerate(cut):
        used = {key for group in groups for row in group.rows for cell in row.cells for key in cell.notes}
        last = number == len(cut) - 1
        notes = tuple(note for note in table.notes if (note.key in used if note.key else last))
        found.append(replace(table, groups=groups, notes=notes))
    return tuple(found)


def _cut(table: Table, heights: Sequence[float], head: float, most: float) -> Iterator[tuple[RowGroup, ...]]:
    """The groups of each part."""
    own_heights = iter(heights)
    part: list[tuple[Text, list[Row]]] = []
    height = 0.0
    for group in table.groups:
        for at, row in enumerate(group.rows):
            own = next(own_heights)
            # A group that begins needs its head and its first row on the same part.
            if part and height + own + head * (at == 0) > most:
                yield _closed(part)
                part, height = [], 0.0
            if at == 0 or not part:
                part.append((group.head if at == 0 else _continued(group.head), []))
                height += head
            part[-1][1].append(row)
            height += own
    if part:
        yield _closed(part)


def _closed(part: list[tuple[Text, list[Row]]]) -> tuple[RowGroup, ...]:
    return tuple(RowGroup(head, tuple(rows)) for head, rows in part)


def _continued(head: Text) -> Text:
    return (*inlines(head), _CONTINUED) if plain(head) else head
