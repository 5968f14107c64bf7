"""The facts of a run as records: software, folds, systems, thresholds, metrics.

What a run holds as a record already (inputs, units, labels) goes into the results as it is.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, get_args

import numpy as np
from msgspec import structs

from reportgen.checks import pools
from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.record import (
    AnyParameter,
    Component,
    FoldRecord,
    Generator,
    GroupingRecord,
    MetricRecord,
    SplitRecord,
    SystemRecord,
    ThresholdRecord,
)
from reportgen.domain.record_facts import GroupRecord
from reportgen.domain.run import Run
from reportgen.evaluation.context import ONE_VS_REST, marked
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.registry import Instance, formula_of
from reportgen.metrics.thresholds import Choice
from reportgen.version import __version__
from reportgen.wording.deciders import decider_name

DEPENDENCIES = ("msgspec", "numpy", "pyarrow", "scipy")
"""Libraries that take part in computing; those that only present are not recorded with the numbers."""


def generator() -> Generator:
    """Return the software that computes."""
    dependencies = {name: version(name) for name in DEPENDENCIES}
    return Generator(name="reportgen", version=__version__, python=platform.python_version(), dependencies=dependencies)


def fold_records(run: Run) -> tuple[FoldRecord, ...]:
    """Return the sizes of every fold."""
    if run.repeats:
        return tuple(record for one in run.repeats for record in fold_records(one))
    queries, listed, gold = run.queries, pools.n_candidates(run), pools.n_relevant(run)
    records = []
    for index, fold in enumerate(run.folds):
        members = queries.fold == index
        tune = [int((system.tune.fold == index).sum()) for system in run.trained.systems if system.tune]
        records.append(
            FoldRecord(
                id=fold,
                label=fold.removeprefix(f"{run.repeat}/") if run.repeat else fold,
                n_clusters=len(np.unique(queries.cluster[members])),
                n_queries=int(members.sum()),
                n_positive=int(queries.y_true[members].sum()),
                n_candidates=int(listed[members].sum()),
                n_gold=int(gold[members].sum()),
                n_tune=max(tune, default=0),
                repeat=run.repeat,
            )
        )
    return tuple(records)


def split_record(run: Run) -> SplitRecord:
    """Return how queries are divided; readers refuse clusters in two folds, so the folds of a run are disjoint."""
    repeats = max(len(run.repeats), 1)
    return SplitRecord(scheme=run.info.split, group=run.units.cluster.one, disjoint=True, repeats=repeats)


def grouping_records(run: Run) -> tuple[GroupingRecord, ...]:
    """Return what the queries are divided by; the reference is the largest group where none is declared."""
    records = []
    for grouping, codes in zip(run.groupings, run.queries.groups, strict=True):
        sizes = np.bincount(codes[codes >= 0], minlength=len(grouping.groups))
        largest = grouping.groups[int(sizes.argmax())].id
        records.append(
            GroupingRecord(
                id=grouping.id,
                title=grouping.title,
                groups=tuple(GroupRecord(one.id, one.label) for one in grouping.groups),
                reference=grouping.reference or largest,
                is_declared=grouping.reference is not None,
                n_without=int((codes < 0).sum()),
            )
        )
    return tuple(records)


def system_records(frames: tuple[SystemFrames, ...]) -> tuple[SystemRecord, ...]:
    """Return the systems in order of presentation."""
    shown: tuple[Component, ...] = get_args(Component)
    return tuple(
        SystemRecord(
            id=frame.system.id,
            label=frame.system.label,
            order=order,
            step=frame.system.step,
            params=dict(frame.system.params),
            config_sha256=None,
            components=tuple(name for name in shown if name in frame.components),
            states_from=frame.system.states_from,
        )
        for order, frame in enumerate(frames)
    )


def threshold_records(run: Run, name: str, frames: SystemFrames, choices: tuple[Choice, ...]) -> list[ThresholdRecord]:
    """Return the thresholds recorded by the run and chosen on TUNE, each with its source; ``name``: the system's id."""
    sources = [file.path for file in run.inputs if file.role in ("thresholds", "per_query")]
    source = f"recorded in {', '.join(sources)}" if sources else "recorded in the run"
    records = [
        ThresholdRecord(
            id=f"{column}|{name}|{fold}",
            system=name,
            fold=fold,
            rule="recorded",
            alpha=None,
            value=float(values[index]),
            reject_all=False,
            source=f"{source}, column {column}",
            achieved={},
        )
        for column, values in sorted(frames.system.thresholds.items())
        for index, fold in enumerate(run.folds)
        if np.isfinite(values[index])
    ]
    for one in choices:
        fold, achieved = run.folds[one.fold], {"tpr": one.tpr, "fpr": one.fpr}
        chosen = _chosen_on_tune(name, fold, "max_tpr_under_fpr", f"fpr={one.alpha:g}", one.threshold, achieved)
        records.append(structs.replace(chosen, alpha=one.alpha))
    for state in frames.state_thresholds:
        fold, rule = run.folds[state.fold], f"{state.name}:{state.rule}={state.target:g}"
        chosen = _chosen_on_tune(name, fold, state.rule, rule, state.threshold, dict(state.achieved))
        records.append(structs.replace(chosen, target=state.target))
    return records


