"""Headline values that are worse now: by a paired test where both sides have values per query, else by the interval.

Each headline and primary metric of the first side's contract is looked at, of each of its systems, on the population
that it is shown on first. The paired test exchanges the two versions of a system's values cluster by cluster, as the
comparison of two systems does; the AUROC has DeLong's test of its scores. All tests are adjusted together after Holm.
A value that is gone, or that is another quantity now, counts as worse: nothing shows that it is not.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reportgen import numbers
from reportgen.diff.changes import other_quantity
from reportgen.domain.record import Estimate, Results
from reportgen.domain.run import FloatArray
from reportgen.stats.multiplicity import adjusted
from reportgen.stats.paired import PairedTest, paired_delong
from reportgen.stats.permutation import Permuted, Swaps

How: TypeAlias = Literal["test", "interval", "value"]
"""What judged a change: a paired test, the first value's interval, or without either the printed value."""

_SAME_MEAN = 1e-9
"""Values per query whose mean is this close to the recorded value are those that it is the mean of."""
_SLACK = 1e-12
_SAME, _NEVER = "the value is the same", "there is no value on either side"


@dataclass(frozen=True, slots=True)
class Judgement:
    """One headline value before and after."""

    id: str
    """The id of the result."""
    metric: str
    """The metric's name."""
    system: str
    """The system's label."""
    before: str
    """As printed, with its interval."""
    after: str
    printed: str
    """The change at the decimals of the value; empty where there is none."""
    how: How
    worse: bool
    why: str
    """What judged it and what that shows, as the rest of a sentence."""

    @property
    def changed(self) -> bool:
        """Tell whether the value is another one now."""
        return self.why not in (_SAME, _NEVER)


@dataclass(frozen=True, slots=True)
class _Tested:
    """A judgement whose test waits for its adjustment."""

    judgement: Judgement
    test: PairedTest
    falls: bool


def judgements(
    a: Results, b: Results, values_a: bytes | None = None, values_b: bytes | None = None
) -> tuple[Judgement, ...]:
    """Return every headline value of ``a`` with its judgement, in the order of systems and metrics.

    ``values_a``, ``values_b``: the per_query.parquet of either side, where it has one.
    """
    sides = _paired_values(values_a, values_b)
    found = [_judged(a, b, record, sides) for record in _headline(a)]
    tests = [one for one in found if isinstance(one, _Tested)]
    p = iter(adjusted([one.test.p for one in tests], "holm"))
    return tuple(_decided(one, next(p), a, len(tests)) if isinstance(one, _Tested) else one for one in found)


def _headline(results: Results) -> Iterator[Estimate]:
    for system in results.systems:
        for metric in dict.fromkeys((*results.contract.headline, *results.contract.primary)):
            subset = results.home_subset(metric)
            record = results.headline(metric, system.id, subset) if subset else None
            if record is not None and results.metric_by_id[metric].direction != "none":
                yield record


def _judged(
    a: Results, b: Results, one: Estimate, sides: Mapping[str, tuple[pa.Table, pa.Table]]
) -> Judgement | _Tested:
    metric = a.metric_by_id[one.metric].name
    start = Judgement(one.id, metric, a.system_by_id[one.system].label, _printed(one), "—", "", "value", False, "")
    other = b.by_id.get(one.id)
    if one.value is None:
        has = other is not None and other.value is not None
        return replace(start, after=_printed(other) if other else "—", why="it had no value before" if has else _NEVER)
    if other is None or other.value is None:
        return replace(start, worse=True, why="it has no value now")
    change = other.value - one.value
    start = replace(start, after=_printed(other), printed=numbers.fixed(change, one.display.decimals, signed=True))
    if other_quantity(a.signatures[one.signature], b.signatures[other.signature]):
        return replace(start, worse=True, why="its conventions changed, so it is another quantity now")
    falls = change < 0 if a.metric_by_id[one.metric].direction == "higher" else change > 0
    if change == 0:
        return replace(start, why=_SAME)
    test = _test(a, one, other, sides[one.system]) if one.system in sides else None
    if test is not None:
        return _Tested(replace(start, how="test"), test, falls)
    return _by_interval(start, one, other.value, falls)


def _by_interval(start: Judgement, one: Estimate, value: float, falls: bool) -> Judgement:
    if not one.bounds:
        return replace(start, worse=falls, why="without an interval any change counts")
    outside = not one.bounds[0] <= value <= one.bounds[1]
    place = "outside" if outside else "inside"
    return replace(start, how="interval", worse=outside and falls, why=f"{place} the interval of the value before")


def _decided(one: _Tested, p: float, results: Results, n_tests: int) -> Judgement:
    shown = p <= 1 - _level(results)
    adjustment = f", adjusted for {n_tests} tests" if n_tests > 1 else ""
    printed = numbers.p_value(p)
    sign = "" if printed.startswith("<") else "= "
    why = f"p {sign}{printed}{adjustment} ({one.test.name})"
    return replace(one.judgement, worse=shown and one.falls, why=why)


