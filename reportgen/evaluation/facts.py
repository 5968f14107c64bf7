"""The run's own facts as records: software, contract, inputs, folds, systems, thresholds, metrics."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import get_args

import numpy as np

import reportgen
from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.record import (
    Component,
    ContractRecord,
    FoldRecord,
    Generator,
    InputRecord,
    LabelRecord,
    MetricRecord,
    NounRecord,
    RunRecord,
    SplitRecord,
    SystemRecord,
    ThresholdRecord,
    UnitsRecord,
)
from reportgen.domain.run import Noun, Run, Units
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.registry import Instance, formula_of
from reportgen.metrics.states import StateThreshold
from reportgen.metrics.thresholds import Choice

DEPENDENCIES = ("msgspec", "numpy", "pyarrow", "scipy")
"""Libraries that take part in computing; those that only present are not recorded with the numbers."""


def generator() -> Generator:
    """The software that computes."""
    dependencies = {name: version(name) for name in DEPENDENCIES}
    return Generator(
        name="reportgen", version=reportgen.__version__, python=platform.python_version(), dependencies=dependencies
    )


def run_record(run: Run) -> RunRecord:
    """What the run says about itself."""
    info = run.info
    return RunRecord(
        title=info.title,
        dataset=info.dataset,
        date=info.date,
        description=info.description,
        synthetic=info.synthetic,
        authors=info.authors,
        baseline=info.baseline,
        decision=info.decision,
        calibrator_fit_on=info.calibrator_fit_on,
        family=info.family,
        presentation=info.presentation,
        venue=info.venue,
    )


def contract_record(contract: Contract) -> ContractRecord:
    """The conventions of the evaluation."""
    return ContractRecord(
        id=contract.id,
        version=contract.version,
        sha256=contract.sha256,
        title=contract.title,
        source=contract.source,
        conventions=contract.conventions,
        headline=contract.headline,
        primary=contract.primary,
        cutoffs=contract.cutoffs,
        fpr_budgets=contract.fpr_budgets,
        questionable=contract.questionable,
        threshold_probabilities=contract.threshold_probabilities,
    )


def input_records(run: Run) -> tuple[InputRecord, ...]:
    """The files that were read, by content."""
    return tuple(
        InputRecord(
            id=file.id,
            role=file.role,
            path=file.path,
            sha256=file.sha256,
            bytes=file.bytes,
            rows=file.rows,
            columns=file.columns,
        )
        for file in run.inputs
    )


def units_record(units: Units) -> UnitsRecord:
    """The field's words."""

    def noun(word: Noun) -> NounRecord:
        return NounRecord(one=word.one, many=word.many)

    return UnitsRecord(
        query=noun(units.query), cluster=noun(units.cluster), label=noun(units.label), candidate=noun(units.candidate)
    )


def fold_records(run: Run) -> tuple[FoldRecord, ...]:
    """Sizes of every fold."""
    queries, candidates = run.queries, run.candidates
    records = []
    for index, fold in enumerate(run.folds):
        members = queries.fold == index
        inside = members[candidates.query] if candidates else np.zeros(0, dtype=bool)
        tune = [int((system.tune.fold == index).sum()) for system in run.trained.systems if system.tune]
        records.append(
            FoldRecord(
                id=fold,
                label=fold,
                n_clusters=len(np.unique(queries.cluster[members])),
                n_queries=int(members.sum()),
                n_positive=int(queries.y_true[members].sum()),
                n_candidates=int(inside.sum()),
                n_gold=int((candidates.relevance[inside] > 0).sum()) if candidates else 0,
                n_tune=max(tune, default=0),
            )
        )
    return tuple(records)


def split_record(run: Run) -> SplitRecord:
    """How the data were split; readers refuse clusters in two folds, so the folds of a run are disjoint."""
    return SplitRecord(scheme=run.info.split, group=run.units.cluster.one, disjoint=True)


def label_records(run: Run) -> tuple[LabelRecord, ...]:
    """The labels in their order."""
    return tuple(
        LabelRecord(
            id=label.id, label=label.text, description=label.description, type=label.type, trained=label.trained
        )
        for label in run.labels
    )


def system_records(frames: tuple[SystemFrames, ...]) -> tuple[SystemRecord, ...]:
    """The systems in order of presentation."""
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


def threshold_records(run: Run, frames: SystemFrames, choices: tuple[Choice, ...]) -> list[ThresholdRecord]:
    """Thresholds recorded by the run and chosen on TUNE, each with its source."""
    system = frames.system
    sources = [file.path for file in run.inputs if file.role in ("thresholds", "per_query")]
    source = f"recorded in {', '.join(sources)}" if sources else "recorded in the run"
    records = [
        ThresholdRecord(
            id=f"{name}|{system.id}|{fold}",
            system=system.id,
            fold=fold,
            rule="recorded",
            alpha=None,
            value=float(values[index]),
            reject_all=False,
            source=f"{source}, column {name}",
            achieved={},
        )
        for name, values in sorted(system.thresholds.items())
        for index, fold in enumerate(run.folds)
        if np.isfinite(values[index])
    ]
    for choice in choices:
        chosen, fold = choice.threshold, run.folds[choice.fold]
        records.append(
            ThresholdRecord(
                id=f"fpr={choice.alpha:g}|{system.id}|{fold}",
                system=system.id,
                fold=fold,
                rule="max_tpr_under_fpr",
                alpha=choice.alpha,
                value=chosen if np.isfinite(chosen) else None,
                reject_all=bool(chosen == np.inf),
                source="chosen on TUNE",
                achieved={"tpr": choice.tpr, "fpr": choice.fpr},
            )
        )
    return records + [_state_threshold(run, system.id, chosen) for chosen in frames.state_thresholds]


def _state_threshold(run: Run, system: str, chosen: StateThreshold) -> ThresholdRecord:
    fold = run.folds[chosen.fold]
    return ThresholdRecord(
        id=f"{chosen.name}:{chosen.rule}={chosen.target:g}|{system}|{fold}",
        system=system,
        fold=fold,
        rule=chosen.rule,
        alpha=None,
        value=chosen.threshold if np.isfinite(chosen.threshold) else None,
        reject_all=bool(chosen.threshold == np.inf),
        source="chosen on TUNE",
        achieved=dict(chosen.achieved),
        target=chosen.target,
    )


def metric_records(instances: tuple[Instance, ...], contract: Contract) -> tuple[MetricRecord, ...]:
    """The intrinsic facts of every metric, with the name that shows its denominator."""
    return tuple(
        MetricRecord(
            id=str(item.id),
            name=metric_name(item, contract),
            family=item.metric.family,
            params={"at": item.id.parameter} if item.id.parameter else {},
            direction=item.metric.direction,
            range=item.metric.range,
            unit=item.metric.unit,
            decimals=item.metric.decimals,
            formula=item.text(formula_of(item.metric, contract)),
            definition=item.text(item.metric.definition),
            reference=item.text(item.metric.reference),
            aggregations=item.metric.aggregations,
            chance=item.metric.chance,
            order=item.order,
            populations=contract.populations[item.metric.family],
        )
        for item in instances
    )


def metric_name(instance: Instance, contract: Contract) -> str:
    """A metric's name with the conventions that must stand in every head: ``MAP@10 (min(R,K))``."""
    marks = [
        vocabulary()[key].marks[str(contract[key])]
        for key in instance.metric.conventions
        if str(contract[key]) in vocabulary()[key].marks
    ]
    return f"{instance.title} ({', '.join(marks)})" if marks else instance.title
