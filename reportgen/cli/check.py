"""``reportgen check``: what is wrong with runs or results, and which targets are missed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.findings import as_data, as_text, counted
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sarif import sarif
from reportgen.cli.sources import Changes, computed_at, obtain, read_for_evaluation
from reportgen.domain.statements import Statements
from reportgen.errors import Diagnostic, InputError, RequestError, printable


@dataclass(frozen=True, slots=True)
class _Checked:
    """One run or file of results, and what was found in it."""

    run: str
    """The path as typed."""
    synthetic: bool
    readable: bool
    findings: Sequence[Diagnostic]
    text: str
    """The findings as they are printed."""
    targets: str = ""
    """The outcome of the targets; empty where none was asked for."""


@click.command()
@click.argument("sources", metavar="SRC...", nargs=-1, required=True, type=options.INPUT)
@options.contract
@options.data
@options.statements
@click.option("--targets", is_flag=True, help="Also fail on a missed target of the contract; a run is evaluated first.")
@options.form("sarif")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    sources: tuple[Path, ...],
    contract: str | None,
    data: str | None,
    said: Statements,
    targets: bool,
    form: str,
    as_json: bool,
) -> None:
    """Check runs before anything is computed: splits, thresholds, probabilities, decisions, rankings, labels.

    Every finding has a code, a severity, what was found, why it matters and what to do; `reportgen explain CODE`
    explains the code in general. Several runs must also have the same queries. SRC can also be a bundle or a
    metrics_master.json: its findings are about its numbers. The exit code is 1 with a finding of the severity error
    or, with --targets, a missed target, and 2 if SRC cannot be read.

    \b
    Examples:
      reportgen check sample_runs/digits_pages
      reportgen check my_run --contract trec-eval --json
      reportgen check paper_bundle/v1.0 --targets
    """
    if data is not None and len(sources) > 1:
        raise click.UsageError("--data says where the partitions of one run are; check each run by itself.")
    steps = StepDisplay(ctx.obj or as_json or form != "text")
    with steps.showing():
        changes = Changes(contract=contract, data=data, said=said)
        checked = [_check(source, changes, targets, steps) for source in sources]
        if len(sources) > 1 and all(one.readable and not computed_at(Path(one.run)) for one in checked):
            checked += _together(sources, said, steps)
    if form == "sarif":
        say_json(sarif((_file(one.run), found) for one in checked for found in one.findings))
    elif as_json:
        say_json({"runs": [_data(one) for one in checked]})
    else:
        click.echo("\n\n".join(_text(one) for one in checked))
    if not all(one.readable for one in checked):
        ctx.exit(2)
    if any(found.severity == "error" for one in checked for found in one.findings):
        ctx.exit(1)


def _check(source: Path, changes: Changes, targets: bool, steps: StepDisplay) -> _Checked:
    if targets or computed_at(source):
        return _check_results(source, changes, targets, steps)
    from reportgen.evaluation import findings

    try:
        run, conventions = read_for_evaluation(source, changes, steps)
    except InputError as error:
        return _unreadable(str(source), error)
    with steps.step("Checking"):
        found = [check for check in findings(run, conventions) if check.status == "failed"]
    labels = {system.id: system.label for system in run.systems}
    return _Checked(str(source), run.info.synthetic, True, found, as_text(found, labels))


def _check_results(source: Path, changes: Changes, targets: bool, steps: StepDisplay) -> _Checked:
    """Return what the checks of results found, and the targets that are missed."""
    from reportgen import gate
    from reportgen.consistency import rechecked

    try:
        results = rechecked(obtain(source, changes, steps).results)
    except InputError as error:
        return _unreadable(str(source), error)
    if targets and not gate.has_targets(results):
        raise RequestError(Diagnostic("RG726", str(source), f"the contract '{results.contract.id}' sets no target"))
    found = [check for check in results.checks if check.status == "failed"]
    found += gate.missed(results) if targets else ()
    labels = {system.id: system.label for system in results.systems}
    told = gate.verdict(results) if targets else ""
    return _Checked(str(source), results.run.synthetic, True, found, as_text(found, labels), told)


def _together(sources: tuple[Path, ...], said: Statements, steps: StepDisplay) -> list[_Checked]:
    """Return what keeps readable runs from being compared, if anything does."""
    from reportgen.recognition import read_several

    try:
        with steps.step("Comparing the runs"):
            read_several(sources, said=said)
    except InputError as error:
        return [_unreadable("All runs together", error)]
    return []


def _unreadable(name: str, error: InputError) -> _Checked:
    return _Checked(name, False, False, error.problems, f"Errors ({len(error.problems)})\n\n{error}")


def _file(run: str) -> str:
    """Return the file that a finding is shown at: the declaration or the results of a folder, where it has them."""
    names = (Path(run) / name for name in ("run.toml", "metrics_master.json"))
    return str(next((path for path in names if path.is_file()), run))


def _data(one: _Checked) -> dict[str, object]:
    told = {"targets": one.targets} if one.targets else {}
    return {
        "run": one.run,
        "synthetic": one.synthetic,
        "readable": one.readable,
        **told,
        "findings": [as_data(found) for found in one.findings],
    }


def _text(one: _Checked) -> str:
    synthetic = " (synthetic data)" if one.synthetic else ""
    parts = [f"{one.run}{synthetic}: {counted(one.findings)}", one.targets and f"{one.targets}."]
    head = "\n".join(printable(part) for part in parts if part)
    return f"{head}\n\n{one.text}" if one.text else head
