"""``reportgen check``: what is wrong with runs, before anything is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.findings import as_data, as_text, counted
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sources import Changes, read_for_evaluation
from reportgen.errors import Diagnostic, InputError, printable


@dataclass(frozen=True, slots=True)
class _Checked:
    """One run, and what was found in it."""

    run: str
    """The path as typed."""
    synthetic: bool
    readable: bool
    findings: Sequence[Diagnostic]
    text: str
    """The findings as they are printed."""


@click.command()
@click.argument("sources", metavar="RUN...", nargs=-1, required=True, type=options.INPUT)
@options.contract
@options.as_json
@click.pass_context
def command(ctx: click.Context, *, sources: tuple[Path, ...], contract: str | None, as_json: bool) -> None:
    """Check runs before anything is computed: splits, thresholds, probabilities, decisions, rankings, labels.

    Every finding has a code, a severity, what was found, why it matters and what to do; `reportgen explain CODE` says
    the same in general. Several runs are also checked for being of the same queries. The exit code is 1 with a
    finding of the severity error, and 2 if a run cannot be read.

    \b
    Examples:
      reportgen check sample_runs/digits_pages
      reportgen check my_run --contract trec-eval --json
    """
    steps = StepDisplay(ctx.obj or as_json)
    with steps.showing():
        checked = [_check(source, contract, steps) for source in sources]
        if len(sources) > 1 and all(one.readable for one in checked):
            checked += _together(sources, steps)
    if as_json:
        runs = [
            {
                "run": one.run,
                "synthetic": one.synthetic,
                "readable": one.readable,
                "findings": [as_data(found) for found in one.findings],
            }
            for one in checked
        ]
        say_json({"runs": runs})
    else:
        click.echo("\n\n".join(_text(one) for one in checked))
    if not all(one.readable for one in checked):
        ctx.exit(2)
    if any(found.severity == "error" for one in checked for found in one.findings):
        ctx.exit(1)


def _check(source: Path, contract: str | None, steps: StepDisplay) -> _Checked:
    from reportgen.evaluation import findings

    try:
        run, conventions = read_for_evaluation(source, Changes(contract=contract), steps)
    except InputError as error:
        return _unreadable(str(source), error)
    with steps.step("Checking"):
        found = [check for check in findings(run, conventions) if check.status == "failed"]
    labels = {system.id: system.label for system in run.systems}
    return _Checked(str(source), run.info.synthetic, True, found, as_text(found, labels))


def _together(sources: tuple[Path, ...], steps: StepDisplay) -> list[_Checked]:
    """Return what keeps readable runs from being compared, if anything does."""
    from reportgen.inputs import read_runs

    try:
        with steps.step("Comparing the runs"):
            read_runs(sources)
    except InputError as error:
        return [_unreadable("All runs together", error)]
    return []


def _unreadable(name: str, error: InputError) -> _Checked:
    return _Checked(name, False, False, error.problems, f"Errors ({len(error.problems)})\n\n{error}")


def _text(one: _Checked) -> str:
    synthetic = " (synthetic data)" if one.synthetic else ""
    head = printable(f"{one.run}{synthetic}: {counted(one.findings)}")
    return f"{head}\n\n{one.text}" if one.text else head
