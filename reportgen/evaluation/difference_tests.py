"""The tests of a family of differences, and their adjustment for each other.

Every difference that can be is tested by permutation within clusters; run.toml may name further tests, each made where
it fits the metric and the data, or recorded with why it is not. Tests of one name are adjusted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import numpy as np

from reportgen.domain.record import Adjustment, TestRecord, UntestedRecord
from reportgen.domain.run import FloatArray
from reportgen.evaluation.context import Context
from reportgen.evaluation.difference import PairedDifference, SystemPair
from reportgen.evaluation.family import Family
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Area
from reportgen.metrics.totals import Mean
from reportgen.stats import paired
from reportgen.stats.multiplicity import adjusted, max_t
from reportgen.stats.paired import NoTest, PairedTest
from reportgen.stats.permutation import Permuted, Side, Swaps, can_be_permuted, permute, row_contributions

_SHOWN = "shown"
"""The test that a verdict rests on: the permutation, or for a fit that no exchange makes again Wald's."""
_CLASSICAL = "reportgen.stats.classical"
"""Loaded by name: it brings scipy.stats, which takes longer to load than most runs to compare."""


@dataclass(frozen=True, slots=True)
class TestsOfDifference:
    """The tests of a difference, that of its verdict first, and those that were asked for and cannot be made."""

    __test__ = False  # no tests for pytest

    made: tuple[TestRecord, ...] = ()
    untested: tuple[UntestedRecord, ...] = ()


def tests_of(
    context: Context, family: Family, differences: Sequence[PairedDifference], threads: int
) -> list[TestsOfDifference]:
    """Return the tests of each difference; none where it has no value or no test fits."""
    permuted = _permuted(context, differences, threads)
    found: list[dict[str, PairedTest]] = []
    untested = []
    for at, difference in enumerate(differences):
        shown = _permutation(difference, permuted[at]) if at in permuted else _wald(difference)
        named = _by_name(family, difference)
        made = {test: one for test, one in named.items() if isinstance(one, PairedTest)}
        found.append(({} if shown is None else {_SHOWN: shown}) | made)
        untested.append(tuple(UntestedRecord(test, one.why) for test, one in named.items() if isinstance(one, NoTest)))
    records: list[dict[str, TestRecord]] = [{} for _ in differences]
    metrics = tuple(str(member.item.id) for member in family.members)
    for test in dict.fromkeys(test for tests in found for test in tests):
        members = [at for at, tests in enumerate(found) if test in tests]
        joint = [permuted[at] for at in members if at in permuted] if test == _SHOWN else []
        method, p = _adjusted(family.adjustment, [found[at][test].p for at in members], joint)
        for at, p_adjusted in zip(members, p, strict=True):
            records[at][test] = _record(found[at][test], p_adjusted, method, metrics, len(members))
    return [
        TestsOfDifference(tuple(tests.values()), not_made) for tests, not_made in zip(records, untested, strict=True)
    ]


def tests_of_best(
    context: Context, differences: Sequence[PairedDifference], n_pairs: int, threads: int
) -> list[TestsOfDifference]:
    """Return the test of the two best systems of a metric each, adjusted for all pairs that could have been the two.

    Bonferroni's adjustment holds whatever chose the pair. ``n_pairs``: pairs of systems.
    """
    permuted, found = _permuted(context, differences, threads), []
    for at, difference in enumerate(differences):
        shown = _permutation(difference, permuted[at]) if at in permuted else _wald(difference)
        metric = (str(difference.member.item.id),)
        made = () if shown is None else (_record(shown, min(n_pairs * shown.p, 1.0), "bonferroni", metric, n_pairs),)
        found.append(TestsOfDifference(made))
    return found


def _record(
    test: PairedTest, p_adjusted: float, method: Adjustment, family: tuple[str, ...], family_size: int
) -> TestRecord:
    return TestRecord(
        name=test.name,
        statistic=test.statistic,
        p=test.p,
        p_adjusted=p_adjusted,
        adjustment=method,
        family=family,
        family_size=family_size,
        alternative="two-sided",
        resamples=test.resamples,
        seed=test.seed,
    )


def _adjusted(method: Adjustment, p: Sequence[float], joint: Sequence[Permuted]) -> tuple[Adjustment, list[float]]:
    """Return the method that was used, and the adjusted p values.

    Only permutations have a joint distribution; under ``max_t`` others are adjusted after Holm, and say so.
    So is a family of both, all of it, since the two adjustments do not add up.
    """
    if method != "max_t":
        return method, adjusted(p, method)
    if len(joint) < len(p):
        return "holm", adjusted(p, "holm")
    return method, max_t([one.differences for one in joint], [one.slack for one in joint])


