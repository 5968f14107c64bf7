"""The reliability diagram: observed share of positives against the predicted probability, with counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Figure, Value
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.curves import curves_of
from reportgen.figures.drawing.layout import diagonal, fit_height, new_figure, note, size_in_points, unit_square
from reportgen.figures.drawing.lettering import legible, text_width, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.wording import (
    Phrase,
    differs_sentence,
    interval_level,
    level_text,
    number,
    ranking,
    scope_text,
    sentence,
    sizes,
    standing,
    synthetic_sentence,
    value_text,
)
from reportgen.numbers import count
from reportgen.styles import Tokens

ORDER = 20
METRIC = "ece"
SUBSET = "all_queries"
# Height of the strip of counts, as a share of the square above it.
_STRIP = 0.24
# More systems than this are summed up in the alternative text, which must stay short enough to be read out.
_NAMED = 6


@dataclass(frozen=True, slots=True)
class Panel:
    """One system: points with their band, units per point, and the printed calibration error."""

    name: str
    order: int
    x: tuple[float, ...]
    y: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    n: tuple[int, ...]
    ece: str


@dataclass(frozen=True, slots=True)
class ReliabilityData:
    """All that is drawn, panel by panel in the order of presentation."""

    panels: tuple[Panel, ...]
    note: str
    unit: str
    synthetic: bool


def build(results: Results) -> tuple[Figure, ...]:
    """The reliability diagram, or nothing if no system has a curve."""
    curves = curves_of(results, "reliability", SUBSET)
    if not curves:
        return ()
    estimates = {curve.system: _ece(results, curve) for curve in curves}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    level = interval_level(results, known)
    scopes = dict.fromkeys(text for e in known if (text := scope_text(results, e.scope)))
    heading = f"ECE{''.join(f', {scope}' for scope in scopes)}{f' [{level} CI]' if level else ''}"
    data = ReliabilityData(
        panels=tuple(_panel(results, curve, estimates[curve.system]) for curve in curves),
        note=f"{heading}; {sizes(results, results.subset_by_id[SUBSET])}",
        unit=results.units.query.many,
        synthetic=results.run.synthetic,
    )
    return (
        Figure(
            id="reliability",
            title="Reliability diagram",
            caption=_caption(results, curves, known),
            alt=_alt(results, curves),
            columns=("system", "label", "scope", "mean_predicted", "observed_share", "lower", "upper", "n"),
            rows=tuple(row for curve in curves for row in _rows(results, curve)),
            results=tuple(estimate.id for estimate in known),
            draw=partial(paint, data),
            width="single" if len(curves) <= 2 else "double",
        ),
    )


def _ece(results: Results, curve: Curve) -> Estimate | None:
    same = results.find(METRIC, curve.system, curve.subset, curve.scope)
    return same or results.headline(METRIC, curve.system, curve.subset)


def _panel(results: Results, curve: Curve, estimate: Estimate | None) -> Panel:
    system = results.system_by_id[curve.system]
    return Panel(system.label, system.order, curve.x, curve.y, curve.lower, curve.upper, curve.n, value_text(estimate))


def _rows(results: Results, curve: Curve) -> list[tuple[Value, ...]]:
    label, blank = results.system_by_id[curve.system].label, (None,) * len(curve.x)
    columns = zip(curve.x, curve.y, curve.lower or blank, curve.upper or blank, curve.n or blank, strict=True)
    return [(curve.system, label, curve.scope, *values) for values in columns]


def _caption(results: Results, curves: tuple[Curve, ...], estimates: list[Estimate]) -> Phrase:
    order = ranking(results, estimates)
    message: Phrase
    message = standing(results, order, "calibration error (ECE)", "lowest") if order else ("No system has an ECE.",)
    subset, level = results.subset_by_id[SUBSET], interval_level(results, estimates)
    what = sentence(curves[0].description) or f"Observed share of positive {results.units.query.many} per bin"
    rest = [
        f" {what}; {sizes(results, subset)}, from {results.units.cluster.count(subset.n_clusters)}.",
        f" Brackets: {level} confidence interval." if level else "",
        differs_sentence(results, estimates, "ECE"),
        f" Dashed line: perfect calibration. Lower strip: number of {results.units.query.many} in each bin.",
        synthetic_sentence(results),
    ]
    return (*message, "".join(rest))


def _alt(results: Results, curves: tuple[Curve, ...]) -> str:
    band = next((curve.band for curve in curves if curve.band), None)
    bands = f" with {level_text(band.level)} bands" if band else ""
    opening = (
        f"Reliability diagram of {number(len(curves), 'system', 'systems')}{bands} "
        f"above bars that count {results.units.query.many}."
    )
    named = curves[:_NAMED] if len(curves) <= _NAMED else ()
    if named:
        return f"{opening} {' '.join(_position(results.system_by_id[c.system].label, (c,)) for c in named)}"
    return f"{opening} {_position('All systems together', curves)}"


def _position(who: str, curves: tuple[Curve, ...]) -> str:
    """Where points and bands lie against the diagonal, in one sentence."""
    points = [(x, low, high) for c in curves for x, low, high in zip(c.x, c.lower or c.y, c.upper or c.y, strict=True)]
    above, below = sum(low > x for x, low, _ in points), sum(high < x for x, _, high in points)
    what = "whole bands" if any(curve.band for curve in curves) else "points"
    return (
        f"{who}: of {number(len(points), 'bin', 'bins')}, {above} with {what} above the diagonal (predicted too low), "
        f"{below} below it (predicted too high)."
    )


@styled
def paint(data: ReliabilityData, tokens: Tokens) -> MatplotlibFigure:
    """Draw one square with its strip of counts for each system."""
    style = Style.of(tokens)
    columns = _columns(len(data.panels))
    rows = -(-len(data.panels) // columns)
    width = style.single if len(data.panels) <= 2 else style.double
    figure = new_figure(width, width / columns * rows * (1 + _STRIP))
    grid = figure.add_gridspec(2 * rows, columns, height_ratios=(1, _STRIP) * rows)
    most = max((n for panel in data.panels for n in panel.n), default=0)
    room = width * POINTS_PER_INCH / columns - 24
    # A word longer than the strip is high would run into the label above it.
    word = legible(data.unit, tokens)
    unit = word if text_width(word, style.small, tokens) < room * _STRIP * 1.2 else "n"
    squares: list[Axes] = []
    for at, panel in enumerate(data.panels):
        row, column = divmod(at, columns)
        square = figure.add_subplot(grid[2 * row, column])
        strip = figure.add_subplot(grid[2 * row + 1, column], sharex=square)
        _square(square, panel, style)
        _strip(strip, panel, most, style)
        square.set_title(wrapped(legible(panel.name, tokens), room, style.small, tokens), fontsize=style.small)
        square.tick_params(labelbottom=False, labelleft=column == 0)
        if column == 0:
            square.set_ylabel("Observed share")
            strip.set_ylabel(unit, fontsize=style.small, color=style.muted)
        strip.tick_params(labelbottom=at + columns >= len(data.panels), labelleft=column == 0)
        squares.append(square)
    figure.supxlabel("Predicted probability", fontsize=style.size)
    figure.align_ylabels()
    shared = wrapped(legible(data.note, tokens), width * POINTS_PER_INCH * 0.8, style.small, tokens)
    note(figure, shared, style, synthetic=data.synthetic)
    fit_height(figure, lambda: rows * (1 + _STRIP) * _lack_of_square(squares[0]))
    return figure


def _columns(panels: int) -> int:
    """As few rows as keep a panel readable, without a last row that holds a single panel where three fit."""
    if panels <= 4:
        return panels
    return 3 if panels in {5, 6, 9} else 4


def _square(axes: Axes, panel: Panel, style: Style) -> None:
    mark = style.mark(panel.order)
    unit_square(axes, (0.0, 0.5, 1.0))
    diagonal(axes, style)
    if panel.lower:
        axes.fill_between(panel.x, panel.lower, panel.upper, color=mark.colour, alpha=style.band, linewidth=0)
    axes.plot(panel.x, panel.y, color=mark.colour, marker=mark.marker, linewidth=0.9, zorder=2.2)
    # The corner below the diagonal, unless the curve runs there.
    if any(low < 0.16 for x, low in zip(panel.x, panel.lower or panel.y, strict=True) if x > 0.3):
        axes.text(0.03, 0.97, panel.ece, transform=axes.transAxes, ha="left", va="top", fontsize=style.small)
    else:
        axes.text(0.97, 0.04, panel.ece, transform=axes.transAxes, ha="right", va="bottom", fontsize=style.small)


def _strip(axes: Axes, panel: Panel, most: int, style: Style) -> None:
    """Bars of one scale for all panels, so that they can be compared; the tick is the largest count."""
    axes.grid(visible=False)
    axes.set_ylim(0, max(most, 1) * 1.08)
    axes.set_yticks([0, max(most, 1)], ["0", count(most)])
    if panel.n:
        axes.bar(panel.x, panel.n, width=0.035, color=style.mark(panel.order).colour, alpha=0.75)


def _lack_of_square(axes: Axes) -> float:
    width, height = size_in_points(axes)
    return width - height
