"""A difference while it is being made: two systems on one metric, before it is put into a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reportgen.domain.record import Reason
from reportgen.domain.run import FloatArray
from reportgen.evaluation.estimates import Context, missing_component
from reportgen.evaluation.family import Member
from reportgen.evaluation.systems import SystemPart
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.stats import paired
from reportgen.stats.intervals import Resampled
from reportgen.stats.permutation import Side
from reportgen.stats.values import MetricValues


@dataclass(frozen=True)
class Pair:
    """What both systems have: the values under every row of weights, and the rows themselves."""

    values: tuple[MetricValues, MetricValues]
    sides: tuple[Side, Side]


@dataclass(frozen=True)
class Difference:
    """System ``a`` minus system ``b`` (indices in order of presentation) on one metric of the family."""

    context: Context
    member: Member
    a: int
    b: int
    absent: Reason | None
    """Why one of the two cannot have the metric."""
    pair: Pair | None
    """None where ``absent``."""
    several: bool = False
    """Whether one of the two was trained several times: then there is an interval, but no rows to exchange."""

    @cached_property
    def points(self) -> tuple[float, float] | None:
        """The two values themselves; None where one has none."""
        if self.pair is None:
            return None
        first, second = (float(values.scopes[self.member.scope][0]) for values in self.pair.values)
        return None if math.isnan(first - second) else (first, second)

    @property
    def value(self) -> float | None:
        """The difference of the unrounded values."""
        return None if self.points is None else self.points[0] - self.points[1] + 0.0

    @property
    def reason(self) -> Reason | None:
        """Why there is no difference."""
        return self.absent if self.points or self.absent else self.member.item.metric.undefined

    @property
    def frame(self) -> Frame | None:
        """The rows of the first system; the second has the same."""
        return self.pair.sides[0].subset[self.member.item.metric.statistic.unit] if self.pair else None

    @cached_property
    def of_rows(self) -> FloatArray | None:
        """(n,) differences row by row (by query, or by cluster); None where a row has no value of its own."""
        if self.pair is None or self.points is None or self.several:
            return None
        item, contract = self.member.item, self.context.contract
        first, second = (paired.values_of_rows(side, item, contract) for side in self.pair.sides)
        return None if first is None or second is None else first - second

    def resampled(self, *, threshold_too: bool = False) -> Resampled | None:
        """The differences under the shared weights; None for the threshold where none is resampled."""
        if self.pair is None or self.points is None:
            return None
        scopes = [values.resampled if threshold_too else values.scopes for values in self.pair.values]
        first, second = (None if one is None else one[self.member.scope] for one in scopes)
        return None if first is None or second is None else self.context.resampled(first - second)


def difference_of(
    context: Context,
    member: Member,
    pair: tuple[int, int],
    frames: Sequence[SystemFrames],
    parts: Sequence[SystemPart],
) -> Difference:
    """Everything about a pair of systems on a metric that does not depend on the tests."""
    reasons = [missing_component(context, frames[index], member.item) for index in pair]
    absent = next((reason for reason in reasons if reason is not None), None)
    if absent is not None:
        return Difference(context, member, *pair, absent, None)
    first, second = (parts[index].family[member.key] for index in pair)
    one, other = (Side(frames[i], member.subset.frames(frames[i]), parts[i].choices) for i in pair)
    several = any(frames[index].trainings for index in pair)
    return Difference(context, member, *pair, None, Pair((first, second), (one, other)), several)
