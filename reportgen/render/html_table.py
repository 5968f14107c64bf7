"""A table as an HTML fragment: real heads, real caption, notes in a list below.

The fragment holds no style and no script, so that it lives under a strict content security policy; :func:`page` adds
a style of its own. A stylesheet decides the look from these classes:

- ``figure.table`` around everything, with ``compact``, ``stacked`` (asked for, or no line has room for values and
  intervals: set ``.detail`` on a line of its own), ``stackable`` (the same on a narrow screen) and ``many-columns``
  where they apply; ``div.table-scroll`` around
  the table;
- ``col``, ``th`` and ``td`` carry the role: ``role-stub``, ``role-text``, ``role-number``, ``role-count``,
  ``role-estimate``, ``role-subset``, ``role-interpretation``; ``col`` also the width, ``w1`` to ``w100`` (percent);
- ``.value``, ``.detail``, ``strong.best``, ``u.second``, ``.mark-text`` (says the mark in words, for screen
  readers), ``.pad`` (figure spaces that hold the decimal points in line), ``.note-mark``, ``ul.table-notes``;
- ``tr.group-head``; ``td.undefined``, ``td.not-applicable``, ``td.missing``.

Every number of the results carries its result ids, divided by spaces, in ``data-result``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table, Text, plain
from reportgen.render.escape import html, html_text
from reportgen.render.table_text import TEXT_ROLES, decimals, is_stacked
from reportgen.resources import style_path

_MANY_COLUMNS = 8
_SHORT = 9
"""Characters of a detail, such as ``± 0.011``, that always has room beside its value."""
_FIGURE_SPACE = "\u2007"
_POINT_SPACE = "\u2008"
_MARKS = {"best": ("strong", "best"), "second": ("u", "second best")}


def render(
    table: Table,
    *,
    number: str = "",
    references: Mapping[str, str] | None = None,
    elsewhere: frozenset[str] = frozenset(),
) -> str:
    """Return a table in HTML.

    Args:
        table: Any table.
        number: Printed before the caption: ``Table 3``.
        references: Printed form of each target a text may refer to, see :func:`reportgen.render.escape.html_text`.
        elsewhere: The targets that are not linked to.
    """
    return "\n".join(_HtmlTable(table, references or {}, elsewhere).lines(number)) + "\n"


def page(table: Table) -> str:
    """Return a table as a page that opens from disk; pasted into another page, it is a fragment with its style."""
    head = f'<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>{html(table.title)}</title>\n'
    return f"{head}{styled(render(table))}\n"


def styled(*parts: str) -> str:
    """Return parts of HTML as one block with the style of a notebook."""
    style = style_path("css/notebook.css").read_text(encoding="utf-8")
    return f'<div class="reportgen"><style>{style}</style>{"".join(parts)}</div>'


def width_rules() -> str:
    """Return the CSS behind the width classes of ``col``."""
    return "\n".join(f"col.w{percent}{{width:{percent}%}}" for percent in range(1, 101))


@dataclass(frozen=True, slots=True)
class _HtmlTable:
    """The HTML of one table."""

    table: Table
    references: Mapping[str, str]
    elsewhere: frozenset[str]

    def lines(self, number: str) -> Iterator[str]:
        id = f"tab:{html(self.table.id)}"
        lead = f'<span class="table-number">{html(number)}.</span> ' if number else ""
        yield f'<figure class="{" ".join(["table", *self._modifiers()])}" id="{id}">'
        yield f'<div class="table-scroll" role="region" aria-labelledby="{id}:caption" tabindex="0">'
        yield "<table>"
        yield f'<caption id="{id}:caption">{lead}{self._text(self.table.caption)}</caption>'
        columns = zip(self.table.columns, _percents([column.width for column in self.table.columns]), strict=True)
        cols = "".join(f'<col class="role-{column.role} w{width}">' for column, width in columns)
        yield f"<colgroup>{cols}</colgroup>"
        yield from ("<thead>", *self._head(), "</thead>")
        padding = _Padding(self.table)
        for group in self.table.groups:
            yield from self._group(group, padding)
        yield from ("</table>", "</div>")
        if self.table.notes:
            yield from ('<ul class="table-notes">', *self._notes(), "</ul>")
        yield "</figure>"

    def _text(self, text: Text) -> str:
        return html_text(text, self.references, self.elsewhere)

    def _modifiers(self) -> list[str]:
        columns = range(len(self.table.columns))
        longest = [max((len(row.cells[at].detail) for row in self.table.rows), default=0) for at in columns]
        stacked = is_stacked(self.table)
        found = {
            "compact": self.table.compact,
            "stacked": stacked,
            "stackable": not stacked and sum(length > _SHORT for length in longest) > 1,
            "many-columns": len(columns) >= _MANY_COLUMNS,
        }
        return [name for name, holds in found.items() if holds]

    def _head(self) -> Iterator[str]:
        if not self.table.spanners:
            yield f"<tr>{''.join(map(self._column_head, self.table.columns))}</tr>"
            return
        covered = {key for spanner in self.table.spanners for key in spanner.columns}
        first = {spanner.columns[0]: spanner for spanner in self.table.spanners}
        upper, lower = [], []
        for column in self.table.columns:
            if spanner := first.get(column.key):
                head = self._text(spanner.head)
                upper.append(f'<th scope="colgroup" colspan="{len(spanner.columns)}">{head}</th>')
            if column.key in covered:
                lower.append(self._column_head(column))
            else:
                upper.append(self._column_head(column, ' rowspan="2"'))
        yield f'<tr class="spanners">{"".join(upper)}</tr>'
        yield f"<tr>{''.join(lower)}</tr>"

    def _column_head(self, column: Column, span: str = "") -> str:
        unit = f' <span class="unit">({html(column.unit)})</span>' if column.unit else ""
        head = self._text(column.head) + unit
        # An empty head is not a head: screen readers would announce nothing for every cell of the column.
        if not head:
            return f'<td{span} class="role-{column.role}"></td>'
        return f'<th scope="col"{span} class="role-{column.role}">{head}</th>'

    def _group(self, group: RowGroup, padding: _Padding) -> Iterator[str]:
        yield "<tbody>"
        if plain(group.head):
            span = f'scope="rowgroup" colspan="{len(self.table.columns)}"'
            yield f'<tr class="group-head"><th {span}>{self._text(group.head)}</th></tr>'
        yield from (self._row(row, padding) for row in group.rows)
        yield "</tbody>"

    def _row(self, row: Row, padding: _Padding) -> str:
        cells = []
        for at, (column, cell) in enumerate(zip(self.table.columns, row.cells, strict=True)):
            content = self._content(column, cell, padding.of(at, cell))
            status = "" if cell.status == "ok" else f" {cell.status.replace('_', '-')}"
            if column.role == "stub" and content:
                cells.append(f'<th scope="row" class="role-stub">{content}</th>')
            else:
                cells.append(f'<td class="role-{column.role}{status}">{content}</td>')
        return f"<tr>{''.join(cells)}</tr>"

    def _content(self, column: Column, cell: Cell, pads: tuple[str, str]) -> str:
        text = self._text(cell.text)
        if column.role in TEXT_ROLES:
            return text + self._note_marks(cell)
        result = f' data-result="{html(" ".join(cell.results))}"' if cell.results else ""
        content = f'<span class="value"{result}>{text}</span>' if text else ""
        if cell.mark:
            tag, words = _MARKS[cell.mark]
            content = f'<{tag} class="{cell.mark}">{content}</{tag}><span class="mark-text"> ({words})</span>'
        content += self._note_marks(cell) + _pad(pads[0])
        if cell.detail:
            # A detail of two parts, ``± 0.011 (95% CI: […])``, may be divided between them; each stays on its line.
            *first, last = cell.detail.replace(" (", "\n(").split("\n")
            content += "".join(f' <span class="detail"{result}>{html(part)}</span>' for part in first)
            content += f' <span class="detail"{result}>{html(last)}{_pad(pads[1])}</span>'
        elif pads[1]:
            content += f' <span class="detail">{_pad(pads[1])}</span>'
        return content

    def _note_marks(self, cell: Cell) -> str:
        words = {note.key: note.word for note in self.table.notes}
        marks = [
            f'<a href="#{self._note_id(key)}">{html(key)}</a>'
            + (f'<span class="mark-text"> ({html(words[key])})</span>' if words[key] else "")
            for key in cell.notes
        ]
        return f'<sup class="note-mark">{",".join(marks)}</sup>' if marks else ""

    def _notes(self) -> Iterator[str]:
        for note in self.table.notes:
            text = self._text(note.text)
            if note.key:
                mark = f'<sup class="note-mark">{html(note.key)}</sup>'
                yield f'<li id="{self._note_id(note.key)}">{mark} {text}</li>'
            else:
                yield f"<li>{text}</li>"

    def _note_id(self, key: str) -> str:
        # By position: a key may hold any text, an id may not.
        at = [note.key for note in self.table.notes].index(key)
        return f"tab:{html(self.table.id)}:note-{at + 1}"


def _percents(widths: Sequence[float]) -> Iterator[int]:
    """Yield the shares of the line, which add up to 100: more would widen the table beyond it."""
    edges = [round(100 * edge / sum(widths)) for edge in accumulate(widths, initial=0.0)]
    yield from (max(1, right - left) for left, right in pairwise(edges))


def _pad(spaces: str) -> str:
    return f'<span class="pad" aria-hidden="true">{spaces}</span>' if spaces else ""


class _Padding:
    """Spaces after values and details that bring the decimal points of a right-aligned column into one line.

    Figure spaces are as wide as a digit and U+2008 as a point, in every font with tabular numerals.
    """

    def __init__(self, table: Table) -> None:
        self._most = [
            max(
                (n for row in table.rows if (n := decimals(plain(row.cells[at].text), table.decimal)) is not None),
                default=0,
            )
            for at in range(len(table.columns))
        ]
        self._longest = [
            max((row.cells[at].detail for row in table.rows), key=len, default="") for at in range(len(table.columns))
        ]
        self._decimal = table.decimal
        self._words = [column.role in TEXT_ROLES for column in table.columns]

    def of(self, at: int, cell: Cell) -> tuple[str, str]:
        """Return the spaces after a cell's value and after its detail."""
        if self._words[at]:
            return "", ""
        own = decimals(plain(cell.text), self._decimal)
        missing = self._most[at] - own if own is not None else 0
        point = _POINT_SPACE if missing and not own else ""
        return point + _FIGURE_SPACE * missing, self._after_detail(self._longest[at], cell.detail)

    @staticmethod
    def _after_detail(longest: str, own: str) -> str:
        digits = sum(char.isdigit() for char in longest) - sum(char.isdigit() for char in own)
        others = len(longest) - len(own) - digits
        return _POINT_SPACE * max(0, others) + _FIGURE_SPACE * max(0, digits)
