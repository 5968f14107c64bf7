"""Decision curves: net benefit of acting on each system's probabilities, beside treating all and treating none."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil, floor, log10
from typing import Any

import numpy as np
from matplotlib.ticker import MaxNLocator

from reportgen.domain.presentation import Value
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.curves import (
    ALL,
    OVERLAY,
    CurveChart,
    Plane,
    ReferenceLine,
    best_first,
    curve_rows,
    curves_of,
    first_rows,
    paint_curves,
    series_of,
)
from reportgen.figures.drawing.data import missing_systems, training_column
from reportgen.figures.drawing.words import Sketch
from reportgen.wording.captions import drawn_level
from reportgen.wording.heads import origin, sizes
from reportgen.wording.rankings import ranking
from reportgen.wording.text import capital, value_text

ORDER = 40
METRIC = "net_benefit"
_SHARE = 0.62
# Below zero only this share of the height above it is shown: treating all falls without end as p nears 1.
_BELOW = 0.25
# The labels of both lines fit side by side at the left of this threshold probability.
_ROOM = 0.45


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the decision curves, or nothing if no system has one."""
    models = _curves(results, "model")
    if not models:
        return ()
    metric, estimates = _estimates(results, models)
    shown, known = best_first(results, models, estimates)
    references = [found[0] for policy in ("treat_all", "treat_none") if (found := _curves(results, policy))]
    level = drawn_level(results, known)
    name = results.metric_by_id[metric].name if known else ""
    plane = _plane(shown)
    drawn = (*models, *references)
    rows = first_rows(drawn)
    data = CurveChart(
        series=tuple(
            series_of(results, curve, rows[curve.id], value_text(estimates.get(curve.system))) for curve in shown
        ),
        references=tuple(
            _reference(curve, plane, tuple(range(rows[curve.id], rows[curve.id] + len(curve.x))))
            for curve in references
        ),
        plane=plane,
        corners=("upper right", "lower left", "lower right"),
        heading=f"{name} [{level} CI]" if level else name,
        sizes=sizes(results, results.subset_by_id[ALL]),
        synthetic=results.run.synthetic,
    )
    return (
        Sketch(
            id="decision-curve",
            title="Decision curves",
            columns=(
                "system",
                "label",
                "policy",
                "aggregation",
                "threshold_probability",
                "net_benefit",
                "lower",
                "upper",
                *training_column(results),
            ),
            rows=tuple(row for curve in drawn for row in _rows(results, curve)),
            results=(*(estimate.id for estimate in known), *(curve.id for curve in drawn)),
            draw=partial(paint_curves, data),
            width="single" if len(models) <= OVERLAY else "double",
            facts=_facts(results, models, known, name, shown, references),
        ),
    )


def _curves(results: Results, policy: str) -> tuple[Curve, ...]:
    return tuple(curve for curve in curves_of(results, "decision") if curve.policy == policy)


def _estimates(results: Results, models: Sequence[Curve]) -> tuple[str, dict[str, Estimate | None]]:
    """Return the value beside each name: net benefit at the contract's largest threshold probability that was
    computed.
    """
    for probability in sorted(results.contract.threshold_probabilities, reverse=True):
        metric = f"{METRIC}@pt={probability:g}"
        found = {curve.system: results.find(metric, curve.system, ALL, curve.aggregation) for curve in models}
        if any(found.values()):
            return metric, found
    return "", {}


def _plane(models: Sequence[Curve]) -> Plane:
    """Return the plane up to the highest net benefit, and a little below zero."""
    most = max((y for curve in models for y in (*curve.y, *curve.upper)), default=0.0)
    step = 10 ** floor(log10(most)) if most > 0 else 1.0
    top = step * ceil(max(most, step) / step - 1e-9)
    low = -_BELOW * top
    ticks = [round(float(tick), 10) for tick in MaxNLocator(5).tick_values(low, top) if low <= tick <= top]
    return Plane("Threshold probability", "Net benefit", y=(low, top), y_ticks=tuple(ticks), share=_SHARE)


def _reference(curve: Curve, plane: Plane, rows: tuple[int, ...]) -> ReferenceLine:
    """Return the line of treating all or none; that of all has its label where it has fallen below the zero line."""
    low, _ = plane.y
    if curve.policy == "treat_none":
        return ReferenceLine(curve.x, curve.y, "treat none", (0.01, 0.06 * low), ("left", "top"), (1, 1.5), rows)
    # Net benefit of treating all only falls; where it never falls so far, its end is taken.
    fallen = float(np.interp(0.7 * low, curve.y[::-1], curve.x[::-1]))
    # At a low prevalence the line falls at once: then its label stands to its right.
    side, offset = ("right", -0.02) if fallen > _ROOM else ("left", 0.02)
    return ReferenceLine(curve.x, curve.y, "treat all", (fallen + offset, 0.7 * low), (side, "center"), rows=rows)


def _rows(results: Results, curve: Curve) -> list[tuple[Value, ...]]:
    """Return the lines of treating all and none belong to no system."""
    of_system = curve.policy == "model"
    return [(*(row[:2] if of_system else ("", "")), curve.policy, *row[2:]) for row in curve_rows(results, [curve])]


def _facts(
    results: Results,
    models: Sequence[Curve],
    known: list[Estimate],
    name: str,
    shown: Sequence[Curve],
    references: Sequence[Curve],
) -> dict[str, Any]:
    missing = missing_systems(results, known[0].metric, {c.system for c in models}) if known else []
    subset = results.subset_by_id[ALL]
    simple: dict[float, float] = {}
    for curve in references:
        for x, y in zip(curve.x, curve.y, strict=True):
            simple[x] = max(y, simple.get(x, y))
    better = [sum(y > simple.get(x, 0.0) for x, y in zip(curve.x, curve.y, strict=True)) for curve in shown]
    labels = [results.system_by_id[curve.system].label for curve in shown]
    return {
        "leads": ranking(results, known),
        "benefit": name[:1].lower() + name[1:],
        "described": capital(models[0].description).rstrip("."),
        "on_what": f"{sizes(results, subset)}{origin(results, subset)}",
        "known": known,
        "curves": models,
        "missing": missing,
        "n_probabilities": len(models[0].x),
        "better": list(zip(labels, better, strict=True)),
    }
