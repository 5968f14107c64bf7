"""Calibration metrics of a set of queries: p the probability of evidence, y its truth (1 or 0).

Two decompositions of the Brier score, exact in fractions. Murphy (1973): BS = reliability − resolution + uncertainty
over the distinct values of p. Dimitriadis, Gneiting and Jordan (2021): BS = miscalibration − discrimination +
uncertainty, with the isotonic recalibration of p. Logistic recalibration is logit P(y = 1) = a + b logit p by maximum
likelihood (Cox 1958). Metrics of no queries are None.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from reportgen.reference.arithmetic import choice, total
from reportgen.reference.classification import Pairs

_ROUNDS = 200
_HALVINGS = 60


def squared_error(pair: tuple[float, int]) -> Fraction:
    """Return (p − y)² of one query, exactly: a float is a fraction with a power of two below (Brier 1950)."""
    p, y = pair
    return (Fraction(p) - y) ** 2


def brier(pairs: Pairs) -> Fraction | None:
    """Return (1/n) Σ (pᵢ − yᵢ)²."""
    return Fraction(total(map(squared_error, pairs))) / len(pairs) if pairs else None


def surprise(pair: tuple[float, int], log_loss_clip: float) -> float:
    """Return −(y ln p + (1 − y) ln(1 − p)), the probability of the true class kept within [clip, 1 − clip].

    Keeping p itself would be the same but for rounding: 1 − (1 − clip) is not clip.
    """
    p, y = pair
    likelihood = p if y == 1 else 1 - p
    return -math.log(min(max(likelihood, log_loss_clip), 1 - log_loss_clip))


def brier_skill(pairs: Pairs) -> Fraction | None:
    """Return 1 − BS / (π (1 − π)), π the share of positives; None if a class is missing (Murphy 1973)."""
    score, spread = brier(pairs), uncertainty(pairs)
    return 1 - score / spread if score is not None and spread else None


# Bins


def expected_calibration_error(pairs: Pairs, ece_bins: int, ece_edges: str, ece_bin_value: str) -> Fraction | None:
    """Return Σ over bins b of (n_b / n) |p̄_b − mean y| (Naeini, Cooper and Hauskrecht 2015).

    n counts all queries, also those that ``left_closed_drop_last`` puts in no bin.
    """
    gaps = (n * gap for n, gap in _gaps(pairs, ece_bins, ece_edges, ece_bin_value))
    return sum(gaps, Fraction(0)) / len(pairs) if pairs else None


def maximum_calibration_error(pairs: Pairs, ece_bins: int, ece_edges: str, ece_bin_value: str) -> Fraction | None:
    """Return the largest |p̄_b − mean y| of a bin with queries; None if no bin has any."""
    return max((gap for _, gap in _gaps(pairs, ece_bins, ece_edges, ece_bin_value)), default=None)


def equal_mass_calibration_error(pairs: Pairs, ece_bins: int) -> Fraction | None:
    """Return Σ over bins b of (n_b / n) |mean p − mean y|, with bins of equally many queries.

    Query i is in bin ⌊number × (queries with smaller p) / n⌋: equal probabilities share a bin, and edges that
    coincide make one bin.
    """
    members: dict[int, list[tuple[float, int]]] = {}
    ordered = sorted(p for p, _ in pairs)
    for p, y in pairs:
        members.setdefault(ece_bins * bisect_left(ordered, p) // len(pairs), []).append((p, y))
    gaps = (abs(sum((Fraction(p) - y for p, y in rows), Fraction(0))) for rows in members.values())
    return sum(gaps, Fraction(0)) / len(pairs) if pairs else None


def debiased_calibration_error(pairs: Pairs, ece_bins: int, ece_edges: str) -> float | None:
    """Return √max(0, Σ over bins b of (n_b / n) ((p̄_b − ȳ_b)² − ȳ_b (1 − ȳ_b) / (n_b − 1))).

    A bin of one query adds nothing; None if there is no bin of two (Kumar, Liang and Ma 2019).
    """
    squared, known = Fraction(0), False
    for rows in _members(pairs, ece_bins, ece_edges).values():
        if (n := len(rows)) > 1:
            known = True
            squared += n * ((_forecast(rows) - _rate(rows)) ** 2 - _rate(rows) * (1 - _rate(rows)) / (n - 1))
    return math.sqrt(max(squared / len(pairs), Fraction(0))) if known else None


def _gaps(pairs: Pairs, ece_bins: int, ece_edges: str, ece_bin_value: str) -> Iterator[tuple[int, Fraction]]:
    """Yield (queries, |p̄_b − mean y|) of each bin with queries; p̄_b is the mean of p, or the bin's centre."""
    for index, rows in _members(pairs, ece_bins, ece_edges).items():
        centre = Fraction(2 * index + 1, 2 * ece_bins)
        yield len(rows), abs(choice({"mean": _forecast(rows), "centre": centre}, ece_bin_value) - _rate(rows))


