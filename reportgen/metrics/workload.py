"""Workload: how many candidates a reader gets, as means, extremes, spread and quantiles of the returned K."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Reason
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.means import mean_rows
from reportgen.metrics.quantiles import counts_of, extreme, quantile
from reportgen.metrics.ranking import mean
from reportgen.metrics.registry import Finish, Metric
from reportgen.metrics.selection import passed
from reportgen.metrics.statistics import Sums, Totals, ratio

_OVER: dict[str, Callable[[Frame], BoolArray]] = {
    "all": lambda frame: np.ones(len(frame), dtype=bool),
    "pred_pos": passed,
    "gold_pos": lambda frame: frame["y"] == 1,
}
"""Variant of the mean to the queries it is over."""


def _mean_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return mean_rows(np.where(_OVER[metric_id.variant](frame), frame["returned_k"], np.nan), metric_id)


def _histogram(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    return counts_of(frame["returned_k"], "k")


def _squares(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    k = frame["returned_k"]
    return {"n": np.ones(len(frame)), "returned_k": k, "returned_k^2": k * k}


def _sd(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Root of the mean square about the mean, over n - 1; whole numbers, so the difference is exact."""
    n, total, squares = totals["n"], totals["returned_k"], totals["returned_k^2"]
    about = ratio(n * squares - total * total, n * np.maximum(n - 1, 0))
    return np.asarray(np.sqrt(about))


def _quantile(q: float) -> Finish:
    return lambda totals, metric_id: quantile(totals, "k", q)


def _extreme(which: int) -> Finish:
    return lambda totals, metric_id: extreme(totals, "k", which)


def _of_all(
    name: str,
    title: str,
    words: str,
    formula: str,
    finish: Finish,
    reference: str,
    statistic: Sums,
    *,
    undefined: Reason = "no_queries",
    quantile_rule: bool = False,
    smooth: bool = False,
) -> Metric:
    """A statistic of K over all queries, without a mean over folds."""
    return Metric(
        name=name,
        variant="all",
        family="workload",
        title=title,
        definition=f"{words[0].upper()}{words[1:]} of the number of candidates returned, over all queries; a query "
        "that the gate blocks returns none.",
        interpretation=f"the {words} of the number of {{candidates}} returned is {{value}}",
        formula=formula,
        statistic=statistic,
        finish=finish,
        undefined=undefined,
        reference=reference,
        conventions=("gate", "quantile") if quantile_rule else ("gate",),
        needs=("selection",),
        range=(0.0, None),
        direction="none",
        unit="candidates",
        decimals=1,
        aggregations=("pooled",),
        smooth=smooth,
        on_request=name not in ("median_k", "p90_k"),
    )


def _percentile(name: str, title: str, words: str, percent: int) -> Metric:
    return _of_all(
        name,
        title,
        words,
        rf"Q_{{{percent / 100:g}}}(K_q)",
        _quantile(percent / 100),
        "numpy.quantile(method='linear')",
        Sums(_histogram),
        quantile_rule=True,
    )


def _mean(variant: str, title: str, over: str, interpretation: str, formula: str, undefined: Reason) -> Metric:
    return Metric(
        name="avg_k",
        variant=variant,
        family="workload",
        title=title,
        definition=f"Mean number of candidates returned, over {over}; a query that the gate blocks returns none.",
        interpretation=interpretation,
        formula=formula,
        statistic=Sums(_mean_rows),
        finish=mean,
        undefined=undefined,
        reference="mean over queries",
        conventions=("gate",),
        needs=("selection",),
        range=(0.0, None),
        direction="none",
        unit="candidates",
        decimals=2,
        on_request=variant == "gold_pos",
    )


METRICS = (
    _mean(
        "all",
        "Mean K",
        "all queries",
        "on average {value} {candidates} are returned for a {query}",
        r"\frac{1}{|Q|}\sum_q K_q",
        "no_queries",
    ),
    _percentile("median_k", "Median K", "median", 50),
    _percentile("p90_k", "P90 of K", "90th percentile", 90),
    _mean(
        "pred_pos",
        "Mean K (gate passed)",
        "the queries that pass the gate",
        "on average {value} {candidates} are returned for a {query} that passes the gate",
        r"\frac{1}{|Q_{\mathrm{pass}}|}\sum_{q: \mathrm{pass}} K_q",
        "no_predicted_positives",
    ),
    _mean(
        "gold_pos",
        "Mean K (positives)",
        "the positive queries",
        "on average {value} {candidates} are returned for a positive {query}",
        r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} K_q",
        "no_positives",
    ),
    _percentile("p25_k", "P25 of K", "25th percentile", 25),
    _percentile("p75_k", "P75 of K", "75th percentile", 75),
    _of_all("min_k", "Smallest K", "smallest value", r"\min_q K_q", _extreme(0), "numpy.min", Sums(_histogram)),
    _of_all("max_k", "Largest K", "largest value", r"\max_q K_q", _extreme(-1), "numpy.max", Sums(_histogram)),
    _of_all(
        "sd_k",
        "SD of K",
        "standard deviation over queries",
        r"\sqrt{\frac{1}{|Q| - 1}\sum_q (K_q - \bar{K})^2}",
        _sd,
        "numpy.std(ddof=1)",
        Sums(_squares),
        undefined="fewer_than_two",
        smooth=True,
    ),
)
