"""Means, quantiles and standard deviations; exact where the terms are exact."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

Number: TypeAlias = Fraction | float
"""A value of a formula: a fraction where the formula is rational, else a float. Whole numbers count as fractions."""


def total(terms: Iterable[Number]) -> Number:
    """Sum of the terms: exact if all are fractions, else correctly rounded (``math.fsum``)."""
    listed = list(terms)
    exact = [term for term in listed if not isinstance(term, float)]
    if len(exact) < len(listed):
        return math.fsum(listed)
    # Numerators are added per denominator first: the same sum, with far fewer fractions to reduce.
    numerators: Counter[int] = Counter()
    for term in exact:
        numerators[term.denominator] += term.numerator
    return sum((Fraction(numerator, denominator) for denominator, numerator in numerators.items()), Fraction(0))


def mean(terms: Iterable[Number | None]) -> Number | None:
    """(1/n) Σ xᵢ over the defined terms; None if there is none."""
    defined = [term for term in terms if term is not None]
    return total(defined) / len(defined) if defined else None


def ratio(numerator: Number, denominator: Number) -> Number | None:
    """Numerator / denominator; None if the denominator is zero."""
    if denominator == 0:
        return None
    return numerator / denominator if isinstance(numerator, float) else Fraction(numerator) / Fraction(denominator)


def quantile(values: Sequence[int], q: Fraction) -> Fraction | None:
    """The q-quantile by linear interpolation: x[⌊h⌋] + (h − ⌊h⌋)(x[⌊h⌋+1] − x[⌊h⌋]) with h = (n − 1)q from 0.

    Hyndman and Fan (1996), rule 7. None without values.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    h = (len(ordered) - 1) * q
    below = math.floor(h)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (h - below) * (ordered[above] - ordered[below])


def standard_deviation(values: Iterable[float | None], ddof: int) -> float | None:
    """√(Σ (xᵢ − x̄)² / (n − ddof)) over the defined values; None if n ≤ ddof."""
    defined = [value for value in values if value is not None]
    if len(defined) <= ddof:
        return None
    centre = math.fsum(defined) / len(defined)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in defined) / (len(defined) - ddof))
