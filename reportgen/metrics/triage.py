"""Triage: what the three-state gate means for the people who read its alerts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import STATES, FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric, Proportion
from reportgen.metrics.states import CONVENTIONS
from reportgen.metrics.statistics import Sums, Totals, ratio


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    y, rows = frame["y"], {"n": np.ones(len(frame)), "y": frame["y"]}
    for index, state in enumerate(STATES):
        inside = (frame["state"] == index).astype(np.float64)
        rows |= {f"state={state}": inside, f"positive&state={state}": inside * y}
    return rows


def _true_alerts(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["positive&state=POS"], totals["state=POS"]


def _alerts(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["state=POS"], totals["n"]


def _in_state(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals[f"state={metric_id.variant.upper()}"], totals["n"]


def _alerted(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["positive&state=POS"], totals["y"]


def _kept(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["y"] - totals["positive&state=NEG"], totals["y"]


def _dropped(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["positive&state=NEG"], totals["y"]


def _share(counts: Proportion, totals: Totals, metric_id: MetricId) -> FloatArray:
    """``finish`` of a proportion: the ratio of its counts."""
    return ratio(*counts(totals, metric_id))


def _missed(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["positive&state=NEG"], totals["n"]


def _per_1000(counts: Proportion, totals: Totals, metric_id: MetricId) -> FloatArray:
    """``finish`` of a proportion that is given per 1,000."""
    return 1000 * ratio(*counts(totals, metric_id))


_entry = partial(
    Metric, family="triage", statistic=Sums(_rows), undefined="no_queries", needs=("states",), conventions=CONVENTIONS
)


def _rate_of(state: str, meaning: str) -> Metric:
    return _entry(
        "state_rate",
        f"{state} rate",
        f"Share of the queries in state {state}: {meaning}.",
        f"a share of {{value}} of the {{queries}} is in state {state}",
        rf"|\{{q: \mathrm{{{state}}}\}}| / |Q|",
        f"mean of state = {state}",
        finish=partial(_share, _in_state),
        proportion=_in_state,
        variant=state.lower(),
        on_request=True,
        direction="none",
    )


METRICS = (
    _entry(
        "alert_precision",
        "Alert precision",
        "Share of the queries in state POS that are positive.",
        "{value} of the alerts (state POS) are positive {queries}",
        r"\frac{|\{q: \mathrm{POS},\ y_q = 1\}|}{|\{q: \mathrm{POS}\}|}",
        "sklearn.metrics.precision_score on state = POS",
        finish=partial(_share, _true_alerts),
        proportion=_true_alerts,
        undefined="no_alerts",
        chance="prevalence",
        conventions=("zero_division", *CONVENTIONS),
    ),
    _entry(
        "screening_sensitivity",
        "Screening sensitivity",
        "Share of the positive queries that screening keeps, that is, that are not in state NEG.",
        "screening keeps {value} of the positive {queries} (state not NEG)",
        r"\frac{|\{q: y_q = 1,\ \mathrm{not\ NEG}\}|}{|\{q: y_q = 1\}|}",
        "sklearn.metrics.recall_score on state != NEG",
        finish=partial(_share, _kept),
        proportion=_kept,
        undefined="no_positives",
    ),
    _entry(
        "alert_rate",
        "Alert rate",
        "Queries in state POS per 1,000 queries.",
        "{value} of 1,000 {queries} raise an alert (state POS)",
        r"1000 \cdot |\{q: \mathrm{POS}\}| / |Q|",
        "mean of state = POS, times 1000",
        finish=partial(_per_1000, _alerts),
        proportion=_alerts,
        per=1000,
        range=(0.0, 1000.0),
        direction="none",
        unit="per 1,000 queries",
        decimals=1,
    ),
    _entry(
        "alert_recall",
        "Alert recall",
        "Share of the positive queries that are in state POS.",
        "{value} of the positive {queries} raise an alert (state POS)",
        r"\frac{|\{q: \mathrm{POS},\ y_q = 1\}|}{|\{q: y_q = 1\}|}",
        "sklearn.metrics.recall_score on state = POS",
        finish=partial(_share, _alerted),
        proportion=_alerted,
        undefined="no_positives",
    ),
    _entry(
        "screening_fn",
        "Screened-out positives",
        "Positive queries in state NEG per 1,000 queries of any kind; the miss rate divides by positive queries.",
        "{value} of 1,000 {queries} are positive and screened out (state NEG)",
        r"1000 \cdot |\{q: y_q = 1,\ \mathrm{NEG}\}| / |Q|",
        "mean of y = 1 and state = NEG, times 1000",
        finish=partial(_per_1000, _missed),
        proportion=_missed,
        per=1000,
        range=(0.0, 1000.0),
        direction="lower",
        unit="per 1,000 queries",
        decimals=2,
    ),
    _entry(
        "miss_rate",
        "Screening miss rate",
        "Share of the positive queries that screening drops (state NEG): one minus its sensitivity.",
        "screening drops {value} of the positive {queries} (state NEG)",
        r"\frac{|\{q: y_q = 1,\ \mathrm{NEG}\}|}{|\{q: y_q = 1\}|}",
        "1 - sklearn.metrics.recall_score on state != NEG",
        finish=partial(_share, _dropped),
        proportion=_dropped,
        undefined="no_positives",
        direction="lower",
        on_request=True,
    ),
    _rate_of("NEG", "screened out"),
    _rate_of("UNCERTAIN", "kept, without an alert"),
    _rate_of("POS", "alerts"),
)
