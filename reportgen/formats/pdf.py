"""PDF: the report, with the numbers and the tables attached to it, and its supplement."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import replace

from reportgen.errors import Diagnostic
from reportgen.formats import (
    FileKind,
    Format,
    FoundText,
    Made,
    Presentation,
    bundled,
    kind_of,
    render_tables,
    table_forms,
)
from reportgen.formats.readers import pages_of


def _report(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_pdf
    from reportgen.results import encode

    tables = render_tables(bundled(shown.tables, table_forms()["csv"]), ["csv"])
    attachments = {"metrics_master.json": encode(shown.results), **tables}
    return {"report.pdf": report_pdf.render(shown.document, attachments, theme=shown.theme, pictures=made.pictures)}


def _supplement(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_pdf

    if not shown.document.supplement:
        return {}
    content = report_pdf.render(shown.document, part="supplement", theme=shown.theme, pictures=made.pictures)
    return {"supplement.pdf": content}


def _lacking() -> Diagnostic | None:
    from reportgen.render import report_pdf

    return report_pdf.lacking()


def _texts(content: bytes) -> Iterator[FoundText]:
    """Read the lines of the pages, and the texts of the files attached to them."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    try:
        reader = PdfReader(io.BytesIO(content))
        for number, page in enumerate(pages_of(reader), 1):
            for line, text in enumerate(page.splitlines(), 1):
                yield FoundText(f"page {number}, line {line}", text, text)
        for name, versions in sorted(reader.attachments.items()):
            if (read := kind_of(name).read) is None:
                continue
            for attached in versions:
                for found in read(attached):
                    yield replace(found, place=f"attached {name}, {found.place}")
    except PyPdfError as error:
        raise ValueError(str(error)) from error


FORMAT = Format(
    name="pdf",
    files={
        "report.pdf": "the report as a PDF; the numbers and tables are attached to it",
        "supplement.pdf": "its supplement",
    },
    documents=(_supplement, _report),
    report="report.pdf",
    supplement="supplement.pdf",
    title="PDF report",
    figures=("pdf",),
    pictures=("pdf",),
    kinds=(FileKind(".pdf", "application/pdf", _texts),),
    lacking=_lacking,
    place=20,
)
