"""Words that captions, alt texts and keys share. Every number is a display string of its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.choice import SYNTHETIC
from reportgen.domain.presentation import Inline, Shown
from reportgen.domain.record import Comparison, Estimate, MetricRecord, Results, SubsetRecord
from reportgen.numbers import NOT_APPLICABLE, UNDEFINED, count, percent
from reportgen.verdicts import ADJUSTMENTS

Phrase = tuple[Inline, ...]
# A sentence that names more systems than this is not read.
_NAMED = 3


def listed(items: Sequence[Phrase]) -> Phrase:
    """``a``, ``a and b``, ``a, b and c``."""
    phrase: list[Inline] = []
    for at, item in enumerate(items):
        if at:
            phrase.append(" and " if at == len(items) - 1 else ", ")
        phrase.extend(item)
    return tuple(phrase)


def number(count_: int, one: str, many: str) -> str:
    """``1 system``, ``4 systems``."""
    return f"{count(count_)} {one if count_ == 1 else many}"


def level_text(level: float) -> str:
    """``95 %``, ``99.5 %``."""
    shown = percent(level, 0 if float(level * 100).is_integer() else 1)
    return f"{shown} %"


def with_interval(estimate: Estimate) -> Phrase:
    """The value with its interval, both marked as shown: ``0.946 [0.939, 0.953]``."""
    value = Shown(estimate.display.value, estimate.id)
    if not estimate.intervals:
        return (value,)
    return (value, "\u00a0", Shown(estimate.display.interval, estimate.id))


def value_text(estimate: Estimate | None) -> str:
    """The same as one plain string, for text inside a figure; empty for a record that does not exist."""
    if estimate is None:
        return ""
    interval = f" {estimate.display.interval}" if estimate.intervals else ""
    return f"{estimate.display.value}{interval}"


def interval_level(results: Results, estimates: Sequence[Estimate]) -> str:
    """The level of the intervals shown: ``95 %``; empty if none has an interval or the levels differ."""
    levels = {results.interval_settings[e.intervals[0].settings].level for e in estimates if e.intervals}
    return level_text(levels.pop()) if len(levels) == 1 else ""


def sizes(results: Results, subset: SubsetRecord) -> str:
    """The denominator: ``2,460 queries, 1,279 with evidence``."""
    return f"{results.units.query.count(subset.n_queries)}, {count(subset.n_positive)} with evidence"


def population(results: Results, subset: str) -> str:
    """What a number is over: ``1,279 queries with evidence``, ``2,460 queries``."""
    facts = results.subset_by_id[subset]
    queries = results.units.query.count(facts.n_queries)
    return f"{queries} with evidence" if facts.protocol == "positives_only" else queries


def arrow(metric: MetricRecord) -> str:
    """The better direction after a name: ``\u00a0↑``; empty where neither is."""
    return {"higher": "\u00a0↑", "lower": "\u00a0↓", "none": ""}[metric.direction]


def part_of(at: int, of: int) -> str:
    """`` (2 of 3)`` after the title of a figure in parts; empty for a whole one."""
    return f" ({at} of {of})" if of > 1 else ""


def absence_sentence(estimates: Sequence[Estimate]) -> str:
    """What the signs for missing values mean, for those that occur; with a leading space."""
    undefined = f" {UNDEFINED} or hollow: undefined." if any(e.status == "undefined" for e in estimates) else ""
    absent = any(e.status == "not_applicable" for e in estimates)
    return undefined + (f" {NOT_APPLICABLE}: the system has no such component." if absent else "")


def beside_sentence(estimates: Sequence[Estimate]) -> str:
    """Why a mark can lie outside its interval (ECE), where one does; with a leading space."""
    beside = any(
        not interval.lower <= estimate.value <= interval.upper
        for estimate in estimates
        if estimate.value is not None
        for interval in estimate.intervals[:1]
    )
    return " A mark outside its interval: the metric is biased under resampling." if beside else ""


def head_of_panel(results: Results, metric: MetricRecord, subset: str, unit: str = "") -> str:
    """A metric, its better direction, its unit if one is given, and n: ``nDCG@10 ↑ (points; n = 1,279)``."""
    n = f"n\u00a0=\u00a0{count(results.subset_by_id[subset].n_queries)}"
    return f"{metric.name}{arrow(metric)} ({f'{unit}; ' if unit else ''}{n})"


def grounds(results: Results, on: Sequence[tuple[str, str]]) -> str:
    """What several panels rest on, from their (subset, scope): ``on 1,279 queries …, mean of 5 folds``."""
    subsets = dict.fromkeys(population(results, subset) for subset, _ in on)
    scopes = dict.fromkeys(text for _, scope in on if (text := scope_text(results, scope)))
    return f"on {' and '.join(subsets)}{', ' if scopes else ''}{' or '.join(scopes)}"


def comparisons_level(results: Results, comparisons: Sequence[Comparison]) -> str:
    """The level of the differences' intervals: ``95 %``; empty if none has one or the levels differ."""
    levels = {results.interval_settings[c.intervals[0].settings].level for c in comparisons if c.intervals}
    return level_text(levels.pop()) if len(levels) == 1 else ""


