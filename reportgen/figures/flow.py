"""What was read and what the numbers are about: rows, queries, splits, and those that a population leaves out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure
from matplotlib.patches import Rectangle

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, Results, SubsetRecord
from reportgen.figures.drawing.layout import fit_height, new_figure, note, size_in_points
from reportgen.figures.drawing.lettering import legible, legible_words, wrapped
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import count
from reportgen.styles import Tokens
from reportgen.wording.text import counted

ORDER = 90
DEFAULT = False
_MOST_FOLDS = 6
"""Folds with a box of their own; more are one box."""
_MOST_METRICS = 3
# Points: a line of text, the air in a box, and the way between two boxes.
_LINE, _INSIDE, _BETWEEN = 9.6, 10.0, 22.0
# The share of the width between neighbouring boxes.
_GAP = 0.025


@dataclass(frozen=True, slots=True)
class Box:
    """One box: its head, and the lines below it."""

    head: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """Boxes from top to bottom, those of a step side by side."""

    steps: tuple[tuple[Box, ...], ...]
    synthetic: bool


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the flow of rows and queries, or nothing where nothing was computed."""
    whole = results.subset_by_id.get("all_queries")
    if whole is None or not results.results:
        return ()
    missing = _without_value(results)
    steps = (
        (_read(results),),
        (_evaluated(results, whole),),
        _folds(results),
        _populations(results, missing),
    )
    shown = tuple(step for step in steps if step)
    return (
        Sketch(
            id="flow",
            title="From rows to values",
            columns=("step", "box", "unit", "n"),
            rows=tuple(_rows(results)),
            results=tuple(one.id for one in missing),
            draw=partial(paint_flow, Flow(shown, results.run.synthetic)),
            width="double",
            facts={"steps": shown},
        ),
    )


def _tables(results: Results) -> list[tuple[str, int]]:
    return [(file.path, file.rows) for file in results.inputs if file.rows]


def _read(results: Results) -> Box:
    files = tuple(f"{path}: {counted(rows, 'row', 'rows')}" for path, rows in _tables(results))
    return Box("Read", files or ("no file",))


def _evaluated(results: Results, whole: SubsetRecord) -> Box:
    """Return the box of what is evaluated; with several runs, some have queries that others lack."""
    rows = sum(file.rows for file in results.inputs if file.role == "queries")
    left_out = max(rows - whole.n_queries, 0)
    lines = [f"{results.units.query.count(whole.n_queries)}, {count(whole.n_positive)} positive"]
    lines += _in_clusters(results, whole.n_clusters, whole.n_queries)
    lines += [f"left out: {counted(left_out, 'row', 'rows')} of the queries that were read"] if left_out else []
    return Box("Evaluated", tuple(lines))


def _in_clusters(results: Results, clusters: int, queries: int) -> tuple[str, ...]:
    return (f"in {results.units.cluster.count(clusters)}",) if clusters != queries else ()


def _folds(results: Results) -> tuple[Box, ...]:
    """Return a box for each fold, or one for many; nothing where all queries are one split."""
    folds, query = results.folds, results.units.query
    if len(folds) < 2:
        return ()
    tuned = [fold.n_tune for fold in folds]
    if len(folds) > _MOST_FOLDS:
        lines = [f"{_span([fold.n_queries for fold in folds])} {query.many} each"]
        lines += [f"TUNE: {_span(tuned)}"] if any(tuned) else []
        return (Box(counted(len(folds), "fold", "folds"), tuple(lines)),)
    return tuple(
        Box(
            f"Fold {fold.label}",
            (
                query.count(fold.n_queries),
                *_in_clusters(results, fold.n_clusters, fold.n_queries),
                *((f"TUNE: {count(fold.n_tune)}",) if fold.n_tune else ()),
            ),
        )
        for fold in folds
    )


