"""One system through an evaluation: its plan is fed with resamples block by block, then its values become records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Curve, Distribution, Estimate, Reason, ThresholdRecord, ThresholdSweep
from reportgen.evaluation import facts
from reportgen.evaluation.context import Context
from reportgen.evaluation.estimates import estimate
from reportgen.evaluation.plan import SystemPlan
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice, TunePlan
from reportgen.metrics.weights import Block, Draws, draws_of, feed
from reportgen.stats.curves import (
    CurveKind,
    CurveOnGrid,
    DecisionPlan,
    ReliabilityPlan,
    corp_curve,
    label_roc,
)
from reportgen.stats.distributions import list_length_distributions, score_distributions, selected_k_distributions
from reportgen.stats.score_pass import CurvePlan
from reportgen.stats.sweep import threshold_sweep
from reportgen.stats.values import MetricValues, SubsetPlan, mean_over_trainings

ValueKey: TypeAlias = tuple[str, MetricId]
"""Subset id and metric: which values are meant."""
Outcomes: TypeAlias = Mapping[ValueKey, "MetricValues | Reason"]
"""Values, or the reason why there are none."""


@dataclass(frozen=True, slots=True)
class SystemRecords:
    """The records of one system, and the values that comparisons need."""

    estimates: list[Estimate]
    choices: tuple[tuple[Choice, ...], ...]
    """The thresholds chosen on TUNE, for each training of the system."""
    compared: Outcomes
    curves: list[Curve] = field(default_factory=list)
    distributions: list[Distribution] = field(default_factory=list)
    thresholds: list[ThresholdRecord] = field(default_factory=list)
    sweeps: list[ThresholdSweep] = field(default_factory=list)


def evaluate_system(
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey] = frozenset(),
    threads: int = 1,
) -> SystemRecords:
    """Take every block of resamples through one system; ``compared`` names the values to hand back for comparisons.

    A system that was trained several times has estimates alone, each a mean over trainings: curves, distributions and
    thresholds are of one training, and none of them may stand for the system. ``threads``: blocks taken in at a time;
    changes no bit.
    """
    draws = draws_of(context.run, context.contract)
    shapes = None if system.frames.trainings else _Shapes(context, system.frames, subsets, draws)
    curves = shapes.of_scores if shapes else ()
    plans = [
        _ValuePlan(context, frames, refusals, subsets, draws, curves)
        for frames, refusals in zip(system.trainings, system.refusals, strict=True)
    ]
    update: list[Callable[[Block], None]] = [plan.update for plan in plans]
    feed(draws, [*update, shapes.update] if shapes else update, threads)
    found = [plan.outcomes() for plan in plans]
    outcomes = _over_trainings(found) if system.frames.trainings else found[0]
    records = SystemRecords(
        estimates=[
            estimate(context, system, asked, outcomes[asked.subset.record.id, asked.item.id])
            for asked in system.records
        ],
        choices=tuple(plan.choices for plan in plans),
        compared={key: outcomes[key] for key in compared if key in outcomes},
    )
    return shapes.added_to(records) if shapes else records


class _ValuePlan:
    """Everything about the values of a system, or of one of its trainings, that does not depend on the weights."""

    def __init__(
        self,
        context: Context,
        frames: SystemFrames,
        refusals: Mapping[MetricId, Reason],
        subsets: Sequence[Subset],
        draws: Draws,
        curves: Sequence[CurvePlan],
    ) -> None:
        """``curves`` read the scores of all queries as they pass."""
        contract, tune = context.contract, frames.tune
        self._tune = (
            TunePlan(tune, draws.n_folds, contract.fpr_budgets, draws.of_tune(tune)) if tune is not None else None
        )
        self.choices: tuple[Choice, ...] = self._tune.choices if self._tune else ()
        self._reasons: dict[ValueKey, Reason] = {}
        self._plans: list[tuple[str, SubsetPlan]] = []
        for subset in subsets:
            name = subset.record.id
            possible = [item for item in subset.wanted if item.id not in refusals]
            reading = curves if name == "all_queries" else ()
            plan = SubsetPlan(frames, subset.frames(frames), possible, draws, contract, self._tune, reading)
            self._reasons |= {(name, item.id): refusals[item.id] for item in subset.wanted if item.id in refusals}
            self._plans.append((name, plan))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        chosen = self._tune.thresholds(block) if self._tune else {}
        for _, plan in self._plans:
            plan.update(block, chosen)

    def outcomes(self) -> Outcomes:
        """Return what came of every metric, once all blocks have been taken in."""
        values = {(name, metric): values for name, plan in self._plans for metric, values in plan.values().items()}
        return {**values, **self._reasons}


def _over_trainings(trained: Sequence[Outcomes]) -> Outcomes:
    """Return the mean over trainings of each metric that all of them have, else the first reason that one has."""
    outcomes: dict[ValueKey, MetricValues | Reason] = {}
    for key in trained[0]:
        found = [one[key] for one in trained]
        reason = next((one for one in found if not isinstance(one, MetricValues)), None)
        outcomes[key] = reason or mean_over_trainings([one for one in found if isinstance(one, MetricValues)])
    return outcomes


class _Shapes:
    """Curves, distributions and thresholds of a system that was trained once."""

    def __init__(self, context: Context, frames: SystemFrames, subsets: tuple[Subset, ...], draws: Draws) -> None:
        contract = context.contract
        self._context, self._frames, self._subsets = context, frames, subsets
        by_fold = contract.text("headline_aggregation") == "fold_mean" and draws.n_folds > 1
        self._aggregation = "fold_mean" if by_fold else "pooled"
        self._gated = "probability" in frames.components
        kinds: tuple[CurveKind, ...] = ("roc", "pr")
        self._curves = [CurveOnGrid(kind, self._aggregation, draws) for kind in kinds] if self._gated else []
        self._decision = DecisionPlan(self._aggregation, draws, contract) if self._gated else None
        self._reliability = ReliabilityPlan(frames.query, draws, contract) if self._gated else None

    @property
    def of_scores(self) -> tuple[CurvePlan, ...]:
        """Return the curves that read the scores of all queries as they pass."""
        return (*self._curves, *((self._decision,) if self._decision else ()))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        if self._reliability is not None:
            self._reliability.update(block)

    def added_to(self, records: SystemRecords) -> SystemRecords:
        """Return the records with these shapes among them, once all blocks have been taken in."""
        (choices,), tune = records.choices, self._frames.tune
        run, contract, name = self._context.run, self._context.contract, self._frames.system.id
        return replace(
            records,
            curves=self._curve_records(),
            distributions=self._distributions(),
            thresholds=facts.threshold_records(run, self._frames, choices),
            sweeps=[threshold_sweep(name, tune, len(run.folds), contract)] if tune is not None else [],
        )

    def _curve_records(self) -> list[Curve]:
        name, contract = self._frames.system.id, self._context.contract
        plans: list[CurveOnGrid | ReliabilityPlan] = list(self._curves)
        if self._reliability is not None:
            plans.append(self._reliability)
        curves = [plan.curve(name, "all_queries", contract) for plan in plans]
        curves += self._decision.curves(name, "all_queries", contract) if self._decision else []
        if self._gated:
            curves += [corp_curve(self._frames.query, name, "all_queries"), *self._label_curves()]
        return [curve for curve in curves if curve is not None]

    def _label_curves(self) -> list[Curve | None]:
        """Return the ROC curve of every label, over all its queries."""
        name = self._frames.system.id
        return [
            label_roc(subset.frames(self._frames)["query"], name, subset.record.id, self._aggregation)
            for subset in self._subsets
            if subset.record.slice.startswith("label=") and subset.record.population == "all_queries"
        ]

    def _distributions(self) -> list[Distribution]:
        frames, name = self._frames, self._frames.system.id
        found: list[Distribution] = []
        if self._gated:
            found += score_distributions(frames.query, name, "all_queries")
        if "returned_k" in frames.query.columns:
            labels = tuple(label.id for label in self._context.run.labels)
            found += selected_k_distributions(frames.query, name, "all_queries", labels)
        if frames.rankings is not None:
            found += list_length_distributions(frames.rankings, frames.query, name)
        return found
