"""Which intervals a record holds (the one shown first, then those that check it), and what is unusual about them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from msgspec import structs

from reportgen.domain.record import Counts, Interval
from reportgen.evaluation.context import Context
from reportgen.evaluation.plan import Asked
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Area, FitToRows, NotResampled, Sums
from reportgen.stats.intervals import (
    CORRECTED_REPEATED,
    Role,
    analytic_interval,
    bootstrap_interval,
    clopper_pearson,
    corrected_fold_bounds,
    distance_interval,
    effective_trials,
    linearized_bounds,
    logit_bounds,
    wilson,
)
from reportgen.stats.linearize import FittedErrors
from reportgen.stats.values import MetricValues

_CHECKS = frozenset({"delong", "nadeau_bengio_heuristic", CORRECTED_REPEATED})
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
RECENTRED = (
    "Resampling moves this metric away from the value, so the interval is the spread of the resamples about their own "
    "mean, put around the value."
)


def intervals_of(context: Context, asked: Asked, values: MetricValues, points: Sequence[float]) -> tuple[Interval, ...]:
    """Return the bootstrap interval first; Wilson's before it where a proportion's resamples all agree.

    Each holds the value. A value that is fitted to all rows has the linearized interval in its place.

    Beside it stand, where they apply: the interval with the threshold resampled, Wilson and Clopper–Pearson with the
    effective number of trials, DeLong's and Obuchowski's for AUROC, Nadeau and Bengio's for a fold mean; on headline
    subsets only.
    """
    is_fit = isinstance(asked.item.metric.statistic, NotResampled) and not is_distance(asked.item)
    drawn = _of_fit(context, asked, values) if is_fit else _bootstrap(context, asked, values)
    beside = [
        *_of_proportion(context, asked, values),
        *_of_auroc(context, asked, values),
        # The heuristic is for one training per fold; a mean over seeds varies less than it assumes.
        *([] if values.seeds else _of_folds(context, asked, values, points)),
    ]
    if beside and beside[0].method_used == "wilson" and (not drawn or drawn[0].degenerate):
        drawn = [beside.pop(0), *drawn]
    if not drawn:  # what takes queries as independent, or is a heuristic, is a check of another and none alone
        beside = [one for one in beside if one.method_used not in _CHECKS]
    # The checks are for the numbers a paper stands on; on every label they would double the file.
    return tuple(drawn) if asked.subset.record.slice else (*drawn, *beside)


def _bootstrap(context: Context, asked: Asked, values: MetricValues) -> list[Interval]:
    level, settings, fixed = context.level, context.settings, values.by_aggregation[asked.aggregation]
    if is_distance(asked.item):
        found = [distance_interval(context.resampled(fixed), level, settings.index("bootstrap"))]
    elif values.resampled is None:
        found = [bootstrap_interval(context.resampled(fixed), level, settings.index("bootstrap"))]
    else:
        again = values.resampled[asked.aggregation]
        # First the one that includes the choice of the threshold: it is the uncertainty of what was done.
        found = [
            bootstrap_interval(context.resampled(again), level, settings.index("resampled")),
            bootstrap_interval(context.resampled(fixed), level, settings.index("fixed")),
        ]
    return [_within(interval, asked.item.metric.range) for interval in found if interval is not None]


def _within(interval: Interval, limits: tuple[float | None, float | None]) -> Interval:
    """Return an interval cut off at the ends of the metric's range, which moving the resamples can take it beyond."""
    low, high = limits
    lower = interval.lower if low is None else max(interval.lower, low)
    upper = interval.upper if high is None else min(interval.upper, high)
    return structs.replace(interval, lower=lower, upper=upper)


def _of_fit(context: Context, asked: Asked, values: MetricValues) -> list[Interval]:
    errors = values.errors.get(asked.aggregation)
    if not isinstance(errors, FittedErrors):
        return []
    point = float(values.by_aggregation[asked.aggregation][0])
    found = linearized_interval(context, point, errors, asked.item.metric.range)
    return [] if found is None else [found]


def linearized_interval(
    context: Context, value: float, errors: FittedErrors, value_range: tuple[float | None, float | None]
) -> Interval | None:
    """Return the interval of a value that is fitted to all rows, over the contract's unit; None with one per fold."""
    unit = context.contract.text("interval_unit")
    degrees = errors.degrees(unit)
    if not degrees:
        return None
    bounds = linearized_bounds(value, errors.error(unit), degrees, context.level, value_range)
    return analytic_interval(bounds, value, context.settings.index("linearized"), "linearized")


def share_and_trials(asked: Asked, values: MetricValues) -> tuple[float, float] | None:
    """Return a proportion and the effective number of its trials; None for other metrics, and where none is counted."""
    # A fold without an operating point makes the pooled counts undefined, though the mean of the others is not.
    if not values.trials or math.isnan(values.trials):
        return None
    per = asked.item.metric.per
    share = min(float(values.by_aggregation[asked.aggregation][0]) / per, 1.0)
    errors = values.errors.get(asked.aggregation)
    return share, effective_trials(share, values.trials, errors.clusters / per if errors else 0.0)


