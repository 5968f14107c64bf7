"""A table in the pieces of a text format, from which its file is put together, and by a page's script what is seen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pieces:
    """The heads, cells and groups of a table, each written and escaped for the format."""

    before: str
    """What comes before the heads."""
    heads: tuple[str, ...]
    """By column; of CSV all fields of the column."""
    rules: tuple[str, ...]
    """What the format says of each column: its alignment; empty in CSV."""
    groups: tuple[tuple[str, tuple[tuple[str, ...], ...]], ...]
    """The head of each group, which may be empty, and the cells of its rows."""
    after: str
    """What comes after the last row."""
    widths: tuple[int, ...] = ()
    """In LaTeX, how many columns each column takes."""
    spanners: tuple[tuple[str, int, int], ...] = ()
    """In LaTeX, the heads over several columns, with the first and the last of these."""
