"""Every value of an evaluation by the formulas of the reference implementation.

The registry says which metrics a contract asks for, what each needs and which formula it has; the contract says on
which populations. What a system has and what it decides is read anew (:mod:`reportgen.reference`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reportgen.domain.contract import Contract
from reportgen.domain.record import result_id
from reportgen.domain.run import Run, System
from reportgen.metrics.registry import Instance, instances
from reportgen.reference.answers import Answer
from reportgen.reference.arithmetic import Number, mean
from reportgen.reference.rows import USES, MeanOfQueries, Question, Recompute, SystemReading

Values: TypeAlias = dict[str, Number | None]


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The values of a run by the reference implementation, exact where they are rational; None is undefined."""

    values: Values
    """Result id ``metric|system|subset|aggregation`` to value, the last ``pooled``, ``fold=<id>`` or ``fold_mean``."""
    of_queries: Values
    """``metric|system|query`` to the query's own value, of every metric that is a mean over queries."""


def recompute(run: Run, contract: Contract) -> Recomputed:
    """Compute every value of a run under a contract; a metric whose component a system lacks is absent.

    Raises ValueError for a convention without a reference formula.
    """
    found = Recomputed({}, {})
    asked = instances(contract)
    for system in run.systems:
        reading = SystemReading.of(run, system, contract)
        for item in asked:
            if (asked_of := _question(run, system, reading, item, contract)) is not None:
                _answer(run, system, item, *asked_of, found)
    return found


def _question(
    run: Run, system: System, reading: SystemReading, item: Instance, contract: Contract
) -> tuple[Recompute, Question] | None:
    """Return how a metric comes from a system's answers or from values that the run supplies; None if neither can."""
    entry = item.metric
    needs = {*entry.needs, *(("threshold",) if item.id.parameter == "tune" else ())}
    if reading.unsourced & {*needs, *entry.conventions}:
        return None
    how = entry.recompute
    if needs <= reading.components:
        if not set(USES) & set(entry.conventions) <= set(reading.decide):
            return None
    else:
        if (column := system.supplied.get(str(item.id))) is None:
            return None
        supplied = dict(zip(run.queries.ids, column.tolist(), strict=True))
        # A query without a value is left out.
        how = MeanOfQueries(lambda value: None if math.isnan(value) else value, lambda one, _: supplied[one.query])
    return how, Question(item.id, how.formula, entry.conventions, contract, reading)


def _answer(run: Run, system: System, item: Instance, how: Recompute, question: Question, found: Recomputed) -> None:
    """Put the values of one metric of one system to the others."""
    metric, answers = str(item.id), question.reading.answers
    if isinstance(how, MeanOfQueries) and how.counts is None:
        found.of_queries.update({f"{metric}|{system.id}|{one.query}": how.of_query(one, question) for one in answers})
    for subset, population, rows in _subsets(run, item, question):
        of_folds = []
        for fold, name in enumerate(run.folds if len(run.folds) > 1 else ()):
            of_folds.append(_value(how, [one for one in rows if one.fold == fold], question, population))
            found.values[result_id(metric, system.id, subset, f"fold={name}")] = of_folds[-1]
        found.values[result_id(metric, system.id, subset, "pooled")] = _value(how, rows, question, population)
        if of_folds and "fold_mean" in item.metric.aggregations:
            found.values[result_id(metric, system.id, subset, "fold_mean")] = mean(of_folds)


def _value(how: Recompute, rows: Sequence[Answer], question: Question, population: str) -> Number | None:
    return how.value(rows, question, population) if rows else None


def _subsets(run: Run, item: Instance, question: Question) -> Iterator[tuple[str, str, Sequence[Answer]]]:
    """Yield (subset id, population, its answers) of everything a metric is reported on."""
    contract, answers = question.contract, question.reading.answers
    populations = contract.populations[item.metric.family]
    for population in populations:
        yield population, population, _of_population(population, answers)
        for one in run.info.label_sets:
            members = {index for index, label in enumerate(run.labels) if label.id in one.labels}
            rows = [answer for answer in answers if answer.label in members]
            yield f"labels={one.id}{_suffix(population)}", population, _of_population(population, rows)
    # All queries of a single label are all queries.
    if not item.metric.per_label or str(item.id) not in contract.primary or len(run.labels) < 2:
        return
    population = populations[0]
    for index, label in enumerate(run.labels):
        rows = [answer for answer in answers if answer.label == index]
        yield f"label={label.id}{_suffix(population)}", population, _of_population(population, rows)


def _suffix(population: str) -> str:
    return f"/{population}" if population == "positives_only" else ""


def _of_population(population: str, answers: Sequence[Answer]) -> Sequence[Answer]:
    return answers if population == "all_queries" else [answer for answer in answers if answer.y == 1]
