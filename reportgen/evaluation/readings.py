"""The headline metrics as the other shipped contracts report them: how far the numbers depend on conventions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from msgspec import structs

from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Estimate, Reading, Results
from reportgen.domain.run import Run
from reportgen.evaluation.evaluate import evaluate
from reportgen.numbers import NOT_APPLICABLE

_ON_ROC = "roc_"
"""What the name of an operating point begins with that is read off the ROC curve of the evaluation set itself."""


def readings(run: Run, results: Results, contract: Contract) -> tuple[Reading, ...]:
    """Each headline metric under every other shipped contract that defines it, or one of its name, in their order.

    A contract answers on the queries and with the aggregation over folds that it reports first, at the cut-offs and
    budgets of ``contract``; nothing is resampled. What it does not define is left out.
    """
    # What the run declares for comparisons is left aside: not every contract computes it, and none is made.
    run = replace(run, info=replace(run.info, family=()))
    found: dict[tuple[Any, ...], Reading] = {}
    for other in (load_contract(id) for id in contract_ids() if id != contract.id):
        for reading in _under(run, results, contract, other):
            key = (reading.metric, reading.read_as, reading.name, reading.subset, reading.scope, reading.values)
            titles = (*found[key].contracts, other.title) if key in found else (other.title,)
            found[key] = structs.replace(reading, contracts=titles)
    headline = {metric: order for order, metric in enumerate(contract.headline)}
    return tuple(sorted(found.values(), key=lambda reading: headline[reading.metric]))


def _under(run: Run, results: Results, contract: Contract, other: Contract) -> Iterator[Reading]:
    read_as = {metric: id for metric in contract.headline if (id := _counterpart(metric, other)) is not None}
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
    )
    found = evaluate(run, quick, command="readings").results
    for metric, id in read_as.items():
        subset = found.home_subset(id)
        if metric in results.metric_by_id and subset in ("all_queries", "positives_only"):
            estimates = [found.headline(id, system.id, subset) for system in results.systems]
            valued = [estimate for estimate in estimates if estimate is not None and estimate.value is not None]
            if valued:
                yield _reading(found, metric, id, valued[0], estimates, other.title)


def _reading(
    found: Results, metric: str, id: str, first: Estimate, estimates: list[Estimate | None], title: str
) -> Reading:
    return Reading(
        metric=metric,
        read_as=id,
        name=found.metric_by_id[id].name,
        contracts=(title,),
        subset="positives_only" if first.subset == "positives_only" else "all_queries",
        n_queries=found.subset_by_id[first.subset].n_queries,
        scope="fold_mean" if first.scope == "fold_mean" else "pooled",
        values=tuple(estimate.value if estimate else None for estimate in estimates),
        display=tuple(estimate.display.value if estimate else NOT_APPLICABLE for estimate in estimates),
    )


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
