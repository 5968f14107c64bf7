"""One system through an evaluation: its plan is fed with resamples block by block, then its values become records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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
from reportgen.evaluation.groups import group_differences, keys_of_groups
from reportgen.evaluation.plan import SystemPlan
from reportgen.evaluation.shares import ALL, Share
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.thresholds import Choice, TunePlan
from reportgen.metrics.weights import Block, Draws, draws_of, draws_of_repeats, feed
from reportgen.stats.curves import (
    BandPlan,
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
from reportgen.stats.sweep import over_parts as sweep_over_parts
from reportgen.stats.sweep import threshold_sweep
from reportgen.stats.values import MetricValues, SubsetPlan, mean_over_parts

ValueKey: TypeAlias = tuple[str, MetricId]
"""Subset id and metric: which values are meant."""
Outcomes: TypeAlias = Mapping[ValueKey, "MetricValues | Reason"]
"""Values, or the reason why there are none."""


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
    of_each_group: Outcomes = field(default_factory=dict)
    """The values of a share on groups of queries, until those of all groups are there to be compared."""


@dataclass(frozen=True, slots=True)
class _Fixed:
    """What a system, or one of its parts, has beside values and does not depend on the weights."""

    labels: tuple[str, ...]
    curves: list[Curve]
    distributions: list[Distribution]
    thresholds: list[ThresholdRecord]
    sweeps: list[ThresholdSweep]


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of one system and share under some rows of weights: all that its records are made of."""

    outcomes: Sequence[Outcomes]
    """Of each part of the system."""
    choices: tuple[tuple[Choice, ...], ...]
    bands: list[list[BandPlan]]
    """Of each part the curves under every row of weights; empty for a share without curves."""
    fixed: list[_Fixed]
    """Of each part; with the first rows alone."""

    def within(self, rows: slice) -> Taken:
        """Return what came of some rows of weights."""
        outcomes = [
            {key: one.within(rows) if isinstance(one, MetricValues) else one for key, one in part.items()}
            for part in self.outcomes
        ]
        return replace(self, outcomes=outcomes, bands=[[one.within(rows) for one in part] for part in self.bands])


def _of_all_rows(pieces: Sequence[Taken]) -> Taken:
    """Return what came of all rows of weights from what came of consecutive ones."""
    first = pieces[0]

    def outcome(part: int, key: ValueKey) -> MetricValues | Reason:
        found = [one for piece in pieces if isinstance(one := piece.outcomes[part][key], MetricValues)]
        return MetricValues.joined(found) if found else first.outcomes[part][key]

    return replace(
        first,
        outcomes=[{key: outcome(part, key) for key in keys} for part, keys in enumerate(first.outcomes)],
        bands=[
            [type(same[0]).joined(same) for same in zip(*of_part, strict=True)]
            for of_part in zip(*(one.bands for one in pieces), strict=True)
        ],
    )


def evaluate_system(
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey] = frozenset(),
    threads: int = 1,
    share: Share | None = None,
) -> SystemRecords | Taken:
    """Take blocks of resamples through one system; ``compared`` names the values to hand back for comparisons.

    What a system that was trained several times has is a mean over its trainings, with each beside it, and so it is
    over the repeats of a cross-validation; thresholds are of single trainings and repeats. ``threads``: blocks taken in
    at a time; changes no bit. ``share``: what of it is wanted; of some rows of weights no records can be made yet.
    """
    draws = draws_of(context.run, context.contract)
    taken = _take_in(context, system, subsets, draws, compared, threads, share)
    if share is not None and share.of > 1:
        return taken.within(share.rows(draws))
    return _records(context, system, subsets, compared, taken, share)


def _take_in(
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    draws: Draws,
    compared: frozenset[ValueKey],
    threads: int,
    share: Share | None,
) -> Taken:
    run, contract = context.run, context.contract
    if len(system.parts) > 1:  # whose influences have a mean
        compared = frozenset((one.record.id, item.id) for one in subsets for item in one.wanted)
    of_parts = draws_of_repeats(run, contract) or (draws,) * len(system.parts)
    runs = run.repeats or (run,) * len(system.parts)
    has_curves = share is None or share.has_curves
    bands = [
        _bands(contract, frames, own) if has_curves else [] for frames, own in zip(system.parts, of_parts, strict=True)
    ]
    plans = [
        _ValuePlan(
            context,
            frames,
            refusals,
            subsets,
            own,
            [one for one in band if isinstance(one, CurveOnGrid | DecisionPlan)],
            compared.union(keys_of_groups(subsets)),
            share,
        )
        for frames, refusals, own, band in zip(system.parts, system.refusals, of_parts, bands, strict=True)
    ]
    update: list[Callable[[Block], None]] = [plan.update for plan in plans]
    update += [one.update for band in bands for one in band if isinstance(one, ReliabilityPlan)]
    feed(draws, update, threads, None if share is None else share.spans(draws))
    name, fixed = system.frames.system.id, list[_Fixed]()
    if has_curves and (share is None or share.nth == 0):
        fixed = [
            _fixed(contract, of_part, name, frames, subsets, plan.choices)
            for of_part, frames, plan in zip(runs, system.parts, plans, strict=True)
        ]
    return Taken([plan.outcomes() for plan in plans], tuple(plan.choices for plan in plans), bands, fixed)


