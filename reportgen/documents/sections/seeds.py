"""How far the values differ between trainings of one system."""

from __future__ import annotations

from reportgen.documents.material import Material
from reportgen.documents.prose import sentence
from reportgen.domain.presentation import Paragraph, Section

ID = "seeds"
TITLE = "Results per training seed"
ORDER = 810
NEEDS = "a system that was trained several times"


def build(material: Material) -> Section | None:
    """What a value of a system with several trainings is, and the table of their values."""
    table = material.table("per-seed")
    if not table:
        return None
    intro = sentence(
        "The value of a system that was trained with several seeds is the unweighted mean over its trainings. Its "
        "interval tells how the mean of these trainings would differ on other "
        f"{material.results.units.cluster.many}; how much another training would differ is not in it, and is shown "
        "by the standard deviation (SD) over seeds. Curves, distributions and thresholds are of single trainings, "
        "so such a system has none here",
        material.see("tab:per-seed"),
        ".",
    )
    return Section(ID, TITLE, (Paragraph(intro), *table))
