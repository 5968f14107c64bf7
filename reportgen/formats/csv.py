"""CSV: each table in full, its values with all their digits."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import Format, TableForm


def _table(table: Table) -> str:
    from reportgen.render import csv_table

    return csv_table.render(table)


FORMAT = Format(name="csv", tables=(TableForm("csv", ".csv", _table, of_both="full"),), place=40)
