"""Panels of dots with intervals: a metric per panel, a system, pair, step or label per row, texts at the right.

What forest plots, paired differences, plots per label or fold and ladders are made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, islice, pairwise
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import MaxNLocator

from reportgen.domain.presentation import Value
from reportgen.domain.record import Comparison, Estimate, Results
from reportgen.figures.drawing.data import bounds
from reportgen.figures.drawing.layout import (
    fit_height,
    key_below,
    marker_of,
    name_rows,
    new_figure,
    note,
    show_rows,
    size_in_points,
)
from reportgen.figures.drawing.lettering import LONGEST, legible, text_width, wrapped
from reportgen.figures.drawing.pages import page_height
from reportgen.figures.drawing.style import POINTS_PER_INCH, LineStyle, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.styles import Tokens
from reportgen.wording.captions import part_of

ReferenceKind: TypeAlias = Literal["chance", "baseline", "zero"]
REFERENCES: dict[ReferenceKind, tuple[LineStyle, str]] = {
    "chance": ((0.0, (4.0, 2.5)), "Dashed line: chance"),
    "baseline": ((0.0, (1.0, 1.6)), "Dotted line"),
    "zero": ("-", "Vertical line: no difference"),
}
"""How a reference line is dashed, and what a caption calls it."""

# Points: head, tick labels and air of one panel; the note above all panels; a line of the key below them.
_HEAD, _NOTE, _KEY = 34.0, 16.0, 11.5
# Points from dot to dot of a row, of few systems and of many, and the air between rows.
_PITCH, _CLOSE_PITCH, _AIR = 4.8, 3.8, 5.0
# The share of the width that names of rows may take before they break into lines.
_STUB_SHARE, _WIDE_STUB_SHARE = 0.2, 0.26
# Characters of a name that fit a line of the stub, for the height of a row before anything is measured.
_STUB_CHARACTERS = 24
# Characters of a key that fit a line of the page.
_KEY_CHARACTERS = 120
_GAP = 9.0
# Points that several lines of panels take at most: the page before a higher figure would stay half empty.
_LINES = 450.0
# Where a mark without a value stands, as a share of the axis: inside it, away from the remarks of the panel before.
_INSIDE = 0.03
# Points between two ticks, which is more than their labels take, and the most intervals between ticks.
_BIN, _MOST_BINS = 40.0, 6


@dataclass(frozen=True, slots=True)
class Dot:
    """A value with its bounds, in the mark of its system; None is undefined or does not apply."""

    order: int
    """Place of the system whose mark this is."""
    value: float | None
    lower: float | None
    upper: float | None
    result: str
    """Id of the record."""
    folds: tuple[float | None, ...] | None = None
    """Values of single folds, None where undefined, if they are drawn; the value is then a bar among them."""
    trainings: tuple[float | None, ...] = ()
    """Values of single trainings that the value is the mean of, None where undefined."""
    hollow: bool = False
    applies: bool = True
    """False where the system has no such component: nothing is drawn, the text at the right says so."""

    @property
    def rows(self) -> int:
        """Return how many rows of the figure's data it has: one and those of its trainings, or one for each fold."""
        return 1 + len(self.trainings) if self.folds is None else len(self.folds)

    @property
    def numbers(self) -> Iterator[float]:
        """Yield all numbers that are drawn."""
        every = (self.value, self.lower, self.upper, *(self.folds or ()), *self.trainings)
        yield from (number for number in every if number is not None)


def dot_of(results: Results, record: Estimate) -> Dot:
    """Return the dot of a record: its value with the first of its intervals, and its trainings."""
    order = results.system_by_id[record.system].order
    trainings = tuple(one.value for one in record.seeds)
    applies = record.status != "not_applicable"
    return Dot(order, record.value, *bounds(record), record.id, trainings=trainings, applies=applies)


