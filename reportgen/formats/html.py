"""HTML: the report as one page."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.formats import FileKind, Format, Made, Presentation, csv_names
from reportgen.formats.readers import html_texts, svg_texts


def _document(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_html

    files = csv_names(shown.tables) if "csv" in made.formats else {}
    page = report_html.render(
        shown.document,
        tables_at={id: f"tables/{name}" for id, name in files.items()},
        figures_at="figures" if "figure-data" in made.formats else "",
        theme=shown.theme,
        pictures=made.pictures,
    )
    return {"report.html": page.encode()}


FORMAT = Format(
    name="html",
    files={"report.html": "the report as one page; opens from disk, needs no network"},
    documents=(_document,),
    report="report.html",
    title="HTML report",
    figures=("svg",),
    pictures=("svg",),
    kinds=(
        FileKind(".html", "text/html", html_texts, printed=True),
        FileKind(".svg", "image/svg+xml", svg_texts),
    ),
    place=10,
)
