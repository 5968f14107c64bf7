"""Intervals from resampled values and from counts, standard deviations, and bands around curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias, get_args

import numpy as np
from msgspec import structs
from scipy.special import betaincinv, stdtrit

from reportgen.domain.contract import Contract
from reportgen.domain.record import (
    FoldValue,
    Interval,
    IntervalSettings,
    Reason,
    RepeatValue,
    SeedValue,
    Spread,
    ThresholdRole,
)
from reportgen.domain.run import FloatArray


def significant_digits(value: float, digits: int = 10) -> float:
    """Return a bound or a spread as it is stored: 10 significant digits, never -0.0."""
    return float(f"{value:.{digits}g}") + 0.0


def _stored(bound: float, value: float) -> float:
    """Return a bound as it is stored; the value itself where it equals the value in these digits.

    So an interval without width is the value, whose digits are all stored, and not a number beside it.
    """
    found = significant_digits(bound)
    return value + 0.0 if found == significant_digits(value) else found


CORRECTED_REPEATED = "corrected_repeated_k_fold"
"""The method of the interval of a mean over the folds of all repeats: see :func:`corrected_fold_bounds`."""
Role: TypeAlias = Literal[
    "bootstrap",
    "fixed",
    "resampled",
    "wilson",
    "clopper_pearson",
    "nadeau_bengio",
    "delong",
    "delong_clustered",
    "linearized",
]
"""What an interval is made by; bootstrap intervals of operating points say what happens to the threshold."""
_THRESHOLDS: Mapping[Role, ThresholdRole] = {"bootstrap": "", "fixed": "fixed", "resampled": "resampled"}
_ANALYTIC: Mapping[Role, tuple[str, str]] = {
    "wilson": ("wilson", "effective queries"),
    "clopper_pearson": ("clopper_pearson", "effective queries"),
    "nadeau_bengio": ("nadeau_bengio_heuristic", "fold"),
    "delong": ("delong_logit", "query"),
    "delong_clustered": ("delong_clustered_logit", "cluster"),
    "linearized": ("linearized", ""),
}
"""Method and unit of the intervals that need no resamples."""
_IN_REPEATS: Mapping[Role, tuple[str, str]] = {"nadeau_bengio": (CORRECTED_REPEATED, "fold")}
"""Those that have another name where the cross-validation is repeated."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The interval settings of an evaluation, interned: records hold indices into ``table``."""

    table: tuple[IntervalSettings, ...]

    @property
    def strata(self) -> str:
        """Return what units are resampled within."""
        return self.table[self.index("bootstrap")].strata

    def index(self, role: Role) -> int:
        """Return the place of a role's settings in the table."""
        return get_args(Role).index(role)


def interval_settings(contract: Contract, *, in_repeats: bool = False) -> Settings:
    """Return the settings of every role under a contract; ``in_repeats``: each repeat has other folds, so none is a
    stratum.
    """
    level = contract.real("interval_level")
    strata = {"fold": "none", "fold_label": "class"} if in_repeats else {}
    analytic = {**_ANALYTIC, **(_IN_REPEATS if in_repeats else {})}
    rows = []
    for role in get_args(Role):
        method, unit = analytic.get(role, (f"{contract['interval_unit']}_{contract['interval_method']}", ""))
        drawn = role in _THRESHOLDS
        within = contract.text("interval_strata") if drawn else ("fold" if role == "linearized" else "")
        rows.append(
            IntervalSettings(
                level=level,
                method=method,
                unit=unit or contract.text("interval_unit"),
                strata=strata.get(within, within),
                resamples=contract.integer("resamples") if drawn else 0,
                seed=contract.integer("seed") if drawn else 0,
                threshold=_THRESHOLDS.get(role, ""),
            )
        )
    return Settings(tuple(rows))


@dataclass(frozen=True, slots=True)
class Resampled:
    """The values of one metric as the blocks filled them in: the estimate, B resamples, then the jackknife."""

    values: FloatArray
    """(1 + B + n_left_out,)"""
    resamples: int
    """B."""

    @property
    def point(self) -> float:
        """Return the estimate itself."""
        return float(self.values[0])

    @property
    def drawn(self) -> FloatArray:
        """Return (B,) values of the resamples."""
        return self.values[1 : 1 + self.resamples]

    @property
    def defined(self) -> FloatArray:
        """Return (k,) values of the resamples that have one, k ≤ B."""
        undefined = np.isnan(self.drawn)
        return self.drawn[~undefined] if undefined.any() else self.drawn

    @property
    def left_out(self) -> FloatArray:
        """Return (n_left_out,) values with one unit left out, or (0,)."""
        return self.values[1 + self.resamples :]


