"""All systems on all headline metrics: a panel per metric, a row per system, each value with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.figures.drawing.data import VALUE_COLUMNS, training_column, value_row, with_trainings
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, ReferenceKind, dot_of
from reportgen.figures.drawing.words import Sketch
from reportgen.wording.captions import (
    drawn_level,
)
from reportgen.wording.heads import panel_head
from reportgen.wording.rankings import lead, ranking

ORDER = 5
OF_METRICS = True
_ACROSS = 3


@dataclass(frozen=True, slots=True)
class Measured:
    """One headline metric with a record per system, in the order of presentation."""

    metric: MetricRecord
    subset: str
    records: tuple[Estimate, ...]


def headline(results: Results) -> tuple[Measured, ...]:
    """Return the headline metrics that have a good end and at least one value, in the contract's order."""
    found = []
    for metric_id in results.contract.headline:
        metric, subset = results.metric_by_id.get(metric_id), results.home_subset(metric_id)
        if metric is None or subset is None or metric.direction == "none":
            continue
        records = [results.headline(metric_id, system.id, subset) for system in results.systems]
        known = tuple(record for record in records if record is not None)
        if any(record.value is not None for record in known):
            found.append(Measured(metric, subset, known))
    return tuple(found)


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the panels fill more than a page; nothing without a value."""
    measured = headline(results)
    figure = DotFigure(
        id="forest",
        title="Headline metrics of all systems",
        columns=(*VALUE_COLUMNS, "status", "n_queries", *training_column(results)),
        rows=partial(_rows, results),
        facts=partial(_facts, results, measured),
        note=partial(_note, results),
    )
    panels = [_panel(results, one) for one in measured]
    return figure.in_parts(results, results.by_id, panels, min(_ACROSS, len(panels)))


def _panel(results: Results, one: Measured) -> DotPanel:
    references: list[tuple[ReferenceKind, float]] = []
    if (chance := _chance(results, one)) is not None:
        references.append(("chance", chance))
    base = next((record for record in one.records if record.system == results.run.baseline), None)
    if base is not None and base.value is not None and len(one.records) > 1:
        references.append(("baseline", base.value))
    labels = [(results.system_by_id[record.system].label, record) for record in one.records]
    return DotPanel(
        title=panel_head(results, one.metric, one.subset),
        rows=tuple(DotRow((name,), (dot_of(results, record),), (record.display.value,)) for name, record in labels),
        references=tuple(references),
    )


def _of(measured: Sequence[Measured], shown: Sequence[Estimate]) -> list[Measured]:
    """Return the metrics that a part of the figure shows."""
    metrics = {record.metric for record in shown}
    return [one for one in measured if one.metric.id in metrics]


def _note(results: Results, shown: list[Estimate]) -> str:
    level = drawn_level(results, shown)
    return f"Values with {level} CI; arrows: the better direction" if level else "Arrows: the better direction"


def _rows(results: Results, record: Estimate) -> list[tuple[Value, ...]]:
    return with_trainings(results, record, lambda one: (*value_row(results, one), one.status, one.n.queries))


def _chance(results: Results, one: Measured) -> float | None:
    """Return the value without information: the metric's own, or the share of positives where that is it."""
    if one.metric.chance.startswith("prevalence"):
        shares = (results.headline(one.metric.chance, record.system, one.subset) for record in one.records)
        return next((share.value for share in shares if share is not None), None)
    try:
        return float(one.metric.chance)
    except ValueError:
        return None


def _facts(results: Results, measured: Sequence[Measured], shown: list[Estimate]) -> dict[str, Any]:
    here, first = _of(measured, shown), measured[0]
    return {
        "leads": lead(results, first.metric, first.records),
        "standings": [(one.metric.name, ranking(results, one.records)) for one in here],
        "n_systems": len({record.system for one in here for record in one.records}),
    }
