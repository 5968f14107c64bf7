"""Verdicts: what a comparison of two systems says, and no more than that.

A difference is called better or worse only where its adjusted p value is at most alpha; else the sentence says that
none is shown, and which one would have been. That two systems are alike is never concluded from a test.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen import numbers
from reportgen.domain.record import (
    REASONS,
    ComparisonDisplay,
    Direction,
    Reason,
    TestRecord,
    Verdict,
)

ADJUSTMENTS = {
    "holm": "Holm-adjusted",
    "max_t": "max-T-adjusted",
    "bh": "Benjamini–Hochberg-adjusted",
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
_SPACE = "\u00a0"
POINTS = "points"
"""The unit of differences of proportions: percentage points."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The words of a comparison: the metric's name, the two systems' labels, the population."""

    metric: str
    a: str
    b: str
    on: str
    """``1,279 positive queries in 246 pages``"""


def verdict_of(difference: float | None, direction: Direction, test: TestRecord | None, alpha: float) -> Verdict:
    """What the difference a - b says about a, by the adjusted p value of its test."""
    if difference is None:
        return "undefined"
    if test is None:
        return "not_tested"
    if test.p_adjusted > alpha or difference == 0:
        return "not_shown"
    if direction == "none":
        return "higher" if difference > 0 else "lower"
    return "better" if (difference > 0) == (direction == "higher") else "worse"


def unit_of_difference(unit: str) -> str:
    """The unit of a metric's differences: points for proportions, else the metric's own."""
    return POINTS if unit == "proportion" else unit


def amount(value: float, unit: str, decimals: int, *, signed: bool = False) -> str:
    """A difference as it is printed: in percentage points for proportions, else in the metric's own unit.

    One digit more than the metric's values have, since differences are small beside them.
    """
    if unit == "proportion":
        return numbers.percent(value, max(decimals - 1, 0), signed=signed)
    return numbers.fixed(value, decimals + 1, signed=signed)


def sentence(
    verdict: Verdict,
    words: Compared,
    difference: float | None,
    reason: Reason | None,
    *,
    display: ComparisonDisplay,
    level: float,
    test: TestRecord | None,
    of_interval: str = "",
) -> str:
    """One sentence, or two, that state a comparison and can be read aloud.

    ``of_interval``: what else is said of it, after its bounds: ``, threshold fixed``.
    """
    pair = f"{words.a} and {words.b}"
    if difference is None:
        why = REASONS[reason or "no_queries"]
        return f"{pair} cannot be compared on {words.metric}: {why}."
    size = _size(difference, display)
    tail = "; ".join([*_about(display, level, test, of_interval), words.on])
    match verdict:
        case "better" | "worse":
            return f"{words.a} is {verdict} than {words.b} on {words.metric}: {size} ({tail})."
        case "higher" | "lower":
            return f"{words.metric} of {words.a} is {verdict} than that of {words.b}: {size} ({tail})."
        case "not_tested":
            return f"The difference between {pair} on {words.metric} was not tested: {size} ({tail})."
        case _:
            return f"No difference between {pair} is shown on {words.metric}: {size} ({tail}).{_could(display)}"


def _size(difference: float, display: ComparisonDisplay) -> str:
    unit = f" {display.unit}" if display.unit else ""
    shown = display.difference.lstrip(f"+{numbers.MINUS}")
    if difference == 0:
        return f"{shown}{unit} apart"
    return f"{shown}{unit} {'higher' if difference > 0 else 'lower'}"


def _about(display: ComparisonDisplay, level: float, test: TestRecord | None, of_interval: str) -> list[str]:
    parts = []
    if display.interval:
        bounds = display.interval.strip("[]").replace(", ", " to ")
        parts.append(f"{level * 100:g} % CI {bounds}{of_interval}")
    if display.relative:
        parts.append(f"relative change {display.relative} %")
    if test is not None:
        adjusted = ADJUSTMENTS[test.adjustment]
        more = f", {adjusted} p{_SPACE}{equal_or_below(display.p_adjusted)}" if test.family_size > 1 else ""
        if test.adjustment == "none" and test.family_size > 1:
            more = f", {adjusted} for {test.family_size} comparisons"
        parts.append(f"p{_SPACE}{equal_or_below(display.p)}{more}")
    return parts


def equal_or_below(p: str) -> str:
    """``= 0.012`` or ``< 0.001``, from a printed p value."""
    sign, number = (p[0], p[1:]) if p[0] in "<>" else ("=", p)
    return f"{sign}{_SPACE}{number}"


def _could(display: ComparisonDisplay) -> str:
    if not display.smallest_detectable:
        return ""
    unit = f" {display.unit}" if display.unit else ""
    return (
        f" The smallest difference that these data would have shown with 80 % power is {display.smallest_detectable}"
        f"{unit}."
    )
