"""``reportgen trace``: the numbers of a document, and the results they should be."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_json
from reportgen.cli.sarif import sarif
from reportgen.cli.sources import results_at
from reportgen.codes import registry
from reportgen.errors import Diagnostic, printable

if TYPE_CHECKING:
    from reportgen.manuscripts import TracedNumber

_VERDICTS = {"linked": "linked", "stale": "stale", "rounded": "rounded wrongly", "unit": "wrong unit",
             "unknown": "unknown"}  # fmt: skip


@click.command()
@click.argument("documents", metavar="DOC...", nargs=-1, required=True, type=options.INPUT)
@options.bundle
@options.form("sarif")
@options.as_json
@click.pass_context
def command(ctx: click.Context, *, documents: tuple[Path, ...], bundle: Path, form: str, as_json: bool) -> None:
    """Find the numbers in DOC... that should come from BUNDLE, in sentences and in tables.

    DOC is Markdown, LaTeX, HTML or a Word document. A number is taken for a result where the text names its metric.
    It is linked to its result, or said to be stale, rounded wrongly, of the wrong unit (points sold as percent) or
    unknown, and the reference to write instead is given: a macro for LaTeX, a reference of `reportgen fill`
    elsewhere. The exit code is 1 where a number is stale, rounded wrongly or of the wrong unit, and 2 if a file
    cannot be read.

    \b
    Example:
      reportgen trace results.md paper.tex --bundle paper_bundle/v1.0
    """
    from reportgen.manuscripts import SEVERE, read, trace

    results = results_at(bundle)
    steps = StepDisplay(ctx.obj or as_json or form != "text")
    found: list[TracedNumber] = []
    with steps.showing(), steps.step("Tracing the numbers") as share:
        for n, document in enumerate(documents):
            found += trace(read(document), results)
            share((n + 1) / len(documents))
    if form == "sarif":
        say_json(sarif((one.file, _finding(one)) for one in found if one.code))
    elif as_json:
        say_json({"numbers": [_data(one) for one in found]})
    else:
        click.echo(_text(found))
    if any(one.verdict in SEVERE for one in found):
        ctx.exit(1)


def _finding(one: TracedNumber) -> Diagnostic:
    fix = f"Write {one.macro} instead." if one.macro else ""
    return Diagnostic(one.code, one.where, one.message, fix)


def _data(one: TracedNumber) -> dict[str, Any]:
    entry = registry()[one.code] if one.code else None
    return {**asdict(one), "code": one.code, "severity": entry.severity if entry else "",
            "fix": entry.fix if entry else ""}  # fmt: skip


def _text(found: list[TracedNumber]) -> str:
    lines = []
    for one in found:
        lines.append(printable(" ".join(part for part in (one.code, f"{one.where}: {one.message}") if part)))
        if one.macro:
            lines.append(printable(f"  {one.macro}"))
    count = Counter(_VERDICTS[one.verdict] for one in found)
    total = ", ".join(f"{count[word]:,} {word}" for word in _VERDICTS.values() if count[word])
    return "\n".join([*lines, f"{len(found):,} numbers: {total or 'none that should come from the bundle'}"])
