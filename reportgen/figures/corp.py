"""Reliability without bins: the observed share by isotonic regression, with what the Brier score is made of (CORP)."""

from __future__ import annotations

from functools import partial

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.calibration import Bars, Calibration, paint
from reportgen.figures.drawing.curves import curve_rows, curves_of, row_numbers, series_of
from reportgen.wording.captions import other_scope_sentence, synthetic_sentence
from reportgen.wording.heads import origin, over_folds, sizes
from reportgen.wording.rankings import leader_sentence, ranking
from reportgen.wording.text import Phrase, capital, counted

ORDER = 25
SUBSET = "all_queries"
_PARTS = {"brier[miscalibration]": "MCB", "brier[discrimination]": "DSC", "brier[uncertainty]": "UNC"}
_MISCALIBRATION = "brier[miscalibration]"
# More systems than this are summed up in the alternative text, which must stay short enough to be read out.
_NAMED = 6


def build(results: Results) -> tuple[Figure, ...]:
    """The isotonic reliability diagram, or nothing if no system has a curve."""
    curves = curves_of(results, "corp", SUBSET)
    if not curves:
        return ()
    parts = {curve.system: _decomposition(results, curve) for curve in curves}
    known = [found[_MISCALIBRATION] for found in parts.values() if _MISCALIBRATION in found]
    scopes = dict.fromkeys(text for e in known if (text := over_folds(results, e.scope)))
    heading = f"Brier score = MCB \u2212 DSC + UNC{''.join(f', {scope}' for scope in scopes)}; " if known else ""
    rows = row_numbers(curves)
    data = Calibration(
        panels=tuple(
            (series_of(results, curve, None, rows[curve.id], _text(parts[curve.system])), _bars(results, curve))
            for curve in curves
        ),
        points=False,
        note=f"{heading}{sizes(results, results.subset_by_id[SUBSET])}",
        unit=results.units.query.many,
        synthetic=results.run.synthetic,
    )
    shown = [estimate for found in parts.values() for estimate in found.values()]
    return (
        Figure(
            id="corp",
            title="Reliability by isotonic regression",
            caption=_caption(results, curves, known, shown),
            alt=_alt(results, curves),
            columns=("system", "label", "scope", "probability", "observed_share", "lower", "upper"),
            rows=curve_rows(results, curves),
            results=(*(estimate.id for estimate in shown), *(curve.id for curve in curves)),
            draw=partial(paint, data),
            width="single" if len(curves) <= 2 else "double",
        ),
    )


def _decomposition(results: Results, curve: Curve) -> dict[str, Estimate]:
    """The Brier score and its parts, of one scope, so that they add up."""
    found = {metric: results.find(metric, curve.system, curve.subset, curve.scope) for metric in ("brier", *_PARTS)}
    return {metric: estimate for metric, estimate in found.items() if estimate is not None}


def _text(parts: dict[str, Estimate]) -> str:
    lines = [f"{short} {parts[metric].display.value}" for metric, short in _PARTS.items() if metric in parts]
    return "\n".join([*lines, f"Brier {parts['brier'].display.value}"] if "brier" in parts else lines)


def _bars(results: Results, curve: Curve) -> Bars:
    """How many probabilities of both classes lie in each bin; nothing where they were not counted."""
    found = [d for d in results.distributions if d.kind == "score" and d.system == curve.system and d.subset == SUBSET]
    if len(found) != 2 or not found[0].bins or found[0].bins != found[1].bins:
        return Bars((), (), 0.0)
    bins = len(found[0].bins)
    centres = tuple((at + 0.5) / bins for at in range(bins))
    return Bars(centres, tuple(a + b for a, b in zip(found[0].counts, found[1].counts, strict=True)), 0.86 / bins)


def _caption(results: Results, curves: tuple[Curve, ...], estimates: list[Estimate], shown: list[Estimate]) -> Phrase:
    """``estimates`` are those of miscalibration, ``shown`` all parts of the score that stand in the figure."""
    order = ranking(results, estimates)
    message: Phrase
    message = leader_sentence(results, order, "miscalibration (MCB)", "lowest") if order else ()
    subset, many = results.subset_by_id[SUBSET], results.units.query.many
    rest = [
        " " if message else "",
        f"{capital(curves[0].description).rstrip('.') or 'Observed share given the probability'}; "
        f"{sizes(results, subset)}"
        f"{origin(results, subset, shown)}. No bins are chosen and no band is given.",
        " MCB: what isotonic recalibration would save; DSC: what the recalibrated probabilities save on the "
        "prevalence; UNC: the score of the prevalence." if estimates else "",
        other_scope_sentence(results, estimates, "MCB"),
        f" Dashed line: perfect calibration. Lower strip: number of {many}.",
        synthetic_sentence(results),
    ]  # fmt: skip
    return (*message, "".join(rest))


def _alt(results: Results, curves: tuple[Curve, ...]) -> str:
    opening = (
        f"Reliability diagram by isotonic regression of {counted(len(curves), 'system', 'systems')} above bars that "
        f"count {results.units.query.many}."
    )
    if len(curves) > _NAMED:
        return f"{opening} {_position('All systems together', curves)}"
    return f"{opening} {' '.join(_position(results.system_by_id[c.system].label, (c,)) for c in curves)}"


def _position(who: str, curves: tuple[Curve, ...]) -> str:
    points = [(x, y) for curve in curves for x, y in zip(curve.x, curve.y, strict=True)]
    above, below = sum(y > x for x, y in points), sum(y < x for x, y in points)
    return (
        f"{who}: of {counted(len(points), 'corner', 'corners')} of the curve, {above} lie above the diagonal "
        f"(predicted too low), {below} below it (predicted too high)."
    )
