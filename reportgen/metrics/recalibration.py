"""Logistic recalibration: intercept and slope of the truth on the logit of the probability (Cox 1958).

A calibrated system has intercept 0 and slope 1; a slope below 1 means probabilities that are too extreme.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, Groups
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import NotResampled
from reportgen.reference import calibration as reference
from reportgen.reference.rows import Formula, OfRows, pairs

_STEPS = 100
_CONVERGED = 1e-14
_FLAT = 1e-12
_Number = TypeVar("_Number", float, FloatArray)


def logistic_fit(groups: Groups, clip: float) -> tuple[float, float] | None:
    """Return (intercept, slope) of maximum likelihood; None where it has no finite maximum.

    Probabilities are kept ``clip`` away from 0 and 1 before their logit is taken. Newton's method with halved steps;
    math.exp and exact sums, so that the result is the same on every processor.
    """
    found = _maximum(groups, clip)
    return None if found is None else (found.intercept, found.slope)


def _maximum(groups: Groups, clip: float) -> _Point | None:
    p, n, y = groups
    x = _logits(p, clip)
    if not _has_maximum(x, n, y):
        return None
    rows = np.array(x), np.array(n, dtype=np.float64), np.array(y, dtype=np.float64)
    point = _Point(rows, math.log(sum(y)) - math.log(sum(n) - sum(y)), 0.0)
    for _ in range(_STEPS):
        step = point.newton()
        factor = 1.0
        # Near the maximum the loss is flat: what rises by less than its own rounding has not risen.
        highest = point.loss + _FLAT * (1 + abs(point.loss))
        while (moved := point.moved(factor * step[0], factor * step[1])).loss > highest:
            factor /= 2
        point = moved
        if max(abs(step[0]), abs(step[1])) <= _CONVERGED * max(1.0, abs(point.intercept), abs(point.slope)):
            break
    return point


def _logits(p: list[float], clip: float) -> list[float]:
    kept = [min(max(value, clip), 1 - clip) for value in p]
    return [math.log(value) - math.log1p(-value) for value in kept]


def _has_maximum(x: list[float], n: list[int], y: list[int]) -> bool:
    """Both classes, and their ranges overlap by more than a point (Albert & Anderson 1984)."""
    positive = [value for value, hits in zip(x, y, strict=True) if hits]
    negative = [value for value, size, hits in zip(x, n, y, strict=True) if hits < size]
    if not positive or not negative:
        return False
    return max(negative) > min(positive) and max(positive) > min(negative)


class _Point:
    """An intercept and a slope, with the loss there and the step from there: both need the same exponentials."""

    def __init__(self, rows: tuple[FloatArray, FloatArray, FloatArray], intercept: float, slope: float) -> None:
        """``rows``: the logit of each forecast value, the queries with it, the positives among these."""
        self._rows, self.intercept, self.slope = rows, intercept, slope
        x, n, y = rows
        self._z = intercept + slope * x
        # numpy's exponential differs in the last bit between processors; its products and quotients do not.
        small = list(map(math.exp, (-np.abs(self._z)).tolist()))
        self._small = np.array(small)
        softplus = np.maximum(self._z, 0.0) + np.array(list(map(math.log1p, small)))
        self.loss = math.fsum((n * softplus - y * self._z).tolist())
        """Negative log-likelihood."""

    def moved(self, intercept: float, slope: float) -> _Point:
        """Return the point a step away."""
        return _Point(self._rows, self.intercept + intercept, self.slope + slope)

    @property
    def logits(self) -> FloatArray:
        """The logit of each forecast value."""
        return self._rows[0]

    @property
    def rate(self) -> FloatArray:
        """Probability of a positive at each forecast value."""
        return np.asarray(np.where(self._z >= 0, 1.0, self._small) / (1 + self._small))

    def newton(self) -> tuple[float, float]:
        """Return the step that solves the score equations, linearised; none where rounding leaves no curvature."""
        x, n, y = self._rows
        left = y - n * self.rate
        curvature = self.curvature()
        return (0.0, 0.0) if curvature is None else curvature.solve(_sum(left), _sum(x * left))

    def curvature(self) -> _Curvature | None:
        """Return the second derivatives of the loss; None where rounding has taken them away."""
        x, n, _ = self._rows
        rate = self.rate
        spread = n * rate * (1 - rate)
        found = _Curvature(_sum(spread), _sum(x * spread), _sum(x * x * spread))
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


def _sum(terms: FloatArray) -> float:
    return math.fsum(terms.tolist())


def _intercept(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    found = _fitted(frame, contract)
    return math.nan if found is None else found.intercept


def _slope(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    found = _fitted(frame, contract)
    return math.nan if found is None else found.slope


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
    left = frame["y"] - point.rate[member]
    return curvature.solve(left, point.logits[member] * left)


def _fitted(frame: Frame, contract: Contract) -> _Point | None:
    p, n, y = frame.by_forecast
    return _fit_once(tuple(p), tuple(n), tuple(y), contract.real("log_loss_clip"))


@lru_cache(maxsize=16)
def _fit_once(p: tuple[float, ...], n: tuple[int, ...], y: tuple[int, ...], clip: float) -> _Point | None:
    """Return the fit that intercept and slope of the same rows share; None where there is none."""
    return _maximum((list(p), list(n), list(y)), clip)


def _parameter(
    name: str,
    title: str,
    definition: str,
    interpretation: str,
    statistic: NotResampled,
    source: str,
    recompute: Formula,
) -> Metric:
    """An entry for one of the two parameters of the fit."""
    return Metric(
        name=name,
        variant="",
        family="calibration",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=r"\mathrm{logit}\,P(y = 1) = a + b\,\mathrm{logit}\,p",
        recompute=OfRows(recompute, pairs),
        statistic=statistic,
        undefined="no_finite_fit",
        reference=f"sklearn.linear_model.LogisticRegression(C=inf); {source}",
        conventions=("log_loss_clip",),
        needs=("probability",),
        range=(None, None),
        direction="none",
        unit="",
    )


METRICS = (
    _parameter(
        "calibration_intercept",
        "Calibration intercept",
        "Intercept a of the logistic regression of the truth on the logit of the probability, beside the "
        "slope; 0 where both are calibrated, above 0 where probabilities near one half are too low.",
        "logistic recalibration has an intercept of {value} (0 if calibrated)",
        NotResampled(_intercept, _influence_on_intercept),
        "Cox 1958",
        reference.intercept,
    ),
    _parameter(
        "calibration_slope",
        "Calibration slope",
        "Slope b of the logistic regression of the truth on the logit of the probability; 1 where "
        "calibrated, below 1 where probabilities are too extreme, above 1 where they are too moderate.",
        "logistic recalibration has a slope of {value} (1 if calibrated)",
        NotResampled(_slope, _influence_on_slope),
        "Cox 1958; Van Calster et al. 2019",
        reference.slope,
    ),
)
