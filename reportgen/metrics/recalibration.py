"""Logistic recalibration: intercept and slope of the truth on the logit of the probability (Cox 1958).

A calibrated system has intercept 0 and slope 1; a slope below 1 means probabilities that are too extreme. The intercept
with the slope fixed at 1, and the ratio of observed to expected positives, say whether probabilities are right on
average: calibration in the large (Van Calster et al. 2019).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias, TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, WeighedGroups
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import FitToRows, Sample, Sums, each, exact_sum
from reportgen.metrics.totals import Ratio
from reportgen.reference import calibration as reference
from reportgen.reference.rows import Formula, OfRows, pairs

_STEPS = 100
_CONVERGED = 1e-14
_FLAT = 1e-12
_Number = TypeVar("_Number", float, FloatArray)
_Rows: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]
"""The logit of each forecast value, the queries with it, the positives among these."""


def logistic_fit(groups: WeighedGroups, clip: float) -> tuple[float, float] | None:
    """Return (intercept, slope) of maximum likelihood; None where it has no finite maximum.

    Probabilities are kept ``clip`` away from 0 and 1 before their logit is taken. Newton's method with halved steps;
    math.exp and exact sums, so that the result is the same on every processor.
    """
    found = _maximum(_rows(groups, clip))
    return None if found is None else (found.intercept, found.slope)


def _rows(groups: WeighedGroups, clip: float) -> _Rows:
    p, n, y = groups
    return _logits(p, clip), n.astype(np.float64), y.astype(np.float64)


def _maximum(rows: _Rows) -> _Point | None:
    x, n, y = rows
    if not _has_maximum(x, n, y):
        return None
    positives, every = _counted(y), _counted(n)
    return _climbed(_Point(rows, math.log(positives) - math.log(every - positives), 0.0), _Point.newton)


def _maximum_of_slope_1(rows: _Rows) -> _Point | None:
    """Return the intercept of maximum likelihood beside a slope of 1; None with one class."""
    _, n, y = rows
    if not 0 < _counted(y) < _counted(n):
        return None
    return _climbed(_Point(rows, 0.0, 1.0), _Point.newton_of_intercept)


def _counted(rows: FloatArray) -> float:
    """Return the sum of (n,) numbers or weights of rows, added one after the other."""
    return float(np.bincount(np.zeros(len(rows), dtype=np.int64), weights=rows)[0])


def _climbed(point: _Point, step_from: Callable[[_Point], tuple[float, float]]) -> _Point:
    """Return where steps uphill from a point end; a step that would lead down is halved."""
    for _ in range(_STEPS):
        step = step_from(point)
        factor = 1.0
        # Near the maximum the loss is flat: what rises by less than its own rounding has not risen.
        highest = point.loss + _FLAT * (1 + abs(point.loss))
        while (moved := point.moved(factor * step[0], factor * step[1])).loss > highest:
            factor /= 2
        point = moved
        if max(abs(step[0]), abs(step[1])) <= _CONVERGED * max(1.0, abs(point.intercept), abs(point.slope)):
            break
    return point


def _logits(p: FloatArray, clip: float) -> FloatArray:
    kept = np.clip(p, clip, 1 - clip)
    return each(math.log, kept) - each(math.log1p, -kept)


def _has_maximum(x: FloatArray, n: FloatArray, y: FloatArray) -> bool:
    """Tell whether both classes occur and their ranges overlap by more than a point (Albert & Anderson 1984)."""
    positive, negative = x[y > 0], x[y < n]
    if not len(positive) or not len(negative):
        return False
    return bool(negative.max() > positive.min() and positive.max() > negative.min())


class _Point:
    """An intercept and a slope, with the loss there and the step from there: both need the same exponentials."""

    def __init__(self, rows: _Rows, intercept: float, slope: float) -> None:
        self._rows, self.intercept, self.slope = rows, intercept, slope
        x, n, y = rows
        self._z = intercept + slope * x
        self._small = each(math.exp, -np.abs(self._z))
        softplus = np.maximum(self._z, 0.0) + each(math.log1p, self._small)
        self.loss = exact_sum(n * softplus - y * self._z)
        """Negative log-likelihood."""

    def moved(self, intercept: float, slope: float) -> _Point:
        """Return the point a step away."""
        return _Point(self._rows, self.intercept + intercept, self.slope + slope)

    @property
    def logits(self) -> FloatArray:
        """The logit of each forecast value."""
        return self._rows[0]

    @cached_property
    def rate(self) -> FloatArray:
        """Probability of a positive at each forecast value."""
        return np.asarray(np.where(self._z >= 0, 1.0, self._small) / (1 + self._small))

    @property
    def variance(self) -> FloatArray:
        """Variance of a truth at each forecast value: rate times (1 - rate)."""
        return np.asarray(self._small / (1 + self._small) ** 2)

    def newton(self) -> tuple[float, float]:
        """Return the step that solves the score equations, linearised; none where rounding leaves no curvature."""
        x, n, y = self._rows
        left = y - n * self.rate
        curvature = self.curvature()
        return (0.0, 0.0) if curvature is None else curvature.solve(exact_sum(left), exact_sum(x * left))

    def newton_of_intercept(self) -> tuple[float, float]:
        """Return the step of the intercept alone, of at most 1: far from the maximum there is hardly any curvature."""
        _, n, y = self._rows
        above = self._z >= 0
        # A rate beside 0 or 1 differs from it by less than rounding, so whole numbers and small shares are added apart.
        shares = n * self._small / (1 + self._small)
        left = exact_sum(y - n * above) + exact_sum(np.where(above, shares, -shares))
        curvature = exact_sum(n * self.variance)
        return (max(-1.0, min(left / curvature, 1.0)) if curvature > 0 else math.copysign(1.0, left), 0.0)

    def curvature(self) -> _Curvature | None:
        """Return the second derivatives of the loss; None where rounding has taken them away."""
        x, n, _ = self._rows
        rate = self.rate
        spread = n * rate * (1 - rate)
        found = _Curvature(exact_sum(spread), exact_sum(x * spread), exact_sum(x * x * spread))
        return found if found.determinant > 0 else None


@dataclass(frozen=True, slots=True)
class _Curvature:
    """The information matrix of intercept and slope."""

    w: float
    wx: float
    wxx: float

    @property
    def determinant(self) -> float:
        return self.w * self.wxx - self.wx * self.wx

    def solve(self, first: _Number, second: _Number) -> tuple[_Number, _Number]:
        """Solve for what the matrix times is two given numbers, or two arrays of such."""
        intercept = (self.wxx * first - self.wx * second) / self.determinant
        return intercept, (self.w * second - self.wx * first) / self.determinant


def _intercept(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    found = _fitted(frame, contract)
    return math.nan if found is None else found.intercept


def _slope(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    found = _fitted(frame, contract)
    return math.nan if found is None else found.slope


def _in_the_large(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    found = _fitted(frame, contract, of_slope_1=True)
    return math.nan if found is None else found.intercept


def _influence_in_the_large(frame: Frame, contract: Contract, intercept: float) -> FloatArray:
    point = _fitted(frame, contract, of_slope_1=True)
    if point is None:
        return np.full(len(frame), np.nan)
    _, member = frame.forecasts
    return frame.weighted(frame["y"] - point.rate[member]) / exact_sum(frame.weighted(point.variance[member]))


def _observed_and_expected(sample: Sample) -> Ratio:
    return Ratio(sample["y"], sample["p"])


def _influence_on_intercept(frame: Frame, contract: Contract, intercept: float) -> FloatArray:
    return _influences(frame, contract)[0]


def _influence_on_slope(frame: Frame, contract: Contract, slope: float) -> FloatArray:
    return _influences(frame, contract)[1]


def _influences(frame: Frame, contract: Contract) -> tuple[FloatArray, FloatArray]:
    """Return (n,) of both parameters: the score of each row times the inverse of the information (White 1982)."""
    point = _fitted(frame, contract)
    curvature = None if point is None else point.curvature()
    if point is None or curvature is None:
        unknown = np.full(len(frame), np.nan)
        return unknown, unknown
    _, member = frame.forecasts
    left = frame.weighted(frame["y"] - point.rate[member])
    return curvature.solve(left, point.logits[member] * left)


def _fitted(frame: Frame, contract: Contract, *, of_slope_1: bool = False) -> _Point | None:
    """Return the fit that all values of the same rows share; None where there is none."""
    fit, clip, known = _maximum_of_slope_1 if of_slope_1 else _maximum, contract.real("log_loss_clip"), frame.fits
    if (_rows, clip) not in known:
        known[_rows, clip] = _rows(frame.weight_by_forecast, clip)
    if (fit, clip) not in known:
        known[fit, clip] = fit(known[_rows, clip])
    found: _Point | None = known[fit, clip]
    return found


def _parameter(
    name: str,
    title: str,
    definition: str,
    interpretation: str,
    statistic: FitToRows,
    source: str,
    recompute: Formula,
    formula: str = r"\mathrm{logit}\,P(y = 1) = a + b\,\mathrm{logit}\,p",
) -> Metric:
    """Return an entry for a parameter of a fit."""
    return Metric(
        name=name,
        variant="",
        family="calibration",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=formula,
        recompute=OfRows(recompute, pairs),
        statistic=statistic,
        undefined="no_finite_fit",
        reference=source,
        conventions=("log_loss_clip",),
        needs=("probability",),
        range=(None, None),
        direction="none",
        unit="",
    )


METRICS = (
    _parameter(
        "calibration_in_the_large",
        "Calibration in the large",
        "Intercept a of the logistic regression of the truth on the logit of the probability, with the slope fixed at "
        "1; 0 where the probabilities are right on average, above 0 where they are too low. A probability of 0 or 1 "
        "counts as the clip of the contract beside it.",
        "probabilities are off by {value} on average on the scale of the logit (0 if calibrated)",
        FitToRows(_in_the_large, _influence_in_the_large, has_weighted_form=True),
        "statsmodels GLM(Binomial(), offset=logit p); Cox 1958; Van Calster et al. 2019",
        reference.in_the_large,
        r"\mathrm{logit}\,P(y = 1) = a + \mathrm{logit}\,p",
    ),
    Metric(
        "observed_expected",
        "O:E ratio",
        "Observed positives over expected ones, the sum of the probabilities; 1 where the probabilities are right on "
        "average, above 1 where they are too low.",
        "there are {value} times as many positive {queries} as the probabilities add up to (1 if calibrated)",
        r"\sum_i y_i / \sum_i p_i",
        "sum of y_true / sum of the probabilities; Steyerberg 2019, section 15.3",
        family="calibration",
        recompute=OfRows(reference.observed_expected, pairs),
        statistic=Sums(_observed_and_expected, Ratio.value),
        undefined="nothing_expected",
        needs=("probability",),
        range=(0.0, None),
        direction="none",
        unit="",
    ),
    _parameter(
        "calibration_intercept",
        "Calibration intercept (joint)",
        "Intercept a of the logistic regression of the truth on the logit of the probability, fitted together with the "
        "slope; 0 where both are calibrated, above 0 where probabilities near one half are too low. With a slope "
        "other than 1 it does not say whether probabilities are right on average: see calibration in the large.",
        "logistic recalibration has an intercept of {value} (0 if calibrated)",
        FitToRows(_intercept, _influence_on_intercept, has_weighted_form=True),
        "sklearn.linear_model.LogisticRegression(C=inf); Cox 1958",
        reference.intercept,
    ),
    _parameter(
        "calibration_slope",
        "Calibration slope",
        "Slope b of the logistic regression of the truth on the logit of the probability; 1 where "
        "calibrated, below 1 where probabilities are too extreme, above 1 where they are too moderate.",
        "logistic recalibration has a slope of {value} (1 if calibrated)",
        FitToRows(_slope, _influence_on_slope, has_weighted_form=True),
        "sklearn.linear_model.LogisticRegression(C=inf); Cox 1958; Van Calster et al. 2019",
        reference.slope,
    ),
)
