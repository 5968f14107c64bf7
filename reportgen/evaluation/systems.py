"""One system through an evaluation: its plan is fed with resamples block by block, then its values become records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from msgspec import structs

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import (
    Curve,
    Distribution,
    Estimate,
    GroupDifference,
    Reason,
    ThresholdRecord,
    ThresholdSweep,
)
from reportgen.domain.run import Run
from reportgen.evaluation import facts
from reportgen.evaluation.context import Context
from reportgen.evaluation.estimates import estimate
from reportgen.evaluation.groups import group_differences
from reportgen.evaluation.plan import SystemPlan
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice, TunePlan
from reportgen.metrics.weights import Block, Draws, draws_of, draws_of_repeats, feed
from reportgen.stats.curves import (
    CurveKind,
    CurveOnGrid,
    DecisionPlan,
    ReliabilityPlan,
    corp_curve,
    label_roc,
    over_parts,
)
from reportgen.stats.distributions import (
    class_distributions,
    list_length_distributions,
    score_distributions,
    selected_k_distributions,
)
from reportgen.stats.distributions import over_parts as counts_over_parts
from reportgen.stats.score_pass import CurvePlan
from reportgen.stats.sweep import over_parts as sweep_over_parts
from reportgen.stats.sweep import threshold_sweep
from reportgen.stats.values import MetricValues, SubsetPlan, mean_over_parts

ValueKey: TypeAlias = tuple[str, MetricId]
"""Subset id and metric: which values are meant."""
Outcomes: TypeAlias = Mapping[ValueKey, "MetricValues | Reason"]
"""Values, or the reason why there are none."""
_ALL = "all_queries"
"""The subset of all queries, with which the curves, distributions and thresholds of a system are."""


@dataclass(frozen=True, slots=True)
class SystemRecords:
    """The records of one system, and the values that comparisons need."""

    estimates: list[Estimate]
    choices: tuple[tuple[Choice, ...], ...]
    """The thresholds chosen on TUNE, for each part of the system."""
    compared: Outcomes
    curves: list[Curve] = field(default_factory=list)
    distributions: list[Distribution] = field(default_factory=list)
    thresholds: list[ThresholdRecord] = field(default_factory=list)
    sweeps: list[ThresholdSweep] = field(default_factory=list)
    of_groups: list[GroupDifference] = field(default_factory=list)


def evaluate_system(
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey] = frozenset(),
    threads: int = 1,
    only: str | None = None,
) -> SystemRecords:
    """Take every block of resamples through one system; ``compared`` names the values to hand back for comparisons.

    What a system that was trained several times has is a mean over its trainings, with each beside it, and so it is
    over the repeats of a cross-validation; thresholds are of single trainings and repeats. ``threads``: blocks taken in
    at a time; changes no bit. ``only``: the subset whose records are wanted; curves, distributions and thresholds are
    with those of all queries.
    """
    run, name = context.run, system.frames.system.id
    draws = draws_of(run, context.contract)
    of_parts = draws_of_repeats(run, context.contract) or (draws,) * len(system.parts)
    runs = run.repeats or (run,) * len(system.parts)
    shapes = [
        _Shapes(context.contract, of_part, name, frames, subsets, own)
        for of_part, frames, own in zip(runs, system.parts, of_parts, strict=True)
        if only in (None, _ALL)
    ]
    curves = [of_part.of_scores for of_part in shapes] or [()] * len(system.parts)
    wanted = [one for one in subsets if only in (None, one.record.id)]
    plans = [
        _ValuePlan(context, frames, refusals, wanted, own, reading)
        for frames, refusals, own, reading in zip(system.parts, system.refusals, of_parts, curves, strict=True)
    ]
    update: list[Callable[[Block], None]] = [plan.update for plan in plans]
    feed(draws, [*update, *(of_part.update for of_part in shapes)], threads)
    found = [plan.outcomes() for plan in plans]
    outcomes = _over_parts(found, in_repeats=bool(run.repeats)) if system.frames.parts else found[0]
    records = SystemRecords(
        estimates=[
            estimate(context, system, asked, outcomes[asked.subset.record.id, asked.item.id])
            for asked in system.records
            if only in (None, asked.subset.record.id)
        ],
        choices=tuple(plan.choices for plan in plans),
        compared={key: outcomes[key] for key in compared if key in outcomes},
        of_groups=list(group_differences(context, name, system.frames.system.label, subsets, outcomes)),
    )
    if not shapes:
        return records
    if system.frames.parts:
        seeds = [one.seed for one in system.frames.system.trainings]
        return _with_shapes_of_parts(records, shapes, seeds, [one.repeat for one in run.repeats])
    return shapes[0].added_to(replace(records, curves=shapes[0].curves()))


def joined(parts: Mapping[str | None, SystemRecords]) -> SystemRecords:
    """Return the records of a system from those of its subsets by their ids, in the order of the subsets.

    What is under None was evaluated as a whole, and is returned as it is.
    """
    if None in parts:
        return parts[None]
    return replace(
        parts[_ALL],
        estimates=[record for one in parts.values() for record in one.estimates],
        compared={key: values for one in parts.values() for key, values in one.compared.items()},
    )


class _ValuePlan:
    """Everything about the values of a system, or of one of its parts, that does not depend on the weights."""

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
            TunePlan(tune, draws.n_folds, contract.every_budget, draws.of_tune(tune)) if tune is not None else None
        )
        self.choices: tuple[Choice, ...] = self._tune.choices if self._tune else ()
        self._reasons: dict[ValueKey, Reason] = {}
        self._plans: list[tuple[str, SubsetPlan]] = []
        for subset in subsets:
            name = subset.record.id
            possible = [item for item in subset.wanted if item.id not in refusals]
            reading = curves if name == _ALL else ()
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


def _over_parts(parts: Sequence[Outcomes], *, in_repeats: bool) -> Outcomes:
    """Return the mean over parts of each metric that all of them have, else the first reason that one has."""
    outcomes: dict[ValueKey, MetricValues | Reason] = {}
    for key in parts[0]:
        found = [one[key] for one in parts]
        reason = next((one for one in found if not isinstance(one, MetricValues)), None)
        outcomes[key] = reason or mean_over_parts(
            [one for one in found if isinstance(one, MetricValues)], in_repeats=in_repeats
        )
    return outcomes


def _with_shapes_of_parts(
    records: SystemRecords, parts: Sequence[_Shapes], seeds: Sequence[str], repeats: Sequence[str]
) -> SystemRecords:
    """Return the records with curves, distributions and sweeps over parts, where all have them, and thresholds.

    The parts are trainings, with ``seeds``, or ``repeats``; a threshold of a repeat is known by its fold.
    """
    each = [
        one.added_to(replace(records, choices=(choices,))) for one, choices in zip(parts, records.choices, strict=True)
    ]
    counted = [{one.id: one for one in of.distributions} for of in each]
    swept = [one.sweeps for one in each]
    return replace(
        records,
        curves=_mean_curves(parts, seeds),
        distributions=[
            counts_over_parts([one[id_] for one in counted], seeds, repeats, parts[0].labels)
            for id_ in counted[0]
            if all(id_ in one for one in counted)
        ],
        thresholds=[
            structs.replace(threshold, id=f"{threshold.id}|seed={seed}", seed=seed) if seed else threshold
            for seed, of in zip(seeds or [""] * len(each), each, strict=True)
            for threshold in of.thresholds
        ],
        sweeps=[sweep_over_parts([one[0] for one in swept], seeds)] if all(swept) else [],
    )


def _mean_curves(parts: Sequence[_Shapes], seeds: Sequence[str]) -> list[Curve]:
    """Return the curves of a system of several parts, with those of its trainings; ``seeds`` is empty for repeats.

    As with values, none where one part lacks the scores.
    """
    if not all(one.has_order for one in parts):
        return []
    sampled = {curve.id: curve for curve in _Shapes.mean_of(parts).curves_under_resamples()}
    own = [{curve.id: curve for curve in one.curves()} for one in parts]
    # Whether all queries have a curve depends on the truth alone, so all parts have it or none.
    shared = [id_ for id_ in own[0] if all(id_ in one for one in own)]
    return [over_parts([one[id_] for one in own], seeds, sampled.get(id_)) for id_ in shared]


class _Shapes:
    """Curves, distributions and thresholds of a system that has one output for each query, or of one of its parts."""

    def __init__(
        self,
        contract: Contract,
        run: Run,
        name: str,
        frames: SystemFrames,
        subsets: tuple[Subset, ...],
        draws: Draws,
    ) -> None:
        """``run`` is the repeat, of a part that is one; ``name`` is the system's id, also for one of its parts."""
        self._contract, self._run, self._name, self._frames, self._subsets = contract, run, name, frames, subsets
        self.labels = tuple(label.id for label in run.labels)
        by_fold = contract.text("headline_aggregation") == "fold_mean" and draws.n_folds > 1
        self._aggregation = "fold_mean" if by_fold else "pooled"
        self.has_probabilities = "probability" in frames.components
        kinds: tuple[CurveKind, ...] = ("roc", "pr")
        self.has_order = "order" in frames.components
        self._curves = [CurveOnGrid(kind, self._aggregation, draws) for kind in kinds] if self.has_order else []
        self._decision = DecisionPlan(self._aggregation, draws, contract) if self.has_probabilities else None
        self._reliability = ReliabilityPlan(frames.query, draws, contract) if self.has_probabilities else None

    @property
    def of_scores(self) -> tuple[CurvePlan, ...]:
        """Return the curves that read the scores of all queries as they pass."""
        return (*self._curves, *((self._decision,) if self._decision else ()))

    def update(self, block: Block) -> None:
        """Take in a block of weights."""
        if self._reliability is not None:
            self._reliability.update(block)

    def added_to(self, records: SystemRecords) -> SystemRecords:
        """Return the records with distributions, thresholds and sweeps among them."""
        (choices,), tune = records.choices, self._frames.tune
        run, contract, name = self._run, self._contract, self._name
        return replace(
            records,
            distributions=self._distributions(),
            thresholds=facts.threshold_records(run, name, self._frames, choices),
            sweeps=[threshold_sweep(name, tune, len(run.folds), contract)] if tune is not None else [],
        )

    @staticmethod
    def mean_of(trainings: Sequence[_Shapes]) -> _Shapes:
        """Return the shapes whose curves under resamples are the means over trainings; the others are of the first."""
        mean = copy(trainings[0])
        mean._curves = [CurveOnGrid.mean_of(plans) for plans in zip(*(one._curves for one in trainings), strict=True)]
        if mean.has_probabilities:
            mean._decision = DecisionPlan.mean_of([one._decision for one in trainings if one._decision])
            mean._reliability = ReliabilityPlan.mean_of([one._reliability for one in trainings if one._reliability])
        return mean

    def curves_under_resamples(self) -> list[Curve]:
        """Return the curves with a band."""
        name, contract = self._name, self._contract
        plans: list[CurveOnGrid | ReliabilityPlan] = list(self._curves)
        if self._reliability is not None:
            plans.append(self._reliability)
        curves = [curve for plan in plans if (curve := plan.curve(name, _ALL, contract)) is not None]
        return curves + (self._decision.curves(name, _ALL, contract) if self._decision else [])

    def curves(self) -> list[Curve]:
        """Return all curves."""
        if not self.has_order:
            return []
        calibrated = [corp_curve(self._frames.query, self._name, _ALL)] if self.has_probabilities else []
        others = [*calibrated, *self._label_curves()]
        return [*self.curves_under_resamples(), *(curve for curve in others if curve is not None)]

    def _label_curves(self) -> list[Curve | None]:
        """Return the ROC curve of every label, over all its queries."""
        return [
            label_roc(subset.frames(self._frames)["query"], self._name, subset.record.id, self._aggregation)
            for subset in self._subsets
            if subset.record.slice.startswith("label=") and subset.record.population == "all_queries"
        ]

    def _distributions(self) -> list[Distribution]:
        frames, name = self._frames, self._name
        found: list[Distribution] = []
        if self.has_probabilities:
            found += score_distributions(frames.query, name, _ALL)
        if "returned_k" in frames.query.columns:
            found += selected_k_distributions(frames.query, name, _ALL, self.labels)
        if frames.row is not None and any(subset.record.population == "all_rows" for subset in self._subsets):
            found += class_distributions(frames.row, name, self.labels)
        if frames.rankings is not None:
            found += list_length_distributions(frames.rankings, frames.query, name)
        return found
