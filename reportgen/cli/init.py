"""``reportgen init``: a run.toml for a folder of outputs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.errors import Diagnostic, RequestError, printable

if TYPE_CHECKING:
    from reportgen.recognition import OpenQuestion, Proposal


@click.command()
@click.argument("folder", metavar="FOLDER|FILE", type=options.INPUT)
@click.option("--use", "use", metavar="FILE", multiple=True, help="Look at this file only; can be given several times.")
@click.option("--positive-class", metavar="NAME", help="The positive class, where the truth names two.")
@click.option("--column", "columns", metavar="NAME=COLUMN", multiple=True,
              help="What a column is, such as y_true=diagnosis; may be given again.")  # fmt: skip
@click.option("--subgroup", "subgroups", metavar="COLUMN", multiple=True,
              help="A column that divides the queries into groups, such as sex; may be given again.")  # fmt: skip
@click.option("--scale", "scales", metavar="SCALE", multiple=True,
              help="What the numbers of the systems are: probability, percent, logit, odds, confidence, score or "
              "decision; of one system as SYSTEM=SCALE.")  # fmt: skip
@click.option("--title", metavar="TEXT", help="Printed above everything.  [default: the folder's name]")
@click.option("--dry-run", is_flag=True, help="Print run.toml instead of writing it.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    folder: Path,
    use: tuple[str, ...],
    positive_class: str | None,
    columns: tuple[str, ...],
    subgroups: tuple[str, ...],
    scales: tuple[str, ...],
    title: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Look at the files of FOLDER, or at one FILE, say what they are and why, and write that into a run.toml.

    Files may be CSV, Parquet, JSON Lines or TREC; columns are recognised by name and content. What no file says is
    asked on a terminal; elsewhere the message names the option that answers it. A run.toml that is there stays as it
    is.

    \b
    Example:
      reportgen init outputs
    """
    from reportgen.recognition import propose, run_toml, title_of

    target = (folder.parent if folder.is_file() else folder) / "run.toml"
    if target.exists() and not dry_run:
        raise RequestError(Diagnostic("RG710", str(target), "exists already"))
    asks = _can_ask() and not (ctx.obj or as_json)
    steps = StepDisplay(ctx.obj or as_json)
    given: dict[str, Any] = {
        "use": use,
        "positive_class": positive_class,
        "title": title or title_of(folder),
        "columns": _pairs([*columns, *(f"subgroup={column}" for column in subgroups)]),
    }
    given["scales"] = _scales(scales)
    with steps.showing(), steps.step("Looking at the files"):
        proposal = propose(folder, **given)
    while proposal.question is not None:
        given |= _answer(proposal, given, asks=asks)
        proposal = propose(folder, **given)
    if asks and title is None:
        given["title"] = click.prompt("Title of the evaluation", default=proposal.declaration.title)
        proposal = propose(folder, **given)
    text = run_toml(proposal)
    if not dry_run:
        from reportgen.bundle import write_file

        write_file(target, text.encode())
    if as_json:
        say_json(_data(proposal, target, text, written=not dry_run))
    elif dry_run:
        click.echo(text, nl=False)
    elif not ctx.obj:
        _say(proposal, target)


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _pairs(columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Map each canonical name to the files' own columns.

    Several of one name belong together, as for a query of two parts.
    """
    pairs: dict[str, tuple[str, ...]] = {}
    for text in columns:
        name, _, own = text.partition("=")
        if not name or not own:
            raise click.BadParameter(f"'{text}' is not of the form NAME=COLUMN.", param_hint="--column")
        pairs[name.strip()] = (*pairs.get(name.strip(), ()), own.strip())
    return pairs


def _scales(texts: Sequence[str]) -> dict[str, str]:
    """Map a system to what its numbers are; under the empty name, those of every system."""
    from reportgen.inputs.names import SCALES

    found = {name: scale for name, _, scale in (text.rpartition("=") for text in texts)}
    if wrong := [scale for scale in found.values() if scale not in SCALES]:
        raise click.BadParameter(f"'{wrong[0]}' is not one of {', '.join(SCALES)}.", param_hint="--scale")
    return found


def _answer(proposal: Proposal, given: Mapping[str, Any], *, asks: bool) -> dict[str, Any]:
    """Return the answer to the proposal's question as an argument; RG711 where nobody can be asked."""
    question = proposal.question
    if question is None:
        return {}
    if not asks:
        from reportgen.recognition.doors import unanswered

        raise unanswered(proposal.folder, question)
    click.echo(question.text)
    answer = _asked(question)
    if question.option == "--positive-class":
        return {"positive_class": answer}
    if question.option == "--scale":
        return {"scales": {**given["scales"], question.column: answer}}
    if question.option == "--column":
        return {"columns": {**given["columns"], question.column: (answer,)}}
    return {"use": (answer, *question.others)}


def _asked(question: OpenQuestion) -> str:
    for number, choice in enumerate(question.choices, start=1):
        click.echo(f"  {number}  {printable(choice)}")
    chosen: int = click.prompt("Number", type=click.IntRange(1, len(question.choices)))
    return question.choices[chosen - 1]


def _say(proposal: Proposal, target: Path) -> None:
    from reportgen.cli.terminal import console
    from reportgen.recognition.proposal import column_of_system

    to = console()
    for one in proposal.files:
        owner = f" of {one.owner}" if one.owner else ""
        to.print(printable(f"{one.path}: {one.role.value}{owner} ({one.table.rows:,} rows; {one.why})"))
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
    to.print(f"Next: reportgen check {folder}, then reportgen build {folder} -o paper_bundle/v1.0", soft_wrap=True)


def _counts(proposal: Proposal) -> str:
    from reportgen.interactive.fragments import counts_of_run

    return f"{proposal.declaration.title}: {counts_of_run(proposal.run)}" if proposal.run else ""


def _data(proposal: Proposal, target: Path, text: str, *, written: bool) -> dict[str, Any]:
    return {
        "run_toml": str(target),
        "written": written,
        "content": text,
        "files": [{"path": f.path, "role": f.role.value, "system": f.owner, "rows": f.table.rows, "why": f.why}
                  for f in proposal.files],
        "columns": [{"name": b.name, "own": list(b.own), "why": b.why} for b in proposal.beliefs],
        "not_used": [{"path": one.path, "why": one.why} for one in proposal.passed],
        "systems": [entry.id for entry in proposal.declaration.systems],
    }  # fmt: skip
