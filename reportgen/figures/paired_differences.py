"""Paired differences of systems: each with its interval, the line of no difference, adjusted p and the verdict."""

from __future__ import annotations

from collections import Counter
from functools import partial

from reportgen.domain.presentation import Figure, Shown, Value
from reportgen.domain.record import Comparison, Results
from reportgen.figures.drawing.data import bounds
from reportgen.figures.drawing.dot_panels import REFERENCES, Dot, DotFigure, DotPanel, DotRow, ReferenceKind
from reportgen.numbers import MINUS, NOT_APPLICABLE, UNDEFINED
from reportgen.wording.captions import interval_level, synthetic_sentence, thresholds_sentence
from reportgen.wording.comparisons import SHOWN, VERDICTS, sentence_of_tests, unit_of_difference
from reportgen.wording.heads import grounds, panel_head
from reportgen.wording.text import Phrase, capital, counted

ORDER = 7
_HEADS = ("difference", "adjusted p", "verdict")
_COLUMNS = (
    "metric", "metric_name", "system_a", "label_a", "system_b", "label_b", "subset", "aggregation", "difference",
    "lower", "upper", "p", "p_adjusted", "verdict",
)  # fmt: skip
# Differences that an alternative text reads out one by one.
_READ_OUT = 12


def build(results: Results) -> tuple[Figure, ...]:
    """Return one figure, or several where the rows fill more than a page; nothing without comparisons."""
    of_metric: dict[str, list[Comparison]] = {}
    for comparison in results.comparisons:
        of_metric.setdefault(comparison.metric, []).append(comparison)
    figure = DotFigure(
        id="paired-differences",
        title="Paired differences of systems",
        columns=_COLUMNS,
        rows=lambda comparison: [_data(results, comparison)],
        caption=partial(_caption, results),
        alt=partial(_alt, results),
        note=partial(_note, results),
    )
    panels = [_panel(results, found) for found in of_metric.values() if any(c.difference is not None for c in found)]
    return figure.in_parts(results, results.comparison_by_id, panels)


def _baselines(results: Results) -> set[str]:
    return {comparison.system_b for comparison in results.comparisons}


def _note(results: Results, shown: list[Comparison]) -> str:
    level, against = interval_level(results, shown), _baselines(results)
    minus = "" if len(against) > 1 else f"System minus {results.system_by_id[next(iter(against))].label}"
    return capital("; ".join(part for part in (minus, f"differences with {level} CI" if level else "") if part))


def _panel(results: Results, comparisons: list[Comparison]) -> DotPanel:
    metric = results.metric_by_id[comparisons[0].metric]
    return DotPanel(
        title=panel_head(results, metric, comparisons[0].subset, unit_of_difference(metric.unit)),
        rows=tuple(_row(results, comparison) for comparison in comparisons),
        references=(("zero", 0.0),),
        heads=_HEADS,
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
    return DotRow((a.label, f"{MINUS} {b.label}") if len(_baselines(results)) > 1 else (a.label,), (dot,), texts)


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


def _caption(results: Results, shown: list[Comparison], lines: set[ReferenceKind]) -> Phrase:
    level = interval_level(results, shown)
    missing = [
        f"{UNDEFINED}: no value" if any(c.verdict == "undefined" for c in shown) else "",
        f"{NOT_APPLICABLE}: a system has no such component"
        if any(c.verdict == "not_applicable" for c in shown)
        else "",
    ]
    signs = "; ".join(part for part in missing if part)
    hollow = any(c.verdict in {"not_shown", "not_tested"} for c in shown)
    empty = _without_values(results)
    rest = [
        f" Paired differences {grounds(results, shown)}",
        f", with {level} confidence intervals." if level else ".",
        thresholds_sentence(results, shown),
        f" {REFERENCES['zero'][1]}.",
        " Filled: a difference is shown; hollow: none is, which does not mean that there is none." if hollow else "",
        f" {said}" if (said := sentence_of_tests(results, shown)) else "",
        f" {signs}." if signs else "",
        f" No system can be compared with another on {' or '.join(empty)}." if empty else "",
        synthetic_sentence(results),
    ]
    return (*_message(results), "".join(rest))


def _without_values(results: Results) -> list[str]:
    """The compared metrics on which no difference has a value, by name; they have no panel."""
    valued = {c.metric for c in results.comparisons if c.difference is not None}
    compared = dict.fromkeys(c.metric for c in results.comparisons)
    return [results.metric_by_id[metric].name for metric in compared if metric not in valued]


def _message(results: Results) -> Phrase:
    """The single comparison in its own words, or how many of several show a difference, and the largest."""
    valued = [c for c in results.comparisons if c.difference is not None]
    if not any(c.tests for c in valued):
        return ("No difference was tested.",)
    if len(valued) == 1:
        return (valued[0].interpretation,)
    told = [c for c in valued if c.verdict in SHOWN]
    if not told:
        return (f"None of {counted(len(valued), 'comparison', 'comparisons')} shows a difference.",)
    which = "All" if len(told) == len(valued) else f"{len(told)} of"
    opening = f"{which} {len(valued)} comparisons {'shows' if len(told) == 1 else 'show'} a difference"
    if len({c.display.unit for c in told}) > 1:
        return (f"{opening}.",)
    widest = max(told, key=lambda c: abs(c.difference or 0.0))
    a, b = (results.system_by_id[id_].label for id_ in (widest.system_a, widest.system_b))
    size = f"{widest.display.difference} {widest.display.unit}".strip()
    metric = results.metric_by_id[widest.metric].name
    it = "it is" if len(told) == 1 else "the largest is"
    return (f"{opening}; {it} that of {a} from {b} on {metric}, ", Shown(size, widest.id), ".")


def _alt(results: Results, shown: list[Comparison]) -> str:
    """Every difference with its verdict where they are few, else how many have which verdict on each metric."""
    panels = counted(len({c.metric for c in shown}), "panel", "panels")
    few = len(shown) <= _READ_OUT
    told = " ".join(_told_each(results, shown) if few else _told_by_metric(results, shown))
    return (
        f"Dot plot of {counted(len(shown), 'paired difference', 'paired differences')} with intervals around a line of "
        f"no difference, {panels}. {told}"
    )


def _told_each(results: Results, shown: list[Comparison]) -> list[str]:
    parts = []
    for comparison in shown:
        a, b = (results.system_by_id[id_].label for id_ in (comparison.system_a, comparison.system_b))
        size = " ".join(part for part in (comparison.display.difference, comparison.display.interval) if part)
        metric = results.metric_by_id[comparison.metric].name
        parts.append(f"{metric}, {a} minus {b}: {size}, {VERDICTS[comparison.verdict]}.")
    return parts


def _told_by_metric(results: Results, shown: list[Comparison]) -> list[str]:
    parts = []
    for metric in dict.fromkeys(c.metric for c in shown):
        verdicts = Counter(VERDICTS[c.verdict] for c in shown if c.metric == metric)
        counts = ", ".join(f"{count} {word}" for word, count in verdicts.items())
        parts.append(f"{results.metric_by_id[metric].name}: {counts}.")
    return parts
