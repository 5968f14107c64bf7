"""A document of one line for each table, and each table as one line."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.domain.presentation import Table
from reportgen.formats import FileKind, Format, Made, Presentation, TableForm
from reportgen.formats.readers import lines


def document(shown: Presentation, made: Made) -> Mapping[str, bytes]:
    """Return the report: the title, then a line for each table."""
    text = "".join(f"{table.title}: {line(table)}" for table in shown.tables)
    return {"report.toy": f"{shown.results.run.title}\n{text}".encode()}


def line(table: Table) -> str:
    """Return the plain texts of a table's cells on one line."""
    cells = [cell.text for group in table.groups for row in group.rows for cell in row.cells]
    return ", ".join(cell for cell in cells if isinstance(cell, str)) + "\n"


FORMAT = Format(
    name="toy",
    files={"report.toy": "the report for toys"},
    documents=(document,),
    report="report.toy",
    title="Toy report",
    tables=(TableForm("toy", ".toy", line),),
    kinds=(FileKind(".toy", "text/x-toy", lines),),
    default=False,
)
