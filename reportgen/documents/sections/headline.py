"""The headline numbers in full: value, subset and what each says in words."""

from __future__ import annotations

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Paragraph, Section

ID = "headline"
TITLE = "Headline results in full"
ORDER = 850
NEEDS = "a headline metric"


def build(material: ReportMaterial) -> Section | None:
    """The long table, with the sentence that goes with each value."""
    table = material.table("main-results")
    if not table:
        return None
    intro = Paragraph(
        "Every headline value with the queries it is about, and read out as a sentence. All other values are given in "
        "the same form in the tables that come with this report; here they stand in their compact form."
    )
    return Section(ID, TITLE, (intro, *table))
