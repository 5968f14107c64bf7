"""``reportgen tables``: the tables alone."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.progress import Steps
from reportgen.cli.sources import Changes, obtain, refuse_source


@click.command(short_help="Write the tables.")
@options.source
@options.output("DIR", "The folder to put the tables into; other files there stay.")
@options.formats(("latex", "html", "csv", "md", "xlsx"))
@options.evaluation
@click.pass_obj
def command(
    quiet: bool,
    *,
    source: Path,
    target: Path,
    formats: tuple[str, ...],
    changes: Changes,
) -> None:
    """Write each table as LaTeX, HTML, CSV, Markdown and XLSX.

    The LaTeX files need booktabs and are ready to be \\input; the CSV files hold the values at full precision; a
    workbook more, all-tables.xlsx, has a sheet for each table.

    \b
    Example:
      reportgen tables metrics_master.json -o paper/tables --formats latex
    """
    from reportgen.bundle import render_tables, write_files
    from reportgen.tables import build_tables

    steps = Steps(quiet)
    with steps.showing():
        results = obtain(source, changes, steps).results
        with steps.step("Tables"):
            files = render_tables(build_tables(results), formats)
            for name in files:
                refuse_source(source, target / name)
            write_files(target, files)
    if not quiet:
        click.echo(f"Wrote {len(files)} files to {target} in {steps.seconds:.1f} s.")
