"""The precision-recall curves of all systems with their bands, over the prevalence as the level of no information."""

from __future__ import annotations

from reportgen.domain.record import Estimate, Results
from reportgen.figures.drawing.curves import ALL, AreaFigure, Plane, ReferenceLine, area_figure, curves_of, estimate_of
from reportgen.figures.drawing.words import Sketch

ORDER = 15


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the precision-recall figure, or nothing if no system has a curve."""
    level, label, record = _prevalence(results)
    return area_figure(
        results,
        AreaFigure(
            id="pr",
            title="Precision-recall curves",
            metric="auprc",
            short="AUPRC",
            plane=Plane("Recall", "Precision"),
            corners=("lower left", "upper right", "lower right"),
            from_origin=False,
            line=ReferenceLine((0.0, 1.0), (level, level), label, (0.01, level + 0.01)),
            prevalence=record,
            line_results=(record.id,) if record else (),
        ),
    )


def _prevalence(results: Results) -> tuple[float, str, Estimate | None]:
    """Return the share of positive queries: a ranking without information has it as its precision at every recall.

    With the line's label, and the record where there is one.
    """
    for curve in curves_of(results, "pr"):
        known = estimate_of(results, "prevalence", curve)
        if known is not None and known.value is not None:
            return known.value, f"prevalence {known.display.value}", known
    subset = results.subset_by_id[ALL]
    return subset.n_positive / max(subset.n_queries, 1), "prevalence", None
