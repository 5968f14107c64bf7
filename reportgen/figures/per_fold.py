"""The values of single folds beside their mean: how far a result depends on the split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from reportgen.domain.presentation import Shown, Value
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, dot_of
from reportgen.figures.drawing.words import Sketch
from reportgen.wording.heads import folds_counted, panel_head
from reportgen.wording.text import as_printed

ORDER = 60
OF_METRICS = True
_ACROSS = 3
_COLUMNS = (
    "metric", "metric_name", "system", "system_label", "subset", "fold", "fold_label", "value", "mean", "sd", "sd_over",
)  # fmt: skip

_Measured = tuple[MetricRecord, list[Estimate]]


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the panels fill more than a page; nothing with fewer than two folds."""
    measured = _measured(results)
    folds = f"{folds_counted(results)} folds"
    figure = DotFigure(
        id="per-fold",
        title="Headline metrics per fold",
        columns=_COLUMNS,
        rows=partial(_rows, results),
        facts=partial(_facts, results, measured),
        note=lambda _: f"Circles: values of {folds}; bar: their mean, printed with the SD over folds after it",
    )
    panels = [
        DotPanel(panel_head(results, metric, records[0].subset), tuple(_row(results, one) for one in records))
        for metric, records in measured
    ]
    return figure.in_parts(results, results.by_id, panels, min(_ACROSS, len(panels)))


def _measured(results: Results) -> list[_Measured]:
    """Return the headline metrics with values of single folds, each with its systems' records."""
    found = []
    for metric in results.contract.headline:
        subset = results.home_subset(metric)
        records = [results.find(metric, system.id, subset or "", "fold_mean") for system in results.systems]
        known = [record for record in records if record is not None]
        if any(len(_values(record)) > 1 for record in known):
            found.append((results.metric_by_id[metric], known))
    return found


def _values(record: Estimate) -> tuple[float, ...]:
    return tuple(fold.value for fold in record.folds if fold.value is not None)


def _row(results: Results, record: Estimate) -> DotRow:
    printed = f"{record.display.value} ({record.display.sd})" if record.display.sd else record.display.value
    folds = tuple(fold.value for fold in record.folds)
    dot = replace(dot_of(results, record), lower=None, upper=None, folds=folds, trainings=())
    return DotRow((results.system_by_id[record.system].label,), (dot,), (printed,))


def _rows(results: Results, record: Estimate) -> list[tuple[Value, ...]]:
    labels = {fold.id: fold.label for fold in results.folds}
    spread = next((sd for sd in record.sd if sd.over == "fold"), None)
    return [
        (
            record.metric, results.metric_by_id[record.metric].name, record.system,
            results.system_by_id[record.system].label, record.subset, fold.fold, labels[fold.fold], fold.value,
            record.value, spread.value if spread else None, "fold" if spread else None,
        )
        for fold in record.folds
    ]  # fmt: skip


def _facts(results: Results, measured: Sequence[_Measured], shown: list[Estimate]) -> dict[str, Any]:
    """Return the system that varies most over folds on the first metric, and the ends of every system on each."""
    valued = [record for record in measured[0][1] if len(_values(record)) > 1]
    widest = max(valued, key=lambda record: max(_values(record)) - min(_values(record)))
    here = [(metric, records) for metric, records in measured if any(record in shown for record in records)]
    spans = [
        (metric.name, [(record, *_ends(results, record)) for record in records if _values(record)])
        for metric, records in here
    ]
    low, high = (Shown(end, widest.id) for end in _ends(results, widest))
    missing = sum(fold.value is None for record in shown if record.status == "ok" for fold in record.folds)
    return {
        "widest": widest, "several": len(valued) > 1, "low": low, "high": high, "missing": missing, "spans": spans,
    }  # fmt: skip


def _ends(results: Results, record: Estimate) -> tuple[str, str]:
    low, high = (as_printed(results, record, pick(_values(record))) for pick in (min, max))
    return low, high
