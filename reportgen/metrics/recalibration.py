"""Logistic recalibration: intercept and slope of the truth on the logit of the probability (Cox 1958).

A calibrated system has intercept 0 and slope 1; a slope below 1 means probabilities that are too extreme. Values of
the estimate only: see :class:`Refit`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.run import FloatArray
from reportgen.metrics.decomposition import Groups, grouped
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import COSTLY, Refit, fitted

_STEPS = 100
_CONVERGED = 1e-14
_FLAT = 1e-12


def logistic_fit(groups: Groups, clip: float) -> tuple[float, float] | None:
    """(intercept, slope) of maximum likelihood; None where it has no finite maximum.

    Probabilities are kept ``clip`` away from 0 and 1 before their logit is taken. Newton's method with halved steps;
    math.exp and exact sums, so that the result is the same on every processor.
    """
    p, n, y = groups
    kept = [min(max(value, clip), 1 - clip) for value in p]
    x = [math.log(value) - math.log1p(-value) for value in kept]
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
    return point.intercept, point.slope


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
        """The point a step away."""
        return _Point(self._rows, self.intercept + intercept, self.slope + slope)

    def newton(self) -> tuple[float, float]:
        """The step that solves the score equations, linearised."""
        x, n, y = self._rows
        q = np.where(self._z >= 0, 1.0, self._small) / (1 + self._small)
        left, spread = y - n * q, n * q * (1 - q)
        score = _sum(left), _sum(x * left)
        w, wx, wxx = _sum(spread), _sum(x * spread), _sum(x * x * spread)
        determinant = w * wxx - wx * wx
        if determinant <= 0:  # rounding has taken the curvature away: no step can be trusted
            return 0.0, 0.0
        return (wxx * score[0] - wx * score[1]) / determinant, (w * score[1] - wx * score[0]) / determinant


def _sum(terms: FloatArray) -> float:
    return math.fsum(terms.tolist())


def _intercept(frame: Frame, contract: Contract) -> float:
    return _fitted(frame, contract)[0]


def _slope(frame: Frame, contract: Contract) -> float:
    return _fitted(frame, contract)[1]


def _fitted(frame: Frame, contract: Contract) -> tuple[float, float]:
    p, n, y = grouped(frame)
    return _fit_once(tuple(p), tuple(n), tuple(y), contract.real("log_loss_clip"))


@lru_cache(maxsize=64)
def _fit_once(p: tuple[float, ...], n: tuple[int, ...], y: tuple[int, ...], clip: float) -> tuple[float, float]:
    """The fit that intercept and slope of the same rows share; NaN where there is none."""
    return logistic_fit((list(p), list(n), list(y)), clip) or (math.nan, math.nan)


def _parameter(
    name: str, title: str, definition: str, interpretation: str, value: Callable[[Frame, Contract], float], source: str
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
        statistic=Refit(value, COSTLY),
        finish=fitted,
        undefined="no_finite_fit",
        reference=f"sklearn.linear_model.LogisticRegression(C=inf); {source}",
        conventions=("log_loss_clip",),
        needs=("gate",),
        range=(None, None),
        direction="none",
    )


METRICS = (
    _parameter(
        "calibration_intercept",
        "Calibration intercept",
        "Intercept a of the logistic regression of the truth on the logit of the probability, beside the "
        "slope; 0 where both are calibrated, above 0 where probabilities near one half are too low.",
        "logistic recalibration has an intercept of {value} (0 if calibrated)",
        _intercept,
        "Cox 1958",
    ),
    _parameter(
        "calibration_slope",
        "Calibration slope",
        "Slope b of the logistic regression of the truth on the logit of the probability; 1 where "
        "calibrated, below 1 where probabilities are too extreme, above 1 where they are too moderate.",
        "logistic recalibration has a slope of {value} (1 if calibrated)",
        _slope,
        "Cox 1958; Van Calster et al. 2019",
    ),
)
