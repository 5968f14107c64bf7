"""Every value of an evaluation by the formulas of the reference implementation, and by programs of other authors.

The registry says which metrics a contract asks for, what each needs, which formula and which peer it has; the contract
says on which populations. What a system has and what it decides is read anew (:mod:`reportgen.reference`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from inspect import signature
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.record import result_id
from reportgen.domain.run import Run, System
from reportgen.metrics.registry import MACRO, Instance, fill, instances, without_value
from reportgen.metrics.subgroups import of_groups
from reportgen.peers import Program, QueriesPeer, RowsPeer, Uncompared, trec_eval, version_of
from reportgen.reference.answers import Answer
from reportgen.reference.arithmetic import Number, mean
from reportgen.reference.rows import USES, MeanOfLabels, MeanOfQueries, Question, Recompute, SystemReading, weighed

Values: TypeAlias = dict[str, Number | None]
PeerValues: TypeAlias = dict[str, Number | Uncompared | None]
NO_PEER = Uncompared("no other program has the metric")
SUPPLIED = Uncompared("supplied by the run")
LABEL_BY_FOLD = Uncompared("single folds of a label: left out, to save time")
OF_SETS = Uncompared("the other program has no values of single queries")


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The values of a run by the reference implementation, exact where they are rational; None is undefined."""

    values: Values
    """Result id ``metric|system|subset|aggregation`` to value, the last ``pooled``, ``fold=<id>`` or ``fold_mean``."""
    of_queries: Values
    """``metric|system|query`` to the query's own value, of every metric that is a mean over queries."""
    by_peers: PeerValues = field(default_factory=dict)
    """The same ids as in ``values`` to the value of the metric's peer, or to why there is none."""
    of_queries_by_peers: PeerValues = field(default_factory=dict)
    """The same ids as in ``of_queries``."""


def recompute(run: Run, contract: Contract) -> Recomputed:
    """Compute every value of a run under a contract; a metric whose component a system lacks is absent.

    The values are those of each training of a system, and of each repeat of a cross-validation.

    Raises ValueError for a convention without a reference formula.
    """
    found = Recomputed({}, {})
    asked = instances(contract)
    for part, system in ((one, system) for one in run.parts for system in one.systems):
        reading = SystemReading.of(part, system, contract)
        questions = [
            (item, *asked_of)
            for item in asked
            if (asked_of := _question(part, system, reading, item, contract)) is not None
        ]
        peers = _Peers.of(reading, contract, [item for item, _, _ in questions])
        for item, how, question in questions:
            _answer(part, system, item, how, question, peers.second(item, how, question), found)
    return found


def mean_of(values: Iterable[Number | Uncompared | None]) -> Number | Uncompared | None:
    """Return the mean of the defined values; why one of them cannot be compared, if there is such a one."""
    known: list[Number | None] = []
    for value in values:
        if isinstance(value, Uncompared):
            return value
        known.append(value)
    return mean(known)


def _question(
    run: Run, system: System, reading: SystemReading, item: Instance, contract: Contract
) -> tuple[Recompute, Question] | None:
    """Return how a metric comes from a system's answers or from values that the run supplies; None if neither can."""
    entry = item.metric
    needs = set(item.needs)
    if run.queries.weight is not None and not entry.has_weighted_form:
        return None
    if reading.unsourced & {*needs, *entry.conventions} or without_value(entry, item.id, reading.classes):
        return None
    how = entry.recompute
    if needs <= reading.components:
        if not set(USES) & set(entry.conventions) <= set(reading.decide):
            return None
    else:
        name = str(item.id) if entry.declared is None else entry.declared.id
        if (column := system.supplied.get(name)) is None:
            return None
        supplied = dict(zip(run.queries.ids, column.tolist(), strict=True))
        # A query without a value is left out.
        how = MeanOfQueries(lambda value: None if math.isnan(value) else value, lambda one, _: supplied[one.query])
        if entry.variant == MACRO:
            how = MeanOfLabels(how)
    return how, Question(item.id, how.formula, entry.conventions, contract, reading)


Second: TypeAlias = Callable[[Sequence[Answer], str], "Number | Uncompared | None"]
"""Some answers and their population to the value of a peer."""


@dataclass(frozen=True, slots=True)
class PeerAnswers:
    """What a peer says of one metric of one system."""

    value: Second
    of_query: Callable[[str], Number | Uncompared | None]
    in_folds_of_labels: bool = True
    """False where each call takes so long that the single folds of single labels are left out."""


@dataclass(frozen=True, slots=True)
class _Peers:
    """The peers of the metrics of one system."""

    lacking: Mapping[Program, Uncompared]
    """Program that is not installed to that reason."""
    measured: Mapping[str, Mapping[str, float | None]] | Uncompared
    """Measure of trec_eval to query to value."""

    @classmethod
    def of(cls, reading: SystemReading, contract: Contract, asked: Sequence[Instance]) -> _Peers:
        """Ask trec_eval for all measures at once."""
        peers = {item.id: item.metric.peer for item in asked}
        programs = sorted({peer.program for peer in peers.values() if peer is not None})
        lacking = {name: Uncompared(f"{name} is not installed") for name in programs if version_of(name) is None}
        measures = {
            fill(peer.measure, metric_id)
            for metric_id, peer in peers.items()
            if isinstance(peer, QueriesPeer) and peer.program not in lacking and peer.applies(contract) is None
        }
        return cls(lacking, trec_eval.values(reading.answers, measures) if measures else {})

    def second(self, item: Instance, how: Recompute, question: Question) -> PeerAnswers:
        """Return what the peer of a metric says, or why it says nothing."""
        peer = item.metric.peer
        if peer is None:
            return _silent(NO_PEER)
        if how is not item.metric.recompute:
            return _silent(SUPPLIED)
        reason = self.lacking.get(peer.program) or peer.applies(question.contract)
        if reason is not None:
            return _silent(reason)
        if isinstance(peer, RowsPeer):
            return _of_rows(peer, replace(question, formula=peer.formula))
        if isinstance(self.measured, Uncompared):
            return _silent(self.measured)
        values = _within(self.measured[fill(peer.measure, item.id)], item.id.number if peer.cut else math.inf)
        again = replace(question, of_queries=dict(values))
        return PeerAnswers(lambda rows, population: how.value(rows, again, population), values.__getitem__)


