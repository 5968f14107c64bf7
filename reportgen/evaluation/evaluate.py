"""One evaluation, step by step: frames, weights, thresholds, values, records."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

from reportgen.checks import finding
from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import (
    REASONS,
    SCHEMA_VERSION,
    Check,
    Estimate,
    Results,
)
from reportgen.domain.run import Run
from reportgen.evaluation import facts
from reportgen.evaluation.comparisons import comparisons
from reportgen.evaluation.contract_checks import contract_checks
from reportgen.evaluation.estimates import Context, signature_table
from reportgen.evaluation.family import Family, family_of
from reportgen.evaluation.interval_checks import interval_checks
from reportgen.evaluation.observations import observations
from reportgen.evaluation.per_query import per_query_columns
from reportgen.evaluation.refusals import refusal
from reportgen.evaluation.subsets import Subset, subsets_of
from reportgen.evaluation.systems import SystemPart, evaluate_system
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.registry import Instance, find, instances
from reportgen.stats.intervals import interval_settings
from reportgen.workers import worker_pool

Progress = Callable[[str, float], None]
"""Called with what is being done and the share done so far."""


@dataclass(frozen=True)
class _Once:
    """What is made when it is first asked for, and kept."""

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
        """Column name to values, one row per query and system."""
        return self.columns()


def evaluate(
    run: Run,
    contract: Contract,
    *,
    command: str,
    created: str | None = None,
    jobs: int = 1,
    progress: Progress = lambda step, share: None,
) -> Evaluation:
    """Compute everything a contract asks for.

    ``command``: verb and value-changing options, recorded as they are. ``created``: time stamp, recorded as it is.
    ``jobs``: processors to use: for systems side by side, in processes of their own (a script then needs the usual
    guard ``if __name__ == "__main__"``), and for the resamples of a system where there are fewer systems; changes no
    bit.

    Raises ContractError if the contract names a metric that does not exist, or the run's family one that the contract
    does not compute.
    """
    frames = _prepared(run, contract, progress)
    context = Context(run, contract, interval_settings(contract))
    wanted, computable, checks = _wanted(context, frames)
    subsets = subsets_of(run, contract, computable)
    signatures = signature_table(context, frames, subsets)
    family = family_of(context, subsets, wanted, computable)
    parts = _evaluate_systems(context, frames, subsets, signatures, family, jobs, progress)
    estimates = tuple(record for part in parts for record in part.estimates)
    compared = comparisons(replace(context, threads=max(jobs, 1)), family, frames, parts)
    trained = tuple(one for frame in frames for one in frame.trainings or (frame,))
    progress("Evaluated", 1.0)
    results = Results(
        schema_version=SCHEMA_VERSION,
        kind="reportgen.metrics_master",
        generator=facts.generator(),
        created=created,
        command=command,
        vcs=None,
        seeds=dict.fromkeys(("bootstrap", "permutation") if compared else ("bootstrap",), contract.integer("seed")),
        run=facts.run_record(run),
        contract=facts.contract_record(contract),
        inputs=facts.input_records(run),
        units=facts.units_record(run.units),
        folds=facts.fold_records(run),
        split=facts.split_record(run),
        labels=facts.label_records(run),
        systems=facts.system_records(frames),
        thresholds=tuple(record for part in parts for record in part.thresholds),
        subsets=tuple(subset.record for subset in subsets),
        metrics=facts.metric_records(computable, contract),
        signatures=tuple(signatures),
        interval_settings=context.settings.table,
        results=estimates,
        curves=tuple(curve for part in parts for curve in part.curves),
        distributions=tuple(item for part in parts for item in part.distributions),
        comparisons=compared,
        checks=(*checks, *observations(run.trained, contract, trained), *_beside(run, contract, estimates)),
        warnings=run.info.notices,
        sweeps=tuple(sweep for part in parts for sweep in part.sweeps),
    )
    return Evaluation(results, _Once(partial(per_query_columns, run, contract, trained, computable)))


def _beside(run: Run, contract: Contract, estimates: tuple[Estimate, ...]) -> list[Check]:
    """What is found of the numbers: of their intervals, and beside what the contract aims at."""
    return [*interval_checks(run, contract), *contract_checks(run, contract, estimates)]


def _prepared(run: Run, contract: Contract, progress: Progress) -> tuple[SystemFrames, ...]:
    """The frames of every system, once it is known that the metrics named by the contract exist."""
    for text in (*contract.headline, *contract.primary, *(target.metric for target in contract.targets)):
        find(MetricId.parse(text))
    progress("Preparing", 0.0)
    return tuple(prepare(run, system, contract) for system in run.systems)


def _wanted(
    context: Context, frames: tuple[SystemFrames, ...]
) -> tuple[tuple[Instance, ...], tuple[Instance, ...], list[Check]]:
    """All metrics of the contract, those that a system can have, and a note on the others for each reason."""
    wanted = instances(context.contract)
    computable = tuple(i for i in wanted if any(refusal(context, frame, i) is None for frame in frames))
    absent: dict[str, list[str]] = {}
    for instance in wanted:
        # Where every candidate is judged, nobody misses how many of them are.
        if instance not in computable and "judgements" not in instance.metric.needs:
            reason = refusal(context, frames[0], instance)
            absent.setdefault(REASONS[reason or "component_absent"], []).append(instance.family_title)
    checks = [
        finding("RG250", f"Not computed, since {reason}: {', '.join(dict.fromkeys(titles))}.", status="not_run")
        for reason, titles in absent.items()
    ]
    return wanted, computable, checks


def _evaluate_systems(
    context: Context,
    frames: tuple[SystemFrames, ...],
    subsets: tuple[Subset, ...],
    signatures: Mapping[str, int],
    family: Family,
    jobs: int,
    progress: Progress,
) -> list[SystemPart]:
    """The records of all systems in order of presentation, ``jobs`` systems at a time in as many processes.

    Processes where there are systems for them, since the short array operations of a resample wait for the
    interpreter's lock in threads; what is left of ``jobs`` are threads, for the resamples of one system.
    """
    processes = max(min(jobs, len(frames)), 1)
    context = replace(context, threads=max(jobs // processes, 1))
    work = [(context, system, subsets, signatures, family.keys) for system in frames]
    parts: list[SystemPart] = []

    def say(index: int, share: float) -> None:
        progress(f"Evaluating {frames[index].system.label}", 0.05 + 0.9 * share)

    if processes < 2:
        for index, arguments in enumerate(work):
            say(index, index / len(work))
            parts.append(evaluate_system(*arguments))
    else:
        parts = _side_by_side(work, processes, say)
    progress("Comparing systems", 0.95)
    return parts


_Work: TypeAlias = tuple[Context, SystemFrames, tuple[Subset, ...], Mapping[str, int], frozenset[tuple[str, MetricId]]]


def _side_by_side(work: Sequence[_Work], processes: int, say: Callable[[int, float], None]) -> list[SystemPart]:
    """The parts of all systems, ``processes`` at a time.

    This process takes its share, since a new one starts with imports.

    ``say`` is called with the place of each system that is begun here, and the share of those here that are done.
    """
    n_here = math.ceil(len(work) / processes)
    elsewhere, here = work[:-n_here], work[-n_here:]
    with worker_pool(processes - 1) as pool:
        futures = [pool.submit(evaluate_system, *arguments) for arguments in elsewhere]
        own = []
        for index, arguments in enumerate(here):
            say(len(elsewhere) + index, index / n_here)
            own.append(evaluate_system(*arguments))
        return [*(future.result() for future in futures), *own]
