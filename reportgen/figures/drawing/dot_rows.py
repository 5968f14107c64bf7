"""Rows of dots with intervals, a panel per metric: what forest plots and plots per label or fold are made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.figures.drawing.layout import fit_height, key, new_figure, note, size_in_points
from reportgen.figures.drawing.lettering import key_columns, legible, text_width, wrapped
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.numbers import UNDEFINED
from reportgen.styles import Tokens

# Points of height that heads and tick labels take, for the first guess.
_HEADS = 62.0
# The share of the width that names of rows may take before they break into lines.
_STUB_SHARE = 0.22
# The share that all panels have together when names and remarks are at their widest.
_PANEL_SHARE = 0.64


@dataclass(frozen=True, slots=True)
class Dot:
    """One system's value in one row; None is undefined."""

    order: int
    value: float | None
    lower: float | None
    upper: float | None
    row: int
    """The row of the figure's data that it shows."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric: its name, its chance level if that is a number, and the dots of every row."""

    name: str
    chance: float | None
    limits: tuple[float, float]
    rows: tuple[tuple[Dot, ...], ...]


@dataclass(frozen=True, slots=True)
class DotRows:
    """All that is drawn: rows from top to bottom, panels from left to right."""

    rows: tuple[tuple[str, str], ...]
    """Name of the row, remark at its right end."""
    panels: tuple[Panel, ...]
    systems: tuple[tuple[str, int], ...]
    height: float
    """Height of a row in points."""
    remark_head: str
    note: str
    """What holds for all panels, on a line above them."""
    synthetic: bool


@styled
def paint(data: DotRows, tokens: Tokens) -> MatplotlibFigure:
    """Draw the panels side by side over shared rows, names at the left, remarks at the right."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    rows_height = data.height * len(data.rows)
    # The last tick label of a panel and the first of the next one need air between them.
    figure = new_figure(style.double, (rows_height + _HEADS) / POINTS_PER_INCH, gap=0.04)
    panels = list(figure.subplots(1, len(data.panels), sharey=True, squeeze=False).flat)
    room = width * _PANEL_SHARE / len(panels)
    for axes, panel in zip(panels, data.panels, strict=True):
        _panel_axes(axes, panel, data, style)
        axes.set_title(wrapped(legible(panel.name, tokens), room, style.size, tokens))
    names = [wrapped(legible(name, tokens), width * _STUB_SHARE, style.small, tokens) for name, _ in data.rows]
    panels[0].set_yticks(range(len(names)), names)
    panels[0].tick_params(axis="y", labelcolor=style.ink)
    _remarks(panels[-1], data, style, tokens)
    _key(figure, data, style, tokens)
    note(figure, data.note, style, synthetic=data.synthetic)
    fit_height(figure, lambda: rows_height - size_in_points(panels[0])[1])
    return figure


def _panel_axes(axes: Axes, panel: Panel, data: DotRows, style: Style) -> None:
    low, high = panel.limits
    room = (high - low) * 0.02
    axes.set(xlim=(low - room, high + room), ylim=(len(data.rows) - 0.5, -0.5))
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for edge in range(1, len(data.rows)):
        axes.axhline(edge - 0.5, color=style.grid, linewidth=style.grid_line, zorder=0.5)
    if panel.chance is not None:
        axes.axvline(panel.chance, color=style.rule, linewidth=0.7, dashes=(4, 2.5), zorder=1.5, label="_reference")
    offsets = _offsets(data)
    for row, dots in enumerate(panel.rows):
        for dot in dots if any(dot.value is not None for dot in dots) else ():
            _dot_mark(axes, dot, row + offsets[dot.order], low, style)
        if dots and all(dot.value is None for dot in dots):
            axes.text(low, row, f"{UNDEFINED} undefined", color=style.muted, fontsize=style.small, va="center")


def _offsets(data: DotRows) -> dict[int, float]:
    """Where in its row a system's dot stands, in rows: evenly spread around the middle, first system on top."""
    n = len(data.systems)
    pitch = min(7.0, (data.height - 5.0) / n) / data.height
    return {order: (at - (n - 1) / 2) * pitch for at, (_, order) in enumerate(data.systems)}


def _dot_mark(axes: Axes, dot: Dot, y: float, low: float, style: Style) -> None:
    mark = style.mark(dot.order)
    if dot.value is None:
        # Hollow and at the edge, with the sign of the tables: it must not be read as a value.
        axes.plot(low, y, linestyle="none", marker=mark.marker, markersize=style.marker - 0.6,
                  markerfacecolor=style.surface, markeredgecolor=mark.colour, markeredgewidth=0.6)  # fmt: skip
        axes.annotate(UNDEFINED, (low, y), textcoords="offset points", xytext=(3.5, 0.6), va="center_baseline",
                      fontsize=style.small - 2, color=style.muted)  # fmt: skip
        return
    if dot.lower is not None and dot.upper is not None:
        (line,) = axes.plot((dot.lower, dot.upper), (y, y), color=mark.colour, linewidth=style.line,
                            solid_capstyle="butt", label="_interval")  # fmt: skip
        show_rows(line, (dot.row, dot.row))
    (point,) = axes.plot(
        dot.value, y, color=mark.colour, marker=mark.marker, markersize=style.marker,
        markeredgecolor=style.surface, markeredgewidth=0.4, zorder=2.5,
    )  # fmt: skip
    show_rows(point, [dot.row])


def _remarks(axes: Axes, data: DotRows, style: Style, tokens: Tokens) -> None:
    head = data.remark_head
    texts = [remark for _, remark in data.rows]
    right = 8.0 + max(text_width(text, style.small, tokens) for text in (*texts, head))
    common: dict[str, Any] = {"textcoords": "offset points", "ha": "right"}
    common |= {"fontsize": style.small, "color": style.muted}
    axes.annotate(head, (1, 1), xycoords="axes fraction", xytext=(right, 4), va="bottom", **common)
    for row, text in enumerate(texts):
        place = axes.get_yaxis_transform()
        axes.annotate(text, (1, row), xycoords=place, xytext=(right, 0), va="center", annotation_clip=False, **common)


def _key(figure: MatplotlibFigure, data: DotRows, style: Style, tokens: Tokens) -> None:
    names, columns = key_columns(
        [name for name, _ in data.systems], style.double * POINTS_PER_INCH, 3.6 * style.small, style.small, tokens
    )
    marks = [(style.mark(order), name) for name, (_, order) in zip(names, data.systems, strict=True)]
    key(figure, marks, style, location="outside lower left", columns=columns, what="markers")
