"""A sweep over a parameter: each metric against it, a line for every setting of the other parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from math import nan
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.figures.drawing.curves import Series
from reportgen.figures.drawing.data import (
    VALUE_COLUMNS,
    bounds,
    training_column,
    value_row,
    with_trainings,
)
from reportgen.figures.drawing.layout import (
    fit_height,
    key_below,
    line_of,
    new_figure,
    note,
    show_rows,
    size_in_points,
)
from reportgen.figures.drawing.lettering import legible, text_width, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.styles import Tokens
from reportgen.wording.captions import drawn_level
from reportgen.wording.heads import panel_head

ORDER = 80
# What a sweep trades, then the contract's headline metrics; more panels than this say no more.
_FIRST, _MOST = ("evidence_recall", "avg_k[all]"), 6
_GRID_COLUMNS = 3
# More bands than this in one plot hide each other.
BANDS = 3
_COLUMNS = (*VALUE_COLUMNS[:4], "parameter", "setting", "others", *VALUE_COLUMNS[4:])


@dataclass(frozen=True, slots=True)
class SweepPanel:
    """One metric: its head with n, its lines, and the baseline's value if it is not part of the sweep."""

    title: str
    lines: tuple[Series, ...]
    """The settings that share all other parameters, in rising order; NaN where there is no value."""
    baseline: float | None


@dataclass(frozen=True, slots=True)
class SweepData:
    """All that is drawn."""

    panels: tuple[SweepPanel, ...]
    parameter: str
    ticks: tuple[tuple[float, str], ...]
    note: str
    synthetic: bool


