"""What the Brier score is made of: two exact decompositions over distinct forecast values.

Murphy (1973): BS = reliability - resolution + uncertainty, the queries grouped by forecast value. CORP (Dimitriadis,
Gneiting & Jordan 2021): BS = miscalibration - discrimination + uncertainty, the forecasts recalibrated by isotonic
regression, which needs no groups and so no choice of bins.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Finish, Metric
from reportgen.metrics.statistics import Refit, Statistic, Sums, Totals, fitted, ratio


def _reliability(frame: Frame) -> float:
    groups = frame.by_forecast
    return math.fsum(size * (p - hits / size) ** 2 for p, size, hits in zip(*groups, strict=True)) / len(frame)


def _resolution(frame: Frame) -> float:
    _, n, y = frame.by_forecast
    rate = sum(y) / sum(n)
    return math.fsum(size * (hits / size - rate) ** 2 for size, hits in zip(n, y, strict=True)) / sum(n)


def _class_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    return {"n": np.ones(len(frame)), "y": frame["y"]}


def _variance(totals: Totals, metric_id: MetricId) -> FloatArray:
    n, y = totals["n"], totals["y"]
    return ratio(y * (n - y), n**2)


def _recalibrated(frame: Frame) -> float:
    """Brier score of the isotonic forecasts."""
    return math.fsum(hits * (size - hits) / size for size, hits in frame.isotonic) / len(frame)


def _miscalibration(frame: Frame) -> float:
    p, n, y = frame.by_forecast
    brier = math.fsum(
        hits * (1 - value) ** 2 + (size - hits) * value**2 for value, size, hits in zip(p, n, y, strict=True)
    )
    # Never below zero but for the last bit: the isotonic forecasts are the best rising function of the forecasts.
    return max(brier / sum(n) - _recalibrated(frame), 0.0)


def _discrimination(frame: Frame) -> float:
    _, n, y = frame.by_forecast
    return max(sum(y) * (sum(n) - sum(y)) / sum(n) ** 2 - _recalibrated(frame), 0.0)


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows behind the groups: what each adds to a part, while the rates of groups stay as they are."""

    p: FloatArray
    y: FloatArray
    observed: FloatArray
    """(n,) rate of the positives among the rows with the same forecast value."""
    isotonic: FloatArray
    """(n,) isotonic forecast."""
    prevalence: float

    @classmethod
    def of(cls, frame: Frame) -> _Rows:
        """The rows of a frame, at least one."""
        _, n, y = frame.by_forecast
        _, member = frame.forecasts
        ends, seen = np.cumsum([size for size, _ in frame.isotonic]), np.cumsum(n)
        rates = np.array([positives / size for size, positives in frame.isotonic])[np.searchsorted(ends, seen)]
        observed = np.array([positives / size for size, positives in zip(n, y, strict=True)])
        return cls(frame["p"], frame["y"], observed[member], rates[member], sum(y) / sum(n))

    # A part is the mean of these terms, and to first order nothing else moves with a row's weight: observed rates,
    # prevalence and isotonic forecasts are where the mean is flat (each minimises a squared error).

    def reliability(self) -> FloatArray:
        """(n,) terms whose mean is the reliability."""
        gap = self.observed - self.p
        return 2 * gap * (self.y - self.p) - gap**2

    def resolution(self) -> FloatArray:
        """(n,) terms whose mean is the resolution."""
        gap = self.observed - self.prevalence
        return 2 * gap * (self.y - self.prevalence) - gap**2

    def miscalibration(self) -> FloatArray:
        """(n,) terms whose mean is the miscalibration."""
        return (self.p - self.y) ** 2 - (self.isotonic - self.y) ** 2

    def discrimination(self) -> FloatArray:
        """(n,) terms whose mean is the discrimination."""
        return (self.prevalence - self.y) ** 2 - (self.isotonic - self.y) ** 2


def _of(value: Callable[[Frame], float], terms: Callable[[_Rows], FloatArray]) -> Refit:
    def compute(frame: Frame, contract: Contract) -> float:
        return value(frame)

    def influence(frame: Frame, contract: Contract, found: float) -> FloatArray:
        return (terms(_Rows.of(frame)) - found) / len(frame)

    return Refit(compute, influence)


def _entry(
    variant: str,
    title: str,
    definition: str,
    interpretation: str,
    formula: str,
    statistic: Statistic,
    finish: Finish = fitted,
) -> Metric:
    return Metric(
        name="brier",
        variant=variant,
        family="calibration",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=formula,
        statistic=statistic,
        finish=finish,
        undefined="no_queries",
        reference="Dimitriadis, Gneiting & Jordan 2021; scipy.optimize.isotonic_regression"
        if variant in ("miscalibration", "discrimination")
        else "Murphy 1973",
        needs=("gate",),
        direction="higher" if variant in ("resolution", "discrimination") else "lower",
        range=(0.0, 0.25) if variant in ("resolution", "discrimination", "uncertainty") else (0.0, 1.0),
        decimals=4,
    )


METRICS = (
    _entry(
        "reliability",
        "Brier reliability (Murphy)",
        "Mean squared gap between forecast value and observed rate, over the distinct forecast values. Where nearly "
        "every query has a value of its own, a query is its own group and this says little: see miscalibration.",
        "over distinct forecast values, the mean squared gap between forecast and observed rate is {value}",
        r"\frac{1}{n}\sum_g n_g (p_g - \bar{y}_g)^2",
        _of(_reliability, _Rows.reliability),
    ),
    _entry(
        "resolution",
        "Brier resolution (Murphy)",
        "Mean squared distance of the observed rates at the distinct forecast values from the prevalence.",
        "over distinct forecast values, the observed rates lie {value} from the prevalence in mean square",
        r"\frac{1}{n}\sum_g n_g (\bar{y}_g - \pi)^2",
        _of(_resolution, _Rows.resolution),
    ),
    _entry(
        "uncertainty",
        "Brier uncertainty",
        "Variance of the truth: the Brier score of always forecasting the prevalence; the same in both decompositions.",
        "always forecasting the prevalence would have a Brier score of {value}",
        r"\pi(1 - \pi)",
        Sums(_class_rows),
        _variance,
    ),
    _entry(
        "miscalibration",
        "Brier miscalibration (CORP)",
        "How much of the Brier score isotonic recalibration would save. It follows chance as well, so that even "
        "calibrated forecasts have a little.",
        "isotonic recalibration would lower the Brier score by {value}",
        r"\mathrm{BS} - \mathrm{BS}_{\mathrm{isotonic}}",
        _of(_miscalibration, _Rows.miscalibration),
    ),
    _entry(
        "discrimination",
        "Brier discrimination (CORP)",
        "How much lower the Brier score of the isotonically recalibrated forecasts is than that of the prevalence.",
        "once recalibrated, the forecasts have a Brier score {value} below that of the prevalence",
        r"\pi(1 - \pi) - \mathrm{BS}_{\mathrm{isotonic}}",
        _of(_discrimination, _Rows.discrimination),
    ),
)
