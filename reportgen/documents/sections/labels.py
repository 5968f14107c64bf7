"""The headline metrics label by label, and on the declared sets of labels."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.domain.record import REASONS, Estimate, MetricRecord, Results, SubsetRecord, SystemRecord
from reportgen.wording.heads import slice_name
from reportgen.wording.rankings import ranking_on
from reportgen.wording.text import Phrase, concat, value

ID = "labels"
TITLE = "Results per label"
ORDER = 700
NEEDS = "labels"

_FEW = 4
_FAMILIES = (("ranking",), ("classification",))


def build(material: ReportMaterial) -> Section | None:
    """Say how far each system's values reach over the labels, then show the figures and the table."""
    results = material.results
    blocks: list[Block] = [
        *material.figure("per-label", "label-roc"),
        *material.table("per-label-compact", "label-sets-compact"),
    ]
    if len(results.labels) < 2 or not blocks:
        return None
    units = results.units
    intro = concat(
        f"Each of the {units.label.count(len(results.labels))} has fewer queries than the whole, so its intervals are "
        "wider. A difference between two labels can come from their prevalence alone",
        material.see("fig:per-label", "fig:label-roc", "tab:per-label-compact"), ".",
    )  # fmt: skip
    ranges = tuple(_ranges(material))
    told = (*((Items(ranges),) if ranges else ()), *_sets(material))
    return Section(ID, TITLE, (Paragraph(intro), *told, *blocks))


def _sets(material: ReportMaterial) -> Iterator[Paragraph]:
    """Say on which sets of labels the headline metrics are given as well."""
    results = material.results
    # The two populations of a set are one set.
    sets = tuple(dict.fromkeys(slice_name(results, subset) for subset in results.subsets if subset.labels))
    if sets and (see := material.see("tab:label-sets-compact")):
        named, all_of_them = " and on ".join(sets), f"all {results.units.query.many}"
        yield Paragraph(concat(f"The headline metrics are also given on {named}, beside {all_of_them}", see, "."))


def _ranges(material: ReportMaterial) -> Iterator[Phrase]:
    results = material.results
    first = [metrics[0] for families in _FAMILIES if (metrics := material.headline(*families))]
    for metric in first:
        for system in _told(results, metric):
            found = [
                (subset, record)
                for subset in results.subsets
                if subset.slice.startswith("label=") and (record := results.headline(metric.id, system.id, subset.id))
            ]
            if found:
                yield _range(results, metric, system.label, found)


def _told(results: Results, metric: MetricRecord) -> tuple[SystemRecord, ...]:
    """All systems where they are few, else the one with the best value over all labels."""
    systems = tuple(sorted(results.systems, key=lambda system: system.order))
    at = ranking_on(results, metric.id)
    if len(systems) <= _FEW or at is None or not at.ranked:
        return systems
    return (results.system_by_id[at.ranked[0].system],)


def _range(results: Results, metric: MetricRecord, system: str, found: list[tuple[SubsetRecord, Estimate]]) -> Phrase:
    """From the lowest to the highest label, and how many labels have no value."""
    names = {f"label={label.id}": label.label for label in results.labels}
    valued = sorted((p for p in found if p[1].value is not None), key=lambda p: (p[1].value or 0.0, p[0].id))
    without = [p for p in found if p[1].value is None]
    reasons = "; ".join(dict.fromkeys(REASONS[p[1].reason] for p in without if p[1].reason))
    label = results.units.label
    missing = f" It has no value for {label.count(len(without))}: {reasons}." if without else ""
    if len(valued) < 2:
        return concat(f"{metric.name} of {system} has a value for {label.count(len(valued))}.", missing)
    (low_subset, low), (high_subset, high) = valued[0], valued[-1]
    if low.display.value == high.display.value:
        each = "both" if len(valued) == 2 else f"each of {label.count(len(valued))}"
        return concat(f"{metric.name} of {system} is ", value(low), f" for {each}.", missing)
    return concat(
        f"{metric.name} of {system} ranges from ", value(low), f" ({names[low_subset.slice]}) to ",
        value(high), f" ({names[high_subset.slice]}).", missing,
    )  # fmt: skip
