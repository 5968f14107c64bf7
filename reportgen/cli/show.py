"""``reportgen show``: the headline in the terminal."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.progress import Steps
from reportgen.cli.sources import Changes, obtain


@click.command(short_help="Print the headline numbers.")
@options.source
@options.evaluation
@click.pass_obj
def command(quiet: bool, *, source: Path, changes: Changes) -> None:
    """Print what was evaluated and the headline numbers; writes nothing.

    \b
    Example:
      reportgen show paper_bundle/v1.0
    """
    from reportgen.cli.terminal import console, print_headline, print_run
    from reportgen.tables import build_tables

    steps = Steps(quiet)
    with steps.showing():
        results = obtain(source, changes, steps).results
    to = console()
    print_run(to, results)
    print_headline(to, build_tables(results))
