"""The grid of both thresholds on TUNE: what share of the queries tau_neg and tau_pos would leave uncertain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen import numbers
from reportgen.domain.presentation import Value
from reportgen.domain.record import Results, SweepCell, ThresholdSweep
from reportgen.figures.drawing.data import missing_systems
from reportgen.figures.drawing.heat import heat, scale_of_shares
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid, unit_ticks
from reportgen.figures.drawing.style import Style
from reportgen.figures.drawing.sweeps import (
    denominator,
    highest_with_sensitivity,
    in_use,
    least_first,
    lowest_with_precision,
    sweeps_of,
    target_of,
)
from reportgen.figures.drawing.words import Sketch
from reportgen.styles import Tokens
from reportgen.wording.text import percent

ORDER = 46
# ThresholdCells to a side: more cannot be told apart in a panel of 40 mm, and every cell is a path of the drawing.
_CELLS = 20


@dataclass(frozen=True, slots=True)
class ThresholdCells:
    """One system: cells (tau_neg, tau_pos, share uncertain), the two limits, and the pairs in use."""

    cells: tuple[tuple[float, float, float], ...]
    rows: tuple[int, ...]
    """The row of the figure's data that each cell shows."""
    tau_neg: float | None
    """The highest that keeps the target of the screening sensitivity."""
    tau_pos: float | None
    """The lowest that reaches the target of the alert precision."""
    pairs: tuple[tuple[float, float], ...]


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the grids, or nothing if no system has a TUNE split."""
    sweeps = sweeps_of(results)
    if not sweeps:
        return ()
    starts = accumulate((len(_cells(sweep)) for sweep in sweeps), initial=0)
    grids = tuple(_grid(results, sweep, row) for row, sweep in zip(starts, sweeps, strict=False))
    data = PanelGrid(
        Panels(
            heads=tuple((results.system_by_id[sweep.system].label, "") for sweep in sweeps),
            share=1.0,
            x_label="\u03c4 NEG",
            y_label="\u03c4 POS",
            note=f"Colour: share of {results.units.query.many} in state UNCERTAIN; {denominator(results, sweeps)}",
            synthetic=results.run.synthetic,
        ),
        grids,
        partial(_heat, _side(sweeps[0])),
        _complete,
    )
    return (
        Sketch(
            id="threshold-grid",
            title="Pairs of thresholds on TUNE",
            columns=(
                "system", "label", "split", "aggregation", "tau_neg", "tau_pos", "screening_sensitivity",
                "alert_precision", "workload", "alerts_per_1000", "share_uncertain",
            ),
            rows=tuple(row for sweep in sweeps for row in _rows(results, sweep)),
            results=tuple(sweep.id for sweep in sweeps),
            draw=drawn_grid(data),
            width=data.panels.width,
            facts={"pairs": any(grid.pairs for grid in grids), **_facts(results, sweeps)},
        ),
    )  # fmt: skip


def _indices(sweep: ThresholdSweep) -> list[int]:
    """Return every so many thresholds, so that at most ``_CELLS`` remain; of 0.01, …, 0.99 these are 0.05, 0.1, …"""
    step = -(-(len(sweep.thresholds) + 1) // _CELLS)
    return list(range(step - 1, len(sweep.thresholds), step))


def _side(sweep: ThresholdSweep) -> float:
    chosen = [sweep.thresholds[at] for at in _indices(sweep)]
    return (chosen[-1] - chosen[0]) / (len(chosen) - 1) if len(chosen) > 1 else 1.0 / _CELLS


def _cells(sweep: ThresholdSweep) -> list[tuple[float, float, SweepCell]]:
    chosen = _indices(sweep)
    pairs = [(low, high) for low in chosen for high in chosen if low <= high]
    return [(sweep.thresholds[low], sweep.thresholds[high], sweep.cell(low, high)) for low, high in pairs]


def _grid(results: Results, sweep: ThresholdSweep, start: int) -> ThresholdCells:
    cells = [(row, x, y, cell.uncertain) for row, (x, y, cell) in enumerate(_cells(sweep), start=start)]
    low = highest_with_sensitivity(sweep, target_of(results, "tau_neg"))
    high = lowest_with_precision(sweep, target_of(results, "tau_pos"))
    return ThresholdCells(
        cells=tuple((x, y, share) for _, x, y, share in cells if share is not None),
        rows=tuple(row for row, _, _, share in cells if share is not None),
        tau_neg=None if low is None else sweep.thresholds[low],
        tau_pos=None if high is None else sweep.thresholds[high],
        pairs=in_use(results, sweep.system).pairs,
    )


def _rows(results: Results, sweep: ThresholdSweep) -> list[tuple[Value, ...]]:
    label = results.system_by_id[sweep.system].label
    return [
        (sweep.system, label, sweep.split, sweep.aggregation, low, high, cell.screening_sensitivity,
         cell.alert_precision, cell.workload, cell.alert_rate, cell.uncertain)
        for low, high, cell in _cells(sweep)
    ]  # fmt: skip


def _uncertain_at_targets(results: Results, sweep: ThresholdSweep) -> float | None:
    """Return the share left uncertain where both targets are kept; None where one cannot be."""
    low = highest_with_sensitivity(sweep, target_of(results, "tau_neg"))
    high = lowest_with_precision(sweep, target_of(results, "tau_pos"))
    # A tau_pos below tau_neg would leave nothing between them: then both are one threshold.
    return None if low is None or high is None else sweep.cell(low, max(low, high)).uncertain


def _facts(results: Results, sweeps: Sequence[ThresholdSweep]) -> dict[str, Any]:
    screening, alert = (percent(target_of(results, name)) for name in ("tau_neg", "tau_pos"))
    found = {sweep.system: share for sweep in sweeps if (share := _uncertain_at_targets(results, sweep)) is not None}
    most = []
    for sweep in sweeps:
        uncertain = [cell.uncertain for _, _, cell in _cells(sweep) if cell.uncertain is not None]
        largest = f"{numbers.share(max(uncertain), 0)} %" if uncertain else ""
        most.append((results.system_by_id[sweep.system].label, largest))
    return {
        "screening": screening,
        "alert": alert,
        "least": least_first(results, found) if found else "",
        "on_what": denominator(results, sweeps),
        "sweeps": sweeps,
        "missing": missing_systems(results, "auroc", {sweep.system for sweep in sweeps}),
        "most": most,
    }


def _complete(figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens) -> None:
    """Set the scales, and that of the colours at the right."""
    every[0].set(xlim=(0, 1), ylim=(0, 1))
    unit_ticks(every[0])
    scale_of_shares(figure, every)


def _heat(side: float, axes: Axes, grid: ThresholdCells, style: Style) -> None:
    """Draw one triangle of cells of this width, the limits and the pairs in use."""
    heat(axes, grid.cells, side, grid.rows, style)
    line: dict[str, Any] = {"color": style.ink, "gapcolor": style.surface, "linewidth": 0.8}
    if grid.tau_neg is not None:
        axes.axvline(grid.tau_neg, linestyle=(0, (4, 2.5)), label="_tau_neg", **line)
    if grid.tau_pos is not None:
        axes.axhline(grid.tau_pos, linestyle=(0, (1.5, 1.5)), label="_tau_pos", **line)
    for low, high in grid.pairs:
        axes.plot(low, high, linestyle="none", marker="o", markersize=style.marker, markerfacecolor=style.surface,
                  markeredgecolor=style.ink, markeredgewidth=0.7, label="_pair")  # fmt: skip
