"""Triage: what the three-state gate means for the people who read its alerts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import POS, Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.states import CONVENTIONS as STATES
from reportgen.metrics.statistics import Sums, Totals, ratio


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    alert = (frame["state"] == POS).astype(np.float64)
    return {"n": np.ones(len(frame)), "alerts": alert, "true_alerts": alert * frame["y"]}


def _true_alerts(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["true_alerts"], totals["alerts"]


def _precision(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_true_alerts(totals, metric_id))


def _rate(totals: Totals, metric_id: MetricId) -> FloatArray:
    return 1000 * ratio(totals["alerts"], totals["n"])


METRICS = (
    Metric(
        name="alert_precision",
        variant="",
        family="triage",
        title="Alert precision",
        definition="Share of the queries in state POS that are positive.",
        interpretation="{value} of the alerts (state POS) are positive {queries}",
        formula=r"\frac{|\{q: \mathrm{POS},\ y_q = 1\}|}{|\{q: \mathrm{POS}\}|}",
        statistic=Sums(_rows),
        finish=_precision,
        proportion=_true_alerts,
        undefined="no_alerts",
        reference="sklearn.metrics.precision_score on state = POS",
        needs=("states",),
        chance="prevalence",
        conventions=("zero_division", *STATES),
    ),
    Metric(
        name="alert_rate",
        variant="",
        family="triage",
        title="Alert rate",
        definition="Queries in state POS per 1,000 queries.",
        interpretation="{value} of 1,000 {queries} raise an alert (state POS)",
        formula=r"1000 \cdot |\{q: \mathrm{POS}\}| / |Q|",
        statistic=Sums(_rows),
        finish=_rate,
        undefined="no_queries",
        reference="mean of state = POS, times 1000",
        needs=("states",),
        conventions=STATES,
        range=(0.0, 1000.0),
        direction="none",
        unit="per 1,000 queries",
        decimals=1,
    ),
)
