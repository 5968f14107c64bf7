"""``reportgen figures``: the figures alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, folder_of, obtain, write_beside

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest
    from reportgen.styles import ColourScheme


def _listed() -> Iterator[tuple[str, str]]:
    from reportgen.figures import figure_infos

    yield from figure_infos()


@click.command()
@options.source
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.output("DIR", "The folder to put the figures into; other files there stay.")
@options.formats({"pdf": True, "svg": True, "png": True, "pgf": False})
@options.figure_options
@options.drawing
@options.theme
@options.evaluation
@options.jobs
@options.listing("figures", _listed)
@options.as_json
@click.pass_obj
def command(
    quiet: bool,
    *,
    source: Path,
    names: tuple[str, ...],
    target: Path,
    formats: tuple[str, ...],
    given: Mapping[str, Any],
    colours: Mapping[str, str] | None,
    scheme: ColourScheme,
    venue: str | None,
    fonts: tuple[Path, ...],
    asked: ThemeRequest,
    changes: Changes,
    jobs: int,
    as_json: bool,
) -> None:
    """Draw each figure, or those named, as PDF, SVG and PNG; the plotted data come beside it as CSV.

    What a figure shows and how goes before what the run declares under [figures.NAME].

    \b
    Examples:
      reportgen figures --list
      reportgen figures metrics_master.json roc flow -o paper/figures
      reportgen figures metrics_master.json -o paper/figures --formats pdf --venue acl
      reportgen figures bundle roc waterfall -o paper/figures --systems gnn,bm25 --colours gnn=#0072b2 --size 84x60mm
      reportgen figures metrics_master.json -o slides --formats svg --venue slide --scheme dark
    """
    from reportgen.bundle import choose_theme
    from reportgen.figures import build_figures, check_names, remedies, with_options
    from reportgen.float_selection import refuse_without_data
    from reportgen.render.figure_files import draw_figures
    from reportgen.styles import load_tokens

    check_names(names)
    load_tokens(scheme, venue, fonts)  # what is wrong with these is said before anything is evaluated
    steps = StepDisplay(quiet or as_json)
    with steps.showing(), TemporaryDirectory() as drawn:
        obtained = obtain(source, changes, steps, jobs, asked)
        with steps.step("Figures") as share:
            results, theme = choose_theme(obtained.results, folder_of(source), asked)
            results = with_options(results, names, given, colours or {})
            tokens = theme.tokens(scheme, venue or results.run.venue, fonts)
            shown = build_figures(
                results,
                names or None,
                venues=[venue] if venue else (),
                load=theme.template,
                per_query=obtained.values,
            )
            refuse_without_data("figure", names, shown, remedies())
            draw_figures(shown, Path(drawn), formats, jobs, tokens, share)
            files = {path.name: path.read_bytes() for path in sorted(Path(drawn).iterdir())}
            paths = write_beside(files, target, source, changes)
    said = f"Wrote {len(files)} files to {target} in {steps.seconds:.1f} s."
    say_written(paths, said, quiet=quiet, as_json=as_json)
