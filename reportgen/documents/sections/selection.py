"""Selection and triage: what systems return, how much of the evidence is in it, what it costs to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from reportgen.documents.material import ReportMaterial
from reportgen.domain.presentation import Block, Items, Paragraph, Section
from reportgen.domain.record import MetricRecord, Results
from reportgen.wording.heads import subset_size
from reportgen.wording.rankings import Standing, metric_sentence, ranking_on
from reportgen.wording.text import concat, enumeration

ID = "selection"
TITLE = "Selection and triage"
ORDER = 600
NEEDS = "selected candidates or states"

_MOST = 3
"""Metrics of one family that are told in words, in their own order; the results hold the others."""

_TABLES = {
    "selected-evidence": ("selection-compact", "selected-k-compact"),
    "triage": ("triage-compact", "threshold-grid-compact"),
    "label-decisions": ("multilabel-compact",),
}
"""The tables of each part, by its id."""
_TRIAGE_FIGURES = ("triage", "threshold-curve", "threshold-grid")
_FIGURES = {
    "selected-evidence": "The distribution of K says more than its mean",
    "triage": "Thresholds are chosen on TUNE, where they can be varied without looking at EVAL",
}
"""What leads to the figures of a part."""

_RECALL = ("evidence_recall", "evidence_recall[pooled]")
"""Evidence recall of all queries of its subset, also of those that return nothing."""

_Intro: TypeAlias = Callable[[Results, Sequence[Standing]], str]


def build(material: ReportMaterial) -> Section | None:
    """Selection and triage as subsections; either may be missing."""
    selected = [*_leading(material, "selection"), *_leading(material, "workload")]
    multilabel = _leading(material, "multilabel")
    parts = [
        _part(material, "selected-evidence", "Selected evidence", selected, _selection_intro, ("selected-k",)),
        _part(material, "triage", "Triage", _leading(material, "triage"), _triage_intro, _TRIAGE_FIGURES),
        _part(material, "label-decisions", "Decisions over labels", multilabel, _multilabel_intro),
    ]
    found = tuple(part for part in parts if part is not None)
    return Section(ID, TITLE, sections=found) if found else None


def _leading(material: ReportMaterial, family: str) -> tuple[MetricRecord, ...]:
    return material.family(family)[:_MOST]


def _part(
    material: ReportMaterial,
    id: str,
    title: str,
    metrics: Sequence[MetricRecord],
    intro: _Intro,
    figures: Sequence[str] = (),
) -> Section | None:
    standings = [at for metric in metrics if (at := ranking_on(material.results, metric.id)) is not None]
    if not any(at.ranked for at in standings):
        return None
    blocks: list[Block] = [
        Paragraph(intro(material.results, standings)),
        Items(tuple(metric_sentence(material.results, at) for at in standings)),
    ]
    absent = dict.fromkeys(r.system for at in standings for r in at.without if r.reason == "component_absent")
    if absent:
        labels = enumeration([material.results.system_by_id[system].label for system in absent])
        verbs = ("has", "prints") if len(absent) == 1 else ("have", "print")
        why = f" {verbs[0]} no such component for at least one of these metrics and {verbs[1]} n/a there."
        blocks.append(Paragraph(concat(labels, why)))
    if shown := material.figure(*figures):
        blocks.append(Paragraph(concat(_FIGURES[id], material.see(*(f"fig:{name}" for name in figures)), ".")))
        blocks += shown
    blocks += material.table(*_TABLES[id])
    return Section(id, title, tuple(blocks))


def _selection_intro(results: Results, standings: Sequence[Standing]) -> str:
    n = results.subset_by_id["all_queries"].n_queries
    recall = next((at for at in standings if at.metric.id in _RECALL), None)
    passing = "A query that does not pass returns nothing: its K is 0 and its evidence counts as missed. "
    if results.contract.conventions.get("deployment_decider") == "none":
        passing = "Nothing decides: every query returns its selected candidates. "
    evidence = f"Evidence recall is over the {subset_size(results, recall.subset)}. " if recall else ""
    return (
        f"K is the number of {results.units.candidate.many} a system returns for a query. {passing}"
        f"{evidence}K is over all {results.units.query.count(n)}."
    )


def _triage_intro(results: Results, standings: Sequence[Standing]) -> str:
    n, query = results.subset_by_id[standings[0].subset].n_queries, results.units.query.one
    return (
        f"An alert is a {query} in state POS, of {results.units.query.count(n)} in all. Alert precision is "
        "a share of the alerts: it does not count the evidence for which no alert was raised."
    )


def _multilabel_intro(results: Results, standings: Sequence[Standing]) -> str:
    labels = results.units.label.count(len(results.labels)) if results.labels else "the labels"
    return f"The decisions on single queries are read as a prediction of {labels} for each {results.units.cluster.one}."
