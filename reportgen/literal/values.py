"""Every value of an evaluation: metrics × systems × subsets × scopes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reportgen.domain.contract import Contract
from reportgen.domain.record import result_id
from reportgen.domain.run import Run
from reportgen.literal.answers import Answer
from reportgen.literal.arithmetic import Number, mean
from reportgen.literal.measure import ALL, POSITIVES, Measure
from reportgen.literal.measures import measures


def evaluate(run: Run, contract: Contract) -> dict[str, float | None]:
    """Result id ``metric|system|subset|scope`` to value, None where the metric is undefined.

    Scopes are ``pooled`` and, where the run has several folds, ``fold=<id>`` and ``fold_mean``, which quantiles
    lack. Subsets are those of each metric's family; on labels only the contract's ``primary`` metrics. A metric whose
    component a system lacks is absent. Raises ValueError for a convention without a literal formula.
    """
    exact = evaluate_exactly(run, contract)
    return {key: None if value is None else float(value) for key, value in exact.items()}


def evaluate_exactly(run: Run, contract: Contract) -> dict[str, Number | None]:
    """The same as :func:`evaluate`, with a fraction wherever the value is rational."""
    return examine(run, contract)[0]


def examine(run: Run, contract: Contract) -> tuple[dict[str, Number | None], dict[tuple[str, str, str], Number | None]]:
    """The values of :func:`evaluate_exactly`, and those of single queries as in :func:`per_query`."""
    values: dict[str, Number | None] = {}
    single: dict[tuple[str, str, str], Number | None] = {}
    for system in run.systems:
        answers, found = measures(run, system, contract)
        for measure in found:
            single |= {(measure.id, system.id, query): value for query, value in measure.per_query.items()}
            for subset, protocol, rows in _subsets(run, measure, answers, contract):
                for scope, value in _scopes(run, measure, rows, protocol):
                    values[result_id(measure.id, system.id, subset, scope)] = value
    return values, single


def per_query(run: Run, contract: Contract) -> dict[tuple[str, str, str], float | None]:
    """(metric id, system id, query id) to the query's own value, for every metric that is a mean over queries.

    None where the metric is undefined for the query, whatever a protocol puts in its place when it averages.
    """
    return {
        (measure.id, system.id, query): None if value is None else float(value)
        for system in run.systems
        for measure in measures(run, system, contract)[1]
        for query, value in measure.per_query.items()
    }


def _subsets(
    run: Run, measure: Measure, answers: Sequence[Answer], contract: Contract
) -> Iterator[tuple[str, str, Sequence[Answer]]]:
    """(subset id, protocol, its answers) of everything the metric is reported on."""
    for protocol in measure.protocols:
        yield protocol, protocol, _under(protocol, answers)
    # All queries of a single label are all queries.
    if measure.label_protocol is None or measure.id not in contract.primary or len(run.labels) < 2:
        return
    for label in run.labels:
        rows = [answer for answer in answers if answer.label == label.id]
        suffix = f"/{POSITIVES}" if measure.label_protocol == POSITIVES else ""
        yield f"label={label.id}{suffix}", measure.label_protocol, _under(measure.label_protocol, rows)


def _under(protocol: str, answers: Sequence[Answer]) -> Sequence[Answer]:
    return answers if protocol == ALL else [answer for answer in answers if answer.y == 1]


def _scopes(run: Run, measure: Measure, rows: Sequence[Answer], protocol: str) -> Iterator[tuple[str, Number | None]]:
    """(scope, value): the rows of all folds together, each fold alone, and the unweighted mean of the folds."""
    yield "pooled", _value(measure, rows, protocol)
    if len(run.folds) < 2:
        return
    by_fold = []
    for index, fold in enumerate(run.folds):
        by_fold.append(_value(measure, [row for row in rows if row.fold == index], protocol))
        yield f"fold={fold}", by_fold[-1]
    if measure.fold_mean:
        yield "fold_mean", mean(by_fold)


def _value(measure: Measure, rows: Sequence[Answer], protocol: str) -> Number | None:
    return measure.statistic(rows, protocol) if rows else None
