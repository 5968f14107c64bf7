"""Provenance of a number: definition, population, n, folds, intervals, conventions, signature.

Everything is read off the record and the facts that the results hold; numbers are the record's display strings, or
rounded as these are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from reportgen.contracts import vocabulary
from reportgen.domain.presentation import Detail
from reportgen.domain.record import (
    REASONS,
    Comparison,
    Counts,
    Estimate,
    GroupDifference,
    Interval,
    MetricRecord,
    Results,
    TestRecord,
)
from reportgen.numbers import NOT_NEGATIVE, count, design_effect, p_value, percent, significant, within
from reportgen.numbers import interval as bounds
from reportgen.wording.comparisons import ADJUSTMENTS, NAMED_TESTS, amount, equal_or_below, unit_of_difference
from reportgen.wording.conventions import interval_method
from reportgen.wording.groups import metric_of, name_of_difference
from reportgen.wording.heads import fold_name, folds_counted, subset_head
from reportgen.wording.text import SPACE, as_printed

_UNDEFINED = "—"
_THRESHOLD = {"fixed": "threshold kept fixed", "resampled": "threshold chosen again on each resample"}


def details(results: Results, ids: Iterable[str]) -> tuple[Detail, ...]:
    """Return what is known of results, comparisons and differences of groups with these ids; others are passed over.

    Args:
        results: Everything that was computed.
        ids: Their ids, in the order wanted.
    """
    found: list[Detail] = []
    for id in ids:
        if estimate := results.by_id.get(id):
            found.append(_of_estimate(results, estimate))
        elif comparison := results.comparison_by_id.get(id):
            found.append(_of_comparison(results, comparison))
        elif difference := results.group_difference_by_id.get(id):
            found.append(_of_groups(results, difference))
    return tuple(found)


def _of_estimate(results: Results, record: Estimate) -> Detail:
    metric, system = results.metric_by_id[record.metric], results.system_by_id[record.system]
    signature = results.signatures[record.signature]
    value = " ".join(part for part in (record.display.value, record.display.interval) if part)
    facts = [
        ("Value", value if record.provenance == "computed" else f"{value} (supplied with the run, not computed here)"),
        ("Undefined because", REASONS[record.reason] if record.reason else ""),
        ("In words", record.interpretation),
        ("Definition", metric.definition),
        *_place(results, record.subset, record.aggregation),
        ("n", _sizes(results, record.subset, record.n)),
        ("Fold values", _folds(results, record)),
        *_spreads(results, record),
        *(
            (f"Interval: {_method(results, one)}", bounds(one.lower, one.upper, record.display.decimals))
            for one in record.intervals
        ),
        ("Conventions", _conventions(results, signature)),
        *(("Note", note) for note in record.notes),
        ("Signature", signature),
    ]
    return Detail(record.id, f"{metric.name} of {system.label}", _filled(facts))


def _of_comparison(results: Results, record: Comparison) -> Detail:
    metric = results.metric_by_id[record.metric]
    a, b = results.system_by_id[record.system_a].label, results.system_by_id[record.system_b].label
    shown = record.display
    value = " ".join(part for part in (shown.difference, shown.interval, shown.unit) if part)
    facts = [
        ("Difference", value),
        ("Not compared because", REASONS[record.reason] if record.reason else ""),
        ("In words", record.interpretation),
        ("Definition", metric.definition),
        *_place(results, record.subset, record.aggregation),
        *((f"Interval: {_method(results, one)}", _bounds(metric, one)) for one in record.intervals),
        *((f"Test: {test.alternative} {test.name}", _outcome(test)) for test in record.tests),
        *((f"Not made: {NAMED_TESTS.get(one.test, one.test)}", one.reason) for one in record.untested),
        ("Effect size", f"{shown.effect_size} ({record.effect_size.name})" if record.effect_size else ""),
        *(("Note", note) for note in record.notes),
    ]
    return Detail(record.id, f"{metric.name}: {a} minus {b}", _filled(facts))


def _of_groups(results: Results, record: GroupDifference) -> Detail:
    shown, system = record.display, results.system_by_id[record.system].label
    metric = metric_of(results, record)
    facts = [
        ("Difference", " ".join(part for part in (shown.value, shown.interval, shown.unit) if part)),
        ("Undefined because", REASONS[record.reason] if record.reason else ""),
        ("In words", record.interpretation),
        ("Definition", metric.definition),
        ("Between", " and ".join(subset_head(results, subset) for subset in record.subsets)),
        ("Not counted", ", ".join(subset_head(results, subset) for subset in record.left_out)),
        *((f"Interval: {_method(results, one)}", _bounds(metric, one)) for one in record.intervals),
        *(("Note", note) for note in record.notes),
    ]
    return Detail(record.id, f"{name_of_difference(record, metric.name)} of {system}", _filled(facts))


def _bounds(metric: MetricRecord, one: Interval) -> str:
    lower, upper = (amount(bound, metric.unit, metric.decimals) for bound in (one.lower, one.upper))
    return f"[{lower}, {upper}] {unit_of_difference(metric.unit)}".strip()


def _outcome(test: TestRecord) -> str:
    """Return a test's statistic and p values: ``p = 0.010, Holm-adjusted p = 0.030 for 3 comparisons``."""
    parts = [] if test.statistic is None else [f"statistic {significant(test.statistic, 4)}"]
    parts.append(f"p{SPACE}{equal_or_below(p_value(test.p))}")
    if test.family_size > 1:
        adjusted = "" if test.adjustment == "none" else f" p{SPACE}{equal_or_below(p_value(test.p_adjusted))}"
        parts.append(f"{ADJUSTMENTS[test.adjustment]}{adjusted} for {test.family_size} comparisons")
    return ", ".join(parts)


