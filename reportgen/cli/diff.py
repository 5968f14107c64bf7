"""``reportgen diff``: what changed from one set of results to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sources import refuse_source, results_at
from reportgen.errors import printable

if TYPE_CHECKING:
    from reportgen.diff import Change, Difference

_SPELT = 40
"""Lines of a kind that the terminal spells out; JSON and HTML have all."""


@click.command()
@click.argument("first", metavar="A", type=options.INPUT)
@click.argument("second", metavar="B", type=options.INPUT)
@options.as_json
@click.option("--html", "page", metavar="FILE", type=options.INPUT, help="Write everything as one HTML page.")
@click.pass_obj
def command(quiet: bool, *, first: Path, second: Path, as_json: bool, page: Path | None) -> None:
    """Compare two bundles or metrics_master.json files: what the numbers were made from, the numbers, the conclusions.

    Each change is held against the interval of the first value; verdicts, targets and leading systems that are others
    now are listed first. Differences are no errors: the exit code is 0.

    \b
    Examples:
      reportgen diff paper_bundle/v1.0 paper_bundle/v1.1
      reportgen diff paper_bundle/v1.0 metrics_master.json --html changes.html
    """
    from reportgen.bundle import write_file
    from reportgen.diff import differences, document_of

    steps = StepDisplay(quiet or as_json)
    with steps.showing(), steps.step("Comparing the numbers"):
        a, b = (results_at(path) for path in (first, second))
        found = differences(a, b)
    if page is not None:
        from reportgen.render import report_html

        for source in (first, second):
            refuse_source(source, page)
        synthetic = a.run.synthetic or b.run.synthetic
        document = document_of(found, str(first), str(second), synthetic=synthetic)
        write_file(page, report_html.render(document).encode())
    if as_json:
        say_json(asdict(found))
    else:
        for line in _lines(found):
            click.echo(printable(line))
    if page is not None and not (quiet or as_json):
        click.echo(f"Wrote {page}.")


def _lines(found: Difference) -> Iterator[str]:
    from reportgen.diff.document import CHANGED, sentence

    kinds = {
        "Conclusions": [f"{flip.about}: {flip.kind}: {flip.before} → {flip.after}" for flip in found.flips],
        "Made from": [f"{fact.kind} {fact.name}: {fact.before or '—'} → {fact.after or '—'}" for fact in found.facts],
        **{
            title: [_changed(change) for change in found.changed if change.kind in kinds] for _, title, kinds in CHANGED
        },
        "Appeared": list(found.appeared),
        "Vanished": list(found.vanished),
    }
    for title, lines in kinds.items():
        if lines:
            yield f"{title} ({len(lines):,})"
            yield from (f"  {line}" for line in lines[:_SPELT])
            if len(lines) > _SPELT:
                yield f"  and {len(lines) - _SPELT:,} more; --json and --html have all"
    yield sentence(found)


def _changed(change: Change) -> str:
    from reportgen.diff.document import against_interval

    size = against_interval(change) if change.kind == "value" else ""
    return (
        f"{change.id}: {change.before} → {change.after}"
        + (f"  {change.printed}" if change.kind == "value" and change.printed else "")
        + (f", size against half the interval {size}" if size else "")
        + (f"; {'; '.join(change.conventions)}" if change.conventions else "")
    )