def _permuted(context: Context, differences: Sequence[PairedDifference], threads: int) -> dict[int, Permuted]:
    """Return the permutations of the differences that have them; all meet the same exchanges: joint draws."""
    run, contract = context.run, context.contract
    swaps = _swaps(context)
    if len(swaps) < 2:
        return {}
    groups: dict[tuple[int, int, str], list[int]] = {}
    for at, one in enumerate(differences):
        if one.points is not None and can_be_permuted(one.member.item):
            groups.setdefault((one.a, one.b, one.member.subset.record.id), []).append(at)
    found = {}
    for group in groups.values():
        pair = differences[group[0]].pair
        if pair is not None:
            wanted = [(differences[at].member.item, differences[at].member.aggregation) for at in group]
            by_metric = permute(*pair.sides, wanted, swaps, run.folds_of_repeat, contract, threads)
            for at in group:
                metric_id = differences[at].member.item.id
                if metric_id in by_metric:
                    found[at] = by_metric[metric_id]
    return found


def _swaps(context: Context) -> Swaps:
    contract = context.contract
    return Swaps(context.run.cluster_fold, contract.integer("resamples"), contract.integer("seed"))


def _permutation(difference: PairedDifference, permuted: Permuted) -> PairedTest:
    swaps, within = _swaps(difference.context), f"permutation within {difference.context.run.units.cluster.many}"
    if difference.several:
        within += f", all {difference.several} together"
    if swaps.is_exact:
        return PairedTest(f"exact {within}", None, permuted.p, len(swaps))
    return PairedTest(within, None, permuted.p, swaps.resamples, swaps.seed)


def _wald(difference: PairedDifference) -> PairedTest | None:
    """Return Wald's test of the difference of two fits."""
    influence, value, contract = difference.influence, difference.value, difference.context.contract
    if influence is None or value is None:
        return None
    unit, units = contract.text("interval_unit"), difference.context.run.units
    over = units.cluster.many if unit == "cluster" else units.query.many
    return paired.wald(value, influence.errors.error(unit), influence.errors.degrees(unit), over)


def _by_name(family: Family, difference: PairedDifference) -> dict[str, PairedTest | NoTest]:
    """Return the tests that run.toml names, McNemar's beside an accuracy, and the corrected t of a repeated
    cross-validation, each made or with why it is not.
    """
    pair, frame = difference.pair, difference.frame
    if pair is None or frame is None or difference.points is None:
        return {}
    beside = ("mcnemar",) if difference.member.item.metric.is_accuracy and pair.single is not None else ()
    of_folds = ("corrected_t",) if difference.context.run.repeats else ()
    wanted = dict.fromkeys((*of_folds, *family.tests, *beside))
    found = {test: _corrected_t(difference, pair) for test in wanted if test == "corrected_t"}
    if difference.is_weighted:
        once = NoTest(f"it takes each {difference.context.run.units.query.one} once, and they are weighted")
        return {test: found.get(test, once) for test in wanted}
    return {test: found.get(test) or _named(test, difference, pair, frame) for test in wanted}


def _named(test: str, difference: PairedDifference, pair: SystemPair, frame: Frame) -> PairedTest | NoTest:
    """Return a test by its name in run.toml."""
    if test in ("paired_t", "wilcoxon"):
        if difference.of_rows is None:
            return NoTest("the metric is not a mean of values that single rows have")
        means = import_module(_CLASSICAL).cluster_means(difference.of_rows, frame.cluster)
        return _classical(test, means)
    if pair.single is None:
        why = (
            "the cross-validation was repeated"
            if difference.several == "repeats"
            else "a system was trained several times"
        )
        return NoTest(f"it compares two outputs for each query, and {why}")
    if test in ("delong", "delong_independent"):
        return _delong(test, difference.member.item, pair.single)
    if not difference.member.item.metric.is_accuracy:
        return NoTest("it compares accuracies, the shares of right decisions")
    right = [_right(side, difference) for side in pair.single]
    return _classical(test, *right, *((frame.cluster,) if test == "mcnemar_clustered" else ()))


def _classical(name: str, *arguments: Any) -> PairedTest | NoTest:
    return cast("PairedTest | NoTest", getattr(import_module(_CLASSICAL), name)(*arguments))


def _corrected_t(difference: PairedDifference, pair: SystemPair) -> PairedTest | NoTest:
    """Return the corrected t test of the paired differences of folds, of all repeats where there are several."""
    context = difference.context
    if difference.several == "trainings":  # a mean over seeds varies less than it assumes
        return NoTest("it is for one training per fold, and a system was trained several times")
    if "fold_mean" not in context.aggregations(difference.member.item):
        return NoTest("it compares values of folds, and the metric has no such values")
    first, second = (values.folds for values in pair.values)
    return paired.corrected_t(first - second, context.test_to_train, len(context.run.repeats))


def _delong(test: str, item: Instance, sides: tuple[Side, Side]) -> PairedTest | NoTest:
    """Return DeLong's test of the pooled AUROCs, beside an AUROC under any aggregation; its name says so."""
    statistic = item.metric.statistic
    if not isinstance(statistic, Area) or not statistic.over_pairs:
        return NoTest("it compares AUROCs")
    first, second = (side.subset[statistic.unit] for side in sides)
    return paired.paired_delong(first["y"], first["p"], second["p"], first.cluster if test == "delong" else None)


def _right(side: Side, difference: PairedDifference) -> FloatArray:
    """Return (n,) 1 where a decision equals the truth."""
    contributions = row_contributions(side, difference.member.item, difference.context.contract)
    return np.asarray((contributions.hits() if isinstance(contributions, Mean) else contributions.accuracy()).numerator)
