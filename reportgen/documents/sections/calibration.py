"""Calibration: does a probability mean what it says?"""

from __future__ import annotations

from reportgen.documents.material import CALIBRATION, ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.wording.conventions import brackets
from reportgen.wording.rankings import metric_sentence, ranking_on
from reportgen.wording.text import concat, paragraph

ID = "calibration"
TITLE = "Calibration"
ORDER = 500
NEEDS = "probabilities"


def build(material: ReportMaterial) -> Section | None:
    """Errors of the probabilities and the reliability diagrams, with bins and without."""
    results = material.results
    metrics = [m for m in material.family("classification", "calibration") if m.id in CALIBRATION]
    found = [at for metric in metrics if (at := ranking_on(results, metric.id)) is not None]
    if not found:
        return None
    fitted = results.run.calibrator_fit_on
    how = (
        f"The calibrator was fitted on {fitted.upper()}."
        if fitted
        else "The run does not say on what its probabilities were calibrated."
    )
    n = results.subset_by_id[found[0].subset].n_queries
    intro = concat(f"A calibrated probability of 0.3 is right for three queries in ten. Values are over "
                     f"{results.units.query.count(n)}", material.see("fig:reliability", "fig:corp"), ".")  # fmt: skip
    blocks: list[Block] = [
        Paragraph(paragraph((intro, how, brackets(results)))),
        Items(tuple(metric_sentence(results, at) for at in found)),
    ]
    blocks += material.figure("reliability", "corp")
    blocks += material.table("calibration-compact")
    return Section(ID, TITLE, tuple(blocks))
