"""Every label on a row of its own: a headline metric of classification and one of ranking, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, Label, MetricRecord, Results, SystemRecord
from reportgen.figures.drawing.curves import OVERLAY
from reportgen.figures.drawing.data import training_column, value_row, with_trainings
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, dot_of
from reportgen.figures.drawing.words import Sketch
from reportgen.float_selection import SystemChoice, chosen_systems, systems_sentence
from reportgen.numbers import count
from reportgen.wording.captions import drawn_level
from reportgen.wording.heads import label_name, over_folds, subset_name
from reportgen.wording.rankings import ranking

ORDER = 30
# A panel for each population: classification is of all queries of a label, ranking of its positive ones.
_POPULATIONS = {"": "all_queries", "/positives_only": "positives_only"}
_COLUMNS = (
    "label", "label_name", "metric", "system", "system_label", "subset", "aggregation", "value", "lower", "upper",
    "n_queries", "n_positive",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Measured:
    """One metric with the records of each label, of the systems that are shown."""

    metric: MetricRecord
    title: str
    aggregation: str
    choice: SystemChoice
    records: tuple[tuple[Estimate, ...], ...]
    """For each label, in the order of the systems."""

    @property
    def systems(self) -> tuple[SystemRecord, ...]:
        """Return the systems that are shown."""
        return self.choice.systems

    @property
    def chance(self) -> float | None:
        """Return the chance level where it is one number for all labels; ``prevalence`` is not."""
        try:
            return float(self.metric.chance)
        except ValueError:
            return None

    def valued(self, shown: Sequence[Estimate]) -> list[list[Estimate]]:
        """Return the records with a value among those shown, label by label; labels without one are left out."""
        ids = {record.id for record in shown if record.value is not None}
        found = ([record for record in records if record.id in ids] for records in self.records)
        return [records for records in found if records]


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the labels fill more than a page; nothing without labels or values."""
    return of_labels(results, "per-label")


def of_labels(results: Results, id: str, *, bars: bool = False) -> tuple[Sketch, ...]:
    """Return the figure under this id, with a dot or a bar for each value."""
    measured = [found for end in _POPULATIONS if (found := _measured(results, end))]
    figure = DotFigure(
        id=id,
        title=f"Metrics per {results.units.label.one}",
        columns=(*_COLUMNS, *training_column(results)),
        rows=lambda record: with_trainings(results, record, partial(_data, results)),
        facts=partial(_facts, results, measured, bars=bars),
        note=lambda shown: f"Values with {level} CI" if (level := drawn_level(results, shown)) else "",
    )
    drawn = [system for system in results.systems if any(system in found.systems for found in measured)]
    panels = [_panel(results, found, last=found is measured[-1]) for found in measured]
    key = tuple((system.label, system.order) for system in drawn)
    return figure.in_parts(results, results.by_id, panels, len(panels), key=key, bars=bars)


def _measured(results: Results, end: str) -> _Measured | None:
    """Return the first headline metric that labels have values of on a population."""
    for metric_id in results.contract.headline:
        metric = results.metric_by_id.get(metric_id)
        if metric is None or metric.direction == "none":
            continue
        for aggregation in dict.fromkeys((results.headline_aggregation, "pooled")):
            found = {
                system.id: [
                    record
                    for label in results.labels
                    if (record := results.find(metric_id, system.id, f"label={label.id}{end}", aggregation))
                ]
                for system in results.systems
            }
            if any(record.value is not None for records in found.values() for record in records):
                return _of_systems(results, metric, _POPULATIONS[end], aggregation, found)
    return None


