"""A document made ready for templates: numbered, with resolved references and one kind per block.

Numbers are given once here, in reading order, so that "Table 3" is the same table in every format, and "Table S3" the
same table of the supplement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from reportgen.documents.references import cited, shown_floats
from reportgen.domain.presentation import (
    Block,
    CitedWork,
    Document,
    Figure,
    Section,
    ShowFigure,
    ShowTable,
    Table,
    blocks_of,
)

Part: TypeAlias = Literal["report", "supplement"]
"""What a format may write into a file of its own."""
SUPPLEMENT = "S"
"""What the numbers of the supplement begin with."""


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
    supplement: tuple[NumberedSection, ...] = ()
    """The sections of the supplement, one level down, where it is a part of the same file."""
    elsewhere: frozenset[str] = frozenset()
    """The targets of references that are in another file."""


@dataclass(frozen=True, slots=True)
class Author:
    """An author as the title names them."""

    name: str
    marks: str
    """The numbers of their affiliations, ``1,2``; empty where all authors have one and the same."""
    affiliations: tuple[str, ...]


def byline(document: Document) -> tuple[tuple[Author, ...], tuple[tuple[str, str], ...]]:
    """Return the authors, and each affiliation once behind its number, in the order in which they are first named."""
    of = {name: document.affiliations.get(name, ()) for name in document.authors}
    places = list(dict.fromkeys(place for found in of.values() for place in found))
    shared = len(places) == 1 and all(found for found in of.values())
    authors = []
    for name, found in of.items():
        numbers = sorted(places.index(place) + 1 for place in found)
        authors.append(Author(name, "" if shared else ",".join(map(str, numbers)), found))
    return tuple(authors), tuple(("" if shared else str(n), place) for n, place in enumerate(places, start=1))


def lay_out(document: Document) -> NumberedDocument:
    """Number sections, tables and figures in reading order, those of the supplement apart: ``Table S1``."""
    sections, supplement = _numbered(document.sections, "", 1), _numbered(document.supplement, SUPPLEMENT, 2)
    labels = _numbers(document.references)
    labels |= _labels(sections, "") | _labels(supplement, SUPPLEMENT)
    return NumberedDocument(sections, labels, supplement)


def part_of(document: Document, part: Part) -> tuple[Document, NumberedDocument]:
    """Return the report or its supplement as a document of its own, with the numbers that it has in the whole.

    Each lists the works that it cites itself, numbered by its own first citations.
    """
    here, there = document.sections, document.supplement
    if part == "supplement":
        here, there = there, here
        document = replace(document, title=f"Supplement to {document.title}")
    known = {work.key: work for work in document.references}
    references = tuple(known[key] for key in dict.fromkeys(cited(here)) if key in known)
    labels = {**lay_out(document).labels, **_numbers(references)}
    sections = _numbered(here, SUPPLEMENT if part == "supplement" else "", 1)
    elsewhere = {*shown_floats(there), *(f"sec:{one.id}" for section in there for one in section.walk())}
    alone = replace(document, sections=here, supplement=(), references=references)
    return alone, NumberedDocument(sections, labels, elsewhere=frozenset(elsewhere))


def _numbers(references: Sequence[CitedWork]) -> dict[str, str]:
    return {f"ref:{reference.key}": f"[{n}]" for n, reference in enumerate(references, start=1)}


def _labels(sections: Sequence[NumberedSection], prefix: str) -> dict[str, str]:
    counts = {"tab": 0, "fig": 0}
    labels: dict[str, str] = {}
    for section in (one for top in sections for one in top.walk()):
        labels[section.anchor] = f"Section {section.number}"
        for block in section.blocks:
            if isinstance(block, ShowTable | ShowFigure):
                kind, word = ("tab", "Table") if isinstance(block, ShowTable) else ("fig", "Figure")
                counts[kind] += 1
                labels[f"{kind}:{block.id}"] = f"{word} {prefix}{counts[kind]}"
    return labels


def kind_of(block: Block) -> str:
    """Return the name of the partial that sets a block: ``paragraph``, ``items``, ``facts``, ``table``, …"""
    return type(block).__name__.lower().removeprefix("show")


def tables_shown(document: Document) -> tuple[Table, ...]:
    """Return the tables a document shows, in reading order."""
    shown = blocks_of(document.all_sections)
    return tuple(document.tables[block.id] for block in shown if isinstance(block, ShowTable))


def figures_shown(document: Document) -> tuple[Figure, ...]:
    """Return the figures a document shows, in reading order."""
    shown = blocks_of(document.all_sections)
    return tuple(document.figures[block.id] for block in shown if isinstance(block, ShowFigure))


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
