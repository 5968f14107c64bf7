"""Labels one by one: the leading metrics of all systems, and every metric of few that have it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Estimate, Label, MetricRecord, Results, SystemRecord
from reportgen.float_selection import SystemChoice, chosen_systems, systems_sentence
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell
from reportgen.tables._lines import MetricLine, of_families, records_of, systems
from reportgen.tables._metric_tables import Beside, Compact, MetricLayout, MetricTable, TableDeclaration
from reportgen.wording.heads import (
    label_name,
    metric_head,
    positives_head,
    subset_name,
)
from reportgen.wording.rankings import ranking_on
from reportgen.wording.text import capital
from reportgen.wording.values import states_truth

_MOST_SYSTEMS = 4
_TRAINED = {True: "yes", False: "no", None: ""}
_IN_DETAIL = 2
"""Systems that are all shown beside each other, and under each other with every metric."""
_ONE_PAGE = 25
"""Labels that fit one page."""
_NARROW, _WIDE = 5, 8
"""Metrics that fit the width of a page in a table of several pages, and of a page that is turned."""


def _per_label(results: Results) -> MetricTable:
    """Declare the first headline metric of each leading family by label; compact with the prevalence."""
    labels = _labels(results)
    metrics = _leading(results, labels)
    choices = {m.id: chosen_systems(results, m.id, _of_labels(results, labels, [m]), _MOST_SYSTEMS) for m in metrics}
    of = [s for s in systems(results) if any(s in choice.systems for choice in choices.values())]
    places = {(metric.id, s.id): f"{metric.id}_{s.id}" for metric in metrics for s in choices[metric.id].systems}
    heads = {metric.id: metric_head(results, metric, direction=True) for metric in metrics}
    short, several = _lines(results, labels, metrics, of), len(of) > 1
    return MetricTable(
        _by_metric(results, labels, metrics, systems(results)),
        {
            "between": _between(results, labels, metrics[0], choices[metrics[0].id]) if metrics else None,
            "homes": [(metric_head(results, metric), _home(results, metric)) for metric in metrics],
            "systems_said": systems_sentence((metric.name, choices[metric.id]) for metric in metrics),
        },
        group=lambda line: metric_head(results, line.metric),
        before=_declared(results, labels),
        compact=Compact(
            MetricLayout(
                tuple(
                    Column(place, results.system_by_id[system].label if several else heads[metric], "estimate",
                           suffixes=SUFFIXES)
                    for (metric, system), place in places.items()
                ),
                _label_columns(results, labels, metrics, prevalence="prevalence" in results.metric_by_id),
                row=lambda line, system: _label_of(results, labels, line).id,
                column=lambda line, system: f"{line.metric.id}_{system.id}",
                spanners=tuple(
                    Spanner(head, tuple(place for (one, _), place in places.items() if one == metric))
                    for metric, head in heads.items()
                    if several
                ),
                kept=lambda record: record is None or (record.metric, record.system) in places,
                detail=lambda line: not several,
            ),
            short,
            of,
        ),
    )  # fmt: skip


def _of_classification(results: Results) -> MetricTable:
    """Declare every metric of classification by label."""
    return _in_detail(results, "classification", "classification", "confusion", "calibration", "operating_point")


def _of_ranking(results: Results) -> MetricTable:
    """Declare every metric of ranking and selection by label."""
    return _in_detail(results, "ranking and selection", "ranking", "selection", "workload")


def _in_detail(results: Results, about: str, *families: str) -> MetricTable:
    """Declare every metric of the families by label, of few systems that have them; ``about``: what they are of."""
    labels = _labels(results)
    metrics = [m for m in of_families(results, *families) if _of_labels(results, labels, [m])]
    leading = next((m.id for m in metrics if m.id in results.contract.headline), "")
    choice = chosen_systems(results, leading, _of_labels(results, labels, metrics), _IN_DETAIL)
    fitting = _fitting(results, metrics, len(labels))
    homes = [_populations(results, of) for of in (metrics, fitting)]
    short = _lines(results, labels, fitting, choice.systems)
    return MetricTable(
        _by_metric(results, labels, metrics, choice.systems),
        {
            "shown_systems": [system.label for system in choice.systems],
            "systems_said": systems_sentence([(f"metrics of {about}", choice)]),
            "populations": homes[0],
            "metrics_shown": len(fitting),
            "metrics_known": len(metrics),
        },
        choice.systems,
        group=lambda line: metric_head(results, line.metric, direction=True),
        compact=Compact(
            MetricLayout(
                tuple(
                    Column(m.id, metric_head(results, m, direction=True), "estimate", suffixes=SUFFIXES)
                    for m in fitting
                ),
                _label_columns(results, labels, fitting),
                row=lambda line, system: (system.id, _label_of(results, labels, line).id),
                column=lambda line, system: line.metric.id,
                group=lambda line, system: system.label if len(choice.systems) > 1 else "",
                by_system=True,
                detail=lambda line: False,
                marked=False,
            ),
            short,
            facts={"populations": homes[1]},
        ),
    )  # fmt: skip


def _of_labels(results: Results, labels: Sequence[Label], metrics: Sequence[MetricRecord]) -> list[Estimate]:
    """Return what was computed of metrics on labels, of all systems."""
    return records_of(_lines(results, labels, metrics, systems(results)))


def _labels(results: Results) -> list[Label]:
    """Return the labels that have a subset of their own, in their order."""
    return [label for label in results.labels if f"label={label.id}" in results.subset_by_id]


def _subset_of(results: Results, metric: MetricRecord, label: Label) -> str:
    """Return the subset of a label that a metric is on: its positive queries where the metric is about those."""
    home = results.home_subset(metric.id)
    return f"label={label.id}" if home == "all_queries" else f"label={label.id}/{home}"


def _on(results: Results, metric: MetricRecord, system: SystemRecord, label: Label) -> Estimate | None:
    return results.headline(metric.id, system.id, _subset_of(results, metric, label))


def _by_metric(
    results: Results, labels: Sequence[Label], metrics: Sequence[MetricRecord], of: Sequence[SystemRecord]
) -> list[MetricLine]:
    """Return each metric on each label, metric by metric."""
    found = [line for metric in metrics for line in _lines(results, labels, [metric], of)]
    return [line for line in found if line.subset in results.subset_by_id]


def _lines(
    results: Results, labels: Sequence[Label], metrics: Sequence[MetricRecord], of: Sequence[SystemRecord]
) -> list[MetricLine]:
    """Return each metric on each label, label by label."""
    return [
        MetricLine(
            metric, _subset_of(results, metric, label), tuple(_on(results, metric, system, label) for system in of)
        )
        for label in labels
        for metric in metrics
    ]


def _label_of(results: Results, labels: Sequence[Label], line: MetricLine) -> Label:
    return next(label for label in labels if _subset_of(results, line.metric, label) == line.subset)


def _label_columns(
    results: Results, labels: Sequence[Label], metrics: Sequence[MetricRecord], *, prevalence: bool = False
) -> Beside:
    """Return the label's name, its queries and, where there is a truth, the positive ones, and their share as a metric.

    The share is the same for all systems that were given the same queries.
    """
    columns = (
        Column("label", capital(results.units.label.one), "stub", width=1.8),
        Column("queries", capital(results.units.query.many), "count"),
        *((Column("positives", positives_head(results), "count"),) if states_truth(results) else ()),
        *((Column("prevalence", "Prevalence", "number"),) if prevalence else ()),
    )

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        label = _label_of(results, labels, line)
        subset = results.subset_by_id[f"label={label.id}"]
        keys = (notes.key(said),) if (said := _said(label)) else ()
        found = [Cell(label_name(label), notes=keys), count_cell(subset.n_queries)]
        found += [count_cell(subset.n_positive)] if states_truth(results) else []
        if prevalence:
            shares = [results.find("prevalence", one.id, subset.id, "pooled") for one in systems(results)]
            share = min((one for one in shares if one), key=lambda one: one.value is None, default=None)
            found.append(estimate_cell(share, notes, detail=False))
        return found

    return Beside(columns, cells)


def _said(label: Label) -> str:
    """Return what run.toml says of a label's type and whether it was trained on; empty where it says nothing."""
    trained = "" if label.trained is None else f"{'' if label.trained else 'not '}trained on"
    said = "; ".join(part for part in (label.type, trained) if part)
    return f"{capital(said)}." if said else ""


