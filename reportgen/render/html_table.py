"""A table as an HTML fragment: real heads, real caption, notes in a list below.

The fragment holds no style and no script, so that it lives under a strict content security policy. The stylesheet
decides the look from these classes:

- ``figure.table`` around everything, with ``compact``, ``stacked`` (asked for, or more than two columns of
  intervals: set ``.detail`` on a line of its own) and ``many-columns`` where they apply; ``div.table-scroll`` around
  the table;
- ``col``, ``th`` and ``td`` carry the role: ``role-stub``, ``role-text``, ``role-number``, ``role-count``,
  ``role-estimate``, ``role-subset``, ``role-interpretation``; ``col`` also the width, ``w1`` to ``w100`` (percent);
- ``.value``, ``.detail``, ``strong.best``, ``u.second``, ``.mark-text`` (says the mark in words, for screen
  readers), ``.pad`` (figure spaces that hold the decimal points in line), ``.note-mark``, ``ul.table-notes``;
- ``tr.group-head``; ``td.undefined``, ``td.not-applicable``, ``td.missing``.

Every number of the results carries its result ids, divided by spaces, in ``data-result``.
"""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.domain.presentation import Cell, Column, Note, Row, RowGroup, Table, plain
from reportgen.render.escape import html, html_text
from reportgen.render.table_text import TEXT_ROLES, decimals

_MANY_COLUMNS = 8
_SHORT = 9
"""Characters of a detail, such as ``± 0.011``, that always has room beside its value."""
_FIGURE_SPACE = "\u2007"
_POINT_SPACE = "\u2008"
_MARKS = {"best": ("strong", "best"), "second": ("u", "second best")}


def render(table: Table, *, number: str = "", references: Mapping[str, str] | None = None) -> str:
    """Return a table in HTML.

    Args:
        table: Any table.
        number: Printed before the caption: ``Table 3``.
        references: Printed form of each target a text may refer to, see :func:`reportgen.render.escape.html_text`.
    """
    padding = _Padding(table)
    classes = " ".join(["table", *_modifiers(table)])
    lines = [
        f'<figure class="{classes}" id="tab:{html(table.id)}">',
        f'<div class="table-scroll" role="region" aria-labelledby="tab:{html(table.id)}:caption" tabindex="0">',
        "<table>",
        _caption(table, number, references),
        _widths(table),
        *_head(table, references),
        *(_group(table, group, padding, references) for group in table.groups),
        "</table>",
        "</div>",
        *_notes(table, references),
        "</figure>",
    ]
    return "\n".join(lines) + "\n"


def width_rules() -> str:
    """Return the CSS behind the width classes of ``col``."""
    return "\n".join(f"col.w{percent}{{width:{percent}%}}" for percent in range(1, 101))


def _modifiers(table: Table) -> list[str]:
    longest = [max((len(row.cells[at].detail) for row in table.rows), default=0) for at in range(len(table.columns))]
    with_details = sum(length > _SHORT for length in longest)
    found = {
        "compact": table.compact,
        "stacked": table.stacked or with_details > 2,
        "many-columns": len(table.columns) >= _MANY_COLUMNS,
    }
    return [name for name, holds in found.items() if holds]


def _caption(table: Table, number: str, references: Mapping[str, str] | None) -> str:
    lead = f'<span class="table-number">{html(number)}.</span> ' if number else ""
    return f'<caption id="tab:{html(table.id)}:caption">{lead}{html_text(table.caption, references)}</caption>'


def _widths(table: Table) -> str:
    total = sum(column.width for column in table.columns)
    columns = "".join(
        f'<col class="role-{column.role} w{max(1, round(100 * column.width / total))}">' for column in table.columns
    )
    return f"<colgroup>{columns}</colgroup>"


def _head(table: Table, references: Mapping[str, str] | None) -> list[str]:
    rows = [f"<tr>{''.join(_column_head(column, references) for column in table.columns)}</tr>"]
    if table.spanners:
        covered = {key for spanner in table.spanners for key in spanner.columns}
        first = {spanner.columns[0]: spanner for spanner in table.spanners}
        upper, lower = [], []
        for column in table.columns:
            if spanner := first.get(column.key):
                span = len(spanner.columns)
                upper.append(f'<th scope="colgroup" colspan="{span}">{html_text(spanner.head, references)}</th>')
            if column.key in covered:
                lower.append(_column_head(column, references))
            else:
                upper.append(_column_head(column, references, rows=2))
        rows = [f'<tr class="spanners">{"".join(upper)}</tr>', f"<tr>{''.join(lower)}</tr>"]
    return ["<thead>", *rows, "</thead>"]


def _column_head(column: Column, references: Mapping[str, str] | None, rows: int = 1) -> str:
    span = f' rowspan="{rows}"' if rows > 1 else ""
    unit = f' <span class="unit">({html(column.unit)})</span>' if column.unit else ""
    head = html_text(column.head, references) + unit
    # An empty head is no head: screen readers would announce nothing for every cell of the column.
    if not head:
        return f'<td{span} class="role-{column.role}"></td>'
    return f'<th scope="col"{span} class="role-{column.role}">{head}</th>'


