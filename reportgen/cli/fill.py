"""``reportgen fill``: an author's own text with the numbers filled in."""

from __future__ import annotations

import json
from pathlib import Path

import click

from reportgen.cli import options
from reportgen.cli.output import say_exactly, say_written
from reportgen.cli.sources import refuse_source, results_at
from reportgen.errors import Diagnostic, RenderError


@click.command()
@click.argument("document", metavar="DOC", type=options.INPUT)
@options.bundle
@click.option(
    "-o", "--output", "target", metavar="FILE", type=options.INPUT, help="The file to write.  [default: the terminal]"
)
@options.as_json
@click.pass_obj
def command(quiet: bool, *, document: Path, bundle: Path, target: Path | None, as_json: bool) -> None:
    """Fill the numbers of a bundle into DOC, so that no number in it is typed.

    {{rg METRIC SYSTEM}} becomes the value as it is printed everywhere else, on the subset and in the aggregation the
    contract reports first; {{rg METRIC SYSTEM SUBSET}} names another subset. rginterval, rgn, rgsd, rgp, rgpadjusted
    and rgunit give the interval, the number of queries, the SD over folds, the p values and the unit; of two systems,
    A-vs-B is the difference. A number is written as its place asks for: in Markdown (.md, .qmd, .Rmd), LaTeX (.tex),
    HTML and plain text (.txt), and in their mathematics and code. A reference to a result that does not exist, or
    where no number can be written, is an error, and nothing is written.

    \b
    Example:
      reportgen fill results.md --bundle paper_bundle/v1.0 -o results.filled.md
    """
    from reportgen.bundle import write_file
    from reportgen.decimal_comma import comma_of
    from reportgen.documents.quantities import quantities
    from reportgen.manuscripts import fill_document

    results = results_at(bundle)
    known, comma = quantities(results), comma_of(results)
    known = comma.quantities(known) if comma else known
    ending, decimal = document.suffix.removeprefix("."), results.run.presentation.report.decimal
    filled = fill_document(_read(document), ending, known, decimal=decimal, where=document.name)
    if target is None:
        say_exactly(json.dumps({"text": filled}, ensure_ascii=False) + "\n" if as_json else filled)
        return
    refuse_source(document, target)
    refuse_source(bundle, target)
    write_file(target, filled.encode())
    say_written([target], f"Wrote {target}.", quiet=quiet, as_json=as_json)


def _read(document: Path) -> str:
    """Return the text of a file, its line ends as they are."""
    try:
        return document.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        what = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error.strerror}"
        problem = Diagnostic("RG555", str(document), what)
        raise RenderError(problem) from error
