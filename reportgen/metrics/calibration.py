"""Calibration: do probabilities mean what they say?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.retrieved import in_few_bytes
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics import classification, recalibration
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import FitToRows, Sample, Sums, each, exact_sum
from reportgen.metrics.totals import Ratio, indicator, made, ratio
from reportgen.peers import scikit_learn
from reportgen.reference import calibration as reference
from reportgen.reference import rows
from reportgen.reference.rows import OfRows, over_pairs


def bin_of(p: FloatArray, bins: int, edges: str = "left_closed_last_closed") -> IntArray:
    """Return (n,) equal-width bin of each probability, from 0; ``bins`` = in no bin.

    ``left_closed_last_closed``: edges are i / bins as written, so that 0.3 falls in [0.3, 0.4); p = 1.0 is common
    after calibration and stays. ``left_open_first_closed``: the mirror image (Guo et al. 2017).
    ``left_closed_drop_last``: multiples of the rounded width, as numpy.linspace makes them, and p = 1 in no bin.
    """
    if edges == "left_closed_drop_last":
        multiples = [i * (1 / bins) for i in range(1, bins)]
        return np.searchsorted(np.array([*multiples, 1.0]), p, side="right")
    inner = np.array([i / bins for i in range(1, bins)])
    return np.searchsorted(inner, p, side="right" if edges == "left_closed_last_closed" else "left")


@dataclass(frozen=True, slots=True)
class Bin:
    """The queries in a bin, and the sums of their probabilities and of their outcomes."""

    n: FloatArray
    p: FloatArray
    y: FloatArray

    def gap(self) -> FloatArray:
        """Return the distance of probabilities and outcomes, summed."""
        return np.abs(self.p - self.y)


def bins_of(frame: Frame, bins: int, edges: str = "left_closed_last_closed", value: str = "mean") -> tuple[Bin, ...]:
    """Return the row contributions to each bin; ``value = "centre"`` puts the centre of the bin for p."""
    member, p, positive = in_few_bytes(bin_of(frame["p"], bins, edges)), frame["p"], frame["y"] == 1

    def contributions(index: int) -> Bin:
        of_row = p if value == "mean" else (2 * index + 1) / (2 * bins)
        return Bin(
            made(lambda: indicator(member == index)),
            made(lambda: (member == index) * of_row),
            made(lambda: indicator((member == index) & positive)),
        )

    return tuple(map(contributions, range(bins)))


@dataclass(frozen=True, slots=True)
class _Binned:
    """All queries, and those in each bin of equal width."""

    n: FloatArray
    bins: tuple[Bin, ...]

    @classmethod
    def by_convention(cls, sample: Sample) -> _Binned:
        """Return the contributions under the contract's conventions of bins."""
        text = sample.contract.text
        bins = bins_of(sample.frame, _n_bins(sample), text("ece_edges"), text("ece_bin_value"))
        return cls(np.ones(len(sample)), bins)

    @classmethod
    def with_means(cls, sample: Sample) -> _Binned:
        """Return the contributions with the mean probability of each bin, whatever the contract puts for it."""
        return cls(np.ones(len(sample)), bins_of(sample.frame, _n_bins(sample), sample.contract.text("ece_edges")))

    def expected(self) -> FloatArray:
        """Return the mean gap, weighted by bin size."""
        gap = np.zeros_like(self.n)
        for one in self.bins:
            gap += one.gap()
        return ratio(gap, self.n)

    def maximum(self) -> FloatArray:
        """Return the largest gap of a bin that holds queries; no bin holds one where all were dropped: NaN."""
        largest = np.full_like(self.n, np.nan)
        for one in self.bins:
            largest = np.fmax(largest, ratio(one.gap(), one.n))
        return largest

    def debiased(self) -> FloatArray:
        """Return the root of the debiased mean squared gap, 0 where chance explains more than there is.

        NaN without a bin of two queries: a bin of one has no variance to estimate, and adds nothing.
        """
        squared, known = np.zeros_like(self.n), np.zeros(self.n.shape, dtype=bool)
        for one in self.bins:
            several = one.n > 1
            known |= several
            rate = ratio(one.y, one.n)
            excess = ratio(one.p - one.y, one.n) ** 2 - ratio(rate * (1 - rate), one.n - 1)
            squared += np.where(several, one.n * excess, 0.0)
        return np.where(known, np.sqrt(np.maximum(ratio(squared, self.n), 0.0)), np.nan)


def _n_bins(sample: Sample) -> int:
    return sample.contract.integer("ece_bins")


