"""Workload: how many candidates a reader gets, as means, extremes, spread and quantiles of the returned K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from reportgen.domain.record import Reason
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.selection import passed
from reportgen.metrics.statistics import Sample, Sums, quantile
from reportgen.metrics.totals import Histogram, Mean, ratio
from reportgen.reference import arithmetic, rows
from reportgen.reference import selection as reference
from reportgen.reference.rows import Formula, OfRows, over_returned, sizes


def _mean_over(queries: Callable[[Frame], BoolArray]) -> Sums[Mean]:
    """Return the statistic of the mean of K over some queries."""
    return Sums(lambda sample: Mean.of(np.where(queries(sample.frame), sample["returned_k"], np.nan)), Mean.value)


def _everyone(frame: Frame) -> BoolArray:
    return np.ones(len(frame), dtype=bool)


def _is_positive(frame: Frame) -> BoolArray:
    return np.asarray(frame["y"] == 1)


def _histogram(sample: Sample) -> Histogram:
    return Histogram.of(sample["returned_k"])


@dataclass(frozen=True, slots=True)
class _Moments:
    """The number of queries, the sum of K and that of its squares."""

    n: FloatArray
    k: FloatArray
    k_squared: FloatArray

    @classmethod
    def of(cls, sample: Sample) -> _Moments:
        k = sample["returned_k"]
        return cls(np.ones(len(sample)), k, k * k)

    def sd(self) -> FloatArray:
        """Return the root of the mean square about the mean, over n - 1; whole numbers, so the difference is exact."""
        about = ratio(self.n * self.k_squared - self.k * self.k, self.n * np.maximum(self.n - 1, 0))
        return np.asarray(np.sqrt(about))


_entry = partial(
    Metric,
    family="workload",
    undefined="no_queries",
    conventions=("deployment_decider",),
    needs=("selection",),
    range=(0.0, None),
    direction="none",
    unit="candidates",
)


def _of_all(
    name: str,
    title: str,
    words: str,
    formula: str,
    reference: str,
    statistic: Sums[Histogram] | Sums[_Moments],
    recompute: Formula,
    *,
    undefined: Reason = "no_queries",
    conventions: tuple[str, ...] = ("deployment_decider",),
    on_request: bool = True,
) -> Metric:
    """Return a statistic of K over all queries, without a mean over folds."""
    return _entry(
        name,
        title,
        f"{words[0].upper()}{words[1:]} of the number of candidates returned, over all queries; a query that does "
        "not pass returns none.",
        f"the {words} of the number of {{candidates}} returned is {{value}}",
        formula,
        reference,
        variant="all",
        recompute=OfRows(recompute, sizes),
        statistic=statistic,
        undefined=undefined,
        conventions=conventions,
        decimals=1,
        aggregations=("pooled",),
        on_request=on_request,
    )


def _percentile(name: str, title: str, words: str, percent: int, *, on_request: bool = True) -> Metric:
    return _of_all(
        name,
        title,
        words,
        rf"Q_{{{percent / 100:g}}}(K_q)",
        "numpy.quantile(method='linear')",
        quantile(_histogram, percent / 100),
        partial(arithmetic.quantile, q=Fraction(percent, 100)),
        conventions=("deployment_decider", "quantile"),
        on_request=on_request,
    )


_MIN = Sums(_histogram, Histogram.smallest, smooth=False)
_MAX = Sums(_histogram, Histogram.largest, smooth=False)

METRICS = (
    _entry(
        "avg_k",
        "Mean K",
        "Mean number of candidates returned, over all queries; a query that does not pass returns none.",
        "on average {value} {candidates} are returned for a {query}",
        r"\frac{1}{|Q|}\sum_q K_q",
        "mean over queries",
        variant="all",
        recompute=over_returned(reference.returned_k),
        statistic=_mean_over(_everyone),
        decimals=2,
    ),
    _percentile("median_k", "Median K", "median", 50, on_request=False),
    _percentile("p90_k", "P90 of K", "90th percentile", 90, on_request=False),
    _entry(
        "avg_k",
        "Mean K (queries that pass)",
        "Mean number of candidates returned, over the queries that pass.",
        "on average {value} {candidates} are returned for a {query} that passes",
        r"\frac{1}{|Q_{\mathrm{pass}}|}\sum_{q: \mathrm{pass}} K_q",
        "mean over queries",
        variant="pred_pos",
        recompute=over_returned(reference.returned_k, rows.passed),
        statistic=_mean_over(passed),
        undefined="no_predicted_positives",
        decimals=2,
    ),
    _entry(
        "avg_k",
        "Mean K (positives)",
        "Mean number of candidates returned, over the positive queries; a query that does not pass returns none.",
        "on average {value} {candidates} are returned for a positive {query}",
        r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} K_q",
        "mean over queries",
        variant="gold_pos",
        recompute=over_returned(reference.returned_k, rows.positive),
        statistic=_mean_over(_is_positive),
        undefined="no_positives",
        decimals=2,
        on_request=True,
    ),
    _percentile("p25_k", "P25 of K", "25th percentile", 25),
    _percentile("p75_k", "P75 of K", "75th percentile", 75),
    _of_all("min_k", "Smallest K", "smallest value", r"\min_q K_q", "numpy.min", _MIN, reference.smallest),
    _of_all("max_k", "Largest K", "largest value", r"\max_q K_q", "numpy.max", _MAX, reference.largest),
    _of_all(
        "sd_k",
        "SD of K",
        "standard deviation over queries",
        r"\sqrt{\frac{1}{|Q| - 1}\sum_q (K_q - \bar{K})^2}",
        "numpy.std(ddof=1)",
        Sums(_Moments.of, _Moments.sd, weighted=False),
        reference.standard_deviation_of_k,
        undefined="fewer_than_two",
    ),
)
