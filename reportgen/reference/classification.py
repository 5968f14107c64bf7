"""Classification metrics of a set of queries: of their probabilities, and of a yes-or-no decision on each.

p is the probability of evidence, y its truth (1 or 0). Rates are None where the denominator is zero.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, repeat
from typing import TypeAlias

from reportgen.reference.arithmetic import choice

Pairs: TypeAlias = Sequence[tuple[float, int]]
"""(p, y) of each query."""


Amount: TypeAlias = int | Fraction
"""How many, or the sum of their weights."""


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """Numbers of true and false positives and negatives, or the sums of their weights."""

    tp: Amount
    fp: Amount
    fn: Amount
    tn: Amount

    @classmethod
    def count(cls, decisions: Iterable[tuple[bool, int]], weights: Iterable[Amount] = repeat(1)) -> DecisionCounts:
        """Count (predicted positive, y) of each query, each with its weight."""
        cells: dict[tuple[bool, int], Amount] = {(predicted, y): 0 for predicted in (False, True) for y in (0, 1)}
        for (predicted, y), weight in zip(decisions, weights, strict=False):
            cells[predicted, y] += weight
        return cls(tp=cells[True, 1], fp=cells[True, 0], fn=cells[False, 1], tn=cells[False, 0])

    @property
    def n(self) -> Amount:
        """Return the number of decisions."""
        return self.tp + self.fp + self.fn + self.tn


# Decisions


def true_positives(counts: DecisionCounts) -> Fraction:
    """Return TP."""
    return Fraction(counts.tp)


def false_positives(counts: DecisionCounts) -> Fraction:
    """Return FP."""
    return Fraction(counts.fp)


def false_negatives(counts: DecisionCounts) -> Fraction:
    """Return FN."""
    return Fraction(counts.fn)


def true_negatives(counts: DecisionCounts) -> Fraction:
    """Return TN."""
    return Fraction(counts.tn)


def _share(part: Amount, rest: Amount) -> Fraction | None:
    return Fraction(part, part + rest) if part + rest else None


def sensitivity(counts: DecisionCounts) -> Fraction | None:
    """Return TP / (TP + FN)."""
    return _share(counts.tp, counts.fn)


def specificity(counts: DecisionCounts) -> Fraction | None:
    """Return TN / (TN + FP)."""
    return _share(counts.tn, counts.fp)


def false_positive_rate(counts: DecisionCounts) -> Fraction | None:
    """Return FP / (TN + FP)."""
    return _share(counts.fp, counts.tn)


def false_negative_rate(counts: DecisionCounts) -> Fraction | None:
    """Return FN / (TP + FN)."""
    return _share(counts.fn, counts.tp)


def precision(counts: DecisionCounts) -> Fraction | None:
    """Return TP / (TP + FP)."""
    return _share(counts.tp, counts.fp)


def negative_predictive_value(counts: DecisionCounts) -> Fraction | None:
    """Return TN / (TN + FN)."""
    return _share(counts.tn, counts.fn)


def balanced_accuracy(counts: DecisionCounts) -> Fraction | None:
    """Return (sensitivity + specificity) / 2; None if a class is missing."""
    found, spared = sensitivity(counts), specificity(counts)
    return None if found is None or spared is None else (found + spared) / 2


def accuracy(counts: DecisionCounts) -> Fraction | None:
    """Return (TP + TN) / n."""
    return _share(counts.tp + counts.tn, counts.fp + counts.fn)


def f1(counts: DecisionCounts) -> Fraction | None:
    """Return 2 TP / (2 TP + FP + FN); None only where nothing is predicted and nothing true (van Rijsbergen 1979)."""
    return _share(2 * counts.tp, counts.fp + counts.fn)


def mcc(counts: DecisionCounts) -> float | None:
    """Return (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)) (Matthews 1975).

    0, the limit, where either the prediction or the truth is constant; None where both are.
    """
    predicted = (counts.tp + counts.fp, counts.tn + counts.fn)
    true = (counts.tp + counts.fn, counts.tn + counts.fp)
    constant = [0 in margins for margins in (predicted, true)]
    if all(constant):
        return None
    if any(constant):
        return 0.0
    return (counts.tp * counts.tn - counts.fp * counts.fn) / math.sqrt(math.prod(predicted) * math.prod(true))


def predicted_positive(counts: DecisionCounts, *, per: int = 1) -> Fraction | None:
    """Return per · (TP + FP) / n."""
    return Fraction(per * (counts.tp + counts.fp), counts.n) if counts.n else None


def missed(counts: DecisionCounts, *, per: int = 1) -> Fraction | None:
    """Return per · FN / n."""
    return Fraction(per * counts.fn, counts.n) if counts.n else None


# Probabilities


def auroc(pairs: Pairs) -> Fraction | None:
    """Return P(p⁺ > p⁻) + ½ P(p⁺ = p⁻) over all pairs of a positive and a negative; None if a class is missing.

    Mann-Whitney statistic; Hanley and McNeil (1982).
    """
    positives = [p for p, y in pairs if y == 1]
    negatives = sorted(p for p, y in pairs if y == 0)
    if not positives or not negatives:
        return None
    # Each positive counts 2 for every negative below it and 1 for every negative level with it.
    halves = sum(bisect_left(negatives, p) + bisect_right(negatives, p) for p in positives)
    return Fraction(halves, 2 * len(positives) * len(negatives))


def _recalls_and_precisions(pairs: Pairs) -> list[tuple[Fraction, Fraction]]:
    """Return (R, P) at each distinct value of p as threshold, highest first; empty without positives."""
    positives, taken, caught = sum(y for _, y in pairs), 0, 0
    points = []
    for _, level in groupby(sorted(pairs, key=lambda pair: -pair[0]), key=lambda pair: pair[0]):
        truths = [y for _, y in level]
        taken, caught = taken + len(truths), caught + sum(truths)
        points.append((Fraction(caught, positives), Fraction(caught, taken)) if positives else (Fraction(0),) * 2)
    return points if positives else []


def average_precision(pairs: Pairs) -> float | None:
    """Return Σₜ (Rₜ − Rₜ₋₁) Pₜ over the distinct values of p as thresholds, highest first; None without positives.

    Step-wise, without interpolation (Davis and Goadrich 2006 on why not the trapezoid).
    """
    points = _recalls_and_precisions(pairs)
    before = [Fraction(0), *(recall for recall, _ in points)]
    terms = [float((recall - last) * share) for last, (recall, share) in zip(before, points, strict=False)]
    return math.fsum(terms) if points else None


def trapezoid(pairs: Pairs) -> float | None:
    """Return Σₜ (Rₜ − Rₜ₋₁)(Pₜ + Pₜ₋₁) / 2, from the point R = 0, P = 1; None without positives.

    Straight lines between the points, which is not average precision.
    """
    points = _recalls_and_precisions(pairs)
    before = [(Fraction(0), Fraction(1)), *points]
    terms = [float((r - last_r) * (p + last_p) / 2) for (last_r, last_p), (r, p) in zip(before, points, strict=False)]
    return math.fsum(terms) if points else None


def prevalence(truths: Sequence[int]) -> Fraction | None:
    """Return positives / n; None without queries. The average precision of a system without information."""
    return Fraction(sum(truths), len(truths)) if truths else None


def net_benefit(pairs: Pairs, probability: float) -> Fraction | None:
    """Return (TP - FP · t / (1 - t)) / n with p ≥ t treated as positive; None without queries.

    The weight of a false positive reads the threshold probability t as the decimal it is written as (Vickers and Elkin
    2006).
    """
    if not pairs:
        return None
    t = Fraction(repr(probability))
    treated = [y for p, y in pairs if p >= probability]
    return (sum(treated) - (len(treated) - sum(treated)) * t / (1 - t)) / len(pairs)


# Operating points: the true-positive rate under a budget of false positives


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A threshold t (p ≥ t is positive) and the rates it reaches; t None rejects everything."""

    threshold: float | None
    tpr: Fraction
    fpr: Fraction

    def accepts(self, p: float) -> bool:
        """Return True if a query of this probability is called positive."""
        return self.threshold is not None and p >= self.threshold


