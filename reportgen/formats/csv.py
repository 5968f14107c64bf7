"""CSV: each table at full precision and as printed, and the data of each figure."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, TableForm
from reportgen.formats.readers import csv_fields


def _machine(table: Table) -> str:
    from reportgen.render import csv_table

    return csv_table.render(table)


def _printed(table: Table) -> str:
    from reportgen.render import csv_table

    return csv_table.render_display(table)


FORMAT = Format(
    name="csv",
    tables=(TableForm("csv", ".csv", _machine), TableForm("csv-display", ".display.csv", _printed)),
    figures=(),
    kinds=(FileKind(".display.csv", "text/csv", csv_fields, printed=True),),
    place=40,
)
