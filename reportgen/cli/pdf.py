"""``reportgen pdf``: the report as a PDF."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import options
from reportgen.cli.progress import Steps
from reportgen.cli.sources import Changes, folder_of, obtain, refuse_source
from reportgen.cli.written import say_written

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest


@click.command()
@options.source
@options.output("FILE", "The PDF to write.")
@options.evaluation
@options.theme
@options.anonymous
@options.as_json
@click.pass_obj
def command(
    quiet: bool, *, source: Path, target: Path, changes: Changes, asked: ThemeRequest, anonymous: bool, as_json: bool
) -> None:
    """Set the report as a PDF, with the numbers and tables attached to it.

    \b
    Example:
      reportgen pdf metrics_master.json -o report.pdf
    """
    from reportgen.bundle import choose_theme, present, render_pdf, write_file
    from reportgen.results import encode

    refuse_source(source, target, *changes.beside)
    steps = Steps(quiet or as_json)
    with steps.showing():
        obtained = obtain(source, changes, steps, asked=asked)
        shown = (obtained.anonymous() if anonymous else obtained).results
        results, theme = choose_theme(shown, folder_of(source), asked)
        with steps.step("PDF report"):
            write_file(target, render_pdf(present(results, theme), encode(results)))
    say_written([target], f"Wrote {target} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)
