"""The true-positive rate under a budget of false positives: of a threshold chosen on TUNE, and of the ROC curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from reportgen.literal.answers import Answer
from reportgen.literal.classification import Confusion, Pairs


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A threshold t (p ≥ t is positive) and the rates it reaches; t None rejects everything."""

    threshold: float | None
    tpr: Fraction
    fpr: Fraction

    def accepts(self, p: float) -> bool:
        """Whether a query of this probability is called positive."""
        return self.threshold is not None and p >= self.threshold


def roc_points(pairs: Pairs) -> list[OperatingPoint]:
    """All points of the ROC curve, highest threshold first, from rejecting everything; no point is dropped.

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
    """The point of highest TPR with FPR ≤ budget; ties go to the lowest FPR, then to the highest threshold.

    Rejects everything where no feasible point has a TPR above 0; None without points. The budget is read as the
    decimal it is written as: 0.03 is 3/100, though the nearest float lies below.
    """
    allowed = Fraction(repr(budget))
    feasible = [point for point in points if point.fpr <= allowed]
    # Points come highest threshold first, and max keeps the first of equals: that of the highest threshold.
    return max(feasible, key=lambda point: (point.tpr, -point.fpr), default=None)


def without_collinear(points: Sequence[OperatingPoint]) -> list[OperatingPoint]:
    """The points that scikit-learn's ``roc_curve`` keeps by default: those that are no midpoint of their neighbours.

    The point that rejects everything is added after that, so it is nobody's neighbour.
    """
    proper = points[1:]
    corners = [
        point
        for before, point, after in zip(proper, proper[1:], proper[2:], strict=False)
        if (2 * point.tpr, 2 * point.fpr) != (before.tpr + after.tpr, before.fpr + after.fpr)
    ]
    return [*points[:2], *corners, *proper[1:][-1:]]


def roc_tpr(pairs: Pairs, budget: float, every_point: bool = True) -> Fraction | None:
    """The highest TPR with FPR ≤ budget on the same queries; None if a class is missing (Fawcett 2006)."""
    points = roc_points(pairs)
    best = best_under_budget(points if every_point else without_collinear(points), budget)
    return None if best is None else best.tpr


def tuned_confusion(answers: Sequence[Answer], chosen: Mapping[int, OperatingPoint]) -> Confusion | None:
    """Decisions against the truth, each query at the operating point chosen on TUNE of its fold.

    None if a query's fold has no operating point.
    """
    if any(answer.fold not in chosen for answer in answers):
        return None
    return Confusion.count(
        (answer.p is not None and chosen[answer.fold].accepts(answer.p), answer.y) for answer in answers
    )


def sensitivity(confusion: Confusion) -> Fraction | None:
    """TP / (TP + FN); None without positives."""
    return _share(confusion.tp, confusion.fn)


def false_positive_rate(confusion: Confusion) -> Fraction | None:
    """FP / (FP + TN); None without negatives."""
    return _share(confusion.fp, confusion.tn)


def _share(part: int, rest: int) -> Fraction | None:
    return Fraction(part, part + rest) if part + rest else None


def optimism(
    answers: Sequence[Answer], chosen: Mapping[int, OperatingPoint], budget: float, every_point: bool = True
) -> Fraction | None:
    """Highest TPR within the budget on the queries themselves, minus the TPR of the points chosen on TUNE.

    None if one of the two is.
    """
    pairs = [(answer.p, answer.y) for answer in answers if answer.p is not None]
    best = roc_tpr(pairs, budget, every_point)
    confusion = tuned_confusion(answers, chosen)
    reached = None if confusion is None else sensitivity(confusion)
    return None if best is None or reached is None else best - reached


def net_benefit(pairs: Pairs, threshold: float) -> Fraction | None:
    """(TP - FP · t / (1 - t)) / n with p ≥ t treated as positive; None without queries (Vickers and Elkin 2006).

    The weight of a false positive reads t as the decimal it is written as.
    """
    if not pairs:
        return None
    t = Fraction(repr(threshold))
    treated = [y for p, y in pairs if p >= threshold]
    return (sum(treated) - (len(treated) - sum(treated)) * t / (1 - t)) / len(pairs)