def _of_systems(
    results: Results, metric: MetricRecord, whole: str, aggregation: str, found: dict[str, list[Estimate]]
) -> _Measured:
    choice = chosen_systems(results, metric.id, [one for records in found.values() for one in records], OVERLAY)
    subset = results.subset_by_id.get(whole)
    by_label = {(results.subset_by_id[r.subset].slice, r.system): r for records in found.values() for r in records}
    return _Measured(
        metric,
        f"{metric.name} ({subset_name(subset) if subset is not None else results.units.query.many})",
        aggregation,
        choice,
        tuple(
            tuple(record for s in choice.systems if (record := by_label.get((f"label={label.id}", s.id))))
            for label in results.labels
        ),
    )


def _panel(results: Results, found: _Measured, *, last: bool) -> DotPanel:
    rows = zip(results.labels, found.records, strict=True)
    return DotPanel(
        title=found.title,
        rows=tuple(
            DotRow(
                (label_name(label),),
                tuple(dot_of(results, record) for record in records),
                (_sizes(results, label),) if last else (),
            )
            for label, records in rows
        ),
        references=() if found.chance is None else (("chance", found.chance),),
        heads=("positive / all",) if last else (),
    )


def _sizes(results: Results, label: Label) -> str:
    subset = results.subset_by_id.get(f"label={label.id}")
    return f"{count(subset.n_positive)} / {count(subset.n_queries)}" if subset else ""


def _data(results: Results, record: Estimate) -> tuple[Value, ...]:
    label, row = _label(results, record), value_row(results, record)
    return (label.id, label_name(label), row[0], *row[2:], record.n.queries, record.n.positives)


def _label(results: Results, record: Estimate) -> Label:
    label_id = results.subset_by_id[record.subset].slice.removeprefix("label=")
    return next(label for label in results.labels if label.id == label_id)


def _on(results: Results, record: Estimate) -> str:
    return label_name(_label(results, record))


def _facts(results: Results, measured: Sequence[_Measured], shown: list[Estimate], *, bars: bool) -> dict[str, Any]:
    messages = [message for found in measured if (message := _message(results, found, shown))]
    if len(messages) == 2 and messages[0].get("names") and messages[0]["names"] == messages[1].get("names"):
        messages[1] = {**messages[1], "joined": True}  # the systems are named once
    ends = []
    for found in measured:
        valued = [record for records in found.valued(shown) for record in records]
        picked = [pick(valued, key=lambda record: record.value or 0.0) for pick in (min, max)] if valued else []
        ends.append((found.metric.name, [(record, _on(results, record)) for record in picked]))
    aggregations = (over_folds(results, found.aggregation) for found in measured)
    return {
        "bars": bars,
        "messages": messages,
        "titles": [found.title for found in measured],
        "aggregations": list(dict.fromkeys(text for text in aggregations if text)),
        "systems_said": systems_sentence((one.metric.name, one.choice) for one in measured),
        "ends": ends,
        "n_labels": len({results.subset_by_id[record.subset].slice for record in shown}),
        "n_systems": len({record.system for record in shown}),
    }


def _message(results: Results, found: _Measured, shown: Sequence[Estimate]) -> dict[str, Any]:
    """Return who leads on how many labels, by printed value (ties count for each); for one system the range."""
    per_label = found.valued(shown)
    if not per_label:
        return {}
    said: dict[str, Any] = {"metric": found.metric.name, "n": len(per_label), "joined": False}
    if len({record.system for valued in per_label for record in valued}) == 1:
        records = [valued[0] for valued in per_label]
        low, high = (pick(records, key=lambda record: record.value or 0.0) for pick in (min, max))
        return said | {"low": low, "on_low": _on(results, low), "high": high, "on_high": _on(results, high)}
    leads: dict[str, int] = {}
    for valued in per_label:
        order = ranking(results, valued)
        for record in order.best if order else ():
            leads[record.system] = leads.get(record.system, 0) + 1
    most = max(leads.values())
    labels = len({record.subset for records in found.records for record in records if record in shown})
    return said | {
        "names": [system.label for system in results.systems if leads.get(system.id) == most],
        "superlative": "lowest" if found.metric.direction == "lower" else "highest",
        "most": most,
        "some": len(per_label) < labels,
    }
