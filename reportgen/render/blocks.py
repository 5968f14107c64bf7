"""A document made ready for templates: numbered, with resolved references and one kind per block.

Numbers are given once here, in reading order, so that "Table 3" is the same table in every format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reportgen.domain.presentation import (
    Block,
    Cell,
    Document,
    Figure,
    Section,
    ShowFigure,
    ShowTable,
    Table,
    blocks_of,
    plain,
)
from reportgen.render.table_text import TEXT_ROLES

_GAP = 2
_WORDS = 16
_BESIDE = 2
"""Columns that may have their intervals beside their values; where more have one, all stand below."""


@dataclass(frozen=True, slots=True)
class NumberedSection:
    """A section with its number (``2`` or ``2.1``), its depth from 1, its anchor (``sec:ranking``) and its parts."""

    number: str
    depth: int
    anchor: str
    title: str
    blocks: tuple[Block, ...]
    sections: tuple[NumberedSection, ...]

    def walk(self) -> Iterator[NumberedSection]:
        """Yield the section, then those below it, in reading order."""
        yield self
        for section in self.sections:
            yield from section.walk()


@dataclass(frozen=True, slots=True)
class NumberedDocument:
    """A document's sections, numbered, and what a reference prints, by its target: ``Table 3``."""

    sections: tuple[NumberedSection, ...]
    labels: Mapping[str, str]


def lay_out(document: Document) -> NumberedDocument:
    """Number sections, tables and figures in reading order."""
    sections = _numbered(document.sections, "", 1)
    walked = [one for section in sections for one in section.walk()]
    labels = {section.anchor: f"Section {section.number}" for section in walked}
    labels |= {f"ref:{reference.key}": f"[{n}]" for n, reference in enumerate(document.references, start=1)}
    counts = {"tab": 0, "fig": 0}
    for section in walked:
        for block in section.blocks:
            if isinstance(block, ShowTable | ShowFigure):
                kind, word = ("tab", "Table") if isinstance(block, ShowTable) else ("fig", "Figure")
                counts[kind] += 1
                labels[f"{kind}:{block.id}"] = f"{word} {counts[kind]}"
    return NumberedDocument(sections, labels)


def kind_of(block: Block) -> str:
    """Return the name of the partial that sets a block: ``paragraph``, ``items``, ``facts``, ``table``, …"""
    return type(block).__name__.lower().removeprefix("show")


def natural_width(table: Table) -> int:
    """Return the width a table asks for, in characters: the longest number of each column, words broken to 16.

    A table with intervals in more than two columns has them below their values.
    """
    stacked = sum(any(row.cells[at].detail for row in table.rows) for at in range(len(table.columns))) > _BESIDE
    total = 0
    for at, column in enumerate(table.columns):
        words = column.role in TEXT_ROLES
        cells = [_cell_width(row.cells[at], stacked) for row in table.rows]
        head = max((len(word) for word in plain(column.head).split()), default=0)
        total += _GAP + max(head, min(max(cells, default=0), _WORDS if words else max(cells, default=0)))
    return total


def _cell_width(cell: Cell, stacked: bool) -> int:
    text, detail = len(plain(cell.text)), len(cell.detail)
    return max(text, detail) if stacked else text + (1 + detail if detail else 0)


def tables_shown(document: Document) -> tuple[Table, ...]:
    """Return the tables a document shows, in reading order."""
    return tuple(document.tables[block.id] for block in blocks_of(document.sections) if isinstance(block, ShowTable))


def figures_shown(document: Document) -> tuple[Figure, ...]:
    """Return the figures a document shows, in reading order."""
    return tuple(document.figures[block.id] for block in blocks_of(document.sections) if isinstance(block, ShowFigure))


def _numbered(sections: Sequence[Section], prefix: str, depth: int) -> tuple[NumberedSection, ...]:
    return tuple(
        NumberedSection(
            number=f"{prefix}{at}",
            depth=depth,
            anchor=f"sec:{section.id}",
            title=section.title,
            blocks=section.blocks,
            sections=_numbered(section.sections, f"{prefix}{at}.", depth + 1),
        )
        for at, section in enumerate(sections, start=1)
    )
