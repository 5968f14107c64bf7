"""Two decompositions of the Brier score, exact in fractions: p the probability of evidence, y its truth (1 or 0).

Murphy (1973): BS = reliability − resolution + uncertainty over the distinct values of p. Dimitriadis, Gneiting and
Jordan (2021): BS = miscalibration − discrimination + uncertainty, with the isotonic recalibration of p.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from reportgen.literal.calibration import brier
from reportgen.literal.classification import Pairs


def _outcomes(pairs: Pairs) -> dict[float, list[int]]:
    by_forecast: dict[float, list[int]] = {}
    for p, y in pairs:
        by_forecast.setdefault(p, []).append(y)
    return by_forecast


def _rate(pairs: Pairs) -> Fraction:
    return Fraction(sum(y for _, y in pairs), len(pairs))


def reliability(pairs: Pairs) -> Fraction | None:
    """(1/n) Σ over distinct p of n_p (p − mean y at p)²; None without queries."""
    if not pairs:
        return None
    terms = (len(ys) * (Fraction(p) - Fraction(sum(ys), len(ys))) ** 2 for p, ys in _outcomes(pairs).items())
    return sum(terms, Fraction(0)) / len(pairs)


def resolution(pairs: Pairs) -> Fraction | None:
    """(1/n) Σ over distinct p of n_p (mean y at p − π)²; None without queries."""
    if not pairs:
        return None
    rate = _rate(pairs)
    terms = (len(ys) * (Fraction(sum(ys), len(ys)) - rate) ** 2 for ys in _outcomes(pairs).values())
    return sum(terms, Fraction(0)) / len(pairs)


def uncertainty(pairs: Pairs) -> Fraction | None:
    """π (1 − π); None without queries."""
    return _rate(pairs) * (1 - _rate(pairs)) if pairs else None


def miscalibration(pairs: Pairs) -> Fraction | None:
    """BS(p) − BS(isotonic recalibration of p); None without queries."""
    score, recalibrated = brier(pairs), _recalibrated(pairs)
    return None if score is None or recalibrated is None else score - recalibrated


def discrimination(pairs: Pairs) -> Fraction | None:
    """π (1 − π) − BS(isotonic recalibration of p); None without queries."""
    spread, recalibrated = uncertainty(pairs), _recalibrated(pairs)
    return None if spread is None or recalibrated is None else spread - recalibrated


def _recalibrated(pairs: Pairs) -> Fraction | None:
    """Brier score of the isotonic regression of y on p."""
    if not pairs:
        return None
    rates = isotonic_rates(pairs)
    terms = ((rates[p] - y) ** 2 for p, ys in _outcomes(pairs).items() for y in ys)
    return sum(terms, Fraction(0)) / len(pairs)


def isotonic_rates(pairs: Pairs) -> dict[float, Fraction]:
    """The isotonic regression of y on p at each distinct p: the slope of the greatest convex minorant.

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
