"""Curves of systems with their bands: in one plot, or in a panel for each system where there are many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Value
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.data import (
    missing_systems,
    training_column,
)
from reportgen.figures.drawing.layout import (
    SYNTHETIC,
    Corner,
    PanelGrid,
    Panels,
    columns_of,
    fit_height,
    key,
    lack_of_height,
    line_of,
    new_figure,
    note,
    paint_grid,
    show_rows,
    size_in_points,
    solve,
)
from reportgen.figures.drawing.lettering import legible, legible_words, text_width, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.styles import Tokens
from reportgen.wording.captions import drawn_level
from reportgen.wording.heads import one_vs_rest, origin, sizes
from reportgen.wording.rankings import ranking
from reportgen.wording.text import capital, percent, value_text

ALL = "all_queries"
"""The subset of the curves that are drawn for whole systems."""
# More bands than this in one plot hide each other; then each system gets a panel of its own.
OVERLAY = 6
_ALIGNED = {"lower": (0.05, "bottom"), "upper": (0.95, "top"), "left": (0.03, "left"), "right": (0.97, "right")}


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
    trainings: tuple[tuple[tuple[float, ...], tuple[float, ...], tuple[int | None, ...]], ...] = ()
    """x, y and rows of the data of single trainings, for a system whose curve is their mean."""

    def from_origin(self) -> Series:
        """Return the series with (0, 0) before its first point, which lies higher on the same vertical or there too.

        The band starts where it is recorded: on that vertical it has no width to show.
        """
        return replace(
            self,
            x=(0.0, *self.x),
            y=(0.0, *self.y),
            lower=(*self.lower[:1], *self.lower),
            upper=(*self.upper[:1], *self.upper),
            rows=(None, *self.rows),
            trainings=tuple(((0.0, *x), (0.0, *y), (None, *rows)) for x, y, rows in self.trainings),
        )


@dataclass(frozen=True, slots=True)
class ReferenceLine:
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
    references: tuple[ReferenceLine, ...]
    plane: Plane
    corners: tuple[Corner, ...]
    """Where the key may stand, the best place first; it goes below the plot where it would cover a curve."""
    heading: str
    sizes: str
    synthetic: bool
    panels: tuple[int, int] = (0, 0)
    """The first series with a panel of its own and the one after the last, in a part of more; both 0 for a whole."""

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """Return the name above each panel; nothing where one plot holds all."""
        return tuple((series.name, "") for series in self.series) if len(self.series) > OVERLAY else ()

    @property
    def share(self) -> float:
        """Return the height of a panel as a share of its width."""
        return self.plane.share

    def part(self, start: int, stop: int) -> CurveChart:
        """Return the same with panels of these series only, each before all others."""
        return replace(self, panels=(start, stop))

    @property
    def on_axes(self) -> Callable[[Axes, Tokens], None] | None:
        """Return what draws all curves on axes of somebody's; None where they need a panel each."""
        return partial(_draw_on, self) if len(self.series) <= OVERLAY else None


@dataclass(frozen=True, slots=True)
class AreaFigure:
    """What tells the ROC figure and the precision-recall figure from each other."""

    id: str
    title: str
    metric: str
    short: str
    plane: Plane
    corners: tuple[Corner, ...]
    from_origin: bool
    """Whether every curve starts at (0, 0), also where its first recorded point lies higher."""
    line: ReferenceLine
    """What a system without information would follow."""
    prevalence: Estimate | None = None
    """What the line is, where it is the prevalence and was computed."""
    line_results: tuple[str, ...] = ()


def curves_of(results: Results, kind: str, subset: str = ALL) -> tuple[Curve, ...]:
    """Return one curve per system, in the order of presentation, all of one aggregation.

    It is the headline's aggregation if any system has such a curve in it, else pooled: curves of two aggregations are
    different statistics and do not share a plot.
    """
    found = [curve for curve in results.curves if curve.kind == kind and curve.subset == subset and curve.x]
    aggregations = {curve.aggregation for curve in found}
    aggregation = results.headline_aggregation if results.headline_aggregation in aggregations else "pooled"
    chosen = [curve for curve in found if curve.aggregation == aggregation]
    return tuple(sorted(chosen, key=lambda curve: results.system_by_id[curve.system].order))


def estimate_of(results: Results, metric: str, curve: Curve) -> Estimate | None:
    """Return the value that is next to a curve: of the curve's own aggregation if recorded."""
    same = results.find(metric, curve.system, curve.subset, curve.aggregation)
    return same or results.headline(metric, curve.system, curve.subset)


def series_of(results: Results, curve: Curve, first_row: int, text: str = "") -> Series:
    """Return what is drawn of a curve, with a text beside its name; its data begin at ``first_row``."""
    system, bounds = results.system_by_id[curve.system], (curve.lower, curve.upper)
    ends = list(accumulate(_sizes(curve), initial=first_row))
    rows = [tuple(range(*ends[at : at + 2])) for at in range(len(ends) - 1)]
    trainings = tuple((one.x, one.y, found) for one, found in zip(curve.seeds, rows[1:], strict=True))
    return Series(system.label, system.order, curve.x, curve.y, *bounds, curve.n, text, rows[0], trainings)


