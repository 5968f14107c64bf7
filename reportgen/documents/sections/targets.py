"""The contract's targets, with the values held against them."""

from __future__ import annotations

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Paragraph, Section

ID = "targets"
TITLE = "Targets"
ORDER = 840
NEEDS = "a contract with targets"


def build(material: ReportMaterial) -> Section | None:
    """Show who meets which target, with the interval in view."""
    table = material.table("targets-compact")
    if not table:
        return None
    source = material.results.contract.source
    whose = f"“{source}”" if source else f"the contract “{material.results.contract.title}”"
    return Section(ID, TITLE, (Paragraph(f"The aims that {whose} sets. They enter no formula."), *table))
