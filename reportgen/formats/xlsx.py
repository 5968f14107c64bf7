"""XLSX: all tables in full, as the sheets of one workbook."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, TableForm
from reportgen.formats.readers import xlsx_cells


def _tables(tables: Sequence[Table]) -> bytes:
    from reportgen.render import xlsx_table

    return xlsx_table.render_workbook(tables)


_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FORMAT = Format(
    name="xlsx",
    tables=(TableForm("xlsx", ".xlsx", together=_tables, of_both="full"),),
    kinds=(FileKind(".xlsx", _SPREADSHEET, xlsx_cells),),
    place=60,
)
