"""What captions and notes are about: how values were summed up, what their intervals are, and over what counts are.

The sentences are in ``templates/text/shared/``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reportgen.domain.record import Comparison, Distribution, Estimate, GroupDifference, IntervalSettings, Results
from reportgen.wording.conventions import interval_method
from reportgen.wording.text import SPACE, percent


class IntervalKind(NamedTuple):
    """How intervals were made, as far as a caption says it."""

    level: str
    """``95 %``"""
    method: str
    unit: str
    """What is resampled: ``pages``."""
    resamples: int
    within: str
    """``folds``, ``folds and classes``; empty for whole populations."""
    seed: int


class ChosenThresholds(NamedTuple):
    """What the intervals of some records do with thresholds that were chosen."""

    fixed: bool
    """Whether the intervals of some keep the thresholds."""
    again: tuple[str, ...]
    """The metrics whose intervals choose them again, with the systems where the metric alone does not tell them."""


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


def summed_up_otherwise(results: Results, estimates: Iterable[Estimate]) -> str:
    """Return how a figure's numbers sum up the folds, where it is not as the tables' do: ``pooled``, ``fold_mean``.

    Two values of one metric that differ by their aggregation would else look like an error in one of them.
    """
    aggregations = {estimate.aggregation for estimate in estimates}
    if len(results.folds) < 2 or aggregations <= {results.headline_aggregation}:
        return ""
    return "pooled" if aggregations == {"pooled"} else "fold_mean"


def interval_kinds(results: Results, estimates: Iterable[Estimate]) -> tuple[IntervalKind, ...]:
    """Return how the intervals shown were made, each way once; empty where none is shown."""
    at = sorted({estimate.intervals[0].settings for estimate in estimates if estimate.intervals})
    return tuple(dict.fromkeys(interval_kind(results, results.interval_settings[index]) for index in at))


def interval_kind(results: Results, settings: IntervalSettings) -> IntervalKind:
    """Return how intervals of these settings are made; settings that treat thresholds in another way are the same."""
    nouns = {"cluster": results.units.cluster.many, "query": results.units.query.many}
    several = len(results.folds) > 1
    strata = {"fold": ["folds"] * several, "fold_label": ["folds"] * several + ["classes"]}
    return IntervalKind(
        percent(settings.level),
        interval_method(settings.method),
        nouns.get(settings.unit, settings.unit),
        settings.resamples,
        " and ".join(strata.get(settings.strata, [])),
        settings.seed,
    )


def interval_level(
    results: Results, shown: Sequence[Estimate] | Sequence[Comparison] | Sequence[GroupDifference]
) -> str:
    """Return the level of the intervals shown: ``95 %``; empty if none has an interval or the levels differ."""
    levels = {results.interval_settings[one.intervals[0].settings].level for one in shown if one.intervals}
    return percent(levels.pop()) if len(levels) == 1 else ""


def drawn_level(results: Results, shown: Sequence[Estimate] | Sequence[Comparison] | Sequence[GroupDifference]) -> str:
    """Return :func:`interval_level` with a space that a figure's fonts have."""
    return interval_level(results, shown).replace(SPACE, " ")


def chosen_thresholds(results: Results, shown: Iterable[Estimate | Comparison]) -> ChosenThresholds:
    """Return what the intervals do with chosen thresholds."""
    of_role: dict[str, list[Estimate | Comparison]] = {}
    for one in shown:
        if one.intervals:
            of_role.setdefault(results.interval_settings[one.intervals[0].settings].threshold, []).append(one)
    fixed = of_role.get("fixed", [])
    again = _names(results, of_role.get("resampled", []), {one.metric for one in fixed})
    return ChosenThresholds(bool(fixed), tuple(again))


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
