"""One run under several contracts: each metric as each contract reports it first, and how far the answers differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reportgen import numbers
from reportgen.domain.contract import Contract
from reportgen.domain.record import Estimate, Results
from reportgen.domain.run import Run
from reportgen.evaluation.evaluate import evaluate

SAME = 1e-12
"""Answers that differ by no more are the same."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One metric of one system as one contract reports it first."""

    contract: str
    value: float | None
    display: str
    subset: str
    scope: str
    sd: str
    questionable: tuple[str, ...]
    """Why conventions behind it are questionable."""


@dataclass(frozen=True, slots=True)
class Row:
    """One metric of one system under every contract that defines it."""

    metric: str
    system: str
    answers: tuple[Answer, ...]

    @property
    def spread(self) -> float:
        """Largest minus smallest defined answer; infinite where only some of the contracts leave it undefined."""
        values = [answer.value for answer in self.answers if answer.value is not None]
        if not values:
            return 0.0
        return max(values) - min(values) if len(values) == len(self.answers) else float("inf")

    @property
    def same_values(self) -> bool:
        """Whether the values are the same, whatever their spreads over folds."""
        return self.spread <= SAME

    @property
    def differs(self) -> bool:
        """Whether contracts that define the metric give different answers, spreads over folds included."""
        return not self.same_values or len({answer.sd for answer in self.answers}) > 1


def compare_contracts(run: Run, contracts: Sequence[Contract]) -> tuple[Row, ...]:
    """Every metric and system of the run under each contract, in the order of the registry; without resampling.

    What the run declares for comparisons of systems is left aside: not every contract computes it, and none is made.
    """
    run = replace(run, info=replace(run.info, family=()))
    found: dict[tuple[str, str], list[Answer]] = {}
    order: dict[str, int] = {}
    for contract in contracts:
        quick = replace(contract, conventions={**contract.conventions, "resamples": 0})
        results = evaluate(run, quick, command="contract compare").results
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
    return tuple(Row(metric, system, tuple(found[metric, system])) for metric, system in keys)


def _answer(contract: Contract, results: Results, estimate: Estimate) -> Answer:
    spread = results.find(estimate.metric, estimate.system, estimate.subset, "fold_mean") or estimate
    decimals = estimate.display.decimals + 2
    return Answer(
        contract=contract.id,
        value=estimate.value,
        display=numbers.UNDEFINED if estimate.value is None else numbers.fixed(estimate.value, decimals),
        subset=estimate.subset,
        scope=estimate.scope,
        sd=next((numbers.fixed(one.value, decimals) for one in spread.sd if one.over == "fold"), ""),
        questionable=estimate.notes,
    )
