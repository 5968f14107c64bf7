"""Relations between numbers that hold for every system."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise

from reportgen.consistency.outcome import RelationOutcome
from reportgen.consistency.values import TOLERANCE, ValuePlace, same, values_by_place
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results
from reportgen.wording.groups import EQUALIZED_ODDS

_RISING = ("recall", "hit", "mrr")
"""Over positive queries these do not fall with K."""
_SUMS: tuple[tuple[tuple[tuple[int, str], ...], float], ...] = (
    (((1, "hamming_loss"), (1, "hamming_accuracy")), 1.0),
    (((1, "state_rate[neg]"), (1, "state_rate[uncertain]"), (1, "state_rate[pos]")), 1.0),
    # Dimitriadis, Gneiting and Jordan 2021: the CORP decomposition is exact.
    (((1, "brier[miscalibration]"), (-1, "brier[discrimination]"), (1, "brier[uncertainty]"), (-1, "brier")), 0.0),
)
"""Signed sums of metrics of one place, and what they are."""


def relations(results: Results) -> RelationOutcome:
    """Find values of one place that contradict each other, and means and differences that are not of their parts."""
    wrong: list[str] = []
    places = values_by_place(results)
    for place, values in places.items():
        if results.subset_by_id[place.subset].population == "positives_only":
            wrong += _ranking(place, values, strict_k=results.contract.conventions.get("precision_denominator") == "K")
        wrong += _sums(place, values)
    wrong += _means(results)
    wrong += _differences(results)
    wrong += _of_groups(results)
    n = len(places)
    return RelationOutcome(
        "RG372",
        f"The numbers of {n:,} {'place' if n == 1 else 'places'} (system, subset, fold) do not contradict each "
        "other, nor their means and differences",
        tuple(wrong),
    )


def _ranking(place: ValuePlace, values: Mapping[MetricId, float], strict_k: bool) -> Iterator[str]:
    """Check that hits rise with K, and that what needs a hit is at most the share of queries with one."""
    at = {
        name: {int(of.number): values[of] for of in values if (of.name, of.variant, of.kind) == (name, "", "cutoff")}
        for name in ("recall", "hit", "mrr", "map", "precision")
    }
    for name in _RISING:
        yield from _falls(place, name, at[name])
    if strict_k:
        yield from _falls(place, "K · precision", {k: k * value for k, value in at["precision"].items()})
    for name in ("recall", "mrr", "map"):
        for k, value in at[name].items():
            if k in at["hit"] and value > at["hit"][k] + TOLERANCE:
                yield f"{place}: {name}@{k} is {value!r}, above hit@{k}, {at['hit'][k]!r}"
    firsts = {name: at[name][1] for name in ("hit", "mrr", *(["precision"] if strict_k else [])) if 1 in at[name]}
    if len(firsts) > 1 and not all(same(value, next(iter(firsts.values()))) for value in firsts.values()):
        listed = ", ".join(f"{name}@1 = {value!r}" for name, value in firsts.items())
        yield f"{place}: at K = 1 these are one number: {listed}"


def _falls(place: ValuePlace, name: str, at: Mapping[int, float]) -> Iterator[str]:
    for low, high in pairwise(sorted(at)):
        if at[high] < at[low] - TOLERANCE:
            yield f"{place}: {name} falls from {at[low]!r} at {low} to {at[high]!r} at {high}"


def _sums(place: ValuePlace, values: Mapping[MetricId, float]) -> Iterator[str]:
    for terms, total in _SUMS:
        known = [(sign, values.get(MetricId.parse(name))) for sign, name in terms]
        if all(value is not None for _, value in known):
            found = math.fsum(sign * value for sign, value in known if value is not None)
            if not same(found, total):
                names = " ".join(f"{'+' if sign > 0 else '−'} {name}" for sign, name in terms).removeprefix("+ ")
                yield f"{place}: {names} is {found!r}, not {total:g}"


def _means(results: Results) -> Iterator[str]:
    """Find means over trainings, repeats, or folds, that are not the unweighted mean of their defined values."""
    for record in results.results:
        if record.seeds or record.repeats:  # then the mean over folds is taken within each of them
            values = [*(one.value for one in record.seeds), *(one.value for one in record.repeats)]
            of_parts = [value for value in values if value is not None]
            found = math.fsum(of_parts) / len(of_parts) if of_parts else None
            if (record.value is None) != (found is None) or (
                record.value is not None and found is not None and not same(record.value, found)
            ):
                over = "trainings" if record.seeds else "repeats"
                yield f"{record.id} is {record.value!r}, which is not the mean of its {over}"
        elif record.aggregation == "fold_mean" and record.value is not None and record.folds:
            parts = [fold.value for fold in record.folds if fold.value is not None]
            if not parts or not same(record.value, math.fsum(parts) / len(parts)):
                yield f"{record.id} is {record.value!r}, which is not the mean of its folds"


def _of_groups(results: Results) -> Iterator[str]:
    """Check that each group less another is the difference of their values; of equalized odds the larger of two."""
    for one in results.group_differences:
        if one.value is None:
            continue
        names = ("sensitivity", "fpr") if one.metric.startswith(EQUALIZED_ODDS) else (one.metric.partition("@")[0],)
        found = []
        for name in names:
            metric = one.metric.replace(EQUALIZED_ODDS, name)
            values = [results.find(metric, one.system, subset, one.aggregation) for subset in one.subsets]
            known = [value.value for value in values if value is not None and value.value is not None]
            found += [known[0] - known[1]] if len(known) == 2 else []
        if found and not any(same(one.value, value) for value in found):
            yield f"{one.id} is {one.value!r}, but its values differ by {found[0]!r}"


def _differences(results: Results) -> Iterator[str]:
    for pair in results.comparison_by_id.values():
        a, b = (results.find(pair.metric, of, pair.subset, pair.aggregation) for of in (pair.system_a, pair.system_b))
        if pair.difference is None or a is None or b is None or a.value is None or b.value is None:
            continue
        if not same(pair.difference, a.value - b.value):
            yield f"{pair.id} is {pair.difference!r}, but its values differ by {a.value - b.value!r}"
