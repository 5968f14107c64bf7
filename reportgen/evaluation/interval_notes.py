"""What is unusual about the interval that a record shows: sentences that stand beside the number wherever it does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from reportgen.domain.record import Counts, Interval
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Refit

if TYPE_CHECKING:
    from reportgen.evaluation.estimates import Context

_FIXED_POINT_SLACK = 1e-7
_MANY = 0.01
"""Share of resamples without a value above which a record says so."""
WITHOUT_WIDTH = "The resamples agree, so the interval has no width: it does not say how certain the value is."
UNMOVED = (
    "To first order the value does not change with the data, so the interval has no width: it does not say how certain "
    "the value is."
)
WITHOUT_ERROR = "the value is fitted to all rows, and from these rows its standard error cannot be estimated"
WITHOUT_RESAMPLE = "No resample has a value, and so there is no interval."
INSTEAD_OF_BCA = "The corrections of BCa are undefined or of no use here, so this is the percentile interval."


def interval_notes(
    context: Context, instance: Instance, value: float, intervals: tuple[Interval, ...], n: Counts, thinned: int
) -> Iterator[str]:
    """Notes on the intervals of a defined value, the one shown first.

    ``n``: what the value rests on; ``thinned``: resamples in which a fold of a fold mean has no value (0 elsewhere).
    """
    resamples = context.contract.integer("resamples")
    if not intervals:
        if isinstance(instance.metric.statistic, Refit):
            yield f"No interval: {WITHOUT_ERROR}."
        elif resamples:
            yield WITHOUT_RESAMPLE
        return
    yield from undefined_resamples(intervals, resamples, thinned)
    shown = intervals[0]
    if shown.method_used == "wilson" and resamples:
        yield _instead(context, n)
    elif shown.degenerate:
        yield WITHOUT_WIDTH if shown.method_used != "linearized" else UNMOVED
    elif fell_back(context, shown):
        yield INSTEAD_OF_BCA
    # Resampled totals are fixed-point: a bound may be off by their unit without meaning anything.
    if not shown.lower - _FIXED_POINT_SLACK <= value <= shown.upper + _FIXED_POINT_SLACK:
        side = "above" if shown.lower > value else "below"
        yield (
            f"The interval lies wholly {side} the value, because resampling moves metrics that sum absolute "
            "differences or count few units. Read it as spread, not as location."
        )


def fell_back(context: Context, interval: Interval) -> bool:
    """Whether an interval of resamples is the percentile interval although BCa was asked for."""
    return context.settings.table[interval.settings].method.endswith("_bca") and interval.method_used == "percentile"


def undefined_resamples(intervals: tuple[Interval, ...], resamples: int, thinned: int) -> Iterator[str]:
    """That many resamples have no value, said once for the interval that lost most, or a value of fewer folds."""
    failed = max((interval.failed for interval in intervals), default=0)
    if failed > _MANY * resamples:
        yield (
            f"{failed:,} of {resamples:,} resamples are undefined and left out; strata by fold and label avoid "
            "resamples with a single class."
        )
    if thinned > _MANY * resamples:
        yield (
            f"In {thinned:,} of {resamples:,} resamples a fold has no value; the mean is then over the other folds, "
            "and the interval may be off. Pooled values do not depend on this."
        )


def _instead(context: Context, n: Counts) -> str:
    units = context.run.units
    says = "The resamples agree, so Wilson's interval stands in place of theirs"
    if n.clusters == n.queries:
        return f"{says}."
    return (
        f"{says}. It takes the {units.query.many} of a {units.cluster.one} as independent, since how alike they are "
        "cannot be estimated here; if they are alike, it is too short."
    )
