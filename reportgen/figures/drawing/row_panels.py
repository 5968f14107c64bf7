"""Panels of rows, one mark to a row: a metric per panel, a system, pair or step per row, its numbers at the right.

What forest plots, paired differences, fold dots and ladders are made of; :mod:`dot_rows` is for many marks in a row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, pairwise
from typing import Any, Literal, TypeAlias

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.ticker import MaxNLocator

from reportgen.domain.record import Estimate, Results
from reportgen.figures.drawing.layout import fit_height, new_figure, note, size_in_points
from reportgen.figures.drawing.lettering import LONGEST, legible, text_width, wrapped
from reportgen.figures.drawing.rows import show_rows
from reportgen.figures.drawing.style import POINTS_PER_INCH, LineStyle, Style, styled
from reportgen.styles import Tokens

ReferenceKind: TypeAlias = Literal["chance", "baseline", "zero"]
REFERENCES: dict[ReferenceKind, tuple[LineStyle, str]] = {
    "chance": ((0.0, (4.0, 2.5)), "Dashed line: chance"),
    "baseline": ((0.0, (1.0, 1.6)), "Dotted line"),
    "zero": ("-", "Vertical line: no difference"),
}
"""How a reference line is dashed, and what a caption calls it."""

# Points: head, tick labels and air of one panel; the note above all panels.
_HEAD, _NOTE = 34.0, 16.0
# The share of the width that names of rows may take before they break into lines.
_STUB_SHARE, _WIDE_STUB_SHARE = 0.2, 0.26
# Characters of a name that fit a line of the stub, for the height of a row before anything is measured.
_STUB_CHARACTERS = 24
_GAP = 9.0
# Where a mark without a value stands, as a share of the axis: inside it, away from the remarks of the panel before.
_INSIDE = 0.03
# Points between two ticks, which is more than their labels take, and the most intervals between ticks.
_BIN, _MOST_BINS = 40.0, 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: a value with its bounds; None is undefined or does not apply."""

    name: tuple[str, ...]
    """What the row is called, each part on lines of its own: a system; of a pair, the second after a minus sign."""
    order: int
    """Place of the system whose mark this is."""
    value: float | None
    lower: float | None
    upper: float | None
    remarks: tuple[str, ...]
    """Display strings at the right, one per column of them."""
    result: str
    """Id of the record."""
    parts: tuple[float | None, ...] = ()
    """Values of single folds, None where undefined."""
    rows: int = 1
    """How many rows of the figure's data it has: one, or one for each part."""
    hollow: bool = False
    applies: bool = True
    """False where the system has no such component: nothing is drawn, the remark says so."""


def entry_of(results: Results, record: Estimate, remarks: tuple[str, ...]) -> Entry:
    """The row of a system: its value with the first of its intervals."""
    system, interval = results.system_by_id[record.system], next(iter(record.intervals), None)
    return Entry(
        name=(system.label,),
        order=system.order,
        value=record.value,
        lower=interval.lower if interval else None,
        upper=interval.upper if interval else None,
        remarks=remarks,
        result=record.id,
        applies=record.status != "not_applicable",
    )


@dataclass(frozen=True, slots=True)
class Panel:
    """One metric: its head with n, its rows, its reference lines and the heads of the remarks."""

    title: str
    entries: tuple[Entry, ...]
    references: tuple[tuple[ReferenceKind, float], ...] = ()
    heads: tuple[str, ...] = ()
    limits: tuple[float, float] | None = None
    """Set by :func:`scaled`."""


@dataclass(frozen=True, slots=True)
class RowPanels:
    """All that is drawn: panels from left to right, then down; those beside each other have the same rows."""

    panels: tuple[Panel, ...]
    columns: int
    note: str
    synthetic: bool
    joined: bool = False
    """Whether a line leads from row to row, as the steps of a ladder are one sequence."""


def scaled(panel: Panel) -> Panel:
    """The panel with an axis that holds all values, bounds and reference lines, with a little air.

    Chance is left out where it would take more than half of the axis: the systems would shrink to one place.
    """
    seen = [number for entry in panel.entries for number in _numbers(entry)]
    seen += [at for kind, at in panel.references if kind != "chance"]
    chance = [at for kind, at in panel.references if kind == "chance"]
    low, high = (min(seen), max(seen)) if seen else (0.0, 1.0)
    span = high - low
    if chance and span > 0 and max(high, *chance) - min(low, *chance) <= 2 * span:
        low, high = min(low, *chance), max(high, *chance)
    air = 0.05 * (high - low) or max(abs(high) * 0.05, 0.01)
    # Around a single value the air is wide; above 1 it must not hold a tick, as a share has no value there.
    above = air if high > low or not high <= 1 < high + air else 1 - high + 0.1 * air
    limits = (low - air, high + above)
    shown = tuple((kind, at) for kind, at in panel.references if limits[0] <= at <= limits[1])
    return replace(panel, limits=limits, references=shown)


