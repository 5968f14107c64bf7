"""``reportgen show``: the headline in the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sources import Changes, obtain

if TYPE_CHECKING:
    from reportgen.domain.record import Results


@click.command()
@options.source
@options.evaluation
@options.title
@options.as_json
@click.pass_obj
def command(quiet: bool, *, source: Path, changes: Changes, as_json: bool) -> None:
    """Print what was evaluated and the headline numbers; writes nothing.

    \b
    Example:
      reportgen show paper_bundle/v1.0
    """
    from reportgen.cli.terminal import console, print_headline, print_run, print_targets
    from reportgen.tables import build_tables

    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        results = obtain(source, changes, steps).results
    if as_json:
        say_json(_data(results))
        return
    to = console()
    print_run(to, results)
    print_headline(to, build_tables(results))
    print_targets(to, results)


def _data(results: Results) -> dict[str, Any]:
    """Return the headline as data: each number with its interval and the string that is printed everywhere."""
    from reportgen.exports import headline, interval
    from reportgen.gate import judged

    rows = []
    for system in results.systems:
        for record in headline(results, system.id):
            bounds = interval(results, record)
            rows.append(
                {
                    "metric": record.metric,
                    "system": record.system,
                    "subset": record.subset,
                    "aggregation": record.aggregation,
                    "value": record.value,
                    "interval": bounds and bounds._asdict(),
                    "display": f"{record.display.value} {record.display.interval}".rstrip(),
                    "interpretation": record.interpretation,
                }
            )
    return {
        "title": results.run.title,
        "synthetic": results.run.synthetic,
        "contract": results.contract.id,
        "systems": {system.id: system.label for system in results.systems},
        "headline": rows,
        "targets": [
            {"metric": one.record.metric, "system": one.record.system, "goal": one.goal, "outcome": one.outcome}
            for one in judged(results)
        ],
        "comparisons": [pair.interpretation for pair in results.comparisons],
        "warnings": list(results.warnings),
    }
