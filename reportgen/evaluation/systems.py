"""One system through an evaluation: planned once, fed with resamples block by block, then put into records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped] # ships no types

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Curve, Distribution, Estimate, Reason, ThresholdRecord, ThresholdSweep
from reportgen.evaluation import facts
from reportgen.evaluation.estimates import Context, estimates
from reportgen.evaluation.refusals import refusal
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice, TunePlan
from reportgen.metrics.weights import Block, Draws, draws_of
from reportgen.stats.curves import (
    CurveKind,
    CurveOnGrid,
    ReliabilityPlan,
    list_length_distributions,
    selected_k_distributions,
)
from reportgen.stats.decision import DecisionPlan
from reportgen.stats.shapes import corp_curve, label_roc, score_distributions
from reportgen.stats.sweep import threshold_sweep
from reportgen.stats.trainings import mean_over_trainings
from reportgen.stats.values import CurvePlan, MetricValues, SubsetPlan


@dataclass(frozen=True, slots=True)
class SystemPart:
    """The records of one system."""

    estimates: list[Estimate]
    curves: list[Curve]
    distributions: list[Distribution]
    thresholds: list[ThresholdRecord]
    sweeps: list[ThresholdSweep]
    choices: tuple[tuple[Choice, ...], ...] = ()
    """The thresholds chosen on TUNE, for each training of the system."""
    family: Mapping[tuple[str, MetricId], MetricValues] = field(default_factory=dict)
    """Subset id and metric to the values that comparisons need."""


def evaluate_system(
    context: Context,
    frames: SystemFrames,
    subsets: tuple[Subset, ...],
    signatures: Mapping[str, int],
    family: frozenset[tuple[str, MetricId]] = frozenset(),
) -> SystemPart:
    """Every block of resamples through one system; ``family`` names the values to hand back for comparisons."""
    draws = draws_of(context.run, context.contract)
    # BLAS in one thread: its products are exact, so threads change no bit, but they would wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        if frames.trainings:
            plans = [_fed(SystemPlan(context, one, subsets, draws)) for one in frames.trainings]
            part = _over_trainings(context, frames, subsets, signatures, family, [plan.outcomes() for plan in plans])
            return replace(part, choices=tuple(plan.choices for plan in plans))
        plan = _fed(SystemPlan(context, frames, subsets, draws))
        part = plan.part(signatures)
        kept = {key: values for key, values in plan.values().items() if key in family}
        return replace(part, choices=(plan.choices,), family=kept)


Outcomes: TypeAlias = Mapping[tuple[str, MetricId], "MetricValues | Reason"]
"""Subset id and metric to values, or to the reason why there are none."""


def _fed(plan: SystemPlan) -> SystemPlan:
    """The plan, with every block of resamples taken in."""
    for block in plan.draws.blocks():
        plan.update(block)
    return plan


def _over_trainings(
    context: Context,
    frames: SystemFrames,
    subsets: tuple[Subset, ...],
    signatures: Mapping[str, int],
    family: frozenset[tuple[str, MetricId]],
    trained: Sequence[Outcomes],
) -> SystemPart:
    """The records of a system that was trained several times: estimates alone, each a mean over trainings.

    Curves, distributions and thresholds are of one training; none of them may stand for the system.
    """
    records: list[Estimate] = []
    kept: dict[tuple[str, MetricId], MetricValues] = {}
    for subset in subsets:
        for item in subset.wanted:
            key = (subset.record.id, item.id)
            found = [outcomes[key] for outcomes in trained]
            values = [one for one in found if isinstance(one, MetricValues)]
            reason = next((one for one in found if not isinstance(one, MetricValues)), None)
            known = reason or mean_over_trainings(values)
            records += estimates(context, frames, subset, item, known, signatures)
            if isinstance(known, MetricValues) and key in family:
                kept[key] = known
    return SystemPart(records, [], [], [], [], family=kept)


class SystemPlan:
    """Everything about a system that does not depend on the weights, and the values as they come in."""

    def __init__(self, context: Context, frames: SystemFrames, subsets: tuple[Subset, ...], draws: Draws) -> None:
        contract = context.contract
        self._context, self.draws = context, draws
        self.frames = frames
        tune = frames.tune
        self._scope = "fold_mean" if contract.text("headline_scope") == "fold_mean" and draws.n_folds > 1 else "pooled"
        self._tune = (
            TunePlan(tune, draws.n_folds, contract.fpr_budgets, draws.of_tune(tune)) if tune is not None else None
        )
        self.choices = self._tune.choices if self._tune else ()
        gated = "gate" in frames.components
        kinds: tuple[CurveKind, ...] = ("roc", "pr")
        self._curves = [CurveOnGrid(kind, self._scope, draws) for kind in kinds] if gated else []
        self._decision = DecisionPlan(self._scope, draws, contract) if gated else None
        self._reliability = ReliabilityPlan(frames.query, draws, contract) if gated else None
        self._reasons: dict[str, dict[MetricId, Reason | None]] = {}
        self._plans: list[tuple[Subset, SubsetPlan]] = []
        for subset in subsets:
            reasons = {item.id: refusal(context, frames, item) for item in subset.wanted}
            possible = [item for item in subset.wanted if reasons[item.id] is None]
            curves: list[CurvePlan] = []
            if subset.record.id == "all_queries":
                curves += self._curves
                curves += [self._decision] if self._decision else []
            plan = SubsetPlan(frames, subset.frames(frames), possible, draws, contract, self._tune, curves)
            self._reasons[subset.record.id] = reasons
            self._plans.append((subset, plan))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        chosen = self._tune.thresholds(block) if self._tune else {}
        for _, plan in self._plans:
            plan.update(block, chosen)
        if self._reliability is not None:
            self._reliability.update(block)

    def values(self) -> dict[tuple[str, MetricId], MetricValues]:
        """Subset id and metric to values, once all blocks have been taken in."""
        return {
            (subset.record.id, metric_id): values
            for subset, plan in self._plans
            for metric_id, values in plan.values().items()
        }

    def outcomes(self) -> Outcomes:
        """The values, and the reasons where there are none, once all blocks have been taken in."""
        reasons = {
            (subset, metric): reason
            for subset, of_metrics in self._reasons.items()
            for metric, reason in of_metrics.items()
            if reason is not None
        }
        return {**self.values(), **reasons}

    def part(self, signatures: Mapping[str, int]) -> SystemPart:
        """The records, once all blocks have been taken in."""
        name, contract = self.frames.system.id, self._context.contract
        records: list[Estimate] = []
        for subset, plan in self._plans:
            values, reasons = plan.values(), self._reasons[subset.record.id]
            for item in subset.wanted:
                known = reasons[item.id] or values[item.id]
                records += estimates(self._context, self.frames, subset, item, known, signatures)
        plans: list[CurveOnGrid | ReliabilityPlan] = list(self._curves)
        if self._reliability is not None:
            plans.append(self._reliability)
        curves = [plan.curve(name, "all_queries", contract) for plan in plans]
        curves += self._decision.curves(name, "all_queries", contract) if self._decision else []
        distributions: list[Distribution] = []
        if "gate" in self.frames.components:
            curves += [corp_curve(self.frames.query, name, "all_queries"), *self._label_curves()]
            distributions += score_distributions(self.frames.query, name, "all_queries")
        tune = self.frames.tune
        if "returned_k" in self.frames.query.columns:
            labels = tuple(label.id for label in self._context.run.labels)
            distributions += selected_k_distributions(self.frames.query, name, "all_queries", labels)
        if self.frames.rankings is not None:
            distributions += list_length_distributions(self.frames.rankings, self.frames.query, name)
        return SystemPart(
            estimates=records,
            curves=[curve for curve in curves if curve is not None],
            distributions=distributions,
            thresholds=facts.threshold_records(self._context.run, self.frames, self.choices),
            sweeps=[threshold_sweep(name, tune, len(self._context.run.folds), contract)] if tune is not None else [],
        )

    def _label_curves(self) -> list[Curve | None]:
        """The ROC curve of every label, over all its queries."""
        name = self.frames.system.id
        return [
            label_roc(subset.frames(self.frames)["query"], name, subset.record.id, self._scope)
            for subset, _ in self._plans
            if subset.record.slice.startswith("label=") and subset.record.protocol == "all_queries"
        ]
