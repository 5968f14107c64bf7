"""Workload: how many candidates a reader gets, as mean and quantiles of the returned K."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return {"n": np.ones(len(frame)), "returned_k": frame["returned_k"]}


def _mean(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals["returned_k"], totals["n"])


def _histogram(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    """One count for every K up to the largest, so that a quantile of whole numbers is a function of sums."""
    k = frame["returned_k"]
    return {f"k={value}": (k == value).astype(np.float64) for value in range(int(k.max(initial=0)) + 1)}


def quantile_of_counts(counts: list[FloatArray], q: float) -> FloatArray:
    """(1 + B,) quantile of whole numbers 0, 1, … from how often each occurs; NaN where none does.

    Linear interpolation between order statistics (Hyndman & Fan 1996, rule 7; numpy's default).
    """
    cumulative = np.cumsum(np.stack(counts), axis=0)
    n = cumulative[-1]
    position = q * np.maximum(n - 1, 0)
    below = np.floor(position)

    def order_statistic(index: FloatArray) -> FloatArray:
        return np.asarray((cumulative <= index).sum(axis=0), dtype=np.float64)

    low, high = order_statistic(below), order_statistic(np.minimum(below + 1, np.maximum(n - 1, 0)))
    return np.asarray(np.where(n > 0, low + (high - low) * (position - below), np.nan))


def _quantile(totals: Totals, metric_id: MetricId) -> FloatArray:
    counts: list[FloatArray] = []
    while f"k={len(counts)}" in totals:
        counts.append(totals[f"k={len(counts)}"])
    return quantile_of_counts(counts, 0.5 if metric_id.name == "median_k" else 0.9)


def _quantile_entry(name: str, title: str, words: str) -> Metric:
    return Metric(
        name=name,
        variant="all",
        family="workload",
        title=title,
        definition=f"{words[0].upper()}{words[1:]} of the number of candidates returned, over all queries; a query "
        "that the gate blocks returns none.",
        interpretation=f"the {words} of the number of {{candidates}} returned is {{value}}",
        formula=r"Q_{0.5}(K_q)" if name == "median_k" else r"Q_{0.9}(K_q)",
        statistic=Sums(_histogram),
        finish=_quantile,
        undefined="no_queries",
        reference="numpy.quantile(method='linear')",
        conventions=("gate", "quantile"),
        needs=("selection",),
        range=(0.0, None),
        direction="none",
        unit="candidates",
        decimals=1,
        aggregations=("pooled",),
        smooth=False,
    )


METRICS = (
    Metric(
        name="avg_k",
        variant="all",
        family="workload",
        title="Mean K",
        definition="Mean number of candidates returned, over all queries; a query that the gate blocks returns none.",
        interpretation="on average {value} {candidates} are returned for a {query}",
        formula=r"\frac{1}{|Q|}\sum_q K_q",
        statistic=Sums(_rows),
        finish=_mean,
        undefined="no_queries",
        reference="mean over queries",
        conventions=("gate",),
        needs=("selection",),
        range=(0.0, None),
        direction="none",
        unit="candidates",
        decimals=2,
    ),
    _quantile_entry("median_k", "Median K", "median"),
    _quantile_entry("p90_k", "P90 of K", "90th percentile"),
)
