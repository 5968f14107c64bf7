"""The mean rank of each system over clusters, and which of them cannot be told apart (critical-difference diagram).

The values of single queries are in no metrics_master.json: a run has them, and a bundle in per_query.parquet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.record import MetricRecord, Results, SystemRecord
from reportgen.figures.drawing.curves import ALL
from reportgen.figures.drawing.layout import fit_height, new_figure, note, size_in_points
from reportgen.figures.drawing.lettering import legible, legible_words, wrapped
from reportgen.figures.drawing.of_queries import metrics_shown
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style, styled
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import count, fixed, p_value
from reportgen.query_values import Obtain, QueryValues
from reportgen.styles import Tokens

if TYPE_CHECKING:
    from reportgen.stats.friedman import MeanRanks

ORDER = 9
DEFAULT = False
OF_QUERIES = OF_METRICS = True
_ABOVE, _FIRST, _GROUP, _LINE = 34.0, 14.0, 5.0, 9.3
"""Points above the scale, from the last bar to the first row, from bar to bar, and from line to line of a name."""


@dataclass(frozen=True, slots=True)
class _Diagram:
    """All that is drawn; systems from the best mean rank to the worst."""

    names: tuple[str, ...]
    orders: tuple[int, ...]
    ranks: tuple[float, ...]
    groups: tuple[tuple[float, float], ...]
    """First and last mean rank of systems that cannot be told apart."""
    critical: float
    note: str
    synthetic: bool


def build(results: Results, per_query: Obtain) -> tuple[Sketch, ...]:
    """Return the diagram of a metric with values of single queries; nothing for fewer than three systems."""
    of_metrics = (_of_metric(results, *found) for found in metrics_shown(results, per_query, "critical-difference"))
    return tuple(one for one in of_metrics if one is not None)


def _of_metric(results: Results, metric: MetricRecord, values: QueryValues) -> Sketch | None:
    # Loaded where it is asked for: scipy.stats takes long to load.
    from reportgen.stats.friedman import FEWEST_BLOCKS, FEWEST_SYSTEMS, mean_ranks

    systems = [one for one in results.systems if one.id in values.of_system]
    if len(systems) < FEWEST_SYSTEMS:
        return None
    blocks = values.by_cluster([one.id for one in systems])
    if len(blocks) < FEWEST_BLOCKS:
        return None
    ranks = mean_ranks(blocks, higher=metric.direction == "higher", alpha=results.alpha)
    return _sketch(results, metric, systems, ranks)


def _sketch(results: Results, metric: MetricRecord, systems: list[SystemRecord], found: MeanRanks) -> Sketch:
    order = sorted(range(len(systems)), key=lambda at: (found.ranks[at], at))
    ranked = [(systems[at], found.ranks[at]) for at in order]
    n = f"{count(found.blocks)} {results.units.cluster.many}"
    data = _Diagram(
        names=tuple(one.label for one, _ in ranked),
        orders=tuple(one.order for one, _ in ranked),
        ranks=tuple(rank for _, rank in ranked),
        groups=tuple((found.ranks[group[0]], found.ranks[group[-1]]) for group in found.groups),
        critical=found.critical_difference,
        note=f"Mean rank on {metric.name} over {n}, 1 is best",
        synthetic=results.run.synthetic,
    )
    in_groups = [" ".join(str(at) for at, group in enumerate(found.groups, 1) if place in group) for place in order]
    subset = results.home_subset(metric.id) or ALL
    headlines = (results.headline(metric.id, one.id, subset) for one, _ in ranked)
    return Sketch(
        id="critical-difference",
        title="Mean ranks and critical difference",
        columns=("system", "label", "metric", "mean_rank", "groups"),
        rows=tuple(
            (one.id, one.label, metric.id, rank, groups) for (one, rank), groups in zip(ranked, in_groups, strict=True)
        ),
        results=tuple(one.id for one in headlines if one is not None),
        draw=partial(paint, data),
        width="double",
        facts={
            "metric": metric.id,
            "blocks": n,
            "ranked": [(one.label, fixed(rank, 2)) for one, rank in ranked],
            "statistic": fixed(found.statistic, 2),
            "degrees": len(systems) - 1,
            "p": p_value(found.p),
            "level": f"{results.alpha:g}",
            "critical": fixed(found.critical_difference, 2),
            "groups": [[systems[at].label for at in group] for group in found.groups],
            "leads_alone": not any(order[0] in group for group in found.groups),
        },
    )


@styled
def paint(data: _Diagram, tokens: Tokens) -> MatplotlibFigure:
    """Draw the scale of ranks above, the better half of the systems at its left and the others at its right."""
    style = Style.of(tokens)
    rows = -(-len(data.names) // 2)
    bars = _levels(data.groups)
    room = style.double * POINTS_PER_INCH * 0.26
    names = [wrapped(legible(name, tokens), room, style.small, tokens) for name in data.names]
    pitch = 3.7 + _LINE * max(name.count("\n") + 1 for name in names)
    start = _FIRST + max(bars, default=0) * _GROUP
    depth = start + (rows - 0.4) * pitch
    figure = new_figure(style.double, (depth + 2 * _ABOVE) / POINTS_PER_INCH)
    axes = figure.add_subplot()
    axes.set_axis_off()
    k, side = len(data.names), 0.42 * (len(data.names) - 1)
    axes.set(xlim=(1 - side, k + side), ylim=(depth, -_ABOVE))
    _scale(axes, data, style)
    for (first, last), level in zip(data.groups, bars, strict=True):
        axes.plot((first, last), (level * _GROUP + 4.0,) * 2, color=style.ink, linewidth=2.4, solid_capstyle="round")
    for at, (name, order, rank) in enumerate(zip(names, data.orders, data.ranks, strict=True)):
        left = at < rows
        y = start + (at if left else k - 1 - at) * pitch
        end = 1 - 0.08 * side if left else k + 0.08 * side
        mark = style.mark(order)
        axes.plot((rank, rank, end), (0.0, y, y), color=mark.colour, linewidth=style.context_line, label=f"_{at}")
        axes.plot(rank, 0.0, marker=mark.marker, color=mark.colour, markersize=style.marker, clip_on=False)
        axes.annotate(f"{name}  {fixed(rank, 2)}" if left else f"{fixed(rank, 2)}  {name}", (end, y),
                      xytext=(-4 if left else 4, 0), textcoords="offset points", ha="right" if left else "left",
                      va="center", fontsize=style.small)  # fmt: skip
    line = legible_words(data.note, tokens)
    note(figure, wrapped(line, style.double * POINTS_PER_INCH * 0.8, style.small, tokens), style,
         synthetic=data.synthetic)  # fmt: skip
    fit_height(figure, lambda: depth + _ABOVE - size_in_points(axes)[1], in_rows=True)
    return figure


def _scale(axes: Axes, data: _Diagram, style: Style) -> None:
    """Draw the scale of ranks with the length of the critical difference above it."""
    k = len(data.names)
    line: dict[str, Any] = {"color": style.ink, "linewidth": 0.8}
    axes.plot((1, k), (0.0, 0.0), label="_scale", **line)
    step = max(1, round(k / 12))
    for rank in range(1, k + 1, step):
        axes.plot((rank, rank), (0.0, -3.0), label="_tick", **line)
        axes.annotate(str(rank), (rank, -3.0), xytext=(0, 2), textcoords="offset points", ha="center", va="bottom",
                      fontsize=style.small, color=style.muted)  # fmt: skip
    shown = min(data.critical, k - 1.0)
    axes.plot((1, 1 + shown), (-22.0, -22.0), label="_critical", **line)
    for end in (1, 1 + shown):
        axes.plot((end, end), (-24.5, -19.5), label="_critical", **line)
    axes.annotate(f"critical difference {fixed(data.critical, 2)}", (1 + shown, -22.0), xytext=(5, 0),
                  textcoords="offset points", va="center", fontsize=style.small)  # fmt: skip


def _levels(groups: tuple[tuple[float, float], ...]) -> list[int]:
    """Return the line of each bar: the first on which it touches no other."""
    ends: list[float] = []
    levels = []
    for first, last in groups:
        level = next((at for at, end in enumerate(ends) if end < first), len(ends))
        ends[level : level + 1] = [last]
        levels.append(level + 1)
    return levels
