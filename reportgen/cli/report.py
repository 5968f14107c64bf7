"""The report as a file: the verbs that set it in one format."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, folder_of, obtain, refuse_source
from reportgen.errors import RenderError

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest


def report_verb(
    name: str, file: str, words: str, own: Callable[[Callable[..., None]], Callable[..., None]] = lambda verb: verb
) -> click.Command:
    """Return the verb that sets the report in a format; ``file`` and ``words`` are for its help, ``own`` adds to it."""

    @click.command(help=words)
    @options.source
    @options.output("FILE", f"The {file} to write; without an ending it gets that of the format.")
    @own
    @options.evaluation
    @options.title
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
    template: Path | None = None,
) -> None:
    """Set the report of SRC in a format whose document is one file, or fill a template, and write it."""
    from reportgen.bundle import choose_theme, write_file
    from reportgen.formats import Made, formats, present
    from reportgen.formats.docx import filled

    format = formats()[name]
    if (missing := format.lacking()) is not None:
        raise RenderError(missing)
    if not target.suffix and not target.is_dir():
        target = target.with_name(f"{target.name}{Path(format.report).suffix}")
    targets = {format.report: target}
    if format.supplement and template is None:
        targets[format.supplement] = target.with_stem(f"{target.stem}-supplement")
    for one in targets.values():
        refuse_source(source, one, *changes.beside, *([template] if template else []))
    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        obtained = obtain(source, changes, steps, asked=asked)
        obtained = obtained.anonymous() if anonymous else obtained
        results, theme = choose_theme(obtained.results, folder_of(source), asked)
        with steps.step(format.title):
            shown = present(results, theme, obtained.values)
            made = (
                {format.report: filled(template, shown)}
                if template
                else {name: content for one in format.documents for name, content in one(shown, Made()).items()}
            )
            written = {place: made[name] for name, place in targets.items() if name in made}
            for place, content in written.items():
                write_file(place, content)
    places = " and ".join(map(str, written))
    say_written(written, f"Wrote {places} in {steps.seconds:.1f} s.", quiet=quiet, as_json=as_json)
