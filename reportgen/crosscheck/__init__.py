"""The independent cross-check: every value of an evaluation against the reference implementation, and against the
programs of other authors that have the metric.

Every metric, system, subset, aggregation and fold is compared, and every query's own value where a metric has one.
Values may differ by 1e-9, or by 1e-12 where both are sums of rational terms. Above :data:`LARGE` queries, or
:data:`ROWS` rows, a sample of whole clusters is compared instead, evaluated anew by all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from itertools import compress
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np

from reportgen.crosscheck.recompute import mean_of, recompute
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Results, result_id
from reportgen.domain.run import BoolArray, Candidates, Queries, Run, System
from reportgen.errors import Diagnostic
from reportgen.evaluation import Evaluation, evaluate
from reportgen.evaluation.partitions import gathered
from reportgen.metrics.registry import instances, known
from reportgen.metrics.subgroups import contract_of
from reportgen.peers import Program, Uncompared, version_of
from reportgen.reference.arithmetic import Number, mean
from reportgen.workers import Processes, Workers

LARGE = 5000
"""Queries above which a sample is compared, unless all are asked for."""
ROWS = 1_000_000
"""Rows above which it is: a row is a query of one system, or a document that the system ranks for it.

A sample of 300 systems took some 45 s of processor time.
"""
TOLERANCE = 1e-9
RATIONAL_TOLERANCE = 1e-12
CODE = "RG260"

OURS = "the second implementation"

Extent: TypeAlias = Literal["sample", "all", "none"]
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One value on which two programs do not agree; None is undefined (or absent)."""

    where: str
    """``metric|system|subset|aggregation``, or ``metric|system|query`` of a single query."""
    fast: float | None
    reference: float | None
    by: str = OURS
    """Whose value ``reference`` is: the second implementation, or a program and its version."""

    def __str__(self) -> str:
        return f"{self.where}: {self.fast!r} against {self.reference!r} by {self.by}"


@dataclass(frozen=True, slots=True)
class PeerOutcome:
    """What was compared with one program by other authors."""

    program: str
    """Name and version."""
    values: int
    per_query: int
    largest: float
    """Largest absolute difference of two defined values."""


