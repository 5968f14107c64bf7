"""Comparisons: pairs of systems become records with difference, interval, verdict, and in the family with tests."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from reportgen import numbers
from reportgen.domain.record import (
    Comparison,
    ComparisonDisplay,
    EffectSize,
    Interval,
    TestRecord,
    Verdict,
    comparison_id,
)
from reportgen.evaluation.difference import PairedDifference, difference_of
from reportgen.evaluation.difference_tests import TestsOfDifference, tests_of, tests_of_best
from reportgen.evaluation.family import Family, Member
from reportgen.evaluation.intervals import (
    INSTEAD_OF_BCA,
    RECENTRED,
    UNMOVED,
    WITHOUT_ERROR,
    WITHOUT_RESAMPLE,
    WITHOUT_WIDTH,
    fell_back,
    is_distance,
    linearized_interval,
    undefined_resamples,
)
from reportgen.evaluation.plan import Plan
from reportgen.evaluation.systems import SystemRecords
from reportgen.metrics.statistics import NotResampled
from reportgen.stats import paired
from reportgen.stats.intervals import bootstrap_interval, recentred_interval
from reportgen.stats.permutation import untested_since
from reportgen.stats.values import MetricValues
from reportgen.wording.comparisons import (
    SHOWN,
    ComparedPair,
    amount,
    comparison_sentence,
    relative_change,
    unit_of_difference,
    verdict_of,
)
from reportgen.wording.values import THRESHOLDS, basis

_SEVERAL = {
    "trainings": "The difference is of means over training seeds, and so is its test, in which a {cluster} exchanges "
    "the outputs of all trainings at once. Both are about these trainings: how much others would differ is not in "
    "them.",
    "repeats": "The difference is of means over the repeats of the cross-validation, and so is its test, in which a "
    "{cluster} exchanges the outputs of all repeats at once: repeats are the same data, not new data. How much models "
    "of other training data would differ is in the corrected t test over folds alone.",
}
_MEANS_OVER = {"trainings": "training seeds", "repeats": "repeats"}
"""What a value is a mean over, where it has several parts."""


def comparisons(plan: Plan, systems: Sequence[SystemRecords], threads: int) -> tuple[Comparison, ...]:
    """Return the records of a plan's family, metric by metric, pairs in the family's order; then the two best of each.

    The two best systems of a metric are compared outside the family where it does not compare them.

    The queries are the same by construction: readers refuse systems with different query sets.
    """
    family = plan.family
    found = [
        difference_of(plan.context, member, pair, plan.systems, systems)
        for member in family.members
        for pair in family.pairs
    ]
    for difference in sorted(found, key=lambda one: (one.b, one.a)):
        _ = difference.of_rows  # pair by pair, since the rankings of few systems are kept
    tests = tests_of(plan.context, family, found, threads)
    best = [
        difference_of(plan.context, member, pair, plan.systems, systems)
        for member in family.members
        for pair in _best_two(member, family, systems)
    ]
    of_best = tests_of_best(plan.context, best, math.comb(len(systems), 2), threads)
    return (
        *(_record(*one, in_family=True) for one in zip(found, tests, strict=True)),
        *(_record(*one, in_family=False) for one in zip(best, of_best, strict=True)),
    )


def differences(plan: Plan, systems: Sequence[SystemRecords]) -> tuple[Comparison, ...]:
    """Return the differences from the baseline on the headline metrics outside the family: with intervals, untested."""
    family = plan.family
    return tuple(
        _record(difference_of(plan.context, member, pair, plan.systems, systems), TestsOfDifference(), in_family=False)
        for member in family.described
        for pair in family.from_baseline
    )


def _best_two(member: Member, family: Family, systems: Sequence[SystemRecords]) -> Iterator[tuple[int, int]]:
    """Yield the best system on a metric and the second best, where the family does not compare them."""
    direction = member.item.metric.direction
    if direction == "none" or not family.pairs:
        return
    values = [records.compared[member.key] for records in systems]
    points = {
        index: float(one.by_aggregation[member.aggregation][0])
        for index, one in enumerate(values)
        if isinstance(one, MetricValues)
    }
    defined = [index for index, point in points.items() if not math.isnan(point)]
    best = sorted(defined, key=lambda index: points[index], reverse=direction == "higher")[:2]
    if len(best) == 2 and frozenset(best) not in map(frozenset, family.pairs):
        yield best[0], best[1]


def _record(difference: PairedDifference, tests: TestsOfDifference, *, in_family: bool) -> Comparison:
    member, metric = difference.member, difference.member.item.metric
    a, b = (difference.context.run.systems[index] for index in (difference.a, difference.b))
    shown = tests.made[0] if tests.made else None
    rows = difference.of_rows
    record = None if rows is None else paired.record_of(rows, metric.direction)
    effect = None if rows is None else paired.effect_size(rows, *_pairs_of(difference))
    detectable, intervals = _detectable(difference, shown), _intervals(difference)
    display = _display(difference, intervals, shown, effect, detectable)
    verdict = _verdict(difference, shown)
    metric_id, subset, aggregation = str(member.item.id), member.subset.record.id, member.aggregation
    return Comparison(
        id=comparison_id(metric_id, a.id, b.id, subset, aggregation),
        metric=metric_id,
        subset=subset,
        aggregation=aggregation,
        system_a=a.id,
        system_b=b.id,
        difference=difference.value,
        relative=None if difference.points is None else relative_change(*difference.points),
        reason=difference.reason,
        intervals=intervals,
        tests=tests.made,
        effect_size=effect,
        smallest_detectable=detectable,
        wins=record.wins if record else None,
        ties=record.ties if record else None,
        losses=record.losses if record else None,
        verdict=verdict,
        interpretation=comparison_sentence(
            verdict,
            _compared(difference, (a.label, b.label)),
            difference.value,
            difference.reason,
            display=display,
            interval=intervals[0] if intervals else None,
            level=difference.context.level,
            test=shown,
            of_interval=_of_interval(difference, intervals),
        ),
        notes=(
            *_chosen(shown, chosen=member.tested and not in_family),
            *_notes(difference, intervals, shown, verdict),
            *_not_over_folds(difference, tests, verdict),
        ),
        display=display,
        in_family=in_family,
        n=difference.n,
        untested=tests.untested,
    )


def _chosen(shown: TestRecord | None, *, chosen: bool) -> tuple[str, ...]:
    """Say of a pair that the values chose what its p is adjusted for."""
    if not chosen:
        return ()
    adjusted = f", so p is adjusted for all {shown.family_size:,} pairs of systems" if shown else ""
    says = "The two best systems on this metric, which the family does not compare: their values chose the pair"
    return (f"{says}{adjusted}.",)


def _compared(difference: PairedDifference, labels: tuple[str, str]) -> ComparedPair:
    """Return the words of a comparison on the queries of which both systems have a value."""
    member, run = difference.member, difference.context.run
    n = difference.n or member.subset.counts(run, None)
    on = basis(member.subset.record, n, run.units, truth=run.info.states_truth)
    over = f" (mean over {_MEANS_OVER[difference.several]})" if difference.several else ""
    metric = member.item.metric
    return ComparedPair(difference.context.title(member.item) + over, *labels, on, metric.unit, metric.decimals)


def _apart(difference: PairedDifference) -> tuple[str, ...]:
    """Say that the two values rest on different queries or folds, since one can have a value for one system alone."""
    if difference.pair is None or difference.points is None:
        return ()
    run, of_both = difference.context.run, difference.pair.values
    has_value = [~np.isnan(values.folds) for values in of_both]
    if difference.member.aggregation == "fold_mean" and bool((has_value[0] != has_value[1]).any()):
        of = [
            f"that of {run.systems[index].label} of {int(has.sum())}"
            for index, has in zip((difference.a, difference.b), has_value, strict=True)
        ]
        return (
            f"The two means are not over the same folds: {' and '.join(of)} of {len(run.folds)}, in which it has a "
            "value. Part of the difference may come from that.",
        )
    known = next((values.left_out for values in of_both if values.left_out is not None), None)
    if known is None:
        return ()
    masks = [np.zeros_like(known) if values.left_out is None else values.left_out for values in of_both]
    if bool((masks[0] == masks[1]).all()):
        return ()
    of = [
        f"{run.units.query.count(int((~mask).sum()))} of {run.systems[index].label}"
        for index, mask in zip((difference.a, difference.b), masks, strict=True)
    ]
    both = run.units.query.count(int((~masks[0] & ~masks[1]).sum()))
    return (
        f"The two values do not rest on the same {run.units.query.many}, since not each has a value: {' and '.join(of)}"
        f" do, {both} of both. Part of the difference may come from that.{_on_common(difference)}",
    )


def _on_common(difference: PairedDifference) -> str:
    """Return what the difference is on the queries on which both systems have a value; empty where none is known."""
    metric, found = difference.member.item.metric, difference.on_common
    if found is None:
        return ""
    printed = amount(found, metric.unit, metric.decimals, signed=True)
    unit = unit_of_difference(metric.unit)
    return f" On the {difference.context.run.units.query.many} of both it is {printed}{f' {unit}' if unit else ''}."


def _of_interval(difference: PairedDifference, intervals: tuple[Interval, ...]) -> str:
    """Return what is said after the interval that is shown."""
    if not intervals:
        return ""
    shown, linearized = intervals[0], intervals[0].method_used == "linearized"
    threshold = difference.context.settings.table[shown.settings].threshold
    return (", linearized" if linearized else "") + THRESHOLDS[threshold]


def _of_thresholds(difference: PairedDifference, intervals: tuple[Interval, ...], verdict: Verdict) -> tuple[str, ...]:
    """Say that a difference is shown with the thresholds kept, and not where they are chosen again."""
    resampled = [one for one in intervals if difference.context.settings.table[one.settings].threshold == "resampled"]
    if verdict not in SHOWN or not any(one.lower <= 0 <= one.upper for one in resampled):
        return ()
    metric, one = difference.member.item.metric, resampled[0]
    bounds = [amount(bound, metric.unit, metric.decimals) for bound in (one.lower, one.upper)]
    return (
        "The difference is shown for these thresholds alone: with thresholds chosen again on each resample of TUNE the "
        f"interval, {' to '.join(bounds)}, holds 0.",
    )


def _not_over_folds(difference: PairedDifference, tests: TestsOfDifference, verdict: Verdict) -> tuple[str, ...]:
    """Say that a difference is shown for these models, and not where the folds' training data count, too."""
    over_folds = next((test for test in tests.made[1:] if test.name == paired.CORRECTED_REPEATED_T), None)
    if verdict not in SHOWN or over_folds is None or over_folds.p_adjusted <= _alpha(difference):
        return ()
    return (
        "The difference is shown for the models of these repeats alone: the corrected t test over folds, which counts "
        f"how much models of other training data differ, has p = {numbers.p_value(over_folds.p_adjusted)}.",
    )


