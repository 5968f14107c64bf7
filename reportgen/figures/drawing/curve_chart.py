"""Curves of several systems in one plot, or in a panel for each system where there are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.figures.drawing.curves import Series, draw_band, lack_of_height
from reportgen.figures.drawing.layout import Corner, fit_height, key, new_figure, note, size_in_points, solve
from reportgen.figures.drawing.lettering import legible, legible_words, text_width, wrapped
from reportgen.figures.drawing.panels import Panels, columns_of, finish, panel_grid
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.styles import Tokens

# More bands than this in one plot hide each other; then each system gets a panel of its own.
OVERLAY = 6
_ALIGNED = {"lower": (0.05, "bottom"), "upper": (0.95, "top"), "left": (0.03, "left"), "right": (0.97, "right")}


@dataclass(frozen=True, slots=True)
class Reference:
    """A grey line to compare with; a label stands at ``at``, to its left or right, above or below."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    label: str = ""
    at: tuple[float, float] = (0.0, 0.0)
    align: tuple[str, str] = ("left", "bottom")
    dashes: tuple[float, float] = (4, 2.5)
    rows: tuple[int | None, ...] = ()
    """The row of the figure's data that each point shows; empty for a line that shows none."""


@dataclass(frozen=True, slots=True)
class Plane:
    """The axes of a chart: labels, limits, ticks, and the height as a share of the width."""

    x_label: str
    y_label: str
    x: tuple[float, float] = (0.0, 1.0)
    y: tuple[float, float] = (0.0, 1.0)
    ticks: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)
    y_ticks: tuple[float, ...] | None = None
    """The same as those of x if None."""
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class CurveChart:
    """All that is drawn: curves in the order of the key, its heading, the denominator."""

    series: tuple[Series, ...]
    references: tuple[Reference, ...]
    plane: Plane
    corners: tuple[Corner, ...]
    """Where the key may stand, the best place first; it goes below the plot where it would cover a curve."""
    heading: str
    sizes: str
    synthetic: bool


@styled
def paint(data: CurveChart, tokens: Tokens) -> MatplotlibFigure:
    """Draw all curves in one plot, or one panel per system where there are more than ``OVERLAY``."""
    return _overlay(data, tokens) if len(data.series) <= OVERLAY else _panels(data, tokens)


def _overlay(data: CurveChart, tokens: Tokens) -> MatplotlibFigure:
    style = Style.of(tokens)
    figure = new_figure(style.single, style.single * data.plane.share)
    axes = figure.add_subplot()
    _frame(axes, data, style, labels=True)
    axes.set(xlabel=data.plane.x_label, ylabel=data.plane.y_label)
    for series in data.series:
        _curve(axes, series, style)
    room = style.single * POINTS_PER_INCH * 0.9
    entries = [
        (style.mark(s.order), wrapped(f"{s.text}  {legible(s.name, tokens)}".strip(), room, style.small, tokens))
        for s in data.series
    ]
    heading = f"{data.heading}\n{wrapped(legible_words(data.sizes, tokens), room, style.small, tokens)}".strip()
    note(figure, "", style, synthetic=data.synthetic)
    solve(figure)
    corner = _free_corner(axes, data, [text for _, text in entries] + heading.split("\n"), style, tokens)
    if corner:
        key(axes, entries, style, location=corner, heading=heading)
    else:
        key(figure, entries, style, location="outside lower left", heading=heading)
    fit_height(figure, lambda: lack_of_height(axes, data.plane.share))
    return figure


