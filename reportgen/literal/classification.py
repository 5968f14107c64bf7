"""Classification metrics of a set of queries: p the probability of evidence, y its truth (1 or 0)."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Pairs: TypeAlias = Sequence[tuple[float, int]]
"""(p, y) of each query."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts of true and false positives and negatives."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def count(cls, decisions: Iterable[tuple[bool, int]]) -> Confusion:
        """From (predicted positive, y) of each query."""
        cells = {(predicted, y): 0 for predicted in (False, True) for y in (0, 1)}
        for predicted, y in decisions:
            cells[predicted, y] += 1
        return cls(tp=cells[True, 1], fp=cells[True, 0], fn=cells[False, 1], tn=cells[False, 0])


def auroc(pairs: Pairs) -> Fraction | None:
    """P(p⁺ > p⁻) + ½ P(p⁺ = p⁻) over all pairs of a positive and a negative; None if a class is missing.

    Mann-Whitney statistic; Hanley and McNeil (1982).
    """
    positives = [p for p, y in pairs if y == 1]
    negatives = sorted(p for p, y in pairs if y == 0)
    if not positives or not negatives:
        return None
    # Each positive counts 2 for every negative below it and 1 for every negative level with it.
    halves = sum(bisect_left(negatives, p) + bisect_right(negatives, p) for p in positives)
    return Fraction(halves, 2 * len(positives) * len(negatives))


def average_precision(pairs: Pairs) -> float | None:
    """Σₜ (Rₜ − Rₜ₋₁) Pₜ over the distinct values of p as thresholds, highest first; None without positives.

    Step-wise, without interpolation (Davis and Goadrich 2006 on why not the trapezoid).
    """
    positives = sum(y for _, y in pairs)
    if not positives:
        return None
    by_probability: dict[float, list[int]] = {}
    for p, y in pairs:
        by_probability.setdefault(p, []).append(y)
    taken = caught = 0
    terms = []
    for p in sorted(by_probability, reverse=True):
        gained = sum(by_probability[p])
        taken += len(by_probability[p])
        caught += gained
        terms.append(float(Fraction(gained, positives) * Fraction(caught, taken)))
    return math.fsum(terms)


def trapezoid(pairs: Pairs) -> float | None:
    """Σₜ (Rₜ − Rₜ₋₁)(Pₜ + Pₜ₋₁) / 2 over the distinct values of p, highest first, from the point R = 0, P = 1.

    None without positives. Straight lines between the points, which is not average precision.
    """
    positives = sum(y for _, y in pairs)
    if not positives:
        return None
    recall, precision, terms = Fraction(0), Fraction(1), []
    taken = caught = 0
    ordered = sorted(pairs, key=lambda pair: -pair[0])
    for position, (p, y) in enumerate(ordered, start=1):
        taken, caught = taken + 1, caught + y
        if position < len(ordered) and ordered[position][0] == p:
            continue
        here = Fraction(caught, positives), Fraction(caught, taken)
        terms.append(float((here[0] - recall) * (here[1] + precision) / 2))
        recall, precision = here
    return math.fsum(terms)


def prevalence(pairs: Pairs) -> Fraction | None:
    """Positives / n; None without queries. The average precision of a system without information."""
    return Fraction(sum(y for _, y in pairs), len(pairs)) if pairs else None


def f1(confusion: Confusion) -> Fraction | None:
    """2 TP / (2 TP + FP + FN); None only where nothing is predicted and nothing is true (van Rijsbergen 1979)."""
    denominator = 2 * confusion.tp + confusion.fp + confusion.fn
    return Fraction(2 * confusion.tp, denominator) if denominator else None


def mcc(confusion: Confusion) -> float | None:
    """(TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) (Matthews 1975).

    0, the limit, where either the prediction or the truth is constant; None where both are.
    """
    predicted = (confusion.tp + confusion.fp, confusion.tn + confusion.fn)
    true = (confusion.tp + confusion.fn, confusion.tn + confusion.fp)
    constant = [0 in margins for margins in (predicted, true)]
    if all(constant):
        return None
    if any(constant):
        return 0.0
    determinant = confusion.tp * confusion.tn - confusion.fp * confusion.fn
    return determinant / math.sqrt(math.prod(predicted) * math.prod(true))