def _numbers(entry: Entry) -> Iterator[float]:
    yield from (number for number in (entry.value, entry.lower, entry.upper) if number is not None)
    yield from (part for part in entry.parts if part is not None)


def paged(panels: Sequence[Panel], columns: int, height: float) -> list[tuple[Panel, ...]]:
    """Panels shared out over pages of this height in points.

    Panels that are beside each other stay so; one with more rows than a page goes on on the next, with its axis.
    """
    lines: list[tuple[float, tuple[Panel, ...]]] = []
    for at in range(0, len(panels), columns):
        beside = panels[at : at + columns]
        for rows in _runs([_estimate(entry.name) for entry in beside[0].entries], height - _NOTE - _HEAD):
            line = tuple(replace(panel, entries=panel.entries[rows]) for panel in beside)
            lines.append((_HEAD + sum(_estimate(entry.name) for entry in line[0].entries), line))
    pages: list[tuple[Panel, ...]] = []
    for run in _runs([needed for needed, _ in lines], height - _NOTE):
        pages.append(tuple(panel for _, line in lines[run] for panel in line))
    return pages


def _runs(heights: Sequence[float], most: float) -> list[slice]:
    """Neighbours that fit into ``most`` together, first come first; what is higher than that stands alone."""
    starts, used = [0], 0.0
    for at, height in enumerate(heights):
        if used and used + height > most:
            starts.append(at)
            used = 0.0
        used += height
    return [slice(start, end) for start, end in zip(starts, [*starts[1:], len(heights)], strict=True)]


