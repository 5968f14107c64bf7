"""Sentences about single values: what a number means, and on what it rests, in words that can be read aloud.

A sentence says no more than its number: the value as displayed, its interval, the population and its size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from reportgen.domain.record import (
    REASONS,
    Counts,
    Display,
    Estimate,
    Interval,
    IntervalSettings,
    Reason,
    Results,
    Status,
    SubsetRecord,
    ThresholdRole,
    Units,
)
from reportgen.wording.text import number_of_folds

_BY_FORMULA = {
    "wilson": ", Wilson",
    "delong_clustered": ", DeLong for clustered data",
    "linearized": ", linearized",
    "recentred": ", recentred",
    "simultaneous": ", simultaneous over all pairs",
}
"""What is added to an interval that is shown and not from resamples; a note of the record says why it is."""
FEW_CLUSTERS = 20
"""Below so many clusters a spread says more about these clusters than about the design: the standard error of a
variance of twenty is a third of it."""
_OF_INTERVAL = re.compile(r"^(?!Mean over).*\b(?:interval|resamples?)\b", re.DOTALL)
THRESHOLDS: Mapping[ThresholdRole, str] = {
    "": "",
    "fixed": ", threshold fixed",
    "resampled": ", choice of threshold included",
}
"""What is added to an interval of a value that rests on a chosen threshold."""


def interpretation(
    clause: str,
    title: str,
    *,
    status: Status,
    reason: Reason | None,
    display: Display,
    interval: tuple[Interval, IntervalSettings] | None,
    aggregation: str,
    n_defined_folds: int,
    n_folds: int,
    n_repeats: int,
    subset: SubsetRecord,
    subset_words: str,
    n: Counts,
    units: Units,
    truth: bool,
) -> str:
    """Return one sentence that states a result.

    ``clause`` holds ``{value}`` and the units' words; ``subset_words`` names the slice (``digit class D0``) or is
    empty.
    """
    if status == "not_applicable":
        return f"{title} does not apply: {REASONS[reason or 'component_absent']}."
    if status != "ok":
        return f"{title} is undefined here: {REASONS[reason or 'no_queries']}."
    words = _fill(clause, display.value, units)
    lead = f"for {subset_words}, {words}" if subset_words else words
    on = basis(subset, n, units, truth=truth)
    rest = _grounds(display, interval, aggregation, _of_folds(n_defined_folds, n_folds, n_repeats), on)
    return f"{lead[0].upper()}{lead[1:]}{rest}"


def about_interval(note: str) -> bool:
    """Return whether a note of a record is about its interval."""
    return bool(_OF_INTERVAL.search(note))


def meaning(results: Results, record: Estimate) -> str:
    """Return the interpretation of a record without what it rests on, which the other columns of its row hold."""
    if record.status != "ok":
        return record.interpretation
    first = record.intervals[0] if record.intervals else None
    interval = (first, results.interval_settings[first.settings]) if first else None
    defined = sum(one.value is not None for one in record.folds)
    on = basis(results.subset_by_id[record.subset], record.n, results.units, truth=states_truth(results))
    folds = _of_folds(defined, len(results.folds), results.split.repeats)
    rest = _grounds(record.display, interval, record.aggregation, folds, on)
    whole = record.interpretation
    return f"{whole.removesuffix(rest)}." if whole.endswith(rest) else whole


def _fill(clause: str, value: str, units: Units) -> str:
    words = {
        "{value}": value,
        "{query}": units.query.one,
        "{queries}": units.query.many,
        "{row}": units.row.one,
        "{rows}": units.row.many,
        "{candidate}": units.candidate.one,
        "{candidates}": units.candidate.many,
        "{labels}": units.label.many,
        "{clusters}": units.cluster.many,
    }
    for name, word in words.items():
        clause = clause.replace(name, word)
    return clause


def _grounds(
    display: Display,
    interval: tuple[Interval, IntervalSettings] | None,
    aggregation: str,
    folds: str,
    on: str,
) -> str:
    """Return the end of an interpretation; ``folds`` says how many a mean is over."""
    parts = []
    if aggregation == "fold_mean":
        parts.append(f"mean of {folds} folds")
    if interval:
        parts.append(_interval(display, *interval))
    return f" ({'; '.join([*parts, on])})."


def _of_folds(defined: int, n_folds: int, n_repeats: int) -> str:
    """Return how many folds have a value and how many there are: ``5``, ``4 of 5``, ``3 × 10``."""
    every = number_of_folds(n_folds, n_repeats)
    return f"{defined} of {every}" if defined < n_folds else every


def _interval(display: Display, interval: Interval, settings: IntervalSettings) -> str:
    if interval.degenerate:
        return without_width(interval)
    words = interval_words(settings.level, display.interval[1:-1].split(", ")) + _BY_FORMULA.get(
        interval.method_used, ""
    )
    return words + THRESHOLDS[settings.threshold]


def without_width(interval: Interval) -> str:
    """Return what a sentence says in place of an interval without width, which says nothing of the value."""
    return f"no interval: {'no row moves the value' if interval.method_used == 'linearized' else 'the resamples agree'}"


def interval_words(level: float, bounds: Sequence[str]) -> str:
    """Return an interval that can be read aloud: ``95 % CI 0.888 to 0.906``."""
    return f"{level * 100:g} % CI {' to '.join(bounds)}"


def states_truth(results: Results) -> bool:
    """Tell whether the run says what is right; where all its metrics were computed elsewhere, it need not."""
    return not results.metrics or any(metric.family != "supplied" for metric in results.metrics)


def basis(subset: SubsetRecord, n: Counts, units: Units, *, truth: bool) -> str:
    """Return on what a number rests: ``1,279 of 2,460 queries are positive, in 246 pages``.

    ``truth``: the run says what is right; without it, queries are counted and none is called positive.
    """
    # Where each query is a cluster of its own, their number has been said.
    clusters = "" if units.cluster == units.of(subset.population) else f"in {units.cluster.count(n.clusters)}"
    if subset.population == "positives_only":
        words = f"{n.queries:,} positive {units.query.one if n.queries == 1 else units.query.many}"
        words += f" {clusters}" if clusters else ""
    elif subset.population == "all_rows":
        words = f"{units.row.count(n.queries)}{f' {clusters}' if clusters else ''}"
    elif not truth:
        words = f"{units.query.count(n.queries)}{f' {clusters}' if clusters else ''}"
    else:
        verb = "is" if n.positives == 1 else "are"
        words = f"{n.positives:,} of {units.query.count(n.queries)} {verb} positive"
        words += f", {clusters}" if clusters else ""
    words += ", weighted" if n.weight is not None else ""
    if n.undefined:
        words += f"; {units.query.count(n.undefined)} without a value left out"
    return words
