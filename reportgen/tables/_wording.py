"""The words of captions, heads and notes: what a number is, on what, with which interval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen.choice import SYNTHETIC
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Inline, Shown, Text
from reportgen.domain.record import Estimate, FoldRecord, IntervalSettings, LabelRecord, MetricRecord, Results
from reportgen.numbers import count, percent

SPACE = "\u00a0"
"""A space that does not break, between a number and its percent sign."""
FAMILIES = {
    "ranking": "Ranking",
    "coverage": "Coverage",
    "gate": "Classification",
    "calibration": "Calibration",
    "operating_point": "Operating points",
    "selection": "Evidence selection",
    "workload": "Workload",
    "deployment": "Deployment",
    "triage": "Triage",
    "multilabel": "Multi-label",
}
_DENOMINATORS = {"min_R_K": "min(R,K)", "R": "R", "hits": "hits"}
_METHODS = {"percentile": "percentile", "bca": "BCa", "wilson": "Wilson", "clopper_pearson": "Clopper–Pearson"}
_NAMED = 3
"""Systems with overlapping intervals that a caption names."""
_AT_CUT_OFF = re.compile(r"@\d+")
_ARROWS = {"higher": f"{SPACE}↑", "lower": f"{SPACE}↓", "none": ""}


def capital(text: str) -> str:
    """The text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def metric_head(results: Results, metric: MetricRecord, *, arrow: bool = False) -> str:
    """A metric's name; average precision at a cut-off names its denominator: ``MAP@10 (min(R,K))``.

    With ``arrow`` the direction follows: ``ECE ↓`` where lower is better.
    """
    return f"{metric.name}{_map_denominator(results, metric)}{_ARROWS[metric.direction] if arrow else ''}"


def without_cut_off(results: Results, metric: MetricRecord) -> str:
    """The head of a column that holds a metric at several cut-offs: ``nDCG``, ``MAP (min(R,K))``."""
    return _AT_CUT_OFF.sub("", metric_head(results, metric), count=1)


def _map_denominator(results: Results, metric: MetricRecord) -> str:
    id_ = MetricId.parse(metric.id)
    if id_.name != "map" or not id_.parameter or "(" in metric.name:
        return ""
    denominator = str(results.contract.conventions.get("ap_denominator", ""))
    return f" ({_DENOMINATORS.get(denominator, denominator)})" if denominator else ""


def unit(metric: MetricRecord) -> str:
    """The unit to print; empty for proportions, which need none."""
    return "" if metric.unit == "proportion" else metric.unit


def label_name(label: LabelRecord) -> str:
    """What a label is called: its own text, or its id."""
    return label.label or label.id


def fold_name(fold: FoldRecord) -> str:
    """What a fold is called: its own text, with the word in front where the text lacks it."""
    text = fold.label or fold.id
    return text if "fold" in text.lower() else f"Fold {text}"


def population(results: Results, subset: str) -> str:
    """A subset with its size: ``Queries with evidence (n = 1,379)``."""
    record = results.subset_by_id[subset]
    return f"{record.label} (n{SPACE}={SPACE}{count(record.n_queries)})"


def queries(results: Results, subset: str) -> str:
    """A subset's size in the run's words: ``1,379 queries``; ``with evidence`` where only those count."""
    record = results.subset_by_id[subset]
    evidence = " with evidence" if record.protocol == "positives_only" else ""
    return f"{results.units.query.count(record.n_queries)}{evidence}"


def scope_sentence(results: Results, estimates: Iterable[Estimate]) -> str:
    """How values sum up the folds: a mean of fold values, or pooled; a mixture names the headline scope."""
    scopes = {estimate.scope for estimate in estimates if estimate.value is not None}
    if len(results.folds) < 2:
        return "Values are computed on a single evaluation split."
    if scopes == {"pooled"}:
        return "Values are pooled over folds."
    if "pooled" not in scopes or results.headline_scope == "fold_mean":
        return f"Values are unweighted means over {len(results.folds)} folds."
    return "Values are pooled over folds."


def interval_sentence(results: Results, estimates: Iterable[Estimate]) -> str:
    """What the intervals are; empty where none is shown.

    Settings that differ only in how a threshold is treated make one sentence with an addition.
    """
    at = {estimate.intervals[0].settings: estimate for estimate in estimates if estimate.intervals}
    settings = [results.interval_settings[index] for index in sorted(at)]
    if not settings:
        return ""
    described = dict.fromkeys(_interval_words(results, one) for one in settings)
    return f"Brackets hold {'; or '.join(described)}.{_threshold_words(settings)}"


