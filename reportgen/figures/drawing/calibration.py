"""Squares of observed share against predicted probability, each above a strip that counts the predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.figures.drawing.curves import Series, draw_band, lack_of_height
from reportgen.figures.drawing.layout import SYNTHETIC, diagonal, fit_height, new_figure, note, unit_square
from reportgen.figures.drawing.lettering import legible, legible_words, text_width, wrapped
from reportgen.figures.drawing.panels import columns_of
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.numbers import count
from reportgen.styles import Tokens

# Height of the strip of counts, as a share of the square above it.
_STRIP = 0.24
# Share of the square that a line of text and the air around it take.
_LINE, _AIR = 0.085, 0.075


@dataclass(frozen=True, slots=True)
class Bars:
    """Counts of predictions at places of the horizontal axis."""

    x: tuple[float, ...]
    n: tuple[int, ...]
    width: float
    rows: tuple[int | None, ...] = ()
    """The row of the figure's data that each bar shows; empty where these have no counts."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: tuple[tuple[Series, Bars], ...]
    points: bool
    """Whether every point of a curve is a bin and so has a mark."""
    note: str
    unit: str
    synthetic: bool


@styled
def paint(data: Calibration, tokens: Tokens) -> MatplotlibFigure:
    """Draw one square with its strip of counts for each system."""
    style = Style.of(tokens)
    columns = columns_of(len(data.panels))
    rows = -(-len(data.panels) // columns)
    width = style.single if len(data.panels) <= 2 else style.double
    figure = new_figure(width, width / columns * rows * (1 + _STRIP))
    grid = figure.add_gridspec(2 * rows, columns, height_ratios=(1, _STRIP) * rows)
    most = max((n for _, bars in data.panels for n in bars.n), default=0)
    room = width * POINTS_PER_INCH / columns - 24
    # A word longer than the strip is high would run into the label above it.
    word = legible(data.unit, tokens)
    unit = word if text_width(word, style.small, tokens) < room * _STRIP * 1.2 else "n"
    squares: list[Axes] = []
    for at, (series, bars) in enumerate(data.panels):
        row, column = divmod(at, columns)
        square = figure.add_subplot(grid[2 * row, column])
        strip = figure.add_subplot(grid[2 * row + 1, column], sharex=square)
        _square(square, series, style, points=data.points)
        _strip(strip, series, bars, most, style)
        square.set_title(wrapped(legible(series.name, tokens), room, style.small, tokens), fontsize=style.small)
        square.tick_params(labelbottom=False, labelleft=column == 0)
        if column == 0:
            square.set_ylabel("Observed share")
            strip.set_ylabel(unit, fontsize=style.small, color=style.muted)
        strip.tick_params(labelbottom=at + columns >= len(data.panels), labelleft=column == 0)
        squares.append(square)
    figure.supxlabel("Predicted probability", fontsize=style.size)
    figure.align_ylabels()
    # The note begins with what is said of synthetic data.
    lead = text_width(f"{SYNTHETIC}. ", style.small, tokens) if data.synthetic else 0.0
    shared = wrapped(legible_words(data.note, tokens), width * POINTS_PER_INCH * 0.8 - lead, style.small, tokens)
    note(figure, shared, style, synthetic=data.synthetic)
    fit_height(figure, lambda: rows * (1 + _STRIP) * lack_of_height(squares[0]))
    return figure


def _square(axes: Axes, series: Series, style: Style, *, points: bool) -> None:
    mark = style.mark(series.order)
    unit_square(axes, (0.0, 0.5, 1.0))
    diagonal(axes, style)
    draw_band(axes, series, style)
    of_points: dict[str, Any] = {"marker": mark.marker, "linewidth": 0.9} if points else {}
    (line,) = axes.plot(series.x, series.y, color=mark.colour, zorder=2.2, **of_points)
    show_rows(line, series.rows)
    high = _AIR + _LINE * (1 + series.text.count("\n"))
    # The corner below the diagonal, unless the curve runs there.
    if any(low < high for x, low in zip(series.x, series.lower or series.y, strict=True) if x > 0.3):
        # A curve may run in this corner too: then it passes below the text, which stays legible.
        ground = {"facecolor": style.surface, "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
        axes.text(0.03, 0.97, series.text, transform=axes.transAxes, ha="left", va="top", fontsize=style.small,
                  bbox=ground, zorder=3)  # fmt: skip
    else:
        axes.text(0.97, 0.04, series.text, transform=axes.transAxes, ha="right", va="bottom", fontsize=style.small)


def _strip(axes: Axes, series: Series, bars: Bars, most: int, style: Style) -> None:
    """Bars of one scale for all panels, so that they can be compared; the tick is the largest count."""
    axes.grid(visible=False)
    axes.set_ylim(0, max(most, 1) * 1.08)
    axes.set_yticks([0, max(most, 1)], ["0", count(most)])
    if bars.n:
        drawn = axes.bar(bars.x, bars.n, width=bars.width, color=style.mark(series.order).colour, alpha=0.75)
        for bar, row in zip(drawn, bars.rows, strict=False):
            show_rows(bar, [row])
