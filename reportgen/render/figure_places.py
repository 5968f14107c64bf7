"""Where the values of a figure stand on its picture, so that a page can show them under the pointer.

Nothing is known of how a figure draws: the coordinates of its lines, marks and bars are looked up among the plotted
data. What is not found there, or in more than one row, has no place; it is never guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen import numbers
from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import result_id

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

_POINTS = 72
_APART = 3.0
"""Points: of places nearer to each other, of one text, the first is kept; a pointer could not tell them apart."""
_CONTEXT = ("subset", "scope", "status")
"""Columns that are the same for the whole figure, whose caption says them."""
_COORDINATES = ("metric", "system", "subset", "scope")
_DECIMALS = 3


@dataclass(frozen=True, slots=True)
class Place:
    """One value: its place in points from the upper left corner, what it is in words, and the result it shows."""

    x: float
    y: float
    text: str
    result: str = ""


@dataclass(frozen=True, slots=True)
class _Vertex:
    """A point that was drawn: its data coordinates, and the axes and artist it belongs to."""

    axes: Axes
    words: str
    x: float
    y: float
    values: tuple[float, ...]
    """What of it may be a value of the data; both coordinates for a point of a line."""


def places(figure: Figure, drawing: MatplotlibFigure) -> tuple[Place, ...]:
    """The places of a figure's values on its picture.

    Args:
        figure: The specification, whose rows are looked up.
        drawing: What it drew, laid out already.
    """
    rows = _Rows(figure)
    found: dict[tuple[int, int, str], Place] = {}
    height = drawing.bbox.height
    scale = _POINTS / drawing.dpi
    for vertex in _vertices(drawing):
        row = rows.of(vertex)
        if row is None:
            continue
        x, y = vertex.axes.transData.transform((vertex.x, vertex.y))
        if not drawing.bbox.contains(x, y):
            continue
        place = Place(round(x * scale, 1), round((height - y) * scale, 1), rows.text(row), rows.result(row))
        found.setdefault((round(place.x / _APART), round(place.y / _APART), place.text), place)
    return tuple(found.values())


def _vertices(drawing: MatplotlibFigure) -> Iterator[_Vertex]:
    from matplotlib.patches import Rectangle

    for axes in drawing.axes:
        for line in axes.lines:
            if _in_data(line, axes):
                points = np.asarray(line.get_xydata(), dtype=np.float64)
                for x, y in points[np.isfinite(points).all(axis=1)].tolist():
                    yield _Vertex(axes, f"{line.get_label()} {_row_name(axes, y)}", x, y, (x, y))
        for bar in axes.patches:
            if isinstance(bar, Rectangle) and _in_data(bar, axes):
                x, y = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2
                sizes = (bar.get_width(), bar.get_height())
                yield _Vertex(axes, f"{bar.get_label()} {_row_name(axes, y)}", x, y, sizes)


def _in_data(artist: Artist, axes: Axes) -> bool:
    """True if both coordinates are data; a reference line has one that is a share of the axes."""
    if not artist.get_visible():
        return False
    along = artist.get_transform().contains_branch_seperately(axes.transData)
    return bool(along[0] and along[1])


def _row_name(axes: Axes, y: float) -> str:
    """Title of the panel, and the label of the nearest tick, which names the row where rows are drawn."""
    nearest = min(axes.yaxis.get_major_ticks(), key=lambda tick: abs(tick.get_loc() - y), default=None)
    label = nearest.label1.get_text() if nearest else ""
    return f"{axes.get_title()} {label}".replace("\n", " ")


class _Rows:
    """The plotted data, by value."""

    def __init__(self, figure: Figure) -> None:
        self._columns, self._rows = figure.columns, figure.rows
        self._results = frozenset(figure.results)
        self._by_value: Mapping[float, set[int]] = defaultdict(set)
        for at, row in enumerate(self._rows):
            for value in row:
                if isinstance(value, int | float) and not isinstance(value, bool):
                    self._by_value[float(value)].add(at)
        self._texts: dict[int, str] = {}

    def of(self, vertex: _Vertex) -> int | None:
        """The row that a vertex shows, or None where none or more than one fits."""
        sets = [self._by_value.get(float(value), set()) for value in vertex.values]
        both = set.intersection(*sets)
        # A whole number alone may be a position as well as a value.
        alone = [rows for rows, value in zip(sets, vertex.values, strict=True) if not float(value).is_integer()]
        candidates = both or set().union(*alone)
        if not candidates:
            return None
        scored = {at: self._named(at, vertex.words) for at in candidates}
        best = sorted(at for at, score in scored.items() if score == max(scored.values()))
        return best[0] if len({self.text(at) for at in best}) == 1 else None

    def _named(self, at: int, words: str) -> int:
        """How many of a row's words the drawing names where the vertex stands."""
        return len({cell for cell in self._rows[at] if isinstance(cell, str) and cell and cell in words})

    def result(self, at: int) -> str:
        """The id of the result a row shows; empty where the figure does not list it."""
        cells = dict(zip(self._columns, self._rows[at], strict=True))
        if any(name not in cells for name in _COORDINATES):
            return ""
        id = result_id(*(str(cells[name]) for name in _COORDINATES))
        return id if id in self._results and "fold" not in cells else ""

    def text(self, at: int) -> str:
        """A row in words: names first, then each number with the head of its column."""
        if at not in self._texts:
            cells = dict(zip(self._columns, self._rows[at], strict=True))
            kept = {name: value for name, value in cells.items() if value is not None and not self._spare(name)}
            names = [value for value in kept.values() if isinstance(value, str)]
            values = [
                f"{name.replace('_', ' ')} {_printed(value)}"
                for name, value in kept.items()
                if not isinstance(value, str)
            ]
            self._texts[at] = "; ".join([", ".join(dict.fromkeys(names)), *values]).removeprefix("; ")
        return self._texts[at]

    def _spare(self, column: str) -> bool:
        """True for what the caption says, and for an id whose name stands in a column of its own."""
        twins = (f"{column}_label", f"{column}_name", *(("label",) if column == "system" else ()))
        return column in _CONTEXT or any(twin in self._columns for twin in twins)


def _printed(value: Value) -> str:
    if isinstance(value, float):
        return numbers.fixed(value, _DECIMALS)
    return numbers.count(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)