def _pairs_of(difference: PairedDifference) -> tuple[Literal["query", "cluster"], str]:
    """Return what the pairs of an effect size are, and the run's word for it, in plural."""
    units, unit = difference.context.run.units, difference.member.item.metric.statistic.unit
    over: Literal["query", "cluster"] = "cluster" if unit == "cluster" else "query"
    noun = units.cluster.many if over == "cluster" else (units.row if unit == "row" else units.query).many
    return over, f"{noun} (means over {_MEANS_OVER[difference.several]})" if difference.several else noun


def _alpha(difference: PairedDifference) -> float:
    """Return 1 - level, without the last bits that the subtraction adds."""
    return round(1 - difference.context.level, 12)


def _verdict(difference: PairedDifference, shown: TestRecord | None) -> Verdict:
    if difference.absent is not None:
        return "not_applicable"
    direction = difference.member.item.metric.direction
    return verdict_of(difference.value, direction, shown, _alpha(difference))


def _intervals(difference: PairedDifference) -> tuple[Interval, ...]:
    """Return the paired interval; for operating points with the threshold chosen again, then with it fixed."""
    if difference.influence is not None and difference.value is not None:
        found = linearized_interval(difference.context, difference.value, difference.influence.errors, (None, None))
        return () if found is None else (found,)
    fixed, resampled = difference.resampled(), difference.resampled(threshold_too=True)
    if fixed is None:
        return ()
    index, level = difference.context.settings.index, difference.context.level
    # Two distances are not biased equally by resampling, unless they are equal.
    interval = recentred_interval if is_distance(difference.member.item) else bootstrap_interval
    drawn = [interval(fixed, level, index("bootstrap" if resampled is None else "fixed"))]
    if resampled is not None:
        drawn.insert(0, bootstrap_interval(resampled, level, index("resampled")))
    return tuple(interval for interval in drawn if interval is not None)