def _filled(facts: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple((term, text) for term, text in facts if text)


def _place(results: Results, subset: str, aggregation: str) -> Iterator[tuple[str, str]]:
    """Yield on which queries a value is, and how the folds were brought together."""
    facts = results.subset_by_id[subset]
    yield "On", f"{facts.label}: {facts.definition}"
    if len(results.folds) > 1:
        folds = folds_counted(results)
        yield (
            "Over folds",
            f"unweighted mean of {folds} folds" if aggregation == "fold_mean" else f"{folds} folds pooled",
        )


def _sizes(results: Results, subset: str, n: Counts) -> str:
    units, population = results.units, results.subset_by_id[subset].population
    # Where each query is a cluster of its own, their number has been said, and a design effect is 1 by definition.
    grouped = units.cluster != units.of(population)
    parts = [
        units.of(population).count(n.queries),
        f"in {units.cluster.count(n.clusters)}" if grouped else "",
        *([] if population == "all_rows" else [f"{count(n.positives)} positive", units.candidate.count(n.candidates)]),
        f"{count(n.undefined)} left out, undefined" if n.undefined else "",
        f"design effect {design_effect(n.design_effect)}" if n.design_effect is not None and grouped else "",
    ]
    return ", ".join(part for part in parts if part).replace(", in ", " in ", 1)


def _folds(results: Results, record: Estimate) -> str:
    labels = {
        fold.id: f"fold {fold.label}" if fold.label.isdecimal() and not fold.repeat else fold_name(fold)
        for fold in results.folds
    }
    return "; ".join(
        f"{labels.get(one.fold, one.fold)}: "
        f"{_UNDEFINED if one.value is None else as_printed(results, record, one.value)}"
        for one in record.folds
    )


def _spreads(results: Results, record: Estimate) -> Iterator[tuple[str, str]]:
    """Yield each standard deviation by what it is over, then the quartiles of single queries."""
    decimals, queries = record.display.decimals, results.units.query
    for one in record.sd:
        divisor = f"divisor n − {one.ddof}" if one.ddof else "divisor n"
        if one.over == "fold" and record.display.sd:
            yield "SD over folds", f"{record.display.sd} ({one.n} folds, {divisor})"
        elif one.over == "seed":
            yield (
                "SD over training seeds",
                f"{within(one.value, decimals, NOT_NEGATIVE)} ({one.n} trainings, {divisor})",
            )
        elif one.over == "repeat":
            yield "SD over repeats", f"{within(one.value, decimals, NOT_NEGATIVE)} ({one.n} repeats, {divisor})"
        elif one.over == "query":
            sd = within(one.value, decimals, NOT_NEGATIVE)
            yield f"SD over {queries.many}", f"{sd} ({queries.count(one.n)}, {divisor})"
    if record.quartiles:
        low, middle, high = (as_printed(results, record, value) for value in record.quartiles)
        yield f"Single {queries.many}", f"median {middle}, 25th percentile {low}, 75th percentile {high}"
    if record.se is not None:
        made = "linearized" if record.intervals and record.intervals[0].method_used == "linearized" else "bootstrap"
        yield f"Standard error ({made})", within(record.se, decimals + 1, NOT_NEGATIVE)


def _method(results: Results, one: Interval) -> str:
    """Say how an interval was made: level, method, unit and settings."""
    settings = results.interval_settings[one.settings]
    unit = results.units.cluster.one if settings.unit == "cluster" else settings.unit
    parts = [
        f"{percent(settings.level, 0)} % {interval_method(settings.method)}",
        f"unit: {unit}",
        f"within each {settings.strata}" if settings.strata else "",
        f"{count(settings.resamples)} resamples, seed {settings.seed}" if settings.resamples else "",
        _THRESHOLD.get(settings.threshold, ""),
        # What was used where the method asked for could not be.
        f"here {interval_method(one.method_used)}" if _differs(settings.method, one.method_used) else "",
        f"{count(one.failed)} resamples without a value" if one.failed else "",
        "without width" if one.degenerate else "",
    ]
    return ", ".join(part for part in parts if part)


def _differs(method: str, used: str) -> bool:
    """Return True if an interval was made by another method than its settings name (``cluster_bca``: ``bca``)."""
    return interval_method(method) != interval_method(used)


def _decides(key: str) -> bool:
    return key.endswith("_decider")


def _conventions(results: Results, signature: str) -> str:
    """Return the sentences of the conventions that the signature names, with what is doubtful about one."""
    # Some conventions share a short name (ties of a ranking, ties of an AUROC), so the value has to fit too.
    named = set(signature.split("|")[1:])
    known, said = vocabulary(), []
    for key, value in results.contract.conventions.items():
        # A decider is in the signature by its own name also where the contract leaves it to the run.
        decider = next((part for part in named if part.startswith(f"{known[key].sign}:")), "") if _decides(key) else ""
        chosen = decider.partition(":")[2] or value
        if key in known and f"{known[key].sign}:{chosen}" in named:
            doubt = results.contract.questionable.get(key)
            said.append(known[key].says(chosen) + (f" (questionable: {doubt})" if doubt else ""))
    text = "; ".join(dict.fromkeys(said))
    return f"{text[:1].upper()}{text[1:]}"
