"""Markdown: each table as a pipe table."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import Format, TableForm


def _table(table: Table) -> str:
    from reportgen.render import markdown_table

    return markdown_table.render(table)


FORMAT = Format(name="md", tables=(TableForm("md", ".md", _table),), default=False, place=50)
