"""Word: the report and its supplement as documents that authors go on writing in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from reportgen.errors import Diagnostic, RenderError
from reportgen.formats import FileKind, Format, Made, Presentation
from reportgen.formats.readers import docx_texts


def _report(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_docx

    return {"report.docx": report_docx.render(shown.document, theme=shown.theme, pictures=made.pictures)}


def _supplement(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    from reportgen.render import report_docx

    if not shown.document.supplement:
        return {}
    content = report_docx.render(shown.document, part="supplement", theme=shown.theme, pictures=made.pictures)
    return {"supplement.docx": content}


def filled(template: Path, shown: Presentation) -> bytes:
    """Return a Word document or template of the user's, its placeholders filled from some results.

    Raises:
        RenderError: RG557, the template cannot be read; others as :func:`reportgen.render.docx_template.fill`.
    """
    from reportgen.decimal_comma import comma_of
    from reportgen.documents.quantities import quantities
    from reportgen.render.docx_template import fill
    from reportgen.render.report_docx import pictures_of

    try:
        content = template.read_bytes()
    except OSError as error:
        raise RenderError(Diagnostic("RG557", str(template), f"cannot be read: {error.strerror}")) from error
    known, comma = quantities(shown.results), comma_of(shown.results)
    known, picture = comma.quantities(known) if comma else known, pictures_of(shown.theme, None)
    return fill(content, str(template), shown.document, known, shown.theme, picture)


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
DOCX = FileKind(".docx", _WORD, docx_texts, printed=True)
FORMAT = Format(
    name="docx",
    files={"report.docx": "the report as a Word document, to be edited", "supplement.docx": "its supplement"},
    documents=(_supplement, _report),
    report="report.docx",
    supplement="supplement.docx",
    title="Word report",
    pictures=("png", "outlines"),
    kinds=(DOCX,),
    default=False,
    place=25,
)