def bootstrap_interval(values: Resampled, level: float, settings: int) -> Interval | None:
    """Return the interval of (1 + B + J,) values, which holds the value itself; None without a defined resample.

    Undefined resamples are dropped and counted. Quantile rule: linear (Hyndman & Fan 1996, rule 7). With jackknife
    values it is the BCa interval (Efron 1987), else the percentile interval (Efron & Tibshirani 1993, chapter 13);
    also where the bounds of BCa fall together. Where resampling moves the statistic so far that the value lies beside
    the quantiles of the resamples, it is :func:`recentred_interval`. Where the bounds fall together, because the
    resamples agree in all digits that are stored, or all but a few, it is marked degenerate.
    """
    defined = np.sort(values.defined)
    if not len(defined):
        return None
    corrected = _bca_tails(values, defined, level) if len(values.left_out) else None
    for method, tails in (("bca", corrected), ("percentile", _percentile_tails(level))):
        if tails is None:
            continue
        lower, upper = (_stored(_quantile(defined, tail.share), values.point) for tail in tails)
        # Resamples of a statistic that resampling biases can all lie on one side: BCa then reads one of them twice.
        if lower <= values.point <= upper and (lower < upper or method == "percentile"):
            return Interval(
                lower=lower,
                upper=upper,
                settings=settings,
                failed=values.resamples - len(defined),
                mc_error=max(_monte_carlo_error(defined, tail) for tail in tails),
                degenerate=lower == upper,
                method_used=method,
            )
    return recentred_interval(values, level, settings)


def recentred_interval(values: Resampled, level: float, settings: int) -> Interval | None:
    """Return the interval that the resamples' spread about their own mean makes around the value; None without any.

    For statistics that resampling biases: how far the resamples lie beside the value says nothing about the value.
    """
    drawn = np.sort(values.defined)
    if not len(drawn):
        return None
    low, high = _percentile_tails(level)
    centre = values.point + _mean(drawn)
    bounds = centre - _quantile(drawn, high.share), centre - _quantile(drawn, low.share)
    error = max(_monte_carlo_error(drawn, tail) for tail in (low, high))
    return _holding(values, bounds, error, settings)


def distance_interval(values: Resampled, level: float, settings: int) -> Interval | None:
    """Return the interval of a distance, such as a calibration error, from values at or above 0; None without any.

    Chance makes a distance larger than it is, and resampling adds chance once more, so that percentile intervals lie
    above the value and do not cover. Where there is no distance, the square of a sum, a maximum or a root mean square
    of absolute gaps is twice as large in the resamples as in the data, on average. So the lower bound is that of the
    basic bootstrap on the scale of squares (Davison & Hinkley 1997, section 5.2), which takes the bias away; the upper
    one leaves it, and so holds the value. How often it covers is in docs/performance.md.
    """
    drawn = np.sort(values.defined)
    if not len(drawn):
        return None
    squares, square = drawn**2, values.point**2
    low, high = _percentile_tails(level)
    lower = math.sqrt(max(2 * square - _quantile(squares, high.share), 0.0))
    upper = math.sqrt(max(square + _mean(squares) - _quantile(squares, low.share), 0.0))
    sides = ((lower, high), (upper, low))
    error = max((_monte_carlo_error(squares, tail) / (2 * bound) for bound, tail in sides if bound), default=0.0)
    return _holding(values, (lower, upper), error, settings)


