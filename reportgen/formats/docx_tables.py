"""Word: the compact form of every table in one document, to be copied from."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Table
from reportgen.formats import Format, TableForm
from reportgen.formats.docx import DOCX


def _tables(tables: Sequence[Table]) -> bytes:
    from reportgen.render import report_docx

    return report_docx.render_tables(tables)


FORMAT = Format(
    name="docx-tables",
    tables=(TableForm("docx", ".docx", together=_tables, of_both="compact"),),
    kinds=(DOCX,),
    place=61,
)