@dataclass(frozen=True, slots=True)
class _Swept:
    """The parameter on the axis, and each system's setting of it and of all others."""

    parameter: str
    systems: tuple[tuple[SystemRecord, float, str], ...]

    @property
    def groups(self) -> tuple[str, ...]:
        """The settings of the other parameters, in order of first appearance."""
        return tuple(dict.fromkeys(others for _, _, others in self.systems))


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure; nothing where no numeric parameter has two settings or no metric has two values."""
    swept = _swept(results)
    measured = _measured(results, swept) if swept else []
    if swept is None or not measured:
        return ()
    shown = [record for _, records in measured for record in records.values()]
    level = drawn_level(results, shown)
    plotted = [
        (records[system.id], x, others)
        for _, records in measured
        for system, x, others in swept.systems
        if system.id in records
    ]
    rows_of = {
        record.id: with_trainings(results, record, partial(_row, results, swept.parameter, x, others))
        for record, x, others in plotted
    }
    starts = accumulate(map(len, rows_of.values()), initial=0)
    rows = dict(zip(rows_of, starts, strict=False))
    data = SweepData(
        panels=tuple(_panel(results, swept, metric, records, rows) for metric, records in measured),
        parameter=swept.parameter,
        ticks=tuple(sorted({(x, str(system.params[swept.parameter])) for system, x, _ in swept.systems})),
        note=f"Bands: {level} CI" if level and len(swept.groups) <= BANDS else "",
        synthetic=results.run.synthetic,
    )
    return (
        Sketch(
            id="sweep",
            title=f"Sweep over {swept.parameter}",
            columns=(*_COLUMNS, *training_column(results)),
            rows=tuple(row for of_record in rows_of.values() for row in of_record),
            results=tuple(record.id for record in shown),
            draw=partial(paint, data),
            width="double",
            facts=_facts(results, swept, measured, shown),
        ),
    )


def _row(results: Results, parameter: str, x: float, others: str, record: Estimate) -> tuple[Value, ...]:
    """Return the data of a setting, or of one of its trainings."""
    row = value_row(results, record)
    return (*row[:4], parameter, x, others, *row[4:])


def _swept(results: Results) -> _Swept | None:
    """Return the numeric parameter with the most settings (the first of equals), over the systems that have it."""
    systems = [system for system in results.systems if system.params]
    settings = {
        name: {x for system in systems if (x := _number(system, name)) is not None}
        for name in dict.fromkeys(name for system in systems for name in system.params)
    }
    parameter = max(settings, key=lambda name: len(settings[name]), default=None)
    if parameter is None or len(settings[parameter]) < 2:
        return None
    others = [name for name in settings if name != parameter and len({str(s.params.get(name)) for s in systems}) > 1]
    found = [
        (system, x, ", ".join(f"{name} = {system.params[name]}" for name in others if name in system.params))
        for system in systems
        if (x := _number(system, parameter)) is not None
    ]
    return _Swept(parameter, tuple(sorted(found, key=lambda one: (one[1], one[0].order))))


def _number(system: SystemRecord, name: str) -> float | None:
    value = system.params.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _measured(results: Results, swept: _Swept) -> list[tuple[MetricRecord, dict[str, Estimate]]]:
    """Return the metrics that differ between settings, each with its records by system."""
    found = []
    for metric in dict.fromkeys((*_FIRST, *results.contract.headline)):
        subset = results.home_subset(metric)
        if subset is None or metric not in results.metric_by_id:
            continue
        records = {
            system.id: record
            for system, _, _ in swept.systems
            if (record := results.headline(metric, system.id, subset)) is not None
        }
        if len({record.value for record in records.values() if record.value is not None}) > 1:
            found.append((results.metric_by_id[metric], records))
    return found[:_MOST]


def _panel(
    results: Results, swept: _Swept, metric: MetricRecord, records: dict[str, Estimate], rows: dict[str, int]
) -> SweepPanel:
    subset = next(iter(records.values())).subset
    lines = []
    for at, group in enumerate(swept.groups):
        chosen = [(x, records[s.id]) for s, x, others in swept.systems if others == group and s.id in records]
        if not chosen:
            continue
        values = [(record.value, *bounds(record)) for _, record in chosen]
        y, lower, upper = (tuple(nan if n is None else n for n in column) for column in zip(*values, strict=True))
        numbers = tuple(rows[record.id] for _, record in chosen)
        trainings = tuple(
            ((x,), (one.value,), (rows[record.id] + place,))
            for x, record in chosen
            for place, one in enumerate(record.seeds, start=1)
            if one.value is not None
        )
        lines.append(Series(group, at, tuple(x for x, _ in chosen), y, lower, upper, (), "", numbers, trainings))
    base = results.run.baseline
    record = results.headline(metric.id, base, subset) if base and base not in records else None
    return SweepPanel(panel_head(results, metric, subset), tuple(lines), record.value if record else None)


def _facts(
    results: Results, swept: _Swept, measured: list[tuple[MetricRecord, dict[str, Estimate]]], shown: list[Estimate]
) -> dict[str, Any]:
    base = results.run.baseline
    ends = [(metric.name, *((end, _setting(swept, end.system)) for end in _ends(of))) for metric, of in measured]
    return {
        "parameter": swept.parameter,
        "ends": ends,
        "settings": len(swept.systems),
        "n_lines": len(swept.groups),
        "bands": len(swept.groups) <= BANDS,
        "baseline_drawn": base is not None and base not in {system.id for system, _, _ in swept.systems},
        "shown": shown,
    }


def _ends(records: dict[str, Estimate]) -> tuple[Estimate, Estimate]:
    valued = [record for record in records.values() if record.value is not None]
    low, high = (pick(valued, key=lambda record: record.value or 0.0) for pick in (min, max))
    return low, high


def _setting(swept: _Swept, system_id: str) -> str:
    system, _, others = next(one for one in swept.systems if one[0].id == system_id)
    return f"{swept.parameter} = {system.params[swept.parameter]}{f', {others}' if others else ''}"


@styled
def paint(data: SweepData, tokens: Tokens) -> MatplotlibFigure:
    """Draw a panel per metric over the same axis of settings."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    columns = min(_GRID_COLUMNS, len(data.panels))
    rows = -(-len(data.panels) // columns)
    height = width / _GRID_COLUMNS * 0.72
    figure = new_figure(style.double, (rows * height + 40) / POINTS_PER_INCH, gap=0.05)
    grid = figure.subplots(rows, columns, squeeze=False)
    flat = list(grid.flat)
    parameter = wrapped(legible(data.parameter, tokens), width / columns - 40, style.size, tokens)
    for axes, panel in zip(flat, data.panels, strict=False):
        _lines(axes, panel, style)
        axes.set_xlabel(parameter)
        _ticks(axes, data.ticks, width / columns, style, tokens)
        axes.set_title(wrapped(legible(panel.title, tokens), width / columns - 24, style.size, tokens), linespacing=1.1)
    for axes in islice(flat, len(data.panels), None):
        axes.set_visible(False)
    note(figure, data.note, style, synthetic=data.synthetic)
    lines = data.panels[0].lines
    if len(lines) > 1:
        handles = [line_of(style.mark(line.order), style) for line in lines]
        key_below(figure, handles, [line.name for line in lines], style, tokens)
    fit_height(figure, lambda: rows * (height * 0.7 - size_in_points(flat[0])[1]))
    return figure


def _lines(axes: Axes, panel: SweepPanel, style: Style) -> None:
    if panel.baseline is not None:
        axes.axhline(panel.baseline, color=style.rule, linewidth=0.8, linestyle=(0.0, (1.0, 1.6)), zorder=1.5,
                     label="_baseline")  # fmt: skip
    for line in panel.lines:
        mark = style.mark(line.order)
        if len(line.x) == 1:
            # A band of one setting has no width.
            axes.plot(line.x * 2, (*line.lower, *line.upper), color=mark.colour, label="_interval")
        elif len(panel.lines) <= BANDS:
            axes.fill_between(line.x, line.lower, line.upper, color=mark.colour, alpha=style.band, linewidth=0,
                              zorder=1.8)  # fmt: skip
        # NaN breaks the line where a setting has no value.
        (drawn,) = axes.plot(line.x, line.y, color=mark.colour, linestyle=mark.dash, zorder=2.2, marker=mark.marker,
                             markeredgecolor=style.surface, markeredgewidth=0.4,
                             label=line.name or "settings")  # fmt: skip
        show_rows(drawn, line.rows)
        for xs, ys, own in line.trainings:
            (point,) = axes.plot(xs, ys, linestyle="", marker=mark.marker, markersize=0.75 * style.marker,
                                 markerfacecolor="none", markeredgecolor=mark.colour, markeredgewidth=0.7,
                                 label="_training", zorder=2.1)  # fmt: skip
            show_rows(point, own)


def _ticks(axes: Axes, ticks: Sequence[tuple[float, str]], room: float, style: Style, tokens: Tokens) -> None:
    """Write the settings as the run spells them, where there is room for all of them."""
    texts = [legible(text, tokens) for _, text in ticks]
    if sum(text_width(text, style.small, tokens) + 6 for text in texts) <= room * 0.7:
        axes.set_xticks([x for x, _ in ticks], texts)
