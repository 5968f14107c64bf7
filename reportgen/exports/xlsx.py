"""A workbook with one sheet per table, numbers as numbers."""

from __future__ import annotations

from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.render.xlsx_table import render_workbook
from reportgen.tables import build_tables

TITLE = "workbook with a sheet for each table (Excel, LibreOffice)"


def export(results: Results, system: str | None) -> dict[str, bytes]:
    """The workbook; raises RequestError (RG724) for one system, since tables compare all."""
    if system is not None:
        raise RequestError(Diagnostic("RG724", "xlsx", "speaks of all systems"))
    return {"": render_workbook(build_tables(results))}
