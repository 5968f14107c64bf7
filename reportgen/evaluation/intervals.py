"""Which intervals a record holds: the one shown first, then those that stand beside it as a check."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.domain.record import Interval
from reportgen.evaluation.subsets import Subset
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Refit
from reportgen.stats.auroc import logit_bounds
from reportgen.stats.intervals import analytic_interval, bootstrap_interval, corrected_fold_bounds
from reportgen.stats.proportions import clopper_pearson, wilson
from reportgen.stats.values import MetricValues

if TYPE_CHECKING:
    from reportgen.evaluation.estimates import Context


def intervals_of(
    context: Context,
    subset: Subset,
    instance: Instance,
    values: MetricValues,
    scope: str,
    points: Sequence[float],
) -> tuple[Interval, ...]:
    """The bootstrap interval first; Wilson's before it where a proportion's resamples all agree.

    Beside it stand, where they apply: the interval with the threshold resampled, Wilson and Clopper–Pearson with the
    effective number of trials, DeLong's and Obuchowski's for AUROC, Nadeau and Bengio's for a fold mean; on headline
    subsets only.
    """
    if isinstance(instance.metric.statistic, Refit):
        return ()  # an interval from five folds must not stand first and alone
    drawn = _bootstrap(context, values, scope)
    beside = [
        *_of_proportion(context, subset, values, scope),
        *_of_auroc(context, instance, values, scope),
        # The heuristic is for one training per fold; a mean over seeds varies less than it assumes.
        *([] if values.seeds else _of_folds(context, instance, points, scope)),
    ]
    if beside and beside[0].method_used == "wilson" and (not drawn or drawn[0].degenerate):
        drawn = [beside.pop(0), *drawn]
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


def _of_proportion(context: Context, subset: Subset, values: MetricValues, scope: str) -> list[Interval]:
    share = float(values.scopes[scope][0])
    # A fold without an operating point makes the pooled counts undefined, though the mean of the others is not.
    if not values.trials or math.isnan(values.trials):
        return []
    errors = values.errors.get(scope)
    # Clusters can also make an interval narrower; then the plain number of trials stands, which is cautious.
    design_effect = max(errors.design_effect or 1.0, 1.0) if errors else 1.0
    trials, level = values.trials / design_effect, context.contract.real("interval_level")
    index = context.settings.index
    return [
        analytic_interval(wilson(share, trials, level), index("wilson"), "wilson"),
        analytic_interval(clopper_pearson(share, trials, level), index("clopper_pearson"), "clopper_pearson"),
    ]


def _of_auroc(context: Context, instance: Instance, values: MetricValues, scope: str) -> list[Interval]:
    errors = values.errors.get(scope)
    if instance.id.name != "auroc" or errors is None:
        return []
    share, level = float(values.scopes[scope][0]), context.contract.real("interval_level")
    found = []
    for error, role in ((errors.rows, "delong"), (errors.clusters, "delong_clustered")):
        bounds = logit_bounds(share, error, level)
        if bounds is not None:
            found.append(analytic_interval(bounds, context.settings.index(role), role))  # type: ignore[arg-type] # two roles
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