def curve_rows(results: Results, curves: Sequence[Curve], *, counts: bool = False) -> tuple[tuple[Value, ...], ...]:
    """Return the data of curves: system, label, aggregation, x, y, the band's bounds; with ``counts`` units per point.

    Those of single trainings follow, with :func:`training_column` where that is.
    """
    rows: list[tuple[Value, ...]] = []
    several = bool(training_column(results))
    for curve in curves:
        head = (curve.system, results.system_by_id[curve.system].label, curve.aggregation)
        blank = (None,) * len(curve.x)
        columns = [curve.x, curve.y, curve.lower or blank, curve.upper or blank]
        columns += [curve.n or blank] if counts else []
        rows += [(*head, *values, *([None] if several else [])) for values in zip(*columns, strict=True)]
        nothing = (None,) * (3 if counts else 2)
        for one in curve.seeds:
            rows += [(*head, x, y, *nothing, one.seed) for x, y in zip(one.x, one.y, strict=True)]
    return tuple(rows)


def first_rows(curves: Sequence[Curve]) -> dict[str, int]:
    """Return for each curve, by its id, at which of the rows of :func:`curve_rows` its data begin."""
    starts = accumulate((sum(_sizes(curve)) for curve in curves), initial=0)
    return {curve.id: at for curve, at in zip(curves, starts, strict=False)}


def _sizes(curve: Curve) -> list[int]:
    """Return the number of points of a curve, and of each of its trainings."""
    return [len(curve.x), *(len(one.x) for one in curve.seeds)]


def best_first(
    results: Results, curves: Sequence[Curve], estimates: Mapping[str, Estimate | None]
) -> tuple[list[Curve], list[Estimate]]:
    """Return the curves from the best value beside them to the worst, and the values that there are."""
    known = [estimate for curve in curves if (estimate := estimates.get(curve.system)) is not None]
    order = ranking(results, known)
    place = {estimate.system: at for at, estimate in enumerate(order.ranked if order else ())}
    return sorted(curves, key=lambda curve: place.get(curve.system, len(place))), known


def area_figure(results: Results, what: AreaFigure) -> tuple[Sketch, ...]:
    """Return the figure of one kind of curve, or nothing if no system has one."""
    curves = curves_of(results, what.id)
    if not curves:
        return ()
    what = replace(what, short=one_vs_rest(results, what.short))
    estimates = {curve.system: estimate_of(results, what.metric, curve) for curve in curves}
    shown, known = best_first(results, curves, estimates)
    level, rows = drawn_level(results, known), first_rows(curves)
    series = [series_of(results, curve, rows[curve.id], value_text(estimates[curve.system])) for curve in shown]
    data = CurveChart(
        series=tuple(one.from_origin() if what.from_origin else one for one in series),
        references=(what.line,),
        plane=what.plane,
        corners=what.corners,
        heading=f"{what.short} [{level} CI]" if level else what.short if known else "",
        sizes=sizes(results, results.subset_by_id[ALL]),
        synthetic=results.run.synthetic,
    )
    axes = tuple(label.lower().replace(" ", "_") for label in (what.plane.x_label, what.plane.y_label))
    return (
        Sketch(
            id=what.id,
            title=what.title,
            columns=("system", "label", "aggregation", *axes, "lower", "upper", *training_column(results)),
            rows=curve_rows(results, curves),
            results=(*(estimate.id for estimate in known), *what.line_results),
            draw=partial(paint_curves, data),
            width="single" if len(curves) <= OVERLAY else "double",
            facts=_facts(results, shown, estimates, known, what),
        ),
    )


def _facts(
    results: Results,
    curves: Sequence[Curve],
    estimates: Mapping[str, Estimate | None],
    known: list[Estimate],
    what: AreaFigure,
) -> dict[str, Any]:
    """Return the facts of the caption; ``curves`` are those drawn, from the largest area to the smallest."""
    missing = missing_systems(results, what.metric, {curve.system for curve in curves})
    subset, band = results.subset_by_id[ALL], next((curve.band for curve in curves if curve.band), None)
    areas = [(results.system_by_id[curve.system].label, estimates[curve.system]) for curve in curves]
    return {
        "leads": ranking(results, known),
        "metric": what.metric,
        "short": what.short,
        "described": capital(curves[0].description).rstrip("."),
        "on_what": f"{sizes(results, subset)}{origin(results, subset)}",
        "known": known,
        "line_level": what.prevalence,
        "curves": curves,
        "missing": missing,
        "axes": [text.lower() for text in (what.plane.x_label, what.plane.y_label)],
        "band": f"{percent(band.level)} {band.kind}" if band else "",
        "above": all((np.array(c.y) >= np.interp(c.x, what.line.x, what.line.y)).all() for c in curves),
        "areas": [f"{label} ({area.display.value})" if area else label for label, area in areas],
    }