def _estimate(name: tuple[str, ...]) -> float:
    """Points a row takes by the length of its name, before anything is measured."""
    return _pitch(sum(-(-min(len(part), LONGEST) // _STUB_CHARACTERS) for part in name))


def _pitch(lines: int) -> float:
    return max(11.0, lines * 9.3 + 2.5)


@styled
def paint(data: RowPanels, tokens: Tokens) -> MatplotlibFigure:
    """Draw the panels over shared names at the left, with their remarks at the right."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    firsts = data.panels[:: data.columns]
    stub = _STUB_SHARE if data.columns > 1 else _WIDE_STUB_SHARE
    names = [_names(panel, width * stub, style, tokens) for panel in firsts]
    heights = [sum(_pitch(name.count("\n") + 1) for name in texts) for texts in names]
    guess = sum(heights) + len(firsts) * _HEAD + _NOTE
    figure = new_figure(style.double, guess / POINTS_PER_INCH, gap=0.03)
    grid = figure.subplots(len(firsts), data.columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    flat = list(grid.flat)
    ends = _remark_ends(data.panels, style, tokens)
    room = width * (0.95 - stub - 0.3) if ends[1:] else width * ((1 - stub) / data.columns - 0.01)
    row = 0
    for at, (axes, panel) in enumerate(zip(flat, data.panels, strict=False)):
        _panel(
            axes,
            panel,
            names[at // data.columns],
            style,
            tokens,
            ends=ends,
            first=at % data.columns == 0,
            joined=data.joined,
            first_row=row,
        )
        row += sum(entry.rows for entry in panel.entries)
        axes.set_title(wrapped(legible(panel.title, tokens), room, style.size, tokens), linespacing=1.1)
    for axes in islice(flat, len(data.panels), None):
        axes.set_visible(False)
    shared = wrapped(legible(data.note, tokens), width * 0.8, style.small, tokens)
    note(figure, shared, style, synthetic=data.synthetic)
    fit_height(figure, lambda: sum(heights) - sum(size_in_points(axes)[1] for axes in grid[:, 0]))
    for axes in flat:
        # As many as have room, which is known only now.
        bins = max(1, min(_MOST_BINS, int(size_in_points(axes)[0] // _BIN)))
        axes.xaxis.set_major_locator(MaxNLocator(nbins=bins, min_n_ticks=2))
    return figure


def _names(panel: Panel, width: float, style: Style, tokens: Tokens) -> list[str]:
    return [
        "\n".join(wrapped(legible(part, tokens), width, style.small, tokens) for part in entry.name)
        for entry in panel.entries
    ]


def _panel(
    axes: Axes,
    panel: Panel,
    names: list[str],
    style: Style,
    tokens: Tokens,
    *,
    ends: list[float],
    first: bool,
    joined: bool,
    first_row: int,
) -> None:
    """One panel; its vertical axis counts points, so that a row is as high as its name has lines."""
    assert panel.limits is not None, "a panel is scaled before it is drawn"
    edges = list(accumulate((_pitch(name.count("\n") + 1) for name in names), initial=0.0))
    rows = [(top + bottom) / 2 for top, bottom in pairwise(edges)]
    axes.set(xlim=panel.limits, ylim=(edges[-1], 0.0))
    axes.set_yticks(rows, names if first else [""] * len(rows), linespacing=1.0)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0, labelcolor=style.ink)
    axes.spines["left"].set_visible(False)
    for edge in edges[1:-1]:
        axes.axhline(edge, color=style.grid, linewidth=style.grid_line, zorder=0.5)
    for kind, at in panel.references:
        axes.axvline(at, color=style.rule, linewidth=0.8, linestyle=REFERENCES[kind][0], zorder=1.5, label=f"_{kind}")
    if joined:
        values = [(entry.value, y) for y, entry in zip(rows, panel.entries, strict=True) if entry.value is not None]
        axes.plot(*zip(*values, strict=True), color=style.context, linewidth=style.context_line, zorder=1.6,
                  label="_ladder")  # fmt: skip
    low, high = panel.limits
    starts = accumulate((entry.rows for entry in panel.entries), initial=first_row)
    for y, entry, start in zip(rows, panel.entries, starts, strict=False):
        _mark(axes, entry, y, low + _INSIDE * (high - low), start, style)
    _remarks(axes, panel, rows, ends, style, tokens)


def _mark(axes: Axes, entry: Entry, y: float, edge: float, row: int, style: Style) -> None:
    mark = style.mark(entry.order)
    if not entry.applies:
        return
    if entry.value is None:
        # Hollow, small and at the edge, with the sign of the tables beside it: it must not be read as a value.
        axes.plot(edge, y, linestyle="none", marker=mark.marker, markersize=style.marker - 0.8,
                  markerfacecolor=style.surface, markeredgecolor=style.muted, markeredgewidth=0.6, clip_on=False,
                  label="_undefined")  # fmt: skip
        return
    if entry.parts:
        parts = [(part, row + at) for at, part in enumerate(entry.parts) if part is not None]
        (line,) = axes.plot([part for part, _ in parts], [y] * len(parts), linestyle="", marker="o",
                            markersize=style.marker * 0.75, markerfacecolor="none", markeredgecolor=mark.colour,
                            markeredgewidth=0.7, label="_parts")  # fmt: skip
        show_rows(line, [at for _, at in parts])
    if entry.lower is not None and entry.upper is not None:
        (line,) = axes.plot((entry.lower, entry.upper), (y, y), color=mark.colour, linewidth=style.line,
                            solid_capstyle="butt", label="_interval")  # fmt: skip
        show_rows(line, (row, row))
    if entry.parts:
        # A bar, since a mark would hide the folds that lie at their mean.
        axes.plot(entry.value, y, linestyle="none", color=mark.colour, marker="|", markersize=9.0,
                  markeredgewidth=1.6, zorder=2.5, label=entry.result)  # fmt: skip
        return
    (point,) = axes.plot(
        entry.value, y, color=mark.colour, marker=mark.marker, markersize=style.marker,
        markerfacecolor=style.surface if entry.hollow else mark.colour, zorder=2.5, label=entry.result,
        markeredgecolor=mark.colour if entry.hollow else style.surface, markeredgewidth=0.9 if entry.hollow else 0.4,
    )  # fmt: skip
    show_rows(point, [row])


def _remark_ends(panels: Sequence[Panel], style: Style, tokens: Tokens) -> list[float]:
    """Points from the axes to the right end of each column of remarks, each as wide as its widest in any panel."""
    columns = [
        [text for panel in panels for entry in panel.entries for text in (entry.remarks[at], *panel.heads[at : at + 1])]
        for at in range(max(len(entry.remarks) for panel in panels for entry in panel.entries))
    ]
    widths = [max(text_width(legible(text, tokens), style.small, tokens) for text in texts) for texts in columns]
    return list(accumulate(width + _GAP * (0.6 if at == 0 else 1) for at, width in enumerate(widths)))


def _remarks(axes: Axes, panel: Panel, rows: list[float], ends: list[float], style: Style, tokens: Tokens) -> None:
    """Columns of texts at the right, set flush right; heads above them."""
    common: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "fontsize": style.small}
    place = axes.get_yaxis_transform()
    for at, end in enumerate(ends):
        colour = style.ink if at == 0 else style.muted
        for y, entry in zip(rows, panel.entries, strict=True):
            axes.annotate(legible(entry.remarks[at], tokens), (1, y), xycoords=place, xytext=(end, 0),
                          va="center_baseline", annotation_clip=False, color=colour, **common)  # fmt: skip
        if panel.heads:
            axes.annotate(panel.heads[at], (1, 1), xycoords="axes fraction", xytext=(end, 4), va="bottom",
                          color=style.muted, **common)  # fmt: skip
