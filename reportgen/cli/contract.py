"""``reportgen contract``: the shipped contracts, what they say, and how far they differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.domain.statements import Statements

if TYPE_CHECKING:
    from reportgen.domain.contract import Contract
    from reportgen.evaluation.other_contracts import ContractRow


@click.group()
def command() -> None:
    """Contracts: named, versioned sets of conventions that numbers are computed under.

    \b
    Examples:
      reportgen contract show gold-standard
      reportgen contract diff field-standard audit
      reportgen contract compare sample_runs/digits_pages
    """


@command.command("list")
@options.as_json
def list_contracts(*, as_json: bool) -> None:
    """List the shipped contracts."""
    from reportgen.contracts import contract_ids, load_contract

    contracts = [load_contract(name) for name in contract_ids()]
    if as_json:
        say_json([{k: getattr(c, k) for k in ("id", "version", "title", "source")} for c in contracts])
        return
    for contract in contracts:
        source = f"  {contract.source}" if contract.source else ""
        click.echo(f"{contract.id:<16}{contract.version:<8}{contract.title}{source}")


@command.command("show")
@click.argument("name", metavar="NAME|FILE")
@options.as_json
def show(*, name: str, as_json: bool) -> None:
    """Show everything a contract says, and which of it its source does not state."""
    from reportgen.contracts import load_contract, vocabulary

    contract = load_contract(name)
    if as_json:
        say_json(asdict(contract))
        return
    click.echo(f"{contract.title} ({contract.id} {contract.version})")
    if contract.source:
        click.echo(f"Source: {contract.source}")
    click.echo(f"\nMetrics: {', '.join(contract.metrics)}")
    click.echo(f"Cut-offs: {', '.join(map(str, contract.cutoffs))}")
    click.echo(f"False-positive-rate budgets: {', '.join(f'{alpha:g}' for alpha in contract.fpr_budgets)}\n")
    for key, value in contract.conventions.items():
        silent = "  (the source is silent)" if key in contract.silent else ""
        click.echo(f"{key} = {value}{silent}\n    {vocabulary()[key].says(value)}")
        if key in contract.questionable:
            click.echo(f"    Questionable: {contract.questionable[key]}")
    _print_facts(contract)


def _print_facts(contract: Contract) -> None:
    for target in contract.targets:
        note = f"  {target.note}" if target.note else ""
        click.echo(f"Target: {target}{note}")
    for departure in contract.departures.values():
        click.echo(f"Departure from the source: {departure}")
    for key, expected in contract.expectations.items():
        click.echo(f"Expected of the data: {key} = {expected}")
    for band, ranges in contract.bands.items():
        for metric, (low, high) in ranges.items():
            click.echo(f"Band “{band}”: {metric} from {low:g} to {high:g}")


@command.command("diff")
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@options.as_json
def diff(*, first: str, second: str, as_json: bool) -> None:
    """Show where two contracts differ."""
    from reportgen.contracts import differences, load_contract

    a, b = load_contract(first), load_contract(second)
    found = differences(a, b)
    if as_json:
        say_json({key: {a.id: left, b.id: right} for key, (left, right) in found.items()})
        return
    for key, (left, right) in found.items():
        click.echo(f"{key}\n  {a.id}: {_said(left)}\n  {b.id}: {_said(right)}")
    if not found:
        click.echo(f"{a.id} and {b.id} say the same.")


def _said(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


@command.command("compare")
@click.argument("source", metavar="RUN", type=options.INPUT)
@options.statements
@click.option("--all", "everything", is_flag=True, help="Also list the metrics on which the contracts agree.")
@options.as_json
@click.pass_context
def compare(ctx: click.Context, *, source: Path, said: Statements, everything: bool, as_json: bool) -> None:
    """Compute RUN under every shipped contract and show where the answers differ, and by how much.

    Each contract answers on the population and with the aggregation over folds that it reports first.
    """
    from reportgen.contracts import contract_ids, load_contract
    from reportgen.evaluation.other_contracts import compare_contracts
    from reportgen.recognition import read

    steps = StepDisplay(ctx.obj or as_json)
    with steps.showing(), steps.step("Evaluating under every contract"):
        run = read(source, said=said)
        rows = compare_contracts(run, [load_contract(name) for name in contract_ids()])
    labels = {system.id: system.label for system in run.systems}
    if as_json:
        say_json([{**asdict(row), "differs": row.differs} for row in rows])
        return
    shown = [row for row in rows if row.differs or everything]
    for row in shown:
        _print_row(row, labels[row.system])
    compared = Counter(row.differs for row in rows if len(row.answers) > 1)
    click.echo(f"{compared[True]:,} of {compared[True] + compared[False]:,} metrics of single systems differ.")


def _print_row(row: ContractRow, label: str) -> None:
    spread = "" if row.spread == float("inf") else f"  (up to {row.spread:.4g} apart)"
    if row.same_values:
        spread = "  (equal values, other spreads over folds)" if row.differs else "  (equal)"
    click.echo(f"{row.metric}  {label}{spread}")
    alike: dict[str, list[str]] = {}
    for answer in row.answers:
        sd = f"  SD over folds {answer.sd}" if answer.sd else ""
        alike.setdefault(f"{answer.display:>12}{sd}  {answer.subset}, {answer.aggregation}", []).append(answer.contract)
    for text, contracts in alike.items():
        click.echo(f"{text}: {', '.join(contracts)}")