def _detectable(difference: PairedDifference, shown: TestRecord | None) -> float | None:
    if shown is None or _least_possible(shown) > _alpha(difference):
        return None
    size = 1 if shown.adjustment == "none" else shown.family_size
    return paired.smallest_detectable(difference.error, difference.context.level, size)


def _least_possible(test: TestRecord) -> float:
    """Return the smallest adjusted p value that a permutation test could have given; 0 for other tests.

    Of m that are all as small Holm makes m times as much; Benjamini-Hochberg leaves them as they are.
    """
    return test.least_p * test.family_size if test.adjustment in ("holm", "bonferroni") else test.least_p


def _display(
    difference: PairedDifference,
    intervals: tuple[Interval, ...],
    shown: TestRecord | None,
    effect: EffectSize | None,
    detectable: float | None,
) -> ComparisonDisplay:
    metric = difference.member.item.metric
    unit, decimals = metric.unit, metric.decimals
    if difference.value is None:
        sign = numbers.NOT_APPLICABLE if difference.absent else numbers.UNDEFINED
        return ComparisonDisplay(
            unit="", difference=sign, interval="", relative="", p="", p_adjusted="", effect_size="",
            smallest_detectable="",
        )  # fmt: skip
    bounds = [amount(bound, unit, decimals) for one in intervals[:1] for bound in (one.lower, one.upper)]
    relative = relative_change(*difference.points) if difference.points else None
    return ComparisonDisplay(
        unit=unit_of_difference(unit),
        difference=amount(difference.value, unit, decimals, signed=True),
        interval=f"[{', '.join(bounds)}]" if bounds else "",
        relative="" if relative is None else numbers.percent(relative, 2, signed=True),
        p=numbers.p_value(shown.p) if shown else "",
        p_adjusted=numbers.p_value(shown.p_adjusted) if shown else "",
        effect_size=numbers.fixed(effect.value, 2, signed=True) if effect else "",
        smallest_detectable="" if detectable is None else amount(detectable, unit, decimals),
    )


