"""Names and heads: what a metric, a label, a fold and a subset are called, with unit, direction and size."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reportgen import numbers
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Comparison, Estimate, FoldRecord, Label, MetricRecord, Results, SubsetRecord
from reportgen.wording.comparisons import unit_of_difference
from reportgen.wording.conventions import in_units
from reportgen.wording.text import SPACE, capital, number_of_folds, percent

FAMILIES = {
    "ranking": "Ranking",
    "coverage": "Coverage",
    "classification": "Classification",
    "confusion": "Confusion matrix",
    "candidate": "Classification of candidates",
    "calibration": "Calibration",
    "operating_point": "Operating points",
    "selection": "Evidence selection",
    "workload": "Workload",
    "deployment": "Deployment",
    "triage": "Triage",
    "multilabel": "Multi-label",
    "multiclass": "Multi-class",
    "supplied": "Computed elsewhere",
}
_DENOMINATORS = {"min_R_K": "min(R,K)", "R": "R", "hits": "hits"}
_AT_CUT_OFF = re.compile(r"@\d+")
_ARROWS = {"higher": f"{SPACE}↑", "lower": f"{SPACE}↓", "none": ""}


def family_name(metric: MetricRecord) -> str:
    """Return what a metric's family is called."""
    return FAMILIES.get(metric.family, capital(metric.family.replace("_", " ")))


def arrow(metric: MetricRecord) -> str:
    """Return the better direction for after a name: ``\u00a0↑``; empty where neither is."""
    return _ARROWS[metric.direction]


def metric_head(results: Results, metric: MetricRecord, *, direction: bool = False) -> str:
    """Return a metric's name; average precision at a cut-off names its denominator: ``MAP@10 (min(R,K))``.

    With ``direction`` an arrow follows: ``ECE ↓`` where lower is better.
    """
    return f"{metric.name}{_map_denominator(results, metric)}{arrow(metric) if direction else ''}"


def with_unit(results: Results, metric: MetricRecord, *, direction: bool = False) -> str:
    """Return the head of a metric with its unit, which proportions do not need: ``Mean K ↓ (images)``."""
    unit = "" if metric.unit in {"proportion", ""} else f" ({in_units(metric.unit, results.units)})"
    return f"{metric_head(results, metric, direction=direction)}{unit}"


def one_vs_rest(results: Results, short: str) -> str:
    """Return a metric's short name, which in a multi-class run says that it judges each class against the rest."""
    return f"{short} (one-vs-rest)" if results.several_classes else short


def has_gate(results: Results) -> bool:
    """Return whether the run declares a decision on queries with candidates: a gate before what is shown."""
    everything = results.subset_by_id.get("all_queries")
    return results.run.decision is not None and everything is not None and everything.n_candidates > 0


def of_the_gate(results: Results) -> str:
    """Return `` of the gate`` for after *states*; empty where the run declares none."""
    return " of the gate" if has_gate(results) else ""


def without_cut_off(results: Results, metric: MetricRecord) -> str:
    """Return the head of a column that holds a metric at several cut-offs: ``nDCG``, ``MAP (min(R,K))``."""
    return _AT_CUT_OFF.sub("", metric_head(results, metric), count=1)


def _map_denominator(results: Results, metric: MetricRecord) -> str:
    id_ = MetricId.parse(metric.id)
    if id_.name != "map" or not id_.parameter or "(" in metric.name:
        return ""
    denominator = str(results.contract.conventions.get("ap_denominator", ""))
    return f" ({_DENOMINATORS.get(denominator, denominator)})" if denominator else ""


def panel_head(results: Results, metric: MetricRecord, subset: str, unit: str = "") -> str:
    """Return a metric, its direction, its unit if one is given, and n: ``nDCG@10 ↑ (points; n = 1,279)``."""
    n = f"n{SPACE}={SPACE}{numbers.count(results.subset_by_id[subset].n_queries)}"
    return f"{metric.name}{arrow(metric)} ({f'{in_units(unit, results.units)}; ' if unit else ''}{n})"


def comparison_head(results: Results, metric: MetricRecord, comparison: Comparison) -> str:
    """Return ``nDCG@10 ↑ (points; 1,279 positive queries in 246 pages; mean over folds)``."""
    aggregation = (
        "mean over folds" if comparison.aggregation == "fold_mean" else "pooled" if len(results.folds) > 1 else ""
    )
    unit = in_units(comparison.display.unit or unit_of_difference(metric.unit), results.units)
    parts = [unit, size_in_clusters(results, comparison.subset), aggregation]
    return f"{metric.name}{arrow(metric)} ({'; '.join(part for part in parts if part)})"


def label_name(label: Label) -> str:
    """Return what a label is called: its own text, or its id."""
    return label.label or label.id


def fold_name(fold: FoldRecord) -> str:
    """Return what a fold is called: its own text, with the word in front where the text lacks it, and its repeat."""
    text = fold.label or fold.id
    name = text if "fold" in text.lower() else f"Fold {text}"
    # A fold whose own text is its id is named with its repeat.
    return name if not fold.repeat or text == fold.id else f"Repeat {fold.repeat}, {name[:1].lower()}{name[1:]}"


def folds_counted(results: Results) -> str:
    """Return how many folds there are: ``10``; ``3 × 10`` for three repeats of ten."""
    return number_of_folds(len(results.folds), results.split.repeats)


def budget_text(parameter: str) -> str:
    """Return ``fpr=0.05`` as ``5 %``."""
    return percent(float(parameter.partition("=")[2]))


