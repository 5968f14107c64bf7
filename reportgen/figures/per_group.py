"""Every group of queries on a row of its own, below all queries: a panel per metric, each value with its interval."""

from __future__ import annotations

from functools import partial
from typing import Any

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, MetricRecord, Results, SubsetRecord
from reportgen.figures.drawing.curves import OVERLAY
from reportgen.figures.drawing.data import VALUE_COLUMNS, training_column, value_row, with_trainings
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, dot_of
from reportgen.figures.drawing.layout import columns_of
from reportgen.figures.drawing.words import Sketch
from reportgen.float_selection import SystemChoice, chosen_systems, systems_sentence
from reportgen.wording.captions import drawn_level
from reportgen.wording.groups import shown_of_groups
from reportgen.wording.heads import arrow, slice_name
from reportgen.wording.text import capital

ORDER = 32


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the panels fill more than a page; nothing without groups."""
    heads = shown_of_groups(results)
    groups = [subset for subset in results.subsets if subset.grouping is not None]
    every = [record for record in results.results if record.metric in heads and record.aggregation == "pooled"]
    if not every:
        return ()
    choice = chosen_systems(results, next(iter(heads)), every, OVERLAY)
    panels = [_panel(results, results.metric_by_id[id], head, groups, choice) for id, head in heads.items()]
    figure = DotFigure(
        id="per-group",
        title="Metrics per group",
        columns=(*VALUE_COLUMNS, "n_queries", *training_column(results)),
        rows=lambda record: with_trainings(results, record, partial(_row, results)),
        facts=partial(_facts, results, choice),
        note=lambda shown: f"Values with {level} CI" if (level := drawn_level(results, shown)) else "",
    )
    key = tuple((system.label, system.order) for system in choice.systems)
    return figure.in_parts(results, results.by_id, panels, columns_of(len(panels)), key=key)


def _panel(
    results: Results, metric: MetricRecord, head: str, groups: list[SubsetRecord], choice: SystemChoice
) -> DotPanel:
    found = [
        (one, [results.find(metric.id, system.id, one.id, "pooled") for system in choice.systems]) for one in groups
    ]
    of_metric = [(one, known) for one, records in found if (known := [record for record in records if record])]
    whole = results.subset_by_id[of_metric[0][0].population]
    of_whole = [record for s in choice.systems if (record := results.find(metric.id, s.id, whole.id, "pooled"))]
    return DotPanel(
        title=f"{head}{arrow(metric)}",
        rows=tuple(
            DotRow((_name(results, subset),), tuple(dot_of(results, record) for record in records))
            for subset, records in [(whole, of_whole), *of_metric]
        ),
    )


def _name(results: Results, subset: SubsetRecord) -> str:
    return capital(slice_name(results, subset)) if subset.grouping is not None else subset.label


def _row(results: Results, record: Estimate) -> tuple[Value, ...]:
    return (*value_row(results, record), record.n.queries)


def _facts(results: Results, choice: SystemChoice, shown: list[Estimate]) -> dict[str, Any]:
    metrics = {record.metric: results.metric_by_id[record.metric] for record in shown}
    subsets = {record.subset: results.subset_by_id[record.subset] for record in shown}
    ends = []
    for id, metric in metrics.items():
        valued = [record for record in shown if record.metric == id and record.value is not None]
        picked = [pick(valued, key=lambda record: record.value or 0.0) for pick in (min, max)] if valued else []
        ends.append((metric.name, [(record, _name(results, subsets[record.subset])) for record in picked]))
    return {
        "titles": [results.metric_by_id[id].name for id in metrics],
        "groupings": [one.title for one in results.groupings],
        "n_groups": sum(subset.grouping is not None for subset in subsets.values()),
        "systems_said": systems_sentence([(next(iter(metrics.values())).name, choice)]),
        "n_systems": len(choice.systems),
        "ends": ends,
    }
