"""Estimates: values become records with interval, spread, n, signature, interpretation and printed form."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec.structs import replace

from reportgen import numbers
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Counts, Display, Estimate, Interval, Reason, Spread, Status, Target, result_id
from reportgen.evaluation.context import Context
from reportgen.evaluation.intervals import interval_notes, intervals_of, share_and_trials
from reportgen.evaluation.plan import Asked, SystemPlan
from reportgen.metrics.registry import STAND_INS, Instance
from reportgen.stats.intervals import (
    bootstrap_error,
    fold_values,
    query_quartiles,
    query_spread,
    repeat_values,
    seed_values,
    significant_digits,
    spread_over,
)
from reportgen.stats.linearize import FittedErrors
from reportgen.stats.values import MetricValues
from reportgen.wording.deciders import decided_clause
from reportgen.wording.values import FEW_CLUSTERS, interpretation

_EMPTY_GOLD = ("empty_gold", "empty_gold_all_queries", "empty_gold_selection")
"""The conventions on queries without relevant candidates."""
_ROUNDING = 1e-6
"""A smaller design effect is one of rounding: the value is the same in every cluster, whatever its queries are."""


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
    repeats: tuple[float, ...] = ()
    """The repeats' own values, NaN where undefined; empty where nothing was repeated."""
    with_fewer_folds: int = 0
    """Resamples in which a fold of a fold mean has no value."""

    @property
    def fold_sd(self) -> Spread | None:
        """Return the SD over folds, if the record holds it."""
        return next((spread for spread in self.spreads if spread.over == "fold"), None)


def estimate(context: Context, system: SystemPlan, asked: Asked, values: MetricValues | Reason) -> Estimate:
    """Return the record of one metric on one subset of one system under one aggregation."""
    subset, item = asked.subset, asked.item
    found = _numbers(context, asked, values)
    n = _counts(context, asked, values, found.design_effect)
    display = _display(found, item.metric.decimals, item.metric.range)
    supplied = item.id in system.supplied
    of_system = system.frames.system
    return Estimate(
        id=result_id(str(item.id), of_system.id, subset.record.id, asked.aggregation),
        metric=str(item.id),
        system=of_system.id,
        subset=subset.record.id,
        aggregation=asked.aggregation,
        value=found.value,
        status=found.status,
        reason=found.reason,
        provenance="supplied" if supplied else "computed",
        n=n,
        intervals=found.intervals,
        sd=found.spreads,
        quartiles=found.quartiles,
        se=found.error,
        folds=fold_values(found.points, context.run.folds, item.metric.undefined),
        seeds=seed_values(found.seeds, [one.seed for one in of_system.trainings], item.metric.undefined),
        repeats=repeat_values(found.repeats, [one.repeat for one in context.run.repeats], item.metric.undefined),
        target=_target(context, of_system.id, asked, found),
        signature=asked.signature,
        interpretation=_interpretation(context, system, asked, found, n, display),
        notes=(*_notes(context, asked, found, values, n, supplied=supplied), *_ties(context, system, asked)),
        display=display,
    )


def _numbers(context: Context, asked: Asked, values: MetricValues | Reason) -> _Numbers:
    item, aggregation = asked.item, asked.aggregation
    if not isinstance(values, MetricValues):
        return _Numbers(None, "not_applicable", values)
    point = float(values.by_aggregation[aggregation][0])
    holds_folds = len(context.run.folds) > 1 and aggregation == context.aggregations(item)[-1]
    points = tuple(values.folds.tolist()) if holds_folds else ()
    seeds, repeats = (tuple(of[aggregation].tolist()) if of else () for of in (values.seeds, values.repeats))
    ddof = context.contract.integer("sd_ddof")
    sds = (spread_over("fold", points, ddof), spread_over("seed", seeds, ddof), spread_over("repeat", repeats, ddof))
    spreads = tuple(spread for spread in sds if spread is not None)
    if math.isnan(point):
        undefined = item.metric.undefined
        return _Numbers(None, "undefined", undefined, points=points, spreads=spreads, seeds=seeds, repeats=repeats)
    errors = values.errors.get(aggregation)
    quartiles = None
    if values.of_queries and aggregation == "pooled":
        spreads += (query_spread(values.of_queries),)
        quartiles = query_quartiles(values.of_queries)
    return _Numbers(
        value=point + 0.0,
        status="ok",
        reason=None,
        intervals=intervals_of(context, asked, values, points),
        points=points,
        spreads=spreads,
        quartiles=quartiles,
        error=None
        if (error := _standard_error(context, values, aggregation)) is None
        else significant_digits(error, 6),
        design_effect=errors.design_effect if errors else None,
        seeds=seeds,
        repeats=repeats,
        with_fewer_folds=values.with_fewer_folds if aggregation == "fold_mean" else 0,
    )


