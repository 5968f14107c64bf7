"""The independent parts of a bundle: each reads the staged metrics_master.json and writes its own files.

A part takes nothing but the path of the JSON and, where it shows figures, what is drawn of them already; so it can run
in a process of its own, and what it writes cannot depend on what ran beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.bundle.theme_choice import choose_theme
from reportgen.errors import OutputError, Problem

if TYPE_CHECKING:
    from reportgen.domain.presentation import Document, Figure, Table
    from reportgen.domain.record import Results
    from reportgen.render.figure_drawing import Drawn, OnScreen
    from reportgen.render.themes import Theme
    from reportgen.styles import Tokens

MASTER = "metrics_master.json"
FORMATS = ("html", "pdf", "latex", "csv", "md", "xlsx", "png")
"""What a bundle can hold, as named on the command line."""

FIGURES = "figures"
"""The part that draws the figures, and its folder; the parts that show figures take from it what they show."""

WORKBOOK = "all-tables.xlsx"
"""All tables in one file, a sheet each; among the files of single tables."""

_TABLE_FORMATS = {
    "html": ("html",),
    "latex": ("latex", "latex-two-column"),
    "csv": ("csv", "csv-display"),
    "md": ("md",),
    "xlsx": ("xlsx",),
}
"""Format of a bundle to the forms of a table in it."""
_FIGURE_FORMATS = {"html": "svg", "latex": "pdf", "pdf": "pdf", "png": "png"}
# The plotted data as CSV come with each figure, so `csv` alone asks for figures too.


@dataclass(frozen=True, slots=True)
class Presentation:
    """What is shown of some results, before any format."""

    results: Results
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]
    document: Document
    theme: Theme | None = None
    """What it is set with; the base theme if None."""

    def tokens(self) -> Tokens:
        """The style of its figures: of the theme, at the widths of the run's venue, or else of the paper's class."""
        from reportgen.render.themes import base_theme

        theme, run = self.theme or base_theme(), self.results.run
        return theme.tokens(venue=run.venue or theme.paper(run.presentation.report.document_class).venue)

    def page_tokens(self) -> Tokens:
        """The style of figures in the reports: of the theme, light, at the widths of a page."""
        from reportgen.render.themes import base_theme

        return {**(self.theme or base_theme()).tokens(), "scheme": "light"}


def present(results: Results, theme: Theme | None = None) -> Presentation:
    """Tables, figures and the report of some results, to be set with a theme."""
    from reportgen.documents import build_report
    from reportgen.figures import build_figures
    from reportgen.tables import build_tables

    tables, figures = build_tables(results), build_figures(results)
    return Presentation(results, tables, figures, build_report(results, tables, figures), theme)


@lru_cache(maxsize=1)
def staged(directory: Path) -> Presentation:
    """The presentation of a staged bundle, read once per process."""
    from reportgen.results import read_results

    results = read_results(directory / MASTER)
    return replace(present(results), theme=choose_theme(results, directory)[1])


def parts_of(formats: Iterable[str]) -> tuple[str, ...]:
    """The parts that make the asked formats: what the others show first, then the longest-running."""
    asked = set(formats)
    if unknown := asked.difference(FORMATS):
        raise OutputError(
            Problem(
                "RG604",
                "",
                f"unknown format {', '.join(sorted(unknown))}",
                "A bundle is made of files in known formats.",
                f"Choose from {', '.join(FORMATS)}.",
            )
        )
    wanted = {
        FIGURES: bool(asked & {*_FIGURE_FORMATS, "csv"}),
        "pdf": "pdf" in asked,
        "html": "html" in asked,
        "paper": "latex" in asked,
        "tables": bool(asked & set(_TABLE_FORMATS)),
    }
    return tuple(part for part, needed in wanted.items() if needed)


def draw_staged(at: int, directory: Path, formats: tuple[str, ...]) -> tuple[str, Drawn]:
    """Draw one figure of a staged bundle, write its files, and return its id and what drawing it led to.

    A report has the widths of a page, files those of the run's venue: where these differ, it is drawn for each.
    """
    from reportgen.render.figure_drawing import draw_once
    from reportgen.render.figure_files import write_drawn

    shown = staged(directory)
    figure, tokens, page_tokens = shown.figures[at], shown.tokens(), shown.page_tokens()
    files = tuple(dict.fromkeys(name for asked, name in _FIGURE_FORMATS.items() if asked in formats))
    on_page, alike = bool({"html", "pdf"} & set(formats)), tokens == page_tokens
    drawn = draw_once(figure, files, tokens, on_page=on_page and alike)
    if on_page and not alike:
        page = draw_once(figure, (), page_tokens, on_page=True)
        both = (drawn, page)
        drawn = replace(
            drawn,
            picture=page.picture,
            problems=tuple(dict.fromkeys(problem for one in both for problem in one.problems)),
            warnings=tuple(dict.fromkeys(warning for one in both for warning in one.warnings)),
        )
    return figure.id, write_drawn(figure, drawn, directory / FIGURES)


def make_part(
    part: str, directory: Path, formats: tuple[str, ...], pictures: Mapping[str, OnScreen]
) -> tuple[str, ...]:
    """Write the files of one part into a staged bundle; returns what it warned of, each text once.

    ``pictures`` are those of the figures for a page, by their ids. A part may run in a process of its own, whose
    warnings would reach nobody in a readable form.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _PARTS[part](staged(directory), directory, formats, pictures)
    return tuple(dict.fromkeys(str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)))