def _records(
    context: Context,
    system: SystemPlan,
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey],
    taken: Taken,
    share: Share | None,
) -> SystemRecords:
    run, found, name = context.run, taken.outcomes, system.frames.system.id
    outcomes = _over_parts(found, in_repeats=bool(run.repeats)) if system.frames.parts else found[0]
    of_groups = keys_of_groups(subsets) if share is not None else ()
    records = SystemRecords(
        estimates=[
            estimate(context, system, asked, outcomes[asked.subset.record.id, asked.item.id])
            for asked in system.records
        ],
        choices=taken.choices,
        compared={key: outcomes[key] for key in compared if key in outcomes},
        of_each_group={key: outcomes[key] for key in of_groups if key in outcomes},
    )
    if share is None:
        records = replace(records, of_groups=list(_group_differences(context, system, subsets, outcomes)))
    if not taken.fixed:
        return records
    curves = [
        [curve for one in band for curve in one.curves(name, ALL, context.contract)] + fixed.curves
        for band, fixed in zip(taken.bands, taken.fixed, strict=True)
    ]
    if system.frames.parts:
        seeds = [one.seed for one in system.frames.system.trainings]
        return _with_shapes_of_parts(context, records, taken, curves, name, seeds)
    (fixed,) = taken.fixed
    return replace(
        records,
        curves=curves[0],
        distributions=fixed.distributions,
        thresholds=fixed.thresholds,
        sweeps=fixed.sweeps,
    )


def joined(
    context: Context,
    system: SystemPlan,
    pieces: Mapping[Share | None, SystemRecords | Taken],
    subsets: tuple[Subset, ...],
    compared: frozenset[ValueKey],
) -> SystemRecords:
    """Return the records of a system from what came of all its shares; what is under None came of all of it."""
    found: dict[Share, SystemRecords] = {}
    rows: dict[tuple[str, str], list[tuple[int, Taken]]] = {}
    for share, piece in pieces.items():
        if isinstance(piece, SystemRecords):
            if share is None:
                return piece
            found[share] = piece
        elif share is not None:
            rows.setdefault((share.subset, share.need), []).append((share.nth, piece))
    for (subset, need), of_rows in rows.items():
        share = Share(subset, need)
        taken = _of_all_rows([piece for _, piece in sorted(of_rows, key=lambda one: one[0])])
        found[share] = _records(context, share.of_system(system), subsets, compared, taken, share)
    estimates = {
        id(asked): record
        for share, records in found.items()
        for asked, record in zip(share.of_system(system).records, records.estimates, strict=True)
    }
    of_each_group = {key: values for one in found.values() for key, values in one.of_each_group.items()}
    return replace(
        next(records for share, records in found.items() if share.has_curves),
        estimates=[estimates[id(asked)] for asked in system.records],
        compared={key: values for one in found.values() for key, values in one.compared.items()},
        of_groups=list(_group_differences(context, system, subsets, of_each_group)),
        of_each_group={},
    )


def _group_differences(
    context: Context, system: SystemPlan, subsets: tuple[Subset, ...], outcomes: Outcomes
) -> Iterator[GroupDifference]:
    of = system.frames.system
    return group_differences(context, of.id, of.label, subsets, outcomes)