def _standard_error(context: Context, values: MetricValues, aggregation: str) -> float | None:
    """Return the SD of the resamples; of a value that is fitted to all rows the linearized error."""
    errors = values.errors.get(aggregation)
    if isinstance(errors, FittedErrors):
        return errors.error(context.contract.text("interval_unit")) or None
    return bootstrap_error(context.resampled(values.by_aggregation[aggregation]))


def _interpretation(
    context: Context, system: SystemPlan, asked: Asked, found: _Numbers, n: Counts, display: Display
) -> str:
    first, item = found.intervals[0] if found.intervals else None, asked.item
    supplied, said = item.id in system.supplied, item.text(item.metric.interpretation, context.classes)
    decided = "" if supplied else decided_clause(system.frames.decider_of(item.metric.conventions))
    return interpretation(
        ", ".join(part for part in (said, decided, _level(item, n)) if part),
        context.title(item),
        status=found.status,
        reason=found.reason,
        display=display,
        interval=(first, context.settings.table[first.settings]) if first else None,
        aggregation=asked.aggregation,
        n_defined_folds=sum(not math.isnan(point) for point in found.points),
        n_folds=len(context.run.folds),
        n_repeats=max(len(context.run.repeats), 1),
        subset=asked.subset.record,
        subset_words=asked.subset.words,
        n=n,
        units=context.run.units,
        truth=context.run.info.states_truth,
    )


def _level(item: Instance, n: Counts) -> str:
    """Return the prevalence, where a value without information would be that; a weighted one is a result of its own."""
    if item.metric.chance != "prevalence" or not n.queries or n.weight is not None:
        return ""
    return f"prevalence {numbers.within(n.positives / n.queries, item.metric.decimals, item.metric.range)}"


def _counts(context: Context, asked: Asked, values: MetricValues | Reason, design_effect: float | None) -> Counts:
    if not isinstance(values, MetricValues):
        return asked.subset.counts(context.run, None)
    counts = asked.subset.counts(context.run, values.left_out)
    if not design_effect or design_effect < _ROUNDING or counts.clusters < FEW_CLUSTERS:
        return counts
    counted = share_and_trials(asked, values)
    # Clusters can make a value more certain than independent queries would; the plain number is the cautious side.
    n = counts.effective or counts.queries
    effective = counted[1] if counted else min(n / design_effect, n)
    return replace(
        counts,
        design_effect=significant_digits(design_effect, 6),
        effective=significant_digits(effective, 6),
    )


def _display(found: _Numbers, decimals: int, ends: numbers.Ends) -> Display:
    if found.value is None:
        sign = numbers.NOT_APPLICABLE if found.status == "not_applicable" else numbers.UNDEFINED
        return Display(decimals=decimals, value=sign, interval="", sd="")
    first = found.intervals[0] if found.intervals else None
    return Display(
        decimals=decimals,
        value=numbers.within(found.value, decimals, ends),
        interval=numbers.interval(first.lower, first.upper, decimals, ends) if first else "",
        sd=numbers.within(found.fold_sd.value, decimals, numbers.NOT_NEGATIVE) if found.fold_sd else "",
    )