def roc_curve(pairs: Pairs) -> list[OperatingPoint]:
    """Return all points of the ROC curve, highest threshold first, from rejecting everything; no point is dropped.

    Thresholds are the distinct values of p. Empty if a class is missing, since one of the rates is then 0 / 0.
    """
    n_positive = sum(y for _, y in pairs)
    n_negative = len(pairs) - n_positive
    if not n_positive or not n_negative:
        return []
    points = [OperatingPoint(None, Fraction(0), Fraction(0))]
    caught = alarms = 0
    for threshold, level in groupby(sorted(pairs, key=lambda pair: -pair[0]), key=lambda pair: pair[0]):
        for _, y in level:
            caught += y
            alarms += 1 - y
        points.append(OperatingPoint(threshold, Fraction(caught, n_positive), Fraction(alarms, n_negative)))
    return points


def best_under_budget(points: Sequence[OperatingPoint], budget: float) -> OperatingPoint | None:
    """Return the point of highest TPR with FPR ≤ budget; ties go to the lowest FPR, then to the highest threshold.

    Rejects everything where no feasible point has a TPR above 0; None without points. The budget is read as the
    decimal it is written as: 0.03 is 3/100, though the nearest float lies below.
    """
    allowed = Fraction(repr(budget))
    feasible = [point for point in points if point.fpr <= allowed]
    # Points come highest threshold first, and max keeps the first of equals: that of the highest threshold.
    return max(feasible, key=lambda point: (point.tpr, -point.fpr), default=None)


