"""One system through an evaluation: planned once, fed with resamples block by block, then put into records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Curve, Distribution, Estimate, ThresholdRecord, ThresholdSweep
from reportgen.evaluation import facts
from reportgen.evaluation.estimates import Context, estimates
from reportgen.evaluation.plans import system_values
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice
from reportgen.metrics.weights import Block, Draws, draws_of
from reportgen.stats.curves import (
    CurveKind,
    CurveOnGrid,
    ReliabilityPlan,
    list_length_distributions,
    selected_k_distributions,
)
from reportgen.stats.decision import DecisionPlan
from reportgen.stats.score_pass import CurvePlan
from reportgen.stats.shapes import corp_curve, label_roc, score_distributions
from reportgen.stats.sweep import threshold_sweep
from reportgen.stats.values import MetricValues


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
    """Every block of resamples through one system; ``family`` names the values to hand back for comparisons.

    A system that was trained several times has estimates alone, each a mean over trainings: curves, distributions and
    thresholds are of one training, and none of them may stand for the system.
    """
    draws = draws_of(context.run, context.contract)
    shapes = None if frames.trainings else _Shapes(context, frames, subsets, draws)
    curves, also = (shapes.of_scores, (shapes.update,)) if shapes else ((), ())
    values = system_values(context, frames, subsets, draws, curves, also)
    records = [
        record
        for subset in subsets
        for item in subset.wanted
        for record in estimates(context, frames, subset, item, values.outcomes[subset.record.id, item.id], signatures)
    ]
    kept = {key: one for key in family if isinstance(one := values.outcomes.get(key), MetricValues)}
    part = SystemPart(records, [], [], [], [], family=kept, choices=values.choices)
    return shapes.beside(part) if shapes else part


class _Shapes:
    """Curves, distributions and thresholds of a system that was trained once."""

    def __init__(self, context: Context, frames: SystemFrames, subsets: tuple[Subset, ...], draws: Draws) -> None:
        contract = context.contract
        self._context, self._frames, self._subsets = context, frames, subsets
        self._scope = "fold_mean" if contract.text("headline_scope") == "fold_mean" and draws.n_folds > 1 else "pooled"
        self._gated = "gate" in frames.components
        kinds: tuple[CurveKind, ...] = ("roc", "pr")
        self._curves = [CurveOnGrid(kind, self._scope, draws) for kind in kinds] if self._gated else []
        self._decision = DecisionPlan(self._scope, draws, contract) if self._gated else None
        self._reliability = ReliabilityPlan(frames.query, draws, contract) if self._gated else None

    @property
    def of_scores(self) -> tuple[CurvePlan, ...]:
        """The curves that read the scores of all queries as they pass."""
        return (*self._curves, *((self._decision,) if self._decision else ()))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        if self._reliability is not None:
            self._reliability.update(block)

    def beside(self, part: SystemPart) -> SystemPart:
        """The part with these records, once all blocks have been taken in."""
        (choices,), tune = part.choices, self._frames.tune
        run, contract, name = self._context.run, self._context.contract, self._frames.system.id
        return replace(
            part,
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
        """The ROC curve of every label, over all its queries."""
        return [
            label_roc(subset.frames(self._frames)["query"], self._frames.system.id, subset.record.id, self._scope)
            for subset in self._subsets
            if subset.record.slice.startswith("label=") and subset.record.protocol == "all_queries"
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
