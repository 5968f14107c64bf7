"""The precision-recall curves of all systems with their bands, over the prevalence as the level of no information."""

from __future__ import annotations

from reportgen.domain.presentation import Figure, Shown
from reportgen.domain.record import Results
from reportgen.figures.drawing.area_curves import SUBSET, AreaFigure, Baseline, area_figure
from reportgen.figures.drawing.curves import curves_of, estimate_of

ORDER = 15
_FIGURE = AreaFigure(
    id="pr",
    title="Precision-recall curves",
    kind="pr",
    metric="auprc",
    short="AUPRC",
    x_label="Recall",
    y_label="Precision",
    corners=("lower left", "upper right", "lower right"),
    from_origin=False,
)


def build(results: Results) -> tuple[Figure, ...]:
    """The precision-recall figure, or nothing if no system has a curve."""
    return area_figure(results, _FIGURE, _prevalence(results))


def _prevalence(results: Results) -> Baseline:
    """The share of positive queries, which a ranking without information has as its precision at every recall."""
    estimates = (estimate_of(results, "prevalence", curve) for curve in curves_of(results, "pr", SUBSET))
    known = next((estimate for estimate in estimates if estimate is not None and estimate.value is not None), None)
    if known is None or known.value is None:
        subset = results.subset_by_id[SUBSET]
        share = subset.n_positive / max(subset.n_queries, 1)
        return Baseline(share, share, "prevalence line", ("prevalence, the level without information",), "prevalence")
    value = Shown(known.display.value, known.id)
    return Baseline(
        known.value,
        known.value,
        "prevalence line",
        ("prevalence, ", value, ", the precision without information"),
        f"prevalence {known.display.value}",
        (known.id,),
    )
