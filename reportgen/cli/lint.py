"""``reportgen lint``: tables that people typed, compared with what must hold between their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.findings import as_data, by_code
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sarif import sarif
from reportgen.errors import Diagnostic

if TYPE_CHECKING:
    from reportgen.manuscripts import LintReport


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=options.INPUT)
@click.option("--pooled", is_flag=True, help="All rates are of pooled counts, no means over folds.")
@click.option("--graded", is_flag=True, help="Relevance has more than two grades.")
@options.form("sarif")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context, *, files: tuple[Path, ...], pooled: bool, graded: bool, form: str, as_json: bool
) -> None:
    """Read the tables in FILE... and report numbers that cannot be true, rounding included.

    FILE is Markdown, LaTeX, HTML, Word, CSV or JSON, also by other authors; all files are taken to describe one study.
    A number is impossible if no results round to it, and implausible if correct tables seldom show it; each such
    finding gives the false-alarm rate of its rule. Nothing is run or loaded. The exit code is 1 where something is
    impossible, and 2 if a file cannot be read.

    \b
    Examples:
      reportgen lint results.md
      reportgen lint paper/tables/*.tex supplement.csv --json
    """
    from reportgen.manuscripts import lint, read

    steps = StepDisplay(ctx.obj or as_json or form != "text")
    documents = []
    with steps.showing(), steps.step("Reading the tables") as share:
        for n, file in enumerate(files):
            documents.append(read(file))
            share((n + 1) / (len(files) + 1))
        found = lint(documents, pooled=pooled, graded=graded)
    if form == "sarif":
        all_found = (*found.impossible, *found.implausible)
        say_json(sarif((_file(check, files), check) for check in all_found))
    elif as_json:
        say_json(_data(found))
    else:
        click.echo(_text(found, len(files)))
    if found.impossible:
        ctx.exit(1)


def _file(check: Diagnostic, files: tuple[Path, ...]) -> str:
    """Return the path, as typed, of the file that a finding is in."""
    return str(next((file for file in files if check.where.startswith(str(file))), files[0]))


def _data(found: LintReport) -> dict[str, Any]:
    from reportgen.manuscripts import false_alarm_rate

    graded = [("impossible", check) for check in found.impossible]
    graded += [("implausible", check) for check in found.implausible]
    return {
        "tables": found.n_tables,
        "numbers": found.n_numbers,
        "findings": [
            {"grade": grade, **as_data(check), "false_alarms": false_alarm_rate(check.code)} for grade, check in graded
        ],
    }


def _text(found: LintReport, n_files: int) -> str:
    from reportgen.manuscripts import false_alarm_rate

    blocks = []
    for head, of_grade in (("Impossible", found.impossible), ("Implausible", found.implausible)):
        if of_grade:
            blocks += [f"{head} ({len(of_grade)})", *by_code(of_grade, false_alarm_rate)]
    files = f"{n_files:,} file{'s' * (n_files != 1)}"
    read = f"{found.n_numbers:,} numbers in {found.n_tables:,} table{'s' * (found.n_tables != 1)} of {files}"
    total = f"{len(found.impossible):,} impossible, {len(found.implausible):,} implausible"
    return "\n\n".join([*blocks, f"{read}: {total if blocks else 'nothing found'}"])
