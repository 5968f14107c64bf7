"""The headline metrics as the other shipped contracts report them: how far the numbers depend on conventions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec import structs

from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reading, Reason, Results
from reportgen.domain.run import Run
from reportgen.evaluation.estimates import Context
from reportgen.evaluation.facts import metric_name
from reportgen.evaluation.plans import system_values
from reportgen.evaluation.refusals import refusal
from reportgen.evaluation.subsets import subsets_of
from reportgen.metrics.frames import prepare
from reportgen.metrics.registry import instances
from reportgen.metrics.weights import draws_of
from reportgen.numbers import NOT_APPLICABLE, UNDEFINED, fixed
from reportgen.stats.intervals import interval_settings
from reportgen.stats.values import MetricValues

_ON_ROC = "roc_"
"""What the name of an operating point begins with that is read off the ROC curve of the evaluation set itself."""


def readings(run: Run, results: Results, contract: Contract) -> tuple[Reading, ...]:
    """Each headline metric under every other shipped contract that defines it, or one of its name, in their order.

    A contract answers on the queries and with the aggregation over folds that it reports first, at the cut-offs and
    budgets of ``contract``; nothing is resampled. What it does not define is left out.
    """
    found: dict[tuple[Any, ...], Reading] = {}
    for other in (load_contract(id) for id in contract_ids() if id != contract.id):
        for reading in _under(run, results, contract, other):
            key = (reading.metric, reading.read_as, reading.name, reading.subset, reading.scope, reading.values)
            titles = (*found[key].contracts, other.title) if key in found else (other.title,)
            found[key] = structs.replace(reading, contracts=titles)
    headline = {metric: order for order, metric in enumerate(contract.headline)}
    return tuple(sorted(found.values(), key=lambda reading: headline[reading.metric]))


def _under(run: Run, results: Results, contract: Contract, other: Contract) -> Iterator[Reading]:
    read_as = {
        metric: id
        for metric in contract.headline
        if metric in results.metric_by_id and (id := _counterpart(metric, other)) is not None
    }
    wanted = tuple(dict.fromkeys(read_as.values()))
    if not wanted:
        return
    quick = replace(
        other,
        conventions={**other.conventions, "resamples": 0},
        metrics=wanted,
        headline=wanted,
        primary=(),
        targets=(),
        threshold_probabilities=(),
        cutoffs=contract.cutoffs,
        fpr_budgets=contract.fpr_budgets,
        populations=_first_populations(run, other),
    )
    found = _readings(run, quick, other.title)
    for metric, id in read_as.items():
        if id in found:
            yield structs.replace(found[id], metric=metric)


def _first_populations(run: Run, contract: Contract) -> dict[str, tuple[str, ...]]:
    """The population on which a contract reports each family of metrics first, of those that the run has."""
    some = bool((run.queries.y_true == 1).any())
    return {
        family: tuple(name for name in protocols if some or name != "positives_only")[:1]
        for family, protocols in contract.populations.items()
    }


def _readings(run: Run, contract: Contract, title: str) -> dict[str, Reading]:
    """Metric to its reading under a contract that asks for little, where some system has a value."""
    frames = tuple(prepare(run, system, contract) for system in run.systems)
    context = Context(run, contract, interval_settings(contract))
    asked = tuple(
        item for item in instances(contract) if any(refusal(context, system, item) is None for system in frames)
    )
    subsets, draws = subsets_of(run, contract, asked), draws_of(run, contract)
    outcomes = [system_values(context, system, subsets, draws, errors=False).outcomes for system in frames]
    shown = contract.text("headline_scope")
    found = {}
    for subset in subsets:
        for item in subset.wanted:
            scope = shown if shown in context.scopes(item) else "pooled"
            values = [_value(of_system[subset.record.id, item.id], scope) for of_system in outcomes]
            if any(value is not None and not math.isnan(value) for value in values):
                found[str(item.id)] = Reading(
                    metric=str(item.id),
                    read_as=str(item.id),
                    name=metric_name(item, contract),
                    contracts=(title,),
                    subset=subset.record.protocol,
                    n_queries=subset.record.n_queries,
                    scope="fold_mean" if scope == "fold_mean" else "pooled",
                    values=tuple(None if value is None or math.isnan(value) else value for value in values),
                    display=tuple(_printed(value, item.metric.decimals) for value in values),
                )
    return found


def _value(outcome: MetricValues | Reason, scope: str) -> float | None:
    """The value itself, NaN where it is undefined; None where the system cannot have one."""
    return float(outcome.scopes[scope][0]) + 0.0 if isinstance(outcome, MetricValues) else None


def _printed(value: float | None, decimals: int) -> str:
    if value is None:
        return NOT_APPLICABLE
    return UNDEFINED if math.isnan(value) else fixed(value, decimals)


def _counterpart(metric: str, other: Contract) -> str | None:
    """The metric itself where the contract defines it, else the one it headlines under the same name."""
    wanted = MetricId.parse(metric)
    if other.asks_for(wanted):
        return metric
    for text in other.headline:
        id = MetricId.parse(text)
        same_name = id.name.removeprefix(_ON_ROC) == wanted.name.removeprefix(_ON_ROC)
        # At another cut-off or budget it would be another quantity; a threshold is a convention.
        if same_name and (id.kind != wanted.kind or id.kind == "threshold" or id.parameter == wanted.parameter):
            return text
    return None
