"""What a threshold on the probability gives on TUNE: sensitivity, precision and workload against the threshold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.lines import Line2D

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Results, ThresholdSweep
from reportgen.figures.drawing.panels import Panels, columns_of, finish, panel_grid
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import LineStyle, Style, styled
from reportgen.figures.drawing.sweeps import (
    InUse,
    denominator,
    highest_with_sensitivity,
    in_use,
    share_text,
    sweeps_of,
    target_of,
)
from reportgen.numbers import percent, significant
from reportgen.styles import Tokens
from reportgen.wording.captions import synthetic_sentence
from reportgen.wording.text import SPACE, Phrase, counted

ORDER = 45
_SHARE = 0.8
# More systems than this are not told one by one.
_NAMED = 3
_LINES: tuple[tuple[str, str, LineStyle], ...] = (
    ("sensitivity", "sensitivity (of \u03c4_neg: screening)", "-"),
    ("precision", "precision (of \u03c4_pos: alerts)", (0.0, (5.0, 1.6))),
    ("share_reached", "share that reaches \u03c4 (of \u03c4_neg: workload)", (0.0, (1.2, 1.4))),
)
_MARKS = (("tau_neg", "\u03c4_neg of a fold", "<"), ("tau_pos", "\u03c4_pos of a fold", ">"))


@dataclass(frozen=True, slots=True)
class Swept:
    """One system: thresholds, the three measures along them (None is a gap), and the thresholds in use."""

    order: int
    x: tuple[float, ...]
    lines: tuple[tuple[float | None, ...], ...]
    used: InUse
    row: int
    """The first of the figure's rows that show it."""


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: Panels
    systems: tuple[Swept, ...]


def build(results: Results) -> tuple[Figure, ...]:
    """The threshold curves, or nothing if no system has a TUNE split."""
    sweeps = sweeps_of(results)
    if not sweeps:
        return ()
    labels = [results.system_by_id[sweep.system].label for sweep in sweeps]
    starts = accumulate((len(sweep.thresholds) for sweep in sweeps), initial=0)
    data = ThresholdCurve(
        panels=Panels(
            heads=tuple((label, "") for label in labels),
            columns=columns_of(len(sweeps)),
            share=_SHARE,
            x_label="Threshold \u03c4",
            y_label="Share",
            note=denominator(results, sweeps),
            synthetic=results.run.synthetic,
        ),
        systems=tuple(_swept(results, sweep, row) for row, sweep in zip(starts, sweeps, strict=False)),
    )
    return (
        Figure(
            id="threshold-curve",
            title="Thresholds on TUNE",
            caption=_caption(results, sweeps, data),
            alt=_alt(results, sweeps),
            columns=("system", "label", "split", "scope", "threshold", "sensitivity", "precision", "share_reached"),
            rows=tuple(row for sweep in sweeps for row in _rows(results, sweep)),
            results=tuple(sweep.id for sweep in sweeps),
            draw=partial(paint, data),
            width="single" if len(sweeps) == 1 else "double",
        ),
    )


def _swept(results: Results, sweep: ThresholdSweep, row: int) -> Swept:
    lines = (sweep.sensitivity, sweep.precision, sweep.share_reached)
    order = results.system_by_id[sweep.system].order
    return Swept(order, sweep.thresholds, lines, in_use(results, sweep.system), row)


def _rows(results: Results, sweep: ThresholdSweep) -> list[tuple[Value, ...]]:
    label = results.system_by_id[sweep.system].label
    columns = zip(sweep.thresholds, sweep.sensitivity, sweep.precision, sweep.share_reached, strict=True)
    return [(sweep.system, label, sweep.split, sweep.scope, *values) for values in columns]


def _caption(results: Results, sweeps: Sequence[ThresholdSweep], data: ThresholdCurve) -> Phrase:
    marks = any(system.used.tau_neg or system.used.tau_pos for system in data.systems)
    rest = [
        f" Sensitivity, precision and the share of {results.units.query.many} that reach a threshold, against the "
        f"threshold; {denominator(results, sweeps)}. EVAL takes no part.",
        " Triangles: the thresholds of each fold that are in use." if marks else "",
        synthetic_sentence(results),
    ]
    return (*_message(results, sweeps), "".join(rest))


