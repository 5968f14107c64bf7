"""The confusion of several classes: of the rows of each class, how many are predicted to be of which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Value
from reportgen.domain.record import Results
from reportgen.figures.drawing.heat import heat, scale_of_shares
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid
from reportgen.figures.drawing.lettering import legible, wrapped
from reportgen.figures.drawing.style import Style
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import mean_count
from reportgen.styles import Tokens
from reportgen.wording.captions import part_of
from reportgen.wording.classes import ClassConfusion, confusions, facts_of
from reportgen.wording.text import percent

ORDER = 35
_MOST = 20
"""Classes to a side: counts in more cells cannot be read on a page."""
_TO_A_LINE = ((5, 3), (12, 2), (_MOST, 1))
"""Up to so many classes, so many panels side by side; two lines of them fit a page, of the largest one."""
_NAME = 60.0
"""Points that the name of a class takes before it is broken."""
_SHORT = 3
"""Letters of a name that need not be turned."""
_DARK = 0.5
"""Share from which a number is set in the colour of the ground."""


@dataclass(frozen=True, slots=True)
class ClassCells:
    """The cells of one system that are drawn: column, row, rows of the data, their share of the class."""

    cells: tuple[tuple[int, int, int | float, float], ...]
    row: int
    """The row of the figure's data that the first cell shows."""


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the matrices of all systems, a page of them to a figure; nothing for a run without classes."""
    found = confusions(results)
    if not found:
        return ()
    shown = _shown(found)
    across = next(panels for most, panels in _TO_A_LINE if len(shown) <= most)
    to_a_figure = 2 * across if across > 1 else 1
    parts = [found[at : at + to_a_figure] for at in range(0, len(found), to_a_figure)]
    return tuple(_figure(results, found, part, shown, across, at, len(parts)) for at, part in enumerate(parts, start=1))


def _shown(found: Sequence[ClassConfusion]) -> tuple[int, ...]:
    """Return the classes that are drawn: all of them, or those with the most errors, in the order of classes."""
    classes = range(len(found[0].names))
    errors = dict.fromkeys(classes, 0.0)
    for one in found:
        for true, predicted, n in one.errors():
            errors[true] += n
            errors[predicted] += n
    return tuple(sorted(sorted(classes, key=lambda at: -errors[at])[:_MOST]))


def _figure(
    results: Results,
    every: Sequence[ClassConfusion],
    found: Sequence[ClassConfusion],
    shown: tuple[int, ...],
    across: int,
    at: int,
    of: int,
) -> Sketch:
    label = results.units.label
    rows = [_rows(one, shown) for one in found]
    starts = [sum(map(len, rows[:place])) for place in range(len(rows))]
    panels = Panels(
        heads=tuple((one.label, "") for one in found),
        share=1.0,
        x_label=f"Predicted {label.one}",
        y_label=f"True {label.one}",
        note=f"Numbers: {results.units.row.many}; colour: share of the true {label.one}",
        synthetic=results.run.synthetic,
        across=min(across, len(found)),
    )
    grids = tuple(_grid(one, shown, start) for one, start in zip(found, starts, strict=True))
    names = tuple(found[0].names[one] for one in shown)
    return Sketch(
        id="class-confusion" if at == 1 else f"class-confusion-{at}",
        title=f"Confusion of {label.many}{part_of(at, of)}",
        columns=("system", "label", "true", "predicted", "rows", "share_of_class"),
        rows=tuple(row for of_system in rows for row in of_system),
        results=tuple(id_ for one in found for id_ in one.ids),
        draw=drawn_grid(PanelGrid(panels, grids, _draw, partial(_complete, names, panels.rows))),
        width="single" if len(found) == 1 and across > 1 else "double",
        facts={
            **facts_of(results, every),
            "n_shown": len(shown),
            "right": [(one.label, percent(_right(one))) for one in found],
        },
    )


def _right(one: ClassConfusion) -> float:
    return sum(one.table[at][at] for at in range(len(one.table))) / one.n


def _grid(one: ClassConfusion, shown: Sequence[int], start: int) -> ClassCells:
    return ClassCells(
        tuple(
            (x, y, one.table[true][predicted], one.table[true][predicted] / max(one.sizes[true], 1))
            for y, true in enumerate(shown)
            for x, predicted in enumerate(shown)
        ),
        start,
    )


def _rows(one: ClassConfusion, shown: Sequence[int]) -> list[tuple[Value, ...]]:
    return [
        (one.system, one.label, one.names[true], one.names[predicted], n, n / max(one.sizes[true], 1))
        for true in shown
        for predicted in shown
        for n in [one.table[true][predicted]]
    ]


def _draw(axes: Axes, grid: ClassCells, style: Style) -> None:
    """Draw the cells, and the counts in them."""
    cells = [(float(x), float(y), share) for x, y, _, share in grid.cells]
    heat(axes, cells, 1.0, range(grid.row, grid.row + len(cells)), style)
    for x, y, n, share in grid.cells:
        if n:
            colour = style.surface if share >= _DARK else style.ink
            axes.text(x, y, mean_count(n), ha="center", va="center_baseline", fontsize=style.small, color=colour)


def _complete(
    names: tuple[str, ...], lines: int, figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens
) -> None:
    """Name the classes, and set the scale of the colours."""
    texts = [wrapped(legible(name, tokens), _NAME, style.small, tokens) for name in names]
    places, turned = range(len(names)), any(len(name) > _SHORT for name in names)
    for axes in every:
        axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(len(names) - 0.5, -0.5))
        axes.set_xticks(places, texts, fontsize=style.small, rotation=90 if turned else 0, linespacing=1.0)
        axes.set_yticks(places, texts, fontsize=style.small, linespacing=1.0)
        axes.tick_params(length=0)
    scale_of_shares(figure, every, lines)