def _declared(results: Results, labels: Sequence[Label]) -> Beside:
    """Return a column of the labels' types, and one of whether they were trained on, where any is declared."""
    noun = capital(results.units.label.one)
    parts: list[tuple[Column, Callable[[Label], str]]] = []
    if any(label.type for label in labels):
        parts.append((Column("type", f"{noun} type", "text"), lambda label: label.type))
    if any(label.trained is not None for label in labels):
        parts.append((Column("trained", "Trained on", "text"), lambda label: _TRAINED[label.trained]))

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        label = _label_of(results, labels, line)
        return [Cell(text(label)) for _, text in parts]

    return Beside(tuple(column for column, _ in parts), cells)


def _leading(results: Results, labels: Sequence[Label]) -> list[MetricRecord]:
    """Return the first headline metric of each family that has values on labels; those computed elsewhere come last."""
    found = []
    for family in ("classification", "ranking", "supplied"):
        for metric in results.contract.headline:
            facts = results.metric_by_id.get(metric)
            if facts is None or facts.family != family or metric not in results.contract.primary:
                continue
            if any(_on(results, facts, system, label) for system in results.systems for label in labels):
                found.append(facts)
                break
    return found


def _between(results: Results, labels: Sequence[Label], metric: MetricRecord, choice: SystemChoice) -> dict[str, Any]:
    """Return the range of the first metric over labels, for the best of the systems that are shown."""
    order = ranking_on(results, metric.id)
    ranked = [results.system_by_id[one.system] for one in order.ranked] if order else []
    system = next((one for one in ranked if one in choice.systems), choice.systems[0])
    found = [(label, _on(results, metric, system, label)) for label in labels]
    defined = [(label, record) for label, record in found if record is not None and record.value is not None]
    ends: dict[str, Any] = {"metric": metric.name, "lowest": None}
    if len(defined) < 2:
        return ends
    ordered = sorted(defined, key=lambda pair: pair[1].value or 0.0)
    (low, lowest), (high, highest) = ordered[0], ordered[-1]
    ends |= {"low": label_name(low), "lowest": lowest, "high": label_name(high), "highest": highest}
    return ends | {"system": system.label, "n": len(defined)}