def _message(results: Results, sweeps: Sequence[ThresholdSweep]) -> Phrase:
    """Which share of the queries is left to read if the target of the screening sensitivity is kept."""
    target = target_of(results, "tau_neg")
    found = [(sweep, at) for sweep in sweeps if (at := highest_with_sensitivity(sweep, target)) is not None]
    kept, many = share_text(target), results.units.query.many
    if not found:
        return (f"No threshold of the grid finds {kept} of the positive {many} on TUNE.",)
    least_first = sorted(found, key=lambda pair: pair[0].share_reached[pair[1]] or 0.0)
    # A number takes the place of two names or more.
    named = least_first if len(least_first) <= _NAMED + 1 else least_first[:_NAMED]
    said = [
        f"{percent(sweep.share_reached[at] or 0.0, 0)}{SPACE}% for {results.system_by_id[sweep.system].label}"
        for sweep, at in named
    ]
    more = len(least_first) - len(named)
    tail = f"; more for the {more} others" if more else ""
    opening = f"To find {kept} of the positive {many} on TUNE, this share of all has to be let through: "
    return (f"{opening}{'; '.join(said)}{tail}.",)


def _alt(results: Results, sweeps: Sequence[ThresholdSweep]) -> str:
    said = []
    for sweep in sweeps[: 2 * _NAMED]:
        at = highest_with_sensitivity(sweep, target_of(results, "tau_neg"))
        where = "no threshold" if at is None else f"thresholds up to {significant(sweep.thresholds[at], 2)}"
        said.append(f"{results.system_by_id[sweep.system].label}, {where}")
    more = len(sweeps) - len(said)
    kept = share_text(target_of(results, "tau_neg"))
    return (
        f"Line charts for {counted(len(sweeps), 'system', 'systems')}: sensitivity and the share that reaches the "
        f"threshold fall as it rises. A sensitivity of at least {kept} is kept by: {'; '.join(said)}"
        f"{f'; and {more} more systems' if more else ''}."
    )


@styled
def paint(data: ThresholdCurve, tokens: Tokens) -> MatplotlibFigure:
    """Draw one panel of three lines for each system."""
    style = Style.of(tokens)
    width = style.single if len(data.systems) == 1 else style.double
    figure, every = panel_grid(data.panels, width, style, tokens)
    for axes, system in zip(every, data.systems, strict=True):
        _lines(axes, system, style)
    every[0].set(xlim=(-0.01, 1.01), ylim=(-0.03, 1.03))
    for set_ticks in (every[0].set_xticks, every[0].set_yticks):
        set_ticks((0, 0.5, 1), ("0", "0.5", "1"))
    _key(figure, data, style)
    finish(figure, every, data.panels, style, tokens)
    return figure


def _lines(axes: Axes, system: Swept, style: Style) -> None:
    colour = style.mark(system.order).colour
    for (name, _, dash), values in zip(_LINES, system.lines, strict=True):
        heights = [float("nan") if value is None else value for value in values]
        (line,) = axes.plot(system.x, heights, color=colour, linestyle=dash, label=name, zorder=2.2)
        show_rows(line, range(system.row, system.row + len(system.x)))
    for (name, _, marker), values in zip(_MARKS, (system.used.tau_neg, system.used.tau_pos), strict=True):
        axes.plot(values, [0.0] * len(values), linestyle="", marker=marker, markersize=style.marker, color=style.muted,
                  markerfacecolor="none", markeredgewidth=0.7, label=f"_{name}", zorder=2.4)  # fmt: skip


def _key(figure: MatplotlibFigure, data: ThresholdCurve, style: Style) -> None:
    handles = [Line2D([], [], color=style.muted, linestyle=dash, linewidth=style.line) for *_, dash in _LINES]
    names = [name for _, name, _ in _LINES]
    for at, (_, name, marker) in enumerate(_MARKS):
        if any((system.used.tau_neg, system.used.tau_pos)[at] for system in data.systems):
            handles.append(Line2D([], [], color=style.muted, linestyle="", marker=marker, markerfacecolor="none",
                                  markersize=style.marker, markeredgewidth=0.7))  # fmt: skip
            names.append(name)
    columns = 1 if len(data.systems) == 1 else 3
    figure.legend(handles, names, loc="outside lower left", ncols=columns, alignment="left", handlelength=2.4)
