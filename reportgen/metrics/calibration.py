"""Calibration: do probabilities mean what they say?"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio


def bin_of(p: FloatArray, bins: int) -> IntArray:
    """(n,) equal-width bin of each probability: left-closed, the last one closed on both sides.

    Edges are i / bins as written, so that 0.3 falls in [0.3, 0.4); p = 1.0 is common after calibration and stays.
    """
    edges = np.array([i / bins for i in range(1, bins)])
    return np.searchsorted(edges, p, side="right")


def bin_rows(frame: Frame, bins: int) -> dict[str, FloatArray]:
    """Row contributions n, sum of p and sum of y of each bin."""
    member = bin_of(frame["p"], bins)
    rows: dict[str, FloatArray] = {}
    for index in range(bins):
        inside = (member == index).astype(np.float64)
        rows |= {
            f"bin{index}:n": inside,
            f"bin{index}:p": inside * frame["p"],
            f"bin{index}:y": inside * frame["y"],
        }
    return rows


def _ece_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return {"n": np.ones(len(frame))} | bin_rows(frame, contract.integer("ece_bins"))


def _ece(totals: Totals, metric_id: MetricId) -> FloatArray:
    gap = np.zeros_like(totals["n"])
    index = 0
    while f"bin{index}:n" in totals:
        gap += np.abs(totals[f"bin{index}:p"] - totals[f"bin{index}:y"])
        index += 1
    return ratio(gap, totals["n"])


def _loss_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    y, p = frame["y"], frame["p"]
    if metric_id.name == "brier":
        return {"n": np.ones(len(frame)), "brier": (p - y) ** 2}
    clip = contract.real("log_loss_clip")
    likelihood = np.clip(np.where(y > 0, p, 1 - p), clip, 1 - clip)
    # math.log, since numpy's differs in the last bit between processors.
    return {"n": np.ones(len(frame)), "log_loss": np.array([-math.log(q) for q in likelihood.tolist()])}


def _mean_loss(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals[metric_id.name], totals["n"])


METRICS = (
    Metric(
        name="brier",
        variant="",
        family="calibration",
        title="Brier score",
        definition="Mean squared difference between the probability and the outcome.",
        interpretation="the mean squared error of the probability is {value}",
        formula=r"\mathrm{BS} = \frac{1}{n}\sum_i (p_i - y_i)^2",
        statistic=Sums(_loss_rows),
        finish=_mean_loss,
        undefined="no_queries",
        reference="sklearn.metrics.brier_score_loss; Brier 1950",
        needs=("gate",),
        direction="lower",
    ),
    Metric(
        name="log_loss",
        variant="",
        family="calibration",
        title="Log loss",
        definition="Mean negative natural logarithm of the probability given to what happened.",
        interpretation="the mean negative log-likelihood of the outcome is {value} nats",
        formula=r"-\frac{1}{n}\sum_i \left[y_i \ln p_i + (1 - y_i)\ln(1 - p_i)\right]",
        statistic=Sums(_loss_rows),
        finish=_mean_loss,
        undefined="no_queries",
        reference="sklearn.metrics.log_loss; Good 1952",
        needs=("gate",),
        direction="lower",
        range=(0.0, None),
        unit="nats",
        conventions=("log_loss_clip",),
    ),
    Metric(
        name="ece",
        variant="",
        family="calibration",
        title="ECE",
        definition="Expected calibration error of the positive class: mean absolute gap between mean probability and "
        "observed rate over equal-width bins, weighted by bin size.",
        interpretation="probability and observed rate differ by {value} on average over the bins",
        formula=r"\mathrm{ECE} = \sum_m \frac{n_m}{n} \left|\bar{p}_m - \bar{y}_m\right|",
        statistic=Sums(_ece_rows),
        finish=_ece,
        undefined="no_queries",
        reference="Naeini, Cooper & Hauskrecht 2015",
        needs=("gate",),
        direction="lower",
        conventions=("ece_bins", "ece_binning", "ece_edges"),
    ),
)
