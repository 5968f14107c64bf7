"""``reportgen html``: the report as one page."""

from __future__ import annotations

from typing import Any

import click

from reportgen.cli import options
from reportgen.cli.report import write_report


@click.command()
@options.source
@options.output("FILE", "The HTML file to write.")
@options.evaluation
@options.theme
@options.anonymous
@options.as_json
@click.pass_obj
def command(quiet: bool, /, **asked: Any) -> None:
    """Set the report as one HTML file that opens from disk and asks nothing of the network.

    \b
    Example:
      reportgen html sample_runs/digits_pages -o report.html
    """
    write_report("html", quiet=quiet, **asked)
