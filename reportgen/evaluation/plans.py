"""The values of one system on every subset: planned once, fed with resamples block by block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reason
from reportgen.evaluation.estimates import Context
from reportgen.evaluation.refusals import refusal
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice, TunePlan
from reportgen.metrics.weights import Block, Draws, feed
from reportgen.stats.score_pass import CurvePlan
from reportgen.stats.trainings import mean_over_trainings
from reportgen.stats.values import MetricValues, SubsetPlan

Outcomes: TypeAlias = Mapping[tuple[str, MetricId], "MetricValues | Reason"]
"""Subset id and metric to values, or to the reason why there are none."""


class ValuePlan:
    """Everything about the values of a system, or of one of its trainings, that does not depend on the weights."""

    def __init__(
        self,
        context: Context,
        frames: SystemFrames,
        subsets: Sequence[Subset],
        draws: Draws,
        curves: Sequence[CurvePlan] = (),
        errors: bool = True,
    ) -> None:
        """``curves`` read the scores of all queries as they pass; ``errors``: whether linearized ones are wanted."""
        contract, tune = context.contract, frames.tune
        self._tune = (
            TunePlan(tune, draws.n_folds, contract.fpr_budgets, draws.of_tune(tune)) if tune is not None else None
        )
        self.choices: tuple[Choice, ...] = self._tune.choices if self._tune else ()
        self._reasons: dict[tuple[str, MetricId], Reason] = {}
        self._plans: list[tuple[str, SubsetPlan]] = []
        for subset in subsets:
            name = subset.record.id
            reasons = {item.id: refusal(context, frames, item) for item in subset.wanted}
            possible = [item for item in subset.wanted if reasons[item.id] is None]
            reading = curves if name == "all_queries" else ()
            plan = SubsetPlan(frames, subset.frames(frames), possible, draws, contract, self._tune, reading, errors)
            self._reasons |= {(name, metric): reason for metric, reason in reasons.items() if reason is not None}
            self._plans.append((name, plan))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        chosen = self._tune.thresholds(block) if self._tune else {}
        for _, plan in self._plans:
            plan.update(block, chosen)

    def outcomes(self) -> Outcomes:
        """What came of every metric, once all blocks have been taken in."""
        values = {(name, metric): values for name, plan in self._plans for metric, values in plan.values().items()}
        return {**values, **self._reasons}


@dataclass(frozen=True, slots=True)
class SystemValues:
    """What came of every metric of a system."""

    outcomes: Outcomes
    choices: tuple[tuple[Choice, ...], ...]
    """The thresholds chosen on TUNE, for each training of the system."""


def system_values(
    context: Context,
    frames: SystemFrames,
    subsets: Sequence[Subset],
    draws: Draws,
    curves: Sequence[CurvePlan] = (),
    also: Sequence[Callable[[Block], None]] = (),
    errors: bool = True,
) -> SystemValues:
    """Every block of weights through the metrics of a system; one that was trained several times has their means.

    ``curves`` read the scores of all queries as they pass, and ``also`` take in every block; both are of one training.
    ``errors``: whether linearized errors are wanted beside the values.
    """
    plans = [ValuePlan(context, one, subsets, draws, curves, errors) for one in frames.trainings or (frames,)]
    feed(draws, [*(plan.update for plan in plans), *also], context.threads)
    found = [plan.outcomes() for plan in plans]
    outcomes = _over_trainings(found) if frames.trainings else found[0]
    return SystemValues(outcomes, tuple(plan.choices for plan in plans))


def _over_trainings(trained: Sequence[Outcomes]) -> Outcomes:
    """The mean over trainings of each metric that all of them have; for the others the first reason that one has."""
    outcomes: dict[tuple[str, MetricId], MetricValues | Reason] = {}
    for key in trained[0]:
        found = [one[key] for one in trained]
        reason = next((one for one in found if not isinstance(one, MetricValues)), None)
        outcomes[key] = reason or mean_over_trainings([one for one in found if isinstance(one, MetricValues)])
    return outcomes