def _span(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return count(low) if low == high else f"{count(low)} to {count(high)}"


def _populations(results: Results, missing: Sequence[Estimate]) -> tuple[Box, ...]:
    """Return a box for each population, with those that it leaves out, and those without a value on a metric."""
    whole, query = results.subset_by_id["all_queries"], results.units.query
    boxes = []
    for subset in results.subsets:
        if subset.slice or subset.population == "all_rows":
            continue
        lines = [query.count(subset.n_queries)]
        if left_out := whole.n_queries - subset.n_queries:
            lines.append(f"left out: {count(left_out)} that are not positive")
        lines += [
            f"without a {results.metric_by_id[one.metric].name}: {count(one.n.undefined)}"
            for one in missing
            if one.subset == subset.id
        ]
        boxes.append(Box(subset.label, tuple(lines)))
    return tuple(boxes)


def _without_value(results: Results) -> list[Estimate]:
    """Return of each headline metric the value that leaves out most units, where one does."""
    most: dict[str, Estimate] = {}
    for one in results.results:
        pooled = one.aggregation == "pooled" and one.metric in results.contract.headline
        known = one.subset in results.subset_by_id and not results.subset_by_id[one.subset].slice
        if pooled and known and one.n.undefined > (most[one.metric].n.undefined if one.metric in most else 0):
            most[one.metric] = one
    return list(most.values())[:_MOST_METRICS]


def _rows(results: Results) -> Iterator[tuple[Value, ...]]:
    for path, rows in _tables(results):
        yield "read", path, "rows", rows
    for fold in results.folds:
        yield "fold", fold.label, results.units.query.many, fold.n_queries
        if fold.n_tune:
            yield "tune", fold.label, results.units.query.many, fold.n_tune
    for subset in results.subsets:
        if not subset.slice and subset.population != "all_rows":
            yield "population", subset.label, results.units.query.many, subset.n_queries


@styled
def paint_flow(data: Flow, tokens: Tokens) -> MatplotlibFigure:
    """Draw the boxes of each step side by side, and an arrow from step to step."""
    style = Style.of(tokens)
    width = style.double * POINTS_PER_INCH
    steps = [_broken(step, width, style, tokens) for step in data.steps]
    heights = [max(box.count("\n") + 1 for box in step) * _LINE + _INSIDE for step in steps]
    whole = sum(heights) + _BETWEEN * (len(steps) - 1)
    figure = new_figure(style.double, (whole + 40) / POINTS_PER_INCH)
    axes = figure.add_subplot()
    # Room for the lines of the outermost boxes.
    axes.set(xlim=(-0.003, 1.003), ylim=(whole + 1.0, -1.0))
    axes.set_axis_off()
    top = 0.0
    for at, (step, height) in enumerate(zip(steps, heights, strict=True)):
        places = _places(len(step))
        for text, (left, wide) in zip(step, places, strict=True):
            axes.add_patch(Rectangle((left, top), wide, height, facecolor=style.raised, edgecolor=style.rule,
                                     linewidth=style.rule_line))  # fmt: skip
            axes.text(left + wide / 2, top + height / 2, text, ha="center", va="center", fontsize=style.small,
                      linespacing=1.25)  # fmt: skip
        if at:
            _arrows(axes, _places(len(steps[at - 1])), places, top, style)
        top += height + _BETWEEN
    note(figure, "", style, synthetic=data.synthetic)
    fit_height(figure, lambda: whole + 2.0 - size_in_points(axes)[1], in_rows=True)
    return figure


def _broken(step: Sequence[Box], width: float, style: Style, tokens: Tokens) -> list[str]:
    """Return the text of each box of a step, broken to fit it."""
    room = width * 0.97 * _places(len(step))[0][1] - _INSIDE
    return [
        "\n".join(wrapped(legible_words(legible(line, tokens), tokens), room, style.small, tokens)
                  for line in (box.head, *box.lines))
        for box in step
    ]  # fmt: skip


def _places(n: int) -> list[tuple[float, float]]:
    """Return left edge and width of each of ``n`` boxes, as shares of the width; one or two do not fill it."""
    wide = min((1.0 - _GAP * (n - 1)) / n, 0.46)
    start = (1.0 - wide * n - _GAP * (n - 1)) / 2
    return [(start + at * (wide + _GAP), wide) for at in range(n)]


def _arrows(
    axes: Axes, above: Sequence[tuple[float, float]], below: Sequence[tuple[float, float]], top: float, style: Style
) -> None:
    """Lead from the boxes above to each box below, over one line where there are several of either."""
    line: dict[str, Any] = {"color": style.muted, "linewidth": 0.8, "solid_capstyle": "butt", "label": "_flow"}
    from_, to = ([left + wide / 2 for left, wide in places] for places in (above, below))
    middle = top - _BETWEEN / 2
    for x in from_:
        axes.plot((x, x), (top - _BETWEEN, middle), **line)
    if (ends := (min(*from_, *to), max(*from_, *to)))[0] < ends[1]:
        axes.plot(ends, (middle, middle), **line)
    for x in to:
        axes.annotate("", (x, top), (x, middle), annotation_clip=False,
                      arrowprops={"arrowstyle": "-|>", "color": style.muted, "linewidth": 0.8, "shrinkA": 0.0,
                                  "shrinkB": 0.0, "mutation_scale": 7})  # fmt: skip
