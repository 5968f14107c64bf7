"""The reliability diagram: observed share of positives against the predicted probability, with counts."""

from __future__ import annotations

from functools import partial

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.calibration import Bars, Calibration, paint
from reportgen.figures.drawing.curves import curve_rows, curves_of, estimate_of, row_numbers, series_of
from reportgen.wording.captions import interval_level, level_text, other_scope_sentence, synthetic_sentence
from reportgen.wording.heads import origin, over_folds, sizes
from reportgen.wording.rankings import leader_sentence, ranking
from reportgen.wording.text import Phrase, capital, counted

ORDER = 20
METRIC = "ece"
SUBSET = "all_queries"
# Width of a bar in the strip: thin, since it stands at the mean of its bin and not over the bin.
_BAR = 0.035
# More systems than this are summed up in the alternative text, which must stay short enough to be read out.
_NAMED = 6


def build(results: Results) -> tuple[Figure, ...]:
    """The reliability diagram, or nothing if no system has a curve."""
    curves = curves_of(results, "reliability", SUBSET)
    if not curves:
        return ()
    estimates = {curve.system: estimate_of(results, METRIC, curve) for curve in curves}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    level = interval_level(results, known)
    scopes = dict.fromkeys(text for e in known if (text := over_folds(results, e.scope)))
    heading = f"ECE{''.join(f', {scope}' for scope in scopes)}{f' [{level} CI]' if level else ''}"
    rows = row_numbers(curves)
    series = [series_of(results, curve, estimates[curve.system], rows[curve.id]) for curve in curves]
    data = Calibration(
        panels=tuple((one, Bars(one.x, one.n, _BAR, one.rows)) for one in series),
        points=True,
        note=f"{heading}; {sizes(results, results.subset_by_id[SUBSET])}",
        unit=results.units.query.many,
        synthetic=results.run.synthetic,
    )
    return (
        Figure(
            id="reliability",
            title="Reliability diagram",
            caption=_caption(results, curves, known),
            alt=_alt(results, curves),
            columns=("system", "label", "scope", "mean_predicted", "observed_share", "lower", "upper", "n"),
            rows=curve_rows(results, curves, counts=True),
            results=tuple(estimate.id for estimate in known),
            draw=partial(paint, data),
            width="single" if len(curves) <= 2 else "double",
        ),
    )


def _caption(results: Results, curves: tuple[Curve, ...], estimates: list[Estimate]) -> Phrase:
    order = ranking(results, estimates)
    message: Phrase
    message = (
        leader_sentence(results, order, "calibration error (ECE)", "lowest") if order else ("No system has an ECE.",)
    )
    subset, level = results.subset_by_id[SUBSET], interval_level(results, estimates)
    what = (
        capital(curves[0].description).rstrip(".") or f"Observed share of positive {results.units.query.many} per bin"
    )
    rest = [
        f" {what}; {sizes(results, subset)}{origin(results, subset, estimates)}.",
        f" Brackets: {level} confidence interval." if level else "",
        other_scope_sentence(results, estimates, "ECE"),
        f" Dashed line: perfect calibration. Lower strip: number of {results.units.query.many} in each bin.",
        synthetic_sentence(results),
    ]
    return (*message, "".join(rest))


def _alt(results: Results, curves: tuple[Curve, ...]) -> str:
    band = next((curve.band for curve in curves if curve.band), None)
    bands = f" with {level_text(band.level)} bands" if band else ""
    opening = (
        f"Reliability diagram of {counted(len(curves), 'system', 'systems')}{bands} "
        f"above bars that count {results.units.query.many}."
    )
    named = curves[:_NAMED] if len(curves) <= _NAMED else ()
    if named:
        return f"{opening} {' '.join(_position(results.system_by_id[c.system].label, (c,)) for c in named)}"
    return f"{opening} {_position('All systems together', curves)}"


def _position(who: str, curves: tuple[Curve, ...]) -> str:
    """Where points and bands lie against the diagonal, in one sentence."""
    points = [(x, low, high) for c in curves for x, low, high in zip(c.x, c.lower or c.y, c.upper or c.y, strict=True)]
    above, below = sum(low > x for x, low, _ in points), sum(high < x for x, _, high in points)
    what = "whole bands" if any(curve.band for curve in curves) else "points"
    return (
        f"{who}: of {counted(len(points), 'bin', 'bins')}, {above} with {what} above the diagonal (predicted too low), "
        f"{below} below it (predicted too high)."
    )
