"""HTML tables: each as a page that is a fragment of others too."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.formats import Format, TableForm


def _table(table: Table) -> str:
    from reportgen.render import html_table

    return html_table.page(table)


FORMAT = Format(name="html-tables", tables=(TableForm("html", ".html", _table),), default=False, place=55)
