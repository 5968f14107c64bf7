"""``reportgen diff``: what changed from one set of results to another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_exactly, say_json
from reportgen.cli.sources import refuse_source, results_at, values_beside
from reportgen.errors import printable

if TYPE_CHECKING:
    from reportgen.diff import Change, Difference, Failure, Judgement

_SPELT = 40
"""Lines of a kind that the terminal spells out; JSON and HTML have all."""


@click.command()
@click.argument("first", metavar="A", type=options.INPUT)
@click.argument("second", metavar="B", type=options.INPUT)
@click.option(
    "--fail-on",
    type=click.Choice(("worse", "target", "any")),
    multiple=True,
    help="End with exit code 1 if a headline value is worse, a target is missed now, or any result differs; may be "
    "given again.",
)
@options.form("markdown")
@options.link
@options.as_json
@click.option("--html", "page", metavar="FILE", type=options.INPUT, help="Write everything as one HTML page.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    first: Path,
    second: Path,
    fail_on: tuple[str, ...],
    form: str,
    link: str,
    as_json: bool,
    page: Path | None,
) -> None:
    """Compare two bundles or metrics_master.json files: what the numbers were made from, the numbers, the conclusions.

    Verdicts, targets and leading systems that changed are listed first. The size of a change is compared with the
    interval of the first value. A headline value is worse if a paired test shows it, where both bundles have the
    values per query; otherwise if it left the interval in the bad direction. The output says which. Differences alone
    are not errors: the exit code is 0, and 1 with --fail-on.

    \b
    Examples:
      reportgen diff paper_bundle/v1.0 paper_bundle/v1.1
      reportgen diff paper_bundle/v1.0 paper_bundle/v1.1 --format markdown --fail-on worse --fail-on target
      reportgen diff paper_bundle/v1.0 metrics_master.json --html changes.html
    """
    from reportgen.bundle import write_file
    from reportgen.diff import differences, document_of, failures, judgements

    steps = StepDisplay(ctx.obj or as_json or form != "text")
    with steps.showing(), steps.step("Comparing the numbers"):
        a, b = (results_at(path) for path in (first, second))
        found = differences(a, b)
        values = judgements(a, b, *(values_beside(path) for path in (first, second)))
    if page is not None:
        from reportgen.render import report_html

        for source in (first, second):
            refuse_source(source, page)
        synthetic = a.run.synthetic or b.run.synthetic
        document = document_of(found, str(first), str(second), synthetic=synthetic)
        write_file(page, report_html.render(document).encode())
    failed = failures(fail_on, a, b, found, values)
    if as_json:
        more: dict[str, Sequence[Judgement | Failure]] = {"headline": values, "failures": failed}
        say_json({**asdict(found), **{key: [asdict(one) for one in some] for key, some in more.items()}})
    elif form == "markdown":
        from reportgen.diff.comment import comment_of

        say_exactly(comment_of(found, values, b, str(first), str(second), link))
    else:
        for line in (*_headline(values), *_lines(found)):
            click.echo(printable(line))
    if page is not None and not (ctx.obj or as_json or form != "text"):
        click.echo(f"Wrote {page}.")
    if failed:
        _say_failures(failed)
        ctx.exit(1)


def _say_failures(failed: Sequence[Failure]) -> None:
    """List what the comparison fails on, on standard error."""
    click.echo(f"Failed on {', '.join(dict.fromkeys(one.on for one in failed))} ({len(failed):,}):", err=True)
    for one in failed[:_SPELT]:
        click.echo(printable(f"  {one.id}: {one.text}"), err=True)
    if len(failed) > _SPELT:
        click.echo(f"  and {len(failed) - _SPELT:,} more; --json has all", err=True)


def _headline(values: Sequence[Judgement]) -> Iterator[str]:
    """Yield the headline values that changed, each with what judged it."""
    changed = [one for one in values if one.changed]
    if changed:
        yield f"Headline ({len(changed):,})"
        for one in changed:
            yield f"  {one.system}: {one.metric} {one.before} → {one.after}: {'worse, ' * one.worse}{one.why}"


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