def _of_proportion(context: Context, asked: Asked, values: MetricValues) -> list[Interval]:
    counted = share_and_trials(asked, values)
    # One of the queries of each row of several classes is positive, whatever the rows: that share is not an estimate.
    fixed = context.run.queries.row is not None and str(asked.item.id) == "prevalence" and not asked.subset.record.slice
    if counted is None or fixed:
        return []
    share, trials = counted
    per, index = asked.item.metric.per, context.settings.index
    value = float(values.by_aggregation[asked.aggregation][0])
    found: list[tuple[Role, tuple[float, float]]] = [
        ("wilson", wilson(share, trials, context.level)),
        ("clopper_pearson", clopper_pearson(share, trials, context.level)),
    ]
    return [
        analytic_interval((lower * per, upper * per), value, index(method), method) for method, (lower, upper) in found
    ]


def _of_auroc(context: Context, asked: Asked, values: MetricValues) -> list[Interval]:
    item, errors = asked.item, values.errors.get(asked.aggregation)
    statistic = item.metric.statistic
    if not isinstance(statistic, Area) or not statistic.over_pairs or errors is None:
        return []
    share = float(values.by_aggregation[asked.aggregation][0])
    by_role: dict[Role, float] = {"delong": errors.rows, "delong_clustered": errors.clusters}
    found = []
    for role, error in by_role.items():
        bounds = logit_bounds(share, error, context.level)
        if bounds is not None:
            found.append(analytic_interval(bounds, share, context.settings.index(role), role))
    return found


def _of_folds(context: Context, asked: Asked, values: MetricValues, points: Sequence[float]) -> list[Interval]:
    """Return Nadeau and Bengio's interval; over the folds of all repeats it is Bouckaert and Frank's."""
    if asked.aggregation != "fold_mean" or not points:
        return []
    bounds = corrected_fold_bounds(points, context.test_to_train, context.level)
    if bounds is None:
        return []
    low, high = asked.item.metric.range
    kept = (max(bounds[0], -math.inf if low is None else low), min(bounds[1], math.inf if high is None else high))
    value = float(values.by_aggregation[asked.aggregation][0])
    index = context.settings.index("nadeau_bengio")
    return [analytic_interval(kept, value, index, context.settings.table[index].method)]


def interval_notes(
    context: Context, item: Instance, intervals: Sequence[Interval], n: Counts, with_fewer_folds: int
) -> Iterator[str]:
    """Yield notes on the intervals of a defined value, the one shown first.

    ``n``: what the value rests on; ``with_fewer_folds``: resamples in which a fold of a fold mean has no value.
    """
    resamples = context.contract.integer("resamples")
    if not intervals:
        if isinstance(item.metric.statistic, NotResampled) and not is_distance(item):
            yield f"No interval: {WITHOUT_ERROR}."
        elif resamples:
            yield WITHOUT_RESAMPLE
        return
    yield from undefined_resamples(intervals, resamples, with_fewer_folds)
    shown = intervals[0]
    if shown.method_used == "wilson" and resamples:
        yield _instead(context, n)
    elif shown.degenerate:
        yield WITHOUT_WIDTH if shown.method_used != "linearized" else UNMOVED
    elif fell_back(context, shown):
        yield INSTEAD_OF_BCA
    elif shown.method_used == "recentred" and not is_distance(item):
        yield RECENTRED


def is_distance(item: Instance) -> bool:
    """Tell whether a metric is a distance, which chance makes larger: see :func:`distance_interval`."""
    statistic = item.metric.statistic
    of_bins = isinstance(statistic, FitToRows) and statistic.gaps is not None
    return of_bins or (isinstance(statistic, Sums) and statistic.is_distance)


def fell_back(context: Context, interval: Interval) -> bool:
    """Tell whether an interval of resamples is the percentile interval although BCa was asked for."""
    return context.settings.table[interval.settings].method.endswith("_bca") and interval.method_used == "percentile"


def undefined_resamples(intervals: Sequence[Interval], resamples: int, with_fewer_folds: int) -> Iterator[str]:
    """Say that many resamples have no value, once for the interval that lost most, or a value of fewer folds."""
    failed = max((interval.failed for interval in intervals), default=0)
    if failed > _MANY * resamples:
        yield (
            f"{failed:,} of {resamples:,} resamples are undefined and left out; strata by fold and label avoid "
            "resamples with a single class."
        )
    if with_fewer_folds > _MANY * resamples:
        yield (
            f"In {with_fewer_folds:,} of {resamples:,} resamples a fold has no value; the mean is then over the other "
            "folds, and the interval may be off. Pooled values do not depend on this."
        )


def _instead(context: Context, n: Counts) -> str:
    """Say that Wilson's interval is shown in place of the resamples', and what it assumes."""
    units = context.run.units
    says = "The resamples agree, so Wilson's interval is shown in place of theirs"
    if n.clusters == n.queries:
        return f"{says}."
    return (
        f"{says}. It takes the {units.query.many} of a {units.cluster.one} as independent, since how alike they are "
        "cannot be estimated here; if they are alike, it is too short."
    )