def _chosen_on_tune(
    system: str, fold: str, rule: str, name: str, threshold: float, achieved: dict[str, float]
) -> ThresholdRecord:
    return ThresholdRecord(
        id=f"{name}|{system}|{fold}",
        system=system,
        fold=fold,
        rule=rule,
        alpha=None,
        value=threshold if np.isfinite(threshold) else None,
        reject_all=bool(threshold == np.inf),
        source="chosen on TUNE",
        achieved=achieved,
    )


def metric_records(
    instances: tuple[Instance, ...], contract: Contract, frames: Sequence[SystemFrames]
) -> tuple[MetricRecord, ...]:
    """Return the intrinsic facts of every metric, with the name that shows its denominator and what decides it."""
    return tuple(
        MetricRecord(
            id=str(item.id),
            name=metric_name(item, contract, frames),
            family=item.metric.family,
            params=_params(item, frames),
            direction=item.metric.direction,
            range=item.metric.range,
            unit=item.metric.unit,
            decimals=item.metric.decimals,
            formula=item.text(formula_of(item.metric, contract)),
            definition=item.text(item.metric.definition, _classes(frames)),
            reference=item.text(item.metric.reference),
            aggregations=item.metric.aggregations,
            chance=item.metric.chance,
            order=item.order,
            populations=contract.populations[item.metric.family],
            at_any=_at_any(item, contract, frames),
        )
        for item in instances
    )


def _params(instance: Instance, frames: Sequence[SystemFrames]) -> dict[str, Any]:
    """Return the parameter of a metric, and what decides it where its id does not say so."""
    deciders = " or ".join(_deciders(instance, frames))
    return {name: text for name, text in (("at", instance.id.parameter), ("decider", deciders)) if text}


def _deciders(instance: Instance, frames: Sequence[SystemFrames]) -> tuple[str, ...]:
    """Return what decides a metric for some system, each decider once."""
    found = dict.fromkeys(frame.decider_of(instance.metric.conventions) for frame in frames)
    return tuple(decider for decider in found if decider)


def _at_any(item: Instance, contract: Contract, frames: Sequence[SystemFrames]) -> AnyParameter | None:
    metric = item.metric
    if not item.symbol:
        return None
    return AnyParameter(
        symbol=item.symbol,
        name=_marked(item.text_at_any(metric.title), item, contract, frames),
        definition=item.text_at_any(metric.definition),
        formula=item.text_at_any(formula_of(metric, contract), formula=True),
        reference=item.text_at_any(metric.reference),
    )


def metric_name(instance: Instance, contract: Contract, frames: Sequence[SystemFrames]) -> str:
    """Return a metric's name with what must be in every head: ``MAP@10 (min(R,K))``, ``F1 (micro, threshold 0.5)``.

    Every decider of the systems is named, so that decisions of two deciders cannot pass for the same.
    """
    return _marked(instance.text(instance.metric.title, _classes(frames)), instance, contract, frames)


def _classes(frames: Sequence[SystemFrames]) -> Mapping[str, str]:
    return next((frame.row.classes for frame in frames if frame.row is not None), {})


def _marked(title: str, instance: Instance, contract: Contract, frames: Sequence[SystemFrames]) -> str:
    marks = [
        vocabulary()[key].marks[str(contract[key])]
        for key in instance.metric.conventions
        if str(contract[key]) in vocabulary()[key].marks
    ]
    if any(frame.row is not None for frame in frames) and not instance.metric.of_rows:
        marks.append(ONE_VS_REST)
    if names := [name for decider in _deciders(instance, frames) if (name := decider_name(decider))]:
        marks.append(" or ".join(names))
    return marked(title, marks)
