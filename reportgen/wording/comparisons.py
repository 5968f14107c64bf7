"""Sentences about comparisons of systems: what a difference says, and no more than that.

A difference is called better or worse only where its adjusted p value is at most alpha; else the sentence says that
none is shown, and which one would have been. That two systems are alike is never concluded from a test.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from reportgen import numbers
from reportgen.domain.record import (
    REASONS,
    Comparison,
    ComparisonDisplay,
    Direction,
    Estimate,
    Interval,
    MetricRecord,
    Reason,
    Results,
    TestRecord,
    Verdict,
    comparison_id,
)
from reportgen.wording.text import SPACE
from reportgen.wording.values import basis, interval_words, states_truth, without_width

Kind = TypeVar("Kind", bound=Hashable)

ADJUSTMENTS = {
    "holm": "Holm-adjusted",
    "max_t": "max-T-adjusted",
    "bh": "Benjamini–Hochberg-adjusted",
    "bonferroni": "Bonferroni-adjusted",
    "none": "not adjusted",
}
VERDICTS: dict[Verdict, str] = {
    "better": "better",
    "worse": "worse",
    "higher": "higher",
    "lower": "lower",
    "not_shown": "not shown",
    "not_tested": "not tested",
    "undefined": "no value",
    "not_applicable": "does not apply",
}
"""The word for each verdict, in tables and figures."""
SHOWN: frozenset[Verdict] = frozenset({"better", "worse", "higher", "lower"})
"""The verdicts that say that the data show a difference."""
POINTS = "points"
"""The unit of differences of proportions: percentage points."""
_NOTHING = 1e-12
"""A value that is zero but for its last bits."""


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """Two systems on a metric, in words: the metric's name, the systems' labels, the population."""

    metric: str
    a: str
    b: str
    on: str
    """``1,279 positive queries in 246 pages``"""
    unit: str
    decimals: int


def verdict_of(difference: float | None, direction: Direction, test: TestRecord | None, alpha: float) -> Verdict:
    """Return what the difference a - b says about a, by the adjusted p value of its test."""
    if difference is None:
        return "undefined"
    if test is None:
        return "not_tested"
    if test.p_adjusted > alpha or difference == 0:
        return "not_shown"
    if direction == "none":
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (direction == "higher") else "worse"


def are_adjusted(results: Results) -> bool:
    """Return whether the p values of the family are adjusted; that of a family of one is not."""
    tests = (test for one in results.comparisons for test in one.tests[:1])
    return any(test.family_size > 1 and test.adjustment != "none" for test in tests)


def unit_of_difference(unit: str) -> str:
    """Return the unit of a metric's differences: points for proportions, else the metric's own."""
    return POINTS if unit == "proportion" else unit


def gap_between(a: float, b: float) -> float:
    """Return a - b of unrounded values; 0 where they are one value but for their last bits."""
    return 0.0 if abs(a - b) <= _NOTHING * max(1.0, abs(a), abs(b)) else a - b


def relative_change(a: float, b: float) -> float | None:
    """Return (a - b) / b of unrounded values; None where b is not above zero: a share of nothing says nothing."""
    return gap_between(a, b) / b if b > _NOTHING else None


def amount(value: float, unit: str, decimals: int, *, signed: bool = False) -> str:
    """Return a difference as printed: in percentage points for proportions, else in the metric's own unit.

    One digit more than the metric's values have, since differences are small beside them.
    """
    if unit == "proportion":
        return numbers.percent(value, max(decimals - 1, 0), signed=signed)
    return numbers.fixed(value, decimals + 1, signed=signed)


def comparison_sentence(
    verdict: Verdict,
    pair: ComparedPair,
    difference: float | None,
    reason: Reason | None,
    *,
    display: ComparisonDisplay,
    interval: Interval | None,
    level: float,
    test: TestRecord | None,
    of_interval: str = "",
) -> str:
    """Return one sentence, or two, that state a comparison and can be read aloud.

    ``of_interval``: what else is said of it, after its bounds: ``, threshold fixed``.
    """
    both = f"{pair.a} and {pair.b}"
    if difference is None:
        why = REASONS[reason or "no_queries"]
        return f"{both} cannot be compared on {pair.metric}: {why}."
    size = _size(difference, pair, display)
    about = []
    if interval is not None:
        bounds = [amount(bound, pair.unit, pair.decimals) for bound in (interval.lower, interval.upper)]
        words = f"{interval_words(level, bounds)}{of_interval}"
        about = [without_width(interval) if interval.degenerate else words]
    tail = "; ".join([*about, *_of_test(display, test), pair.on])
    match verdict:
        case "better" | "worse":
            return f"{pair.a} is {verdict} than {pair.b} on {pair.metric}: {size} ({tail})."
        case "higher" | "lower":
            return f"{pair.metric} of {pair.a} is {verdict} than that of {pair.b}: {size} ({tail})."
        case "not_tested":
            return f"The difference between {both} on {pair.metric} was not tested: {size} ({tail})."
        case _:
            return f"No difference between {both} is shown on {pair.metric}: {size} ({tail})."


def size_alone(results: Results, a: Estimate, b: Estimate) -> Comparison:
    """Return what two values of one metric differ by, where the results do not compare them: no interval, no test."""
    metric, without = results.metric_by_id[a.metric], next((one for one in (a, b) if one.value is None), None)
    difference = relative = None
    if a.value is not None and b.value is not None:
        difference, relative = gap_between(a.value, b.value), relative_change(a.value, b.value)
    verdict: Verdict = "not_tested"
    if without is not None:
        verdict = "not_applicable" if without.status == "not_applicable" else "undefined"
    display = _display_of_size(metric, difference, relative, without)
    labels = [results.system_by_id[one.system].label for one in (a, b)]
    on = basis(results.subset_by_id[a.subset], a.n, results.units, truth=states_truth(results))
    pair = ComparedPair(metric.name, labels[0], labels[1], on, metric.unit, metric.decimals)
    reason = without.reason if without else None
    return Comparison(
        id=comparison_id(a.metric, a.system, b.system, a.subset, a.aggregation),
        metric=a.metric,
        subset=a.subset,
        aggregation=a.aggregation,
        system_a=a.system,
        system_b=b.system,
        difference=difference,
        relative=relative,
        reason=reason,
        intervals=(),
        tests=(),
        effect_size=None,
        smallest_detectable=None,
        wins=None,
        ties=None,
        losses=None,
        verdict=verdict,
        interpretation=comparison_sentence(
            verdict, pair, difference, reason, display=display, interval=None, level=0.0, test=None
        ),
        notes=(),
        display=display,
        in_family=False,
    )


def _display_of_size(
    metric: MetricRecord, difference: float | None, relative: float | None, without: Estimate | None
) -> ComparisonDisplay:
    printed = without.display.value if without else ""
    if difference is not None:
        printed = amount(difference, metric.unit, metric.decimals, signed=True)
    return ComparisonDisplay(
        unit="" if difference is None else unit_of_difference(metric.unit),
        difference=printed,
        interval="",
        relative="" if relative is None else numbers.percent(relative, 2, signed=True),
        p="",
        p_adjusted="",
        effect_size="",
        smallest_detectable="",
    )


def _size(difference: float, pair: ComparedPair, display: ComparisonDisplay) -> str:
    unit = f" {display.unit}" if display.unit else ""
    shown = amount(abs(difference), pair.unit, pair.decimals)
    if difference == 0:
        return f"{shown}{unit} apart"
    return f"{shown}{unit} {'higher' if difference > 0 else 'lower'}"


def _of_test(display: ComparisonDisplay, test: TestRecord | None) -> list[str]:
    parts = [f"relative change {display.relative} %"] if display.relative else []
    if test is not None:
        adjusted = ADJUSTMENTS[test.adjustment]
        more = f", {adjusted} p{SPACE}{equal_or_below(display.p_adjusted)}" if test.family_size > 1 else ""
        if test.adjustment == "none" and test.family_size > 1:
            more = f", {adjusted} for {test.family_size} comparisons"
        parts.append(f"p{SPACE}{equal_or_below(display.p)}{more}")
    return parts


def equal_or_below(p: str) -> str:
    """Return ``= 0.012`` or ``< 0.001`` for a printed p value."""
    sign, number = (p[0], p[1:]) if p[0] in "<>" else ("=", p)
    return f"{sign}{SPACE}{number}"


class KindOfTest(NamedTuple):
    """A test as a caption names it: ``two-sided permutation within pages``."""

    alternative: str
    name: str
    resamples: int
    """Draws, or all patterns; 0 where the caption does not give their number."""
    drawn: bool


class Tested(NamedTuple):
    """The tests that p values are from, and how these are adjusted."""

    kinds: tuple[tuple[KindOfTest, tuple[str, ...]], ...]
    """What most p values are from, then the others; each with the names of its metrics."""
    size: int
    """Number of p values that are adjusted together."""
    adjustment: str
    pairs: int
    """All pairs of systems, for which the two best outside the family are adjusted; 0 where there are none."""
    adjustment_of_pairs: str = ADJUSTMENTS["bonferroni"]


def how_tested(results: Results, compared: Sequence[Comparison], *, draws: bool = False) -> Tested | None:
    """Return which tests give the p values and how they are adjusted; None where none was made.

    ``draws``: with the number of random or possible exchanges.
    """

    def kind(one: Comparison) -> KindOfTest:
        test = one.tests[0]
        return KindOfTest(test.alternative, test.name, test.resamples if draws else 0, draws and test.seed is not None)

    tested = sorted((one for one in compared if one.tests), key=lambda one: not one.in_family)
    if not tested:
        return None
    test, last = tested[0].tests[0], tested[-1]
    return Tested(
        _most_first(results, ((kind(one), one) for one in compared if one.tests)),
        test.family_size,
        ADJUSTMENTS[test.adjustment],
        0 if last.in_family else last.tests[0].family_size,
    )


NAMED_TESTS = {
    "paired_t": "Paired t",
    "wilcoxon": "Wilcoxon’s test",
    "mcnemar": "McNemar’s exact test",
    "mcnemar_clustered": "McNemar’s test for clusters",
    "delong": "DeLong’s test for clusters",
    "delong_independent": "DeLong’s test of independent queries",
    "corrected_t": "The corrected t test over folds",
}
"""What tests are called that run.toml names."""


class NotMade(NamedTuple):
    """A test that was asked for and cannot be made, on the metrics that share the reason."""

    test: str
    metrics: tuple[str, ...]
    reason: str


def not_made(results: Results, compared: Iterable[Comparison]) -> tuple[NotMade, ...]:
    """Return each test that was asked for and cannot be made, once for each reason."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for one in compared:
        for record in one.untested:
            metrics = found.setdefault((NAMED_TESTS.get(record.test, record.test), record.reason), {})
            metrics[results.metric_by_id[one.metric].name] = None
    return tuple(NotMade(test, tuple(metrics), reason) for (test, reason), metrics in found.items())


def paired_kinds(results: Results, compared: Iterable[Comparison]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the kinds of the differences' intervals, ``bootstrap``, ``linearized``: the most frequent first."""
    kinds = (
        ("linearized" if one.intervals[0].method_used == "linearized" else "bootstrap", one)
        for one in compared
        if one.intervals
    )
    return _most_first(results, kinds)


def _most_first(results: Results, found: Iterable[tuple[Kind, Comparison]]) -> tuple[tuple[Kind, tuple[str, ...]], ...]:
    """Return the kinds that comparisons are of, the most frequent first, each with the names of its metrics."""
    of: dict[Kind, list[str]] = {}
    for kind, one in found:
        of.setdefault(kind, []).append(results.metric_by_id[one.metric].name)
    ordered = sorted(of.items(), key=lambda item: -len(item[1]))
    return tuple((kind, tuple(dict.fromkeys(names))) for kind, names in ordered)