def gap_interval(differences: Sequence[Resampled], level: float, settings: int) -> Interval | None:
    """Return the interval of the largest absolute difference among several pairs; None without any.

    The largest of absolute values is biased upwards, in the data and once more in resamples. So it is read off
    intervals of all differences that hold at once: if each of them covers, the largest lies between the largest of
    their nearest and the largest of their farthest distances from 0. Several differences have intervals of one reach in
    standard errors (sup-t, Montiel Olea & Plagborg-Møller 2019), over the resamples in which all of them have a value;
    a single one has its own. It covers at least as often as these do together.

    ``differences``: (1 + B + J,) values of each pair, under the same resamples.
    """
    if len(differences) == 1:
        own = bootstrap_interval(differences[0], level, settings)
        return None if own is None else _folded(own, differences[0].point)
    drawn = np.stack([one.drawn for one in differences])
    drawn = drawn[:, ~np.isnan(drawn).any(axis=0)]
    if drawn.shape[1] < 2:
        return None
    gaps = drawn - np.array([[_mean(one)] for one in drawn])
    errors = np.array([math.sqrt(float(np.cumsum(one**2)[-1]) / (len(one) - 1)) for one in gaps])
    varies = errors > 0
    largest = np.sort((np.abs(gaps[varies]) / errors[varies, None]).max(axis=0, initial=0.0))
    points, reach = np.abs([one.point for one in differences]), _quantile(largest, level) * errors
    value = float(points.max())
    lower, upper = (
        _stored(max(float((points - reach).max()), 0.0), value),
        _stored(float((points + reach).max()), value),
    )
    return Interval(
        lower=lower,
        upper=upper,
        settings=settings,
        failed=differences[0].resamples - drawn.shape[1],
        mc_error=_error_of_reach(largest, level, errors),
        degenerate=lower == upper,
        method_used="simultaneous",
    )


def _folded(interval: Interval, value: float) -> Interval:
    """Return the interval of the absolute value of what an interval is of."""
    ends = abs(interval.lower), abs(interval.upper)
    lower = 0.0 if interval.lower <= 0 <= interval.upper else min(ends)
    return structs.replace(interval, lower=min(lower, abs(value)), upper=max(ends), degenerate=lower == max(ends))


def _error_of_reach(largest: FloatArray, level: float, errors: FloatArray) -> float:
    """Return the standard error of the widest bound that comes from drawing B resamples and not more."""
    return significant_digits(_monte_carlo_error(largest, _Tail(level, level * (1 - level))) * float(errors.max()), 3)


def _holding(values: Resampled, bounds: tuple[float, float], error: float, settings: int) -> Interval:
    """Return a recentred interval, widened to the value where a few far resamples put a bound beyond it."""
    lower, upper = (
        _stored(min(bounds[0], values.point), values.point),
        _stored(max(bounds[1], values.point), values.point),
    )
    return Interval(
        lower=lower,
        upper=upper,
        settings=settings,
        failed=values.resamples - len(values.defined),
        mc_error=significant_digits(error, 3),
        degenerate=lower == upper,
        method_used="recentred",
    )


def _mean(values: FloatArray) -> float:
    """Return the mean of values added one by one: the same bits on every processor."""
    return float(np.cumsum(values)[-1]) / len(values)


@dataclass(frozen=True, slots=True)
class _Tail:
    """Where a bound is read among the sorted resamples."""

    share: float
    variance: float
    """Of the distance in ranks, per resample, between that share and where the bound would be with all resamples."""


def _percentile_tails(level: float) -> tuple[_Tail, _Tail]:
    low, high = (1 - level) / 2, (1 + level) / 2
    return _Tail(low, low * (1 - low)), _Tail(high, high * (1 - high))


def _bca_tails(values: Resampled, ordered: FloatArray, level: float) -> tuple[_Tail, ...] | None:
    """Return where BCa reads its bounds; None where its corrections are undefined.

    Bias from the share of resamples below the estimate (ties count half), acceleration from leaving one unit out.
    """
    below = (np.searchsorted(ordered, values.point) + np.searchsorted(ordered, values.point, side="right")) / 2
    share = float(below) / len(ordered)
    left_out = values.left_out[~np.isnan(values.left_out)]
    gaps = left_out.mean() - left_out if len(left_out) else left_out
    spread = math.fsum((gaps**2).tolist())
    if not 0 < share < 1 or spread == 0:
        return None
    acceleration = math.fsum((gaps**3).tolist()) / (6 * spread**1.5)
    normal = NormalDist()
    bias = normal.inv_cdf(share)
    tails = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + normal.inv_cdf(tail)
        denominator = 1 - acceleration * z
        if denominator <= 0:
            return None
        read_at = bias + z / denominator
        # How far the share moves with the share below the estimate, which is counted in the same resamples.
        slope = normal.pdf(read_at) * (1 + denominator**-2) / normal.pdf(bias)
        tails.append(_Tail(normal.cdf(read_at), _variance(normal.cdf(read_at), share, slope)))
    return tuple(tails)