@dataclass(frozen=True, slots=True)
class CrosscheckOutcome:
    """The extent of a cross-check, and what it found."""

    values: int
    per_query: int
    queries: int
    sampled_from: int | None
    """Queries of the run, where only a sample was compared; else None."""
    largest: float
    """Largest absolute difference of two defined values, of all comparisons."""
    differences: tuple[Disagreement, ...]
    query_differences: tuple[Disagreement, ...]
    peers: tuple[PeerOutcome, ...] = ()
    """The programs by other authors that computed some of the values, too."""
    without_peer: Mapping[str, int] = field(default_factory=dict)
    """Why the second implementation alone computed values again, most frequent reason first, to their number."""
    per_query_without_peer: Mapping[str, int] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Return True if the implementations agree on everything that was compared."""
        return not self.differences and not self.query_differences

    @property
    def message(self) -> str:
        """Return the outcome in a sentence or two."""
        sample = f", on a sample of {self.queries:,} of {self.sampled_from:,} queries" if self.sampled_from else ""
        compared = (
            f"A second implementation, written from the formulas alone, recomputed {self.values:,} values and "
            f"{self.per_query:,} values of single queries{sample}"
        )
        others = [f"{one.program} {_numbers(one.values, one.per_query)}" for one in self.peers]
        if others:
            compared += f"; of these, {' and '.join(others)}, too"
        found = (*self.differences, *self.query_differences)
        if not found:
            return f"{compared}; all agree, the largest difference is {self.largest:.0e}."
        first = "; ".join(str(difference) for difference in found[:3])
        n = len({difference.where for difference in found})
        return f"{compared}; {n:,} of them differ: {first}{' …' if len(found) > 3 else ''}."

    def record(self) -> dict[str, Any]:
        """Return the outcome as the command prints it in JSON, where the second value is called ``literal``."""
        found = asdict(self)
        for one in (*found["differences"], *found["query_differences"]):
            one["literal"] = one.pop("reference")
        return found


def crosscheck(
    run: Run,
    contract: Contract,
    evaluation: Evaluation | None = None,
    extent: Extent = "sample",
    jobs: int = 1,
    workers: Workers | None = None,
) -> CrosscheckOutcome:
    """Compare both implementations on a run.

    Args:
        run: The run.
        contract: The conventions; resampling plays no part.
        evaluation: The fast values, where they exist already; a sample is evaluated anew.
        extent: ``all`` compares all queries of a large run too.
        jobs: How many processes to use; each takes whole systems. Changes nothing of the outcome.
        workers: Who takes the systems in place of processes of this machine.
    """
    contract = contract_of(contract, run)
    n, most = len(run.queries), most_queries(run)
    sampled = extent != "all" and n > most
    if sampled:
        run, evaluation = sample_of(run, most), None
    run = gathered(run)
    if evaluation is None:
        quick = replace(contract, conventions={**contract.conventions, "resamples": 0})
        evaluation = evaluate(run, quick, command="crosscheck")
    values, columns = _by_system(run, values_of(evaluation.results)), _columns_by_system(run, evaluation.per_query)
    tasks = [
        partial(_crosscheck_of, _alone(run, at), contract, *of_system)
        for at, of_system in enumerate(zip(values, columns, strict=True))
    ]
    with Processes(jobs) as processes:
        found = dict((workers or processes).outcomes(tasks))
    together = _together([found[at] for at in range(len(tasks))])
    return replace(together, queries=len(run.queries), sampled_from=n if sampled else None)


def _by_system(run: Run, values: Mapping[str, float | None]) -> list[dict[str, float | None]]:
    """Return the values of each system, from ids ``metric|system|…``; ``system/seed=1`` is of the system.

    What is of no system of the run is given to the first, where it is found to be of nobody.
    """
    place = _places(run)
    found: list[dict[str, float | None]] = [{} for _ in run.systems]
    for key, value in values.items():
        system_id = key.split("|", 2)[1]
        owner = system_id if system_id in place else system_id.partition("/")[0]
        found[place.get(owner, 0)][key] = value
    return found


def _columns_by_system(run: Run, columns: Mapping[str, Sequence[Any]]) -> list[dict[str, list[Any]]]:
    """Return the rows of each system, which have its id, or that of one of its trainings or repeats.

    What is of no system of the run, as in a bundle of another run, is given to the first, as values are.
    """
    place, rows = _places(run), [list[int]() for _ in run.systems]
    for row, system_id in enumerate(columns["system"]):
        rows[place.get(system_id, 0)].append(row)
    return [{name: [column[row] for row in of] for name, column in columns.items()} for of in rows]


def _places(run: Run) -> dict[str, int]:
    """Return the place of each system by its id and those of its trainings or repeats."""
    place: dict[str, int] = {}
    for at, system in enumerate(run.systems):
        parts = (*system.trainings, *(one.systems[at] for one in run.repeats))
        place |= {one.id: at for one in (system, *parts)}
    return place


def _alone(run: Run, at: int) -> Run:
    """Return a run with one of its systems."""
    repeats = tuple(_alone(one, at) for one in run.repeats)
    return replace(run, systems=run.systems[at : at + 1], repeats=repeats)


def _together(outcomes: Sequence[CrosscheckOutcome]) -> CrosscheckOutcome:
    """Return the outcome of all systems from those of each."""
    peers: dict[str, list[PeerOutcome]] = {}
    for one in (peer for outcome in outcomes for peer in outcome.peers):
        peers.setdefault(one.program, []).append(one)
    return CrosscheckOutcome(
        values=sum(one.values for one in outcomes),
        per_query=sum(one.per_query for one in outcomes),
        queries=0,
        sampled_from=None,
        largest=max(one.largest for one in outcomes),
        differences=tuple(sorted((one for outcome in outcomes for one in outcome.differences), key=_place)),
        query_differences=tuple(sorted((one for outcome in outcomes for one in outcome.query_differences), key=_place)),
        peers=tuple(
            PeerOutcome(
                program,
                sum(one.values for one in of),
                sum(one.per_query for one in of),
                max(one.largest for one in of),
            )
            for program, of in sorted(peers.items())
        ),
        without_peer=_most_first(one.without_peer for one in outcomes),
        per_query_without_peer=_most_first(one.per_query_without_peer for one in outcomes),
    )


def _place(one: Disagreement) -> tuple[bool, str, str]:
    return one.by != OURS, one.by, one.where


def _most_first(reasons: Iterable[Mapping[str, int]]) -> dict[str, int]:
    all_of: Counter[str] = Counter()
    for one in reasons:
        all_of.update(one)
    return dict(sorted(all_of.items(), key=lambda one: (-one[1], one[0])))


def _crosscheck_of(
    run: Run, contract: Contract, fast: Mapping[str, float | None], columns: Mapping[str, Sequence[Any]]
) -> CrosscheckOutcome:
    """Compare the values of a run, and those of its single queries, with all others that there are."""
    single = _single_queries(columns, contract)
    recomputed = recompute(run, contract)
    exact = _over_parts(run, recomputed.values, mean)
    differences, largest = _compare(fast, exact, OURS)
    shared = {key: recomputed.of_queries[key] for key in single if key in recomputed.of_queries}
    query_differences, largest_single = _compare({key: single[key] for key in shared}, shared, OURS)
    values = _by_program(_over_parts(run, recomputed.by_peers, mean_of))
    queries = _by_program({key: recomputed.of_queries_by_peers[key] for key in shared})
    compared = [
        _with_peer(name, (fast, values.found.get(name, {})), (single, queries.found.get(name, {})))
        for name in sorted(values.found.keys() | queries.found.keys())
    ]
    return CrosscheckOutcome(
        values=len(exact),
        per_query=len(shared),
        queries=len(run.queries),
        sampled_from=None,
        largest=max(largest, largest_single, *(peer.largest for peer, _, _ in compared)),
        differences=(*differences, *(one for _, found, _ in compared for one in found)),
        query_differences=(*query_differences, *(one for _, _, found in compared for one in found)),
        peers=tuple(peer for peer, _, _ in compared),
        without_peer=values.reasons,
        per_query_without_peer=queries.reasons,
    )


@dataclass(frozen=True, slots=True)
class _ByProgram:
    """The values that programs by other authors gave, and how often none did, by reason."""

    found: Mapping[Program, Mapping[str, Number | None]]
    reasons: Mapping[str, int]


def _by_program(values: Mapping[str, Number | Uncompared | None]) -> _ByProgram:
    found: dict[Program, dict[str, Number | None]] = {}
    reasons: Counter[str] = Counter()
    entries = {metric: known(MetricId.parse(metric)) for metric in {key.partition("|")[0] for key in values}}
    programs = {metric: entry.peer if entry else None for metric, entry in entries.items()}
    for key, value in values.items():
        peer = programs[key.partition("|")[0]]
        if isinstance(value, Uncompared):
            reasons[value.reason] += 1
        elif peer is not None:
            found.setdefault(peer.program, {})[key] = value
    return _ByProgram(found, _most_first([reasons]))


Pair: TypeAlias = "tuple[Mapping[str, float | None], Mapping[str, Number | None]]"
"""Values of the fast implementation, and those of a program for some of the ids."""


def _with_peer(
    name: Program, values: Pair, queries: Pair
) -> tuple[PeerOutcome, tuple[Disagreement, ...], tuple[Disagreement, ...]]:
    """Compare values, and values of single queries, with those of one program."""
    program = f"{name} {version_of(name)}"
    (differences, largest), (of_queries, largest_single) = (
        _compare({key: fast.get(key) for key in theirs}, theirs, program) for fast, theirs in (values, queries)
    )
    return (
        PeerOutcome(program, len(values[1]), len(queries[1]), max(largest, largest_single)),
        differences,
        of_queries,
    )


def _numbers(values: int, per_query: int) -> str:
    """Return ``recomputed 5,120 values and 2,000 of single queries``."""
    words = [f"{values:,} values"] * bool(values) + [f"{per_query:,} of single queries"] * bool(per_query)
    return f"recomputed {' and '.join(words)}"


def check_of(outcome: CrosscheckOutcome) -> Diagnostic:
    """Return the outcome as a record of the results."""
    if outcome.agrees:
        return Diagnostic(CODE, "", outcome.message, severity="note", status="passed")
    return Diagnostic(CODE, "", outcome.message)


def values_of(results: Results) -> dict[str, float | None]:
    """Return result id, ids of single folds, trainings and repeats included, to value."""
    values: dict[str, float | None] = {}
    for record in results.results:
        values[record.id] = record.value
        for fold in record.folds:
            values[result_id(record.metric, record.system, record.subset, f"fold={fold.fold}")] = fold.value
        parts = {f"seed={one.seed}": one.value for one in record.seeds}
        parts |= {f"repeat={one.repeat}": one.value for one in record.repeats}
        for part, value in parts.items():
            values[result_id(record.metric, f"{record.system}/{part}", record.subset, record.aggregation)] = value
    return values


def _over_parts(run: Run, exact: Mapping[str, V], average: Callable[[Iterable[V]], V]) -> dict[str, V]:
    """Return the exact values with those of systems of several trainings or repeats: means over the defined parts.

    Results hold the parts' values in each aggregation, but not fold by fold: trainings share their folds, and a fold of
    a repeat is one of the system.
    """
    found = dict(exact)
    for at, system in enumerate(run.systems):
        parts = {one.id: f"seed={one.seed}" for one in system.trainings}
        parts |= {one.systems[at].id: f"repeat={one.repeat}" for one in run.repeats}
        if not parts:
            continue
        # A part of which nothing can be computed counts, too: what it lacks the system lacks.
        of_part: dict[str, dict[tuple[str, ...], V]]
        of_part = {owner: {} for owner in parts}
        for key in exact:
            metric, owner, *rest = key.split("|")
            if owner in of_part:
                of_part[owner][metric, *rest] = found.pop(key)
        known = dict.fromkeys(key for values in of_part.values() for key in values)
        for place in known:
            metric, subset, aggregation = place
            values = {part: of_part[owner][place] for owner, part in parts.items() if place in of_part[owner]}
            in_one_repeat = bool(run.repeats) and aggregation.startswith("fold=")
            if len(values) < len(parts) and not in_one_repeat:
                continue
            found[result_id(metric, system.id, subset, aggregation)] = average(values.values())
            if not aggregation.startswith("fold="):
                for part, value in values.items():
                    found[result_id(metric, f"{system.id}/{part}", subset, aggregation)] = value
    return found


def _single_queries(columns: Mapping[str, Sequence[Any]], contract: Contract) -> dict[str, float | None]:
    """Return ``metric|system|query`` to the query's own value, of every metric that has a column of them."""
    metrics = [str(item.id) for item in instances(contract) if str(item.id) in columns]
    keys = list(zip(columns["system"], columns["query"], strict=True))
    return {
        f"{metric}|{system}|{query}": value
        for metric in metrics
        for (system, query), value in zip(keys, columns[metric], strict=True)
    }


