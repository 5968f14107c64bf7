"""HTML: the report as one page, and each table as a page that is a fragment of others too."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, Made, Presentation, TableForm
from reportgen.formats.readers import html_texts, svg_texts


def _document(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_html

    page = report_html.render(
        shown.document,
        tables_at="tables" if "csv" in made.formats else "",
        figures_at="" if made.figures is None else made.figures.name,
        theme=shown.theme,
        pictures=made.pictures,
    )
    return {"report.html": page.encode()}


def _table(table: Table) -> str:
    from reportgen.render import html_table

    return html_table.page(table)


FORMAT = Format(
    name="html",
    files={"report.html": "the report as one page; opens from disk, needs no network"},
    documents=(_document,),
    report="report.html",
    title="HTML report",
    tables=(TableForm("html", ".html", _table),),
    figures=("svg",),
    pictures=("svg",),
    kinds=(
        FileKind(".html", "text/html", html_texts, printed=True),
        FileKind(".svg", "image/svg+xml", svg_texts),
    ),
    place=10,
)