def without_collinear(points: Sequence[OperatingPoint]) -> list[OperatingPoint]:
    """Return the points that scikit-learn's ``roc_curve`` keeps by default: those not midway between their neighbours.

    The point that rejects everything is added after that, so it is nobody's neighbour.
    """
    proper = points[1:]
    corners = [
        point
        for before, point, after in zip(proper, proper[1:], proper[2:], strict=False)
        if (2 * point.tpr, 2 * point.fpr) != (before.tpr + after.tpr, before.fpr + after.fpr)
    ]
    return [*points[:2], *corners, *proper[1:][-1:]]


def roc_tpr(pairs: Pairs, budget: float, roc_points: str = "all") -> Fraction | None:
    """Return the highest TPR with FPR ≤ budget on the same queries; None if a class is missing (Fawcett 2006)."""
    best = _best_of_same_set(pairs, budget, roc_points)
    return None if best is None else best.tpr


def roc_threshold(pairs: Pairs, budget: float, roc_points: str = "all") -> float | None:
    """Return the threshold of that point; None where it accepts no positive."""
    best = _best_of_same_set(pairs, budget, roc_points)
    return best.threshold if best is not None and best.tpr else None


def _best_of_same_set(pairs: Pairs, budget: float, roc_points: str) -> OperatingPoint | None:
    points = roc_curve(pairs)
    drops = choice({"all": False, "drop_intermediate": True}, roc_points)
    return best_under_budget(without_collinear(points) if drops else points, budget)


def optimism(pairs_and_counts: tuple[Pairs, DecisionCounts], budget: float, roc_points: str = "all") -> Fraction | None:
    """Return the highest TPR within the budget on the queries themselves, minus the one of the decisions made on TUNE.

    None if one of the two is.
    """
    pairs, counts = pairs_and_counts
    best, reached = roc_tpr(pairs, budget, roc_points), sensitivity(counts)
    return None if best is None or reached is None else best - reached
