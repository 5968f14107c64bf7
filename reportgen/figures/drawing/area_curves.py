"""ROC and precision-recall figures: a curve per system, its area beside its name, and the line of no information."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from reportgen.domain.presentation import Figure
from reportgen.domain.record import Curve, Estimate, Results
from reportgen.figures.drawing.curve_chart import OVERLAY, CurveChart, Plane, Reference, paint
from reportgen.figures.drawing.curves import Series, curve_rows, curves_of, estimate_of, row_numbers, series_of
from reportgen.figures.drawing.layout import Corner
from reportgen.wording.captions import interval_level, level_text, other_scope_sentence, synthetic_sentence
from reportgen.wording.heads import origin, sizes
from reportgen.wording.rankings import leader_sentence, ranking
from reportgen.wording.text import Phrase, capital, counted, enumeration

SUBSET = "all_queries"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A straight line from x = 0 to x = 1 that a system without information would follow."""

    start: float
    end: float
    name: str
    """``chance line``"""
    caption: Phrase
    label: str = ""
    results: tuple[str, ...] = ()

    def height(self, x: float) -> float:
        """Where the line stands at x."""
        return self.start + (self.end - self.start) * x

    def reference(self) -> Reference:
        """The line as it is drawn; its label stands above its left end."""
        at = (0.01, self.start + 0.01)
        return Reference((0.0, 1.0), (self.start, self.end), self.label, at)


@dataclass(frozen=True, slots=True)
class AreaFigure:
    """What tells one kind of curve from the other."""

    id: str
    title: str
    kind: str
    metric: str
    short: str
    x_label: str
    y_label: str
    corners: tuple[Corner, ...]
    from_origin: bool
    """Whether every curve starts at (0, 0), also where its first recorded point lies higher."""


def area_figure(results: Results, what: AreaFigure, baseline: Baseline) -> tuple[Figure, ...]:
    """The figure of one kind of curve, or nothing if no system has one."""
    curves = curves_of(results, what.kind, SUBSET)
    if not curves:
        return ()
    estimates = {curve.system: estimate_of(results, what.metric, curve) for curve in curves}
    known = [estimate for estimate in estimates.values() if estimate is not None]
    order = ranking(results, known)
    best_first = [e.system for e in order.ranked] if order else []
    place = {system: at for at, system in enumerate(best_first)}
    shown = sorted(curves, key=lambda curve: place.get(curve.system, len(place)))
    level = interval_level(results, known)
    rows = row_numbers(curves)
    series = [series_of(results, curve, estimates[curve.system], rows[curve.id]) for curve in shown]
    if what.from_origin:
        series = [_from_origin(one) for one in series]
    data = CurveChart(
        series=tuple(series),
        references=(baseline.reference(),),
        plane=Plane(what.x_label, what.y_label),
        corners=what.corners,
        heading=f"{what.short} [{level} CI]" if level else what.short,
        sizes=sizes(results, results.subset_by_id[SUBSET]),
        synthetic=results.run.synthetic,
    )
    axes = tuple(label.lower().replace(" ", "_") for label in (what.x_label, what.y_label))
    return (
        Figure(
            id=what.id,
            title=what.title,
            caption=_caption(results, curves, known, what, baseline),
            alt=_alt(results, shown, estimates, what, baseline),
            columns=("system", "label", "scope", *axes, "lower", "upper"),
            rows=curve_rows(results, curves),
            results=(*(estimate.id for estimate in known), *baseline.results),
            draw=partial(paint, data),
            width="single" if len(curves) <= OVERLAY else "double",
        ),
    )


def _from_origin(series: Series) -> Series:
    # The band starts where it is recorded: on the same vertical it has no width to show.
    return replace(
        series,
        x=(0.0, *series.x),
        y=(0.0, *series.y),
        lower=(*series.lower[:1], *series.lower),
        upper=(*series.upper[:1], *series.upper),
        rows=(None, *series.rows),
    )


def _caption(
    results: Results, curves: Sequence[Curve], estimates: list[Estimate], what: AreaFigure, baseline: Baseline
) -> Phrase:
    order, short = ranking(results, estimates), what.short
    message: Phrase = (
        leader_sentence(results, order, short, "highest") if order else (f"No system has a defined {short}.",)
    )
    subset = results.subset_by_id[SUBSET]
    level = interval_level(results, estimates)
    on = f"{sizes(results, subset)}{origin(results, subset, estimates)}"
    drawn = [
        f" {capital(curves[0].description).rstrip('.') or what.title}; {on}.",
        f" Brackets: {level} confidence interval of the area." if level else "",
        other_scope_sentence(results, estimates, short),
        " Dashed line: ",
    ]
    return (*message, "".join(drawn), *baseline.caption, f".{synthetic_sentence(results)}")


def _alt(
    results: Results,
    curves: Sequence[Curve],
    estimates: dict[str, Estimate | None],
    what: AreaFigure,
    baseline: Baseline,
) -> str:
    names = []
    for curve in curves:
        estimate, label = estimates[curve.system], results.system_by_id[curve.system].label
        names.append((f"{label} ({estimate.display.value})" if estimate else label,))
    above = all(y >= baseline.height(x) for curve in curves for x, y in zip(curve.x, curve.y, strict=True))
    one = len(curves) == 1
    who = ("It does not fall" if one else "None falls") if above else ("It falls" if one else "At least one falls")
    where = f"{who} below the {baseline.name}{'' if above else ' in part'}."
    inside = "".join(str(part) for part in enumeration(names))
    band = next((curve.band for curve in curves if curve.band), None)
    bands = f", with {level_text(band.level)} {band.kind} bands" if band else ""
    return (
        f"Line chart of the {what.y_label.lower()} against the {what.x_label.lower()} for "
        f"{counted(len(curves), 'system', 'systems')}{bands}. {where} "
        f"{'Area under the curve' if one else 'Areas under the curves, largest first'}: {inside}."
    )
