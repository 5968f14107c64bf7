"""PDF: the report, with the numbers and the tables attached to it."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.formats import FileKind, Format, Made, Presentation, render_tables
from reportgen.formats.readers import pdf_texts


def _document(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_pdf
    from reportgen.results import encode

    attachments = {"metrics_master.json": encode(shown.results), **render_tables(shown.tables, ["csv"])}
    return {"report.pdf": report_pdf.render(shown.document, attachments, theme=shown.theme, pictures=made.pictures)}


FORMAT = Format(
    name="pdf",
    files={"report.pdf": "the report as a PDF; the numbers and tables are attached to it"},
    document=_document,
    report="report.pdf",
    title="PDF report",
    figures=("pdf",),
    pictures=True,
    kinds=(FileKind(".pdf", "application/pdf", pdf_texts),),
    place=20,
)