def _silent(reason: Uncompared) -> PeerAnswers:
    return PeerAnswers(lambda rows, population: reason, lambda query: reason)


def _of_rows(peer: RowsPeer, question: Question) -> PeerAnswers:
    def value(rows: Sequence[Answer], population: str) -> Number | Uncompared | None:
        read = weighed(peer.read, rows, question) if rows else None
        if read is None or isinstance(read[0], Uncompared):
            return None if read is None else read[0]
        taken, weights = read
        if weights is not None and "weights" not in signature(peer.formula).parameters:
            return Uncompared(f"weights: {peer.program} is not asked")
        try:
            return question.told(taken) if weights is None else question.told(taken, weights=weights)
        except ValueError as error:
            return Uncompared(f"{peer.program} does not define it for these rows: {error}")

    return PeerAnswers(value, lambda query: OF_SETS, in_folds_of_labels=False)


def _within(values: Mapping[str, float | None], k: float) -> Mapping[str, float | None]:
    """Return reciprocal ranks, 0 where the rank is beyond k."""
    return {query: 0.0 if value and round(1 / value) > k else value for query, value in values.items()}


def _answer(
    run: Run, system: System, item: Instance, how: Recompute, question: Question, peer: PeerAnswers, found: Recomputed
) -> None:
    """Put the values of one metric of one system to the others."""
    metric, answers = str(item.id), question.reading.answers
    if isinstance(how, MeanOfQueries) and how.counts is None:
        for one in answers:
            key = f"{metric}|{system.id}|{one.query}"
            found.of_queries[key] = how.of_query(one, question)
            found.of_queries_by_peers[key] = peer.of_query(one.query)
    for subset, population, rows in _subsets(run, item, question):
        of_folds: list[Number | None] = []
        of_folds_by_peer: list[Number | Uncompared | None] = []
        for fold, name in enumerate(run.folds if len(run.folds) > 1 else ()):
            members = [one for one in rows if one.fold == fold]
            key = result_id(metric, system.id, subset, f"fold={name}")
            of_folds.append(_value(how, members, question, population))
            asked = peer.in_folds_of_labels or not subset.startswith("label=")
            of_folds_by_peer.append(peer.value(members, population) if asked else LABEL_BY_FOLD)
            found.values[key], found.by_peers[key] = of_folds[-1], of_folds_by_peer[-1]
        key = result_id(metric, system.id, subset, "pooled")
        found.values[key] = _value(how, rows, question, population)
        found.by_peers[key] = peer.value(rows, population)
        if of_folds and "fold_mean" in item.metric.aggregations:
            key = result_id(metric, system.id, subset, "fold_mean")
            found.values[key], found.by_peers[key] = mean(of_folds), mean_of(of_folds_by_peer)


def _value(how: Recompute, rows: Sequence[Answer], question: Question, population: str) -> Number | None:
    return how.value(rows, question, population) if rows else None


def _subsets(run: Run, item: Instance, question: Question) -> Iterator[tuple[str, str, Sequence[Answer]]]:
    """Yield (subset id, population, its answers) of everything a metric is reported on."""
    contract, answers = question.contract, question.reading.answers
    populations = contract.populations[item.metric.family]
    for population in populations:
        yield population, population, _of_population(population, answers)
        if item.metric.of_rows:  # a row's classes are judged together
            continue
        for one in run.info.label_sets:
            members = {index for index, label in enumerate(run.labels) if label.id in one.labels}
            rows = [answer for answer in answers if answer.label in members]
            yield f"labels={one.id}{_suffix(population)}", population, _of_population(population, rows)
    yield from _of_groups(run, item, question)
    # All queries of a single label are all queries.
    if not item.metric.per_label or str(item.id) not in contract.primary or len(run.labels) < 2:
        return
    population = populations[0]
    for index, label in enumerate(run.labels):
        rows = [answer for answer in answers if answer.label == index]
        yield f"label={label.id}{_suffix(population)}", population, _of_population(population, rows)


def _of_groups(run: Run, item: Instance, question: Question) -> Iterator[tuple[str, str, Sequence[Answer]]]:
    """Yield (subset id, population, its answers) of every group of queries; on one population, as labels are."""
    contract, answers, metric = question.contract, question.reading.answers, str(item.id)
    if not (metric in of_groups(run) or (item.metric.per_label and metric in contract.primary)):
        return
    population, place = contract.populations[item.metric.family][0], {id: n for n, id in enumerate(run.queries.ids)}
    for grouping, codes in zip(run.groupings, run.queries.groups, strict=True):
        for index, group in enumerate(grouping.groups):
            rows = [answer for answer in answers if codes[place[answer.query]] == index]
            subset = f"{grouping.id}={group.id}{_suffix(population)}"
            yield subset, population, _of_population(population, rows)


def _suffix(population: str) -> str:
    return "" if population == "all_queries" else f"/{population}"


def _of_population(population: str, answers: Sequence[Answer]) -> Sequence[Answer]:
    return [answer for answer in answers if answer.y == 1] if population == "positives_only" else answers