def _level(results: Results) -> float:
    return float(results.contract.conventions.get("interval_level", 0.95))


def _paired_values(a: bytes | None, b: bytes | None) -> Mapping[str, tuple[pa.Table, pa.Table]]:
    """Return the values per query of each system that both sides have on the same queries, in one order."""
    if a is None or b is None:
        return {}
    keys = ("query", "cluster", "fold", "y_true")
    try:
        before, after = (_by_system(pq.read_table(io.BytesIO(side))) for side in (a, b))
        return {
            system: (before[system], after[system])
            for system in before.keys() & after.keys()
            if all(before[system].column(key).equals(after[system].column(key)) for key in keys)
        }
    except (pa.ArrowException, LookupError, TypeError):  # a file that somebody changed: verify says so, here is no pair
        return {}


def _by_system(table: pa.Table) -> dict[str, pa.Table]:
    systems = table.column("system").to_pylist()
    rows: dict[str, list[int]] = {}
    for at, system in enumerate(systems):
        rows.setdefault(system, []).append(at)
    found = {system: table.take(at).sort_by("query") for system, at in rows.items()}
    return {system: one for system, one in found.items() if len(set(one.column("query").to_pylist())) == len(one)}


def _test(a: Results, one: Estimate, other: Estimate, sides: tuple[pa.Table, pa.Table]) -> PairedTest | None:
    """Return the test of a change; None where the values per query are not those that the value is made from."""
    before, after = sides
    cluster = np.unique(before.column("cluster").to_pylist(), return_inverse=True)[1]
    if one.metric == "auroc" and "y_prob" in before.column_names and "y_prob" in after.column_names:
        y, p, q = (_floats(t, name) for t, name in ((before, "y_true"), (before, "y_prob"), (after, "y_prob")))
        known = ~(np.isnan(y) | np.isnan(p) | np.isnan(q))
        found = paired_delong(y[known], q[known], p[known], cluster[known])
        return found if isinstance(found, PairedTest) else None
    values = tuple(_of_queries(side, one.metric) for side in sides)
    if values[0] is None or values[1] is None:
        return None
    pair = values[0], values[1]
    weights = _weights(before, pair, one, other)
    return None if weights is None else _permutation(weights, pair, cluster, a)


def _of_queries(table: pa.Table, metric: str) -> FloatArray | None:
    """Return the values of a metric per query; None where the table lacks one."""
    if metric == "brier":
        return (_floats(table, "y_prob") - _floats(table, "y_true")) ** 2
    return _floats(table, metric) if metric in table.column_names else None


def _floats(table: pa.Table, name: str) -> FloatArray:
    return np.array(
        [float(cell) if isinstance(cell, int | float) else math.nan for cell in table.column(name).to_pylist()]
    )


def _weights(table: pa.Table, values: Sequence[FloatArray], one: Estimate, other: Estimate) -> FloatArray | None:
    """Return the weight of each query in the mean, under which both sides give their recorded values; None without."""
    fold = np.unique(table.column("fold").to_pylist(), return_inverse=True)[1]
    positive = _floats(table, "y_true") == 1
    for population in (np.full(len(table), True), positive):
        used = population & ~np.isnan(values[0]) & ~np.isnan(values[1])
        if not used.any():
            continue
        size = np.bincount(fold[used], minlength=fold.max() + 1) if one.aggregation == "fold_mean" else None
        of_query: FloatArray = used / used.sum() if size is None else used / size[fold].clip(1) / np.count_nonzero(size)
        means = [math.fsum(of_query[used] * value[used]) for value in values]
        if all(abs(mean - (made.value or 0.0)) <= _SAME_MEAN for mean, made in zip(means, (one, other), strict=True)):
            return of_query
    return None


def _permutation(
    weights: FloatArray, values: Sequence[FloatArray], cluster: np.ndarray, results: Results
) -> PairedTest:
    """Return the test that exchanges the two versions within clusters: the sign of each cluster's difference flips."""
    used = weights > 0
    of_cluster = np.bincount(cluster[used], weights=weights[used] * (values[1] - values[0])[used])
    of_cluster = of_cluster[np.unique(cluster[used])]
    settings = results.contract.conventions
    resamples, seed = int(settings.get("resamples", 0)) or 10_000, int(settings.get("seed", 0))
    swaps = Swaps(np.zeros(len(of_cluster), dtype=np.int64), resamples, seed)
    signed = [(1.0 - 2.0 * swaps.block(rows).counts) @ of_cluster for rows in swaps.spans()]
    p = Permuted(np.concatenate(signed), _SLACK).p
    name = f"permutation within {results.units.cluster.many}"
    return PairedTest(f"exact {name}" if swaps.is_exact else name, None, p)


def _printed(record: Estimate) -> str:
    return f"{record.display.value} {record.display.interval}".strip()
