"""Sentences of captions and notes, said of all values that stand under them and made from these alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen import numbers
from reportgen.domain.presentation import Brackets, Text, plain
from reportgen.domain.record import (
    Comparison,
    Distribution,
    Estimate,
    IntervalSettings,
    MetricRecord,
    Results,
)
from reportgen.wording.conventions import interval_method
from reportgen.wording.heads import subset_size
from reportgen.wording.rankings import companion_sentence, leader_sentence, ranking
from reportgen.wording.text import SPACE, enumeration, paragraph, percent

SYNTHETIC = "The data are synthetic."


def lead(results: Results, metric: MetricRecord, estimates: Iterable[Estimate]) -> Text:
    """Return the message of a table about one metric: who has the best value, on what, and what to read beside it."""
    order = ranking(results, list(estimates))
    if order is None:
        return f"{metric.name} has no value in these data."
    where = subset_size(results, order.subset)
    if metric.direction == "none":
        return f"{metric.name} by system, on {where}."
    superlative = "lowest" if metric.direction == "lower" else "highest"
    first = leader_sentence(results, order, metric.name, superlative, where)
    return paragraph((first, companion_sentence(results, order)))


def aggregation(results: Results, estimates: Iterable[Estimate], *, first: bool = False) -> str:
    """Return how values sum up the folds: ``fold_mean`` or ``pooled``; of a mixture, what the headline does.

    Empty for a single split, and, but in the table that is the ``first``, where it is what the headline does.
    """
    aggregations = {estimate.aggregation for estimate in estimates if estimate.value is not None}
    if len(results.folds) < 2 or not aggregations:
        return ""
    pooled = aggregations == {"pooled"} or ("pooled" in aggregations and results.headline_aggregation != "fold_mean")
    if not first and pooled == (results.headline_aggregation == "pooled"):
        return ""
    return "pooled" if pooled else "fold_mean"


def counts_over(results: Results, parts: Iterable[Distribution]) -> str:
    """Return what counts are means over: ``repeats`` or ``trainings``, if they differ between them; else empty."""
    several = any(len(set(part.of_each)) > 1 for part in parts)
    return ("repeats" if results.split.repeats > 1 else "trainings") if several else ""


def counts_sentence(results: Results, parts: Iterable[Distribution]) -> str:
    """Return what counts are that differ between the trainings of a system, or between repeats; empty without such."""
    over = counts_over(results, parts)
    if over == "repeats":
        return f"Counts are means over {results.split.repeats} repeats."
    return "Counts of a system with several training seeds are means over these." if over else ""


def summed_up_otherwise(results: Results, estimates: Iterable[Estimate]) -> str:
    """Return how a figure's numbers sum up the folds, where it is not as the tables' do: ``pooled``, ``fold_mean``.

    Two values of one metric that differ by their aggregation would else look like an error in one of them.
    """
    aggregations = {estimate.aggregation for estimate in estimates}
    if len(results.folds) < 2 or aggregations <= {results.headline_aggregation}:
        return ""
    return "pooled" if aggregations == {"pooled"} else "fold_mean"


def interval_sentence(results: Results, estimates: Iterable[Estimate]) -> Brackets | str:
    """Return what the intervals are; empty where none is shown.

    Settings that differ only in how a threshold is treated make one sentence with an addition.
    """
    shown = [estimate for estimate in estimates if estimate.intervals]
    if not shown:
        return ""
    at = sorted({estimate.intervals[0].settings for estimate in shown})
    described = dict.fromkeys(_interval_words(results, results.interval_settings[index]) for index in at)
    return Brackets("; or ".join(described), thresholds_sentence(results, shown))


def _interval_words(results: Results, settings: IntervalSettings) -> str:
    method = interval_method(settings.method)
    words = f"{percent(settings.level)} {method} intervals"
    nouns = {"cluster": results.units.cluster.many, "query": results.units.query.many}
    if method == "linearized":
        return f"{words} over {nouns.get(settings.unit, settings.unit)} where the value is fitted to all rows at once"
    if not settings.resamples:
        return words
    drawn = nouns.get(settings.unit, settings.unit)
    words += f" from {numbers.count(settings.resamples)} resamples of {drawn}"
    several = len(results.folds) > 1
    if settings.strata == "fold" and several:
        words += " within folds"
    if settings.strata == "fold_label":
        words += " within folds and classes" if several else " within classes"
    return f"{words} (seed {settings.seed})"


def interval_level(results: Results, shown: Sequence[Estimate] | Sequence[Comparison]) -> str:
    """Return the level of the intervals shown: ``95 %``; empty if none has an interval or the levels differ."""
    levels = {results.interval_settings[one.intervals[0].settings].level for one in shown if one.intervals}
    return level_text(levels.pop()) if len(levels) == 1 else ""


def level_text(level: float) -> str:
    """Return ``95 %``, ``99.5 %``, with a space that a figure's fonts have."""
    return percent(level).replace(SPACE, " ")


def thresholds_sentence(results: Results, shown: Iterable[Estimate | Comparison]) -> str:
    """Return what the intervals do with chosen thresholds; with a leading space, empty where none rests on one.

    Where some keep the thresholds and some choose them again, those that choose are named.
    """
    of_role: dict[str, list[Estimate | Comparison]] = {}
    for one in shown:
        if one.intervals:
            of_role.setdefault(results.interval_settings[one.intervals[0].settings].threshold, []).append(one)
    fixed, again = of_role.get("fixed", []), of_role.get("resampled", [])
    if not again:
        return " Thresholds stay fixed in the resamples." if fixed else ""
    if not fixed:
        return " Intervals include the choice of thresholds."
    named = plain(enumeration(list(_names(results, again, {one.metric for one in fixed}))))
    return f" Intervals of {named} include the choice of thresholds."


def _names(results: Results, records: Sequence[Estimate | Comparison], shared: set[str]) -> dict[str, None]:
    """Return the metrics of records, each once; with the systems where the metric alone does not tell them apart."""
    label = {system.id: system.label for system in results.systems}
    names: dict[str, None] = {}
    for one in records:
        name = results.metric_by_id[one.metric].name
        if one.metric in shared:
            pair = (one.system,) if isinstance(one, Estimate) else (one.system_a, one.system_b)
            name = f"{name} of {' against '.join(label[id_] for id_ in pair)}"
        names[name] = None
    return names


def outside(estimates: Iterable[Estimate]) -> bool:
    """Return whether a value lies outside its interval, as that of a metric that is biased under resampling can."""
    return any(
        not interval.lower <= estimate.value <= interval.upper
        for estimate in estimates
        if estimate.value is not None
        for interval in estimate.intervals[:1]
    )


def part_of(at: int, of: int) -> str:
    """Return `` (2 of 3)`` for after the title of a figure in parts; empty for a whole one."""
    return f" ({at} of {of})" if of > 1 else ""
