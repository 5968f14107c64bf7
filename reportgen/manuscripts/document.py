"""Documents that people type, as tables and passages of text with their places."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class SourceCell:
    """A cell of a table: its text without marks of typesetting, and whether it is set in bold."""

    text: str
    bold: bool = False
    line: int = 0


@dataclass(frozen=True, slots=True)
class SourceTable:
    """A table: heads and rows of equal length."""

    number: int
    """Its place among the tables of the document, from 1."""
    line: int
    heads: tuple[str, ...]
    """One per column; where several rows of heads stand above each other, joined from top to bottom."""
    rows: tuple[tuple[SourceCell, ...], ...]
    caption: str = ""
    section: str = ""
    """The heading it is under."""

    @property
    def place(self) -> str:
        """Where it stands, for a message."""
        return f"table {self.number} (line {self.line})" if self.line else f"table {self.number}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of running text, such as a paragraph, with the line it begins on; code and comments are left out."""

    line: int
    text: str
    """Line breaks are kept, so that the line of a word can be told."""


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A document as it was read."""

    name: str
    """Its path, as given."""
    kind: str
    """``md``, ``tex``, ``html``, ``csv`` or ``json``."""
    tables: tuple[SourceTable, ...] = ()
    passages: tuple[Passage, ...] = ()
    values: Any = field(default=None, hash=False)
    """Of a JSON file: its content, numbers as :class:`Numeral`."""


class Numeral(str):
    """A number of a JSON file, by the digits that stand there."""

    __slots__ = ()


def source_table(
    number: int, line: int, rows: list[list[SourceCell]], n_heads: int, caption: str = "", section: str = ""
) -> SourceTable | None:
    """Return a table of rows that may differ in length, padded with empty cells; None without a head and a row."""
    width = max((len(row) for row in rows), default=0)
    padded = [[*row, *(SourceCell("") for _ in range(width - len(row)))] for row in rows]
    above, below = padded[:n_heads], padded[n_heads:]
    if not above or not below:
        return None
    heads = tuple(" ".join(dict.fromkeys(row[at].text for row in above if row[at].text)) for at in range(width))
    return SourceTable(number, line, heads, tuple(tuple(row) for row in below), " ".join(caption.split()), section)
