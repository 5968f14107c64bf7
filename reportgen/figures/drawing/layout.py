"""Sizes and furniture of figures: exact widths, heights that follow the content, panels, keys, notes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.lines import Line2D

from reportgen.figures.drawing.style import POINTS_PER_INCH, Mark, Style

Corner = Literal["lower right", "lower left", "upper right", "upper left"]
Place = Corner | Literal["outside lower left"]
SYNTHETIC = "Synthetic data"
# Half a point: less cannot be seen, and layout is solved in floating point.
TOLERANCE = 0.5
_ROUNDS = 6


def new_figure(width: float, height: float, gap: float = 0.02) -> Figure:
    """An empty figure of this width and first guess of a height (inches), laid out by constraints.

    ``gap`` is the space between neighbouring panels as a share of their width.
    """
    return Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(wspace=gap))


def fit_height(figure: Figure, missing: Callable[[], float]) -> None:
    """Change the figure's height until ``missing`` is zero; the width stays.

    ``missing`` returns the points of height the content still lacks (negative: has too many) under the layout
    that was just solved. A few rounds do, since text does not change its size with the figure.
    """
    for _ in range(_ROUNDS):
        solve(figure)
        lack = missing()
        if abs(lack) < TOLERANCE:
            break
        width, height = figure.get_size_inches()
        figure.set_size_inches(width, max(height + lack / POINTS_PER_INCH, 1.0))


def solve(figure: Figure) -> None:
    """Place the axes by the figure's constraints, without drawing anything."""
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def size_in_points(axes: Axes) -> tuple[float, float]:
    """Width and height of the axes' frame under the layout that was solved last."""
    # Figures are laid out at 72 dpi, where a pixel is a point.
    return float(axes.bbox.width), float(axes.bbox.height)


def unit_square(axes: Axes, ticks: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0)) -> None:
    """Both axes from 0 to 1, with the same ticks and a little room so that marks at the edges stay whole."""
    labels = [f"{tick:g}" for tick in ticks]
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01))
    axes.set_xticks(ticks, labels)
    axes.set_yticks(ticks, labels)


def diagonal(axes: Axes, style: Style) -> Line2D:
    """The dashed reference line from (0, 0) to (1, 1)."""
    (line,) = axes.plot(
        (0, 1), (0, 1), color=style.rule, linewidth=0.7, dashes=(4, 2.5), zorder=1.5, label="_reference"
    )
    return line


def note(figure: Figure, text: str, style: Style, *, synthetic: bool) -> None:
    """A line above everything else: what all panels share, and that the data are invented if they are."""
    parts = [part for part in (SYNTHETIC if synthetic else "", text) if part]
    if parts:
        figure.suptitle(". ".join(parts), x=0.01, ha="left", fontsize=style.small, color=style.muted)


def key(
    owner: Axes | Figure,
    marks: Sequence[tuple[Mark, str]],
    style: Style,
    *,
    location: Place,
    columns: int = 1,
    heading: str = "",
    what: Literal["lines", "markers"] = "lines",
) -> Legend:
    """A key of marks and names, one line or several to an entry.

    ``location`` is a corner inside axes, ``outside lower left`` of a figure.
    """
    handles = [_handle(mark, style, what) for mark, _ in marks]
    legend: Legend = owner.legend(
        handles,
        [name for _, name in marks],
        loc=location,
        ncols=columns,
        title=heading or None,
        alignment="left",
        frameon=isinstance(owner, Axes),
        facecolor=style.surface,
        edgecolor="none",
        framealpha=0.9,
        handlelength=2.4 if what == "lines" else 1.2,
    )
    legend.get_title().set_color(style.muted)
    for text in (legend.get_title(), *legend.get_texts()):
        text.set_linespacing(1.1)
    return legend


def _handle(mark: Mark, style: Style, what: Literal["lines", "markers"]) -> Line2D:
    if what == "lines":
        return Line2D([], [], color=mark.colour, linestyle=mark.dash, linewidth=style.line)
    return Line2D(
        [], [], color=mark.colour, linestyle="-", linewidth=style.line, marker=mark.marker, markersize=style.marker
    )
