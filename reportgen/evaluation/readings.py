"""The headline metrics as the other shipped contracts report them: how far the numbers depend on conventions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from msgspec import structs

from reportgen.contracts import contract_ids, load_contract
from reportgen.domain.contract import Contract, Setting
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reading, Reason, Results
from reportgen.domain.run import Run
from reportgen.domain.signatures import of_value
from reportgen.evaluation.estimates import Context, signature_of
from reportgen.evaluation.facts import metric_name
from reportgen.evaluation.plans import system_values
from reportgen.evaluation.refusals import refusal
from reportgen.evaluation.subsets import Subset, subsets_of
from reportgen.metrics.frames import FRAME_CONVENTIONS, SystemFrames, prepare
from reportgen.metrics.registry import Instance, instances
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
    values = _Values(run, results)
    for other in (load_contract(id) for id in contract_ids() if id != contract.id):
        for reading in _under(values, results, contract, other):
            key = (reading.metric, reading.read_as, reading.name, reading.subset, reading.scope, reading.values)
            titles = (*found[key].contracts, other.title) if key in found else (other.title,)
            found[key] = structs.replace(reading, contracts=titles)
    headline = {metric: order for order, metric in enumerate(contract.headline)}
    return tuple(sorted(found.values(), key=lambda reading: headline[reading.metric]))


def _under(values: _Values, results: Results, contract: Contract, other: Contract) -> Iterator[Reading]:
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
        populations=_first_populations(values.run, other),
    )
    found = _readings(values, quick, other.title)
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


def _readings(values: _Values, contract: Contract, title: str) -> dict[str, Reading]:
    """Metric to its reading under a contract that asks for little, where some system has a value."""
    frames = values.frames(contract)
    context = Context(values.run, contract, interval_settings(contract))
    asked = tuple(
        item for item in instances(contract) if any(refusal(context, system, item) is None for system in frames)
    )
    subsets = subsets_of(values.run, contract, asked)
    values.make(context, subsets)
    found = {}
    for subset in subsets:
        for item in subset.wanted:
            scope = _shown(context, item)
            of_systems = [values.of(context, system, subset, item) for system in frames]
            if any(value is not None and not math.isnan(value) for value in of_systems):
                found[str(item.id)] = Reading(
                    metric=str(item.id),
                    read_as=str(item.id),
                    name=metric_name(item, contract),
                    contracts=(title,),
                    subset=subset.record.protocol,
                    n_queries=subset.record.n_queries,
                    scope="fold_mean" if scope == "fold_mean" else "pooled",
                    values=tuple(None if value is None or math.isnan(value) else value for value in of_systems),
                    display=tuple(_printed(value, item.metric.decimals) for value in of_systems),
                )
    return found


_Key: TypeAlias = tuple[str, str, str]
"""Signature, without what lies around the value, subset id, system id."""


class _Values:
    """Values under any contract: what is defined alike is one value, and computed once.

    A value is None where the system cannot have one, and NaN where it is undefined.
    """

    def __init__(self, run: Run, results: Results) -> None:
        """``results``: of the run, whose values are known."""
        self.run = run
        self._frames: dict[tuple[Setting, ...], tuple[SystemFrames, ...]] = {}
        made_by = [of_value(signature) for signature in results.signatures]
        self._known: dict[_Key, float | None] = {
            (made_by[record.signature], record.subset, record.system): (
                math.nan if record.status == "undefined" else record.value
            )
            for record in results.results
        }

    def frames(self, contract: Contract) -> tuple[SystemFrames, ...]:
        """The frames of all systems under a contract."""
        key = tuple(contract[name] for name in FRAME_CONVENTIONS)
        if key not in self._frames:
            self._frames[key] = tuple(prepare(self.run, system, contract) for system in self.run.systems)
        return self._frames[key]

    def make(self, context: Context, subsets: Sequence[Subset]) -> None:
        """Compute what is asked for on the subsets and not known."""
        frames = self.frames(context.contract)
        asked = [
            replace(subset, wanted=wanted)
            for subset in subsets
            if (wanted := tuple(item for item in subset.wanted if not self._are_known(context, frames, subset, item)))
        ]
        if not asked:
            return
        draws = draws_of(self.run, context.contract)
        for system in frames:
            outcomes = system_values(context, system, asked, draws, errors=False).outcomes
            for subset in asked:
                for item in subset.wanted:
                    value = _value(outcomes[subset.record.id, item.id], _shown(context, item))
                    self._known[_key(context, system, subset, item)] = value

    def of(self, context: Context, system: SystemFrames, subset: Subset, item: Instance) -> float | None:
        """A value that was made or known, in the scope that the contract shows first."""
        return self._known[_key(context, system, subset, item)]

    def _are_known(self, context: Context, frames: Sequence[SystemFrames], subset: Subset, item: Instance) -> bool:
        return all(_key(context, system, subset, item) in self._known for system in frames)


def _key(context: Context, system: SystemFrames, subset: Subset, item: Instance) -> _Key:
    signature = signature_of(context, system, subset, item, _shown(context, item))
    return of_value(signature), subset.record.id, system.system.id


def _shown(context: Context, item: Instance) -> str:
    """The scope that a contract shows first."""
    shown = context.contract.text("headline_scope")
    return shown if shown in context.scopes(item) else "pooled"


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
