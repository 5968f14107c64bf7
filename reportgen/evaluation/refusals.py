"""Which metrics a system cannot have, and why."""

from __future__ import annotations

from reportgen.domain.record import Reason
from reportgen.evaluation.estimates import Context, missing_component
from reportgen.metrics.frames import SystemFrames
from reportgen.metrics.registry import Instance


def refusal(context: Context, frames: SystemFrames, instance: Instance) -> Reason | None:
    """Why a system cannot have a metric, or None if it can.

    A value that rests on a threshold without a recorded source is refused, whatever else the system has.
    """
    rests_on = set(context.needs(instance)) | ({"decision"} if "gate" in instance.metric.conventions else set())
    if rests_on & set(frames.unsourced):
        return "no_threshold_source"
    return missing_component(context, frames, instance)
