"""CSV as printed: each table with the strings that the report shows."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, TableForm
from reportgen.formats.readers import csv_fields


def _table(table: Table) -> str:
    from reportgen.render import csv_table

    # By the mark at its beginning a spreadsheet knows the encoding, which it would else take for that of its country.
    return f"\ufeff{csv_table.render_display(table)}"


FORMAT = Format(
    name="csv-display",
    tables=(TableForm("csv-display", ".display.csv", _table),),
    kinds=(FileKind(".display.csv", "text/csv", csv_fields, printed=True),),
    default=False,
    place=45,
)