def _home(results: Results, metric: MetricRecord) -> str:
    """Return the queries that a metric is on: ``positive queries``."""
    return subset_name(results.subset_by_id[results.home_subset(metric.id) or "all_queries"])


def _fitting(results: Results, metrics: Sequence[MetricRecord], n_labels: int) -> Sequence[MetricRecord]:
    """Return the metrics that fit the page, those of the headline first.

    A table over several pages cannot be turned, so it holds fewer columns.
    """
    most = _WIDE if n_labels <= _ONE_PAGE else _NARROW
    kept = sorted(metrics, key=lambda metric: metric.id not in results.contract.headline)[:most]
    return [metric for metric in metrics if metric in kept]


def _populations(results: Results, metrics: Sequence[MetricRecord]) -> list[str]:
    homes = (results.subset_by_id[home].label.lower() for m in metrics if (home := results.home_subset(m.id)))
    return list(dict.fromkeys(homes))


TABLES = (
    TableDeclaration("per-label", "Results per label", "labels, and primary metrics on them", 58, _per_label),
    TableDeclaration(
        "per-label-classification",
        "Classification per label",
        "labels, and metrics of classification on them",
        60,
        _of_classification,
    ),
    TableDeclaration(
        "per-label-ranking", "Ranking and selection per label", "labels, and ranking metrics on them", 62, _of_ranking
    ),
)
