"""``reportgen metric``: what each number means, as its entry says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from reportgen.cli import options
from reportgen.cli.output import say_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.catalogue import Description

    Echo = Callable[[str], None]

_CONTRACT = click.option(
    "--contract",
    metavar="NAME|FILE",
    default="field-standard",
    show_default=True,
    help="The conventions to describe metrics under.",
)
_WIDTH = 100


@click.group()
def command() -> None:
    """List the metrics, or say what one of them means.

    \b
    Example:
      reportgen metric list
      reportgen metric show ndcg@10 --contract trec-eval
    """


@command.command("list", short_help="List every metric of the catalogue.")
@_CONTRACT
@options.as_json
def list_(contract: str, as_json: bool) -> None:
    """List every metric, by family; those marked * are computed only where a contract names them."""
    from itertools import groupby

    from reportgen.catalogue import FAMILY_TITLES, describe_all
    from reportgen.contracts import load_contract

    found = describe_all(load_contract(contract))
    if as_json:
        say_json([{"id": item.id, "title": item.title, "family": item.family, "on_request": item.on_request}
                     for item in found])  # fmt: skip
        return
    width = max(len(item.id) for item in found) + 3
    for family, items in groupby(found, key=lambda item: item.family):
        click.echo(f"{FAMILY_TITLES[family]}")
        for item in items:
            click.echo(f"  {item.id + (' *' if item.on_request else ''):<{width}}{item.title}")
        click.echo()
    click.echo("* computed only where a contract names it (metrics, headline, primary or target).")


@command.command(short_help="Say what a metric means under a contract.")
@click.argument("metric_id", metavar="ID")
@_CONTRACT
@options.as_json
def show(metric_id: str, contract: str, as_json: bool) -> None:
    """Say what one metric means: definition, formula, population, range, edge cases, reading, reference.

    \b
    Example:
      reportgen metric show ndcg@10
    """
    from reportgen.catalogue import describe
    from reportgen.contracts import load_contract

    found = describe(metric_id, load_contract(contract))
    if as_json:
        say_json(found.as_dict())
    else:
        _print(found)


@command.command(short_help="Print the reference page of all metrics (Markdown).")
@_CONTRACT
def reference(contract: str) -> None:
    """Print docs/reference/metrics.md, made from the metrics' own entries.

    \b
    Example:
      reportgen metric reference > docs/reference/metrics.md
    """
    from reportgen.catalogue import reference_page
    from reportgen.contracts import load_contract

    click.echo(reference_page(load_contract(contract)), nl=False)


def _print(item: Description) -> None:
    from reportgen.domain.mathematics import readable

    click.echo(f"{item.id}  {item.title}")
    facts = (
        ("Definition", (item.definition,)),
        ("Formula", (readable(item.formula),)),
        ("Population", (item.population,)),
        ("Needs", (item.needs,)),
        ("Range", (item.range,)),
        ("Conventions", item.conventions),
        ("Edge cases", item.edge_cases),
        ("Reading", (item.interpretation,)),
        ("Aggregation", (item.aggregation,)),
        ("Reference", (item.reference,)),
        ("Second implementation", (item.recomputed_by,)),
    )
    for name, lines in facts:
        if any(lines):
            click.echo(f"\n{name}")
            for line in lines:
                click.echo(click.wrap_text(line, _WIDTH, "  ", "  "))
