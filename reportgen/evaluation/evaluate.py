"""One evaluation, step by step: frames, plan, values and records of each system, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import msgspec

from reportgen.domain.contract import Contract
from reportgen.domain.record import (
    REASONS,
    SCHEMA_VERSION,
    Comparison,
    ContractRecord,
    Estimate,
    Results,
    RunRecord,
)
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic
from reportgen.evaluation import facts
from reportgen.evaluation.checks import contract_checks, interval_checks, observations_of_parts
from reportgen.evaluation.comparisons import comparisons, differences
from reportgen.evaluation.partitions import evaluate_summed, gathered, sums_for
from reportgen.evaluation.per_query import per_query_columns
from reportgen.evaluation.plan import Plan, plan_of
from reportgen.evaluation.shares import Needed, Share, shares_of
from reportgen.evaluation.systems import SystemRecords, Taken, evaluate_system, joined
from reportgen.metrics.frames import SystemFrames, forget_candidates, prepare
from reportgen.metrics.registry import Instance, instances
from reportgen.metrics.subgroups import contract_of
from reportgen.workers import Processes, Workers

Progress = Callable[[str, float], None]
"""Called with what is being done and the share done so far."""


@dataclass(frozen=True)
class _Once:
    """Per-query values, made when they are first asked for, and kept; it can cross to another process."""

    make: Callable[[], Mapping[str, list[Any]]]

    def __call__(self) -> Mapping[str, list[Any]]:
        return self._made

    @cached_property
    def _made(self) -> Mapping[str, list[Any]]:
        return self.make()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results, and the per-query values for those who want to check the aggregates."""

    results: Results
    columns: Callable[[], Mapping[str, list[Any]]]
    """Makes the per-query values, which not everybody wants, once."""

    @property
    def per_query(self) -> Mapping[str, list[Any]]:
        """Return column name to values, one row per query and system."""
        return self.columns()


def evaluate(
    run: Run,
    contract: Contract,
    *,
    command: str,
    created: str | None = None,
    jobs: int = 1,
    workers: Workers | None = None,
    progress: Progress = lambda step, share: None,
) -> Evaluation:
    """Compute everything a contract asks for.

    ``command``: verb and value-changing options, recorded as they are. ``created``: time stamp, recorded as it is.
    ``jobs``: processors to use: for systems in processes of their own, and for the resamples of a system where there
    are fewer. ``workers``: who takes each subset of each system, in place of these processes. Neither changes a bit.

    Raises ContractError if the contract names a metric that does not exist.
    """
    run, contract = run if workers is not None else gathered(run), contract_of(contract, run)
    frames = _prepared(run, contract, progress)
    plan = plan_of(run, contract, frames)
    systems, observed = _evaluate_systems(plan, jobs, workers, progress)
    estimates = tuple(record for one in systems for record in one.estimates)
    compared = _compared(plan, systems, jobs, progress)
    results = Results(
        schema_version=SCHEMA_VERSION,
        kind="reportgen.metrics_master",
        generator=facts.generator(),
        created=created,
        command=command,
        vcs=None,
        seeds=dict.fromkeys(("bootstrap", "permutation") if compared else ("bootstrap",), contract.integer("seed")),
        run=msgspec.convert(run.info, RunRecord, from_attributes=True),
        contract=msgspec.convert(contract, ContractRecord, from_attributes=True),
        inputs=run.inputs,
        units=run.units,
        folds=facts.fold_records(run),
        split=facts.split_record(run),
        labels=run.labels,
        systems=facts.system_records(frames),
        thresholds=tuple(record for one in systems for record in one.thresholds),
        subsets=tuple(subset.record for subset in plan.subsets),
        metrics=facts.metric_records(plan.metrics, contract, frames),
        signatures=plan.signatures,
        interval_settings=plan.context.settings.table,
        results=estimates,
        curves=tuple(curve for one in systems for curve in one.curves),
        distributions=tuple(item for one in systems for item in one.distributions),
        comparisons=compared,
        checks=_checks(plan, observed, estimates),
        warnings=run.info.notices,
        sweeps=tuple(sweep for one in systems for sweep in one.sweeps),
        differences=differences(plan, systems),
        groupings=facts.grouping_records(run),
        group_differences=tuple(difference for one in systems for difference in one.of_groups),
    )
    forget_candidates()
    return Evaluation(results, _Once(partial(_per_query, run, contract, _frames_of_parts(plan), plan.metrics)))


def _frames_of_parts(plan: Plan) -> tuple[tuple[SystemFrames, ...], ...]:
    """Return the frames of each of ``Run.parts``: by repeat where there are several, with all trainings of a system."""
    by_system = [system.parts for system in plan.systems]
    if plan.context.run.repeats:
        return tuple(zip(*by_system, strict=True))
    return (tuple(one for parts in by_system for one in parts),)


