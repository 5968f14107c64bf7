"""The ROC curves of every label in a panel of its own, all systems together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure as MatplotlibFigure

from reportgen.domain.record import Curve, Estimate, Label, Results, SystemRecord
from reportgen.figures.drawing.curves import (
    OVERLAY,
    Series,
    curve_rows,
    curves_of,
    draw_curve,
    estimate_of,
    first_rows,
    series_of,
)
from reportgen.figures.drawing.data import training_column
from reportgen.figures.drawing.layout import (
    PanelGrid,
    Panels,
    drawn_grid,
    key_below,
    line_of,
    unit_square,
)
from reportgen.figures.drawing.pages import lines_on_a_page
from reportgen.figures.drawing.style import Style
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import UNDEFINED, count
from reportgen.styles import Tokens
from reportgen.wording.captions import part_of
from reportgen.wording.heads import label_name, over_folds
from reportgen.wording.rankings import ranking, ranking_on

ORDER = 35
METRIC = "auroc"
_COLUMNS = 5
_HEADS = (
    "label", "label_name", "system", "system_label", "aggregation", "false_positive_rate", "true_positive_rate",
)  # fmt: skip
# Points of height that a head, and the texts around all panels, take from a page.
_HEAD, _FURNITURE = 24.0, 90.0
_LINE = 10.0
# Characters of a label that fit a line of its head.
_CHARACTERS = 20


@dataclass(frozen=True, slots=True)
class LabelPanel:
    """One label: the curves of the systems that have one, and the best printed value."""

    series: tuple[Series, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Label:
    """A label with its curves and their areas, by system."""

    facts: Label
    curves: tuple[Curve, ...]
    areas: dict[str, Estimate]

    @property
    def name(self) -> str:
        return label_name(self.facts)


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the panels fill more than a page; nothing if no label has a curve."""
    labels = [_label(results, facts) for facts in results.labels if f"label={facts.id}" in results.subset_by_id]
    if not any(label.curves for label in labels):
        return ()
    lines = max(ceil(len(label.name) / _CHARACTERS) for label in labels)
    rows = lines_on_a_page(_COLUMNS, 1.0, _HEAD + (lines - 1) * _LINE)
    parts = ceil(len(labels) / (rows * _COLUMNS))
    # Full lines of panels in every part but the last.
    size = ceil(ceil(len(labels) / parts) / _COLUMNS) * _COLUMNS
    pages = [labels[start : start + size] for start in range(0, len(labels), size)]
    return tuple(_figure(results, page, at, len(pages)) for at, page in enumerate(pages, start=1))


def _label(results: Results, facts: Label) -> _Label:
    curves = curves_of(results, "roc", f"label={facts.id}")
    found = {curve.system: estimate_of(results, METRIC, curve) for curve in curves}
    return _Label(facts, curves, {system: area for system, area in found.items() if area is not None})


def _figure(results: Results, labels: list[_Label], number_: int, of: int) -> Sketch:
    curves = [curve for label in labels for curve in label.curves]
    with_curve = {curve.system for curve in curves}
    systems = [system for system in results.systems if system.id in with_curve]
    areas = [area for label in labels for area in label.areas.values()]
    aggregations = dict.fromkeys(text for area in areas if (text := over_folds(results, area.aggregation)))
    heading = "; ".join(["Highest AUROC", *aggregations])
    rows = first_rows(curves)
    leading = _leading(results) if len(systems) > OVERLAY else None
    panels = Panels(
        heads=tuple((label.name, _sizes(results, label)) for label in labels),
        share=1.0,
        x_label="FPR",
        y_label="True positive rate",
        note=f"{f'{heading}. ' if areas else ''}Heads: positive {results.units.query.many} / all",
        synthetic=results.run.synthetic,
        across=_COLUMNS,
    )
    squares = tuple(
        LabelPanel(
            # Every ROC curve starts at (0, 0), also where its first recorded point lies higher on the same vertical.
            tuple(series_of(results, curve, rows[curve.id]).from_origin() for curve in label.curves),
            _best_text(results, label),
        )
        for label in labels
    )
    named = [system for system in systems if leading in (None, system.order)]
    data = PanelGrid(panels, squares, partial(_square, leading), partial(_complete, named))
    return Sketch(
        id="label-roc" if number_ == 1 else f"label-roc-{number_}",
        title=f"ROC curves per {results.units.label.one}{part_of(number_, of)}",
        columns=(*_HEADS, *training_column(results)),
        rows=tuple(
            (label.facts.id, label.name, *row[:5], *row[7:])
            for label in labels
            for row in curve_rows(results, label.curves)
        ),
        results=tuple(area.id for area in areas) or tuple(curve.id for curve in curves),
        draw=drawn_grid(data),
        width=panels.width,
        facts={
            "metric": METRIC,
            "n_systems": len(systems),
            "part": part_of(number_, of),
            "stands_out": leading is not None,
            **_facts(results, labels),
        },
    )


def _sizes(results: Results, label: _Label) -> str:
    subset = results.subset_by_id[f"label={label.facts.id}"]
    return f"{count(subset.n_positive)} / {count(subset.n_queries)}"


def _best(results: Results, label: _Label) -> Estimate | None:
    order = ranking(results, list(label.areas.values()))
    return order.first if order else None


def _best_text(results: Results, label: _Label) -> str:
    best = _best(results, label)
    if best is not None:
        return best.display.value
    return f"{UNDEFINED} undefined" if METRIC in results.metric_by_id or not label.curves else ""


def _leading(results: Results) -> int | None:
    """Return the order of the system with the highest AUROC over all labels together."""
    order = ranking_on(results, METRIC, "all_queries")
    return results.system_by_id[order.first.system].order if order and order.ranked else None


def _facts(results: Results, labels: list[_Label]) -> dict[str, Any]:
    return {
        "ends": _ends(results, labels),
        "n_valued": sum(bool(label.areas) for label in labels),
        "n_labels": len(labels),
        "curves": [curve for label in labels for curve in label.curves],
        "some_undefined": any(not label.curves for label in labels),
        "below": sum(any(y < x for c in label.curves for x, y in zip(c.x, c.y, strict=True)) for label in labels),
    }


def _ends(results: Results, labels: list[_Label]) -> list[tuple[Estimate, str]]:
    """Return the lowest and the highest of the labels' best areas, with the label's name."""
    best = [(area, label.name) for label in labels if (area := _best(results, label))]
    best.sort(key=lambda pair: pair[0].value or 0.0)
    return [best[0], best[-1]] if best else []


def _complete(
    named: list[SystemRecord], figure: MatplotlibFigure, every: list[Axes], style: Style, tokens: Tokens
) -> None:
    """Set the key of the systems in colour."""
    handles = [line_of(style.mark(system.order), style) for system in named]
    key_below(figure, handles, [system.label for system in named], style, tokens)


def _square(leading: int | None, axes: Axes, label: LabelPanel, style: Style) -> None:
    """Draw the curves of a label; where one system leads, the others are grey."""
    unit_square(axes, style)
    grey = {"color": style.context, "linestyle": "-", "linewidth": style.context_line, "zorder": 1.6}
    for series in label.series:
        look = {"linewidth": 0.9} if leading in (None, series.order) else grey
        draw_curve(axes, series, style, **look)
    axes.text(0.96, 0.05, label.text, transform=axes.transAxes, ha="right", va="bottom", fontsize=style.small)
