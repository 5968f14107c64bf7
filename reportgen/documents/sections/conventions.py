"""Where the conventions behind the numbers differ from those of other contracts."""

from __future__ import annotations

from reportgen.documents.material import Material
from reportgen.domain.presentation import Paragraph, Section

ID = "conventions"
TITLE = "Sensitivity to conventions"
ORDER = 870
NEEDS = "a convention that contracts choose differently"


def build(material: Material) -> Section | None:
    """The table of conventions that other contracts choose otherwise."""
    table = material.table("conventions-compact")
    if not table:
        return None
    says = (
        "Under another convention the same name stands for another value. These choices are made otherwise by at least "
        "one of the contracts that come with the software; values computed under different ones are not comparable."
    )
    return Section(ID, TITLE, (Paragraph(says), *table))
