"""Parts that the text formats of a table share: whole heads, and where a column's spanner begins."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Spanner, Table, plain
from reportgen.numbers import PERCENT, with_point

TEXT_ROLES = ("stub", "text", "subset", "interpretation")
"""Roles whose columns hold words; all others hold numbers."""
LINE = 112
"""Characters that fit the line of a portrait page."""
_BESIDE, _GAP = 2, 2
_WORDS = 16
"""Characters to which words are broken."""


def is_stacked(table: Table) -> bool:
    """Return True if details are below their values.

    They are where that is asked for, and where a line has no room for more than two columns of both.
    """
    several = sum(any(row.cells[at].detail for row in table.rows) for at in range(len(table.columns))) > _BESIDE
    return table.stacked or (several and _width(table, stacked=False) > LINE)


def natural_width(table: Table) -> int:
    """Return the width a table asks for, in characters: the longest number of each column, words broken to 16."""
    return _width(table, is_stacked(table))


def _width(table: Table, stacked: bool) -> int:
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


def decimals(text: str, mark: str = ".") -> int | None:
    """Count the decimals of a printed number: 3 of ``0.946``, 0 of ``14,770``; None where the text is not a number.

    A percent sign after the number does not count, nor does the mark of thousands.
    """
    number = text.removesuffix(PERCENT)
    digits = (number if mark == "." else with_point(number)).lstrip("+−").replace(",", "").replace("\u202f", "")
    whole, _, fraction = digits.partition(".")
    return len(fraction) if whole.isdecimal() and (fraction.isdecimal() or not fraction) else None


def head_text(column: Column) -> str:
    """Return the head with its unit, as plain text."""
    head = plain(column.head)
    return f"{head} ({column.unit})" if column.unit else head


def spanner_of(table: Table, column: Column) -> Spanner | None:
    """Return the spanner over a column, or None."""
    return next((spanner for spanner in table.spanners if column.key in spanner.columns), None)


def full_head(table: Table, column: Column) -> str:
    """Return a head that stands alone, for formats with one line of heads: ``AUROC: Baseline (per 1,000)``."""
    spanner = spanner_of(table, column)
    head = head_text(column)
    return f"{plain(spanner.head)}: {head}" if spanner else head


def has_groups(table: Table) -> bool:
    """Return True if any group of rows has a head."""
    return any(plain(group.head) for group in table.groups)
