"""``reportgen pdf``: the report as a PDF."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.progress import Steps
from reportgen.cli.sources import Changes, obtain, refuse_source
from reportgen.cli.written import say_written


@click.command(short_help="Set the report as a PDF.")
@options.source
@options.output("FILE", "The PDF to write.")
@options.evaluation
@options.as_json
@click.pass_obj
def command(quiet: bool, *, source: Path, target: Path, changes: Changes, as_json: bool) -> None:
    """Set the report as a PDF, with the numbers and tables attached to it.

    \b
    Example:
      reportgen pdf metrics_master.json -o report.pdf
    """
    from reportgen.bundle import present, render_pdf, write_file
    from reportgen.results import encode

    refuse_source(source, target, *changes.beside)
    steps = Steps(quiet or as_json)
    with steps.showing():
        results = obtain(source, changes, steps).results
        with steps.step("PDF report"):
            write_file(target, render_pdf(present(results), encode(results)))
    say_written([target], f"Wrote {target} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)
