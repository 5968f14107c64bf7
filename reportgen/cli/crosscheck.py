"""``reportgen crosscheck``: both implementations of every metric and programs of other authors, compared on a run."""

from __future__ import annotations

from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sources import Changes, read_for_evaluation
from reportgen.domain.statements import Statements


@click.command()
@click.argument("source", metavar="RUN", type=options.INPUT)
@options.contract
@options.data
@options.statements
@click.option("--all", "everything", is_flag=True, help="Compare all queries of a large run, not a sample.")
@options.as_json
@click.pass_context
def command(
    ctx: click.Context,
    *,
    source: Path,
    contract: str | None,
    data: str | None,
    said: Statements,
    everything: bool,
    as_json: bool,
) -> None:
    """Compute every value of RUN twice, by two implementations that share no code, and compare.

    Where scikit-learn, or trec_eval if pytrec_eval is installed, has the metric under the contract, its values are
    compared as well. Values may differ by 1e-9, and by 1e-12 where they are sums of rational terms. Every
    difference is listed, down to single queries; with any, the exit code is 1. Above 5,000 queries, or 1,000,000
    rows of all systems, a sample of whole clusters is compared.

    \b
    Example:
      reportgen crosscheck sample_runs/digits_pages
    """
    from reportgen.crosscheck import crosscheck

    steps = StepDisplay(ctx.obj or as_json)
    with steps.showing():
        run, chosen = read_for_evaluation(source, Changes(contract=contract, data=data, said=said), steps)
        with steps.step("Comparing"):
            outcome = crosscheck(run, chosen, extent="all" if everything else "sample")
    if as_json:
        say_json(outcome.record())
    else:
        for difference in (*outcome.differences, *outcome.query_differences):
            click.echo(str(difference))
        click.echo(outcome.message)
        for kind, reasons in (("values", outcome.without_peer), ("of single queries", outcome.per_query_without_peer)):
            for reason, number in reasons.items():
                click.echo(f"Without another program: {number:,} {kind} ({reason}).")
    if not outcome.agrees:
        ctx.exit(1)
