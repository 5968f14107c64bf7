"""The ROC curves of all systems with their bands: true against false positive rate over all thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.curves import curves_of
from reportgen.figures.drawing.layout import (
    diagonal,
    fit_height,
    key,
    new_figure,
    note,
    size_in_points,
    solve,
    unit_square,
)
from reportgen.figures.drawing.lettering import legible, text_width, wrapped
from reportgen.figures.drawing.style import Style, styled
from reportgen.figures.drawing.wording import (
    Phrase,
    differs_sentence,
    interval_level,
    level_text,
    listed,
    number,
    origin,
    ranking,
    sentence,
    sizes,
    standing,
    synthetic_sentence,
    value_text,
)
from reportgen.styles import Tokens

ORDER = 10
METRIC = "auroc"
SUBSET = "all_queries"
# More bands than this in one plot hide each other; then each system gets a panel of its own.
OVERLAY = 6
_COLUMNS = 4


@dataclass(frozen=True, slots=True)
class Series:
    """One system's curve; ``order`` decides its mark, ``auroc`` is the printed value with its interval."""

    name: str
    order: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    auroc: str


@dataclass(frozen=True, slots=True)
class RocData:
    """All that is drawn: curves in the order of the key, its heading, the denominator."""

    series: tuple[Series, ...]
    heading: str
    sizes: str
    synthetic: bool


def build(results: Results) -> tuple[Figure, ...]:
    """The ROC figure, or nothing if no system has a curve."""
    curves = curves_of(results, "roc", SUBSET)
    if not curves:
        return ()
    estimates = {curve.system: _auroc(results, curve) for curve in curves}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    order = ranking(results, known)
    best_first = [e.system for e in (order.best, *order.others)] if order else []
    place = {system: at for at, system in enumerate(best_first)}
    shown = sorted(curves, key=lambda curve: place.get(curve.system, len(place)))
    level = interval_level(results, known)
    data = RocData(
        series=tuple(_series(results, curve, estimates[curve.system]) for curve in shown),
        heading=f"AUROC [{level} CI]" if level else "AUROC",
        sizes=sizes(results, results.subset_by_id[SUBSET]),
        synthetic=results.run.synthetic,
    )
    return (
        Figure(
            id="roc",
            title="ROC curves",
            caption=_caption(results, curves, known),
            alt=_alt(results, shown, estimates),
            columns=("system", "label", "scope", "false_positive_rate", "true_positive_rate", "lower", "upper"),
            rows=tuple(row for curve in curves for row in _rows(results, curve)),
            results=tuple(estimate.id for estimate in known),
            draw=partial(paint, data),
            width="single" if len(curves) <= OVERLAY else "double",
        ),
    )


def _auroc(results: Results, curve: Curve) -> Estimate | None:
    """The area of the curve that is drawn: of the curve's own scope if recorded."""
    same = results.find(METRIC, curve.system, curve.subset, curve.scope)
    return same or results.headline(METRIC, curve.system, curve.subset)


def _series(results: Results, curve: Curve, estimate: Estimate | None) -> Series:
    system = results.system_by_id[curve.system]
    return Series(system.label, system.order, curve.x, curve.y, curve.lower, curve.upper, value_text(estimate))


def _rows(results: Results, curve: Curve) -> list[tuple[Value, ...]]:
    label = results.system_by_id[curve.system].label
    bounds = zip(curve.lower, curve.upper, strict=True) if curve.band else ((None, None) for _ in curve.x)
    return [
        (curve.system, label, curve.scope, x, y, lower, upper)
        for x, y, (lower, upper) in zip(curve.x, curve.y, bounds, strict=True)
    ]


def _caption(results: Results, curves: tuple[Curve, ...], estimates: list[Estimate]) -> Phrase:
    order = ranking(results, estimates)
    message: Phrase = standing(results, order, "AUROC", "highest") if order else ("No system has a defined AUROC.",)
    subset = results.subset_by_id[SUBSET]
    level = interval_level(results, estimates)
    what = sentence(curves[0].description) or "ROC curve"
    drawn = [
        f" {what}; {sizes(results, subset)}{origin(results, subset)}.",
        f" Brackets: {level} confidence interval of the area." if level else "",
        differs_sentence(results, estimates, "AUROC"),
        " Dashed line: chance.",
        synthetic_sentence(results),
    ]
    return (*message, "".join(drawn))


def _alt(results: Results, curves: list[Curve], estimates: dict[str, Estimate | None]) -> str:
    names = []
    for curve in curves:
        estimate, label = estimates[curve.system], results.system_by_id[curve.system].label
        names.append((f"{label} ({estimate.display.value})" if estimate else label,))
    above = all(y >= x for curve in curves for x, y in zip(curve.x, curve.y, strict=True))
    one = len(curves) == 1
    who = ("It does not fall" if one else "None falls") if above else ("It falls" if one else "At least one falls")
    where = f"{who} below the chance line{'' if above else ' in part'}."
    inside = "".join(str(part) for part in listed(names))
    band = next((curve.band for curve in curves if curve.band), None)
    bands = f", with {level_text(band.level)} {band.kind} bands" if band else ""
    return (
        f"Line chart of the true positive rate against the false positive rate for "
        f"{number(len(curves), 'system', 'systems')}{bands}. {where} "
        f"{'Area under the curve' if one else 'Areas under the curves, largest first'}: {inside}."
    )


