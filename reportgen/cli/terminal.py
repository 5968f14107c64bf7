"""What a verb prints: the run in one paragraph, a table as text, what was written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from reportgen.domain.presentation import Cell, Column, Table, plain
from reportgen.errors import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text as RichText

    from reportgen.domain.record import Results

_NUMERIC = frozenset({"number", "count", "estimate"})
# A pipe has no width; wide enough that no cell of ours is folded in a log file.
_PIPE_WIDTH = 200


def console() -> Console:
    """Standard output; colours only on a terminal (and not with NO_COLOR)."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def print_run(to: Console, results: Results) -> None:
    """What was read: title, then queries, clusters, folds and systems, each counted in the field's own words."""
    units = results.units
    subset = results.subset_by_id["all_queries"]
    folds = len(results.folds)
    parts = [
        f"{units.query.count(subset.n_queries)} ({subset.n_positive:,} positive)",
        units.cluster.count(subset.n_clusters),
        f"{folds} {'fold' if folds == 1 else 'folds'}",
        f"{len(results.systems)} {'system' if len(results.systems) == 1 else 'systems'}",
    ]
    synthetic = " (synthetic data)" if results.run.synthetic else ""
    to.print(printable(f"{results.run.title}{synthetic}"), style="bold")
    to.print(printable("  " + " · ".join(parts)))
    for system in sorted(results.systems, key=lambda system: system.order):
        to.print(printable(f"  - {system.label}"))
    contract = results.contract
    to.print(printable(f"  Contract: {contract.title} ({contract.id} {contract.version})"))
    for warning in results.warnings:
        to.print(printable(f"  Note: {warning}"))


def print_headline(to: Console, tables: tuple[Table, ...]) -> None:
    """The headline table: the first that is meant for the body of a paper, else the first of all."""
    table = next((table for table in tables if table.compact), next(iter(tables), None))
    if table is not None:
        to.print()
        print_table(to, table)


def print_table(to: Console, table: Table) -> None:
    """A table as text: values as everywhere else, uncertainty dimmed, interpretations left to the report."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    shown = [i for i, column in enumerate(table.columns) if column.role != "interpretation"]
    title = RichText(printable(table.title))
    text = RichTable(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="", pad_edge=False)
    for i in shown:
        column = table.columns[i]
        text.add_column(RichText(_head(table, column)), justify="right" if column.role in _NUMERIC else "left")
    for group in table.groups:
        if plain(group.head):
            text.add_row(RichText(printable(plain(group.head)), style="italic"))
        for row in group.rows:
            text.add_row(*(_cell(row.cells[i]) for i in shown))
    to.print(text)
    for note in table.notes:
        to.print(printable(f"  {note.key + ' ' if note.key else ''}{plain(note.text)}"), style="dim")


def _head(table: Table, column: Column) -> str:
    """The column's head with its unit, under the spanner that covers it."""
    over = next((plain(spanner.head) for spanner in table.spanners if column.key in spanner.columns), "")
    unit = f" ({column.unit})" if column.unit else ""
    return "\n".join(printable(part) for part in (over, plain(column.head) + unit) if part)


def _cell(cell: Cell) -> RichText:
    from rich.text import Text as RichText

    text = RichText(printable(plain(cell.text)), style={"best": "bold", "second": "underline"}.get(cell.mark, ""))
    if cell.detail:
        text.append(f" {cell.detail}", style="dim not bold not underline")
    if cell.notes:
        text.append(f" {','.join(cell.notes)}", style="dim not bold not underline")
    return text