def _untested_since(difference: PairedDifference) -> str:
    """Return why a difference that has a value has no test, as the end of a sentence."""
    item = difference.member.item
    if isinstance(item.metric.statistic, NotResampled):
        return WITHOUT_ERROR
    return untested_since(item) or "no resamples were asked for"


def _notes(
    difference: PairedDifference, intervals: tuple[Interval, ...], shown: TestRecord | None, verdict: Verdict
) -> tuple[str, ...]:
    """Say what the two values rest on, what is odd about the interval and the test, and what thresholds can undo."""
    of_test = _notes_of_test(difference, intervals, shown)
    return (*_apart(difference), *of_test, *_of_thresholds(difference, intervals, verdict))


def _notes_of_test(
    difference: PairedDifference, intervals: tuple[Interval, ...], shown: TestRecord | None
) -> tuple[str, ...]:
    """Say what is compared, where the test is missing, and where interval and test point apart."""
    if difference.value is None:
        return ()
    units = difference.context.run.units
    notes = [_SEVERAL[difference.several].format(cluster=units.cluster.one)] if difference.several and shown else []
    resamples = difference.context.contract.integer("resamples")
    notes += undefined_resamples(intervals, resamples, difference.with_fewer_folds)
    if not intervals and resamples and not isinstance(difference.member.item.metric.statistic, NotResampled):
        notes.append(WITHOUT_RESAMPLE)
    elif intervals and intervals[0].degenerate:
        notes.append(UNMOVED if intervals[0].method_used == "linearized" else WITHOUT_WIDTH)
    elif intervals and fell_back(difference.context, intervals[0]):
        notes.append(INSTEAD_OF_BCA)
    elif intervals and intervals[0].method_used == "recentred" and not is_distance(difference.member.item):
        notes.append(RECENTRED)
    if not difference.member.tested:
        return tuple(notes)
    if shown is None:
        return (*notes, f"Not tested: {_untested_since(difference)}.")
    if (least := _least_possible(shown)) > _alpha(difference):
        few = units.cluster.many if shown.seed is None else "resamples"
        floor = numbers.p_value(min(least, 1.0))
        notes.append(f"Too few {few} to show any difference: no adjusted p below {floor} is possible.")
    elif intervals and not intervals[0].degenerate:
        # The test keeps thresholds as they are.
        table = difference.context.settings.table
        kept = next((one for one in intervals if table[one.settings].threshold == "fixed"), intervals[0])
        holds_zero = kept.lower <= 0 <= kept.upper
        if holds_zero == (shown.p <= _alpha(difference)):
            says = "holds 0" if holds_zero else "does not hold 0"
            notes.append(
                f"The interval {says} although the unadjusted p is {numbers.p_value(shown.p)}: the difference is near "
                "the limit of what these data can show."
            )
    return tuple(notes)