def _interval_words(results: Results, settings: IntervalSettings) -> str:
    level = percent(settings.level, 1).removesuffix(".0")
    name = settings.method.removeprefix("cluster_").removeprefix("query_")
    method = _METHODS.get(name, name)
    words = f"{level}{SPACE}% {method} intervals"
    if not settings.resamples:
        return words
    nouns = {"cluster": results.units.cluster.many, "query": results.units.query.many}
    words += f" from {count(settings.resamples)} bootstrap resamples of {nouns.get(settings.unit, settings.unit)}"
    if settings.strata == "fold" and len(results.folds) > 1:
        words += " within folds"
    return f"{words} (seed {settings.seed})"


def _threshold_words(settings: list[IntervalSettings]) -> str:
    kinds = {one.threshold for one in settings} - {""}
    if kinds == {"fixed"}:
        return " Thresholds stay fixed in the resamples."
    if kinds == {"resampled"}:
        return " Thresholds are chosen again in each resample."
    return ""


def percent_of(results: Results) -> str:
    """The level of the intervals: ``95 %``."""
    level = results.interval_settings[0].level if results.interval_settings else 0.95
    return f"{percent(level, 1).removesuffix('.0')}{SPACE}%"


def with_interval(estimate: Estimate) -> tuple[Inline, ...]:
    """``0.946 [0.939, 0.953]`` as text that knows its result."""
    shown = (Shown(estimate.display.value, estimate.id),)
    return (*shown, SPACE, Shown(estimate.display.interval, estimate.id)) if estimate.display.interval else shown


def lead(results: Results, metric: MetricRecord, estimates: Iterable[Estimate]) -> Text:
    """The message of a table about one metric: who has the best value, on what; values as printed.

    Says no more than the digits and intervals do: systems with the same printed value share it, nothing is called
    better, and which intervals overlap that of the best value is said.
    """
    defined = [estimate for estimate in estimates if estimate.value is not None]
    if not defined:
        return f"{metric.name} has no value in these data."
    where = queries(results, defined[0].subset)
    ordered = sorted(defined, key=lambda e: e.value or 0.0, reverse=metric.direction != "lower")
    first = ordered[0]
    best = [estimate for estimate in ordered if estimate.display.value == first.display.value]
    if len(defined) == 1 or metric.direction == "none":
        label = results.system_by_id[first.system].label
        return (f"{metric.name} of {label} on {where} is ", *with_interval(first), ".")
    extreme = "lowest" if metric.direction == "lower" else "highest"
    labels = [results.system_by_id[estimate.system].label for estimate in best]
    # Equal printed values need not have equal intervals, so none is given where several share a value.
    shown = Shown(first.display.value, first.id)
    if len(best) == len(defined):
        return (f"All {len(defined)} systems have the same {metric.name} on {where}, ", shown, ".")
    if len(best) > 1:
        return (
            f"{listed(labels)} share the {extreme} {metric.name} on {where}, ",
            shown,
            f", of {len(defined)} systems.",
        )
    return (
        f"{labels[0]} has the {extreme} {metric.name} on {where}, ",
        *with_interval(first),
        f"{_apart(results, first, ordered[1:])}.",
    )


def _apart(results: Results, first: Estimate, others: list[Estimate]) -> str:
    """Whether the interval of the best value tells it from the others; a description, not a test."""
    if not all(estimate.intervals for estimate in (first, *others)):
        return f", of {len(others) + 1} systems"
    own = first.intervals[0]
    near = [e for e in others if e.intervals[0].lower <= own.upper and own.lower <= e.intervals[0].upper]
    if not near:
        rest = "that of the other system" if len(others) == 1 else f"those of the {len(others)} others"
        return f"; its interval does not overlap {rest}"
    if len(near) > _NAMED:
        return f"; its interval overlaps those of {len(near)} of the {len(others)} others"
    names = listed([results.system_by_id[estimate.system].label for estimate in near])
    return f"; its interval overlaps {'that' if len(near) == 1 else 'those'} of {names}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``; names with commas of their own are parted by semicolons."""
    if len(names) < 2:
        return "".join(names)
    if len(names) > 2 and any("," in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def caption(results: Results, first: Text, *sentences: str) -> Text:
    """A caption: the message, the further sentences, and that the data are synthetic where they are."""
    rest = " ".join(part for part in (*sentences, SYNTHETIC if results.run.synthetic else "") if part)
    parts = first if isinstance(first, tuple) else (first,)
    return (*parts, f" {rest}") if rest else parts
