"""The four counts of a decider: they add up to the population, and rates are their quotients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from reportgen.consistency.outcome import RelationOutcome
from reportgen.consistency.values import ValuePlace, same, values_by_place
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results, result_id

_COUNTS = ("tp", "fp", "fn", "tn")
_RATES: Mapping[str, Callable[[float, float, float, float], tuple[float, float]]] = {
    "sensitivity": lambda tp, fp, fn, tn: (tp, tp + fn),
    "recall": lambda tp, fp, fn, tn: (tp, tp + fn),
    "tpr": lambda tp, fp, fn, tn: (tp, tp + fn),
    "fnr": lambda tp, fp, fn, tn: (fn, tp + fn),
    "specificity": lambda tp, fp, fn, tn: (tn, tn + fp),
    "fpr": lambda tp, fp, fn, tn: (fp, tn + fp),
    "fpr_achieved": lambda tp, fp, fn, tn: (fp, tn + fp),
    "precision": lambda tp, fp, fn, tn: (tp, tp + fp),
    "npv": lambda tp, fp, fn, tn: (tn, tn + fn),
    "f1": lambda tp, fp, fn, tn: (2 * tp, 2 * tp + fp + fn),
    "accuracy": lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
    "mcc": lambda tp, fp, fn, tn: (
        tp * tn - fp * fn,
        math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    ),
}
"""Metric to its numerator and denominator from the counts."""


def confusion(results: Results) -> RelationOutcome:
    """Find counts that do not add up to the population or over the folds, and rates that are not their quotients.

    The micro F1 of labels is a rate of the same counts where the same threshold decides. The confusion of several
    classes adds up to all rows, and its diagonal gives the accuracy.
    """
    wrong = [*_over_folds(results), *_of_classes(results)]
    n = len({one.system for one in results.distributions if one.kind == "confusion"})
    for place, values in values_by_place(results).items():
        wrong += _micro(results, place, values)
        for of in [of for of in values if of.name == "tp"]:
            counts = [values.get(replace(of, name=name)) for name in _COUNTS]
            tp, fp, fn, tn = (math.nan if count is None else count for count in counts)
            if None not in counts:
                n += 1
                wrong += _population(results, place, of, (tp, fp, fn, tn))
                wrong += _rates(place, values, of, (tp, fp, fn, tn))
    what = (
        "1 confusion matrix adds up to its population"
        if n == 1
        else f"{n:,} confusion matrices add up to their populations"
    )
    return RelationOutcome("RG371", f"{what}, and rates are quotients of counts", tuple(wrong))


def _of_classes(results: Results) -> Iterator[str]:
    """Find confusions of classes that do not add up to all rows, or whose diagonal is not the accuracy."""
    for system in results.systems:
        parts = [one for one in results.distributions if (one.kind, one.system) == ("confusion", system.id)]
        if not parts:
            continue
        n, right = math.fsum(count for one in parts for count in one.counts), 0.0
        for one in parts:
            right += dict(zip(one.bins, one.counts, strict=True)).get(one.by.removeprefix("label="), 0)
        rows = results.subset_by_id["all_rows"].n_queries
        if not same(n, rows):
            yield f"the confusion of classes by {system.id} is of {n:,g} rows, but there are {rows:,}"
        accuracy = results.find("accuracy[argmax]", system.id, "all_rows", "pooled")
        if accuracy is not None and accuracy.value is not None and not same(accuracy.value, right / n):
            yield f"{accuracy.id} is {accuracy.value!r}, but the confusion of classes gives {right / n!r}"


def _population(
    results: Results, place: ValuePlace, of: MetricId, counts: tuple[float, float, float, float]
) -> Iterator[str]:
    """Yield ``of``: the id of the true positives, which names what decides."""
    tp, fp, fn, tn = counts
    at = of.parameter or of.variant
    if any(count < 0 or count != int(count) for count in counts):
        yield f"{place}: counts at {at} are not whole numbers from 0"
    known = _sizes(results, place, of)
    if known is not None and (tp + fn, tn + fp) != known:
        yield (
            f"{place}: at {at} there are {tp + fn:,.0f} positive and {tn + fp:,.0f} negative queries, but the "
            f"population has {known[0]:,} and {known[1]:,}"
        )


def _sizes(results: Results, place: ValuePlace, of: MetricId) -> tuple[int, int] | None:
    """Count positive and negative queries of a place, where the file says them."""
    if place.part == "pooled":
        record = results.by_id[result_id(str(of), place.system, place.subset, "pooled")]
        return record.n.positives, record.n.queries - record.n.positives
    if place.subset != "all_queries":
        return None
    fold = next((fold for fold in results.folds if f"fold={fold.id}" == place.part), None)
    return None if fold is None else (fold.n_positive, fold.n_queries - fold.n_positive)


def _rates(
    place: ValuePlace, values: Mapping[MetricId, float], of: MetricId, counts: tuple[float, float, float, float]
) -> Iterator[str]:
    for name, parts in _RATES.items():
        rate = replace(of, name=name)
        value = values.get(rate)
        above, below = parts(*counts)
        if value is not None and below > 0 and not same(value, above / below):
            yield f"{place}: {rate} is {value!r}, but its counts give {above / below!r}"


def _micro(results: Results, place: ValuePlace, values: Mapping[MetricId, float]) -> Iterator[str]:
    """Find a micro F1 that is not the F1 at the threshold that decides both."""
    micro = MetricId("f1", "micro")
    if micro not in values:
        return
    rule, _, threshold = str(results.metric_by_id[str(micro)].params.get("decider", "")).partition(":")
    plain = MetricId("f1", parameter=threshold)
    if rule == "threshold" and plain in values and not same(values[micro], values[plain]):
        yield f"{place}: {micro} is {values[micro]!r}, but {plain}, of the same decisions, is {values[plain]!r}"


def _over_folds(results: Results) -> Iterator[str]:
    """Find counts whose folds do not add up to the whole."""
    for record in results.results:
        name = MetricId.parse(record.metric).name
        parts = [fold.value for fold in record.folds]
        if name in _COUNTS and record.aggregation == "pooled" and record.value is not None and parts:
            # The folds of each repeat are the whole, and the value is the mean over repeats.
            total = math.fsum(part for part in parts if part is not None) / results.split.repeats
            if not same(total, record.value):
                yield f"{record.id} is {record.value:,.0f}, but its folds add up to {total:,.0f}"
