"""A table as Word has them: heads that repeat on each page, numbers aligned on the decimal point, notes below.

Widths are fixed, measured in points as Times has them, so that the table looks the same in programs that do not fit
columns to their content. A table is set in a smaller size before it is called too wide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from lxml import etree

from reportgen.domain.presentation import Cell, Column, Row, Table, Text, inlines, plain
from reportgen.render.docx_xml import POINT, paragraph, runs, w
from reportgen.render.table_text import TEXT_ROLES, decimals, is_stacked

Inlines = Callable[..., Iterator[etree._Element]]
"""Sets a text as the content of a paragraph; takes how it looks by the names of :func:`docx_xml.look`."""
SIZES = (9.0, 8.0, 7.0)
"""Points, the preferred one first; the style ``Table Text`` has the first."""
_MARGIN = 3.0
"""Points on each side of a cell's text, as the style ``Report Table`` has them."""
_SAFETY = 1.06
"""Fonts differ; a number that is a little wider than measured must not be broken."""
_SPREAD = 1.25
"""How much wider than it must be a table is made where there is room."""
_NARROW = dict.fromkeys(".,:;|!'’ \u00a0ijlt/()[]I-", 0.31)
_LONGEST_WORD = 16
"""Characters; a longer word may be broken."""
_BESIDE = 2
"""Columns of values and details that have them beside each other whatever is broken for it."""
_TOGETHER = 14
"""Rows up to which a table is kept on one page."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """How a table fits a line: the widths of its columns and the size of its letters, in points, and its form."""

    widths: tuple[float, ...]
    size: float
    stacked: bool
    """Whether details are below their values."""


def fitted(table: Table, room: float) -> Fitted | None:
    """Return how a table fits a line of so many points; None where it is too wide in the smallest size.

    Details go below their values, and letters become small, before words are broken; the smallest letters come last.
    """
    beside = [] if is_stacked(table) else [False]
    n_detailed = sum(any(row.cells[at].detail for row in table.rows) for at in range(len(table.columns)))
    below = [True] if n_detailed > _BESIDE or not beside else []
    forms = [(stacked, size) for stacked in (*beside, *below) for size in SIZES]
    wishes = {form: _wishes(table, form[1], stacked=form[0]) for form in forms}
    for whole in (True, False):
        for form in forms if whole else sorted(forms, key=lambda form: -form[1]):
            least, wanted = wishes[form]
            if sum(wanted if whole else least) <= room and (form[1] > SIZES[-1] or not whole):
                return Fitted(_shared(least, wanted, room), form[1], form[0])
    return None


def squeezed(table: Table, room: float) -> Fitted:
    """Return the widths of a table that does not fit: each column has its share, and words are broken."""
    stacked = is_stacked(table)
    least, _ = _wishes(table, SIZES[-1], stacked=stacked)
    return Fitted(tuple(width * room / sum(least) for width in least), SIZES[-1], stacked)


def set_table(table: Table, fit: Fitted, text: Inlines, style: Callable[[str], str]) -> etree._Element:
    """Return the element of a table; ``style`` gives the id of a style by its name."""
    return _Setter(table, fit, text, style).table_element()


def _wishes(table: Table, size: float, *, stacked: bool) -> tuple[list[float], list[float]]:
    """Return the least and the natural width of each column."""
    least, wanted = [], []
    for at, column in enumerate(table.columns):
        cells = [row.cells[at] for row in table.rows]
        words = [*plain(column.head).split(), *([f"({column.unit})"] if column.unit else [])]
        head = max((measured(word) for word in words), default=0.0)
        if column.role in TEXT_ROLES:
            texts = [f"{plain(cell.text)} {','.join(cell.notes)}" for cell in cells]
            longest = max((measured(word[:_LONGEST_WORD]) for text in texts for word in text.split()), default=0.0)
            natural = max((measured(text) for text in texts), default=0.0)
        else:
            natural = longest = max((sum(_halves(cell, stacked, table.decimal)) for cell in cells), default=0.0)
            if stacked:
                longest = natural = max(natural, *(measured(cell.detail) for cell in cells), 0.0)
        pad = 2 * _MARGIN
        least.append(max(head, longest) * size * _SAFETY + pad)
        wanted.append(max(head, natural) * size * _SAFETY + pad)
    for spanner in table.spanners:
        covered = [i for i, column in enumerate(table.columns) if column.key in spanner.columns]
        head = max((measured(word) for word in plain(spanner.head).split()), default=0.0) * size * _SAFETY
        short = max(0.0, head + 2 * _MARGIN - sum(least[i] for i in covered)) / len(covered)
        for i in covered:
            least[i] += short
            wanted[i] = max(wanted[i], least[i])
    return least, wanted


def _shared(least: Sequence[float], wanted: Sequence[float], room: float) -> tuple[float, ...]:
    """Give each column what it wants where there is room, else its share of what is left above the least."""
    more = [want - need for need, want in zip(least, wanted, strict=True)]
    share = min(1.0, (room - sum(least)) / sum(more)) if sum(more) else 1.0
    widths = [need + share * one for need, one in zip(least, more, strict=True)]
    # A machine without the font takes a wider one.
    spread = min(_SPREAD, room / sum(widths)) if share == 1.0 else 1.0
    return tuple(width * spread for width in widths)


def measured(text: str) -> float:
    """Return the width of a text in ems, as Times has it."""
    return sum(_NARROW.get(char, 0.52 if char.isdigit() or char.islower() else 0.72) for char in text)


def _halves(cell: Cell, stacked: bool, mark: str) -> tuple[float, float]:
    """Return the widths of a number before its decimal point, and from there on."""
    text = plain(cell.text)
    whole, point, fraction = text.partition(mark) if decimals(text.split(" ")[0], mark) else (text, "", "")
    after = f"{point}{fraction}" + (f" {cell.detail}" if cell.detail and not stacked else "")
    marks = 0.7 * measured(",".join(cell.notes)) + (0.06 * len(text) if cell.mark == "best" else 0.0)
    return measured(whole), measured(after) + marks


@dataclass(frozen=True, slots=True)
class _Setter:
    table: Table
    fit: Fitted
    text: Inlines
    style: Callable[[str], str]

    def table_element(self) -> etree._Element:
        stacked = self.fit.stacked
        points = [self._point(at, stacked) for at in range(len(self.table.columns))]
        title = self.table.title
        made = w(
            "tbl",
            w(
                "tblPr",
                w("tblStyle", val=self.style("Report Table")),
                w("tblW", w=_twips(sum(self.fit.widths)), type="dxa"),
                w("tblLayout", type="fixed"),
                w("tblLook", val="0620", firstRow=1, lastRow=0, firstColumn=0, lastColumn=0, noHBand=1, noVBand=1),
                w("tblCaption", val=next((str(one.xpath("string()")) for one in runs(title)), "")),
            ),
            w("tblGrid", *(w("gridCol", w=_twips(width)) for width in self.fit.widths)),
            *self._heads(),
        )
        n_rows, at = len(self.table.rows), 0
        for group in self.table.groups:
            if plain(group.head):
                made.append(self._group(group.head))
            for row in group.rows:
                at += 1
                made.append(self._row(row, points, stacked, keep=n_rows <= _TOGETHER and at < n_rows))
        return made

    def _point(self, at: int, stacked: bool) -> float | None:
        """Return the place of the decimal point in a column; None where its numbers lack one."""
        if self.table.columns[at].role in TEXT_ROLES:
            return None
        cells = [row.cells[at] for row in self.table.rows]
        if not any(decimals(plain(cell.text).split(" ")[0], self.table.decimal) for cell in cells):
            return None
        after = max(_halves(cell, stacked, self.table.decimal)[1] for cell in cells) * self.fit.size * _SAFETY
        return max(self.fit.widths[at] - 2 * _MARGIN - after, 1.0)

    def _heads(self) -> Iterator[etree._Element]:
        columns, keys = self.table.columns, [column.key for column in self.table.columns]
        if self.table.spanners:
            starts = {spanner.columns[0]: spanner for spanner in self.table.spanners}
            covered = {key for spanner in self.table.spanners for key in spanner.columns}
            upper = []
            for at, column in enumerate(columns):
                if spanner := starts.get(column.key):
                    n = len(spanner.columns)
                    content = self.text(spanner.head, **self._look())
                    made = paragraph(self.style("Table Head"), *content, properties=(w("jc", val="center"),))
                    upper.append(self._cell(keys.index(column.key), [made], spanned=n, line=True))
                elif column.key not in covered:
                    upper.append(self._cell(at, [self._head(column)], merged="restart"))
            yield w("tr", w("trPr", w("cantSplit"), w("tblHeader")), *upper)
            lower = [
                self._cell(at, [self._head(column)], line=True)
                if column.key in covered
                else self._cell(at, [paragraph(self.style("Table Head"))], merged="continue", line=True)
                for at, column in enumerate(columns)
            ]
        else:
            lower = [self._cell(at, [self._head(column)], line=True) for at, column in enumerate(columns)]
        yield w("tr", w("trPr", w("cantSplit"), w("tblHeader")), *lower)

    def _head(self, column: Column) -> etree._Element:
        unit = (f" ({column.unit})",) if column.unit else ()
        content = self.text((*inlines(column.head), *unit), **self._look())
        aligned = () if column.role in TEXT_ROLES else (w("jc", val="right"),)
        return paragraph(self.style("Table Head"), *content, properties=aligned)

    def _group(self, head: Text) -> etree._Element:
        content = self.text(head, italic=True, **self._look())
        made = paragraph(self.style("Table Text"), *content, properties=(w("keepNext"),))
        return w("tr", w("trPr", w("cantSplit")), self._cell(0, [made], spanned=len(self.table.columns)))

    def _row(self, row: Row, points: Sequence[float | None], stacked: bool, *, keep: bool) -> etree._Element:
        cells = [
            self._cell(at, self._content(column, cell, points[at], stacked, keep))
            for at, (column, cell) in enumerate(zip(self.table.columns, row.cells, strict=True))
        ]
        return w("tr", w("trPr", w("cantSplit")), *cells)

    def _content(
        self, column: Column, cell: Cell, point: float | None, stacked: bool, keep: bool
    ) -> list[etree._Element]:
        kept = (w("keepNext"),) if keep else ()
        marks = [*runs(",".join(cell.notes), raised=True, **self._look())] if cell.notes else []
        if column.role in TEXT_ROLES:
            content = [*self.text(cell.text, **self._look()), *marks]
            return [paragraph(self.style("Table Text"), *content, properties=kept)]
        how = {"bold": cell.mark == "best", "underlined": cell.mark == "second"}
        value = [*self.text(cell.text, **how, **self._look()), *marks]
        detail = [*runs(cell.detail, style=self.style("Table Detail"), **self._look())] if cell.detail else []
        right, style = w("jc", val="right"), self.style("Table Number")
        # Word aligns a number in a cell on a tab of decimals without a tab before it.
        at_point = right if point is None else w("tabs", w("tab", val="decimal", pos=_twips(point)))
        if stacked and detail:
            kept_below = (w("keepNext"),) if keep else ()
            below = paragraph(style, *detail, properties=(*kept_below, w("jc", val="right")))
            return [paragraph(style, *value, properties=(*kept, at_point)), below]
        between = [*runs("\u00a0", **self._look())] if value and detail else []
        return [paragraph(style, *value, *between, *detail, properties=(*kept, at_point))]

    def _cell(
        self, at: int, content: list[etree._Element], *, spanned: int = 1, merged: str = "", line: bool = False
    ) -> etree._Element:
        width = sum(self.fit.widths[at : at + spanned])
        rule = w("tcBorders", w("bottom", val="single", sz=4, space=0, color="auto"))
        properties = (
            w("tcW", w=_twips(width), type="dxa"),
            *([w("gridSpan", val=spanned)] if spanned > 1 else []),
            *([w("vMerge", val=merged)] if merged else []),
            *([rule] if line else []),
            *([w("vAlign", val="bottom")] if line or merged else []),
        )
        return w("tc", w("tcPr", *properties), *content)

    def _look(self) -> dict[str, float]:
        return {} if self.fit.size == SIZES[0] else {"size": self.fit.size}


def _twips(points: float) -> int:
    return round(points * POINT)