def _variance(read: float, below: float, slope: float) -> float:
    """Return the variance, times n, of a - slope · b, with a and b the shares of n values below two points.

    Their means are ``read`` and ``below``; their covariance is (min(read, below) - read · below) / n.
    """
    together = min(read, below) - read * below
    return read * (1 - read) + slope**2 * below * (1 - below) - 2 * slope * together


def _quantile(ordered: FloatArray, share: float) -> float:
    """Return a quantile of sorted values; rule: linear (Hyndman & Fan 1996, rule 7)."""
    place = share * (len(ordered) - 1)
    below = min(math.floor(place), len(ordered) - 1)
    low, high = float(ordered[below]), float(ordered[min(below + 1, len(ordered) - 1)])
    return low + (high - low) * (place - below)


def _monte_carlo_error(ordered: FloatArray, tail: _Tail) -> float:
    """Return the standard error of a bound that comes from drawing B resamples and not more.

    Half the distance between the order statistics one standard deviation in ranks around the bound.
    """
    n = len(ordered)
    spread = math.sqrt(n * max(tail.variance, 0.0))
    low = max(math.floor(tail.share * (n - 1) - spread), 0)
    high = min(math.ceil(tail.share * (n - 1) + spread), n - 1)
    return significant_digits(float(ordered[high] - ordered[low]) / 2, 3)


def bootstrap_error(values: Resampled) -> float | None:
    """Return the SD of the defined resamples: the bootstrap standard error; None with fewer than two."""
    defined = values.defined
    if len(defined) < 2:
        return None
    # Cumulative sums give the same bits on every processor, at a fraction of an exact sum's cost.
    gaps = defined - _mean(defined)
    return significant_digits(math.sqrt(float(np.cumsum(gaps**2)[-1]) / (len(defined) - 1)))


def analytic_interval(bounds: tuple[float, float], value: float, settings: int, method: str) -> Interval:
    """Return the interval of a value that needs no resamples, as a record; without width it is marked degenerate."""
    lower, upper = (_stored(bound, value) for bound in bounds)
    return Interval(
        lower=lower,
        upper=upper,
        settings=settings,
        failed=0,
        mc_error=None,
        degenerate=lower == upper,
        method_used=method,
    )


def linearized_bounds(
    value: float, error: float, degrees: int, level: float, value_range: tuple[float | None, float | None]
) -> tuple[float, float]:
    """Return the t interval of a value with a linearized standard error; no width where the error is 0.

    Where its range has two ends it is made on the logit scale between them, and so stays inside. ``degrees``: of
    freedom, at least 1. Korn & Graubard 1990; Korn & Graubard 1998 for shares.
    """
    low, high = value_range
    if error == 0:
        return value, value
    half = float(stdtrit(degrees, (1 + level) / 2)) * error
    if low is None or high is None:
        bounds = value - half, value + half
        return max(bounds[0], -math.inf if low is None else low), min(bounds[1], math.inf if high is None else high)
    share = (value - low) / (high - low)
    if not 0 < share < 1:
        return value, value
    lower, upper = (low + (high - low) * bound for bound in _on_logit_scale(share, half / (high - low)))
    return lower, upper


def logit_bounds(share: float, error: float, level: float) -> tuple[float, float] | None:
    """Return a normal interval of a share, made on the logit scale, so that it stays inside [0, 1]; None at 0 and 1."""
    if not 0 < share < 1 or error <= 0:
        return None
    return _on_logit_scale(share, NormalDist().inv_cdf((1 + level) / 2) * error)


def _on_logit_scale(share: float, half: float) -> tuple[float, float]:
    """Return the bounds around a share that reach half an interval's width to either side, to first order."""
    centre, reach = math.log(share) - math.log1p(-share), half / (share * (1 - share))
    return _logistic(centre - reach), _logistic(centre + reach)


def _logistic(x: float) -> float:
    """Return 1 / (1 + e⁻ˣ) without overflow."""
    small = math.exp(-abs(x))
    return 1 / (1 + small) if x >= 0 else small / (1 + small)


