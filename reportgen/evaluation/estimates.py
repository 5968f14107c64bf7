"""Estimates: values become records with interval, spread, n, signature, interpretation and printed form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from reportgen import numbers, sentences
from reportgen.contracts import vocabulary
from reportgen.domain.contract import Contract
from reportgen.domain.record import (
    Counts,
    Display,
    Estimate,
    Interval,
    Reason,
    Spread,
    Status,
    Target,
    result_id,
)
from reportgen.domain.run import FloatArray, Run
from reportgen.evaluation.interval_notes import interval_notes
from reportgen.evaluation.intervals import intervals_of, share_and_trials
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.means import supplied_values
from reportgen.metrics.registry import Instance
from reportgen.stats.intervals import (
    Resampled,
    Settings,
    bootstrap_error,
    fold_spread,
    fold_values,
    query_quartiles,
    query_spread,
    seed_spread,
    seed_values,
    significant_digits,
)
from reportgen.stats.values import MetricValues

_ABSENT: dict[str, Reason] = {
    "tune": "no_tune_split",
    "threshold": "no_threshold_source",
    "labels": "no_labels",
}


@dataclass(frozen=True, slots=True)
class Context:
    """What all estimates of an evaluation share."""

    run: Run
    contract: Contract
    settings: Settings
    threads: int = 1
    """Blocks of resamples taken in at a time; changes no bit."""

    def resampled(self, values: FloatArray) -> Resampled:
        """Values of all rows of weights, told apart."""
        return Resampled(values, self.contract.integer("resamples"))

    def scopes(self, instance: Instance) -> tuple[str, ...]:
        """The scopes of a metric: fold means only where there are folds to average over."""
        several = len(self.run.folds) > 1
        return tuple(scope for scope in instance.metric.aggregations if scope == "pooled" or several)

    def needs(self, instance: Instance) -> tuple[str, ...]:
        """Components a system must have for a metric."""
        extra = ("threshold",) if instance.id.parameter == "tune" else ()
        return (*instance.metric.needs, *extra)


def missing_component(context: Context, frames: SystemFrames, instance: Instance) -> Reason | None:
    """Why a system cannot have a metric, or None if it can, of its own or with values that the run supplies."""
    if supplied_values(frames, instance.id) is not None:
        return None
    for need in context.needs(instance):
        if need not in frames.components:
            return _ABSENT.get(need, "component_absent")
    return None


def signature_table(context: Context, frames: Sequence[SystemFrames], subsets: Sequence[Subset]) -> dict[str, int]:
    """Every signature of an evaluation and its index, in the order of the records."""
    table: dict[str, int] = {}
    for system in frames:
        for subset in subsets:
            for instance in subset.wanted:
                for scope in context.scopes(instance):
                    table.setdefault(signature_of(context, system, subset, instance, scope), len(table))
    return table


def estimates(
    context: Context,
    frames: SystemFrames,
    subset: Subset,
    instance: Instance,
    values: MetricValues | Reason,
    signatures: Mapping[str, int],
) -> list[Estimate]:
    """The records of one metric on one subset of one system, one per scope."""
    return [
        _estimate(
            context,
            frames,
            subset,
            instance,
            values,
            scope,
            signatures[signature_of(context, frames, subset, instance, scope)],
        )
        for scope in context.scopes(instance)
    ]


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What was computed for one record, before it is put into words."""

    value: float | None
    status: Status
    reason: Reason | None
    intervals: tuple[Interval, ...] = ()
    points: tuple[float, ...] = ()
    """The folds' own values, NaN where undefined; empty where the record does not hold them."""
    spreads: tuple[Spread, ...] = ()
    quartiles: tuple[float, float, float] | None = None
    error: float | None = None
    design_effect: float | None = None
    seeds: tuple[float, ...] = ()
    """The trainings' own values, NaN where undefined; empty for a system of one training."""
    thinned: int = 0
    """Resamples in which a fold of a fold mean has no value."""

    @property
    def fold_sd(self) -> Spread | None:
        """The SD over folds, if the record holds it."""
        return next((spread for spread in self.spreads if spread.over == "fold"), None)


