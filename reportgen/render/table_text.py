"""Parts that the text formats of a table share: whole heads, and where a column's spanner begins."""

from __future__ import annotations

from reportgen.domain.presentation import Column, Spanner, Table, plain

TEXT_ROLES = ("stub", "text", "subset", "interpretation")
"""Roles whose columns hold words; all others hold numbers."""


def decimals(text: str) -> int | None:
    """Count the decimals of a printed number: 3 of ``0.946``, 0 of ``14,770``; None where the text is no number."""
    digits = text.lstrip("+−").replace(",", "")
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
