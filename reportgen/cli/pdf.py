"""``reportgen pdf``: the report as a PDF."""

from __future__ import annotations

from typing import Any

import click

from reportgen.cli import options
from reportgen.cli.report import write_report


@click.command()
@options.source
@options.output("FILE", "The PDF to write.")
@options.evaluation
@options.theme
@options.anonymous
@options.as_json
@click.pass_obj
def command(quiet: bool, /, **asked: Any) -> None:
    """Set the report as a PDF, with the numbers and tables attached to it.

    \b
    Example:
      reportgen pdf metrics_master.json -o report.pdf
    """
    write_report("pdf", quiet=quiet, **asked)