def _numbers(
    context: Context, subset: Subset, instance: Instance, values: MetricValues | Reason, scope: str
) -> _Numbers:
    if not isinstance(values, MetricValues):
        return _Numbers(None, "not_applicable", values)
    point = float(values.scopes[scope][0])
    holds_folds = len(context.run.folds) > 1 and scope == context.scopes(instance)[-1]
    points = tuple(values.folds.tolist()) if holds_folds else ()
    sd = fold_spread(points, context.contract.integer("sd_ddof"))
    seeds = tuple(values.seeds[scope].tolist()) if values.seeds else ()
    sds = (sd, seed_spread(seeds, context.contract.integer("sd_ddof")))
    spreads = tuple(spread for spread in sds if spread is not None)
    if math.isnan(point):
        return _Numbers(None, "undefined", instance.metric.undefined, points=points, spreads=spreads, seeds=seeds)
    errors = values.errors.get(scope)
    quartiles = None
    if values.per_query is not None and scope == "pooled" and len(values.per_query) > 1:
        spreads += (query_spread(values.per_query),)
        quartiles = query_quartiles(values.per_query)
    return _Numbers(
        value=point + 0.0,
        status="ok",
        reason=None,
        intervals=intervals_of(context, subset, instance, values, scope, points),
        points=points,
        spreads=spreads,
        quartiles=quartiles,
        error=None if (error := _standard_error(context, values, scope)) is None else significant_digits(error, 6),
        design_effect=errors.design_effect if errors else None,
        seeds=seeds,
        thinned=values.thinned if scope == "fold_mean" else 0,
    )


def _standard_error(context: Context, values: MetricValues, scope: str) -> float | None:
    """The SD of the resamples; of a value that is fitted to all rows the linearized error."""
    influence = values.influence.get(scope)
    if influence is not None:
        return influence.error(context.contract.text("interval_unit")) or None
    return bootstrap_error(context.resampled(values.scopes[scope]))


def _estimate(
    context: Context,
    frames: SystemFrames,
    subset: Subset,
    instance: Instance,
    values: MetricValues | Reason,
    scope: str,
    signature: int,
) -> Estimate:
    found = _numbers(context, subset, instance, values, scope)
    supplied = supplied_values(frames, instance.id) is not None
    n = _counts(context, subset, instance, values, scope, found.design_effect)
    display = _display(found, instance.metric.decimals)
    return Estimate(
        id=result_id(str(instance.id), frames.system.id, subset.record.id, scope),
        metric=str(instance.id),
        system=frames.system.id,
        subset=subset.record.id,
        scope=scope,
        value=found.value,
        status=found.status,
        reason=found.reason,
        provenance="supplied" if supplied else "computed",
        n=n,
        intervals=found.intervals,
        sd=found.spreads,
        quartiles=found.quartiles,
        se=found.error,
        folds=fold_values(found.points, context.run.folds, instance.metric.undefined),
        seeds=seed_values(found.seeds, [one.seed for one in frames.system.trainings], instance.metric.undefined),
        target=_target(context, subset, instance, scope, found.value),
        signature=signature,
        interpretation=_interpretation(context, subset, instance, found, scope, n, display),
        notes=_notes(context, subset, instance, found, n, supplied=supplied),
        display=display,
    )


def _interpretation(
    context: Context, subset: Subset, instance: Instance, found: _Numbers, scope: str, n: Counts, display: Display
) -> str:
    first = found.intervals[0] if found.intervals else None
    return sentences.interpretation(
        instance.text(instance.metric.interpretation),
        instance.title,
        status=found.status,
        reason=found.reason,
        display=display,
        interval=(first, context.settings.table[first.settings]) if first else None,
        scope=scope,
        n_defined_folds=sum(not math.isnan(point) for point in found.points),
        n_folds=len(context.run.folds),
        subset=subset.record,
        subset_words=subset.words,
        n=n,
        units=context.run.units,
    )