def kish(weight: FloatArray) -> float:
    """Return (Σ w)² / Σ w² of (n,) weights, 0 or more: the rows of equal weight that would leave a mean as uncertain.

    0 without a weight above 0. Kish 1965, Survey sampling, chapter 11.7.
    """
    total = math.fsum(weight.tolist())
    return total**2 / math.fsum((weight**2).tolist()) if total else 0.0


def effective_trials(share: float, trials: float, error: float) -> float:
    """Return the number of independent trials that would leave a proportion as uncertain as it is; at most ``trials``.

    Args:
        share: The proportion.
        trials: Its denominator.
        error: Its standard error over whole clusters; 0 where it cannot be estimated, as at 0 and at 1.

    Returns:
        share (1 - share) / error². Clusters can also make a proportion more certain than independent trials; the
        plain number then stands, which is cautious, and so it does where nothing can be estimated. Korn & Graubard
        1998; Parker et al. 2017 (National Center for Health Statistics data presentation standards for proportions).
    """
    variance = share * (1 - share)
    return min(trials, variance / error**2) if variance > 0 and error > 0 else trials


def wilson(share: float, trials: float, level: float) -> tuple[float, float]:
    """Return the score interval of a proportion; its bounds stay in [0, 1] and have width at 0 and at 1.

    ``trials`` may be an effective number and need not be whole. Wilson 1927; Brown, Cai & DasGupta 2001.
    """
    z2 = NormalDist().inv_cdf((1 + level) / 2) ** 2
    centre = (share + z2 / (2 * trials)) / (1 + z2 / trials)
    half = math.sqrt(z2 * (share * (1 - share) / trials + z2 / (4 * trials**2))) / (1 + z2 / trials)
    # At the edges the bound is the edge itself; rounding would leave it a hair inside.
    return (0.0 if share == 0 else max(centre - half, 0.0)), (1.0 if share == 1 else min(centre + half, 1.0))


def clopper_pearson(share: float, trials: float, level: float) -> tuple[float, float]:
    """Return the exact interval of a proportion from beta quantiles: covers at least ``level``.

    ``trials`` may be an effective number and need not be whole. Clopper & Pearson 1934; Korn & Graubard 1998 for the
    effective number.
    """
    tail, hits = (1 - level) / 2, share * trials
    lower = 0.0 if share == 0 else float(betaincinv(hits, trials - hits + 1, tail))
    upper = 1.0 if share == 1 else float(betaincinv(hits + 1, trials - hits, 1 - tail))
    return lower, upper


def corrected_fold_bounds(points: Sequence[float], test_to_train: float, level: float) -> tuple[float, float] | None:
    """Return the corrected t interval of a mean over folds; None without two folds that have a value.

    Its error is :func:`corrected_fold_error`, with n - 1 degrees of freedom for n folds.
    """
    defined = [point for point in points if not math.isnan(point)]
    error = corrected_fold_error(defined, test_to_train)
    if error is None:
        return None
    mean = math.fsum(defined) / len(defined)
    half = float(stdtrit(len(defined) - 1, (1 + level) / 2)) * error
    return mean - half, mean + half


def corrected_fold_error(values: Sequence[float], test_to_train: float) -> float | None:
    """Return the standard error of the mean of n fold values: the root of (1/n + test/train) s²; None without two.

    ``test_to_train``: the ratio of what a fold's model is tested on to what it was fitted on. Nadeau & Bengio 2003
    derived it for random splits; for k folds it is a heuristic. Of r repeats of k folds n is r·k: the corrected
    repeated k-fold cv test of Bouckaert & Frank 2004.
    """
    if len(values) < 2 or not 0 < test_to_train < math.inf:
        return None
    return _sd(values, 1) * math.sqrt(1 / len(values) + test_to_train)


def spread_over(over: Literal["fold", "seed", "repeat"], points: Sequence[float], ddof: int) -> Spread | None:
    """Return the standard deviation over folds, trainings or repeats with a value; None with too few of them."""
    defined = [value for value in points if not math.isnan(value)]
    if len(defined) <= max(ddof, 1):
        return None
    return Spread(value=significant_digits(_sd(defined, ddof)), over=over, ddof=ddof, n=len(defined))


def _sd(values: Sequence[float], ddof: int) -> float:
    mean = math.fsum(values) / len(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - ddof))


