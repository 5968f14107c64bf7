"""Places of a figure's values on its picture, so that a page can show them under the pointer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen import numbers
from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import comparison_id, result_id

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure as MatplotlibFigure

_POINTS = 72
_APART = 3.0
"""Points: of places nearer to each other, of one text, the first is kept; a pointer could not tell them apart."""
_CONTEXT = ("subset", "aggregation", "status", "sd_over")
"""Columns that are the same for the whole figure, whose caption says them."""
_COORDINATES = ("metric", "system", "subset", "aggregation")
_OF_PAIR = ("metric", "system_a", "system_b", "subset", "aggregation")
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class HitArea:
    """One value: its place in points from the upper left corner, what it is in words, and the result it shows."""

    x: float
    y: float
    text: str
    result: str = ""
    size: tuple[float, float] = (0.0, 0.0)
    """Width and height of a bar around the place; a point lacks one."""


def hit_areas(figure: Figure, drawing: MatplotlibFigure) -> tuple[HitArea, ...]:
    """Return where the values of a figure are on its picture.

    Args:
        figure: The specification, with the rows of its data.
        drawing: What it drew, laid out already; its artists say which rows they show.
    """
    # Imported here: the page's data name the type, and are made without matplotlib.
    from reportgen.figures.drawing.layout import rows_shown

    rows = [dict(zip(figure.columns, row, strict=True)) for row in figure.rows]
    found: dict[tuple[int, int, str], HitArea] = {}
    height, scale = drawing.bbox.height, _POINTS / drawing.dpi
    for axes in drawing.axes:
        for artist in (*axes.lines, *axes.patches):
            shown = rows_shown(artist) if artist.get_visible() else ()
            for row, (x, y, width, high) in zip(shown, _points(artist) if shown else (), strict=True):
                middle = axes.transData.transform((x, y)).tolist()
                # NaN is nowhere.
                if row is None or not drawing.bbox.contains(*middle):
                    continue
                far = axes.transData.transform((x + width / 2, y + high / 2)).tolist()
                size = (round(2 * abs(far[0] - middle[0]) * scale, 1), round(2 * abs(far[1] - middle[1]) * scale, 1))
                text, result = _text(rows[row]), _result(figure, rows[row])
                area = HitArea(round(middle[0] * scale, 1), round((height - middle[1]) * scale, 1), text, result, size)
                found.setdefault((round(area.x / _APART), round(area.y / _APART), text), area)
    return tuple(found.values())


def _points(artist: Artist) -> Iterator[tuple[float, float, float, float]]:
    """Yield the points of a line, or the middle of a bar, with width and height."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Rectangle

    if isinstance(artist, Line2D):
        for x, y in np.asarray(artist.get_xydata(), dtype=np.float64).tolist():
            yield x, y, 0.0, 0.0
    elif isinstance(artist, Rectangle):
        (x, y), width, height = artist.get_xy(), artist.get_width(), artist.get_height()
        yield x + width / 2, y + height / 2, width, height


def _result(figure: Figure, cells: dict[str, Value]) -> str:
    """Return the id of the result or comparison a row shows; empty where the figure does not list it."""
    if "fold" in cells:
        return ""
    for columns, named in ((_COORDINATES, result_id), (_OF_PAIR, comparison_id)):
        if all(name in cells for name in columns):
            id = named(*(str(cells[name]) for name in columns))
            return id if id in figure.results else ""
    return ""


def _text(cells: dict[str, Value]) -> str:
    """Return a row in words: names first, then each number with the head of its column."""
    names, values = [], []
    for column, value in cells.items():
        # An id has its name in a column of its own.
        named = {f"{column}_label", f"{column}_name", column.replace("system", "label")} - {column}
        if value in {None, ""} or column in _CONTEXT or not named.isdisjoint(cells):
            continue
        if not isinstance(value, str):
            values.append(f"{column.replace('_', ' ')} {_printed(value)}")
        else:
            # A name of digits alone (a fold) would be read as a value.
            names.append(f"{column.removesuffix('_label')} {value}" if value.isdecimal() else value)
    return "; ".join([*filter(None, [", ".join(dict.fromkeys(names))]), *values])


def _printed(value: Value) -> str:
    if isinstance(value, float):
        return numbers.fixed(value, _DECIMALS)
    return numbers.count(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)