class _ValuePlan:
    """Everything about the values of a system, or of one of its parts, that does not depend on the weights."""

    def __init__(
        self,
        context: Context,
        frames: SystemFrames,
        refusals: Mapping[MetricId, Reason],
        subsets: Sequence[Subset],
        draws: Draws,
        bands: Sequence[BandPlan],
        compared: frozenset[ValueKey],
        share: Share | None,
    ) -> None:
        """``bands``: of them some read the scores of all queries as they pass; ``compared``: values whose influences
        are wanted; ``share``: which metrics are.
        """
        contract, tune = context.contract, frames.tune
        curves = [one for one in bands if isinstance(one, CurveOnGrid | DecisionPlan)]
        self._tune = (
            TunePlan(tune, draws.n_folds, contract.every_budget, draws.of_tune(tune)) if tune is not None else None
        )
        self.choices: tuple[Choice, ...] = self._tune.choices if self._tune else ()
        self._reasons: dict[ValueKey, Reason] = {}
        self._plans: list[tuple[str, SubsetPlan]] = []
        for subset in subsets:
            name = subset.record.id
            if share is not None and name != share.subset:
                continue
            wanted = [item for item in subset.wanted if share is None or share.holds(subset, item)]
            possible = [item for item in wanted if item.id not in refusals]
            reading = curves if name == ALL else ()
            moved = {item.id for item in wanted if (name, item.id) in compared}
            plan = SubsetPlan(
                frames,
                subset.frames(frames),
                possible,
                draws,
                contract,
                self._tune,
                reading,
                moved,
                first=share is None or share.nth == 0,
            )
            self._reasons |= {(name, item.id): refusals[item.id] for item in wanted if item.id in refusals}
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
    context: Context,
    records: SystemRecords,
    taken: Taken,
    own: Sequence[Sequence[Curve]],
    name: str,
    seeds: Sequence[str],
) -> SystemRecords:
    """Return the records with curves, distributions and sweeps over parts, where all have them, and thresholds.

    The parts are trainings, with ``seeds``, or repeats; a threshold of a repeat is known by its fold. ``own``: the
    curves of each part.
    """
    repeats, each = [one.repeat for one in context.run.repeats], taken.fixed
    counted = [{one.id: one for one in of.distributions} for of in each]
    swept = [of.sweeps for of in each]
    return replace(
        records,
        curves=_mean_curves(context, taken, own, name, seeds),
        distributions=[
            counts_over_parts([one[id_] for one in counted], seeds, repeats, each[0].labels)
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


def _mean_curves(
    context: Context, taken: Taken, own: Sequence[Sequence[Curve]], name: str, seeds: Sequence[str]
) -> list[Curve]:
    """Return the curves of a system of several parts, with those of its trainings; ``seeds`` is empty for repeats.

    As with values, none where one part lacks the scores.
    """
    # A part may lack what another has; its curve is then no curve of the system, either.
    means = [type(same[0]).mean_of(same) for same in zip(*taken.bands, strict=False)]
    sampled = {curve.id: curve for one in means for curve in one.curves(name, ALL, context.contract)}
    by_id = [{curve.id: curve for curve in of_part} for of_part in own]
    # Whether all queries have a curve depends on the truth alone, so all parts have it or none.
    shared = [id_ for id_ in by_id[0] if all(id_ in one for one in by_id)]
    return [over_parts([one[id_] for one in by_id], seeds, sampled.get(id_)) for id_ in shared]


def _aggregation(contract: Contract, n_folds: int) -> str:
    return "fold_mean" if contract.text("headline_aggregation") == "fold_mean" and n_folds > 1 else "pooled"


def _bands(contract: Contract, frames: SystemFrames, draws: Draws) -> list[BandPlan]:
    """Return the curves under every row of weights that a system, or one of its parts, can have."""
    aggregation, kinds = _aggregation(contract, draws.n_folds), tuple[CurveKind, ...](("roc", "pr"))
    found: list[BandPlan] = []
    if "order" in frames.components:
        found += [CurveOnGrid(kind, aggregation, draws) for kind in kinds]
    if "probability" in frames.components:
        found += [ReliabilityPlan(frames.query, draws, contract), DecisionPlan(aggregation, draws, contract)]
    return found


def _fixed(
    contract: Contract,
    run: Run,
    name: str,
    frames: SystemFrames,
    subsets: Sequence[Subset],
    choices: tuple[Choice, ...],
) -> _Fixed:
    """Return what does not depend on the weights; ``name``: the system's id, also for one of its parts."""
    labels = tuple(label.id for label in run.labels)
    curves: list[Curve | None] = []
    if "probability" in frames.components and frames.query.weight is None:
        curves.append(corp_curve(frames.query, name, ALL))
    if "order" in frames.components:
        aggregation = _aggregation(contract, len(run.folds))
        curves += [
            label_roc(subset.frames(frames)["query"], name, subset.record.id, aggregation)
            for subset in subsets
            if subset.record.slice.startswith("label=") and subset.record.population == "all_queries"
        ]
    return _Fixed(
        labels,
        [curve for curve in curves if curve is not None],
        _distributions(frames, name, subsets, labels),
        facts.threshold_records(run, name, frames, choices),
        [threshold_sweep(name, frames.tune, len(run.folds), contract)] if frames.tune is not None else [],
    )


def _distributions(
    frames: SystemFrames, name: str, subsets: Sequence[Subset], labels: tuple[str, ...]
) -> list[Distribution]:
    found: list[Distribution] = []
    if frames.query.weight is not None:  # counts take each query once
        return found
    if "probability" in frames.components:
        found += score_distributions(frames.query, name, ALL)
    if "returned_k" in frames.query.columns:
        found += selected_k_distributions(frames.query, name, ALL, labels)
    if frames.row is not None and any(subset.record.population == "all_rows" for subset in subsets):
        found += class_distributions(frames.row, name, labels)
    if frames.rankings is not None:
        found += list_length_distributions(frames.rankings, frames.query, name)
    return found