def _free_corner(axes: Axes, data: CurveChart, lines: list[str], style: Style, tokens: Tokens) -> Corner | None:
    """The first corner in which the key covers no curve, no band and no labelled line."""
    width, height = size_in_points(axes)
    handle, pitch = 3.2 * style.small, 1.3 * style.small
    texts = [line for text in lines for line in text.split("\n")]
    wide = (handle + max(text_width(line, style.small, tokens) for line in texts)) / width
    high = (pitch * len(texts) + style.small) / height
    if wide > 0.8 or high > 0.8:
        return None
    edges = [(s.x, s.lower or s.y, s.upper or s.y) for s in data.series]
    edges += [(line.x, line.y, line.y) for line in data.references if line.label]
    (x0, x1), (y0, y1) = axes.get_xlim(), axes.get_ylim()
    for corner in data.corners:
        left = x0 + (x1 - x0) * (0.98 - wide if corner.endswith("right") else 0.0)
        right = x0 + (x1 - x0) * (1.0 if corner.endswith("right") else 0.02 + wide)
        low, high_edge = (y0, y0 + (y1 - y0) * high) if corner.startswith("lower") else (y1 - (y1 - y0) * high, y1)
        if all(above > high_edge or below < low for below, above in _heights(edges, left, right)):
            return corner
    return None


def _heights(
    edges: Sequence[tuple[Sequence[float], Sequence[float], Sequence[float]]], left: float, right: float
) -> Iterator[tuple[float, float]]:
    """Upper and lower edge of every curve at its points between two places, and at these."""
    for x, lower, upper in edges:
        places = [left, right, *(value for value in x if left < value < right)]
        for place in places:
            yield float(np.interp(place, x, upper)), float(np.interp(place, x, lower))


def _panels(data: CurveChart, tokens: Tokens) -> MatplotlibFigure:
    """Each panel shows one system in its colour before the others in grey."""
    style = Style.of(tokens)
    panels = Panels(
        heads=tuple((series.name, "") for series in data.series),
        columns=columns_of(len(data.series)),
        share=data.plane.share,
        x_label=data.plane.x_label,
        y_label=data.plane.y_label,
        note="; ".join(part for part in (data.heading, data.sizes) if part),
        synthetic=data.synthetic,
    )
    figure, every = panel_grid(panels, style.double, style, tokens)
    vertical, horizontal = (_ALIGNED[word] for word in data.corners[0].split())
    for axes, series in zip(every, data.series, strict=True):
        _frame(axes, data, style, labels=False)
        for other in data.series:
            if other is not series:
                (line,) = axes.plot(other.x, other.y, color=style.context, linewidth=style.context_line, zorder=1.6)
                show_rows(line, other.rows)
        _curve(axes, series, style)
        axes.text(horizontal[0], vertical[0], series.text, transform=axes.transAxes, ha=horizontal[1],
                  va=vertical[1], fontsize=style.small)  # fmt: skip
    finish(figure, every, panels, style, tokens)
    return figure


def _frame(axes: Axes, data: CurveChart, style: Style, *, labels: bool) -> None:
    plane = data.plane
    ticks = plane.ticks if labels else plane.ticks[:: max(1, len(plane.ticks) // 2)]
    y_ticks = ticks if plane.y_ticks is None else plane.y_ticks
    for low_high, set_limits in ((plane.x, axes.set_xlim), (plane.y, axes.set_ylim)):
        # A little room, so that marks at the edges stay whole.
        air = 0.01 * (low_high[1] - low_high[0])
        set_limits(low_high[0] - air, low_high[1] + air)
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_yticks(y_ticks, [f"{tick:g}".replace("-", "\u2212") for tick in y_ticks])
    for reference in data.references:
        (line,) = axes.plot(reference.x, reference.y, color=style.rule, linewidth=0.7, dashes=reference.dashes,
                            zorder=1.5, label="_reference")  # fmt: skip
        show_rows(line, reference.rows)
        if labels and reference.label:
            axes.text(*reference.at, reference.label, ha=reference.align[0], va=reference.align[1],
                      fontsize=style.small, color=style.muted)  # fmt: skip


def _curve(axes: Axes, series: Series, style: Style) -> None:
    mark = style.mark(series.order)
    draw_band(axes, series, style)
    (line,) = axes.plot(series.x, series.y, color=mark.colour, linestyle=mark.dash, label=series.name, zorder=2.2)
    show_rows(line, series.rows)
