"""Numbers with a decimal comma, where the run asks for it: ``0,812``, ``2 460``, ``[0,790; 0,834]``.

What is built for readers is changed as a whole, once, when it is finished; the results and every file for programs
keep the point. Names of the user's stay as they are typed: ``Llama 3.1``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from reportgen import numbers
from reportgen.domain.presentation import (
    Block,
    Brackets,
    Callout,
    Cell,
    Column,
    Detail,
    Document,
    Facts,
    Items,
    Math,
    Paragraph,
    Quantity,
    Ref,
    Section,
    Shown,
    Table,
    Text,
    groups_with,
)
from reportgen.domain.record import Results

_NUMBER = r"(?<![\w.,@=/:-])(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+)(?![\w]|[.,]\d)"
# The two bounds of an interval: with a decimal comma a semicolon divides them.
_BOUNDS = re.compile(r"(\[[<>+\u2212]?[\d.,]+), (?=[<>+\u2212]?[\d.,]+\])")
_IN_NAMES = re.compile(r"\d[.,]\d")
_MACHINE: Final = frozenset({"provenance"})
"""Sections of versions, sums and commands, which are copied as they are."""


def comma_of(results: Results) -> Comma | None:
    """Return how the numbers of these results are changed; None where they have a decimal point."""
    if results.run.presentation.report.decimal == ".":
        return None
    return Comma(tuple(dict.fromkeys(name for name in _names(results) if _IN_NAMES.search(name))))


def _names(results: Results) -> Iterator[str]:
    """Yield what the user calls things by."""
    run = results.run
    yield from (run.title, run.dataset, run.description, *run.authors)
    for places in run.presentation.report.affiliations.values():
        yield from places
    for wordings in (run.presentation.table_options, run.presentation.figure_options):
        yield from (text for wording in wordings.values() for text in (wording.title, wording.caption))
    for options in run.presentation.table_options.values():
        yield from (*options.notes, *options.rename.values())
    yield from (text for one in run.presentation.figure_options.values() for text in one.rename.values())
    yield from (one.label for one in results.systems)
    yield from (one.label for one in results.folds)
    yield from (text for one in results.labels for text in (one.label, one.description))
    yield from (file.path for file in results.inputs)


@dataclass(frozen=True)
class Comma:
    """Changes what is shown; it can be sent to another process."""

    names: tuple[str, ...]
    """Texts of the user's with numbers in them."""

    @cached_property
    def _parts(self) -> re.Pattern[str]:
        names = sorted((re.escape(name) for name in self.names), key=lambda name: (-len(name), name))
        return re.compile("|".join([*(f"(?:{name})" for name in names), f"(?P<number>{_NUMBER})"]))

    def text(self, text: str) -> str:
        """Return a text with its numbers changed."""

        def changed(match: re.Match[str]) -> str:
            return numbers.with_comma(match[0]) if match["number"] else match[0]

        return self._parts.sub(changed, _BOUNDS.sub(r"\1; ", text))

    def of(self, text: Text) -> Text:
        """Return a text of several parts with its numbers changed; formulas stay as they are."""
        match text:
            case str():
                return self.text(text)
            case tuple():
                return tuple(part for one in text for part in (self.of(one),) if not isinstance(part, tuple))
            case Shown():
                return replace(text, text=self.text(text.text))
            case Brackets():
                return Brackets(self.text(text.hold), self.text(text.further))
            case Math() | Ref():
                return text

    def table(self, table: Table) -> Table:
        """Return a table whose printed numbers have a comma; the machine values behind them stay."""
        groups = tuple(
            replace(
                group,
                head=self.of(group.head),
                rows=tuple(
                    replace(
                        row,
                        cells=tuple(replace(c, text=self.of(c.text), detail=self.text(c.detail)) for c in row.cells),
                    )
                    for row in group.rows
                ),
            )
            for group in table.groups
        )
        return replace(
            table,
            caption=self.of(table.caption),
            columns=tuple(replace(c, head=self.of(c.head), unit=self.text(c.unit)) for c in table.columns),
            spanners=tuple(replace(one, head=self.of(one.head)) for one in table.spanners),
            groups=groups,
            notes=tuple(replace(note, text=self.of(note.text)) for note in table.notes),
            decimal=",",
        )

    def document(self, document: Document) -> Document:
        """Return a document whose texts, citable numbers and details have a comma; its tables and figures have it."""
        return replace(
            document,
            summary=self.text(document.summary),
            sections=tuple(map(self._section, document.sections)),
            supplement=tuple(map(self._section, document.supplement)),
            quantities=self.quantities(document.quantities),
            details=tuple(map(self._detail, document.details)),
            decimal=",",
        )

    def quantities(self, known: Sequence[Quantity]) -> tuple[Quantity, ...]:
        """Return what can be cited with its printed forms changed."""
        return tuple(replace(one, parts={part: self.text(text) for part, text in one.parts.items()}) for one in known)

    def _detail(self, detail: Detail) -> Detail:
        return replace(detail, facts=tuple((term, self.text(text)) for term, text in detail.facts))

    def _section(self, section: Section) -> Section:
        if section.id in _MACHINE:
            return section
        return replace(
            section,
            title=self.text(section.title),
            blocks=tuple(map(self._block, section.blocks)),
            sections=tuple(map(self._section, section.sections)),
        )

    def _block(self, block: Block) -> Block:
        match block:
            case Paragraph() | Callout():
                return replace(block, text=self.of(block.text))
            case Items():
                return replace(block, items=tuple(map(self.of, block.items)))
            case Facts():
                return replace(block, facts=tuple((self.text(term), self.of(text)) for term, text in block.facts))
            case _:
                return block


def with_point(table: Table) -> Table:
    """Return a table as programs read its printed numbers, for formats that set the mark as their reader does."""
    if table.decimal == ".":
        return table

    def pointed(column: Column, cell: Cell) -> Cell:
        if column.role not in ("number", "count", "estimate"):
            return cell
        text = numbers.with_point(cell.text) if isinstance(cell.text, str) else cell.text
        return replace(cell, text=text, detail=numbers.with_point(cell.detail))

    return replace(table, groups=groups_with(table, pointed), decimal=".")
