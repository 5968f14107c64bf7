"""Reliability without bins: the observed share by isotonic regression, with what the Brier score is made of (CORP)."""

from __future__ import annotations

from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.calibration import Bars, Diagram, calibration_figure
from reportgen.figures.drawing.curves import ALL, curves_of, first_rows, series_of
from reportgen.figures.drawing.data import values_head
from reportgen.figures.drawing.words import Sketch

ORDER = 25
_MISCALIBRATION = "brier[miscalibration]"
_PARTS = {_MISCALIBRATION: "MCB", "brier[discrimination]": "DSC", "brier[uncertainty]": "UNC"}
_CORP = Diagram(
    id="corp",
    title="Reliability by isotonic regression",
    error="miscalibration (MCB)",
    short="MCB",
    points=False,
    x="probability",
    place=("corner of the curve", "corners of the curve"),
    default="Observed share given the probability",
)


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the isotonic reliability diagram, or nothing if no system has a curve."""
    curves = curves_of(results, "corp")
    if not curves:
        return ()
    parts = {curve.system: _decomposition(results, curve) for curve in curves}
    known = [found[_MISCALIBRATION] for found in parts.values() if _MISCALIBRATION in found]
    shown = [estimate for found in parts.values() for estimate in found.values()]
    rows = first_rows(curves)
    return (
        calibration_figure(
            results, _CORP, curves,
            [(series_of(results, c, rows[c.id], _text(parts[c.system])), _bars(results, c)) for c in curves],
            known, shown,
            heading=values_head(results, known, "Brier score = MCB \u2212 DSC + UNC", intervals=False),
            ids=(*(estimate.id for estimate in shown), *(curve.id for curve in curves)),
        ),
    )  # fmt: skip


def _decomposition(results: Results, curve: Curve) -> dict[str, Estimate]:
    """Return the Brier score and its parts, of one aggregation, so that they add up."""
    found = {
        metric: results.find(metric, curve.system, curve.subset, curve.aggregation) for metric in ("brier", *_PARTS)
    }
    return {metric: estimate for metric, estimate in found.items() if estimate is not None}


def _text(parts: dict[str, Estimate]) -> str:
    shorts = {**_PARTS, "brier": "Brier"}
    return "\n".join(f"{short} {parts[metric].display.value}" for metric, short in shorts.items() if metric in parts)


def _bars(results: Results, curve: Curve) -> Bars:
    """Return how many probabilities of both classes lie in each bin; nothing where they were not counted."""
    found = [d for d in results.distributions if (d.kind, d.system, d.subset) == ("score", curve.system, ALL)]
    if len(found) != 2 or not found[0].bins or found[0].bins != found[1].bins:
        return Bars((), (), 0.0)
    bins = len(found[0].bins)
    centres = tuple((at + 0.5) / bins for at in range(bins))
    return Bars(centres, tuple(a + b for a, b in zip(found[0].counts, found[1].counts, strict=True)), 0.86 / bins)
