"""Definitions of the metrics that the report shows beside the headline ones."""

from __future__ import annotations

from reportgen.documents.definitions import definitions
from reportgen.documents.material import Material
from reportgen.domain.presentation import Paragraph, Ref, Section

ID = "definitions"
TITLE = "Definitions of the other metrics"
ORDER = 970
NEEDS = "tables or figures of other metrics than the headline ones"


def build(material: Material) -> Section | None:
    """One entry for each metric, whatever its cut-offs."""
    facts = definitions(material.results, material.further_metrics, compact=True)
    if not facts.facts:
        return None
    intro = Paragraph(("The metrics shown in tables and figures that are not defined in ", Ref("sec:methods"), "."))
    return Section(ID, TITLE, (intro, facts))
