"""The difference of two systems on each query, from the largest gain to the largest loss.

The values of single queries are in no metrics_master.json: a run has them, and a bundle in per_query.parquet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.presentation import Value
from reportgen.domain.record import Comparison, MetricRecord, Results
from reportgen.figures.drawing.layout import PanelGrid, Panels, drawn_grid
from reportgen.figures.drawing.of_queries import metrics_shown
from reportgen.figures.drawing.style import Style
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import MINUS, count
from reportgen.query_values import Obtain, QueryValues
from reportgen.styles import Tokens
from reportgen.wording.comparisons import unit_of_difference
from reportgen.wording.heads import panel_head

ORDER = 8
DEFAULT = False
OF_QUERIES = OF_METRICS = True
_ID = "waterfall"
_SHARE = 0.75


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two systems, and what the first gains on each query, most first; printed as the difference is."""

    comparison: Comparison
    label: str
    order: int
    queries: tuple[str, ...]
    differences: tuple[float, ...]
    """Value of the first minus value of the second, on the metric's own scale."""
    factor: float
    """To the scale they are drawn in: proportions in percentage points."""


def build(results: Results, per_query: Obtain) -> tuple[Sketch, ...]:
    """Return a panel for each comparison on a metric that has values of single queries; else nothing."""
    of_metrics = [
        (metric, _pairs(results, metric, values))
        for metric, values in metrics_shown(results, per_query, _ID, compared=True)
    ]
    return tuple(_sketch(results, metric, pairs) for metric, pairs in of_metrics if pairs)


def _sketch(results: Results, metric: MetricRecord, pairs: tuple[_Pair, ...]) -> Sketch:
    panels = Panels(
        heads=tuple((pair.label, _counted(pair.comparison)) for pair in pairs),
        share=_SHARE,
        x_label=f"{results.units.query.many.capitalize()}, from the largest gain to the largest loss (%)",
        y_label="Difference",
        note=panel_head(results, metric, pairs[0].comparison.subset, unit_of_difference(metric.unit)),
        synthetic=results.run.synthetic,
    )
    return Sketch(
        id=_ID,
        title=f"Differences on single {results.units.query.many}",
        columns=("system", "label", "against", "metric", "rank", "query", "difference"),
        rows=tuple(row for pair in pairs for row in _rows(pair)),
        results=tuple(pair.comparison.id for pair in pairs),
        draw=drawn_grid(PanelGrid(panels, pairs, _draw, _complete)),
        width=panels.width,
        facts={"metric": metric.id, "compared": [pair.comparison for pair in pairs], "lower": _is_lower(metric)},
    )


def _pairs(results: Results, metric: MetricRecord, values: QueryValues) -> tuple[_Pair, ...]:
    found = []
    several = len({one.system_b for one in results.comparisons if one.metric == metric.id}) > 1
    for one in results.comparisons:
        if one.metric != metric.id or not {one.system_a, one.system_b} <= values.of_system.keys():
            continue
        difference = values.of_system[one.system_a] - values.of_system[one.system_b]
        defined = np.flatnonzero(~np.isnan(difference))
        gain = difference[defined] * (-1.0 if _is_lower(metric) else 1.0)
        order = defined[np.argsort(-gain, kind="stable")]
        a, b = (results.system_by_id[id_] for id_ in (one.system_a, one.system_b))
        found.append(
            _Pair(
                one,
                f"{a.label} {MINUS} {b.label}" if several else a.label,
                a.order,
                tuple(values.queries[at] for at in order),
                tuple(difference[order].tolist()),
                100.0 if metric.unit == "proportion" else 1.0,
            )
        )
    return tuple(found)


def _is_lower(metric: MetricRecord) -> bool:
    return metric.direction == "lower"


def _counted(one: Comparison) -> str:
    """Return on how many queries the first system is better and worse, as recorded."""
    return "" if one.wins is None or one.losses is None else f"{count(one.wins)} better, {count(one.losses)} worse"


def _rows(pair: _Pair) -> list[tuple[Value, ...]]:
    one = pair.comparison
    head = (one.system_a, pair.label, one.system_b, one.metric)
    ranked = enumerate(zip(pair.queries, pair.differences, strict=True), start=1)
    return [(*head, rank, query, difference) for rank, (query, difference) in ranked]


def _draw(axes: Axes, pair: _Pair, style: Style) -> None:
    """Draw gains in the system's colour and losses in grey, as steps, and a line at the difference of the two."""
    mark, every = style.mark(pair.order), np.array(pair.differences) * pair.factor
    # Equal neighbours are one step.
    starts = np.flatnonzero(np.r_[True, every[1:] != every[:-1]])
    heights, edges = every[starts], np.r_[starts, len(every)] * 100.0 / len(every)
    better = heights < 0 if every[0] < every[-1] else heights > 0
    for part, colour in ((better, mark.colour), (~better, style.context)):
        axes.stairs(np.where(part, heights, 0.0), edges, fill=True, color=colour, linewidth=0.0)
    axes.axhline(0.0, color=style.rule, linewidth=style.rule_line)
    if pair.comparison.difference is not None:
        axes.axhline(
            pair.comparison.difference * pair.factor, color=style.ink, linewidth=style.context_line,
            linestyle=(0.0, (5.0, 1.6)), label="_difference",
        )  # fmt: skip


def _complete(figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens) -> None:
    """Set the scale of shares; that of the differences follows from them."""
    every[0].set(xlim=(0.0, 100.0), xticks=(25, 50, 75))