def _counts(
    context: Context,
    subset: Subset,
    instance: Instance,
    values: MetricValues | Reason,
    scope: str,
    design_effect: float | None,
) -> Counts:
    if not isinstance(values, MetricValues):
        return subset.counts(context.run, None)
    counts = subset.counts(context.run, values.left_out)
    if not design_effect:
        return counts
    counted = share_and_trials(instance, values, scope)
    effective = counted[1] if counted else counts.queries / design_effect
    return replace(
        counts,
        design_effect=significant_digits(design_effect, 6),
        effective=significant_digits(effective, 6),
    )


def _display(found: _Numbers, decimals: int) -> Display:
    if found.value is None:
        sign = numbers.NOT_APPLICABLE if found.status == "not_applicable" else numbers.UNDEFINED
        return Display(decimals=decimals, value=sign, interval="", sd="")
    first = found.intervals[0] if found.intervals else None
    return Display(
        decimals=decimals,
        value=numbers.fixed(found.value, decimals),
        interval=numbers.interval(first.lower, first.upper, decimals) if first else "",
        sd=numbers.fixed(found.fold_sd.value, decimals) if found.fold_sd else "",
    )


def _target(context: Context, subset: Subset, instance: Instance, scope: str, value: float | None) -> Target | None:
    """The contract's target, on the metric's headline population and scope."""
    population = context.contract.populations[instance.metric.family][0]
    shown = context.contract.text("headline_scope")
    if subset.record.slice or subset.record.protocol != population or value is None:
        return None
    if scope != (shown if shown in context.scopes(instance) else "pooled"):
        return None
    for target in context.contract.targets:
        if target.metric == str(instance.id):
            return Target(op=target.op, value=target.value, met=target.met_by(value), note=target.note)
    return None


def _key(key: str, subset: Subset) -> str:
    """The key that holds a convention on a population: empty gold has one of its own where all queries count."""
    return "empty_gold_all_queries" if key == "empty_gold" and subset.record.protocol == "all_queries" else key


def signature_of(context: Context, frames: SystemFrames, subset: Subset, instance: Instance, scope: str) -> str:
    """The conventions of a number, in one line; equal signatures may share a column.

    ``frames``: what the system has and what decides, not its values.
    """
    contract, words = context.contract, [str(instance.id)]
    if supplied_values(frames, instance.id) is not None:  # under which conventions, nobody here knows
        words.append("source:supplied")
    else:
        for key in instance.metric.conventions:
            name = _key(key, subset)
            setting = frames.decision if key == "gate" else contract[name]
            words.append(f"{vocabulary()[name].sign}:{setting}")
    if instance.id.parameter == "tune":
        words.append(f"threshold:{context.run.info.decision}")
    words.append(f"agg:{scope}")
    if len(context.run.folds) > 1:
        words.append(f"sd:fold,ddof={contract['sd_ddof']}")
    if frames.trainings:
        words.append("seeds:mean")
    words.append(
        f"ci:{contract['interval_unit']}_{contract['interval_method']},level={contract['interval_level']}"
        f",unit={context.run.units.cluster.one},strata={contract['interval_strata']}"
        f",B={contract['resamples']},seed={contract['seed']}"
    )
    return "|".join(words)


def _notes(
    context: Context, subset: Subset, instance: Instance, found: _Numbers, n: Counts, *, supplied: bool
) -> tuple[str, ...]:
    """Why a convention behind the number is questionable, and what is odd about its interval."""
    questionable, conventions = context.contract.questionable, () if supplied else instance.metric.conventions
    keys = [_key(key, subset) for key in conventions] + ["sd_ddof"] * (found.fold_sd is not None)
    notes = [questionable[key] for key in keys if key in questionable]
    if found.value is not None:
        notes += [_of_trainings(found)] if found.seeds else []
        notes += interval_notes(context, instance, found.value, found.intervals, n, found.thinned)
    return tuple(notes)


def _of_trainings(found: _Numbers) -> str:
    """What the value of a system that was trained several times is, and what its interval does not hold."""
    defined = sum(not math.isnan(value) for value in found.seeds)
    of = "" if defined == len(found.seeds) else f" of {len(found.seeds)}"
    interval = "; its interval does not hold how much another training would differ" if found.intervals else ""
    return f"Mean over {defined}{of} training seeds{interval}."
