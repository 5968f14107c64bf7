"""Classification: how well a probability tells positive queries from negative ones."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents.material import CALIBRATION, ReportMaterial
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Block, Items, Paragraph, Section, Text
from reportgen.domain.record import Results
from reportgen.wording.conventions import brackets
from reportgen.wording.heads import means_positive
from reportgen.wording.rankings import metric_sentence, ranking_on
from reportgen.wording.text import concat, paragraph, value

ID = "classification"
TITLE = "Evidence gate"
ORDER = 400
NEEDS = "probabilities"

FAMILIES = ("classification", "operating_point")


def build(material: ReportMaterial) -> Section | None:
    """Classes of rows, where the run has them; yes or no of queries."""
    results = material.results
    if results.several_classes:
        return _of_classes(material)
    return _of_queries(material)


def _of_classes(material: ReportMaterial) -> Section | None:
    """Classes of rows first: their metrics and their confusion; then each class against the rest."""
    results = material.results
    chosen = material.headline("multiclass") or material.family("multiclass")[:1]
    found = [at for metric in chosen if (at := ranking_on(results, metric.id)) is not None]
    one_vs_rest = _of_queries(material)
    if not found:
        return one_vs_rest
    units, n = results.units, results.subset_by_id["all_rows"].n_queries
    intro = concat(
        f"Each of the {units.row.count(n)} has one of {units.label.count(len(results.labels))} and counts once",
        material.see("tab:multiclass-compact", "tab:class-confusion-compact", "fig:class-confusion"), ".",
    )  # fmt: skip
    blocks: list[Block] = [
        Paragraph(paragraph((intro, brackets(results)))),
        Items(tuple(metric_sentence(results, at) for at in found)),
        *material.table("multiclass-compact", "class-confusion-compact"),
        *material.figure("class-confusion"),
    ]
    parts: tuple[Section, ...] = ()
    if one_vs_rest is not None:
        rest = f"Each {units.label.one} against the rest"
        parts = (Section("one-vs-rest", rest, one_vs_rest.blocks), *one_vs_rest.sections)
    return Section(ID, "Classification", tuple(blocks), parts)


def _of_queries(material: ReportMaterial) -> Section | None:
    """Discrimination with its figures, the confusion matrix, then operating points and net benefit."""
    results = material.results
    chosen = [m for m in material.headline(*FAMILIES) if m.id not in CALIBRATION] or material.family(*FAMILIES)[:1]
    found = [at for metric in chosen if (at := ranking_on(results, metric.id)) is not None]
    if not found:
        return None
    everything = results.subset_by_id["all_queries"]
    intro = concat(
        f"{_question(results)} All values are over the "
        f"{results.units.query.count(everything.n_queries)}, {everything.n_positive:,} of them positive",
        material.see("fig:roc", "fig:pr", "fig:score-distribution"), ".",
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(paragraph((intro, *_chance(material), brackets(results))))]
    blocks.append(Items(tuple(metric_sentence(results, at) for at in found)))
    blocks += material.figure("roc", "pr", "score-distribution")
    blocks += material.table("classification-compact", "confusion-compact")
    parts = tuple(part for part in (_operating_points(material), _net_benefit(material)) if part is not None)
    return Section(ID, TITLE, tuple(blocks), parts)


def _question(results: Results) -> str:
    if results.several_classes:
        return f"{means_positive(results)}."
    return "The gate decides whether a query has evidence."


def _operating_points(material: ReportMaterial) -> Section | None:
    """Show what each budget of false positives buys."""
    points = material.table("operating-points-compact")
    if not points:
        return None
    names = {MetricId.parse(metric.id).name for metric in material.family("operating_point")}
    says = (
        "Thresholds for a budget of false positives are chosen on TUNE and applied to EVAL, so the false-positive "
        "rate (FPR) that is reached there can miss the budget."
        if "tpr" in names
        else "Thresholds for a budget of false positives are read off the ROC curve of EVAL itself, so a deployment "
        "need not reach the true-positive rate (TPR) that they have there."
    )
    return Section("operating-points", "Operating points", (Paragraph(says), *points))


def _net_benefit(material: ReportMaterial) -> Section | None:
    """Show what acting on the probability gains, by the cost of a false alarm."""
    benefit = material.figure("decision-curve")
    if not benefit:
        return None
    says = concat(
        "Whether to act on a probability depends on what a false alarm costs beside a miss. The threshold probability "
        "states that preference, and the net benefit counts what is gained under it",
        material.see("fig:decision-curve"),
        ".",
    )
    return Section("net-benefit", "Net benefit", (Paragraph(says), *benefit))


def _chance(material: ReportMaterial) -> Iterator[Text]:
    """Say what a system without information would reach, from the metrics' own facts."""
    results = material.results
    for metric in material.headline(*FAMILIES):
        if metric.chance == "prevalence":
            at = ranking_on(results, "prevalence")
            if at is not None and at.ranked:
                yield concat(f"Without information {metric.name} would equal the prevalence, ",
                               value(at.ranked[0]), ".")  # fmt: skip
        elif metric.chance:
            yield f"Without information {metric.name} would be {metric.chance}."
