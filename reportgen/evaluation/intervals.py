"""Which intervals a record holds: the one shown first, then those that stand beside it as a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.domain.record import Interval
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Ordered, Refit
from reportgen.stats.auroc import logit_bounds
from reportgen.stats.intervals import (
    Role,
    analytic_interval,
    bootstrap_interval,
    corrected_fold_bounds,
    linearized_bounds,
)
from reportgen.stats.linearize import Influence
from reportgen.stats.proportions import clopper_pearson, effective_trials, wilson
from reportgen.stats.values import MetricValues

if TYPE_CHECKING:
    from reportgen.evaluation.estimates import Context


_CHECKS = frozenset({"delong", "nadeau_bengio_heuristic"})


def intervals_of(
    context: Context,
    subset: Subset,
    instance: Instance,
    values: MetricValues,
    scope: str,
    points: Sequence[float],
) -> tuple[Interval, ...]:
    """The bootstrap interval first; Wilson's before it where a proportion's resamples all agree.

    A value that is fitted to all rows has the linearized interval in its place.

    Beside it stand, where they apply: the interval with the threshold resampled, Wilson and Clopper–Pearson with the
    effective number of trials, DeLong's and Obuchowski's for AUROC, Nadeau and Bengio's for a fold mean; on headline
    subsets only.
    """
    is_fit = isinstance(instance.metric.statistic, Refit)
    drawn = _of_fit(context, instance, values, scope) if is_fit else _bootstrap(context, values, scope)
    beside = [
        *_of_proportion(context, instance, values, scope),
        *_of_auroc(context, instance, values, scope),
        # The heuristic is for one training per fold; a mean over seeds varies less than it assumes.
        *([] if values.seeds else _of_folds(context, instance, points, scope)),
    ]
    if beside and beside[0].method_used == "wilson" and (not drawn or drawn[0].degenerate):
        drawn = [beside.pop(0), *drawn]
    if not drawn:  # what takes queries as independent, or is a heuristic, is a check of another and none alone
        beside = [one for one in beside if one.method_used not in _CHECKS]
    # The checks are for the numbers a paper stands on; on every label they would double the file.
    return tuple(drawn) if subset.record.slice else (*drawn, *beside)


def _bootstrap(context: Context, values: MetricValues, scope: str) -> list[Interval]:
    level, settings = context.contract.real("interval_level"), context.settings
    found = []
    if values.resampled is None:
        found.append(bootstrap_interval(context.resampled(values.scopes[scope]), level, settings.index("bootstrap")))
    else:
        fixed, again = values.scopes[scope], values.resampled[scope]
        found.append(bootstrap_interval(context.resampled(fixed), level, settings.index("fixed")))
        found.append(bootstrap_interval(context.resampled(again), level, settings.index("resampled")))
    return [interval for interval in found if interval is not None]


def _of_fit(context: Context, instance: Instance, values: MetricValues, scope: str) -> list[Interval]:
    influence = values.influence.get(scope)
    if influence is None:
        return []
    found = linearized_interval(context, float(values.scopes[scope][0]), influence, instance.metric.range)
    return [] if found is None else [found]


def linearized_interval(
    context: Context, value: float, influence: Influence, value_range: tuple[float | None, float | None]
) -> Interval | None:
    """The interval of a value that is fitted to all rows, over the contract's unit; None with one unit per fold."""
    unit, level = context.contract.text("interval_unit"), context.contract.real("interval_level")
    degrees = influence.strata.degrees(unit)
    if not degrees:
        return None
    bounds = linearized_bounds(value, influence.error(unit), degrees, level, value_range)
    return analytic_interval(bounds, context.settings.index("linearized"), "linearized")


def share_and_trials(instance: Instance, values: MetricValues, scope: str) -> tuple[float, float] | None:
    """A proportion and the effective number of its trials; None for other metrics, and where none were counted."""
    # A fold without an operating point makes the pooled counts undefined, though the mean of the others is not.
    if not values.trials or math.isnan(values.trials):
        return None
    share = min(float(values.scopes[scope][0]) / instance.metric.per, 1.0)
    errors = values.errors.get(scope)
    return share, effective_trials(share, values.trials, errors.clusters / instance.metric.per if errors else 0.0)


def _of_proportion(context: Context, instance: Instance, values: MetricValues, scope: str) -> list[Interval]:
    counted = share_and_trials(instance, values, scope)
    if counted is None:
        return []
    share, trials = counted
    per, level, index = instance.metric.per, context.contract.real("interval_level"), context.settings.index
    found: list[tuple[Role, tuple[float, float]]] = [
        ("wilson", wilson(share, trials, level)),
        ("clopper_pearson", clopper_pearson(share, trials, level)),
    ]
    return [analytic_interval((lower * per, upper * per), index(method), method) for method, (lower, upper) in found]


def _of_auroc(context: Context, instance: Instance, values: MetricValues, scope: str) -> list[Interval]:
    errors = values.errors.get(scope)
    if not isinstance(instance.metric.statistic, Ordered) or instance.id.name != "auroc" or errors is None:
        return []
    share, level = float(values.scopes[scope][0]), context.contract.real("interval_level")
    by_role: dict[Role, float] = {"delong": errors.rows, "delong_clustered": errors.clusters}
    found = []
    for role, error in by_role.items():
        bounds = logit_bounds(share, error, level)
        if bounds is not None:
            found.append(analytic_interval(bounds, context.settings.index(role), role))
    return found


def _of_folds(context: Context, instance: Instance, points: Sequence[float], scope: str) -> list[Interval]:
    """Nadeau and Bengio's interval; what the models were fitted on is everything outside EVAL and TUNE."""
    run = context.run
    if scope != "fold_mean" or not points:
        return []
    n = len(run.queries)
    n_test = n / len(run.folds)
    tune = max(
        (len(system.tune) / len(run.folds) for system in run.trained.systems if system.tune is not None), default=0.0
    )
    bounds = corrected_fold_bounds(points, n_test, n - n_test - tune, context.contract.real("interval_level"))
    if bounds is None:
        return []
    low, high = instance.metric.range
    kept = (max(bounds[0], -math.inf if low is None else low), min(bounds[1], math.inf if high is None else high))
    return [analytic_interval(kept, context.settings.index("nadeau_bengio"), "nadeau_bengio_heuristic")]
