"""Squares of observed share against predicted probability, each above a strip that counts the predictions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.curves import ALL, Series, curve_rows, draw_curve
from reportgen.figures.drawing.data import missing_systems, training_column
from reportgen.figures.drawing.layout import (
    SYNTHETIC,
    columns_of,
    fit_height,
    lack_of_height,
    new_figure,
    note,
    show_rows,
    unit_square,
)
from reportgen.figures.drawing.lettering import legible, legible_words, text_width, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import count
from reportgen.styles import Tokens
from reportgen.wording.heads import one_vs_rest, origin, sizes
from reportgen.wording.rankings import ranking
from reportgen.wording.text import MOST, capital, counted, percent

_COLUMNS = ("system", "label", "aggregation", "observed_share", "lower", "upper")
# Height of the strip of counts, as a share of the square above it.
_STRIP = 0.24
# Air between a square, its strip and the next square, as a share of the width.
_BETWEEN = 0.08
# Share of the square that a line of text and the air around it take.
_LINE, _AIR = 0.085, 0.075


@dataclass(frozen=True, slots=True)
class Bars:
    """Counts of predictions at places of the horizontal axis."""

    x: tuple[float, ...]
    n: tuple[float, ...]
    width: float
    rows: tuple[int | None, ...] = ()
    """The row of the figure's data that each bar shows; empty where these have no counts."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: tuple[tuple[Series, Bars], ...]
    points: bool
    """Whether every point of a curve is a bin and so has a mark."""
    note: str
    unit: str
    synthetic: bool
    most: int
    """The largest count of all panels, the parts on other pages included."""
    columns: int = 0
    """Panels to a line; by their number if 0."""

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        """Return the name of each panel; its values are in it."""
        return tuple((series.name, "") for series, _ in self.panels)

    @property
    def share(self) -> float:
        """Return the height of a square with its strip, and the air between lines, as a share of its width."""
        return 1 + _STRIP + _BETWEEN

    def part(self, start: int, stop: int) -> Calibration:
        """Return the same with these panels only, as wide as those of the whole."""
        return replace(self, panels=self.panels[start:stop], columns=columns_of(len(self.panels)))


@dataclass(frozen=True, slots=True)
class Diagram:
    """What tells one diagram of calibration from the other."""

    id: str
    title: str
    error: str
    """The metric that the caption begins with, in words, and in short."""
    short: str
    points: bool
    """Whether every point of the curve is a bin: it has a mark, and the data count its queries."""
    x: str
    """Head of the column of probabilities."""
    place: tuple[str, str]
    """What a point of the curve is, one and many."""
    default: str
    """What the curve is, where the record does not describe it."""


def calibration_figure(
    results: Results,
    what: Diagram,
    curves: Sequence[Curve],
    panels: Sequence[tuple[Series, Bars]],
    errors: Sequence[Estimate],
    shown: Sequence[Estimate],
    *,
    heading: str,
    ids: tuple[str, ...],
) -> Sketch:
    """Return a figure of squares; ``errors`` decide who is best calibrated, ``shown`` are all values in the figure."""
    subset, many = results.subset_by_id[ALL], results.units.query.many
    what = replace(what, error=one_vs_rest(results, what.error), short=one_vs_rest(results, what.short))
    missing = missing_systems(results, errors[0].metric, {curve.system for curve in curves}) if errors else []
    data = Calibration(
        panels=tuple(panels),
        points=what.points,
        note="; ".join(part for part in (heading, sizes(results, subset)) if part),
        unit=many,
        synthetic=results.run.synthetic,
        most=math.ceil(max((n for _, bars in panels for n in bars.n), default=0)),
    )
    band = next((curve.band for curve in curves if curve.band), None)
    facts = {
        "leads": ranking(results, errors),
        "error": what.error,
        "short": what.short,
        "known": errors,
        "described": capital(curves[0].description).rstrip(".") or what.default,
        "on_what": f"{sizes(results, subset)}{origin(results, subset)}",
        "curves": curves,
        "missing": missing,
        "band": percent(band.level) if band else "",
        "positions": list(_positions(results, curves, what)),
    }
    return Sketch(
        id=what.id,
        title=what.title,
        columns=(*_COLUMNS[:3], what.x, *_COLUMNS[3:], *(("n",) * what.points), *training_column(results)),
        rows=curve_rows(results, curves, counts=what.points),
        results=ids,
        draw=partial(paint_calibration, data),
        width="single" if len(curves) <= 2 else "double",
        facts=facts,
    )


