"""What a verb prints: the run in one paragraph, a table as text, what was written."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from reportgen.domain.presentation import Cell, Column, Table, plain
from reportgen.errors import printable
from reportgen.wording.text import number_of_folds
from reportgen.wording.values import states_truth

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    from reportgen.domain.record import Results

_NUMERIC = frozenset({"number", "count", "estimate"})
# A pipe has no width; wide enough that no cell of ours is folded in a log file.
_PIPE_WIDTH = 200
# A table is measured as if the line had no end: else it would be found to fit every line.
_UNBOUNDED = 10_000


def console() -> Console:
    """Return standard output; colours only on a terminal (and not with NO_COLOR)."""
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


_MOST_SYSTEMS = 12
"""Most systems that are named one by one."""


def print_run(to: Console, results: Results) -> None:
    """Print what was read: title, then queries, clusters, folds and systems, each counted in the field's own words."""
    units = results.units
    subset = results.subset_by_id["all_queries"]
    folds = len(results.folds)
    positive = f" ({subset.n_positive:,} positive)" if states_truth(results) else ""
    parts = [
        f"{units.query.count(subset.n_queries)}{positive}",
        *([] if units.cluster == units.query else [units.cluster.count(subset.n_clusters)]),
        f"{number_of_folds(folds, results.split.repeats)} {'fold' if folds == 1 else 'folds'}",
        f"{len(results.systems)} {'system' if len(results.systems) == 1 else 'systems'}",
    ]
    synthetic = " (synthetic data)" if results.run.synthetic else ""
    to.print(printable(f"{results.run.title}{synthetic}"), style="bold")
    to.print(printable("  " + " · ".join(parts)))
    systems = sorted(results.systems, key=lambda system: system.order)
    for system in systems if len(systems) <= _MOST_SYSTEMS else systems[: _MOST_SYSTEMS - 1]:
        to.print(printable(f"  - {system.label}"))
    if len(systems) > _MOST_SYSTEMS:
        to.print(f"  - and {len(systems) - _MOST_SYSTEMS + 1:,} more")
    contract = results.contract
    to.print(printable(f"  Contract: {contract.title} ({contract.id} {contract.version})"))
    for warning in results.warnings:
        to.print(printable(f"  Note: {warning}"))


def print_headline(to: Console, tables: tuple[Table, ...]) -> None:
    """Print the headline table: the first that is meant for the body of a paper, else the first of all."""
    table = next((table for table in tables if table.compact), next(iter(tables), None))
    if table is not None:
        to.print()
        print_table(to, table)


def print_targets(to: Console, results: Results) -> None:
    """Print the outcome of the contract's targets, and each that is missed; nothing without targets."""
    from reportgen.gate import missed, verdict

    if told := verdict(results):
        to.print(printable(f"\n{told}."))
        labels = {system.id: system.label for system in results.systems}
        for one in missed(results):
            to.print(printable(f"  {f'{labels[one.where]}: ' if one.where else ''}{one.message}"))


def print_table(to: Console, table: Table) -> None:
    """Print a table as text: values as everywhere else, uncertainty dimmed, interpretations left to the report.

    Where the line is too short for intervals beside their values they stand below them, and where it is too short for
    that they are left out, and said to be: no interval is divided between two lines.
    """
    from rich.measure import Measurement

    forms = [_laid_out(table, detail) for detail in (" ", "\n", "")]
    unbounded = to.options.update(max_width=_UNBOUNDED)
    fitting = (form for form in forms if Measurement.get(to, unbounded, form).maximum <= to.width)
    shown = next(fitting, forms[-1])
    to.print(shown)
    for note in table.notes:
        to.print(f"  {note.key + ' ' if note.key else ''}{plain(note.text)}", style="dim")
    if shown is forms[-1] and any(cell.detail for row in table.rows for cell in row.cells):
        to.print("  The line is too short for the intervals; a wider terminal and the report show them.", style="dim")


def _laid_out(table: Table, before_detail: str) -> RichTable:
    """Return the table with each uncertainty after this separator; without any where it is empty."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    shown = [i for i, column in enumerate(table.columns) if column.role != "interpretation"]
    title = RichText(printable(table.title))
    text = RichTable(box=SIMPLE_HEAD, title=title, title_justify="left", title_style="", pad_edge=False)
    for i in shown:
        column = table.columns[i]
        head = RichText(_head(table, column, narrow=before_detail != " "))
        text.add_column(head, justify="right" if column.role in _NUMERIC else "left")
    for group in table.groups:
        if plain(group.head):
            text.add_row(RichText(printable(plain(group.head)), style="italic"))
        for row in group.rows:
            text.add_row(*(_cell(row.cells[i], before_detail) for i in shown))
    return text


def _head(table: Table, column: Column, *, narrow: bool) -> str:
    """Return the column's head with its unit, under the spanner that covers it; with ``narrow``, a word to a line."""
    over = next((plain(spanner.head) for spanner in table.spanners if column.key in spanner.columns), "")
    unit = f" ({column.unit})" if column.unit else ""
    head = "\n".join(printable(part) for part in (over, plain(column.head) + unit) if part)
    return "\n".join(head.split()) if narrow and column.role in _NUMERIC else head


def _cell(cell: Cell, before_detail: str) -> RichText:
    from rich.text import Text as RichText

    text = RichText(printable(plain(cell.text)), style={"best": "bold", "second": "underline"}.get(cell.mark, ""))
    detail = f"{before_detail}{cell.detail}" if cell.detail and before_detail else ""
    notes = f" {','.join(cell.notes)}" if cell.notes else ""
    # A note is about the value, so it stays on its line.
    for part in (notes, detail) if before_detail == "\n" else (detail, notes):
        text.append(part, style="dim not bold not underline")
    return text
