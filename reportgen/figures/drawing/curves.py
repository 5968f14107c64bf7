"""Choosing the curves a figure draws, and drawing them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from matplotlib.axes import Axes

from reportgen.domain.presentation import Value
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.layout import size_in_points
from reportgen.figures.drawing.style import Style
from reportgen.wording.text import value_text


@dataclass(frozen=True, slots=True)
class Series:
    """One system's curve with its band; ``order`` decides its mark, ``text`` is the printed value beside its name."""

    name: str
    order: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    n: tuple[int, ...]
    text: str
    rows: tuple[int | None, ...]
    """The row of the figure's data that each point shows."""


def curves_of(results: Results, kind: str, subset: str) -> tuple[Curve, ...]:
    """One curve per system, in the order of presentation, all of one scope.

    The scope is the headline's if any system has such a curve in it, else pooled: curves of different scopes are
    different statistics and do not share a plot.
    """
    found = [curve for curve in results.curves if curve.kind == kind and curve.subset == subset and curve.x]
    scopes = {curve.scope for curve in found}
    scope = results.headline_scope if results.headline_scope in scopes else "pooled"
    chosen = [curve for curve in found if curve.scope == scope]
    return tuple(sorted(chosen, key=lambda curve: results.system_by_id[curve.system].order))


def estimate_of(results: Results, metric: str, curve: Curve) -> Estimate | None:
    """The value that stands beside a curve: of the curve's own scope if recorded."""
    same = results.find(metric, curve.system, curve.subset, curve.scope)
    return same or results.headline(metric, curve.system, curve.subset)


def series_of(results: Results, curve: Curve, estimate: Estimate | None, rows: Sequence[int], text: str = "") -> Series:
    """Return what is drawn of a curve, with the printed value and its interval, or a text of one's own."""
    system = results.system_by_id[curve.system]
    said = text or value_text(estimate)
    bounds = curve.lower, curve.upper
    return Series(system.label, system.order, curve.x, curve.y, *bounds, curve.n, said, tuple(rows))


def curve_rows(results: Results, curves: Sequence[Curve], *, counts: bool = False) -> tuple[tuple[Value, ...], ...]:
    """The data of curves: system, its label, scope, x, y, the band's bounds; with ``counts`` units per point."""
    return tuple(row for curve in curves for row in _rows(results, curve, counts))


def row_numbers(curves: Sequence[Curve]) -> dict[str, range]:
    """Return for each curve, by its id, which rows :func:`curve_rows` makes of its points."""
    ends = list(accumulate((len(curve.x) for curve in curves), initial=0))
    return {curve.id: range(*ends[at : at + 2]) for at, curve in enumerate(curves)}


def _rows(results: Results, curve: Curve, counts: bool) -> list[tuple[Value, ...]]:
    label, blank = results.system_by_id[curve.system].label, (None,) * len(curve.x)
    columns = [curve.x, curve.y, curve.lower or blank, curve.upper or blank]
    if counts:
        columns.append(curve.n or blank)
    return [(curve.system, label, curve.scope, *values) for values in zip(*columns, strict=True)]


def draw_band(axes: Axes, series: Series, style: Style) -> None:
    """The band of a curve, where it has one."""
    if series.lower:
        colour = style.mark(series.order).colour
        axes.fill_between(series.x, series.lower, series.upper, color=colour, alpha=style.band, linewidth=0, zorder=1.8)


def lack_of_height(axes: Axes, share: float = 1.0) -> float:
    """Points of height that axes lack to be ``share`` as high as they are wide."""
    width, height = size_in_points(axes)
    return share * width - height
