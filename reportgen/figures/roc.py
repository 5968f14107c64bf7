"""The ROC curves of all systems with their bands: true against false positive rate over all thresholds."""

from __future__ import annotations

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Results
from reportgen.figures.drawing.area_curves import AreaFigure, Baseline, area_figure

ORDER = 10
_FIGURE = AreaFigure(
    id="roc",
    title="ROC curves",
    kind="roc",
    metric="auroc",
    short="AUROC",
    x_label="False positive rate",
    y_label="True positive rate",
    corners=("lower right",),
    from_origin=True,
)


def build(results: Results) -> tuple[Figure, ...]:
    """The ROC figure, or nothing if no system has a curve."""
    return area_figure(results, _FIGURE, Baseline(0.0, 1.0, "chance line", ("chance",)))
