"""Calibration: do probabilities mean what they say?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics import decomposition, recalibration
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Finish, Metric
from reportgen.metrics.statistics import Refit, Sums, Totals, fitted, ratio


def bin_of(p: FloatArray, bins: int, edges: str = "left_closed_last_closed") -> IntArray:
    """(n,) equal-width bin of each probability, from 0; ``bins`` = in no bin.

    ``left_closed_last_closed``: edges are i / bins as written, so that 0.3 falls in [0.3, 0.4); p = 1.0 is common
    after calibration and stays. ``left_open_first_closed``: the mirror image (Guo et al. 2017).
    ``left_closed_drop_last``: multiples of the rounded width, as numpy.linspace makes them, and p = 1 in no bin.
    """
    if edges == "left_closed_drop_last":
        multiples = [i * (1 / bins) for i in range(1, bins)]
        return np.searchsorted(np.array([*multiples, 1.0]), p, side="right")
    inner = np.array([i / bins for i in range(1, bins)])
    return np.searchsorted(inner, p, side="right" if edges == "left_closed_last_closed" else "left")


def bin_rows(
    frame: Frame, bins: int, edges: str = "left_closed_last_closed", value: str = "mean"
) -> dict[str, FloatArray]:
    """Row contributions n, sum of p and sum of y of each bin; ``value = "centre"`` puts the bin's centre for p."""
    member = bin_of(frame["p"], bins, edges)
    rows: dict[str, FloatArray] = {}
    for index in range(bins):
        inside = (member == index).astype(np.float64)
        rows |= {
            f"bin{index}:n": inside,
            f"bin{index}:p": inside * (frame["p"] if value == "mean" else (2 * index + 1) / (2 * bins)),
            f"bin{index}:y": inside * frame["y"],
        }
    return rows


def _ece_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return {"n": np.ones(len(frame))} | bin_rows(
        frame, contract.integer("ece_bins"), contract.text("ece_edges"), contract.text("ece_bin_value")
    )


def _ece(totals: Totals, metric_id: MetricId) -> FloatArray:
    gap = np.zeros_like(totals["n"])
    index = 0
    while f"bin{index}:n" in totals:
        gap += np.abs(totals[f"bin{index}:p"] - totals[f"bin{index}:y"])
        index += 1
    return ratio(gap, totals["n"])


def _mce(totals: Totals, metric_id: MetricId) -> FloatArray:
    """The largest gap of a bin that holds queries; no bin holds one where all were dropped: NaN."""
    largest = np.full_like(totals["n"], np.nan)
    index = 0
    while f"bin{index}:n" in totals:
        gap = ratio(np.abs(totals[f"bin{index}:p"] - totals[f"bin{index}:y"]), totals[f"bin{index}:n"])
        largest = np.fmax(largest, gap)
        index += 1
    return largest


def _debiased_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    return {"n": np.ones(len(frame))} | bin_rows(frame, contract.integer("ece_bins"), contract.text("ece_edges"))