def seed_values(points: Sequence[float], seeds: Sequence[str], reason: Reason) -> tuple[SeedValue, ...]:
    """Return the trainings' own values, undefined ones with the reason; empty where there are no points."""
    return tuple(
        SeedValue(seed, None, reason) if math.isnan(value) else SeedValue(seed, value + 0.0)
        for seed, value in zip(seeds, points, strict=False)
    )


def repeat_values(points: Sequence[float], repeats: Sequence[str], reason: Reason) -> tuple[RepeatValue, ...]:
    """Return the repeats' own values, undefined ones with the reason; empty where there are no points."""
    return tuple(
        RepeatValue(repeat, None, reason) if math.isnan(value) else RepeatValue(repeat, value + 0.0)
        for repeat, value in zip(repeats, points, strict=False)
    )


@dataclass(frozen=True, slots=True)
class OfQueries:
    """How much the values of single queries differ, in one training or repeat."""

    n: int
    sd: float
    """ddof 1."""
    quartiles: tuple[float, float, float]
    """Rule: linear (Hyndman & Fan 1996, rule 7)."""

    @classmethod
    def of(cls, values: FloatArray) -> tuple[OfQueries, ...]:
        """Return it for (n,) defined values; nothing for fewer than two."""
        if len(values) < 2:
            return ()
        low, middle, high = np.quantile(values, [0.25, 0.5, 0.75]).tolist()
        return (cls(len(values), float(np.std(values, ddof=1)), (low, middle, high)),)


def query_spread(parts: Sequence[OfQueries]) -> Spread:
    """Return the SD over single queries (ddof 1): how much queries differ, not how certain their mean is.

    Of several trainings or repeats it is the mean of the SD of each; all have a value on equally many queries.
    """
    sd = significant_digits(sum(one.sd for one in parts) / len(parts))
    return Spread(value=sd, over="query", ddof=1, n=parts[0].n)


def query_quartiles(parts: Sequence[OfQueries]) -> tuple[float, float, float]:
    """Return the quartiles of single queries, of several trainings or repeats their means."""
    found = zip(*(one.quartiles for one in parts), strict=True)
    low, middle, high = (significant_digits(sum(each) / len(parts)) for each in found)
    return low, middle, high


def fold_values(points: Sequence[float], folds: tuple[str, ...], reason: Reason) -> tuple[FoldValue, ...]:
    """Return the folds' own values, undefined ones with the reason; empty where there are no points."""
    if not points:
        return ()
    return tuple(
        FoldValue(fold=fold, value=None, reason=reason)
        if math.isnan(value)
        else FoldValue(fold=fold, value=value + 0.0, reason=None)
        for fold, value in zip(folds, points, strict=True)
    )


def pointwise_band(curves: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return the lower and upper bounds at each point of (1 + B, n_points) curves; NaN resamples are dropped."""
    tails = ((1 - level) / 2, (1 + level) / 2)
    ordered = np.sort(curves[1:].T, axis=1)  # NaN last
    n = len(ordered[0]) - np.isnan(ordered).sum(axis=1)
    bounds = [
        [_quantile(row[:k], tail) if k else math.nan for tail in tails]
        for row, k in zip(ordered, n.tolist(), strict=True)
    ]
    return np.array(bounds)[:, 0], np.array(bounds)[:, 1]


def simultaneous_band(curves: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
    """Return a band that holds the whole curve in ``level`` of resamples: the studentized largest deviation (sup-t).

    Undefined values of resamples are dropped, and resamples without any value; points where no resample varies have
    no width. Montiel Olea & Plagborg-Møller 2019.
    """
    point, resampled = curves[0], curves[1:]
    defined = ~np.isnan(resampled)
    n = np.maximum(defined.sum(axis=0), 1)
    mean = np.where(defined, resampled, 0.0).sum(axis=0) / n
    sd = np.sqrt((np.where(defined, resampled - mean, 0.0) ** 2).sum(axis=0) / n)
    varies = sd > 0
    gaps = np.abs(resampled - point)[:, varies] / sd[varies]
    largest = np.where(np.isnan(gaps), 0.0, gaps).max(axis=1, initial=0.0)[defined.any(axis=1)]
    reach = float(np.quantile(largest, level)) * sd if len(largest) else np.full(len(point), np.nan)
    return point - reach, point + reach
