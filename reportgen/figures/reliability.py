"""The reliability diagram: observed share of positives against the predicted probability, with counts."""

from __future__ import annotations

from reportgen.domain.record import Results
from reportgen.figures.drawing.calibration import Bars, Diagram, calibration_figure
from reportgen.figures.drawing.curves import curves_of, estimate_of, first_rows, series_of
from reportgen.figures.drawing.data import values_head
from reportgen.figures.drawing.words import Sketch
from reportgen.wording.text import value_text

ORDER = 20
METRIC = "ece"
# Width of a bar in the strip: thin, since it stands at the mean of its bin and not over the bin.
_BAR = 0.035


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the reliability diagram, or nothing if no system has a curve."""
    curves = curves_of(results, "reliability")
    if not curves:
        return ()
    estimates = {curve.system: estimate_of(results, METRIC, curve) for curve in curves}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    rows = first_rows(curves)
    series = [series_of(results, curve, rows[curve.id], value_text(estimates[curve.system])) for curve in curves]
    what = Diagram(
        id="reliability",
        title="Reliability diagram",
        error="calibration error (ECE)",
        short="ECE",
        points=True,
        x="mean_predicted",
        place=("bin", "bins"),
        default=f"Observed share of positive {results.units.query.many} per bin",
    )
    return (
        calibration_figure(
            results, what, curves, [(one, Bars(one.x, one.n, _BAR, one.rows)) for one in series], known, known,
            heading=values_head(results, known, "ECE"),
            ids=tuple(estimate.id for estimate in known),
        ),
    )  # fmt: skip
