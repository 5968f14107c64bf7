"""``reportgen tables``: the tables alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from reportgen.cli import options
from reportgen.cli.output import StepDisplay, say_written
from reportgen.cli.sources import Changes, declared_at, folder_of, obtain, write_beside
from reportgen.formats import formats as known_formats

if TYPE_CHECKING:
    from reportgen.bundle import ThemeRequest


class _Tables(click.Command):
    """The verb, which knows what was typed when it lists tables: those of SRC's own are among them."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_TYPED] = [Path(text) for text in args if not text.startswith("-")]
        return super().parse_args(ctx, args)


_TYPED = "reportgen.typed"


def _listed() -> Iterator[tuple[str, str]]:
    from reportgen.tables import table_names

    source = next((path for path in click.get_current_context().meta[_TYPED] if path.exists()), None)
    presented = None if source is None else declared_at(source)
    yield from ((table.name, f"{table.title} (needs {table.needs})") for table in table_names(presented))


@click.command(cls=_Tables)
@options.source
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.output("DIR", "The folder to put the tables into; other files there stay.")
@options.formats({form.name: one.default and form.default for one in known_formats().values() for form in one.tables})
@options.table_options
@options.theme
@options.evaluation
@options.listing("tables", _listed)
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
    asked: ThemeRequest,
    changes: Changes,
    as_json: bool,
) -> None:
    """Write each table, or those named, as LaTeX and CSV, and all of them in tables.xlsx and, for Word, tables.docx.

    The LaTeX files name the packages and the width they need and are ready to be \\input; those for two-column
    classes (--formats latex-two-column) end in .two-column.tex. The CSV files hold the values at full precision; those
    with the printed strings (--formats csv-display) end in .display.csv. --formats xlsx-tables writes a workbook for
    each table.

    --intervals says how values are set: brackets, 0.897 [0.888, 0.906]; below, the same on two lines; columns,
    with the bounds in columns of their own; sd, 0.897 ± 0.011 with the standard deviation over folds; or
    sd-and-interval, 0.897 ± 0.011 (95% CI: [0.888, 0.906]).

    \b
    Examples:
      reportgen tables metrics_master.json -o paper/tables --formats latex
      reportgen tables metrics_master.json main-results-compact dataset -o paper/tables
      reportgen tables metrics_master.json main-results-compact -o paper/tables --metrics ndcg@10,auroc
      reportgen tables run/ --list
    """
    from reportgen.bundle import choose_theme
    from reportgen.float_selection import refuse_without_data
    from reportgen.formats import render_tables, text_area
    from reportgen.tables import build_tables, with_options

    steps = StepDisplay(quiet or as_json)
    with steps.showing():
        results = obtain(source, changes, steps, asked=asked).results
        with steps.step("Tables") as share:
            results, theme = choose_theme(results, folder_of(source), asked)
            tables = build_tables(with_options(results, names, given), names or None, load=theme.template)
            refuse_without_data("table", names, tables)
            area = partial(text_area, results, theme)
            files = render_tables(tables, formats, share, area)
            paths = write_beside(files, target, source, changes)
    said = f"Wrote {len(files)} files to {target} in {steps.seconds:.1f} s."
    say_written(paths, said, quiet=quiet, as_json=as_json)
