"""XLSX tables: each as a workbook of its own."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import Format, TableForm


def _table(table: Table) -> bytes:
    from reportgen.render import xlsx_table

    return xlsx_table.render(table)


FORMAT = Format(name="xlsx-tables", tables=(TableForm("xlsx-tables", ".xlsx", _table),), default=False, place=65)
