"""The ROC curves of all systems with their bands: true against false positive rate over all thresholds."""

from __future__ import annotations

from reportgen.domain.record import Results
from reportgen.figures.drawing.curves import AreaFigure, Plane, ReferenceLine, area_figure
from reportgen.figures.drawing.words import Sketch

ORDER = 10
_ROC = AreaFigure(
    id="roc",
    title="ROC curves",
    metric="auroc",
    short="AUROC",
    plane=Plane("False positive rate", "True positive rate"),
    corners=("lower right",),
    from_origin=True,
    line=ReferenceLine((0.0, 1.0), (0.0, 1.0)),
)


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the ROC figure, or nothing if no system has a curve."""
    return area_figure(results, _ROC)
