"""The grid of both thresholds on TUNE: what share of the queries tau_neg and tau_pos would leave uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from math import isclose
from typing import Any

from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import BoundaryNorm, Colormap
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.path import Path

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Results, SweepCell, ThresholdSweep
from reportgen.figures.drawing.fills import STEPS, shares
from reportgen.figures.drawing.panels import Panels, columns_of, finish, panel_grid
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import Style, styled
from reportgen.figures.drawing.sweeps import (
    denominator,
    highest_with_sensitivity,
    in_use,
    lowest_with_precision,
    share_text,
    sweeps_of,
    target_of,
)
from reportgen.numbers import percent
from reportgen.styles import Tokens
from reportgen.wording.captions import synthetic_sentence
from reportgen.wording.text import SPACE, Phrase, counted

ORDER = 46
# Cells to a side: more cannot be told apart in a panel of 40 mm, and every cell is a path of the drawing.
_CELLS = 20
# More systems than this are not told one by one.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """One system: cells (tau_neg, tau_pos, share uncertain), the two limits, and the pairs in use."""

    cells: tuple[tuple[float, float, float], ...]
    rows: tuple[int, ...]
    """The row of the figure's data that each cell shows."""
    tau_neg: float | None
    """The highest that keeps the target of the screening sensitivity."""
    tau_pos: float | None
    """The lowest that reaches the target of the alert precision."""
    pairs: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class ThresholdGrid:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: Panels
    grids: tuple[Grid, ...]
    side: float
    """Width of a cell."""


def build(results: Results) -> tuple[Figure, ...]:
    """The grids, or nothing if no system has a TUNE split."""
    sweeps = sweeps_of(results)
    if not sweeps:
        return ()
    starts = accumulate((len(_cells(sweep)) for sweep in sweeps), initial=0)
    data = ThresholdGrid(
        panels=Panels(
            heads=tuple((results.system_by_id[sweep.system].label, "") for sweep in sweeps),
            columns=columns_of(len(sweeps)),
            share=1.0,
            x_label="\u03c4_neg",
            y_label="\u03c4_pos",
            note=f"Colour: share of {results.units.query.many} in state UNCERTAIN; {denominator(results, sweeps)}",
            synthetic=results.run.synthetic,
        ),
        grids=tuple(_grid(results, sweep, row) for row, sweep in zip(starts, sweeps, strict=False)),
        side=_side(sweeps[0]),
    )
    return (
        Figure(
            id="threshold-grid",
            title="Pairs of thresholds on TUNE",
            caption=_caption(results, sweeps, data),
            alt=_alt(results, sweeps),
            columns=(
                "system", "label", "split", "scope", "tau_neg", "tau_pos", "screening_sensitivity", "alert_precision",
                "workload", "alerts_per_1000", "share_uncertain",
            ),
            rows=tuple(row for sweep in sweeps for row in _rows(results, sweep)),
            results=tuple(sweep.id for sweep in sweeps),
            draw=partial(paint, data),
            width="single" if len(sweeps) == 1 else "double",
        ),
    )  # fmt: skip


