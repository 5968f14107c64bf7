"""What a threshold on the probability gives on TUNE: sensitivity, precision and workload against the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.lines import Line2D

from reportgen.domain.presentation import Value
from reportgen.domain.record import Results, ThresholdSweep
from reportgen.figures.drawing.data import missing_systems, training_column
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid, free_share, key, show_rows, unit_ticks
from reportgen.figures.drawing.style import LineStyle, Style
from reportgen.figures.drawing.sweeps import (
    InUse,
    denominator,
    highest_with_sensitivity,
    in_use,
    least_first,
    sweeps_of,
    target_of,
)
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import significant
from reportgen.styles import Tokens
from reportgen.wording.text import percent

ORDER = 45
_SHARE = 0.8
_LINES: tuple[tuple[str, str, LineStyle], ...] = (
    ("sensitivity", "sensitivity (of \u03c4 NEG: screening)", "-"),
    ("precision", "precision (of \u03c4 POS: alerts)", (0.0, (5.0, 1.6))),
    ("share_reached", "share that reaches \u03c4 (of \u03c4 NEG: workload)", (0.0, (1.2, 1.4))),
)
_MARKS = (("tau_neg", "\u03c4 NEG of a fold", "<"), ("tau_pos", "\u03c4 POS of a fold", ">"))


@dataclass(frozen=True, slots=True)
class Swept:
    """One system: thresholds, the three measures along them (None is a gap), and the thresholds in use."""

    order: int
    x: tuple[float, ...]
    lines: tuple[tuple[float | None, ...], ...]
    used: InUse
    row: int
    """The first of the figure's rows that show it; those of its trainings follow."""
    trainings: tuple[tuple[tuple[float | None, ...], ...], ...] = ()
    """The three measures of each training, for a system whose measures are their means."""


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the threshold curves, or nothing if no system has a TUNE split."""
    sweeps = sweeps_of(results)
    if not sweeps:
        return ()
    labels = [results.system_by_id[sweep.system].label for sweep in sweeps]
    starts = accumulate((len(sweep.thresholds) * (1 + len(sweep.seeds)) for sweep in sweeps), initial=0)
    systems = tuple(_swept(results, sweep, row) for row, sweep in zip(starts, sweeps, strict=False))
    marks = [any(getattr(system.used, name) for system in systems) for name, *_ in _MARKS]
    data = PanelGrid(
        Panels(
            heads=tuple((label, "") for label in labels),
            share=free_share(_SHARE, len(labels)),
            x_label="Threshold \u03c4",
            y_label="Share",
            note=denominator(results, sweeps),
            synthetic=results.run.synthetic,
        ),
        systems,
        _lines,
        partial(_complete, marks),
    )
    return (
        Sketch(
            id="threshold-curve",
            title="Thresholds on TUNE",
            columns=(
                "system",
                "label",
                "split",
                "aggregation",
                "threshold",
                "sensitivity",
                "precision",
                "share_reached",
                *training_column(results),
            ),
            rows=tuple(row for sweep in sweeps for row in _rows(results, sweep)),
            results=tuple(sweep.id for sweep in sweeps),
            draw=drawn_grid(data),
            width=data.panels.width,
            facts={"marks": any(marks), **_facts(results, sweeps)},
        ),
    )


def _swept(results: Results, sweep: ThresholdSweep, row: int) -> Swept:
    (lines, _), *trainings = _measures(results, sweep)
    order = results.system_by_id[sweep.system].order
    used = in_use(results, sweep.system)
    return Swept(order, sweep.thresholds, lines, used, row, tuple(of for of, _ in trainings))


def _measures(
    results: Results, sweep: ThresholdSweep
) -> list[tuple[tuple[tuple[float | None, ...], ...], tuple[Value, ...]]]:
    """Return the three measures, then those of the single trainings, each with the cell that tells them apart."""
    mean: tuple[Value, ...] = (None,) if training_column(results) else ()
    return [
        ((sweep.sensitivity, sweep.precision, sweep.share_reached), mean),
        *(((one.sensitivity, one.precision, one.share_reached), (one.seed,)) for one in sweep.seeds),
    ]


def _rows(results: Results, sweep: ThresholdSweep) -> list[tuple[Value, ...]]:
    label = results.system_by_id[sweep.system].label
    return [
        (sweep.system, label, sweep.split, sweep.aggregation, *values, *training)
        for measures, training in _measures(results, sweep)
        for values in zip(sweep.thresholds, *measures, strict=True)
    ]


def _facts(results: Results, sweeps: Sequence[ThresholdSweep]) -> dict[str, Any]:
    """Return which share of the queries is left to read if the target of the screening sensitivity is kept."""
    target = target_of(results, "tau_neg")
    at = {sweep.system: highest_with_sensitivity(sweep, target) for sweep in sweeps}
    found = {s.system: s.share_reached[i] or 0.0 for s in sweeps if (i := at[s.system]) is not None}
    kept = [
        (
            results.system_by_id[sweep.system].label,
            "" if (place := at[sweep.system]) is None else significant(sweep.thresholds[place], 2),
        )
        for sweep in sweeps
    ]
    return {
        "target": percent(target),
        "least": least_first(results, found) if found else "",
        "on_what": denominator(results, sweeps),
        "sweeps": sweeps,
        "missing": missing_systems(results, "auroc", {sweep.system for sweep in sweeps}),
        "kept": kept,
    }


def _lines(axes: Axes, system: Swept, style: Style) -> None:
    colour = style.mark(system.order).colour
    for (name, _, dash), values in zip(_LINES, system.lines, strict=True):
        heights = [float("nan") if value is None else value for value in values]
        (line,) = axes.plot(system.x, heights, color=colour, linestyle=dash, label=name, zorder=2.2)
        show_rows(line, range(system.row, system.row + len(system.x)))
    row = system.row
    for measures in system.trainings:
        row += len(system.x)
        for (_, _, dash), values in zip(_LINES, measures, strict=True):
            heights = [float("nan") if value is None else value for value in values]
            (line,) = axes.plot(system.x, heights, color=colour, linestyle=dash, linewidth=0.5 * style.context_line,
                                label="_training", zorder=1.9)  # fmt: skip
            show_rows(line, range(row, row + len(system.x)))
    for name, _, marker in _MARKS:
        values = getattr(system.used, name)
        axes.plot(values, [0.0] * len(values), linestyle="", marker=marker, markersize=style.marker, color=style.muted,
                  markerfacecolor="none", markeredgewidth=0.7, label=f"_{name}", zorder=2.4)  # fmt: skip


def _complete(marks: Sequence[bool], figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens) -> None:
    """Set the scales, and a key of the lines and of the thresholds in use that some system has."""
    every[0].set(xlim=(-0.01, 1.01), ylim=(-0.03, 1.03))
    unit_ticks(every[0])
    handles = [Line2D([], [], color=style.muted, linestyle=dash, linewidth=style.line) for *_, dash in _LINES]
    shown = [mark for mark, has in zip(_MARKS, marks, strict=True) if has]
    handles += [
        Line2D([], [], color=style.muted, linestyle="", marker=marker, markerfacecolor="none",
               markersize=style.marker, markeredgewidth=0.7)
        for *_, marker in shown
    ]  # fmt: skip
    names = [name for _, name, *_ in (*_LINES, *shown)]
    key(figure, handles, names, style, "outside lower left", ncols=1 if len(every) == 1 else 3)
