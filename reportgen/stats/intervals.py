"""Intervals from resampled values, standard deviations over folds, and bands around curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import FoldValue, Interval, IntervalSettings, Reason, Spread, ThresholdRole
from reportgen.domain.run import FloatArray


def significant_digits(value: float, digits: int = 10) -> float:
    """A bound as it is stored: 10 significant digits, never -0.0."""
    return float(f"{value:.{digits}g}") + 0.0


@dataclass(frozen=True, slots=True)
class Settings:
    """The interval settings of an evaluation, interned: records hold indices into ``table``."""

    table: tuple[IntervalSettings, ...]

    def index(self, threshold: ThresholdRole) -> int:
        """The settings of ordinary values (``""``) and of fixed or resampled thresholds."""
        return [settings.threshold for settings in self.table].index(threshold)


def interval_settings(contract: Contract) -> Settings:
    """The settings a contract's intervals have, for the three roles a threshold can have."""
    roles: tuple[ThresholdRole, ...] = get_args(ThresholdRole)
    return Settings(
        tuple(
            IntervalSettings(
                level=contract.real("interval_level"),
                method=f"{contract.text('interval_unit')}_{contract.text('interval_method')}",
                unit=contract.text("interval_unit"),
                strata=contract.text("interval_strata"),
                resamples=contract.integer("resamples"),
                seed=contract.integer("seed"),
                threshold=threshold,
            )
            for threshold in roles
        )
    )


def percentile_interval(values: FloatArray, level: float, settings: int) -> Interval | None:
    """The percentile interval of (1 + B,) values, entry 0 the point value; None without a defined resample.

    Undefined resamples are dropped and counted. Quantile rule: linear (Hyndman & Fan 1996, rule 7). Where all
    resamples agree the interval has no width; it is then marked degenerate. Efron & Tibshirani 1993, chapter 13.
    """
    resampled = values[1:]
    defined = np.sort(resampled[~np.isnan(resampled)])
    if not len(defined):
        return None
    tail = (1 - level) / 2
    lower, upper = (significant_digits(float(q)) for q in np.quantile(defined, [tail, 1 - tail]))
    return Interval(
        lower=lower,
        upper=upper,
        settings=settings,
        failed=len(resampled) - len(defined),
        mc_error=_monte_carlo_error(defined, tail),
        degenerate=bool(defined[0] == defined[-1]),
        method_used="percentile",
    )


def _monte_carlo_error(ordered: FloatArray, tail: float) -> float:
    """Standard error of the bounds that comes from drawing B resamples and not more: the larger of the two.

    Half the distance between the order statistics one binomial standard deviation around each bound.
    """
    n = len(ordered)
    spread = math.sqrt(n * tail * (1 - tail))

    def error(q: float) -> float:
        low = max(math.floor(q * (n - 1) - spread), 0)
        high = min(math.ceil(q * (n - 1) + spread), n - 1)
        return float(ordered[high] - ordered[low]) / 2

    return significant_digits(max(error(tail), error(1 - tail)), 3)


def fold_spread(points: Sequence[float], ddof: int) -> Spread | None:
    """Standard deviation over folds with a value; None with too few of them."""
    defined = [value for value in points if not math.isnan(value)]
    if len(defined) <= max(ddof, 1):
        return None
    mean = math.fsum(defined) / len(defined)
    variance = math.fsum((value - mean) ** 2 for value in defined) / (len(defined) - ddof)
    return Spread(value=math.sqrt(variance), over="fold", ddof=ddof, n=len(defined))


def fold_values(points: Sequence[float], folds: tuple[str, ...], reason: Reason) -> tuple[FoldValue, ...]:
    """The folds' own values, undefined ones with the reason; empty where there are no points."""
    if not points:
        return ()
    return tuple(
        FoldValue(fold=fold, value=None, reason=reason)
        if math.isnan(value)
        else FoldValue(fold=fold, value=value + 0.0, reason=None)
        for fold, value in zip(folds, points, strict=True)
    )


def pointwise_band(curves: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper bounds at each point of (1 + B, n_points) curves; NaN resamples are dropped."""
    tail = (1 - level) / 2
    lower, upper = np.nanquantile(curves[1:], [tail, 1 - tail], axis=0)
    return lower, upper
