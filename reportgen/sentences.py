"""Sentences about numbers: what a value means, on what it rests, in words that can be read aloud.

A sentence says no more than its number: the value as displayed, its interval, the population and its size.
"""

from __future__ import annotations

from reportgen import numbers
from reportgen.domain.record import (
    REASONS,
    Counts,
    Display,
    Interval,
    IntervalSettings,
    Reason,
    Status,
    SubsetRecord,
    Units,
)

_BY_FORMULA = {"wilson": ", Wilson", "delong_clustered": ", DeLong for clustered data", "linearized": ", linearized"}
"""What is added to an interval that is shown and not from resamples; a note of the record says why it is."""


def interpretation(
    clause: str,
    title: str,
    *,
    status: Status,
    reason: Reason | None,
    display: Display,
    interval: tuple[Interval, IntervalSettings] | None,
    scope: str,
    n_defined_folds: int,
    n_folds: int,
    subset: SubsetRecord,
    subset_words: str,
    n: Counts,
    units: Units,
) -> str:
    """One sentence that states a result.

    ``clause`` holds ``{value}`` and the units' words; ``subset_words`` names the slice (``digit class D0``) or is
    empty.
    """
    if status == "not_applicable":
        return f"{title} does not apply: {REASONS[reason or 'component_absent']}."
    if status != "ok":
        return f"{title} is undefined here: {REASONS[reason or 'no_queries']}."
    words = _fill(clause, display.value, units)
    lead = f"for {subset_words}, {words}" if subset_words else words
    tail = []
    if scope == "fold_mean":
        defined = f"{n_defined_folds} of {n_folds}" if n_defined_folds < n_folds else f"{n_folds}"
        tail.append(f"mean of {defined} folds")
    if interval:
        tail.append(_interval(display, *interval))
    tail.append(population(subset, n, units))
    return f"{lead[0].upper()}{lead[1:]} ({'; '.join(tail)})."


def _fill(clause: str, value: str, units: Units) -> str:
    words = {
        "{value}": value,
        "{query}": units.query.one,
        "{queries}": units.query.many,
        "{candidate}": units.candidate.one,
        "{candidates}": units.candidate.many,
        "{labels}": units.label.many,
        "{clusters}": units.cluster.many,
    }
    for name, word in words.items():
        clause = clause.replace(name, word)
    return clause


def _interval(display: Display, interval: Interval, settings: IntervalSettings) -> str:
    bounds = display.interval.strip("[]").replace(", ", " to ")
    words = f"{settings.level * 100:g} % CI {bounds}"
    words += _BY_FORMULA.get(interval.method_used, "")
    if settings.threshold:
        words += f", threshold {settings.threshold}"
    if not interval.degenerate:
        return words
    return words + numbers.without_width(linearized=interval.method_used == "linearized")


def subset_name(subset: SubsetRecord) -> str:
    """A subset's label inside a sentence: ``positive queries``."""
    return subset.label[:1].lower() + subset.label[1:]


def subset_count(subset: SubsetRecord, units: Units, n: int | None = None) -> str:
    """A subset's size by its label: ``2,460 queries``, ``1,279 positive queries``, ``1 positive query``.

    ``n`` is a size other than the subset's own.
    """
    size = subset.n_queries if n is None else n
    if subset.protocol == "all_queries" and not subset.slice:
        return units.query.count(size)
    label = subset_name(subset)
    if size == 1 and label.endswith(units.query.many):
        label = label.removesuffix(units.query.many) + units.query.one
    return f"{size:,} {label}"


def population(subset: SubsetRecord, n: Counts, units: Units) -> str:
    """On what a number rests: ``1,279 of 2,460 queries are positive, in 246 pages``."""
    # Where each query is a cluster of its own, their number has been said.
    clusters = "" if units.cluster == units.query else f"in {units.cluster.count(n.clusters)}"
    if subset.protocol == "positives_only":
        words = f"{units.query.count(n.queries).replace(' ', ' positive ', 1)}" + (f" {clusters}" if clusters else "")
    else:
        verb = "is" if n.positives == 1 else "are"
        words = f"{n.positives:,} of {units.query.count(n.queries)} {verb} positive"
        words += f", {clusters}" if clusters else ""
    # Where each query is a cluster of its own, it is 1 by definition.
    if n.design_effect is not None and clusters:
        words += f", design effect {numbers.design_effect(n.design_effect)}"
    if n.undefined:
        words += f"; {units.query.count(n.undefined)} without a value left out"
    return words
