"""How well a probability tells queries with evidence from those without: the gate."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents import prose
from reportgen.documents.material import CALIBRATION, Material
from reportgen.documents.prose import sentence
from reportgen.documents.standings import best_sentence, name, standing
from reportgen.domain.presentation import Block, Facts, Items, Paragraph, Section, Text

ID = "classification"
TITLE = "Evidence gate"
ORDER = 400
NEEDS = "probabilities"

FAMILIES = ("classification", "gate", "operating_point")


def build(material: Material) -> Section | None:
    """Discrimination, operating points, and the figures of curves and probabilities."""
    results = material.results
    chosen = [m for m in material.headline(*FAMILIES) if m.id not in CALIBRATION] or material.family(*FAMILIES)[:1]
    found = [at for metric in chosen if (at := standing(results, metric.id)) is not None]
    if not found:
        return None
    everything = results.subset_by_id["all_queries"]
    intro = sentence(
        f"The gate decides whether a query has evidence. All values are over the "
        f"{prose.queries(results, everything.n_queries)}, {everything.n_positive:,} of them with evidence",
        material.see("fig:roc", "fig:pr", "fig:score-distribution"), ".",
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(prose.paragraphs((intro, *_chance(material), prose.brackets(results))))]
    blocks.append(Items(tuple(best_sentence(results, at) for at in found)))
    if points := tuple(_operating_points(material)):
        blocks.append(Paragraph(
            "Thresholds for a budget of false positives are chosen on TUNE and applied to EVAL, so the false-positive "
            "rate (FPR) that is reached there can miss the budget:"))  # fmt: skip
        blocks.append(Facts(points))
    blocks += material.figure("roc", "pr", "score-distribution")
    if benefit := material.figure("decision-curve"):
        blocks.append(
            Paragraph(
                sentence(
                    "Whether to act on a probability depends on what a false alarm costs beside a miss. The threshold "
                    "probability states that preference, and the net benefit counts what is gained under it",
                    material.see("fig:decision-curve"),
                    ".",
                )
            )
        )
        blocks += benefit
    return Section(ID, TITLE, tuple(blocks))


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


def _operating_points(material: Material) -> Iterator[tuple[str, Text]]:
    """At each budget, every system's TPR with the FPR it reached."""
    results = material.results
    for budget in results.contract.fpr_budgets:
        at = standing(results, f"tpr@fpr={budget:g}")
        if at is None or not at.ranked:
            continue
        each: list[Text] = []
        for record in at.ranked:
            reached = results.headline(f"fpr_achieved@fpr={budget:g}", record.system, record.subset)
            fpr: Text = sentence(" (FPR ", prose.value(reached), ")") if reached else ""
            each.append(sentence(prose.with_interval(record), f" for {name(results, record)}", fpr))
        yield at.metric.name, sentence(prose.leading(each), ".")