def _debiased(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Root of the debiased mean squared gap, 0 where chance explains more than there is; NaN without a bin of two."""
    squared, known = np.zeros_like(totals["n"]), np.zeros(totals["n"].shape, dtype=bool)
    index = 0
    while f"bin{index}:n" in totals:
        n, p, y = (totals[f"bin{index}:{part}"] for part in "npy")
        # A bin of one query has no variance to estimate: it adds nothing.
        several = n > 1
        known |= several
        rate = ratio(y, n)
        excess = ratio(p - y, n) ** 2 - ratio(rate * (1 - rate), n - 1)
        squared += np.where(several, n * excess, 0.0)
        index += 1
    return np.where(known, np.sqrt(np.maximum(ratio(squared, totals["n"]), 0.0)), np.nan)


def _gaps_of_equal_mass(frame: Frame, contract: Contract) -> tuple[FloatArray, IntArray]:
    """The summed gap of each bin and the bin of each row, by the share of rows with a smaller probability.

    Equal probabilities so share a bin.
    """
    bins, p = contract.integer("ece_bins"), frame["p"]
    below = np.searchsorted(np.sort(p), p, side="left")
    _, member = np.unique(below * bins // len(p), return_inverse=True)
    gaps = [math.fsum((p - frame["y"])[member == index].tolist()) for index in range(int(member.max()) + 1)]
    return np.array(gaps), member


def _equal_mass(frame: Frame, contract: Contract) -> float:
    return math.fsum(np.abs(_gaps_of_equal_mass(frame, contract)[0]).tolist()) / len(frame)


def _influence_on_equal_mass(frame: Frame, contract: Contract, error: float) -> FloatArray:
    """With the bins as they are: where a row is does not change with its weight, and few rows lie at an edge."""
    gaps, member = _gaps_of_equal_mass(frame, contract)
    terms = np.sign(gaps)[member] * (frame["p"] - frame["y"])
    return np.asarray((terms - error) / len(frame))


def _skill_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    y, p = frame["y"], frame["p"]
    return {"n": np.ones(len(frame)), "y": y, "brier": (p - y) ** 2}


def _skill(totals: Totals, metric_id: MetricId) -> FloatArray:
    n, y = totals["n"], totals["y"]
    return 1 - ratio(totals["brier"] * n, y * (n - y))


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


_entry = partial(Metric, family="calibration", undefined="no_queries", needs=("gate",), direction="lower")


def _gap(
    name: str, title: str, definition: str, interpretation: str, formula: str, finish: Finish, *, smooth: bool = True
) -> Metric:
    """An entry for the gaps between probability and observed rate in bins of equal width."""
    return _entry(
        name,
        title,
        definition,
        interpretation,
        formula,
        "Naeini, Cooper & Hauskrecht 2015",
        statistic=Sums(_ece_rows),
        finish=finish,
        smooth=smooth,
        conventions=("ece_bins", "ece_binning", "ece_edges", "ece_bin_value"),
    )


METRICS = (
    _entry(
        "brier",
        "Brier score",
        "Mean squared difference between the probability and the outcome.",
        "the mean squared error of the probability is {value}",
        r"\mathrm{BS} = \frac{1}{n}\sum_i (p_i - y_i)^2",
        "sklearn.metrics.brier_score_loss; Brier 1950",
        statistic=Sums(_loss_rows),
        finish=_mean_loss,
    ),
    _entry(
        "log_loss",
        "Log loss",
        "Mean negative natural logarithm of the probability given to what happened.",
        "the mean negative log-likelihood of the outcome is {value} nats",
        r"-\frac{1}{n}\sum_i \left[y_i \ln p_i + (1 - y_i)\ln(1 - p_i)\right]",
        "sklearn.metrics.log_loss; Good 1952",
        statistic=Sums(_loss_rows),
        finish=_mean_loss,
        range=(0.0, None),
        unit="nats",
        conventions=("log_loss_clip",),
    ),
    _gap(
        name="ece",
        title="ECE",
        definition="Expected calibration error of the positive class: mean absolute gap between mean probability and "
        "observed rate over equal-width bins, weighted by bin size.",
        interpretation="probability and observed rate differ by {value} on average over the bins",
        formula=r"\mathrm{ECE} = \sum_m \frac{n_m}{n} \left|\bar{p}_m - \bar{y}_m\right|",
        finish=_ece,
    ),
    _entry(
        "ece",
        "ECE (equal mass)",
        "Expected calibration error over bins of equally many queries: a query's bin is given by the share "
        "of queries with a smaller probability, so that equal probabilities are never split.",
        "over bins of equally many {queries}, probability and observed rate differ by {value} on average",
        r"\sum_m \frac{n_m}{n} \left|\bar{p}_m - \bar{y}_m\right|,\quad "
        r"m_i = \left\lfloor M\,|\{j: p_j < p_i\}| / n \right\rfloor",
        "Nixon et al. 2019; Roelofs et al. 2022",
        variant="equal_mass",
        statistic=Refit(_equal_mass, _influence_on_equal_mass),
        finish=fitted,
        conventions=("ece_bins",),
    ),
    _entry(
        "ece",
        "Calibration error (L2, debiased)",
        "Root mean squared gap between mean probability and observed rate over equal-width bins, weighted "
        "by bin size, less what chance alone adds to the squared gaps; 0 where chance explains all of them. A bin of "
        "one query adds nothing.",
        "beyond what chance explains, probability and observed rate differ by {value} (root mean square over the bins)",
        r"\sqrt{\max\left(0, \sum_m \frac{n_m}{n} \left[(\bar{p}_m - \bar{y}_m)^2 - "
        r"\frac{\bar{y}_m (1 - \bar{y}_m)}{n_m - 1}\right]\right)}",
        "calibration.get_calibration_error of uncertainty-calibration, without the root unbiased_square_ce; "
        "Bröcker 2012; Kumar, Liang & Ma 2019",
        variant="debiased",
        statistic=Sums(_debiased_rows),
        finish=_debiased,
        smooth=False,
        conventions=("ece_bins", "ece_binning", "ece_edges"),
        on_request=True,
    ),
    _gap(
        name="mce",
        title="MCE",
        definition="Maximum calibration error of the positive class: the largest gap between mean probability and "
        "observed rate in a bin of equal width, however few queries the bin holds.",
        interpretation="in the worst bin, probability and observed rate differ by {value}",
        formula=r"\max_m \left|\bar{p}_m - \bar{y}_m\right|",
        finish=_mce,
    ),
    _entry(
        "brier_skill",
        "Brier skill score",
        "Share of the Brier score of the constant forecast (the prevalence) that the system saves; 0 for "
        "that forecast, negative for a worse one.",
        "the Brier score is {value} of the way from always forecasting the prevalence to perfection",
        r"1 - \frac{\mathrm{BS}}{\pi(1 - \pi)}",
        "1 - sklearn.metrics.brier_score_loss / variance of the labels; Murphy 1973",
        statistic=Sums(_skill_rows),
        direction="higher",
        finish=_skill,
        undefined="single_class",
        range=(None, 1.0),
        chance="0",
    ),
    *decomposition.METRICS,
    *recalibration.METRICS,
)
