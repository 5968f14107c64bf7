"""The values of single folds beside their mean: how far a result depends on the split."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reportgen.domain.presentation import Figure, Shown, Value
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.figures.drawing.row_panels import Entry, Panel, RowPanels, entry_of, paged, paint, scaled
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.numbers import fixed
from reportgen.styles import load_tokens
from reportgen.wording.captions import absence_sentence, part_of, synthetic_sentence
from reportgen.wording.heads import grounds, panel_head
from reportgen.wording.text import Phrase, counted

ORDER = 60
_COLUMNS = 3
_HEAD = (
    "metric", "metric_name", "system", "system_label", "subset", "fold", "fold_label", "value", "mean", "sd", "sd_over",
)  # fmt: skip


def build(results: Results) -> tuple[Figure, ...]:
    """One figure, or several where the panels fill more than a page; nothing with fewer than two folds."""
    measured = _measured(results)
    if not measured:
        return ()
    panels = [
        scaled(Panel(panel_head(results, metric, records[0].subset), tuple(_entry(results, r) for r in records)))
        for metric, records in measured
    ]
    pages = paged(panels, min(_COLUMNS, len(panels)), Style.of(load_tokens()).height * POINTS_PER_INCH)
    return tuple(_figure(results, measured, page, at, len(pages)) for at, page in enumerate(pages, start=1))


def _measured(results: Results) -> list[tuple[MetricRecord, list[Estimate]]]:
    """The headline metrics with values of single folds, each with its systems' records."""
    found = []
    for metric in results.contract.headline:
        subset = results.home_subset(metric)
        systems = sorted(results.systems, key=lambda system: system.order)
        records = [results.find(metric, system.id, subset or "", "fold_mean") for system in systems]
        known = [record for record in records if record is not None]
        if any(len(_values(record)) > 1 for record in known):
            found.append((results.metric_by_id[metric], known))
    return found


def _values(record: Estimate) -> tuple[float, ...]:
    return tuple(fold.value for fold in record.folds if fold.value is not None)


def _entry(results: Results, record: Estimate) -> Entry:
    printed = f"{record.display.value} ({record.display.sd})" if record.display.sd else record.display.value
    parts = tuple(fold.value for fold in record.folds)
    return replace(entry_of(results, record, (printed,)), lower=None, upper=None, parts=parts, rows=len(parts))


def _figure(
    results: Results, measured: list[tuple[MetricRecord, list[Estimate]]], page: tuple[Panel, ...], at: int, of: int
) -> Figure:
    ids = tuple(entry.result for panel in page for entry in panel.entries)
    shown = [results.by_id[id_] for id_ in ids]
    folds = counted(len(results.folds), "fold", "folds")
    note = f"Circles: values of {folds}; bar: their mean, printed with the SD over folds in brackets"
    return Figure(
        id="per-fold" if at == 1 else f"per-fold-{at}",
        title=f"Headline metrics per fold{part_of(at, of)}",
        caption=_caption(results, measured, shown),
        alt=_alt(results, [pair for pair in measured if any(record.id in ids for record in pair[1])]),
        columns=_HEAD,
        rows=tuple(row for record in shown for row in _rows(results, record)),
        results=ids,
        draw=partial(paint, RowPanels(page, min(_COLUMNS, len(measured)), note, results.run.synthetic)),
        width="double",
    )


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


def _caption(results: Results, measured: list[tuple[MetricRecord, list[Estimate]]], shown: list[Estimate]) -> Phrase:
    ddof = results.contract.conventions["sd_ddof"]
    missing = sum(fold.value is None for record in shown if record.status == "ok" for fold in record.folds)
    rest = [
        f" Values of single folds and their unweighted mean {grounds(results, shown)}, ",
        f"with the standard deviation (SD) over folds (ddof {ddof}) in brackets; it is no confidence interval.",
        f" {counted(missing, 'fold value is', 'fold values are')} undefined and not drawn." if missing else "",
        absence_sentence(shown),
        synthetic_sentence(results),
    ]
    return (*_message(results, *measured[0]), "".join(rest))


def _message(results: Results, metric: MetricRecord, records: list[Estimate]) -> Phrase:
    """The system that varies most over folds on the first metric, from its lowest to its highest fold."""
    valued = [record for record in records if len(_values(record)) > 1]
    widest = max(valued, key=lambda record: max(_values(record)) - min(_values(record)))
    low, high = (fixed(pick(_values(widest)), widest.display.decimals) for pick in (min, max))
    label = results.system_by_id[widest.system].label
    most = " varies most over folds on " if len(valued) > 1 else " varies over folds on "
    return (f"{label}{most}{metric.name}, from ", Shown(low, widest.id), " to ", Shown(high, widest.id), ".")


def _alt(results: Results, measured: list[tuple[MetricRecord, list[Estimate]]]) -> str:
    parts = []
    for metric, records in measured:
        spans = [
            f"{results.system_by_id[record.system].label} {record.display.value}"
            f" ({fixed(min(_values(record)), record.display.decimals)} to "
            f"{fixed(max(_values(record)), record.display.decimals)})"
            for record in records
            if _values(record)
        ]
        parts.append(f"{metric.name}: {', '.join(spans)}.")
    return (
        f"Dot plot of the values of {counted(len(results.folds), 'fold', 'folds')} for each system, "
        f"{counted(len(measured), 'panel', 'panels')}. Means, with lowest and highest fold: {' '.join(parts)}"
    )
