"""One evaluation, step by step: frames, weights, thresholds, values, records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # ships no types

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import (
    SCHEMA_VERSION,
    Check,
    Curve,
    Distribution,
    Estimate,
    Results,
    ThresholdRecord,
)
from reportgen.domain.run import Run
from reportgen.evaluation import facts
from reportgen.evaluation.estimates import Context, estimates, missing_component, signature_table
from reportgen.evaluation.observations import observations
from reportgen.evaluation.per_query import per_query_columns
from reportgen.evaluation.subsets import Subset, subsets_of
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.registry import Instance, find, instances
from reportgen.metrics.thresholds import Choice, choose_thresholds
from reportgen.metrics.weights import Weights, draw_weights
from reportgen.stats.curves import reliability_curve, roc_curve, selected_k_distributions
from reportgen.stats.intervals import interval_settings
from reportgen.stats.values import metric_values

Progress = Callable[[str, float], None]
"""Called with what is being done and the share done so far."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results, and the per-query values for those who want to check the aggregates."""

    results: Results
    per_query: Mapping[str, list[Any]]
    """Column name to values, one row per query and system."""


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
    ``jobs``: systems evaluated side by side; changes no bit.

    Raises ContractError if the contract names a metric that does not exist.
    """
    for text in (*contract.headline, *contract.primary, *(target.metric for target in contract.targets)):
        find(MetricId.parse(text))
    progress("Drawing resamples", 0.0)
    weights = draw_weights(run, contract)
    frames = tuple(prepare(run, system, contract) for system in run.systems)
    context = Context(run, contract, interval_settings(contract))
    computable, checks = _computable(context, frames, instances(contract))
    subsets = subsets_of(run, contract, computable)
    signatures = signature_table(context, frames, subsets)
    parts = _evaluate_systems(context, frames, subsets, weights, signatures, jobs, progress)
    results = Results(
        schema_version=SCHEMA_VERSION,
        kind="reportgen.metrics_master",
        generator=facts.generator(),
        created=created,
        command=command,
        vcs=None,
        seeds={"bootstrap": contract.integer("seed")},
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
        results=tuple(record for part in parts for record in part.estimates),
        curves=tuple(curve for part in parts for curve in part.curves),
        distributions=tuple(item for part in parts for item in part.distributions),
        comparisons=(),
        checks=(*checks, *observations(run, contract, frames)),
        warnings=run.info.notices,
    )
    return Evaluation(results, per_query_columns(run, contract, frames, computable))


def _computable(
    context: Context, frames: tuple[SystemFrames, ...], wanted: tuple[Instance, ...]
) -> tuple[tuple[Instance, ...], list[Check]]:
    """Metrics that at least one system can have, and a note for each family of those that none can."""
    computable = tuple(i for i in wanted if any(missing_component(context, frame, i) is None for frame in frames))
    absent: dict[str, list[str]] = {}
    for instance in wanted:
        if instance not in computable:
            reason = missing_component(context, frames[0], instance)
            absent.setdefault(str(reason), []).append(instance.title)
    checks = [
        Check(
            code="RG250",
            status="not_run",
            severity="note",
            where="",
            fix="",
            message=f"Not computed, since no system has what it needs ({reason}): {', '.join(titles)}.",
        )
        for reason, titles in absent.items()
    ]
    return computable, checks


def _evaluate_systems(
    context: Context,
    frames: tuple[SystemFrames, ...],
    subsets: tuple[Subset, ...],
    weights: Weights,
    signatures: Mapping[str, int],
    jobs: int,
    progress: Progress,
) -> list[_SystemPart]:
    """All systems, ``jobs`` at a time, in the order of presentation."""
    # BLAS in one thread: its products are exact, so threads change no bit, but they would wait for each other.
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(_evaluate_system, context, system, subsets, weights, signatures) for system in frames]
        parts = []
        for index, (system, future) in enumerate(zip(frames, futures, strict=True)):
            progress(f"Evaluating {system.system.label}", 0.05 + 0.95 * index / len(frames))
            parts.append(future.result())
    progress("Evaluated", 1.0)
    return parts


@dataclass(frozen=True, slots=True)
class _SystemPart:
    estimates: list[Estimate]
    curves: list[Curve]
    distributions: list[Distribution]
    thresholds: list[ThresholdRecord]


def _evaluate_system(
    context: Context,
    frames: SystemFrames,
    subsets: tuple[Subset, ...],
    weights: Weights,
    signatures: Mapping[str, int],
) -> _SystemPart:
    """All records of one system."""
    contract = context.contract
    choices = choose_thresholds(frames.tune, weights, contract.fpr_budgets) if frames.tune else ()
    part = _SystemPart([], [], [], facts.threshold_records(context.run, frames, choices))
    for subset in subsets:
        part.estimates.extend(_evaluate_subset(context, frames, subset, weights, choices, signatures))
    scope = "fold_mean" if contract.text("headline_scope") == "fold_mean" and weights.n_folds > 1 else "pooled"
    if "gate" in frames.components:
        curves = (
            roc_curve(frames.query, frames.system.id, "all_queries", scope, weights, contract),
            reliability_curve(frames.query, frames.system.id, "all_queries", weights, contract),
        )
        part.curves.extend(curve for curve in curves if curve is not None)
    if "selection" in frames.components:
        part.distributions.extend(selected_k_distributions(frames.query, frames.system.id, "all_queries"))
    return part


def _evaluate_subset(
    context: Context,
    frames: SystemFrames,
    subset: Subset,
    weights: Weights,
    choices: tuple[Choice, ...],
    signatures: Mapping[str, int],
) -> list[Estimate]:
    reasons = {instance.id: missing_component(context, frames, instance) for instance in subset.wanted}
    possible = [instance for instance in subset.wanted if reasons[instance.id] is None]
    values = metric_values(frames, subset.frames(frames), possible, weights, context.contract, choices)
    records = []
    for instance in subset.wanted:
        records += estimates(context, frames, subset, instance, reasons[instance.id] or values[instance.id], signatures)
    return records