def _target(context: Context, system: str, asked: Asked, found: _Numbers) -> Target | None:
    """Return the contract's target for a system, on the metric's headline population and aggregation."""
    record, item = asked.subset.record, asked.item
    population = context.contract.populations[item.metric.family][0]
    if record.slice or record.population != population or found.value is None:
        return None
    if asked.aggregation != context.headline_aggregation(item):
        return None
    for target in context.contract.targets:
        if target.metric == str(item.id) and target.is_for(system):
            judged = Target(op=target.op, value=target.value, met=False, note=target.note, by=target.by)
            bounds = [bound for one in found.intervals[:1] for bound in (one.lower, one.upper)]
            return replace(judged, met=judged.reached(found.value, bounds))
    return None


def _notes(
    context: Context, asked: Asked, found: _Numbers, values: MetricValues | Reason, n: Counts, *, supplied: bool
) -> tuple[str, ...]:
    """Return why a convention behind the number is questionable, where the metric departs from the contract's source,
    and what is odd about the interval.
    """
    questionable, conventions = context.contract.questionable, () if supplied else asked.item.metric.conventions
    keys = [asked.subset.convention(key) for key in conventions]
    notes = [questionable[key] for key in keys if key in questionable and _bears(key, asked, values, n)]
    departures, id_ = context.contract.departures, asked.item.id
    if departure := departures.get(str(MetricId(id_.name, id_.variant)), departures.get(id_.name)):
        notes.append(departure)
    if found.value is not None:
        notes += [_of_trainings(found)] if found.seeds else []
        notes += [_of_repeats(found, context)] if found.repeats else []
        notes += interval_notes(context, asked.item, found.intervals, n, found.with_fewer_folds)
    return tuple(notes)


def _ties(context: Context, system: SystemPlan, asked: Asked) -> Iterator[str]:
    """Say in how many rows the predicted class is one of several that are equally probable."""
    if "class_decider" not in asked.item.metric.conventions:
        return
    frames = [one.row for one in system.parts if one.row is not None and "tied" in one.row.columns]
    tied, n = (
        sum(int(count) for count in counts) for counts in ((frame["tied"].sum() for frame in frames), map(len, frames))
    )
    if tied:
        row, label = context.run.units.row, context.run.units.label
        yield (
            f"In {tied:,} of {row.count(n)} several {label.many} share the highest probability; the first in the "
            f"order of {label.many} is taken."
        )


def _bears(key: str, asked: Asked, values: MetricValues | Reason, n: Counts) -> bool:
    """Return whether a convention bears on the number: one on an edge case does where the data have that case."""
    if key in _EMPTY_GOLD:
        return n.positives < n.queries
    # A mean of parts puts the contract's value into its parts, where it is not seen from here.
    if key not in STAND_INS or asked.item.metric.undefined == "all_parts_undefined":
        return True
    return isinstance(values, MetricValues) and asked.aggregation in values.stands_in


def _of_trainings(found: _Numbers) -> str:
    """Say what the value of a system that was trained several times is, and what its interval does not hold."""
    defined = sum(not math.isnan(value) for value in found.seeds)
    of = "" if defined == len(found.seeds) else f" of {len(found.seeds)}"
    interval = "; its interval does not hold how much another training would differ" if found.intervals else ""
    return f"Mean over {defined}{of} training seeds{interval}."


def _of_repeats(found: _Numbers, context: Context) -> str:
    """Say what a value of a repeated cross-validation is, and what its interval does not hold."""
    defined, units = sum(not math.isnan(value) for value in found.repeats), context.run.units
    of = "" if defined == len(found.repeats) else f" of {len(found.repeats)}"
    interval = (
        f"; in its resamples a {units.cluster.one} brings along all its repeats, which are the same data and not new"
        if found.intervals
        else ""
    )
    return f"Mean over {defined}{of} repeats of the cross-validation{interval}."