def _indices(sweep: ThresholdSweep) -> list[int]:
    """Every so many thresholds, so that at most ``_CELLS`` remain; of 0.01, …, 0.99 these are 0.05, 0.1, …"""
    step = -(-(len(sweep.thresholds) + 1) // _CELLS)
    return list(range(step - 1, len(sweep.thresholds), step))


def _side(sweep: ThresholdSweep) -> float:
    chosen = [sweep.thresholds[at] for at in _indices(sweep)]
    return (chosen[-1] - chosen[0]) / (len(chosen) - 1) if len(chosen) > 1 else 1.0 / _CELLS


def _cells(sweep: ThresholdSweep) -> list[tuple[float, float, SweepCell]]:
    chosen = _indices(sweep)
    pairs = [(low, high) for low in chosen for high in chosen if low <= high]
    return [(sweep.thresholds[low], sweep.thresholds[high], sweep.cell(low, high)) for low, high in pairs]


def _grid(results: Results, sweep: ThresholdSweep, start: int) -> Grid:
    cells = [(row, x, y, cell.uncertain) for row, (x, y, cell) in enumerate(_cells(sweep), start=start)]
    low = highest_with_sensitivity(sweep, target_of(results, "tau_neg"))
    high = lowest_with_precision(sweep, target_of(results, "tau_pos"))
    return Grid(
        cells=tuple((x, y, share) for _, x, y, share in cells if share is not None),
        rows=tuple(row for row, _, _, share in cells if share is not None),
        tau_neg=None if low is None else sweep.thresholds[low],
        tau_pos=None if high is None else sweep.thresholds[high],
        pairs=in_use(results, sweep.system).pairs,
    )


def _rows(results: Results, sweep: ThresholdSweep) -> list[tuple[Value, ...]]:
    label = results.system_by_id[sweep.system].label
    return [
        (sweep.system, label, sweep.split, sweep.scope, low, high, cell.screening_sensitivity, cell.alert_precision,
         cell.workload, cell.alert_rate, cell.uncertain)
        for low, high, cell in _cells(sweep)
    ]  # fmt: skip


def _uncertain_at_targets(results: Results, sweep: ThresholdSweep) -> float | None:
    """The share left uncertain where both targets are kept; None where one cannot be."""
    low = highest_with_sensitivity(sweep, target_of(results, "tau_neg"))
    high = lowest_with_precision(sweep, target_of(results, "tau_pos"))
    # A tau_pos below tau_neg would leave nothing between them: then both are one threshold.
    return None if low is None or high is None else sweep.cell(low, max(low, high)).uncertain


def _caption(results: Results, sweeps: Sequence[ThresholdSweep], data: ThresholdGrid) -> Phrase:
    many = results.units.query.many
    screening, alert = (share_text(target_of(results, name)) for name in ("tau_neg", "tau_pos"))
    rest = [
        f" Share of {many} between the two thresholds, in state UNCERTAIN, for every pair with \u03c4_neg \u2264 "
        f"\u03c4_pos; {denominator(results, sweeps)}. EVAL takes no part.",
        f" Vertical line: the highest \u03c4_neg of the grid with a screening sensitivity of at least {screening}; "
        f"horizontal line: the lowest \u03c4_pos with an alert precision of at least {alert}.",
        " Circles: the pairs in use, one for each fold." if any(grid.pairs for grid in data.grids) else "",
        synthetic_sentence(results),
    ]
    return (*_message(results, sweeps), "".join(rest))


def _message(results: Results, sweeps: Sequence[ThresholdSweep]) -> Phrase:
    screening, alert = (share_text(target_of(results, name)) for name in ("tau_neg", "tau_pos"))
    aims = f"a screening sensitivity of {screening} and an alert precision of {alert}"
    found = [(share, sweep) for sweep in sweeps if (share := _uncertain_at_targets(results, sweep)) is not None]
    if not found:
        return (f"No pair of thresholds on TUNE has {aims}.",)
    least_first = sorted(found, key=lambda pair: pair[0])
    # A number takes the place of two names or more.
    named = least_first if len(least_first) <= _NAMED + 1 else least_first[:_NAMED]
    said = [f"{percent(share, 0)}{SPACE}% for {results.system_by_id[sweep.system].label}" for share, sweep in named]
    more = len(found) - len(named)
    tail = f"; more for the {more} others" if more else ""
    many = results.units.query.many
    return (f"With {aims} on TUNE, this share of the {many} stays uncertain: {'; '.join(said)}{tail}.",)


def _alt(results: Results, sweeps: Sequence[ThresholdSweep]) -> str:
    said = []
    for sweep in sweeps[: 2 * _NAMED]:
        shares = [cell.uncertain for _, _, cell in _cells(sweep) if cell.uncertain is not None]
        most = f"up to {percent(max(shares), 0)} %" if shares else "no value"
        said.append(f"{results.system_by_id[sweep.system].label}, {most}")
    more = len(sweeps) - len(said)
    return (
        f"Heat map for {counted(len(sweeps), 'system', 'systems')}: the share in state UNCERTAIN is nothing where the "
        f"two thresholds are equal and grows towards a low \u03c4_neg and a high \u03c4_pos: {'; '.join(said)}"
        f"{f'; and {more} more systems' if more else ''}."
    )


@styled
def paint(data: ThresholdGrid, tokens: Tokens) -> MatplotlibFigure:
    """Draw one triangle of cells for each system, and the scale of the colours."""
    style = Style.of(tokens)
    width = style.single if len(data.grids) == 1 else style.double
    figure, every = panel_grid(data.panels, width, style, tokens)
    colours = shares(style)
    norm = BoundaryNorm([step / STEPS for step in range(STEPS + 1)], STEPS)
    drawn = [_heat(axes, grid, data.side, colours, norm, style) for axes, grid in zip(every, data.grids, strict=True)]
    every[0].set(xlim=(0, 1), ylim=(0, 1))
    for set_ticks in (every[0].set_xticks, every[0].set_yticks):
        set_ticks((0, 0.5, 1), ("0", "0.5", "1"))
    bar = figure.colorbar(drawn[0], ax=every, location="right", shrink=0.9, aspect=16 * data.panels.rows, pad=0.02)
    bar.set_ticks([0, 0.5, 1], labels=["0 %", "50 %", "100 %"])
    bar.outline.set_visible(False)
    finish(figure, every, data.panels, style, tokens)
    return figure


def _heat(axes: Axes, grid: Grid, side: float, colours: Colormap, norm: BoundaryNorm, style: Style) -> PathCollection:
    axes.grid(visible=False)
    # One path for each step of colour: a path for each cell would make most of the report's bytes.
    steps = _steps(grid.cells, side)
    # An edge in the cell's own colour closes the hairlines that viewers show between neighbours.
    cells = PathCollection(list(steps.values()), array=[(step + 0.5) / STEPS for step in steps], cmap=colours,
                           norm=norm, edgecolor="face", linewidth=0.3)  # fmt: skip
    axes.add_collection(cells)
    # No ink: where the cells are, for a page that shows their values under the pointer.
    (points,) = axes.plot(
        [x for x, _, _ in grid.cells], [y for _, y, _ in grid.cells], linestyle="none", label="_cells"
    )
    show_rows(points, grid.rows)
    line: dict[str, Any] = {"color": style.ink, "gapcolor": style.surface, "linewidth": 0.8}
    if grid.tau_neg is not None:
        axes.axvline(grid.tau_neg, linestyle=(0, (4, 2.5)), label="_tau_neg", **line)
    if grid.tau_pos is not None:
        axes.axhline(grid.tau_pos, linestyle=(0, (1.5, 1.5)), label="_tau_pos", **line)
    for low, high in grid.pairs:
        axes.plot(low, high, linestyle="none", marker="o", markersize=style.marker, markerfacecolor=style.surface,
                  markeredgecolor=style.ink, markeredgewidth=0.7, label="_pair")  # fmt: skip
    return cells


def _steps(cells: Sequence[tuple[float, float, float]], side: float) -> dict[int, Path]:
    """Step of colour to the outlines of its cells, neighbours of a line as one rectangle."""
    runs: dict[int, list[tuple[float, float, float]]] = {}
    half = side / 2
    for x, y, share in sorted(cells, key=lambda cell: (cell[1], cell[0])):
        of_step = runs.setdefault(min(int(share * STEPS), STEPS - 1), [])
        if of_step and of_step[-1][2] == y and isclose(of_step[-1][1], x - half):
            of_step[-1] = (of_step[-1][0], x + half, y)
        else:
            of_step.append((x - half, x + half, y))
    return {step: Path.make_compound_path(*(_box(*run, half) for run in found)) for step, found in sorted(runs.items())}


def _box(left: float, right: float, y: float, half: float) -> Path:
    corners = [(left, y - half), (right, y - half), (right, y + half), (left, y + half), (left, y - half)]
    return Path(corners, closed=True)