def _compare(
    fast: Mapping[str, float | None], exact: Mapping[str, Number | None], by: str
) -> tuple[tuple[Disagreement, ...], float]:
    """Return every disagreement, and the largest difference of two defined values.

    A metric that does not apply is a record without value in the one, and absent in the other.
    """
    found, largest = [], 0.0
    for key in sorted(set(fast) | set(exact)):
        ours, theirs = fast.get(key), exact.get(key)
        if ours is None and theirs is None:
            continue
        if ours is None or theirs is None:
            found.append(Disagreement(key, ours, None if theirs is None else float(theirs), by))
            continue
        gap = abs(ours - float(theirs))
        tolerance = TOLERANCE if isinstance(theirs, float) else RATIONAL_TOLERANCE
        largest = max(largest, gap)
        # Values above 1 (counts, rates per 1,000, slopes) have fewer digits behind the point to agree on.
        if not gap <= tolerance * max(1.0, abs(float(theirs))):
            found.append(Disagreement(key, ours, float(theirs), by))
    return tuple(found), largest


def most_queries(run: Run) -> int:
    """Return the number of queries above which a sample of a run is compared, of all its systems."""
    listed = sum(int(ranked.n_retrieved.sum()) for ranked in run.pools.ranked.values()) if run.pools else 0
    for part in run.parts:
        listed += sum(len(system.retrieved) for system in part.systems if system.retrieved is not None)
    rows = listed + sum(len(part.queries) * len(part.systems) for part in run.parts)
    return min(LARGE, max(len(run.queries) * ROWS // max(rows, 1), 1))


def sample_of(run: Run, n_queries: int) -> Run:
    """Return the run on about ``n_queries`` of its queries: whole clusters, evenly spaced over the folds.

    Each fold keeps a cluster at least, since values of a fold without queries are partly undefined.
    """
    size = np.bincount(run.queries.cluster, minlength=len(run.clusters))
    members = np.flatnonzero(size)
    wanted = max(1, math.floor(len(members) * n_queries / len(run.queries)))
    chosen = np.zeros(len(run.clusters), dtype=bool)
    by_fold = members[np.argsort(run.cluster_fold[members], kind="stable")]
    chosen[by_fold[np.arange(wanted) * len(members) // wanted]] = True
    for part in (run, *run.repeats):
        for fold in np.setdiff1d(part.cluster_fold[members], part.cluster_fold[chosen]):
            chosen[members[part.cluster_fold[members] == fold][0]] = True
    return _restricted(run, chosen[run.queries.cluster])


def _restricted(run: Run, kept: BoolArray) -> Run:
    """Return the run on the queries of a mask; clusters, folds, labels and TUNE stay as they are."""
    run = gathered(run, kept)
    queries, candidates = run.queries, run.candidates
    inside = kept[candidates.query] if candidates is not None else None
    number = np.cumsum(kept) - 1

    def of_queries(system: System) -> System:
        changes: dict[str, Any] = {
            name: values[kept]
            for name in ("y_prob", "y_prob_raw", "predicted", "state", "selected_k")
            if (values := getattr(system, name)) is not None
        }
        if system.retrieved is not None and inside is not None:
            changes["retrieved"] = system.retrieved.within(inside)
        changes["supplied"] = {name: values[kept] for name, values in system.supplied.items()}
        changes["trainings"] = tuple(of_queries(training) for training in system.trainings)
        return replace(system, **changes)

    if candidates is not None and inside is not None:
        rows = _rows(candidates, inside)
        candidates = replace(candidates, **{**rows, "query": number[rows["query"]]})
    return replace(
        run,
        queries=replace(queries, **_rows(queries, kept), groups=tuple(of[kept] for of in queries.groups)),
        candidates=candidates,
        systems=tuple(of_queries(system) for system in run.systems),
        repeats=tuple(_restricted(one, kept) for one in run.repeats),
    )


def _rows(columns: Queries | Candidates, kept: BoolArray) -> dict[str, Any]:
    """Return every column of a table of a run on the rows of a mask; ``docs`` and ``groups`` are not columns."""
    names = [column.name for column in fields(columns) if column.name not in ("docs", "groups")]
    values = {name: getattr(columns, name) for name in names}
    return {
        name: value[kept] if isinstance(value, np.ndarray) else tuple(compress(value, kept.tolist()))
        for name, value in values.items()
        if value is not None
    }
