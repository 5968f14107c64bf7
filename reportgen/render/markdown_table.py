"""A table as a Markdown pipe table (GitHub's dialect): caption above, notes in a list below.

A pipe table has one line of heads and no spans: a spanner is written before the heads it covers, and the head of a
group of rows takes a row of its own. Best values are bold, second best underlined with ``<ins>``, which GitHub keeps.
"""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Table, plain
from reportgen.render.escape import markdown, markdown_text
from reportgen.render.table_text import TEXT_ROLES, full_head

_MARKS = {"": "{}", "best": "**{}**", "second": "<ins>{}</ins>"}


def render(table: Table) -> str:
    """Return a table in Markdown."""
    lines = [
        f"**{markdown(table.title)}.** {markdown_text(table.caption)}",
        "",
        _line([markdown(full_head(table, column)) for column in table.columns]),
        _line(["---" if column.role in TEXT_ROLES else "---:" for column in table.columns]),
    ]
    for group in table.groups:
        if plain(group.head):
            lines.append(_line([f"**{markdown_text(group.head)}**", *[""] * (len(table.columns) - 1)]))
        for row in group.rows:
            lines.append(_line([_cell(table, c, cell) for c, cell in zip(table.columns, row.cells, strict=True)]))
    if table.notes:
        lines.append("")
    for note in table.notes:
        key = f"<sup>{markdown(note.key)}</sup> " if note.key else ""
        lines.append(f"- {key}{markdown_text(note.text)}")
    return "\n".join(lines) + "\n"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(table: Table, column: Column, cell: Cell) -> str:
    text = markdown_text(cell.text)
    if text and column.role not in TEXT_ROLES:
        text = _MARKS[cell.mark].format(text)
    if cell.notes:
        text += f"<sup>{','.join(markdown(key) for key in cell.notes)}</sup>"
    return f"{text}{'<br>' if table.stacked else ' '}{markdown(cell.detail)}" if cell.detail else text
