"""How well a probability tells positive queries from negative ones: the gate."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents import prose
from reportgen.documents.material import CALIBRATION, Material
from reportgen.documents.prose import sentence
from reportgen.domain.presentation import Block, Items, Paragraph, Section, Text
from reportgen.standings import best_sentence, standing

ID = "classification"
TITLE = "Evidence gate"
ORDER = 400
NEEDS = "probabilities"

FAMILIES = ("classification", "gate", "operating_point")


def build(material: Material) -> Section | None:
    """Discrimination with its figures, the confusion matrix, then operating points and net benefit."""
    results = material.results
    chosen = [m for m in material.headline(*FAMILIES) if m.id not in CALIBRATION] or material.family(*FAMILIES)[:1]
    found = [at for metric in chosen if (at := standing(results, metric.id)) is not None]
    if not found:
        return None
    everything = results.subset_by_id["all_queries"]
    intro = sentence(
        f"The gate decides whether a query has evidence. All values are over the "
        f"{prose.queries(results, everything.n_queries)}, {everything.n_positive:,} of them positive",
        material.see("fig:roc", "fig:pr", "fig:score-distribution"), ".",
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(prose.paragraphs((intro, *_chance(material), prose.brackets(results))))]
    blocks.append(Items(tuple(best_sentence(results, at) for at in found)))
    blocks += material.figure("roc", "pr", "score-distribution")
    blocks += material.table("classification-compact", "confusion-compact")
    parts = tuple(part for part in (_operating_points(material), _net_benefit(material)) if part is not None)
    return Section(ID, TITLE, tuple(blocks), parts)


def _operating_points(material: Material) -> Section | None:
    """What each budget of false positives buys."""
    points = material.table("operating-points-compact")
    if not points:
        return None
    says = (
        "Thresholds for a budget of false positives are chosen on TUNE and applied to EVAL, so the false-positive "
        "rate (FPR) that is reached there can miss the budget."
    )
    return Section("operating-points", "Operating points", (Paragraph(says), *points))


def _net_benefit(material: Material) -> Section | None:
    """What acting on the probability gains, by what a false alarm costs."""
    benefit = material.figure("decision-curve")
    if not benefit:
        return None
    says = sentence(
        "Whether to act on a probability depends on what a false alarm costs beside a miss. The threshold probability "
        "states that preference, and the net benefit counts what is gained under it",
        material.see("fig:decision-curve"),
        ".",
    )
    return Section("net-benefit", "Net benefit", (Paragraph(says), *benefit))


def _chance(material: Material) -> Iterator[Text]:
    """What a system without information would reach, from the metrics' own facts."""
    results = material.results
    for metric in material.headline(*FAMILIES):
        if metric.chance == "prevalence":
            at = standing(results, "prevalence")
            if at is not None and at.ranked:
                yield sentence(f"Without information {metric.name} would equal the prevalence, ",
                               prose.value(at.ranked[0]), ".")  # fmt: skip
        elif metric.chance:
            yield f"Without information {metric.name} would be {metric.chance}."