def _members(pairs: Pairs, ece_bins: int, ece_edges: str) -> dict[int, list[tuple[float, int]]]:
    members: dict[int, list[tuple[float, int]]] = {}
    for p, y in pairs:
        if (index := bin_of(p, ece_bins, ece_edges)) is not None:
            members.setdefault(index, []).append((p, y))
    return members


def bin_of(p: float, number: int, edges: str) -> int | None:
    """Return the bin of a probability, from 0; None where the convention lacks one for it."""
    inner = range(1, number)
    match edges:
        case "left_closed_last_closed":
            # Edges by division: 3 / 10 is the same float as 0.3, which a multiple of 0.1 is not.
            return sum(p >= i / number for i in inner)
        case "left_open_first_closed":
            return sum(p > i / number for i in inner)
        case "left_closed_drop_last":
            return None if p >= 1 else sum(p >= i * (1 / number) for i in inner)
        case _:
            raise ValueError(f"no reference formula for {edges!r}")


def _forecast(pairs: Pairs) -> Fraction:
    return sum((Fraction(p) for p, _ in pairs), Fraction(0)) / len(pairs)


def _rate(pairs: Pairs) -> Fraction:
    return Fraction(sum(y for _, y in pairs), len(pairs))


# Decompositions of the Brier score


def _outcomes(pairs: Pairs) -> dict[float, list[int]]:
    by_forecast: dict[float, list[int]] = {}
    for p, y in pairs:
        by_forecast.setdefault(p, []).append(y)
    return by_forecast


def reliability(pairs: Pairs) -> Fraction | None:
    """Return (1/n) Σ over distinct p of n_p (p − mean y at p)²."""
    if not pairs:
        return None
    terms = (len(ys) * (Fraction(p) - Fraction(sum(ys), len(ys))) ** 2 for p, ys in _outcomes(pairs).items())
    return sum(terms, Fraction(0)) / len(pairs)


def resolution(pairs: Pairs) -> Fraction | None:
    """Return (1/n) Σ over distinct p of n_p (mean y at p − π)²."""
    if not pairs:
        return None
    rate = _rate(pairs)
    terms = (len(ys) * (Fraction(sum(ys), len(ys)) - rate) ** 2 for ys in _outcomes(pairs).values())
    return sum(terms, Fraction(0)) / len(pairs)


def uncertainty(pairs: Pairs) -> Fraction | None:
    """Return π (1 − π)."""
    return _rate(pairs) * (1 - _rate(pairs)) if pairs else None


def miscalibration(pairs: Pairs) -> Fraction | None:
    """Return BS(p) − BS(isotonic recalibration of p)."""
    score, recalibrated = brier(pairs), _recalibrated(pairs)
    return None if score is None or recalibrated is None else score - recalibrated


def discrimination(pairs: Pairs) -> Fraction | None:
    """Return π (1 − π) − BS(isotonic recalibration of p)."""
    spread, recalibrated = uncertainty(pairs), _recalibrated(pairs)
    return None if spread is None or recalibrated is None else spread - recalibrated


def _recalibrated(pairs: Pairs) -> Fraction | None:
    """Return the Brier score of the isotonic regression of y on p."""
    if not pairs:
        return None
    rates = isotonic_rates(pairs)
    terms = ((rates[p] - y) ** 2 for p, ys in _outcomes(pairs).items() for y in ys)
    return sum(terms, Fraction(0)) / len(pairs)


def isotonic_rates(pairs: Pairs) -> dict[float, Fraction]:
    """Return the isotonic regression of y on p at each distinct p: the slope of the greatest convex minorant.

    The minorant of the cumulative sum diagram, whose points are (queries, positives) at or below each p (Barlow,
    Bartholomew, Bremner and Brunk 1972): a point is a corner of it unless it lies on or above the line between the
    corner before it and a later point.
    """
    outcomes = sorted(_outcomes(pairs).items())
    points = [(0, 0)]
    for _, ys in outcomes:
        points.append((points[-1][0] + len(ys), points[-1][1] + sum(ys)))
    corners: list[int] = []
    for index, (x, y) in enumerate(points):
        while len(corners) > 1:
            (x0, y0), (x1, y1) = points[corners[-2]], points[corners[-1]]
            if (y1 - y0) * (x - x0) < (y - y0) * (x1 - x0):
                break
            corners.pop()
        corners.append(index)
    rates: dict[float, Fraction] = {}
    for start, stop in pairwise(corners):
        (x0, y0), (x1, y1) = points[start], points[stop]
        rates |= {p: Fraction(y1 - y0, x1 - x0) for p, _ in outcomes[start:stop]}
    return rates


# Logistic recalibration


