"""The tests of a family of differences, and their adjustment for each other.

Every difference that can be is tested by permutation within clusters; run.toml may name further tests, each made
where it fits the metric. Tests of one name are adjusted together.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import cast

import numpy as np

from reportgen.domain.record import Adjustment, TestRecord
from reportgen.domain.run import FloatArray
from reportgen.evaluation.context import Context
from reportgen.evaluation.difference import PairedDifference, SystemPair
from reportgen.evaluation.family import Family
from reportgen.metrics.statistics import Area
from reportgen.stats import paired
from reportgen.stats.multiplicity import adjusted, max_t
from reportgen.stats.paired import PairedTest
from reportgen.stats.permutation import Permuted, Side, Swaps, can_be_permuted, permute, row_contributions

_SHOWN = "shown"
"""The test that a verdict rests on: the permutation, or for a fit that no exchange makes again Wald's."""
_CLASSICAL = "reportgen.stats.classical"
"""Loaded by name: it brings scipy.stats, which takes longer to load than most runs to compare."""


def tests_of(
    context: Context, family: Family, differences: Sequence[PairedDifference], threads: int
) -> list[tuple[TestRecord, ...]]:
    """Return the tests of each difference, the one of its verdict first; none where it has no value or no test fits."""
    permuted = _permuted(context, differences, threads)
    found = []
    for at, difference in enumerate(differences):
        shown = _permutation(difference, permuted[at]) if at in permuted else _wald(difference)
        found.append(({} if shown is None else {_SHOWN: shown}) | _by_name(family, difference))
    records: list[dict[str, TestRecord]] = [{} for _ in differences]
    metrics = tuple(str(member.item.id) for member in family.members)
    for test in dict.fromkeys(test for tests in found for test in tests):
        members = [at for at, tests in enumerate(found) if test in tests]
        joint = [permuted[at] for at in members if at in permuted] if test == _SHOWN else []
        method, p = _adjusted(family.adjustment, [found[at][test].p for at in members], joint)
        for at, p_adjusted in zip(members, p, strict=True):
            one = found[at][test]
            records[at][test] = TestRecord(
                name=one.name,
                statistic=one.statistic,
                p=one.p,
                p_adjusted=p_adjusted,
                adjustment=method,
                family=metrics,
                family_size=len(members),
                alternative="two-sided",
                resamples=one.resamples,
                seed=one.seed,
            )
    return [tuple(tests.values()) for tests in records]


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
            by_metric = permute(*pair.sides, wanted, swaps, len(run.folds), contract, threads)
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
        within += ", all trainings together"
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
    return paired.wald(value, influence.error(unit), influence.strata.degrees(unit), over)


def _by_name(family: Family, difference: PairedDifference) -> dict[str, PairedTest]:
    """Return the tests that run.toml names, where they fit the metric and the data allow them."""
    pair = difference.pair
    if pair is None or difference.points is None:
        return {}
    found = {test: _named(test, difference, pair) for test in family.tests}
    return {test: one for test, one in found.items() if one is not None}


def _named(test: str, difference: PairedDifference, pair: SystemPair) -> PairedTest | None:
    """Return a test by its name in run.toml; None where it does not fit the metric, or the data do not allow it."""
    frame = difference.frame
    if frame is None:
        return None
    if test == "delong":
        return _delong(difference, pair)
    classical, arguments = import_module(_CLASSICAL), []
    if test in ("paired_t", "wilcoxon") and difference.of_rows is not None:
        arguments = [classical.cluster_means(difference.of_rows, frame.cluster)]
    elif test in ("mcnemar", "mcnemar_clustered") and pair.single is not None:
        arguments = [right for side in pair.single if (right := _right(side, difference)) is not None]
        arguments += [frame.cluster] if arguments and test == "mcnemar_clustered" else []
    found = getattr(classical, test)(*arguments) if arguments else None
    return cast("PairedTest | None", found)


def _delong(difference: PairedDifference, pair: SystemPair) -> PairedTest | None:
    """Return DeLong's test of the pooled AUROCs, beside an AUROC under any aggregation; its name says so."""
    statistic = difference.member.item.metric.statistic
    if pair.single is None or not isinstance(statistic, Area) or not statistic.over_pairs:
        return None
    frames = [side.subset[statistic.unit] for side in pair.single]
    return paired.paired_delong(frames[0]["y"], *(frame["p"] for frame in frames))


def _right(side: Side, difference: PairedDifference) -> FloatArray | None:
    """Return (n,) 1 where a decision equals the truth; None where the metric is not of one decision's confusion."""
    item = difference.member.item
    if not item.metric.rests_on_decisions:
        return None
    return np.asarray(row_contributions(side, item, difference.context.contract).accuracy().numerator)
