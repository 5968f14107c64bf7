"""Names that templates call: texts and results in every language; tables and figures as HTML, for the page and the PDF.

One document gives the same markup to both, so that they differ in style sheets and page furniture only.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any

from markupsafe import Markup

from reportgen import numbers
from reportgen.documents.quantities import cite
from reportgen.domain.presentation import (
    Document,
    Figure,
    Inline,
    Math,
    Note,
    Row,
    Table,
    Text,
    inlines,
    plain,
)
from reportgen.render import escape, html_table
from reportgen.render.bibtex import names, where
from reportgen.render.blocks import NumberedDocument, NumberedSection, byline, kind_of
from reportgen.render.table_text import LINE, is_stacked

LONGEST = 200
"""Rows of a table that a document of pages sets in full: WeasyPrint needs about 8 ms a row, and nobody reads the
201st."""
_DEEPEST = 6
"""The lowest level of a heading in HTML."""
_WHOLE, _GROUP = 12, 10
"""Rows: a table, and a group of rows, up to this long is not divided; longer ones would leave pages too empty."""
_LINES = 16
"""Lines up to which this holds: a row of sentences is as high as several rows of numbers."""


@dataclass(frozen=True, slots=True)
class TemplateNames(ABC):
    """Names that the templates of every language call, as :meth:`names` gives them."""

    document: Document
    layout: NumberedDocument

    @property
    @abstractmethod
    def finished(self) -> Callable[[str], Any]:
        """The type of text that is of the language already and is not escaped again."""

    @abstractmethod
    def part(self, part: Inline, display: bool) -> str:
        """Return one part of a text in the language; with ``display``, a formula stands on a line of its own."""

    def names(self) -> dict[str, Any]:
        """Return the variables of every template."""
        authors, institutions = byline(self.document)
        return {
            "document": self.document,
            "byline": authors,
            "institutions": institutions,
            "layout": self.layout,
            "kind": kind_of,
            "inline": self.inline,
            "rg": self.rg,
            "authors_of": names,
            "place_of": where,
        }

    def inline(self, text: Text, display: bool = False) -> Any:
        """Return a text in the language; with ``display``, formulas stand on a line of their own."""
        return self.finished("".join(self.part(part, display) for part in inlines(text)))

    def rg(self, metric: str, system: str, place: str = "", part: str = "value") -> Any:
        """Return a result by the name an author calls it; see :func:`reportgen.documents.quantities.cite`."""
        return self.inline(cite(self.document.quantities, metric, system, place, part, where="template"))


@dataclass(frozen=True, slots=True)
class MarkupNames(TemplateNames):
    """Names that HTML and PDF templates call."""

    formula: Callable[[Math, bool], str]
    """How a formula is set, within a line or (True) on a line of its own."""
    picture: Callable[[Figure], str]
    """A figure's picture with its alternative text."""
    table_of: Callable[[str], Table]
    """The table to set for an id; lets a format shorten long ones."""
    csv: Mapping[str, str]
    """Table id to the address of its CSV twin, for those that have one."""
    hidden: frozenset[str] = frozenset()
    """Tables that are set elsewhere; a pointer is in their place."""
    data: Mapping[str, str] = field(default_factory=dict)
    """Figure id to the address of its plotted data as CSV, for those that have one."""
    finished = Markup

    def names(self) -> dict[str, Any]:
        """Return the variables of every template."""
        return {
            **TemplateNames.names(self),
            "heading": self.heading,
            "table": self.table,
            "is_elsewhere": self.hidden.__contains__,
            "holds_together": self.holds_together,
            "csv_of": self.csv.get,
            "data_of": self.data.get,
            "picture": lambda figure: Markup(self.picture(figure)),
        }

    def part(self, part: Inline, display: bool) -> str:
        """Return a part of a text as HTML."""
        if isinstance(part, Math):
            drawn = self.formula(part, display)
            return f'<span class="display">{drawn}</span>' if display else drawn
        return escape.html_text(part, self.layout.labels, self.layout.elsewhere)

    def heading(self, section: NumberedSection) -> Markup:
        """Return the heading of a section, a level below the title of the document for each of its depth."""
        level, number = min(section.depth + 1, _DEEPEST), f'<span class="number">{section.number}</span>'
        return Markup(f'<h{level} id="{escape.html(section.anchor)}">{number} {self.inline(section.title)}</h{level}>')

    def table(self, id: str) -> Markup:
        """Return a table with its number before the caption."""
        labels = self.layout.labels
        number, elsewhere = labels[f"tab:{id}"], self.layout.elsewhere
        return Markup(html_table.render(self.table_of(id), number=number, references=labels, elsewhere=elsewhere))

    def holds_together(self, id: str) -> str:
        """Say how a table may be divided between pages: ``whole``, ``groups`` (between groups only) or ``rows``."""
        table = self.table_of(id)
        # An interval below each value makes a row twice as high.
        if len(table.rows) * (1 + is_stacked(table)) <= _WHOLE and _height(table, table.rows) <= _LINES:
            return "whole"
        short = all(len(group.rows) <= _GROUP and _height(table, group.rows) <= _LINES for group in table.groups)
        return "groups" if short else "rows"


def _height(table: Table, rows: Sequence[Row]) -> int:
    """Return lines of a table's rows, by the length of their texts and the widths of the columns."""
    total = sum(column.width for column in table.columns)
    room = [LINE * column.width / total for column in table.columns]
    return sum(
        max(ceil(len(plain(cell.text)) / width) for cell, width in zip(row.cells, room, strict=True)) for row in rows
    )


def shortened(table: Table, rows: int, pointer: str) -> Table:
    """Return the first ``rows`` rows of a table, with a note on how many there are and where the others stand."""
    if len(table.rows) <= rows:
        return table
    note = Note("", f"The first {numbers.count(rows)} of {numbers.count(len(table.rows))} rows; all are in {pointer}.")
    kept, groups = rows, []
    for group in table.groups:
        if kept:
            groups.append(replace(group, rows=group.rows[:kept]))
            kept -= len(groups[-1].rows)
    return replace(table, groups=tuple(groups), notes=(*table.notes, note))
