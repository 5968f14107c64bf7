"""The command ``reportgen``: one module per verb, loaded when it is used, no arithmetic."""

from __future__ import annotations

import gc
import sys
import warnings
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from io import TextIOWrapper
from types import MappingProxyType
from typing import Any, Final

import click

from reportgen.discovery import AnnouncementError
from reportgen.errors import ReportgenError, printable
from reportgen.version import __version__

_MANY_OBJECTS = 100_000
"""New objects after which Python looks for garbage: a layout makes millions and drops few, and with Python's own
threshold of 700 a tenth of the time of a PDF goes into looking."""
VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "init": "Write a run.toml for a folder of outputs.",
        "build": "Build the whole paper bundle.",
        "evaluate": "Compute the numbers: metrics_master.json.",
        "check": "Check runs, results and their targets.",
        "tables": "Write the tables.",
        "figures": "Draw the figures.",
        "pdf": "Set the report as a PDF.",
        "html": "Set the report as one HTML page.",
        "docx": "Set the report as a Word document, or fill your own.",
        "show": "Print the headline numbers.",
        "fill": "Fill the numbers into your own Markdown.",
        "lint": "Find impossible numbers in tables of results.",
        "trace": "Trace the numbers in your text to their results.",
        "export": "Export the numbers to other tools.",
        "metric": "List the metrics, or define one.",
        "contract": "List, show and compare contracts.",
        "theme": "List, show, copy and check themes.",
        "crosscheck": "Compare two implementations of every metric.",
        "verify": "Check that a bundle shows what its results say.",
        "diff": "Show what changed between two bundles.",
        "explain": "Explain the code of an error or finding.",
        "migrate": "Rewrite older results in the present form.",
        "schema": "Print the JSON Schema of metrics_master.json.",
        "doctor": "List what is installed and what is missing.",
        "completion": "Print the completion script of a shell.",
    }
)
"""In the order of the help, each with what the help says; each is the command ``command`` in the module of its name."""


class Verbs(click.Group):
    """A group whose commands are imported by name, and whose errors are sentences, not tracebacks."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs, in the order they are of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a verb; None for a name that is not a verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"reportgen.cli.{cmd_name}").command
        command.name = cmd_name  # by its module; click calls it by the function in it
        command.short_help = VERBS[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without loading them, so that the help is there at once."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest verb for one that does not exist."""
        if args and not args[0].startswith("-") and args[0] not in VERBS:
            from difflib import get_close_matches

            near = get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else f" Choose from: {', '.join(VERBS)}."
            ctx.fail(f"There is no command '{args[0]}'.{hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a verb; an error of ours is printed as it reads, and ends with its exit code."""
        gc.set_threshold(_MANY_OBJECTS)
        # A terminal whose encoding lacks a character shows a question mark; it must not stop the verb.
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")
        try:
            with warnings.catch_warnings():
                warnings.showwarning = partial(_as_note, ctx)
                return super().invoke(ctx)
        except ReportgenError as error:
            click.echo(str(error), err=True)
            ctx.exit(error.exit_code)
        except AnnouncementError as error:
            click.echo(printable(str(error)), err=True)
            ctx.exit(ReportgenError.exit_code)


def _as_note(ctx: click.Context, message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    """Print a warning as a sentence, without the place in our code that raised it; nothing where it must be quiet."""
    if not ctx.obj:
        click.echo(f"Note: {printable(str(message))}", err=True)


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: reportgen build RUN_FOLDER -o paper_bundle/v1.0",
)
@click.version_option(__version__, prog_name="reportgen")
@click.option("-q", "--quiet", is_flag=True, help="Print errors only.")
@click.pass_context
def main(ctx: click.Context, quiet: bool) -> None:
    """Turn an evaluation run into a paper: tables, figures, a report, LaTeX.

    A run is a folder with one row per query (predictions, rankings, decisions) and a run.toml that says what the
    columns are; a single CSV or Parquet file will do. Every number lands in one file, metrics_master.json, and
    every table, figure and sentence is made from that file. So each command also takes a metrics_master.json, or
    the folder of an earlier build, in place of a run.
    """
    ctx.obj = quiet