@dataclass(frozen=True, slots=True)
class DotRow:
    """One row: what it is called, its dots from top to bottom, and the texts at its right, one per column of them."""

    name: tuple[str, ...]
    """Each part on lines of its own: a system; of a pair, the second after a minus sign."""
    dots: tuple[Dot, ...]
    texts: tuple[str, ...] = ()

    @property
    def estimated(self) -> float:
        """Return the points it takes by the length of its name, before anything is measured."""
        return self.height(sum(-(-min(len(part), LONGEST) // _STUB_CHARACTERS) for part in self.name))

    def height(self, lines: int) -> float:
        """Return the points it takes with so many lines of names."""
        return max(11.0, lines * 9.3 + 2.5, len(self.dots) * self.pitch + _AIR)

    @property
    def pitch(self) -> float:
        """Return the points from dot to dot."""
        return _PITCH if len(self.dots) <= 6 else _CLOSE_PITCH


@dataclass(frozen=True, slots=True)
class DotPanel:
    """One metric: its head with n, its rows, its reference lines and the heads of the texts at the right."""

    title: str
    rows: tuple[DotRow, ...]
    references: tuple[tuple[ReferenceKind, float], ...] = ()
    heads: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    """Set by :func:`scaled`."""

    @property
    def dots(self) -> list[Dot]:
        """Return the dots of all rows."""
        return [dot for row in self.rows for dot in row.dots]


@dataclass(frozen=True, slots=True)
class DotPanels:
    """All that is drawn: panels from left to right, then down; those beside each other have the same rows."""

    panels: tuple[DotPanel, ...]
    across: int
    note: str
    synthetic: bool
    joined: bool = False
    """Whether a line leads from row to row, as the steps of a ladder are one sequence."""
    key: tuple[tuple[str, int], ...] = ()
    """Name and order of the systems where rows are not systems."""
    bars: bool = False
    """Whether each value is a bar from zero instead of a dot."""


Shown = TypeVar("Shown", Estimate, Comparison)


@dataclass(frozen=True, slots=True)
class DotFigure(Generic[Shown]):
    """What a figure of dots says of the records it shows, which are passed with its parts."""

    id: str
    title: str
    columns: tuple[str, ...]
    rows: Callable[[Shown], Sequence[tuple[Value, ...]]]
    """The rows of data of a record: one for a value and each of its trainings, or one for each fold."""
    facts: Callable[[list[Shown]], Mapping[str, Any]]
    """What its template can ask, beside ``shown`` and ``drawn``, the kinds of reference lines."""
    note: Callable[[list[Shown]], str]

    def in_parts(
        self,
        results: Results,
        records: Mapping[str, Shown],
        panels: Sequence[DotPanel],
        across: int = 1,
        *,
        joined: bool = False,
        key: tuple[tuple[str, int], ...] = (),
        bars: bool = False,
    ) -> tuple[Sketch, ...]:
        """Return one figure, or several where the rows fill more than a page; ``records`` by their ids.

        Nothing without a panel.
        """
        if not panels:
            return ()
        pages = paged(panels, across, page_height() - _key_height(key), bars=bars)
        figures = []
        for at, page in enumerate(pages, start=1):
            shown = [records[dot.result] for panel in page for dot in panel.dots]
            data = DotPanels(page, across, self.note(shown), results.run.synthetic, joined, key, bars)
            figures.append(
                Sketch(
                    id=self.id if at == 1 else f"{self.id}-{at}",
                    title=f"{self.title}{part_of(at, len(pages))}",
                    columns=self.columns,
                    rows=tuple(row for record in shown for row in self.rows(record)),
                    results=tuple(record.id for record in shown),
                    draw=partial(paint_dots, data),
                    width="double",
                    facts={
                        "shown": shown,
                        "drawn": {kind for panel in page for kind, _ in panel.references},
                        **self.facts(shown),
                    },
                )
            )
        return tuple(figures)


def _key_height(key: tuple[tuple[str, int], ...]) -> float:
    if not key:
        return 0.0
    columns = max(1, _KEY_CHARACTERS // (max(len(name) for name, _ in key) + 8))
    lines = sum(-(-len(name) // _KEY_CHARACTERS) for name, _ in key) if columns == 1 else -(-len(key) // columns)
    return _KEY * lines + _NOTE


def scaled(panel: DotPanel, *, bars: bool = False) -> DotPanel:
    """Return the panel with an axis that holds all values, bounds and reference lines, with a little air.

    The axis of bars begins at zero, or holds it: their lengths are compared.

    Chance is left out where it would take more than half of the axis: the systems would shrink to one place.
    """
    seen = [number for dot in panel.dots for number in dot.numbers]
    seen += [at for kind, at in panel.references if kind != "chance"]
    seen += [0.0] if bars else []
    chance = [at for kind, at in panel.references if kind == "chance"]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    span = high - low
    if chance and span > 0 and max(high, *chance) - min(low, *chance) <= 2 * span:
        low, high = min(low, *chance), max(high, *chance)
    air = 0.05 * (high - low) or max(abs(high) * 0.05, 0.01)
    # Around a single value the air is wide; above 1 it must not hold a tick, as a share has no value there.
    above = air if high > low or not high <= 1 < high + air else 1 - high + 0.09 * air
    limits = (low if bars and low == 0 else low - air, high + above)
    shown = tuple((kind, at) for kind, at in panel.references if limits[0] <= at <= limits[1])
    return replace(panel, limits=limits, references=shown)


def paged(panels: Sequence[DotPanel], across: int, height: float, *, bars: bool = False) -> list[tuple[DotPanel, ...]]:
    """Return panels, scaled, shared out over figures for pages of this height in points.

    Panels that are beside each other stay so; one with more rows than a page goes on on the next, with its axis.
    Several lines of panels are one figure as long as they leave room for others on the page.
    """
    panels = [scaled(panel, bars=bars) for panel in panels]
    lines: list[tuple[float, tuple[DotPanel, ...]]] = []
    for at in range(0, len(panels), across):
        beside = panels[at : at + across]
        needed = [max(panel.rows[row].estimated for panel in beside) for row in range(len(beside[0].rows))]
        for rows in _runs(needed, height - _NOTE - _HEAD):
            line = tuple(replace(panel, rows=panel.rows[rows]) for panel in beside)
            lines.append((_HEAD + sum(needed[rows]), line))
    pages: list[tuple[DotPanel, ...]] = []
    for run in _runs([needed for needed, _ in lines], min(height, _LINES) - _NOTE):
        pages.append(tuple(panel for _, line in lines[run] for panel in line))
    return pages


def _runs(heights: Sequence[float], most: float) -> list[slice]:
    """Return the neighbours that fit into ``most`` together, first come first; what is higher is alone."""
    starts, used = [0], 0.0
    for at, height in enumerate(heights):
        if used and used + height > most:
            starts.append(at)
            used = 0.0
        used += height
    return [slice(start, end) for start, end in zip(starts, [*starts[1:], len(heights)], strict=True)]


@styled
def paint_dots(data: DotPanels, tokens: Tokens) -> MatplotlibFigure:
    """Draw the panels over shared names at the left, with their texts at the right."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    lines = [data.panels[at : at + data.across] for at in range(0, len(data.panels), data.across)]
    stub = _STUB_SHARE if data.across > 1 else _WIDE_STUB_SHARE
    names = [_names(beside[0], width * stub, style, tokens) for beside in lines]
    edges = [_edges(beside, texts) for beside, texts in zip(lines, names, strict=True)]
    heights = [below[-1] for below in edges]
    guess = sum(heights) + len(lines) * _HEAD + _NOTE + _key_height(data.key)
    figure = new_figure(style.double, guess / POINTS_PER_INCH, gap=0.03)
    grid = figure.subplots(len(lines), data.across, squeeze=False, gridspec_kw={"height_ratios": heights})
    flat = list(grid.flat)
    row, ends = 0, _text_ends(data.panels, style, tokens)
    for at, (axes, panel) in enumerate(zip(flat, data.panels, strict=False)):
        line, column = divmod(at, data.across)
        room = width * (0.95 - stub - 0.3) if ends[1:] else width * ((1 - stub) / data.across - 0.01)
        _panel(axes, panel, names[line] if column == 0 else [], edges[line], style, data, first_row=row)
        if any(one.texts for one in panel.rows):
            _texts(axes, panel, edges[line], ends, style, tokens)
        row += sum(dot.rows for dot in panel.dots)
        axes.set_title(wrapped(legible(panel.title, tokens), room, style.size, tokens), linespacing=1.1)
    for axes in islice(flat, len(data.panels), None):
        axes.set_visible(False)
    shared = wrapped(legible(data.note, tokens), width * 0.8, style.small, tokens)
    note(figure, shared, style, synthetic=data.synthetic)
    if data.key:
        handles = [marker_of(style.mark(order), style) for _, order in data.key]
        key_below(figure, handles, [name for name, _ in data.key], style, tokens, 1.2)

    def lack() -> float:
        for axes in flat:
            # As many as have room, which is known by now.
            bins = max(1, min(_MOST_BINS, int(size_in_points(axes)[0] // _BIN)))
            axes.xaxis.set_major_locator(MaxNLocator(nbins=bins, min_n_ticks=2))
        return sum(heights) - sum(size_in_points(axes)[1] for axes in grid[:, 0])

    fit_height(figure, lack, in_rows=True)
    return figure


def _names(panel: DotPanel, width: float, style: Style, tokens: Tokens) -> list[str]:
    return [
        "\n".join(wrapped(legible(part, tokens), width, style.small, tokens) for part in row.name) for row in panel.rows
    ]


def _edges(beside: Sequence[DotPanel], names: Sequence[str]) -> list[float]:
    """Return where rows begin and end, in points from the top: a row is as high as its name has lines, or as its dots
    need.
    """
    heights = [max(panel.rows[at].height(name.count("\n") + 1) for panel in beside) for at, name in enumerate(names)]
    return list(accumulate(heights, initial=0.0))


def _panel(
    axes: Axes,
    panel: DotPanel,
    names: list[str],
    edges: list[float],
    style: Style,
    data: DotPanels,
    *,
    first_row: int,
) -> None:
    """Draw one panel; its vertical axis counts points."""
    assert panel.limits is not None, "a panel is scaled before it is drawn"
    places = _places(edges)
    axes.set(xlim=panel.limits, ylim=(edges[-1], 0.0))
    name_rows(axes, places, names or [""] * len(places), style)
    for edge in edges[1:-1]:
        axes.axhline(edge, color=style.grid, linewidth=style.grid_line, zorder=0.5)
    for kind, at in panel.references:
        axes.axvline(at, color=style.rule, linewidth=0.8, linestyle=REFERENCES[kind][0], zorder=1.5, label=f"_{kind}")
    if data.joined:
        steps = [(dot.value, y) for y, row in zip(places, panel.rows, strict=True) for dot in row.dots]
        values = [(value, y) for value, y in steps if value is not None]
        axes.plot(*zip(*values, strict=True), color=style.context, linewidth=style.context_line, zorder=1.6,
                  label="_ladder")  # fmt: skip
    low, high = panel.limits
    data_row = first_row
    for y, row in zip(places, panel.rows, strict=True):
        for at, dot in enumerate(row.dots):
            # Spread evenly around the middle of the row, the first system on top.
            place = y + (at - (len(row.dots) - 1) / 2) * row.pitch
            if data.bars and dot.value is not None:
                _bar(axes, dot, place, row.pitch, data_row, style)
            else:
                _mark(axes, dot, place, low + _INSIDE * (high - low), data_row, style)
            data_row += dot.rows


def _places(edges: Sequence[float]) -> list[float]:
    return [(top + bottom) / 2 for top, bottom in pairwise(edges)]


def _mark(axes: Axes, dot: Dot, y: float, edge: float, row: int, style: Style) -> None:
    mark = style.mark(dot.order)
    if not dot.applies:
        return
    if dot.value is None:
        # Hollow, small and at the edge, with the sign of the tables beside it: it must not be read as a value.
        axes.plot(edge, y, linestyle="none", marker=mark.marker, markersize=style.marker - 0.8,
                  markerfacecolor=style.surface, markeredgecolor=style.muted, markeredgewidth=0.6, clip_on=False,
                  label="_undefined")  # fmt: skip
        return
    _parts(axes, dot.folds or (), y, row, mark.colour, "o", style)
    _parts(axes, dot.trainings, y, row + 1, mark.colour, "|", style)
    if dot.lower is not None and dot.upper is not None:
        (line,) = axes.plot((dot.lower, dot.upper), (y, y), color=mark.colour, linewidth=style.line,
                            solid_capstyle="butt", label="_interval")  # fmt: skip
        show_rows(line, (row, row))
    if dot.folds:
        # A bar, since a mark would hide the folds that lie at their mean.
        axes.plot(dot.value, y, linestyle="none", color=mark.colour, marker="|", markersize=9.0,
                  markeredgewidth=1.6, zorder=2.5, label=dot.result)  # fmt: skip
        return
    (point,) = axes.plot(
        dot.value, y, color=mark.colour, marker=mark.marker, markersize=style.marker,
        markerfacecolor=style.surface if dot.hollow else mark.colour, zorder=2.5, label=dot.result,
        markeredgecolor=mark.colour if dot.hollow else style.surface, markeredgewidth=0.9 if dot.hollow else 0.4,
    )  # fmt: skip
    show_rows(point, [row])


def _bar(axes: Axes, dot: Dot, y: float, pitch: float, row: int, style: Style) -> None:
    """Draw a bar from zero to the value, with its interval as a line in the ink of text."""
    assert dot.value is not None, "without a value there is no bar"
    bars = axes.barh(y, dot.value, height=0.84 * pitch, color=style.mark(dot.order).colour, zorder=1.7,
                     label=dot.result)  # fmt: skip
    show_rows(bars.patches[0], [row])
    _parts(axes, dot.trainings, y, row + 1, style.ink, "|", style)
    if dot.lower is not None and dot.upper is not None:
        (line,) = axes.plot((dot.lower, dot.upper), (y, y), color=style.ink, linewidth=0.8, solid_capstyle="butt",
                            label="_interval", zorder=2.4)  # fmt: skip
        show_rows(line, (row, row))


def _parts(
    axes: Axes, parts: Sequence[float | None], y: float, row: int, colour: str, marker: str, style: Style
) -> None:
    """Draw the values of single folds or trainings, lightly."""
    known = [(part, row + at) for at, part in enumerate(parts) if part is not None]
    if known:
        (line,) = axes.plot([part for part, _ in known], [y] * len(known), linestyle="", marker=marker,
                            markersize=style.marker * 0.75, markerfacecolor="none", markeredgecolor=colour,
                            markeredgewidth=0.7, label="_parts")  # fmt: skip
        show_rows(line, [at for _, at in known])


def _text_ends(panels: Sequence[DotPanel], style: Style, tokens: Tokens) -> list[float]:
    """Return the points from the axes to the right end of each column of texts, as wide as its widest in any panel."""
    rows = [(row.texts, panel.heads) for panel in panels for row in panel.rows if row.texts]
    columns = [
        [text for texts, heads in rows for text in (texts[at], *heads[at : at + 1])]
        for at in range(max((len(texts) for texts, _ in rows), default=0))
    ]
    widths = [max(text_width(legible(text, tokens), style.small, tokens) for text in texts) for texts in columns]
    return list(accumulate(width + _GAP * (0.6 if at == 0 else 1) for at, width in enumerate(widths)))


def _texts(axes: Axes, panel: DotPanel, edges: list[float], ends: list[float], style: Style, tokens: Tokens) -> None:
    """Set columns of texts at the right, flush right, and heads above them."""
    common: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "fontsize": style.small}
    place = axes.get_yaxis_transform()
    for at, end in enumerate(ends):
        colour = style.ink if at == 0 else style.muted
        for y, row in zip(_places(edges), panel.rows, strict=True):
            axes.annotate(legible(row.texts[at], tokens), (1, y), xycoords=place, xytext=(end, 0),
                          va="center_baseline", annotation_clip=False, color=colour, **common)  # fmt: skip
        if panel.heads:
            axes.annotate(panel.heads[at], (1, 1), xycoords="axes fraction", xytext=(end, 4), va="bottom",
                          color=style.muted, **common)  # fmt: skip