@styled
def paint(data: RocData, tokens: Tokens) -> MatplotlibFigure:
    """Draw all curves in one square, or one panel per system where there are many."""
    return _overlay(data, tokens) if len(data.series) <= OVERLAY else _panels(data, tokens)


def _overlay(data: RocData, tokens: Tokens) -> MatplotlibFigure:
    style = Style.of(tokens)
    figure = new_figure(style.single, style.single)
    axes = figure.add_subplot()
    _frame(axes, style)
    axes.set(xlabel="False positive rate", ylabel="True positive rate")
    for series in data.series:
        _curve(axes, series, style)
    room = style.single * 72 * 0.9
    entries = [
        (style.mark(s.order), wrapped(f"{s.auroc}  {legible(s.name, tokens)}".strip(), room, style.small, tokens))
        for s in data.series
    ]
    heading = f"{data.heading}\n{wrapped(legible(data.sizes, tokens), room, style.small, tokens)}"
    note(figure, "", style, synthetic=data.synthetic)
    solve(figure)
    inside = _fits_inside(axes, data, [text for _, text in entries] + heading.split("\n"), style, tokens)
    if inside:
        key(axes, entries, style, location="lower right", heading=heading)
    else:
        key(figure, entries, style, location="outside lower left", heading=heading)
    fit_height(figure, lambda: _lack_of_square(axes))
    return figure


def _fits_inside(axes: Axes, data: RocData, lines: list[str], style: Style, tokens: Tokens) -> bool:
    """Whether the key can stand in the lower right corner without covering a curve or a band."""
    width, _ = size_in_points(axes)
    handle, pitch = 3.2 * style.small, 1.3 * style.small
    texts = [line for text in lines for line in text.split("\n")]
    wide = (handle + max(text_width(line, style.small, tokens) for line in texts)) / width
    high = (pitch * len(texts) + style.small) / width
    if wide > 0.8:
        return False
    left = 0.98 - wide
    edges = [(series.x, series.lower or series.y) for series in data.series]
    lowest = min(float(y) for xs, ys in edges for y in (*(y for x, y in zip(xs, ys, strict=True) if x >= left),
                                                        np.interp(left, xs, ys)))  # fmt: skip
    return lowest > high


def _panels(data: RocData, tokens: Tokens) -> MatplotlibFigure:
    """Each panel shows one system in its colour before the others in grey."""
    style = Style.of(tokens)
    rows = -(-len(data.series) // _COLUMNS)
    figure = new_figure(style.double, style.double * rows / _COLUMNS)
    grid = figure.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False)
    panels = list(grid.flat)
    for axes, series in zip(panels, data.series, strict=False):
        _frame(axes, style, ticks=(0.0, 0.5, 1.0))
        for other in data.series:
            if other is not series:
                axes.plot(other.x, other.y, color=style.context, linewidth=style.context_line, zorder=1.6)
        _curve(axes, series, style)
        name = wrapped(legible(series.name, tokens), style.double * 72 / _COLUMNS - 24, style.small, tokens)
        axes.set_title(name, fontsize=style.small)
        axes.text(0.97, 0.05, series.auroc, transform=axes.transAxes, ha="right", va="bottom", fontsize=style.small)
    for axes in islice(panels, len(data.series), None):
        axes.set_visible(False)
    # The last panel of a column keeps its tick labels where the row below is not full.
    for axes in panels[len(data.series) - _COLUMNS : len(data.series)]:
        axes.tick_params(labelbottom=True)
    figure.supxlabel("False positive rate", fontsize=style.size)
    figure.supylabel("True positive rate", fontsize=style.size)
    shared = legible(f"{data.heading}; {data.sizes}", tokens)
    note(figure, wrapped(shared, style.double * 72 * 0.8, style.small, tokens), style, synthetic=data.synthetic)
    fit_height(figure, lambda: rows * _lack_of_square(panels[0]))
    return figure


def _frame(axes: Axes, style: Style, ticks: tuple[float, ...] = (0.0, 0.25, 0.5, 0.75, 1.0)) -> None:
    unit_square(axes, ticks)
    diagonal(axes, style)


def _curve(axes: Axes, series: Series, style: Style) -> None:
    mark = style.mark(series.order)
    if series.lower:
        axes.fill_between(
            series.x, series.lower, series.upper, color=mark.colour, alpha=style.band, linewidth=0, zorder=1.8
        )
    # Every ROC curve starts at (0, 0), also where its first recorded point lies higher on the same vertical.
    axes.plot((0.0, *series.x), (0.0, *series.y), color=mark.colour, linestyle=mark.dash, label=series.name, zorder=2.2)


def _lack_of_square(axes: Axes) -> float:
    width, height = size_in_points(axes)
    return width - height
