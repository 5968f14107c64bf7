"""Means and quantiles, exact where the terms are exact, and the choice of a convention."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias, TypeVar

Number: TypeAlias = Fraction | float
"""A value of a formula: a fraction where the formula is rational, else a float. Whole numbers count as fractions."""
T = TypeVar("T")


def choice(choices: Mapping[str, T], convention: str) -> T:
    """Return what a convention chooses; ValueError for a choice without a formula here, so that none is ignored."""
    if convention not in choices:
        raise ValueError(f"no reference formula for {convention!r}; there are {', '.join(choices)}")
    return choices[convention]


def total(terms: Iterable[Number]) -> Number:
    """Return the sum of the terms: exact if all are fractions, else correctly rounded (``math.fsum``)."""
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
    """Return (1/n) Σ xᵢ over the defined terms; None if there is none."""
    defined = [term for term in terms if term is not None]
    return total(defined) / len(defined) if defined else None


def weighted_mean(terms: Iterable[tuple[Number | None, Fraction]]) -> Number | None:
    """Return Σ wᵢ xᵢ / Σ wᵢ over the defined (xᵢ, wᵢ); None if there is none."""
    defined = [(term, weight) for term, weight in terms if term is not None]
    above = total(weight * term for term, weight in defined)
    return above / total(weight for _, weight in defined) if defined else None


def quantile(values: Sequence[int], q: Fraction) -> Fraction | None:
    """Return the q-quantile by linear interpolation, x[⌊h⌋] + (h − ⌊h⌋)(x[⌊h⌋+1] − x[⌊h⌋]) with h = (n − 1)q from 0.

    Hyndman and Fan (1996), rule 7. None without values.
    """
    ordered = sorted(values)
    if not ordered:
        return None
    h = (len(ordered) - 1) * q
    below = math.floor(h)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (h - below) * (ordered[above] - ordered[below])
