"""One run under several contracts: how far the numbers depend on conventions.

:func:`readings` gives the headline metrics under the contracts that a run names, for its report;
:func:`compare_contracts` every metric as each of some contracts reports it first. Nothing is resampled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from msgspec import structs

from reportgen import numbers
from reportgen.contracts import load_contract
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Estimate, Reading, Results
from reportgen.domain.run import Run
from reportgen.evaluation.evaluate import evaluate
from reportgen.metrics.registry import SUPPLIED_FAMILY, known
from reportgen.workers import Workers

SAME = 1e-12
"""Answers that differ by no more are the same."""
_ON_ROC = "roc_"
"""What the name of an operating point begins with that is read off the ROC curve of the evaluation set itself."""


def readings(run: Run, results: Results, contract: Contract, workers: Workers | None = None) -> tuple[Reading, ...]:
    """Return each headline metric under every contract that the run names, in the order of the headline.

    The values are of the same queries as those of ``results``, at the cut-offs, budgets and threshold probabilities of
    ``contract``, with the aggregation over folds that the other contract shows first. A metric that the other contract
    does not define, or not on these queries, is left out.
    """
    found: dict[tuple[object, ...], Reading] = {}
    for other in (load_contract(id) for id in run.info.contracts if id != contract.id):
        for reading in _under(run, results, contract, other, workers):
            key = (reading.metric, reading.read_as, reading.name, reading.aggregation, reading.values)
            titles = (*found[key].contracts, other.title) if key in found else (other.title,)
            found[key] = structs.replace(reading, contracts=titles)
    headline = {metric: order for order, metric in enumerate(contract.headline)}
    return tuple(sorted(found.values(), key=lambda reading: headline[reading.metric]))


def _under(
    run: Run, results: Results, contract: Contract, other: Contract, workers: Workers | None
) -> Iterator[Reading]:
    """Yield the readings under one other contract."""
    shown = {
        metric: (read_as, subset)
        for metric in contract.headline
        if (subset := results.home_subset(metric)) is not None and (read_as := counterpart(metric, other)) is not None
    }
    wanted = tuple(dict.fromkeys(read_as for read_as, _ in shown.values()))
    if not wanted:
        return
    asked = replace(
        other,
        metrics=wanted,
        headline=wanted,
        primary=(),
        targets=(),
        fpr_budgets=contract.fpr_budgets,
        threshold_probabilities=contract.threshold_probabilities,
    )
    under = _quick(run, asked, workers)
    for metric, (read_as, subset) in shown.items():
        records = [under.headline(read_as, system.id, subset) for system in under.systems]
        estimates = [record for record in records if record is not None]
        if any(estimate.value is not None for estimate in estimates):
            population = under.subset_by_id[subset]
            yield Reading(
                metric=metric,
                read_as=read_as,
                name=under.metric_by_id[read_as].name,
                contracts=(other.title,),
                subset=population.population,
                n_queries=population.n_queries,
                aggregation="fold_mean" if estimates[0].aggregation == "fold_mean" else "pooled",
                values=tuple(estimate.value for estimate in estimates),
                display=tuple(estimate.display.value for estimate in estimates),
            )


def counterpart(metric: str, other: Contract) -> str | None:
    """Return the metric itself where the contract defines it, else the one it headlines under the same name.

    Metrics of one family read the same scores: an AUROC over candidates is not a counterpart of one over queries.
    """
    wanted = MetricId.parse(metric)
    if other.asks_for(wanted):
        return metric
    for text in other.headline:
        id = MetricId.parse(text)
        same_name = id.name.removeprefix(_ON_ROC) == wanted.name.removeprefix(_ON_ROC)
        # At another cut-off or budget it would be another quantity; a threshold is a convention.
        same_place = id.kind != wanted.kind or id.kind == "threshold" or id.parameter == wanted.parameter
        if same_name and same_place and _family(id) == _family(wanted):
            return text
    return None


def _family(metric: MetricId) -> str:
    entry = known(metric)
    return SUPPLIED_FAMILY if entry is None else entry.family


def _quick(run: Run, contract: Contract, workers: Workers | None = None) -> Results:
    """Return the results of a run under a contract without resampling."""
    without = replace(contract, conventions={**contract.conventions, "resamples": 0})
    return evaluate(run, without, command="contract compare", workers=workers).results


@dataclass(frozen=True, slots=True)
class ContractAnswer:
    """One metric of one system as one contract reports it first."""

    contract: str
    value: float | None
    display: str
    subset: str
    aggregation: str
    sd: str
    questionable: tuple[str, ...]
    """Why conventions behind it are questionable."""


@dataclass(frozen=True, slots=True)
class ContractRow:
    """One metric of one system under every contract that defines it."""

    metric: str
    system: str
    answers: tuple[ContractAnswer, ...]

    @property
    def spread(self) -> float:
        """Return the largest minus the smallest answer; infinite where only some contracts leave it undefined."""
        values = [answer.value for answer in self.answers if answer.value is not None]
        if not values:
            return 0.0
        return max(values) - min(values) if len(values) == len(self.answers) else float("inf")

    @property
    def same_values(self) -> bool:
        """Tell whether the values are the same, whatever their spreads over folds."""
        return self.spread <= SAME

    @property
    def differs(self) -> bool:
        """Tell whether contracts that define the metric give different answers, spreads over folds included."""
        return not self.same_values or len({answer.sd for answer in self.answers}) > 1


def compare_contracts(run: Run, contracts: Sequence[Contract]) -> tuple[ContractRow, ...]:
    """Return every metric and system of the run under each contract, in the order of the registry."""
    found: dict[tuple[str, str], list[ContractAnswer]] = {}
    order: dict[str, int] = {}
    for contract in contracts:
        results = _quick(run, contract)
        for metric in results.metrics:
            subset = results.home_subset(metric.id)
            for system in results.systems:
                estimate = results.headline(metric.id, system.id, subset) if subset else None
                if estimate is not None and estimate.status != "not_applicable":
                    order.setdefault(metric.id, len(order))
                    answer = _answer(contract, results, estimate)
                    found.setdefault((metric.id, system.id), []).append(answer)
    systems = {system.id: index for index, system in enumerate(run.systems)}
    keys = sorted(found, key=lambda key: (order[key[0]], systems[key[1]]))
    return tuple(ContractRow(metric, system, tuple(found[metric, system])) for metric, system in keys)


def _answer(contract: Contract, results: Results, estimate: Estimate) -> ContractAnswer:
    """Return what a contract reports of a metric of a system, with two decimals more than are printed elsewhere."""
    spread = results.find(estimate.metric, estimate.system, estimate.subset, "fold_mean") or estimate
    decimals, ends = estimate.display.decimals + 2, results.metric_by_id[estimate.metric].range
    return ContractAnswer(
        contract=contract.id,
        value=estimate.value,
        display=numbers.UNDEFINED if estimate.value is None else numbers.within(estimate.value, decimals, ends),
        subset=estimate.subset,
        aggregation=estimate.aggregation,
        sd=next(
            (numbers.within(one.value, decimals, numbers.NOT_NEGATIVE) for one in spread.sd if one.over == "fold"), ""
        ),
        questionable=estimate.notes,
    )
