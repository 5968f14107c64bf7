"""``reportgen html``: the report as one page."""

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
@options.output("FILE", "The HTML file to write.")
@options.evaluation
@options.theme
@options.anonymous
@options.as_json
@click.pass_obj
def command(
    quiet: bool, *, source: Path, target: Path, changes: Changes, asked: ThemeRequest, anonymous: bool, as_json: bool
) -> None:
    """Set the report as one HTML file that opens from disk and asks nothing of the network.

    \b
    Example:
      reportgen html sample_runs/digits_pages -o report.html
    """
    from reportgen.bundle import choose_theme, present, render_html, write_file

    refuse_source(source, target, *changes.beside)
    steps = Steps(quiet or as_json)
    with steps.showing():
        obtained = obtain(source, changes, steps, asked=asked)
        shown = (obtained.anonymous() if anonymous else obtained).results
        results, theme = choose_theme(shown, folder_of(source), asked)
        with steps.step("HTML report"):
            write_file(target, render_html(present(results, theme)).encode())
    say_written([target], f"Wrote {target} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)
