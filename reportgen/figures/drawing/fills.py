"""Fills of parts that stand on or beside each other: told apart by hatch and lightness, whatever the colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.patches import Patch

from reportgen.figures.drawing.lettering import key_columns
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.styles import Tokens

STEPS = 10
"""How many colours stand for shares: a continuous scale cannot be read off."""
_PALE = 0.3
_HATCH = "/////"


def fill(level: int, of: int, colour: str, style: Style) -> dict[str, Any]:
    """Keyword arguments of a patch for part ``level`` of ``of``: from grey over hatched to full colour.

    A single part is full; of two, the first is grey; a part in the middle is pale and hatched.
    """
    if level == of - 1:
        return {"facecolor": colour, "edgecolor": "none", "linewidth": 0.0}
    if level == 0:
        return {"facecolor": style.context, "edgecolor": "none", "linewidth": 0.0}
    return {"facecolor": pale(colour, style), "edgecolor": colour, "hatch": _HATCH, "linewidth": 0.0}


def pale(colour: str, style: Style) -> tuple[float, float, float]:
    """The ground of a hatch, red, green and blue.

    Mixed, not translucent: matplotlib's SVG would lay the hatch on a ground of its own full colour.
    """
    pairs = zip(to_rgb(colour), to_rgb(style.surface), strict=True)
    red, green, blue = (_PALE * part + (1 - _PALE) * ground for part, ground in pairs)
    return red, green, blue


def shares(style: Style) -> LinearSegmentedColormap:
    """The colours of shares from 0 to 1, in :data:`STEPS` steps that can be named one by one."""
    return LinearSegmentedColormap.from_list("share", [style.raised, style.accent], N=STEPS)


def fill_key(figure: Figure, names: Sequence[str], style: Style, tokens: Tokens, colour: str = "") -> Legend:
    """A key of the parts below the figure; without a colour in the ink of text, for parts in every system's colour."""
    width = figure.get_figwidth() * POINTS_PER_INCH
    texts, columns = key_columns(names, width, 3.6 * style.small, style.small, tokens)
    legend: Legend = figure.legend(
        [Patch(**fill(level, len(names), colour or style.muted, style)) for level in range(len(names))],
        texts,
        loc="outside lower left",
        ncols=columns,
        alignment="left",
        handlelength=1.6,
    )
    return legend
