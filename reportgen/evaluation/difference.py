"""The difference of two systems on one metric, before it is put into a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from reportgen.domain.record import Counts, Reason
from reportgen.domain.run import FloatArray
from reportgen.evaluation.context import Context
from reportgen.evaluation.family import Member
from reportgen.evaluation.plan import SystemPlan
from reportgen.evaluation.systems import SystemRecords
from reportgen.metrics.frames import Frame
from reportgen.metrics.statistics import NotResampled
from reportgen.metrics.totals import mean_of_parts
from reportgen.stats import paired
from reportgen.stats.intervals import Resampled, bootstrap_error
from reportgen.stats.linearize import Influence
from reportgen.stats.permutation import Side
from reportgen.stats.values import MetricValues
from reportgen.wording.comparisons import gap_between


@dataclass(frozen=True)
class SystemPair:
    """Two systems that both have a metric: their values under every row of weights, and the rows themselves."""

    values: tuple[MetricValues, MetricValues]
    sides: tuple[tuple[Side, ...], tuple[Side, ...]]
    """The trainings of each, or its repeats; one where a system has one output for each query."""

    @property
    def single(self) -> tuple[Side, Side] | None:
        """Return the two sides where each system has one output for each query."""
        (first, *others), (second, *more) = self.sides
        return None if others or more else (first, second)


@dataclass(frozen=True)
class PairedDifference:
    """System ``a`` minus system ``b`` (indices in order of presentation) on one metric of the family."""

    context: Context
    member: Member
    a: int
    b: int
    absent: Reason | None
    """Why one of the two cannot have the metric."""
    pair: SystemPair | None
    """None where ``absent``."""

    @cached_property
    def points(self) -> tuple[float, float] | None:
        """Return the two values themselves; None where one is missing."""
        if self.pair is None:
            return None
        first, second = (float(values.by_aggregation[self.member.aggregation][0]) for values in self.pair.values)
        return None if math.isnan(first - second) else (first, second)

    @property
    def value(self) -> float | None:
        """Return the difference of the unrounded values."""
        return None if self.points is None else gap_between(*self.points)

    @property
    def reason(self) -> Reason | None:
        """Return why there is no difference."""
        return self.absent if self.points or self.absent else self.member.item.metric.undefined

    @property
    def frame(self) -> Frame | None:
        """Return the rows of the first system's first training or repeat; every other has the same.

        None for a metric of candidates, whose rows have no values of their own.
        """
        unit = self.member.item.metric.statistic.unit
        return self.pair.sides[0][0].subset[unit] if self.pair and unit != "candidate" else None

    @property
    def is_weighted(self) -> bool:
        """Whether rows count with a weight."""
        return self.frame is not None and self.frame.weight is not None

    @property
    def several(self) -> str:
        """Return what one of the two values is a mean over: ``trainings`` or ``repeats``; empty without."""
        if self.pair is None or self.pair.single is not None:
            return ""
        return "repeats" if self.context.run.repeats else "trainings"

    @property
    def with_fewer_folds(self) -> int:
        """Count the resamples in which a fold of one of the two means has no value; 0 without a mean over folds."""
        if self.pair is None or self.member.aggregation != "fold_mean":
            return 0
        return max(values.with_fewer_folds for values in self.pair.values)

    @cached_property
    def of_rows(self) -> FloatArray | None:
        """Return (n,) differences by row (query or cluster), of means over trainings or repeats where there are any.

        None where a row has no value of its own; of shares, where the two do not try the same rows; and of weighted
        rows, since wins, effect sizes and tests of values count each row once.
        """
        if self.pair is None or self.points is None or self.is_weighted:
            return None
        item, contract = self.member.item, self.context.contract
        means = []
        for parts in self.pair.sides:
            found = [paired.values_of_rows(side, item, contract) for side in parts]
            values = [one for one in found if one is not None]
            if not values:  # whether a row has a value depends on the metric, so it is all parts or none
                return None
            if not item.metric.paired and any((np.isnan(one) != np.isnan(values[0])).any() for one in values):
                return None
            means.append(mean_of_parts(values))
        apart = bool((np.isnan(means[0]) != np.isnan(means[1])).any())
        return None if apart and not item.metric.paired else means[0] - means[1]

    @property
    def on_common(self) -> float | None:
        """Return the difference of the values over the rows on which both systems have one, aggregated like these.

        None where rows have no value of their own, none is of both, or repeats have folds of their own.
        """
        if self.of_rows is None or self.frame is None or self.several == "repeats":
            return None
        known = ~np.isnan(self.of_rows)
        if not known.any():
            return None
        rows, fold = self.of_rows[known], self.frame.fold[known]
        if self.member.aggregation != "fold_mean":
            return float(rows.mean())
        return float(np.mean([rows[fold == one].mean() for one in np.unique(fold)]))

    @cached_property
    def n(self) -> Counts | None:
        """Return what both systems have a value on; None where there is no difference."""
        if self.pair is None or self.points is None:
            return None
        queries, left_out = self.pair.sides[0][0].subset["query"], [one.left_out for one in self.pair.values]
        without = np.zeros(len(queries), dtype=bool)
        for mask in left_out:
            without |= False if mask is None else mask
        first, second = (~np.isnan(values.folds) for values in self.pair.values)
        if self.member.aggregation == "fold_mean":
            folds = self.context.run.folds_of_repeat
            of_repeats = (first != second).reshape(-1, folds)
            sides = self.pair.sides[0] if self.context.run.repeats else self.pair.sides[0][:1]
            # A query counts where both systems have a value in its fold of some repeat.
            without |= np.logical_and.reduce(
                [of[side.subset["query"].fold] for of, side in zip(of_repeats, sides, strict=True)]
            )
        return self.member.subset.counts(self.context.run, without if without.any() else left_out[0])

    def resampled(self, *, threshold_too: bool = False) -> Resampled | None:
        """Return the differences under the shared weights; None for a threshold that is not resampled, and for fits."""
        if self.pair is None or self.points is None or isinstance(self.member.item.metric.statistic, NotResampled):
            return None
        series = [values.resampled if threshold_too else values.by_aggregation for values in self.pair.values]
        first, second = (None if one is None else one[self.member.aggregation] for one in series)
        return None if first is None or second is None else self.context.resampled(first - second)

    @cached_property
    def influence(self) -> Influence | None:
        """Return how each row moves the difference of two values fitted to all rows; None for other metrics."""
        if self.pair is None or self.points is None:
            return None
        first, second = (values.influence.get(self.member.aggregation) for values in self.pair.values)
        return None if first is None or second is None else first.less(second)

    @property
    def error(self) -> float | None:
        """Return the paired standard error of the difference; None where it cannot be estimated."""
        if self.influence is not None:
            return self.influence.errors.error(self.context.contract.text("interval_unit")) or None
        values = self.resampled()
        return None if values is None else bootstrap_error(values)


def difference_of(
    context: Context,
    member: Member,
    pair: tuple[int, int],
    systems: Sequence[SystemPlan],
    records: Sequence[SystemRecords],
) -> PairedDifference:
    """Return everything about a pair of systems on a metric that does not depend on the tests."""
    first, second = (records[index].compared[member.key] for index in pair)
    if not isinstance(first, MetricValues):
        return PairedDifference(context, member, *pair, first, None)
    if not isinstance(second, MetricValues):
        return PairedDifference(context, member, *pair, second, None)
    one, other = (_sides(systems[index], records[index], member) for index in pair)
    return PairedDifference(context, member, *pair, None, SystemPair((first, second), (one, other)))


def _sides(system: SystemPlan, records: SystemRecords, member: Member) -> tuple[Side, ...]:
    parts = zip(system.parts, records.choices, strict=True)
    return tuple(Side(one, member.subset.frames(one), choices) for one, choices in parts)