@styled
def paint_curves(data: CurveChart, tokens: Tokens) -> MatplotlibFigure:
    """Draw all curves in one plot, or one panel per system where there are more than ``OVERLAY``."""
    return _overlay(data, tokens) if len(data.series) <= OVERLAY else paint_grid(_panel_grid(data), tokens)


def _overlay(data: CurveChart, tokens: Tokens) -> MatplotlibFigure:
    style = Style.of(tokens)
    figure = new_figure(style.single, style.single * data.plane.share)
    axes = figure.add_subplot()
    _plot(axes, data, style)
    names, heading = _key_texts(data, style.single * POINTS_PER_INCH * 0.9, style, tokens)
    note(figure, "", style, synthetic=data.synthetic)
    solve(figure)
    corner = _free_corner(axes, data, names + heading.split("\n"), style, tokens)
    handles = [line_of(style.mark(series.order), style) for series in data.series]
    key(axes if corner else figure, handles, names, style, corner or "outside lower left", title=heading or None)
    fit_height(figure, lambda: lack_of_height(axes, data.plane.share))
    return figure


def _plot(axes: Axes, data: CurveChart, style: Style) -> None:
    _frame(axes, data, style, labels=True)
    axes.set(xlabel=data.plane.x_label, ylabel=data.plane.y_label)
    for series in data.series:
        draw_curve(axes, series, style)


def _key_texts(data: CurveChart, room: float, style: Style, tokens: Tokens) -> tuple[list[str], str]:
    """Return the entries of the key and its heading, broken to fit so many points."""
    names = [wrapped(f"{s.text}  {legible(s.name, tokens)}".strip(), room, style.small, tokens) for s in data.series]
    return names, f"{data.heading}\n{wrapped(legible_words(data.sizes, tokens), room, style.small, tokens)}".strip()


def _draw_on(data: CurveChart, axes: Axes, tokens: Tokens) -> None:
    """Draw all curves, with their key in the corner that has the most room; title and size stay as they are."""
    style = Style.of(tokens)
    _plot(axes, data, style)
    names, heading = _key_texts(data, axes.bbox.width * POINTS_PER_INCH / axes.figure.dpi * 0.8, style, tokens)
    if data.synthetic:
        heading = f"{SYNTHETIC}. {heading}"
    handles = [line_of(style.mark(series.order), style) for series in data.series]
    key(axes, handles, names, style, "best", title=heading or None)


def _free_corner(axes: Axes, data: CurveChart, lines: list[str], style: Style, tokens: Tokens) -> Corner | None:
    """Return the first corner in which the key covers no curve, no band and no labelled line."""
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
    """Yield upper and lower edge of every curve at its points between two places, and at these."""
    for x, lower, upper in edges:
        places = [left, right, *(value for value in x if left < value < right)]
        for place in places:
            yield float(np.interp(place, x, upper)), float(np.interp(place, x, lower))


def _panel_grid(data: CurveChart) -> PanelGrid[Series]:
    """Return each panel shows one system in its colour before the others in grey."""
    own = data.series[slice(*data.panels)] if data.panels[1] else data.series
    panels = Panels(
        heads=tuple((series.name, "") for series in own),
        share=data.plane.share,
        x_label=data.plane.x_label,
        y_label=data.plane.y_label,
        note="; ".join(part for part in (data.heading, data.sizes) if part),
        synthetic=data.synthetic,
        of_more=columns_of(len(data.series)) if data.panels[1] else 0,
    )
    return PanelGrid(panels, own, partial(_before_others, data), lambda *_: None)


def _before_others(data: CurveChart, axes: Axes, series: Series, style: Style) -> None:
    vertical, horizontal = (_ALIGNED[word] for word in data.corners[0].split())
    _frame(axes, data, style, labels=False)
    for other in data.series:
        if other is not series:
            (line,) = axes.plot(other.x, other.y, color=style.context, linewidth=style.context_line, zorder=1.6)
            show_rows(line, other.rows)
    draw_curve(axes, series, style)
    axes.text(horizontal[0], vertical[0], series.text, transform=axes.transAxes, ha=horizontal[1],
              va=vertical[1], fontsize=style.small)  # fmt: skip


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


def draw_curve(axes: Axes, series: Series, style: Style, **look: Any) -> None:
    """Draw a curve with its band; ``look`` is what differs from a line in the system's colour and dash."""
    mark = style.mark(series.order)
    colour = look.get("color", mark.colour)
    for x, y, rows in series.trainings:
        (line,) = axes.plot(x, y, color=colour, linewidth=0.5 * style.context_line, zorder=1.9, label="_training")
        show_rows(line, rows)
    if series.lower:
        axes.fill_between(series.x, series.lower, series.upper, color=mark.colour, alpha=style.band, linewidth=0,
                          zorder=1.8)  # fmt: skip
    look = {"color": mark.colour, "linestyle": mark.dash, "label": series.name, "zorder": 2.2, **look}
    (line,) = axes.plot(series.x, series.y, **look)
    show_rows(line, series.rows)