def tests_sentence(comparisons: Sequence[Comparison]) -> str:
    """Which test gives the p values and how they are adjusted; with a leading space, empty where none was made."""
    test = next((c.tests[0] for c in comparisons if c.tests), None)
    if test is None:
        return " No difference was tested."
    family = f", {ADJUSTMENTS[test.adjustment]}" if test.adjustment != "none" else ", not adjusted"
    family = f"{family} for {number(test.family_size, 'comparison', 'comparisons')}" if test.family_size > 1 else ""
    return f" p: {test.alternative} {test.name}{family}."


def scope_text(results: Results, scope: str) -> str:
    """How folds were brought together: ``mean of 5 folds``, ``5 folds pooled``; empty for a single fold."""
    n = len(results.folds)
    if n < 2:
        return ""
    return f"mean of {n} folds" if scope == "fold_mean" else f"{n} folds pooled"


def differs_sentence(results: Results, estimates: Sequence[Estimate], short: str) -> str:
    """Says that a figure's numbers sum up the folds in another way than the tables' do; empty where they do not.

    Two values of one metric that differ by their scope would else look like an error in one of them. With a leading
    space. ``short`` is the metric's short name: ``ECE``.
    """
    scopes = {estimate.scope for estimate in estimates}
    if len(results.folds) < 2 or scopes == {results.headline_scope}:
        return ""
    here, there = (
        ("over the folds pooled", f"the mean of the folds' {short} values")
        if scopes == {"pooled"}
        else ("the mean over folds", f"the {short} over the folds pooled")
    )
    return f" {short} here is {here}; the tables show {there}, another number."


def sentence(text: str) -> str:
    """Our own words as a sentence's start: first letter large, no full stop."""
    return (text[:1].upper() + text[1:]).rstrip(".")


def synthetic_sentence(results: Results) -> str:
    """A sentence for captions, with a leading space; empty for real data."""
    return f" {SYNTHETIC}" if results.run.synthetic else ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems with a value, best first; ``rivals`` are those whose interval overlaps the best one's."""

    best: Estimate
    others: tuple[Estimate, ...]
    rivals: tuple[Estimate, ...]
    tied: bool
    """Whether another system prints the same value as the best."""


def ranking(results: Results, estimates: Sequence[Estimate]) -> Ranking | None:
    """Order the estimates of one metric by its direction; None if no system has a value."""
    valued = [estimate for estimate in estimates if estimate.value is not None]
    if not valued:
        return None
    sign = 1.0 if results.metric_by_id[valued[0].metric].direction == "lower" else -1.0
    best, *others = sorted(valued, key=lambda e: (sign * (e.value or 0.0), results.system_by_id[e.system].order))
    rivals = tuple(other for other in others if _overlap(best, other))
    return Ranking(best, tuple(others), rivals, any(o.display.value == best.display.value for o in others))


def standing(results: Results, order: Ranking, metric: str, superlative: str) -> Phrase:
    """One sentence on who leads and whether the intervals tell the systems apart; never a claim of a test.

    ``superlative`` is the adjective of the metric's good end: ``highest``, ``lowest``.
    """
    best = results.system_by_id[order.best.system].label
    shown = with_interval(order.best)
    if not order.others:
        return (f"The {metric} of {best} is ", *shown, ".")
    if order.tied:
        same = [o for o in order.others if o.display.value == order.best.display.value]
        names = listed([(best,), *((results.system_by_id[o.system].label,) for o in same)])
        return (*names, f" share the {superlative} {metric}, ", shown[0], ".")
    opening: Phrase = (f"{best} has the {superlative} {metric}, ", *shown)
    if not all(estimate.intervals for estimate in (order.best, *order.others)):
        return (*opening, ".")
    if not order.rivals:
        rest = "that of the other system" if len(order.others) == 1 else f"those of all {len(order.others)} others"
        return (*opening, f"; its interval does not overlap {rest}.")
    if len(order.rivals) > _NAMED:
        many = "all" if len(order.rivals) == len(order.others) else f"{len(order.rivals)} of the"
        return (*opening, f"; its interval overlaps those of {many} {len(order.others)} others.")
    rivals = listed([(results.system_by_id[r.system].label, " (", *with_interval(r), ")") for r in order.rivals])
    return (*opening, f"; its interval overlaps {'that' if len(order.rivals) == 1 else 'those'} of ", *rivals, ".")


def _overlap(a: Estimate, b: Estimate) -> bool:
    if not (a.intervals and b.intervals):
        return False
    first, second = a.intervals[0], b.intervals[0]
    return first.lower <= second.upper and second.lower <= first.upper