@dataclass(frozen=True, slots=True)
class LogisticLine:
    """The line a + b x on the logit scale."""

    a: float
    b: float

    def probability(self, x: float) -> float:
        """Return 1 / (1 + exp(−(a + b x)))."""
        z = self.a + self.b * x
        return 1 / (1 + math.exp(-z)) if z > 0 else 1 - 1 / (1 + math.exp(z))

    def residual(self, x: float, y: int) -> tuple[int, float]:
        """Return y − q, q the probability, as a whole number and a share: one float would round the share away."""
        z = self.a + self.b * x
        share = 1 / (1 + math.exp(abs(z)))
        return (y - 1, share) if z > 0 else (y, -share)


def intercept(pairs: Pairs, log_loss_clip: float) -> float | None:
    """Return a of the logistic recalibration."""
    line = recalibration(tuple(pairs), log_loss_clip)
    return None if line is None else line.a


def slope(pairs: Pairs, log_loss_clip: float) -> float | None:
    """Return b of the logistic recalibration."""
    line = recalibration(tuple(pairs), log_loss_clip)
    return None if line is None else line.b


def in_the_large(pairs: Pairs, log_loss_clip: float) -> float | None:
    """Return the a that solves Σ (y − q) = 0 with logit q = a + logit p; None if a class is missing.

    p is kept within [clip, 1 − clip]. By halving an interval that holds it: the sum falls with a.
    """
    rows = [(logit(min(max(p, log_loss_clip), 1 - log_loss_clip)), y) for p, y in pairs]
    if len({y for _, y in rows}) < 2:
        return None
    steepest = max(abs(x) for x, _ in rows) + math.log(len(rows))
    low, high = -steepest, steepest
    for _ in range(_HALVINGS):
        line = LogisticLine((low + high) / 2, 1.0)
        whole, shares = zip(*(line.residual(x, y) for x, y in rows), strict=True)
        low, high = (line.a, high) if sum(whole) + math.fsum(shares) > 0 else (low, line.a)
    return (low + high) / 2


def observed_expected(pairs: Pairs) -> Fraction | None:
    """Return Σ y / Σ p; None where the latter is 0."""
    expected = sum((Fraction(p) for p, _ in pairs), Fraction(0))
    return sum(y for _, y in pairs) / expected if expected else None


@lru_cache(maxsize=32)
def recalibration(
    pairs: tuple[tuple[float, int], ...], clip: float, weights: tuple[float, ...] | None = None
) -> LogisticLine | None:
    """Return the line that solves Σ w (y − q) = 0 and Σ w x (y − q) = 0, q its probability at x = logit p.

    Without ``weights`` w is 1. p is kept within [clip, 1 − clip]. None where the likelihood has no finite maximum: one
    class is missing, or a value of p has all positives on one side and all negatives on the other (Albert and Anderson
    1984).
    """
    rows = [(logit(min(max(p, clip), 1 - clip)), y) for p, y in pairs]
    ones, zeros = [x for x, y in rows if y == 1], [x for x, y in rows if y == 0]
    if not ones or not zeros or max(zeros) <= min(ones) or max(ones) <= min(zeros):
        return None
    # Centred and scaled, the two unknowns hardly depend on each other and full steps are safe.
    centre = math.fsum(x for x, _ in rows) / len(rows)
    scale = math.sqrt(math.fsum((x - centre) ** 2 for x, _ in rows) / len(rows))
    weighed = zip(rows, weights or (1.0,) * len(rows), strict=True)
    line = _solve([((x - centre) / scale, y, w) for (x, y), w in weighed])
    b = line.b / scale
    return LogisticLine(line.a - b * centre, b)


def _solve(rows: list[tuple[float, int, float]]) -> LogisticLine:
    """Return the line by Fisher scoring, a step never longer than 1 in either unknown."""
    line = LogisticLine(0.0, 0.0)
    for _ in range(_ROUNDS):
        fitted = [(x, y, line.probability(x), w) for x, y, w in rows]
        u = math.fsum((y - q) * w for _, y, q, w in fitted)
        v = math.fsum(x * (y - q) * w for x, y, q, w in fitted)
        i00 = math.fsum(q * (1 - q) * w for _, _, q, w in fitted)
        i01 = math.fsum(x * q * (1 - q) * w for x, _, q, w in fitted)
        i11 = math.fsum(x * x * q * (1 - q) * w for x, _, q, w in fitted)
        information = i00 * i11 - i01 * i01
        if information <= 0:
            break
        step = ((i11 * u - i01 * v) / information, (i00 * v - i01 * u) / information)
        length = max(1.0, abs(step[0]), abs(step[1]))
        line = LogisticLine(line.a + step[0] / length, line.b + step[1] / length)
        if max(abs(step[0]), abs(step[1])) < 1e-14 * max(1.0, abs(line.a), abs(line.b)):
            break
    return line


def logit(p: float) -> float:
    """Return ln(p / (1 − p))."""
    return math.log(p) - math.log1p(-p)