def _per_query(
    run: Run, contract: Contract, frames: tuple[tuple[SystemFrames, ...], ...], metrics: tuple[Instance, ...]
) -> dict[str, list[Any]]:
    """Return the per-query values of all parts of a run, one part after the other."""
    parts = [per_query_columns(one, contract, own, metrics) for one, own in zip(run.parts, frames, strict=True)]
    return {name: [value for part in parts for value in part[name]] for name in parts[0]}


def _prepared(run: Run, contract: Contract, progress: Progress) -> tuple[SystemFrames, ...]:
    """Return the frames of every system, once it is known that the metrics named by the contract exist."""
    instances(contract)
    progress("Preparing", 0.0)
    return tuple(prepare(run, system, contract) for system in run.systems)


def _checks(plan: Plan, observed: Sequence[Diagnostic], estimates: tuple[Estimate, ...]) -> tuple[Diagnostic, ...]:
    """Return what is ``observed`` in the data, then beside the numbers: of intervals, and of the contract's aims."""
    run, contract = plan.context.run, plan.context.contract
    return (
        *_not_computed(plan),
        *observed,
        *interval_checks(run, contract),
        *contract_checks(run, contract, estimates),
    )


def _not_computed(plan: Plan) -> list[Diagnostic]:
    """Name the metrics of the contract that no system can have, in a note for each reason."""
    titles: dict[str, list[str]] = {}
    if plan.context.run.queries.weight is not None:
        titles[REASONS["no_weighted_form"]] = list(_COUNTED_ONCE)
    for item, reason in plan.absent:
        # Where every candidate is judged, nobody misses how many of them are; nor classes where there are none.
        if "judgements" not in item.metric.needs and reason != "no_classes":
            titles.setdefault(REASONS[reason], []).append(item.family_title)
    return [
        Diagnostic(
            "RG250", "", f"Not computed, since {reason}: {', '.join(dict.fromkeys(of_reason))}.", status="not_run"
        )
        for reason, of_reason in titles.items()
    ]


_COUNTED_ONCE = (
    "distributions",
    "isotonic calibration curves",
    "sweeps of thresholds",
    "SD and quartiles over queries",
    "DeLong's intervals",
    "wins, ties and losses",
    "effect sizes",
)
"""What has no weighted form beside metrics."""


def _evaluate_systems(
    plan: Plan, jobs: int, workers: Workers | None, progress: Progress
) -> tuple[list[SystemRecords], list[Diagnostic]]:
    """Return the records of all systems in order of presentation, and what is observed in the data.

    ``jobs`` systems are evaluated at a time, in as many processes.

    Processes where there are systems for them, since the short array operations of a resample wait for the
    interpreter's lock in threads; what is left of ``jobs`` are threads, for the resamples of one system. ``workers``
    take shares of systems in place of these.
    """
    processes = max(min(jobs, len(plan.systems)), 1)
    threads = max(jobs // processes, 1) if workers is None else 1
    # What other systems gave stays here: a task takes its own along, with its frames.
    needed = Needed(plan)
    context, compared = needed.context, plan.family.keys
    pieces: list[tuple[int, Share | None]] = [(at, None) for at in range(len(plan.systems))]
    if workers is not None:
        pieces = [*shares_of(plan, workers.n)]
    tasks = [
        partial(_work_of(plan, at, one), context, needed.system(at, one), needed.subsets(one), compared, threads, one)
        for at, one in pieces
    ]
    found: list[dict[Share | None, SystemRecords | Taken]] = [{} for _ in plan.systems]
    done = 0
    with Processes(processes) as own:
        outcomes = (workers or own).outcomes(tasks)
        # While a cluster works.
        observed = observations_of_parts(plan.context.run, plan.context.contract, _frames_of_parts(plan))
        for place, records in outcomes:
            at, share = pieces[place]
            found[at][share] = records
            done += 1
            progress(f"Evaluated {plan.systems[at].frames.system.label}", 0.05 + 0.9 * done / len(tasks))
    every = [joined(context, *of, plan.subsets, compared) for of in zip(plan.systems, found, strict=True)]
    return every, observed


def _work_of(plan: Plan, at: int, share: Share | None) -> Callable[..., SystemRecords | Taken]:
    """Return what takes a share, with what is made of candidates that are with workers where it needs that."""
    sums = None if share is None else sums_for(plan, at, share)
    return evaluate_system if sums is None else partial(evaluate_summed, tuple(sums))


def _compared(plan: Plan, systems: Sequence[SystemRecords], jobs: int, progress: Progress) -> tuple[Comparison, ...]:
    """Return the comparisons of systems, telling how far the work is."""
    progress("Comparing systems", 0.95)
    compared = comparisons(plan, systems, max(jobs, 1))
    progress("Evaluated", 1.0)
    return compared
