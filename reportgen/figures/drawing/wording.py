"""Words that captions, alt texts and keys share. Every number is a display string of its record."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.captions import design_effects, origin, thresholds_sentence, words_of_tests
from reportgen.choice import SYNTHETIC
from reportgen.domain.record import Comparison, Estimate, MetricRecord, Results, SubsetRecord
from reportgen.numbers import NOT_APPLICABLE, UNDEFINED, count, percent
from reportgen.phrases import Phrase, with_interval
from reportgen.phrases import listing as listed
from reportgen.sentences import subset_count
from reportgen.standings import Ranking, ranking
from reportgen.standings import leads as standing
from reportgen.verdicts import ADJUSTMENTS

__all__ = [
    "Phrase",
    "Ranking",
    "absence_sentence",
    "arrow",
    "beside_sentence",
    "comparisons_level",
    "differs_sentence",
    "grounds",
    "head_of_panel",
    "interval_level",
    "level_text",
    "listed",
    "number",
    "origin",
    "part_of",
    "population",
    "ranking",
    "scope_text",
    "sentence",
    "sizes",
    "standing",
    "synthetic_sentence",
    "tests_sentence",
    "thresholds_sentence",
    "value_text",
    "with_interval",
]


def number(count_: int, one: str, many: str) -> str:
    """``1 system``, ``4 systems``."""
    return f"{count(count_)} {one if count_ == 1 else many}"


def level_text(level: float) -> str:
    """``95 %``, ``99.5 %``."""
    shown = percent(level, 0 if float(level * 100).is_integer() else 1)
    return f"{shown} %"


def value_text(estimate: Estimate | None) -> str:
    """The value with its interval as one plain string, for text inside a figure; empty where there is no record."""
    if estimate is None:
        return ""
    interval = f" {estimate.display.interval}" if estimate.intervals else ""
    return f"{estimate.display.value}{interval}"


def interval_level(results: Results, estimates: Sequence[Estimate]) -> str:
    """The level of the intervals shown: ``95 %``; empty if none has an interval or the levels differ."""
    levels = {results.interval_settings[e.intervals[0].settings].level for e in estimates if e.intervals}
    return level_text(levels.pop()) if len(levels) == 1 else ""


def sizes(results: Results, subset: SubsetRecord) -> str:
    """The denominator: ``2,460 queries, 1,279 positive``."""
    return f"{results.units.query.count(subset.n_queries)}, {count(subset.n_positive)} positive"


def population(results: Results, subset: str) -> str:
    """What a number is over, by the subset's label: ``1,279 positive queries``, ``2,460 queries``."""
    return subset_count(results.subset_by_id[subset], results.units)


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


def grounds(results: Results, on: Sequence[Estimate] | Sequence[Comparison]) -> str:
    """What several panels rest on: ``on 1,279 queries from 246 pages (design effect 1.2), mean of 5 folds``.

    A difference has no design effect: that of a value is another.
    """
    scopes = dict.fromkeys(text for one in on if (text := scope_text(results, one.scope)))
    words = design_effects(results, [one for one in on if isinstance(one, Estimate)])
    effects = f" ({words})" if words else ""
    subsets = list(dict.fromkeys(one.subset for one in on))
    return f"on {_in_clusters(results, subsets)}{effects}{', ' if scopes else ''}{' or '.join(scopes)}"


def _in_clusters(results: Results, subsets: Sequence[str]) -> str:
    """``1,279 positive queries and 2,460 queries, each from 246 pages``; queries alone that are clusters themselves."""
    units = results.units
    sizes = dict.fromkeys((population(results, s), results.subset_by_id[s].n_clusters) for s in subsets)
    if units.cluster == units.query:
        return " and ".join(text for text, _ in sizes)
    if len(sizes) > 1 and len({n for _, n in sizes}) == 1:
        return f"{' and '.join(text for text, _ in sizes)}, each from {units.cluster.count(next(iter(sizes))[1])}"
    return " and ".join(f"{text} from {units.cluster.count(n)}" for text, n in sizes)


def comparisons_level(results: Results, comparisons: Sequence[Comparison]) -> str:
    """The level of the differences' intervals: ``95 %``; empty if none has one or the levels differ."""
    levels = {results.interval_settings[c.intervals[0].settings].level for c in comparisons if c.intervals}
    return level_text(levels.pop()) if len(levels) == 1 else ""


def tests_sentence(results: Results, comparisons: Sequence[Comparison]) -> str:
    """Which test gives the p values and how they are adjusted; with a leading space, empty where none was made."""
    test = next((c.tests[0] for c in comparisons if c.tests), None)
    if test is None:
        return " No difference was tested."
    family = f", {ADJUSTMENTS[test.adjustment]}" if test.adjustment != "none" else ", not adjusted"
    family = f"{family} for {number(test.family_size, 'comparison', 'comparisons')}" if test.family_size > 1 else ""
    return f" p: {words_of_tests(results, comparisons, draws=False)}{family}."


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
