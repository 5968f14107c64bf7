"""The words of captions, heads and notes: what a number is, on what, with which interval."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen import sentences
from reportgen.captions import design_effects, origin, thresholds_sentence
from reportgen.choice import SYNTHETIC
from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Text
from reportgen.domain.record import (
    Estimate,
    FoldRecord,
    IntervalSettings,
    Label,
    MetricRecord,
    Results,
    SystemRecord,
)
from reportgen.numbers import count, percent
from reportgen.phrases import SPACE
from reportgen.standings import leads, ranking

WIDTH = "Intervals are left out for width; the CSV form of this table holds them."
FAMILIES = {
    "ranking": "Ranking",
    "coverage": "Coverage",
    "gate": "Classification",
    "confusion": "Confusion matrix",
    "candidate": "Classification of candidates",
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


def label_name(label: Label) -> str:
    """What a label is called: its own text, or its id."""
    return label.label or label.id


def fold_name(fold: FoldRecord) -> str:
    """What a fold is called: its own text, with the word in front where the text lacks it."""
    text = fold.label or fold.id
    return text if "fold" in text.lower() else f"Fold {text}"


def named_under_subset(results: Results) -> str:
    """What a table with a column *Subset* is of: ``queries named under Subset, from 246 pages in all``."""
    return f"{results.units.query.many} named under Subset{origin(results, None)}"


def population(results: Results, subset: str, estimates: Iterable[Estimate | None] = ()) -> str:
    """A subset with its size: ``Queries with evidence (n = 1,379; 246 pages; design effects 1.1 to 1.4)``.

    The design effects are those of the values that stand under it. Single rows need no clusters.
    """
    record, units = results.subset_by_id[subset], results.units
    clusters = "" if units.cluster == units.query else units.cluster.count(record.n_clusters)
    parts = (f"n{SPACE}={SPACE}{count(record.n_queries)}", clusters, design_effects(results, estimates))
    return f"{record.label} ({'; '.join(part for part in parts if part)})"


def subset_name(results: Results, subset: str) -> str:
    """A subset's label inside a sentence: ``positive queries``."""
    return sentences.subset_name(results.subset_by_id[subset])


def positives_head(results: Results) -> str:
    """The head of a column that counts the positives: the label of their subset, as everywhere else."""
    subset = results.subset_by_id.get("positives_only")
    return subset.label if subset is not None else f"Positive {results.units.query.many}"


def queries(results: Results, subset: str) -> str:
    """A subset's size in words: ``2,460 queries``; by its own label where it is not all: ``1,279 positive queries``."""
    return sentences.subset_count(results.subset_by_id[subset], results.units)


def queries_in_clusters(results: Results, subset: str, estimates: Iterable[Estimate | None] = ()) -> str:
    """``1,279 positive queries in 246 pages (design effect 1.2)``; the queries alone where each is its own cluster.

    The design effects are those of the values that are said to be on these queries.
    """
    units, n = results.units, results.subset_by_id[subset].n_clusters
    effects = f" ({words})" if (words := design_effects(results, estimates)) else ""
    clusters = "" if units.cluster == units.query else f" in {units.cluster.count(n)}"
    return f"{queries(results, subset)}{clusters}{effects}"


def budget_text(parameter: str) -> str:
    """``fpr=0.05`` as ``5 %``."""
    return f"{percent(float(parameter.partition('=')[2]), 1).removesuffix('.0')}{SPACE}%"


def left_out_sentence(results: Results, shown: Sequence[SystemRecord]) -> str:
    """Which systems a table shows where it does not show all; empty where it does."""
    if len(shown) == len(results.systems):
        return ""
    return (
        f"Of {len(results.systems)} systems the baseline and the best on the first headline metric are shown; "
        "the metrics file holds all."
    )


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
    shown = [estimate for estimate in estimates if estimate.intervals]
    if not shown:
        return ""
    at = sorted({estimate.intervals[0].settings for estimate in shown})
    described = dict.fromkeys(_interval_words(results, results.interval_settings[index]) for index in at)
    return f"Brackets hold {'; or '.join(described)}.{thresholds_sentence(results, shown)}"


def _interval_words(results: Results, settings: IntervalSettings) -> str:
    level = percent(settings.level, 1).removesuffix(".0")
    name = settings.method.removeprefix("cluster_").removeprefix("query_")
    method = _METHODS.get(name, name)
    words = f"{level}{SPACE}% {method} intervals"
    nouns = {"cluster": results.units.cluster.many, "query": results.units.query.many}
    if method == "linearized":
        return f"{words} over {nouns.get(settings.unit, settings.unit)} where the value is fitted to all rows at once"
    if not settings.resamples:
        return words
    words += f" from {count(settings.resamples)} bootstrap resamples of {nouns.get(settings.unit, settings.unit)}"
    several = len(results.folds) > 1
    if settings.strata == "fold" and several:
        words += " within folds"
    if settings.strata == "fold_label":
        words += " within folds and classes" if several else " within classes"
    return f"{words} (seed {settings.seed})"


def percent_of(results: Results) -> str:
    """The level of the intervals: ``95 %``."""
    level = results.interval_settings[0].level if results.interval_settings else 0.95
    return f"{percent(level, 1).removesuffix('.0')}{SPACE}%"


def lead(results: Results, metric: MetricRecord, estimates: Iterable[Estimate]) -> Text:
    """The message of a table about one metric: who has the best value, on what; values as printed."""
    order = ranking(results, list(estimates))
    if order is None:
        return f"{metric.name} has no value in these data."
    where = queries(results, order.best.subset)
    if metric.direction == "none":
        return f"{metric.name} by system, on {where}."
    return leads(results, order, metric.name, "lowest" if metric.direction == "lower" else "highest", where)


def caption(results: Results, first: Text, *sentences: str) -> Text:
    """A caption: the message, the further sentences, and that the data are synthetic where they are."""
    rest = " ".join(part for part in (*sentences, SYNTHETIC if results.run.synthetic else "") if part)
    parts = first if isinstance(first, tuple) else (first,)
    return (*parts, f" {rest}") if rest else parts
