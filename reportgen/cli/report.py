"""The report as one file: the verbs that set it in one format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, folder_of, obtain, refuse_source

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest


def report_verb(name: str, file: str, words: str) -> click.Command:
    """Return the verb that sets the report in a format; ``file`` and ``words`` are for its help."""

    @click.command(help=words)
    @options.source
    @options.output("FILE", f"The {file} to write.")
    @options.evaluation
    @options.theme
    @options.anonymous
    @options.as_json
    @click.pass_obj
    def command(quiet: bool, /, **asked: Any) -> None:
        _write(name, quiet=quiet, **asked)

    return command


def _write(
    name: str,
    *,
    source: Path,
    target: Path,
    changes: Changes,
    asked: ThemeRequest,
    anonymous: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Set the report of SRC in a format whose document is one file, and write it."""
    from reportgen.bundle import choose_theme, write_file
    from reportgen.formats import Made, formats, present

    refuse_source(source, target, *changes.beside)
    steps = StepDisplay(quiet or as_json)
    format = formats()[name]
    assert format.document is not None  # the verb is there because it has one
    with steps.showing():
        obtained = obtain(source, changes, steps, asked=asked)
        shown = (obtained.anonymous() if anonymous else obtained).results
        results, theme = choose_theme(shown, folder_of(source), asked)
        with steps.step(format.title):
            write_file(target, format.document(present(results, theme), Made())[format.report])
    say_written([target], f"Wrote {target} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)
