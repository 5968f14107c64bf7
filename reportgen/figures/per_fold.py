"""The values of single folds beside their mean: how far a result depends on the split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from reportgen.domain.presentation import Figure, Shown, Value
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, ReferenceKind, dot_of
from reportgen.wording.captions import absence_sentence, synthetic_sentence
from reportgen.wording.conventions import doubt
from reportgen.wording.heads import folds_counted, grounds, panel_head
from reportgen.wording.text import Phrase, as_printed, counted

ORDER = 60
_ACROSS = 3
_COLUMNS = (
    "metric", "metric_name", "system", "system_label", "subset", "fold", "fold_label", "value", "mean", "sd", "sd_over",
)  # fmt: skip

_Measured = tuple[MetricRecord, list[Estimate]]


def build(results: Results) -> tuple[Figure, ...]:
    """Return one figure, or several where the panels fill more than a page; nothing with fewer than two folds."""
    measured = _measured(results)
    folds = f"{folds_counted(results)} folds"
    figure = DotFigure(
        id="per-fold",
        title="Headline metrics per fold",
        columns=_COLUMNS,
        rows=partial(_rows, results),
        caption=partial(_caption, results, measured),
        alt=partial(_alt, results, measured),
        note=lambda _: f"Circles: values of {folds}; bar: their mean, printed with the SD over folds after it",
    )
    panels = [
        DotPanel(panel_head(results, metric, records[0].subset), tuple(_row(results, one) for one in records))
        for metric, records in measured
    ]
    return figure.in_parts(results, results.by_id, panels, min(_ACROSS, len(panels)))


def _measured(results: Results) -> list[_Measured]:
    """The headline metrics with values of single folds, each with its systems' records."""
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


def _caption(
    results: Results, measured: Sequence[_Measured], shown: list[Estimate], lines: set[ReferenceKind]
) -> Phrase:
    ddof = results.contract.conventions["sd_ddof"]
    missing = sum(fold.value is None for record in shown if record.status == "ok" for fold in record.folds)
    rest = [
        f" Values of single folds and their unweighted mean {grounds(results, shown)}, ",
        f"with the standard deviation (SD) over folds (ddof {ddof}) after it, which says how much folds differ."
        f"{doubt(results, 'sd_ddof')}",
        f" {counted(missing, 'fold value is', 'fold values are')} undefined and not drawn." if missing else "",
        absence_sentence(shown),
        synthetic_sentence(results),
    ]
    return (*_message(results, *measured[0]), "".join(rest))


def _message(results: Results, metric: MetricRecord, records: list[Estimate]) -> Phrase:
    """The system that varies most over folds on the first metric, from its lowest to its highest fold."""
    valued = [record for record in records if len(_values(record)) > 1]
    widest = max(valued, key=lambda record: max(_values(record)) - min(_values(record)))
    low, high = (as_printed(results, widest, pick(_values(widest))) for pick in (min, max))
    label = results.system_by_id[widest.system].label
    most = " varies most over folds on " if len(valued) > 1 else " varies over folds on "
    return (f"{label}{most}{metric.name}, from ", Shown(low, widest.id), " to ", Shown(high, widest.id), ".")


def _alt(results: Results, measured: Sequence[_Measured], shown: list[Estimate]) -> str:
    parts = []
    here = [(metric, records) for metric, records in measured if any(record in shown for record in records)]
    for metric, records in here:
        spans = [
            f"{results.system_by_id[record.system].label} {record.display.value}"
            f" ({as_printed(results, record, min(_values(record)))} to "
            f"{as_printed(results, record, max(_values(record)))})"
            for record in records
            if _values(record)
        ]
        parts.append(f"{metric.name}: {', '.join(spans)}.")
    return (
        f"Dot plot of the values of {folds_counted(results)} folds for each system, "
        f"{counted(len(here), 'panel', 'panels')}. Means, with lowest and highest fold: {' '.join(parts)}"
    )
