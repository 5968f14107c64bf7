"""Whole reports for the tests of renderers: made once, since figures take a second each to draw."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from reportgen.documents import build_report
from reportgen.domain.presentation import Document
from reportgen.figures import build_figures
from reportgen.render import report_latex, report_pdf
from reportgen.render.blocks import figures_shown
from reportgen.render.figure_files import Drawn, Picture, draw_figures, draw_once, write_drawn
from reportgen.render.themes import DEFAULT_PAPER, Theme, base_theme
from reportgen.styles import load_tokens
from reportgen.tables import build_tables
from tests.support.once import once
from tests.support.results import make_results

ATTACHMENTS = {"metrics_master.json": b'{"kind": "x"}', "dataset.csv": b"fold,n\n1,2\n"}


@cache
def report(
    n_systems: int = 2,
    n_labels: int = 3,
    n_folds: int = 5,
    hostile: bool = False,
    tables: tuple[str, ...] | None = None,
    figures: tuple[str, ...] | None = None,
) -> Document:
    """The report of a small synthetic evaluation, with these tables and figures alone (None for all)."""
    results = make_results(n_systems, n_labels, n_folds, hostile)
    return build_report(results, build_tables(results, tables), build_figures(results, figures))


@cache
def pdf() -> bytes:
    """The whole report as PDF, with two files attached."""
    return once("pdf", lambda: report_pdf.render(report(), ATTACHMENTS, pictures=pictures()))


def pictures(hostile: bool = False) -> Mapping[str, Picture]:
    """The pictures of the report's figures by their ids, as a page shows them."""
    return {id: drawn.picture for id, drawn in _drawn(hostile).items() if drawn.picture}


def figure_folder(directory: Path, hostile: bool = False, venue: str = "report") -> Path:
    """The same figures as files of a paper for this venue, in a folder of this directory."""
    folder = directory / "drawn"
    folder.mkdir(parents=True)
    for id, drawn in _drawn(hostile, venue).items():
        write_drawn(report(hostile=hostile).figures[id], drawn, folder)
    return folder


def write_paper(
    document: Document,
    directory: Path,
    venue: str | None = None,
    *,
    theme: Theme | None = None,
    template: str = DEFAULT_PAPER,
    figures: Path | None = None,
) -> tuple[Path, ...]:
    """Write the sources of a paper, with figures drawn for it or those of a folder; return the paths, sorted."""
    theme = theme or base_theme()
    texts = report_latex.sources(document, theme, template, venue)
    files = {name: text.encode() for name, text in texts.items()} | report_latex.fonts_of(texts)
    shown = figures_shown(document)
    if figures is None:
        tokens = theme.tokens(venue=venue or theme.paper(template).venue)
        figures = directory.with_name(f"{directory.name}-drawn")
        draw_figures(shown, figures, ("pdf",), tokens=tokens)
    for name in (f"{figure.id}.{suffix}" for figure in shown for suffix in ("pdf", "csv")):
        files[f"figures/{name}"] = (figures / name).read_bytes()
    for name, content in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(content)
    return tuple(sorted(directory / name for name in files))


@cache
def _drawn(hostile: bool, venue: str = "report") -> Mapping[str, Drawn]:
    def draw() -> Mapping[str, Drawn]:
        figures, tokens = report(hostile=hostile).figures, load_tokens("light", venue)
        page = ("svg", "pdf") if venue == "report" else ()
        return {id: draw_once(figure, ("pdf",), tokens, on_page=page) for id, figure in figures.items()}

    return once(f"drawn-{hostile}-{venue}", draw)


def addresses(document: Document) -> dict[str, str]:
    """The CSV file of each table, as where a bundle has them."""
    return {id: f"tables/{id}.csv" for id in document.tables}