def render_tables(
    tables: Iterable[Table], formats: Iterable[str], progress: Callable[[float], None] = lambda share: None
) -> dict[str, bytes]:
    """File name to content, for each table in each format; ``xlsx`` also gives all of them in :data:`WORKBOOK`.

    ``progress`` is called with the share done, from 0 to 1.

    Raises:
        OutputError: RG604 for a format that does not exist.
        RenderError: A table cannot be set.
    """
    from reportgen.render.table_formats import FORMATS as TABLE_FORMATS

    tables, formats, files = tuple(tables), tuple(formats), {}
    for at, name in enumerate(formats):
        if name not in TABLE_FORMATS:
            known = ", ".join(TABLE_FORMATS)
            raise OutputError(
                Problem("RG604", "", f"unknown table format '{name}'", "", f"Choose from {known}."),
            )
        rendering = TABLE_FORMATS[name]
        for n, table in enumerate(tables):
            progress((at + n / len(tables)) / len(formats))
            content = rendering.render(table)
            files[f"{table.id}{rendering.suffix}"] = content.encode() if isinstance(content, str) else content
        if name == "xlsx":
            from reportgen.render import xlsx_table

            files[WORKBOOK] = xlsx_table.render_workbook(tables)
    return files


def render_pdf(shown: Presentation, master: bytes, pictures: Mapping[str, OnScreen] | None = None) -> bytes:
    """The report as PDF, with the numbers and the tables as CSV attached; ``pictures`` as for :func:`render_html`."""
    from reportgen.render import report_pdf

    attachments: Mapping[str, bytes] = {MASTER: master, **render_tables(shown.tables, ["csv"])}
    return report_pdf.render(shown.document, attachments, theme=shown.theme, pictures=pictures)


def render_html(
    shown: Presentation, *, tables_at: str = "", figures_at: str = "", pictures: Mapping[str, OnScreen] | None = None
) -> str:
    """The report as one HTML page.

    Args:
        shown: What it shows.
        tables_at: The folder of the tables' CSV files, if they are beside it.
        figures_at: The folder of the figures' data, likewise.
        pictures: The figures by their ids, where they are drawn already.
    """
    from reportgen.render import report_html

    return report_html.render(
        shown.document, tables_at=tables_at, figures_at=figures_at, theme=shown.theme, pictures=pictures
    )


_Pictures = Mapping[str, "OnScreen"]


def _tables(shown: Presentation, directory: Path, formats: tuple[str, ...], pictures: _Pictures) -> None:
    folder = directory / "tables"
    folder.mkdir()
    wanted = [name for asked, names in _TABLE_FORMATS.items() if asked in formats for name in names]
    for name, content in render_tables(shown.tables, wanted).items():
        (folder / name).write_bytes(content)


def _paper(shown: Presentation, directory: Path, formats: tuple[str, ...], pictures: _Pictures) -> None:
    from reportgen.render import report_latex

    run = shown.results.run
    report_latex.write_paper(
        shown.document,
        directory / "paper",
        venue=run.venue,
        theme=shown.theme,
        template=run.presentation.report.document_class,
        figures=directory / FIGURES,
    )


def _html(shown: Presentation, directory: Path, formats: tuple[str, ...], pictures: _Pictures) -> None:
    # The data come with the figures, which are drawn for every page.
    page = render_html(shown, tables_at="tables" if "csv" in formats else "", figures_at=FIGURES, pictures=pictures)
    (directory / "report.html").write_bytes(page.encode())


def _pdf(shown: Presentation, directory: Path, formats: tuple[str, ...], pictures: _Pictures) -> None:
    (directory / "report.pdf").write_bytes(render_pdf(shown, (directory / MASTER).read_bytes(), pictures))


_PARTS: Mapping[str, Callable[[Presentation, Path, tuple[str, ...], _Pictures], None]] = {
    "tables": _tables,
    "paper": _paper,
    "html": _html,
    "pdf": _pdf,
}
