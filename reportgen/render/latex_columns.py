"""What a column of a table takes on a printed line, measured once however many layouts of the table are tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reportgen.domain.presentation import Cell, Column, plain
from reportgen.render.latex_measures import filling, pieces, text_width
from reportgen.render.table_text import TEXT_ROLES, decimals, head_text

_MARK = 3.0  # points: one character of note marks
_BOLD = 0.05
"""What a bold character takes more than one of the text, in units of the type size."""


@dataclass(frozen=True)
class MeasuredColumn:
    """A column with its cells, from top to bottom. Widths are in units of the type size."""

    column: Column
    cells: Sequence[Cell]

    @cached_property
    def of_words(self) -> bool:
        """True if the column holds words, which may wrap; numbers do not."""
        return self.column.role in TEXT_ROLES

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The cells' texts, without marks and details."""
        return tuple(plain(cell.text) for cell in self.cells)

    @cached_property
    def text_widths(self) -> tuple[float, ...]:
        """The width of each of them on one line."""
        return tuple(map(text_width, self.texts))

    @cached_property
    def has_detail(self) -> bool:
        """True if any cell has a detail."""
        return any(cell.detail for cell in self.cells)

    @cached_property
    def detail(self) -> float:
        """The width of the widest detail."""
        return max((text_width(cell.detail) for cell in self.cells), default=0.0)

    @cached_property
    def decimals(self) -> int:
        """Most decimals of any number in the column."""
        return max((n for text in self.texts if (n := decimals(text)) is not None), default=0)

    @cached_property
    def marks_gap(self) -> float:
        r"""Points that the note marks of these cells take, where ``\enspace`` has no room for them, else 0."""
        marks = max((len(",".join(cell.notes)) for cell in self.cells), default=0)
        return _MARK * (marks + 1) if marks > 1 else 0.0

    @cached_property
    def words(self) -> float:
        """The width of the widest text with its marks, or of the head."""
        marked = (text_width(text + _marks(cell)) for text, cell in zip(self.texts, self.cells, strict=True))
        return max(max(marked, default=0.0), text_width(head_text(self.column)))

    @cached_property
    def numbers(self) -> float:
        """The width of the widest number with its marks, each as it is."""
        return self._numbers(0)

    @cached_property
    def aligned_numbers(self) -> float:
        """The same, the numbers filled up to the most decimals."""
        return self._numbers(self.decimals)

    def _numbers(self, most: int) -> float:
        widths = zip(self.texts, self.text_widths, self.cells, strict=True)
        return max((_number_width(text, width, cell, most) for text, width, cell in widths), default=0.0)

    @cached_property
    def piece(self) -> float:
        """The width of the widest piece of a column of words, below which it must not be squeezed."""
        texts = (head_text(self.column), *self.texts)
        return max((text_width(piece) for text in dict.fromkeys(texts) for piece in pieces(text)), default=0.0)

    @cached_property
    def characters(self) -> int:
        """The most characters of a text with its detail beside it."""
        both = zip(self.texts, self.cells, strict=True)
        return max((len(text) + len(cell.detail) for text, cell in both), default=0)

    @cached_property
    def stacked_characters(self) -> int:
        """The most characters of a text or a detail."""
        both = zip(self.texts, self.cells, strict=True)
        return max((max(len(text), len(cell.detail)) for text, cell in both), default=0)


def _number_width(text: str, width: float, cell: Cell, most: int) -> float:
    bold = _BOLD * len(text) if cell.mark == "best" else 0.0
    # What follows the number overlaps its note marks, which take no room of their own.
    return width + bold + max(text_width(filling(text, most)), text_width(_marks(cell)))


def _marks(cell: Cell) -> str:
    # Note marks are set smaller; two of their characters count as one.
    return "n" * math.ceil(len(",".join(cell.notes)) / 2)
