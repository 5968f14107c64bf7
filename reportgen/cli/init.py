"""``reportgen init``: a run.toml for a folder of outputs."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.domain.statements import Statements
from reportgen.errors import Diagnostic, RequestError, printable

if TYPE_CHECKING:
    from reportgen.recognition import OpenQuestion, Proposal


@click.command()
@click.argument("folder", metavar="FOLDER|FILE", type=options.INPUT)
@options.data
@options.statements
@options.title
@click.option("--dry-run", is_flag=True, help="Print run.toml instead of writing it.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    folder: Path,
    data: str | None,
    said: Statements,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Look at the files of FOLDER, or at one FILE, say what they are and why, and write that into a run.toml.

    Files may be CSV, Parquet, JSON Lines or TREC; columns are recognised by name and content. A folder of files such as
    part-0.parquet is one table in partitions, of which the columns and a sample of the rows are read. What no file says
    is asked on a terminal; elsewhere the message names the option that answers it. A run.toml that is there stays as it
    is.

    \b
    Examples:
      reportgen init outputs
      reportgen init my-run --data s3://bucket/my-run
    """
    from reportgen.recognition import propose, run_toml, title_of
    from reportgen.recognition.doors import unanswered
    from reportgen.recognition.questions import STOP

    target = (folder.parent if folder.is_file() else folder) / "run.toml"
    if target.exists() and not dry_run:
        raise RequestError(Diagnostic("RG710", str(target), "exists already"))
    asks = _can_ask() and not (ctx.obj or as_json)
    steps = StepDisplay(ctx.obj or as_json)
    given = replace(said, title=said.title or title_of(folder))
    with steps.showing(), steps.step("Looking at the files"):
        proposal = propose(folder, given, data=data)
    while (question := proposal.question) is not None:
        answer = _asked(question) if asks else STOP
        if answer == STOP:
            raise unanswered(proposal.folder, question)
        given = question.answered(answer, given)
        proposal = propose(folder, given, data=data)
    if asks and said.title is None:
        given = replace(given, title=click.prompt("Title of the evaluation", default=proposal.declaration.title))
        proposal = propose(folder, given, data=data)
    text = run_toml(proposal)
    if not dry_run:
        from reportgen.bundle import write_file

        write_file(target, text.encode())
    if as_json:
        say_json(_data(proposal, target, text, written=not dry_run))
    elif dry_run:
        click.echo(text, nl=False)
    elif not ctx.obj:
        _say(proposal, target, data)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _asked(question: OpenQuestion) -> str:
    click.echo(question.text)
    for number, choice in enumerate(question.choices, start=1):
        click.echo(f"  {number}  {printable(choice)}")
    chosen: int = click.prompt("Number", type=click.IntRange(1, len(question.choices)))
    return question.choices[chosen - 1]


def _say(proposal: Proposal, target: Path, data: str | None) -> None:
    from reportgen.cli.terminal import console
    from reportgen.inputs.partitions import without_keys
    from reportgen.recognition.proposal import column_of_system

    to = console()
    for one in proposal.files:
        owner = f" of {one.owner}" if one.owner else ""
        to.print(printable(f"{one.path}: {one.role.value}{owner} ({one.size}; {one.why})"))
        if one.sample is not None and one.parted:
            to.print(f"  its columns are known by {one.sample.words}")
    for belief in proposal.beliefs:
        to.print(printable(f"  {belief.name} = {' + '.join(belief.own)}  ({belief.why})"))
    for entry in proposal.declaration.systems:
        for name, own in entry.columns.items():
            to.print(printable(f"  {name} of {entry.id} = {own}  ({column_of_system(entry, proposal.declaration)})"))
    if proposal.declaration.positive_class is not None:
        to.print(printable(f"  positive are the rows of class '{proposal.declaration.positive_class}'"))
    elif proposal.per_class:
        to.print("  each row is a query for each class: is it this one?")
    for passed in proposal.passed:
        to.print(printable(f"{passed.path}: not used ({passed.why})"), style="dim")
    to.print(printable(_counts(proposal)), style="bold")
    folder = shlex.quote(str(target.parent))
    to.print(printable(f"Wrote {target}: read it, and correct what is wrong."), soft_wrap=True)
    where = f"{folder} --data {shlex.quote(without_keys(data))}" if data is not None else folder
    to.print(f"Next: reportgen check {where}, then reportgen build {where} -o paper_bundle/v1.0", soft_wrap=True)


def _counts(proposal: Proposal) -> str:
    from reportgen.interactive.fragments import counts_of_run

    if proposal.parted:
        return f"{proposal.declaration.title}: known by a sample of its rows; check and build read all of them"
    return f"{proposal.declaration.title}: {counts_of_run(proposal.run)}" if proposal.run else ""


def _data(proposal: Proposal, target: Path, text: str, *, written: bool) -> dict[str, Any]:
    return {
        "run_toml": str(target),
        "written": written,
        "content": text,
        "files": [{"path": f.path, "role": f.role.value, "system": f.owner, "rows": f.rows, "why": f.why,
                   "known_by": f.sample.words if f.sample else ""}
                  for f in proposal.files],
        "columns": [{"name": b.name, "own": list(b.own), "why": b.why} for b in proposal.beliefs],
        "not_used": [{"path": one.path, "why": one.why} for one in proposal.passed],
        "systems": [entry.id for entry in proposal.declaration.systems],
    }  # fmt: skip