def _gaps_of_equal_mass(frame: Frame, contract: Contract) -> tuple[FloatArray, IntArray]:
    """Return the gap of each row and its bin, by the share of rows with a smaller probability.

    Equal probabilities so share a bin.
    """
    _, n, _ = frame.by_forecast
    _, member = frame.forecasts
    below = np.cumsum(n) - n
    rises = np.diff(below * contract.integer("ece_bins") // len(frame), prepend=0) > 0
    return frame["p"] - frame["y"], np.cumsum(rises, dtype=np.int64)[member]


def _summed_gaps(gap: FloatArray, member: IntArray) -> FloatArray:
    return np.array([exact_sum(gap[member == index]) for index in range(int(member.max()) + 1)])


def _equal_mass(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    return math.fsum(np.abs(_summed_gaps(*_gaps_of_equal_mass(frame, contract))).tolist()) / len(frame)


def _influence_on_equal_mass(frame: Frame, contract: Contract, error: float) -> FloatArray:
    """Return the influence with the bins as they are: a row's bin does not follow its weight; few are at an edge."""
    gap, member = _gaps_of_equal_mass(frame, contract)
    terms = np.sign(_summed_gaps(gap, member))[member] * gap
    return np.asarray((terms - error) / len(frame))


@dataclass(frozen=True, slots=True)
class _Skill:
    """The queries, the positives among them, and the sum of squared errors."""

    n: FloatArray
    y: FloatArray
    squared: FloatArray

    @classmethod
    def of(cls, sample: Sample) -> _Skill:
        return cls(np.ones(len(sample)), sample["y"], (sample["p"] - sample["y"]) ** 2)

    def value(self) -> FloatArray:
        return 1 - ratio(self.squared * self.n, self.y * (self.n - self.y))


def _squared_error(sample: Sample) -> Ratio:
    return Ratio((sample["p"] - sample["y"]) ** 2, np.ones(len(sample)))


def _surprise(sample: Sample) -> Ratio:
    y, p, clip = sample["y"], sample["p"], sample.contract.real("log_loss_clip")
    likelihood = np.clip(np.where(y > 0, p, 1 - p), clip, 1 - clip)
    return Ratio(-each(math.log, likelihood), np.ones(len(sample)))


def _variance(positives: Ratio) -> FloatArray:
    """Return the variance of the truth from positive queries and all."""
    y, n = positives.numerator, positives.denominator
    return ratio(y * (n - y), n**2)


# The Brier score decomposed, exactly, over distinct forecast values. Murphy (1973): BS = reliability - resolution +
# uncertainty, the queries grouped by forecast value. CORP (Dimitriadis, Gneiting & Jordan 2021): BS = miscalibration -
# discrimination + uncertainty, the forecasts recalibrated by isotonic regression, which needs no choice of bins.


def _reliability(frame: Frame) -> float:
    p, n, y = frame.by_forecast
    return exact_sum(n * _squared(p - y / n)) / len(frame)


def _resolution(frame: Frame) -> float:
    _, n, y = frame.by_forecast
    return exact_sum(n * _squared(y / n - _rate(frame))) / len(frame)


def _rate(frame: Frame) -> float:
    """Return the share of positives."""
    _, _, y = frame.by_forecast
    return int(y.sum()) / len(frame)


def _squared(values: FloatArray) -> FloatArray:
    """Return (n,) squares as Python's power gives them, one of a thousand of which is not the product's last bit."""
    return np.fromiter(map(math.pow, values.data, repeat(2.0)), np.float64, len(values))


def _recalibrated(frame: Frame) -> float:
    """Return the Brier score of the isotonic forecasts."""
    return math.fsum(hits * (size - hits) / size for size, hits in frame.isotonic) / len(frame)


def _miscalibration(frame: Frame) -> float:
    p, n, y = frame.by_forecast
    brier = exact_sum(y * _squared(1 - p) + (n - y) * _squared(p))
    # Never below zero but for the last bit: the isotonic forecasts are the best rising function of the forecasts.
    return max(brier / len(frame) - _recalibrated(frame), 0.0)


def _discrimination(frame: Frame) -> float:
    n, positives = len(frame), int(frame.by_forecast[2].sum())
    return max(positives * (n - positives) / n**2 - _recalibrated(frame), 0.0)


class _GroupedRows:
    """The rows behind the groups: what each adds to a part, while the rates of groups stay as they are."""

    def __init__(self, frame: Frame) -> None:
        """``frame`` has at least one row."""
        self._frame, self.p, self.y, self.prevalence = frame, frame["p"], frame["y"], _rate(frame)

    @property
    def observed(self) -> FloatArray:
        """(n,) rate of the positives among the rows with the same forecast value."""
        _, n, y = self._frame.by_forecast
        return np.asarray((y / n)[self._frame.forecasts[1]])

    @property
    def isotonic(self) -> FloatArray:
        """(n,) isotonic forecast."""
        blocks, (_, n, _) = self._frame.isotonic, self._frame.by_forecast
        rates = np.array([positives / size for size, positives in blocks])
        ends = np.cumsum([size for size, _ in blocks])
        return np.asarray(rates[np.searchsorted(ends, np.cumsum(n))][self._frame.forecasts[1]])

    # A part is the mean of these terms, and to first order nothing else moves with a row's weight: observed rates,
    # prevalence and isotonic forecasts are where the mean is flat (each minimises a squared error).

    def reliability(self) -> FloatArray:
        """Return (n,) terms whose mean is the reliability."""
        gap = self.observed - self.p
        return 2 * gap * (self.y - self.p) - gap**2

    def resolution(self) -> FloatArray:
        """Return (n,) terms whose mean is the resolution."""
        gap = self.observed - self.prevalence
        return 2 * gap * (self.y - self.prevalence) - gap**2

    def miscalibration(self) -> FloatArray:
        """Return (n,) terms whose mean is the miscalibration."""
        return (self.p - self.y) ** 2 - (self.isotonic - self.y) ** 2

    def discrimination(self) -> FloatArray:
        """Return (n,) terms whose mean is the discrimination."""
        return (self.prevalence - self.y) ** 2 - (self.isotonic - self.y) ** 2


def _of(value: Callable[[Frame], float], terms: Callable[[_GroupedRows], FloatArray]) -> FitToRows:
    def compute(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
        return value(frame)

    def influence(frame: Frame, contract: Contract, found: float) -> FloatArray:
        return (terms(_GroupedRows(frame)) - found) / len(frame)

    return FitToRows(compute, influence)


_entry = partial(Metric, family="calibration", undefined="no_queries", needs=("probability",), direction="lower")


_BINS = ("ece_bins", "ece_binning", "ece_edges", "ece_bin_value")

METRICS = (
    _entry(
        "brier",
        "Brier score",
        "Mean squared difference between the probability and the outcome.",
        "the mean squared error of the probability is {value}",
        r"\mathrm{BS} = \frac{1}{n}\sum_i (p_i - y_i)^2",
        "sklearn.metrics.brier_score_loss; Brier 1950",
        recompute=over_pairs(reference.squared_error),
        peer=scikit_learn.BRIER,
        statistic=Sums(_squared_error, Ratio.value),
        paired=True,
    ),
    _entry(
        "log_loss",
        "Log loss",
        "Mean negative natural logarithm of the probability given to what happened.",
        "the mean negative log-likelihood of the outcome is {value} nats",
        r"-\frac{1}{n}\sum_i \left[y_i \ln p_i + (1 - y_i)\ln(1 - p_i)\right]",
        "sklearn.metrics.log_loss; Good 1952",
        recompute=over_pairs(reference.surprise),
        peer=scikit_learn.LOG_LOSS,
        statistic=Sums(_surprise, Ratio.value),
        paired=True,
        range=(0.0, None),
        unit="nats",
        conventions=("log_loss_clip",),
    ),
    _entry(
        "ece",
        "ECE",
        "Expected calibration error of the positive class: mean absolute gap between mean probability and "
        "observed rate over equal-width bins, weighted by bin size.",
        "probability and observed rate differ by {value} on average over the bins",
        r"\mathrm{ECE} = \sum_m \frac{n_m}{n} \left|\bar{p}_m - \bar{y}_m\right|",
        "Naeini, Cooper & Hauskrecht 2015",
        recompute=OfRows(reference.expected_calibration_error, rows.pairs),
        statistic=Sums(_Binned.by_convention, _Binned.expected, is_distance=True),
        conventions=_BINS,
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
        recompute=OfRows(reference.equal_mass_calibration_error, rows.pairs),
        statistic=FitToRows(_equal_mass, _influence_on_equal_mass, _gaps_of_equal_mass),
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
        recompute=OfRows(reference.debiased_calibration_error, rows.pairs),
        statistic=Sums(_Binned.with_means, _Binned.debiased, smooth=False, is_distance=True, weighted=False),
        conventions=("ece_bins", "ece_binning", "ece_edges"),
        on_request=True,
    ),
    _entry(
        "mce",
        "MCE",
        "Maximum calibration error of the positive class: the largest gap between mean probability and "
        "observed rate in a bin of equal width, however few queries the bin holds.",
        "in the worst bin, probability and observed rate differ by {value}",
        r"\max_m \left|\bar{p}_m - \bar{y}_m\right|",
        "Naeini, Cooper & Hauskrecht 2015",
        recompute=OfRows(reference.maximum_calibration_error, rows.pairs),
        statistic=Sums(_Binned.by_convention, _Binned.maximum, is_distance=True),
        conventions=_BINS,
    ),
    _entry(
        "brier_skill",
        "Brier skill score",
        "Share of the Brier score of the constant forecast (the prevalence) that the system saves; 0 for "
        "that forecast, negative for a worse one.",
        "the Brier score is {value} of the way from always forecasting the prevalence to perfection",
        r"1 - \frac{\mathrm{BS}}{\pi(1 - \pi)}",
        "1 - sklearn.metrics.brier_score_loss / variance of y_true; Murphy 1973",
        recompute=OfRows(reference.brier_skill, rows.pairs),
        peer=scikit_learn.BRIER_SKILL,
        statistic=Sums(_Skill.of, _Skill.value),
        direction="higher",
        undefined="single_class",
        range=(None, 1.0),
        chance="0",
    ),
    _entry(
        "brier",
        "Brier reliability (Murphy)",
        "Mean squared gap between forecast value and observed rate, over the distinct forecast values. Where nearly "
        "every query has a value of its own, a query is its own group and this says little: see miscalibration.",
        "over distinct forecast values, the mean squared gap between forecast and observed rate is {value}",
        r"\frac{1}{n}\sum_g n_g (p_g - \bar{y}_g)^2",
        "Murphy 1973",
        recompute=OfRows(reference.reliability, rows.pairs),
        statistic=_of(_reliability, _GroupedRows.reliability),
        variant="reliability",
        decimals=4,
    ),
    _entry(
        "brier",
        "Brier resolution (Murphy)",
        "Mean squared distance of the observed rates at the distinct forecast values from the prevalence.",
        "over distinct forecast values, the observed rates lie {value} from the prevalence in mean square",
        r"\frac{1}{n}\sum_g n_g (\bar{y}_g - \pi)^2",
        "Murphy 1973",
        recompute=OfRows(reference.resolution, rows.pairs),
        statistic=_of(_resolution, _GroupedRows.resolution),
        variant="resolution",
        direction="higher",
        range=(0.0, 0.25),
        decimals=4,
    ),
    _entry(
        "brier",
        "Brier uncertainty",
        "Variance of the truth: the Brier score of always forecasting the prevalence; the same in both decompositions.",
        "always forecasting the prevalence would have a Brier score of {value}",
        r"\pi(1 - \pi)",
        "Murphy 1973",
        recompute=OfRows(reference.uncertainty, rows.pairs),
        statistic=Sums(classification.positives, _variance),
        variant="uncertainty",
        direction="none",
        range=(0.0, 0.25),
        decimals=4,
    ),
    _entry(
        "brier",
        "Brier miscalibration (CORP)",
        "How much of the Brier score isotonic recalibration would save. It follows chance as well, so that even "
        "calibrated forecasts have a little.",
        "isotonic recalibration would lower the Brier score by {value}",
        r"\mathrm{BS} - \mathrm{BS}_{\mathrm{isotonic}}",
        "Dimitriadis, Gneiting & Jordan 2021; scipy.optimize.isotonic_regression",
        recompute=OfRows(reference.miscalibration, rows.pairs),
        statistic=_of(_miscalibration, _GroupedRows.miscalibration),
        variant="miscalibration",
        decimals=4,
    ),
    _entry(
        "brier",
        "Brier discrimination (CORP)",
        "How much lower the Brier score of the isotonically recalibrated forecasts is than that of the prevalence.",
        "once recalibrated, the forecasts have a Brier score {value} below that of the prevalence",
        r"\pi(1 - \pi) - \mathrm{BS}_{\mathrm{isotonic}}",
        "Dimitriadis, Gneiting & Jordan 2021; scipy.optimize.isotonic_regression",
        recompute=OfRows(reference.discrimination, rows.pairs),
        statistic=_of(_discrimination, _GroupedRows.discrimination),
        variant="discrimination",
        direction="higher",
        range=(0.0, 0.25),
        decimals=4,
    ),
    *recalibration.METRICS,
)
