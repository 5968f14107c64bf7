"""Paired differences of systems: each with its interval, the line of no difference, adjusted p and the verdict."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

from reportgen.domain.presentation import Shown, Value
from reportgen.domain.record import Comparison, Results
from reportgen.figures.drawing.data import bounds
from reportgen.figures.drawing.dot_panels import Dot, DotFigure, DotPanel, DotRow
from reportgen.figures.drawing.words import Sketch
from reportgen.numbers import MINUS
from reportgen.wording.captions import drawn_level
from reportgen.wording.comparisons import SHOWN, VERDICTS, are_adjusted, unit_of_difference
from reportgen.wording.heads import panel_head
from reportgen.wording.text import capital

ORDER = 7
OF_METRICS = True
_COLUMNS = (
    "metric", "metric_name", "system_a", "label_a", "system_b", "label_b", "subset", "aggregation", "difference",
    "lower", "upper", "p", "p_adjusted", "verdict",
)  # fmt: skip
# Differences that an alternative text reads out one by one.
_READ_OUT = 12
# Characters of a name; two such names have one line.
_SHORT = 10


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the rows fill more than a page; nothing without comparisons."""
    of_metric: dict[str, list[Comparison]] = {}
    for comparison in results.comparisons:
        of_metric.setdefault(comparison.metric, []).append(comparison)
    figure = DotFigure(
        id="paired-differences",
        title="Paired differences of systems",
        columns=_COLUMNS,
        rows=lambda comparison: [_data(results, comparison)],
        facts=partial(_facts, results),
        note=partial(_note, results),
    )
    panels = [_panel(results, found) for found in of_metric.values() if any(c.difference is not None for c in found)]
    return figure.in_parts(results, results.comparison_by_id, panels)


def _baselines(results: Results) -> set[str]:
    return {comparison.system_b for comparison in results.comparisons}


def _note(results: Results, shown: list[Comparison]) -> str:
    level, against = drawn_level(results, shown), _baselines(results)
    minus = "" if len(against) > 1 else f"System minus {results.system_by_id[next(iter(against))].label}"
    return capital("; ".join(part for part in (minus, f"differences with {level} CI" if level else "") if part))


def _panel(results: Results, comparisons: list[Comparison]) -> DotPanel:
    metric = results.metric_by_id[comparisons[0].metric]
    return DotPanel(
        title=panel_head(results, metric, comparisons[0].subset, unit_of_difference(metric.unit)),
        rows=tuple(_row(results, comparison) for comparison in comparisons),
        references=(("zero", 0.0),),
        heads=("difference", "adjusted p" if are_adjusted(results) else "p", "verdict"),
    )


def _row(results: Results, comparison: Comparison) -> DotRow:
    a, b = (results.system_by_id[id_] for id_ in (comparison.system_a, comparison.system_b))
    shown = comparison.display
    dot = Dot(
        a.order,
        *difference_values(results, comparison),
        result=comparison.id,
        hollow=comparison.verdict not in SHOWN,
        applies=comparison.verdict != "not_applicable",
    )
    texts = f"{shown.difference} {shown.interval}".strip(), shown.p_adjusted, VERDICTS[comparison.verdict]
    return DotRow(_name(results, a.label, b.label), (dot,), texts)


def _name(results: Results, a: str, b: str) -> tuple[str, ...]:
    """Return the lines of a row's name: one system, or a pair, which has one line where all pairs are short."""
    if len(_baselines(results)) == 1:
        return (a,)
    systems = [results.system_by_id[id_] for one in results.comparisons for id_ in (one.system_a, one.system_b)]
    return (f"{a} {MINUS} {b}",) if max(len(one.label) for one in systems) <= _SHORT else (a, f"{MINUS} {b}")


def difference_values(results: Results, comparison: Comparison) -> tuple[float | None, float | None, float | None]:
    """Return difference and bounds on the scale they are printed in: proportions in percentage points."""
    factor = 100.0 if results.metric_by_id[comparison.metric].unit == "proportion" else 1.0
    value, lower, upper = (
        None if number is None else number * factor for number in (comparison.difference, *bounds(comparison))
    )
    return value, lower, upper


def _data(results: Results, comparison: Comparison) -> tuple[Value, ...]:
    a, b = (results.system_by_id[id_].label for id_ in (comparison.system_a, comparison.system_b))
    test = comparison.tests[0] if comparison.tests else None
    return (
        comparison.metric, results.metric_by_id[comparison.metric].name, comparison.system_a, a, comparison.system_b, b,
        comparison.subset, comparison.aggregation, comparison.difference, *bounds(comparison), test.p if test else None,
        test.p_adjusted if test else None, comparison.verdict,
    )  # fmt: skip


def _facts(results: Results, shown: list[Comparison]) -> dict[str, Any]:
    valued = [c for c in results.comparisons if c.difference is not None]
    told = [c for c in valued if c.verdict in SHOWN]
    widest = max(told, key=lambda c: abs(c.difference or 0.0)) if len({c.display.unit for c in told}) == 1 else None
    size = f"{widest.display.difference} {widest.display.unit}".strip() if widest else ""
    few = len(shown) <= _READ_OUT
    verdicts = {c.verdict for c in shown}
    return {
        "tested": any(c.tests for c in valued),
        "n_valued": len(valued),
        "only": valued[0] if valued else None,
        "told": told,
        "widest": widest,
        "size_of_widest": Shown(size, widest.id) if widest else "",
        "hollow": bool(verdicts & {"not_shown", "not_tested"}),
        "undefined": "undefined" in verdicts,
        "not_applicable": "not_applicable" in verdicts,
        "without_values": _without_values(results),
        "n_metrics": len({c.metric for c in shown}),
        "each": [(c, VERDICTS[c.verdict]) for c in shown] if few else [],
        "by_metric": [] if few else _by_metric(results, shown),
    }


def _without_values(results: Results) -> list[str]:
    """Return the compared metrics on which no difference has a value, by name; they have no panel."""
    valued = {c.metric for c in results.comparisons if c.difference is not None}
    compared = dict.fromkeys(c.metric for c in results.comparisons)
    return [results.metric_by_id[metric].name for metric in compared if metric not in valued]


def _by_metric(results: Results, shown: list[Comparison]) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return how many differences have which verdict on each metric."""
    counts = {
        metric: Counter(VERDICTS[c.verdict] for c in shown if c.metric == metric)
        for metric in dict.fromkeys(c.metric for c in shown)
    }
    return [(results.metric_by_id[metric].name, list(of.items())) for metric, of in counts.items()]
