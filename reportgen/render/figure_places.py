"""Where the values of a figure stand on its picture, so that a page can show them under the pointer.

Nothing is known of how a figure draws: what a line, mark or bar is labelled with and its coordinates are looked up
among the plotted data. What is not found there, or in more than one row, has no place; it is never guessed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen import numbers
from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import comparison_id, result_id

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as MatplotlibFigure

_Found: TypeAlias = dict[int, set[tuple[int, ...]]]
"""Rows of the data by number, each with the columns, or pairs of columns, in which what was looked for stands."""
_POINTS = 72
_APART = 3.0
"""Points: of places nearer to each other, of one text, the first is kept; a pointer could not tell them apart."""
_CONTEXT = ("subset", "scope", "status", "sd_over")
"""Columns that are the same for the whole figure, whose caption says them."""
_COORDINATES = ("metric", "system", "subset", "scope")
_OF_PAIR = ("metric", "system_a", "system_b", "subset", "scope")
_DECIMALS = 3
_EXACT = 9
"""Decimals to which the middle of a bar is known: its left end and its width are sums of binary fractions."""


@dataclass(frozen=True, slots=True)
class Place:
    """One value: its place in points from the upper left corner, what it is in words, and the result it shows."""

    x: float
    y: float
    text: str
    result: str = ""
    size: tuple[float, float] = (0.0, 0.0)
    """Width and height of a bar around the place; a point has none."""


@dataclass(frozen=True, slots=True)
class _Vertex:
    """A point that was drawn: its data coordinates, and the axes and artist it belongs to."""

    axes: Axes
    label: str
    words: str
    """The label, the panel's title and the name of the row, without spaces, as names break into lines anywhere."""
    x: float
    y: float
    pairs: tuple[tuple[float, float], ...]
    """What of it may be two values of one row: the coordinates of a point, the position and the length of a bar."""
    alone: tuple[float, ...]
    """What of it may be a single value."""
    size: tuple[float, float] = (0.0, 0.0)


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
        far = vertex.axes.transData.transform((vertex.x + vertex.size[0] / 2, vertex.y + vertex.size[1] / 2))
        size = (round(2 * abs(float(far[0] - x)) * scale, 1), round(2 * abs(float(far[1] - y)) * scale, 1))
        place = Place(round(x * scale, 1), round((height - y) * scale, 1), rows.text(row), rows.result(row), size)
        found.setdefault((round(place.x / _APART), round(place.y / _APART), place.text), place)
    return tuple(found.values())


def _vertices(drawing: MatplotlibFigure) -> Iterator[_Vertex]:
    from matplotlib.patches import Rectangle

    for axes in drawing.axes:
        for line in axes.lines:
            if _in_data(line, axes):
                label = str(line.get_label())
                points = np.asarray(line.get_xydata(), dtype=np.float64)
                for x, y in points[np.isfinite(points).all(axis=1)].tolist():
                    yield _Vertex(axes, label, _words(axes, label, y), x, y, ((x, y),), (x, y))
        for bar in axes.patches:
            if isinstance(bar, Rectangle) and _in_data(bar, axes):
                label = str(bar.get_label())
                # A bar that points downwards or to the left has a negative size.
                sizes = (abs(bar.get_width()), abs(bar.get_height()))
                x, y = bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2
                pairs = ((round(x, _EXACT), sizes[1]), (round(y, _EXACT), sizes[0]))
                yield _Vertex(axes, label, _words(axes, label, y), x, y, pairs, sizes, sizes)


def _in_data(artist: Artist, axes: Axes) -> bool:
    """True if both coordinates are data; a reference line has one that is a share of the axes."""
    if not artist.get_visible():
        return False
    along = artist.get_transform().contains_branch_seperately(axes.transData)
    return bool(along[0] and along[1])


def _words(axes: Axes, label: str, y: float) -> str:
    """The label, the panel's title and the tick label nearest to ``y``, which names the row where rows are drawn."""
    title = "".join(axes.get_title(loc) for loc in ("left", "center", "right"))
    nearest = min(axes.yaxis.get_major_ticks(), key=lambda tick: abs(tick.get_loc() - y), default=None)
    return _unspaced(f"{label} {title} {nearest.label1.get_text() if nearest else ''}")