def _positions(results: Results, curves: Sequence[Curve], what: Diagram) -> Iterator[dict[str, Any]]:
    """Yield where points and bands lie against the diagonal, for each system; of many for all of them together."""
    # The text must stay short enough to be read out.
    if len(curves) > MOST:
        yield _position("All systems together", curves, what)
        return
    for curve in curves:
        yield _position(results.system_by_id[curve.system].label, (curve,), what)


def _position(who: str, curves: Sequence[Curve], what: Diagram) -> dict[str, Any]:
    points = [(x, low, high) for c in curves for x, low, high in zip(c.x, c.lower or c.y, c.upper or c.y, strict=True)]
    return {
        "who": who,
        "places": counted(len(points), *what.place),
        "above": sum(low > x for x, low, _ in points),
        "below": sum(high < x for x, _, high in points),
        "bands": any(curve.band for curve in curves),
    }


@styled
def paint_calibration(data: Calibration, tokens: Tokens) -> MatplotlibFigure:
    """Draw one square with its strip of counts for each system."""
    style = Style.of(tokens)
    columns = data.columns or columns_of(len(data.panels))
    rows = -(-len(data.panels) // columns)
    width = style.single if columns <= 2 else style.double
    figure = new_figure(width, width / columns * rows * (1 + _STRIP))
    grid = figure.add_gridspec(2 * rows, columns, height_ratios=(1, _STRIP) * rows)
    room = width * POINTS_PER_INCH / columns - 24
    # A word longer than the strip is high would run into the label above it.
    word = legible(data.unit, tokens)
    unit = word if text_width(word, style.small, tokens) < room * _STRIP * 1.2 else "n"
    squares: list[Axes] = []
    for at, (series, bars) in enumerate(data.panels):
        row, column = divmod(at, columns)
        square = figure.add_subplot(grid[2 * row, column])
        strip = figure.add_subplot(grid[2 * row + 1, column], sharex=square)
        _square(square, series, style, points=data.points)
        _strip(strip, series, bars, data.most, style)
        square.set_title(wrapped(legible(series.name, tokens), room, style.small, tokens), fontsize=style.small)
        square.tick_params(labelbottom=False, labelleft=column == 0)
        if column == 0:
            square.set_ylabel("Observed share")
            strip.set_ylabel(unit, fontsize=style.small, color=style.muted)
        strip.tick_params(labelbottom=at + columns >= len(data.panels), labelleft=column == 0)
        squares.append(square)
    figure.supxlabel("Predicted probability", fontsize=style.size)
    figure.align_ylabels()
    # The note begins with the statements about synthetic data.
    lead = text_width(f"{SYNTHETIC}. ", style.small, tokens) if data.synthetic else 0.0
    shared = wrapped(legible_words(data.note, tokens), width * POINTS_PER_INCH * 0.8 - lead, style.small, tokens)
    note(figure, shared, style, synthetic=data.synthetic)
    fit_height(figure, lambda: rows * (1 + _STRIP) * lack_of_height(squares[0]))
    return figure


def _square(axes: Axes, series: Series, style: Style, *, points: bool) -> None:
    mark = style.mark(series.order)
    unit_square(axes, style)
    of_points: dict[str, Any] = {"marker": mark.marker, "linewidth": 0.9} if points else {}
    draw_curve(axes, series, style, linestyle="-", **of_points)
    high = _AIR + _LINE * (1 + series.text.count("\n"))
    # The corner below the diagonal, unless the curve runs there.
    if any(low < high for x, low in zip(series.x, series.lower or series.y, strict=True) if x > 0.3):
        # A curve may run in this corner too: then it passes below the text, which stays legible.
        ground = {"facecolor": style.surface, "edgecolor": "none", "alpha": 0.8, "pad": 1.0}
        axes.text(0.03, 0.97, series.text, transform=axes.transAxes, ha="left", va="top", fontsize=style.small,
                  bbox=ground, zorder=3)  # fmt: skip
    else:
        axes.text(0.97, 0.04, series.text, transform=axes.transAxes, ha="right", va="bottom", fontsize=style.small)


def _strip(axes: Axes, series: Series, bars: Bars, most: int, style: Style) -> None:
    """Draw bars of one scale for all panels, so that they can be compared; the tick is the largest count."""
    axes.grid(visible=False)
    axes.set_ylim(0, max(most, 1) * 1.08)
    axes.set_yticks([0, max(most, 1)], ["0", count(most)])
    if bars.n:
        drawn = axes.bar(bars.x, bars.n, width=bars.width, color=style.mark(series.order).colour, alpha=0.75)
        for bar, row in zip(drawn, bars.rows, strict=False):
            show_rows(bar, [row])
