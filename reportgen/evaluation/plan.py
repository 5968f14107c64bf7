"""What an evaluation computes: which metrics of which systems, on which subsets, under which conventions.

Everything that does not need a value is decided here, once: what a system cannot have and why, what the run supplies,
the aggregations of a metric, and the signature of every record.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reason
from reportgen.domain.run import Run
from reportgen.evaluation.context import Context
from reportgen.evaluation.family import Family, family_of
from reportgen.evaluation.subsets import Subset, subsets_of
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.registry import Instance, instances, supplied_values, without_value
from reportgen.metrics.states import CONVENTIONS as STATE_RULES
from reportgen.metrics.states import takes_recorded_states
from reportgen.stats.intervals import interval_settings

_ABSENT: dict[str, Reason] = {
    "tune": "no_tune_split",
    "threshold": "no_threshold_source",
    "labels": "no_labels",
    "classes": "no_classes",
    "distribution": "no_distribution",
    "supplied": "component_absent",
}

_OF_SCALES = ("order", "half", "probability")
"""What a system with scores lacks because of what they are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One record of a system that is asked for: a metric on a subset, under an aggregation over folds."""

    subset: Subset
    item: Instance
    aggregation: str
    signature: int
    """Its place in the table of signatures."""


@dataclass(frozen=True, slots=True)
class SystemPlan:
    """What is computed of one system."""

    frames: SystemFrames
    refusals: tuple[dict[MetricId, Reason], ...]
    """For each part of the system, or for the system itself: the metrics that it cannot have, and why."""
    supplied: frozenset[MetricId]
    """Metrics whose values per query the run supplies."""
    records: tuple[Asked, ...]

    @property
    def parts(self) -> tuple[SystemFrames, ...]:
        """Return the frames of each training, or of each repeat; those of the system where it has one output."""
        return self.frames.parts or (self.frames,)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is computed of all systems, and which of them are compared on what."""

    context: Context
    subsets: tuple[Subset, ...]
    metrics: tuple[Instance, ...]
    """Those that a system can have."""
    absent: tuple[tuple[Instance, Reason], ...]
    """Metrics of the contract that no system can have, with the reason of the first system."""
    systems: tuple[SystemPlan, ...]
    signatures: tuple[str, ...]
    family: Family


def plan_of(run: Run, contract: Contract, frames: Sequence[SystemFrames]) -> Plan:
    """Decide what is computed of a run under a contract."""
    context = Context(run, contract, interval_settings(contract, in_repeats=bool(run.repeats)))
    wanted = instances(contract)
    refused = [_refusals(system, wanted) for system in frames]
    computable = tuple(item for item in wanted if any(item.id not in reasons for reasons in refused))
    subsets = subsets_of(run, contract, computable)
    signatures: dict[str, int] = {}
    systems = []
    for system, reasons in zip(frames, refused, strict=True):
        supplied = frozenset(item.id for item in computable if supplied_values(system, item.id) is not None)
        records = tuple(_records(context, system, supplied, subsets, signatures))
        of_parts = tuple(_refusals(one, computable) for one in system.parts) or (reasons,)
        systems.append(SystemPlan(system, of_parts, supplied, records))
    return Plan(
        context=context,
        subsets=subsets,
        metrics=computable,
        absent=tuple((item, refused[0][item.id]) for item in wanted if item not in computable),
        systems=tuple(systems),
        signatures=tuple(signatures),
        family=family_of(context, subsets, wanted, computable),
    )


def _records(
    context: Context,
    system: SystemFrames,
    supplied: frozenset[MetricId],
    subsets: Sequence[Subset],
    signatures: dict[str, int],
) -> Iterator[Asked]:
    """Yield the records of a system in their order; a signature that is new is put at the end of the table."""
    for subset in subsets:
        for item in subset.wanted:
            for aggregation in context.aggregations(item):
                signature = _signature(context, system, subset, item, aggregation, supplied=item.id in supplied)
                yield Asked(subset, item, aggregation, signatures.setdefault(signature, len(signatures)))


def _refusals(frames: SystemFrames, items: Sequence[Instance]) -> dict[MetricId, Reason]:
    """Return the metrics that a system cannot have, and why; queries with weights leave those with a weighted form."""
    reasons = {item.id: refusal(frames, item) for item in items}
    if frames.query.weight is not None:
        without = [item.id for item in items if not item.metric.has_weighted_form]
        reasons |= {metric: reasons[metric] or "no_weighted_form" for metric in without}
    return {metric: reason for metric, reason in reasons.items() if reason is not None}


def refusal(frames: SystemFrames, item: Instance) -> Reason | None:
    """Return why a system cannot have a metric, of its own or with values that the run supplies; None if it can.

    A value that rests on a threshold without a recorded source is refused, whatever else the system has.
    """
    refused = [frames.refused[key] for key in (*item.needs, *item.metric.conventions) if key in frames.refused]
    if "no_threshold_source" in refused:
        return "no_threshold_source"
    if supplied_values(frames, item.id) is not None:
        return None
    if refused:
        return refused[0]
    missing = next((need for need in item.needs if need not in frames.components), None)
    if missing in _OF_SCALES and "scores" in frames.components:
        return "not_probabilities" if "order" in frames.components else "decisions_only"
    if missing is not None:
        return _ABSENT.get(missing, "component_absent")
    return without_value(item.metric, item.id, frames.row.classes if frames.row is not None else ())


def _signature(
    context: Context, system: SystemFrames, subset: Subset, item: Instance, aggregation: str, *, supplied: bool
) -> str:
    """Return the conventions of a number in one line; numbers of equal signatures may share a column."""
    contract, words = context.contract, [str(item.id)]
    if supplied:  # under which conventions, nobody here knows
        words.append("source:supplied")
    else:
        decider = system.decider_of(item.metric.conventions)
        of_states = decider.startswith("state_") and not takes_recorded_states(contract)
        for key in (*item.metric.conventions, *(STATE_RULES if of_states else ())):
            name = subset.convention(key)
            words.append(f"{vocabulary()[name].sign}:{system.deciders.get(key, contract[name])}")
        if "tune" in (item.id.parameter, decider.partition(":")[2]):
            words.append(f"threshold:{context.run.info.decision}")
    if context.run.queries.row is not None and not item.metric.of_rows:
        words.append("classes:ovr")
    if context.run.info.weight:
        words.append(f"weights:{context.run.info.weight.replace('|', '/')}")
    words.append(f"agg:{aggregation}")
    if len(context.run.folds) > 1:
        words.append(f"sd:fold,ddof={contract['sd_ddof']}")
    if system.parts:
        words.append("repeats:mean" if context.run.repeats else "seeds:mean")
    words.append(
        f"ci:{contract['interval_unit']}_{contract['interval_method']},level={contract['interval_level']}"
        f",unit={context.run.units.cluster.one},strata={context.settings.strata}"
        f",B={contract['resamples']},seed={contract['seed']}"
    )
    return "|".join(words)
