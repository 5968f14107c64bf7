"""A system that was trained several times: its value is the mean over the trainings, like a mean over folds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.metrics.totals import mean_of_parts
from reportgen.stats.linearize import Influence, mean_influence
from reportgen.stats.values import MetricValues


def mean_over_trainings(trainings: Sequence[MetricValues]) -> MetricValues:
    """The values of a system from those of its trainings, which met the same resamples.

    Row by row of weights, the unweighted mean over the trainings that have a value there; so an interval is that of
    the mean of these very trainings. Trainings are not drawn: what another seed would give is not in it, and stands
    beside it as the SD over seeds. What rests on single rows of one output (trials, values of queries, errors of
    metrics that are resampled) has no mean that could be read the same way and is left out; influences have one.
    """
    resampled = [values.resampled for values in trainings]
    left_out = [values.left_out for values in trainings if values.left_out is not None]
    influences = _mean_influences([values.influence for values in trainings])
    return MetricValues(
        by_aggregation=_means([values.by_aggregation for values in trainings]),
        folds=mean_of_parts([values.folds for values in trainings]),
        resampled=None if None in resampled else _means([one for one in resampled if one is not None]),
        # A query counts where some training has a value for it.
        errors={name: influence.errors for name, influence in influences.items()},
        influence=influences,
        left_out=np.logical_and.reduce(left_out) if left_out else None,
        with_fewer_folds=max(values.with_fewer_folds for values in trainings),
        seeds={
            name: np.array([one.by_aggregation[name][0] for one in trainings]) for name in trainings[0].by_aggregation
        },
    )


def _mean_influences(trainings: Sequence[Mapping[str, Influence]]) -> dict[str, Influence]:
    """By scope, over the trainings that have a value in it; trainings without one have no influence either."""
    scopes = dict.fromkeys(scope for training in trainings for scope in training)
    return {scope: mean_influence([one[scope] for one in trainings if scope in one]) for scope in scopes}


def _means(series: Sequence[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    return {scope: mean_of_parts([one[scope] for one in series]) for scope in series[0]}