def _group(table: Table, group: RowGroup, padding: _Padding, references: Mapping[str, str] | None) -> str:
    lines = ["<tbody>"]
    if plain(group.head):
        head = html_text(group.head, references)
        lines.append(
            f'<tr class="group-head"><th scope="rowgroup" colspan="{len(table.columns)}">{head}</th></tr>'
        )  # fmt: skip
    lines += [_row(table, row, padding, references) for row in group.rows]
    return "\n".join([*lines, "</tbody>"])


def _row(table: Table, row: Row, padding: _Padding, references: Mapping[str, str] | None) -> str:
    cells = []
    for at, (column, cell) in enumerate(zip(table.columns, row.cells, strict=True)):
        content = _content(table, column, cell, padding.of(at, cell), references)
        status = "" if cell.status == "ok" else f" {cell.status.replace('_', '-')}"
        if column.role == "stub" and content:
            cells.append(f'<th scope="row" class="role-stub">{content}</th>')
        else:
            cells.append(f'<td class="role-{column.role}{status}">{content}</td>')
    return f"<tr>{''.join(cells)}</tr>"


def _content(
    table: Table, column: Column, cell: Cell, pads: tuple[str, str], references: Mapping[str, str] | None
) -> str:  # fmt: skip
    text = html_text(cell.text, references)
    if column.role in TEXT_ROLES:
        return text + _note_marks(table, cell)
    result = f' data-result="{html(" ".join(cell.results))}"' if cell.results else ""
    content = f'<span class="value"{result}>{text}</span>' if text else ""
    if cell.mark:
        tag, words = _MARKS[cell.mark]
        content = f'<{tag} class="{cell.mark}">{content}</{tag}><span class="mark-text"> ({words})</span>'
    content += _note_marks(table, cell) + _pad(pads[0])
    if cell.detail:
        # A detail of two parts, ``± 0.011 (95% CI: […])``, may be divided between them; each stays on its line.
        *first, last = cell.detail.replace(" (", "\n(").split("\n")
        content += "".join(f' <span class="detail"{result}>{html(part)}</span>' for part in first)
        content += f' <span class="detail"{result}>{html(last)}{_pad(pads[1])}</span>'
    elif pads[1]:
        content += f' <span class="detail">{_pad(pads[1])}</span>'
    return content


def _note_marks(table: Table, cell: Cell) -> str:
    marks = [f'<a href="#{_note_id(table, key)}">{html(key)}</a>' for key in cell.notes]
    return f'<sup class="note-mark">{",".join(marks)}</sup>' if marks else ""


def _pad(spaces: str) -> str:
    return f'<span class="pad" aria-hidden="true">{spaces}</span>' if spaces else ""


def _notes(table: Table, references: Mapping[str, str] | None) -> list[str]:
    if not table.notes:
        return []
    return ['<ul class="table-notes">', *(_note(table, note, references) for note in table.notes), "</ul>"]


def _note(table: Table, note: Note, references: Mapping[str, str] | None) -> str:
    text = html_text(note.text, references)
    if not note.key:
        return f"<li>{text}</li>"
    return f'<li id="{_note_id(table, note.key)}"><sup class="note-mark">{html(note.key)}</sup> {text}</li>'


def _note_id(table: Table, key: str) -> str:
    # By position: a key may hold any text, an id may not.
    at = [note.key for note in table.notes].index(key)
    return f"tab:{html(table.id)}:note-{at + 1}"


class _Padding:
    """Spaces after values and details that bring the decimal points of a right-aligned column into one line.

    Figure spaces are as wide as a digit and U+2008 as a point, in every font with tabular numerals.
    """

    def __init__(self, table: Table) -> None:
        self._most = [
            max((n for row in table.rows if (n := decimals(plain(row.cells[at].text))) is not None), default=0)
            for at in range(len(table.columns))
        ]
        self._longest = [
            max((row.cells[at].detail for row in table.rows), key=len, default="") for at in range(len(table.columns))
        ]
        self._words = [column.role in TEXT_ROLES for column in table.columns]

    def of(self, at: int, cell: Cell) -> tuple[str, str]:
        """Return the spaces after a cell's value and after its detail."""
        if self._words[at]:
            return "", ""
        own = decimals(plain(cell.text))
        missing = self._most[at] - own if own is not None else 0
        point = _POINT_SPACE if missing and not own else ""
        return point + _FIGURE_SPACE * missing, self._after_detail(self._longest[at], cell.detail)

    @staticmethod
    def _after_detail(longest: str, own: str) -> str:
        digits = sum(char.isdigit() for char in longest) - sum(char.isdigit() for char in own)
        others = len(longest) - len(own) - digits
        return _POINT_SPACE * max(0, others) + _FIGURE_SPACE * max(0, digits)
