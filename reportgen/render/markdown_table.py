"""A table as a Markdown pipe table (GitHub's dialect): caption above, notes in a list below.

A pipe table has one line of heads and no spans: a spanner is written before the heads it covers, and the head of a
group of rows takes a row of its own. Best values are bold, second best underlined with ``<ins>``, which GitHub keeps.
"""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.domain.presentation import Cell, Column, Table, plain
from reportgen.render.escape import markdown, markdown_text
from reportgen.render.table_pieces import Pieces
from reportgen.render.table_text import TEXT_ROLES, full_head

_MARKS = {"": "{}", "best": "**{}**", "second": "<ins>{}</ins>"}


def render(table: Table) -> str:
    """Return a table in Markdown."""
    made = table_pieces(table)
    lines = [_line(made.heads), _line(made.rules)]
    for head, rows in made.groups:
        if head:
            lines.append(_line([head, *[""] * (len(made.heads) - 1)]))
        lines += map(_line, rows)
    return f"{made.before}{''.join(lines)}{made.after}"


def table_pieces(table: Table) -> Pieces:
    """Return the pieces of a table in Markdown."""
    notes = [
        f"- {f'<sup>{markdown(note.key)}</sup> ' if note.key else ''}{markdown_text(note.text)}\n"
        for note in table.notes
    ]
    groups = tuple(
        (
            f"**{markdown_text(group.head)}**" if plain(group.head) else "",
            tuple(
                tuple(_cell(table, column, cell) for column, cell in zip(table.columns, row.cells, strict=True))
                for row in group.rows
            ),
        )
        for group in table.groups
    )
    return Pieces(
        before=f"**{markdown(table.title)}.** {markdown_text(table.caption)}\n\n",
        heads=tuple(markdown(full_head(table, column)) for column in table.columns),
        rules=tuple("---" if column.role in TEXT_ROLES else "---:" for column in table.columns),
        groups=groups,
        after="".join(["\n", *notes] if notes else []),
    )


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _cell(table: Table, column: Column, cell: Cell) -> str:
    text = markdown_text(cell.text)
    if text and column.role not in TEXT_ROLES:
        text = _MARKS[cell.mark].format(text)
    if cell.notes:
        text += f"<sup>{','.join(markdown(key) for key in cell.notes)}</sup>"
    return f"{text}{'<br>' if table.stacked else ' '}{markdown(cell.detail)}" if cell.detail else text
