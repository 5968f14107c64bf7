"""Row contributions of a mean over queries: of our values, or where there are none of values that the run supplies."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import find

Rows = Callable[[SystemFrames, Frame, MetricId, Contract], Mapping[str, FloatArray]]


def supplied_values(frames: SystemFrames, metric_id: MetricId) -> FloatArray | None:
    """(n_queries,) the values the run supplies for a metric whose components the system lacks; NaN = none.

    None where the metric is computed, or not supplied either.
    """
    values = frames.system.supplied.get(str(metric_id))
    return None if values is None or set(find(metric_id).needs) <= set(frames.components) else values


def or_supplied(rows: Rows) -> Rows:
    """The row contributions of a mean; where values are supplied, of theirs, under no policy of ours."""

    def chosen(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
        values = supplied_values(frames, metric_id)
        return rows(frames, frame, metric_id, contract) if values is None else mean_rows(values[frame.rows], metric_id)

    return chosen


def mean_rows(values: FloatArray, name: object) -> dict[str, FloatArray]:
    """Row contributions of a mean over the defined values: their sum and their number."""
    defined = ~np.isnan(values)
    return {f"{name}:sum": np.where(defined, values, 0.0), f"{name}:n": defined.astype(np.float64)}
