"""Panels in a grid, one per system or label: how many to a line, their heads, what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.figures.drawing.curves import lack_of_height
from reportgen.figures.drawing.layout import fit_height, new_figure, note
from reportgen.figures.drawing.lettering import legible, legible_words, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.styles import Tokens

# Points on either side of a head that stay free, so that neighbouring heads do not touch.
_GUTTER = 12.0
# Points of height that labels, note and key take around all panels, and the pitch of lines, for the first guess.
_AROUND, _PITCH = 90.0, 1.3


@dataclass(frozen=True, slots=True)
class Panels:
    """What a grid of panels shows around its data."""

    heads: tuple[tuple[str, str], ...]
    """Name of each panel, and its printed value or size, which may be empty."""
    columns: int
    share: float
    """Height of a panel as a share of its width."""
    x_label: str
    y_label: str
    note: str
    """What holds for all panels, above them; a line break stays."""
    synthetic: bool

    @property
    def rows(self) -> int:
        """Lines of panels."""
        return -(-len(self.heads) // self.columns)


def columns_of(panels: int) -> int:
    """As few rows as keep a panel readable, without a last row that holds a single panel where three fit."""
    if panels <= 4:
        return panels
    return 3 if panels in {5, 6, 9} else 4


def panel_grid(panels: Panels, width: float, style: Style, tokens: Tokens) -> tuple[MatplotlibFigure, list[Axes]]:
    """A figure of this width (inches) with its panels in reading order, headed, on shared scales."""
    room = width * POINTS_PER_INCH / panels.columns - 2 * _GUTTER
    heads = [
        "\n".join(wrapped(legible(text, tokens), room, style.small, tokens) for text in head if text)
        for head in panels.heads
    ]
    lines = max(head.count("\n") for head in heads) + 1
    # From a first guess without room for the texts, no layout is found that could be made fit.
    around = (_AROUND + panels.rows * (lines + 2) * _PITCH * style.small) / POINTS_PER_INCH
    figure = new_figure(width, width / panels.columns * panels.rows * panels.share + around)
    grid = figure.subplots(panels.rows, panels.columns, sharex=True, sharey=True, squeeze=False)
    every = list(grid.flat)
    for axes, head in zip(every, heads, strict=False):
        axes.set_title(head, fontsize=style.small)
    for axes in islice(every, len(panels.heads), None):
        axes.set_visible(False)
    # The last panel of a column keeps its tick labels where the row below is not full.
    for axes in every[max(0, len(panels.heads) - panels.columns) : len(panels.heads)]:
        axes.tick_params(labelbottom=True)
    return figure, every[: len(panels.heads)]


def finish(figure: MatplotlibFigure, axes: Sequence[Axes], panels: Panels, style: Style, tokens: Tokens) -> None:
    """Set what all panels share and give them their height; the last step, after a key has been set."""
    if figure.legends:
        # A label of the whole figure would stand where the key stands.
        for last in axes[-panels.columns :]:
            last.set_xlabel(panels.x_label)
    else:
        figure.supxlabel(panels.x_label, fontsize=style.size)
    figure.supylabel(panels.y_label, fontsize=style.size)
    room = figure.get_figwidth() * POINTS_PER_INCH * 0.8
    lines = [wrapped(legible_words(line, tokens), room, style.small, tokens) for line in panels.note.split("\n")]
    note(figure, "\n".join(lines), style, synthetic=panels.synthetic)
    fit_height(figure, lambda: panels.rows * lack_of_height(axes[0], panels.share))
