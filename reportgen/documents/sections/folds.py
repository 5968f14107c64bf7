"""Results per fold: how far the values differ."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Facts, Paragraph, Section, Shown, Text
from reportgen.wording.rankings import name, ranking_on
from reportgen.wording.text import MOST, concat, enumeration, in_words, value

ID = "folds"
TITLE = "Results per fold"
ORDER = 800
NEEDS = "more than one fold"

_FAMILIES = (("ranking",), ("multiclass",), ("classification",), ("selection", "workload"))


def build(material: ReportMaterial) -> Section | None:
    """The standard deviation over folds of the leading metrics, and the table of fold values."""
    results = material.results
    if len(results.folds) < 2:
        return None
    spreads = tuple(_spreads(material))
    ddof = results.contract.conventions["sd_ddof"]
    intro = concat(
        f"The standard deviation (SD) here is over the values of {in_words(len(results.folds))} folds (ddof "
        f"{ddof}). It tells how much the value of a fold varies; it is neither a standard error nor a confidence "
        "interval", material.see("fig:per-fold", "tab:per-fold-compact"),
        ". Means over folds with their SD:" if spreads else ".",
    )  # fmt: skip
    blocks: list[Block] = [Paragraph(intro)]
    if spreads:
        blocks.append(Facts(spreads))
    blocks += [*material.figure("per-fold"), *material.table("per-fold-compact"), *_of_seeds(material)]
    return Section(ID, TITLE, tuple(blocks)) if len(blocks) > 1 else None


def _of_seeds(material: ReportMaterial) -> tuple[Block, ...]:
    """Say what a value of a system with several trainings is, and show their table; empty without such systems."""
    table = material.table("per-seed-compact")
    if not table:
        return ()
    intro = concat(
        "The value of a system that was trained with several seeds is the unweighted mean over its trainings. Its "
        "interval tells how the mean of these trainings would differ on other "
        f"{material.results.units.cluster.many}; how much another training would differ is not in it, and is shown "
        "by the SD over seeds. Curves, distributions and thresholds are of single trainings, so such a system has "
        "none here", material.see("tab:per-seed-compact"), ".",
    )  # fmt: skip
    return Paragraph(intro), *table


def _spreads(material: ReportMaterial) -> Iterator[tuple[str, Text]]:
    results = material.results
    for families in _FAMILIES:
        for metric in material.headline(*families)[:1]:
            at = ranking_on(results, metric.id)
            found = [r for r in at.ranked if r.aggregation == "fold_mean" and r.display.sd] if at else []
            each: list[Text] = [
                concat(value(r), " (SD ", Shown(r.display.sd, r.id), f") for {name(results, r)}") for r in found
            ]
            if each:
                yield metric.name, concat(enumeration(each, at_most=MOST), ".")
