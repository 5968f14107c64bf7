"""Figures on pages: how high they may be, and grids of panels that go on on the next page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from math import ceil, floor
from typing import Any, Literal, Protocol, Self, runtime_checkable

from reportgen.figures.drawing.words import Sketch
from reportgen.styles import load_tokens
from reportgen.wording.captions import part_of

_POINTS_PER_MM = 72 / 25.4
_VENUES: ContextVar[tuple[str, ...]] = ContextVar("venues", default=())
# Points around all panels of a grid (labels, note, key), and those of a panel's head: a line, and the air around it.
_AROUND, _LINE, _AIR = 90.0, 9.0, 12.0
_CHARACTER = 4.2
"""Points that a letter of a head takes, rather too many than too few."""


@contextmanager
def drawn_for(venues: Sequence[str]) -> Iterator[None]:
    """Have figures fit a page of each of these venues, beside one of the report."""
    token = _VENUES.set(tuple(venues))
    try:
        yield
    finally:
        _VENUES.reset(token)


def page_height() -> float:
    """Return the height in points of the lowest page that figures are drawn for; one that is higher is in parts."""
    return min(height for _, height in _pages())


def column_of(width: float) -> Literal["single", "double"]:
    """Return how many columns a figure of this width (mm) takes, on each of the pages that it is drawn for."""
    widths = load_tokens()["width"]
    columns = [widths["venues"][name]["single"] for name in dict.fromkeys((widths["venue"], *_VENUES.get()))]
    return "single" if width <= min(columns) else "double"


def _pages() -> list[tuple[float, float]]:
    """Return width and height in points of each page that figures are drawn for."""
    widths = load_tokens()["width"]
    found = [widths["venues"][name] for name in dict.fromkeys((widths["venue"], *_VENUES.get()))]
    return [(one["double"] * _POINTS_PER_MM, one["height"] * _POINTS_PER_MM) for one in found]


def lines_on_a_page(columns: int, share: float, head: float) -> int:
    """Return how many lines of panels fit a page, at least one.

    Args:
        columns: Panels to a line.
        share: Height of a panel as a share of its width.
        head: Points of the text above a panel.
    """
    fitting = (floor((height - _AROUND) / (width / columns * share + head)) for width, height in _pages())
    return max(1, min(fitting))


@runtime_checkable
class Panelled(Protocol):
    """What is drawn as a grid of one panel for each system."""

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """Return the name of each panel's system, and the value beside it; nothing for what cannot be parted."""

    @property
    def share(self) -> float:
        """Return the height of a panel as a share of its width."""

    def part(self, start: int, stop: int) -> Self:
        """Return the same with these panels only, on the scales of all."""


def in_parts(sketch: Sketch, columns: int = 4) -> tuple[Sketch, ...]:
    """Return a figure, or several where its panels fill more than a page, each with all rows of the data."""
    data: Any = sketch.draw.args[0] if isinstance(sketch.draw, partial) and sketch.draw.args else None
    if not isinstance(data, Panelled) or len(data.heads) <= columns:
        return (sketch,)
    heads = data.heads
    room = min(width for width, _ in _pages()) / columns - 24
    lines = max(sum(ceil(len(text) * _CHARACTER / room) for text in head if text) for head in heads)
    most = columns * lines_on_a_page(columns, data.share, lines * _LINE + _AIR)
    if len(heads) <= most:
        return (sketch,)
    n = ceil(len(heads) / most)
    # Full lines of panels in every part but the last.
    size = ceil(ceil(len(heads) / n) / columns) * columns
    starts = range(0, len(heads), size)
    return tuple(
        _part(sketch, data, at, len(starts), start, min(start + size, len(heads)))
        for at, start in enumerate(starts, start=1)
    )


def _part(sketch: Sketch, data: Panelled, at: int, of: int, start: int, stop: int) -> Sketch:
    """Return one part; its template asks ``panels`` which panels it has."""
    names = [name for name, _ in data.heads]
    assert isinstance(sketch.draw, partial)  # where its data come from
    part = {"at": at, "first": start + 1, "last": stop, "n": stop - start, "of": len(names), "title": sketch.title}
    return replace(
        sketch,
        id=sketch.id if at == 1 else f"{sketch.id}-{at}",
        title=f"{sketch.title}{part_of(at, of)}",
        results=_results(sketch, names[start:stop]),
        draw=partial(sketch.draw.func, data.part(start, stop)),
        facts={**sketch.facts, "panels": part},
    )


def _results(sketch: Sketch, labels: Sequence[str]) -> tuple[str, ...]:
    """Return the results of a figure that are of some systems, by the labels in its data."""
    system, label = (sketch.columns.index(name) for name in ("system", "label"))
    ids = {str(row[system]) for row in sketch.rows if row[label] in labels}
    return tuple(result for result in sketch.results if ids & set(result.split("|")))
