"""Spread over queries: how far the values of single ones differ."""

from __future__ import annotations

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Paragraph, Section
from reportgen.wording.text import concat

ID = "queries"
TITLE = "Spread over queries"
ORDER = 820
NEEDS = "metrics with a value for each query"


def build(material: ReportMaterial) -> Section | None:
    """Say what an SD over queries is for, and show it beside the quartiles."""
    table = material.table("per-query-spread-compact")
    if not table:
        return None
    many = material.results.units.query.many
    says = concat(
        f"A mean can be certain and single {many} still lie far apart: how far, their standard deviation (SD) and "
        "quartiles tell",
        material.see("tab:per-query-spread-compact"),
        ".",
    )
    return Section(ID, TITLE, (Paragraph(says), *table))
