"""Heat maps: squares whose colour is a share, in steps that can be named one by one."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from matplotlib.axes import Axes
from matplotlib.collections import PathCollection
from matplotlib.colors import BoundaryNorm
from matplotlib.figure import Figure
from matplotlib.path import Path

from reportgen.figures.drawing.layout import columns_of, show_rows
from reportgen.figures.drawing.style import STEPS, Style, shares

Cells = Sequence[tuple[float, float, float]]
"""Where a square has its middle, and its share."""


def heat(axes: Axes, cells: Cells, side: float, rows: Sequence[int], style: Style) -> None:
    """Draw squares of this side; ``rows``: the row of the figure's data that each of them shows."""
    axes.grid(visible=False)
    # One path for each step of colour: a path for each cell would make most of the report's bytes.
    steps = _steps(cells, side)
    norm = BoundaryNorm([step / STEPS for step in range(STEPS + 1)], STEPS)
    # An edge in the cell's own colour closes the hairlines that viewers show between neighbours.
    squares = PathCollection(list(steps.values()), array=[(step + 0.5) / STEPS for step in steps], cmap=shares(style),
                             norm=norm, edgecolor="face", linewidth=0.3)  # fmt: skip
    axes.add_collection(squares)
    # No ink: where the cells are, for a page that shows their values under the pointer.
    (points,) = axes.plot([x for x, _, _ in cells], [y for _, y, _ in cells], linestyle="none", label="_cells")
    show_rows(points, rows)


def scale_of_shares(figure: Figure, every: Sequence[Axes], lines: int | None = None) -> None:
    """Set the scale of the colours at the right; ``lines``: of panels, as their number has them if None."""
    lines = lines or -(-len(every) // columns_of(len(every)))
    bar = figure.colorbar(
        every[0].collections[0], ax=list(every), location="right", shrink=0.9, aspect=16 * lines, pad=0.02
    )
    bar.set_ticks([0, 0.5, 1], labels=["0 %", "50 %", "100 %"])
    bar.outline.set_visible(False)


def _steps(cells: Cells, side: float) -> dict[int, Path]:
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
