"""Words that captions, alt texts and keys share. Every number is a display string of its record."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.choice import SYNTHETIC
from reportgen.domain.record import Estimate, Results, SubsetRecord
from reportgen.numbers import count, percent
from reportgen.phrases import Phrase, with_interval
from reportgen.phrases import listing as listed
from reportgen.standings import Ranking, ranking
from reportgen.standings import leads as standing

__all__ = [
    "Phrase",
    "Ranking",
    "differs_sentence",
    "interval_level",
    "level_text",
    "listed",
    "number",
    "ranking",
    "scope_text",
    "sentence",
    "sizes",
    "standing",
    "synthetic_sentence",
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