def _unspaced(text: str) -> str:
    return "".join(text.split())


def _there(name: str, words: str) -> int:
    return len(name) if name in words else 0


def _merged(found: Iterable[_Found]) -> _Found:
    merged: _Found = {}
    for rows in found:
        for at, columns in rows.items():
            merged[at] = merged.get(at, set()) | columns
    return merged


class _Rows:
    """The plotted data, by value."""

    def __init__(self, figure: Figure) -> None:
        self._columns, self._rows = figure.columns, figure.rows
        self._results = frozenset(figure.results)
        self._by_value: dict[float, _Found] = defaultdict(dict)
        for at, row in enumerate(self._rows):
            for column, value in enumerate(row):
                if isinstance(value, int | float) and not isinstance(value, bool):
                    self._by_value[float(value)].setdefault(at, set()).add((column,))
        self._by_result = {result: at for at in range(len(self._rows)) if (result := self.result(at))}
        self._texts: dict[int, str] = {}

    def of(self, vertex: _Vertex) -> int | None:
        """The row that a vertex shows, or None where none or more than one fits."""
        if vertex.label in self._by_result:
            return self._by_result[vertex.label]
        # A whole number alone may be a position as well as a value.
        alone = [self._by_value.get(value, {}) for value in vertex.alone if not value.is_integer()]
        found = _merged(self._with(*pair) for pair in vertex.pairs) or _merged(alone)
        if not found:
            return None
        scored = {at: self._named(at, columns, vertex.words) for at, columns in found.items()}
        best = sorted(at for at, score in scored.items() if score == max(scored.values()))
        return best[0] if len({self.text(at) for at in best}) == 1 else None

    def _with(self, first: float, second: float) -> _Found:
        """The rows that have both values, each in a column of its own."""
        ones, others = self._by_value.get(first, {}), self._by_value.get(second, {})
        both = {at: {a + b for a in ones[at] for b in others[at] if a != b} for at in ones.keys() & others.keys()}
        return {at: columns for at, columns in both.items() if columns}

    def _named(self, at: int, found: set[tuple[int, ...]], words: str) -> int:
        """How many characters of a row's names, and of the heads over what was found, stand where the vertex is.

        Of names within names the longer one counts more.
        """
        names = {_unspaced(cell) for cell in self._rows[at] if isinstance(cell, str)}
        heads = (sum(_there(self._columns[column], words) for column in columns) for columns in found)
        return sum(_there(name, words) for name in names) + max(heads)

    def result(self, at: int) -> str:
        """The id of the result or comparison a row shows; empty where the figure does not list it."""
        cells = dict(zip(self._columns, self._rows[at], strict=True))
        if "fold" in cells:
            return ""
        for columns, named in ((_COORDINATES, result_id), (_OF_PAIR, comparison_id)):
            if all(name in cells for name in columns):
                id = named(*(str(cells[name]) for name in columns))
                return id if id in self._results else ""
        return ""

    def text(self, at: int) -> str:
        """A row in words: names first, then each number with the head of its column."""
        if at not in self._texts:
            cells = dict(zip(self._columns, self._rows[at], strict=True))
            kept = {name: value for name, value in cells.items() if value is not None and not self._spare(name)}
            # A name of digits alone (a fold) would be read as a value.
            names = [
                f"{name.removesuffix('_label')} {value}" if value.isdecimal() else value
                for name, value in kept.items()
                if isinstance(value, str) and value
            ]
            values = [
                f"{name.replace('_', ' ')} {_printed(value)}"
                for name, value in kept.items()
                if not isinstance(value, str)
            ]
            self._texts[at] = "; ".join([", ".join(dict.fromkeys(names)), *values]).removeprefix("; ")
        return self._texts[at]

    def _spare(self, column: str) -> bool:
        """True for what the caption says, and for an id whose name stands in a column of its own."""
        twins = {f"{column}_label", f"{column}_name", column.replace("system", "label")} - {column}
        return column in _CONTEXT or any(twin in self._columns for twin in twins)


def _printed(value: Value) -> str:
    if isinstance(value, float):
        return numbers.fixed(value, _DECIMALS)
    return numbers.count(value) if isinstance(value, int) and not isinstance(value, bool) else str(value)