def subset_name(subset: SubsetRecord) -> str:
    """Return a subset's label inside a sentence: ``positive queries``."""
    return subset.label[:1].lower() + subset.label[1:]


def slice_name(results: Results, subset: SubsetRecord) -> str:
    """Return what a label, a set of labels or a group is called without its queries: ``digit classes “even”``."""
    many = results.units.of(subset.population).many
    return subset.label.removesuffix(f", positive {many}").removesuffix(f", {many}")


def subset_size(results: Results, subset: str, n: int | None = None) -> str:
    """Return a subset's size by its label: ``2,460 queries``, ``1 positive query``, ``246 queries of class D0``.

    ``n`` is a size other than the subset's own.
    """
    record, query = results.subset_by_id[subset], results.units.query
    size = record.n_queries if n is None else n
    if record.population != "positives_only" and not record.slice:
        return results.units.of(record.population).count(size)
    name = slice_name(results, record)
    if record.slice and name != record.label:  # "class D0, positive queries"
        return f"{size:,} {record.label.removeprefix(f'{name}, ')} of {name}"
    label = subset_name(record)
    if size == 1 and label.endswith(query.many):
        label = label.removesuffix(query.many) + query.one
    return f"{size:,} {label}"


def size_in_clusters(results: Results, subset: str) -> str:
    """Return ``1,279 positive queries in 246 pages``; without pages where each is its own cluster."""
    units, record = results.units, results.subset_by_id[subset]
    single = units.cluster == units.of(record.population)
    return f"{subset_size(results, subset)}{'' if single else f' in {units.cluster.count(record.n_clusters)}'}"


def sizes(results: Results, subset: SubsetRecord) -> str:
    """Return the denominator: ``2,460 queries, 1,279 positive``."""
    return f"{results.units.query.count(subset.n_queries)}, {numbers.count(subset.n_positive)} positive"


def subset_head(results: Results, subset: str) -> str:
    """Return a subset with its size: ``Queries with evidence (n = 1,379 in 246 pages)``; single rows need no pages."""
    record, units = results.subset_by_id[subset], results.units
    single = units.cluster == units.of(record.population)
    clusters = "" if single else f" in {units.cluster.count(record.n_clusters)}"
    return f"{record.label} (n{SPACE}={SPACE}{numbers.count(record.n_queries)}{clusters})"


def positives_head(results: Results) -> str:
    """Return the head of a column that counts the positives: the label of their subset, as everywhere else."""
    subset = results.subset_by_id.get("positives_only")
    return subset.label if subset is not None else f"Positive {results.units.query.many}"


def design_effects(results: Results, estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """Return the smallest and the largest design effect of values, one where they print the same; none without any.

    Where each query is a cluster of its own it is 1 by definition.
    """
    units, subsets = results.units, results.subset_by_id
    clustered = [one for one in estimates if units.cluster != units.of(subsets[one.subset].population)]
    known = [one.n.design_effect for one in clustered if one.n.design_effect is not None]
    return tuple(dict.fromkeys(numbers.design_effect(pick(known)) for pick in (min, max))) if known else ()


def origin(results: Results, subset: SubsetRecord | None, *, comma: bool = True) -> str:
    """Return where queries are from: ``, from 246 pages``; None for several subsets.

    Empty where each query is a cluster of its own. Without ``comma`` it begins `` from``.
    """
    units = results.units
    if units.cluster == (units.query if subset is None else units.of(subset.population)):
        return ""
    start = ", " if comma else " "
    if subset is not None:
        return f"{start}from {units.cluster.count(subset.n_clusters)}"
    most = max((one.n_clusters for one in results.subsets), default=0)
    return f"{start}from {units.cluster.count(most)} in all"


def named_under_subset(results: Results) -> str:
    """Return what a table with a column *Subset* is of: ``queries named under Subset, from 246 pages in all``."""
    rows = f"{results.units.row.many} and " if "all_rows" in results.subset_by_id else ""
    return f"{rows}{results.units.query.many} named under Subset{origin(results, None)}"


def grounds(results: Results, on: Sequence[Estimate] | Sequence[Comparison]) -> str:
    """Return what panels rest on: ``on 1,279 queries from 246 pages, mean of 5 folds``."""
    aggregations = dict.fromkeys(text for one in on if (text := over_folds(results, one.aggregation)))
    subsets = list(dict.fromkeys(one.subset for one in on))
    return f"on {_from_clusters(results, subsets)}{', ' if aggregations else ''}{' or '.join(aggregations)}"


def _from_clusters(results: Results, subsets: Sequence[str]) -> str:
    """Return ``1,279 positive queries and 2,460 queries, each from 246 pages``, without pages that are queries."""
    units = results.units
    records = [results.subset_by_id[subset] for subset in subsets]
    on = dict.fromkeys(
        (subset_size(results, one.id), None if units.cluster == units.of(one.population) else one.n_clusters)
        for one in records
    )
    known = {n for _, n in on}
    if len(on) > 1 and len(known) == 1 and None not in known:
        return f"{' and '.join(text for text, _ in on)}, each from {units.cluster.count(known.pop() or 0)}"
    return " and ".join(text if n is None else f"{text} from {units.cluster.count(n)}" for text, n in on)


def over_folds(results: Results, aggregation: str) -> str:
    """Return how folds were brought together: ``mean of 5 folds``, ``5 folds pooled``; empty for a single fold."""
    n = len(results.folds)
    if n < 2:
        return ""
    counted = folds_counted(results)
    return f"mean of {counted} folds" if aggregation == "fold_mean" else f"{counted} folds pooled"
