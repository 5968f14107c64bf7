"""Metrics of probabilities, decisions and candidates for tiny_by_hand.py: textbook formulas with fractions.

Standard library only, and nothing of the product. The two numbers of the logistic recalibration are irrational and
found by bisection.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

Value = Fraction | float | None
Pair = tuple[Fraction, int]
"""A probability (or score) and whether the truth is positive."""


def share(part: int, whole: int) -> Value:
    return Fraction(part, whole) if whole else None


def decision(pairs: Sequence[Pair], thresholds: Sequence[Fraction]) -> dict[str, Value]:
    """The confusion family of p ≥ threshold, without F1 and MCC."""
    called = [(p >= t, y) for (p, y), t in zip(pairs, thresholds, strict=True)]
    tp, fp, fn, tn = (called.count(cell) for cell in ((True, 1), (True, 0), (False, 1), (False, 0)))
    found, spared = share(tp, tp + fn), share(tn, tn + fp)
    return {
        "sensitivity": found,
        "specificity": spared,
        "fpr": share(fp, fp + tn),
        "precision": share(tp, tp + fp),
        "npv": share(tn, tn + fn),
        "balanced_accuracy": None if found is None or spared is None else (found + spared) / 2,
        "accuracy": share(tp + tn, len(called)),
    }


def counts(pairs: Sequence[Pair], thresholds: Sequence[Fraction]) -> dict[str, Value]:
    called = [(p >= t, y) for (p, y), t in zip(pairs, thresholds, strict=True)]
    cells = {"tp": (True, 1), "fp": (True, 0), "fn": (False, 1), "tn": (False, 0)}
    return {name: Fraction(called.count(cell)) for name, cell in cells.items()}


def precision_recall(pairs: Sequence[Pair]) -> list[tuple[Fraction, Fraction]]:
    """(recall, precision) at each distinct value, highest first."""
    positives = sum(y for _, y in pairs)
    points = []
    for threshold in sorted({p for p, _ in pairs}, reverse=True):
        above = [y for p, y in pairs if p >= threshold]
        points.append((Fraction(sum(above), positives), Fraction(sum(above), len(above))))
    return points


def trapezoid(pairs: Sequence[Pair]) -> Value:
    if not any(y for _, y in pairs):
        return None
    points = [(Fraction(0), Fraction(1)), *precision_recall(pairs)]
    return sum(((r1 - r0) * (p1 + p0) / 2 for (r0, p0), (r1, p1) in pairwise(points)), Fraction(0))


def average_precision(pairs: Sequence[Pair]) -> Value:
    if not any(y for _, y in pairs):
        return None
    points = [(Fraction(0), Fraction(1)), *precision_recall(pairs)]
    return sum(((r1 - r0) * p1 for (r0, _), (r1, p1) in pairwise(points)), Fraction(0))


def auroc(pairs: Sequence[Pair]) -> Value:
    wins = [(a > b) + Fraction(a == b, 2) for a, y in pairs if y for b, z in pairs if not z]
    return sum(wins, Fraction(0)) / len(wins) if wins else None


def rates(pairs: Sequence[Pair]) -> dict[Fraction, tuple[int, Fraction]]:
    """Distinct forecast to its number of queries and their observed rate."""
    found = {}
    for value in {p for p, _ in pairs}:
        outcomes = [y for p, y in pairs if p == value]
        found[value] = (len(outcomes), Fraction(sum(outcomes), len(outcomes)))
    return found


def isotonic(pairs: Sequence[Pair]) -> dict[Fraction, Fraction]:
    """max over lower ends of min over upper ends of the mean outcome between them (Barlow et al. 1972)."""
    values = sorted({p for p, _ in pairs})

    def mean_between(low: Fraction, high: Fraction) -> Fraction:
        outcomes = [y for p, y in pairs if low <= p <= high]
        return Fraction(sum(outcomes), len(outcomes))

    return {v: max(min(mean_between(a, b) for b in values if b >= v) for a in values if a <= v) for v in values}


def brier_parts(pairs: Sequence[Pair]) -> dict[str, Value]:
    n, rate = len(pairs), Fraction(sum(y for _, y in pairs), len(pairs))
    brier = sum(((p - y) ** 2 for p, y in pairs), Fraction(0)) / n
    fit = isotonic(pairs)
    recalibrated = sum(((fit[p] - y) ** 2 for p, y in pairs), Fraction(0)) / n
    spread = rate * (1 - rate)
    return {
        "brier_skill": 1 - brier / spread if spread else None,
        "brier[reliability]": sum((m * (p - r) ** 2 for p, (m, r) in rates(pairs).items()), Fraction(0)) / n,
        "brier[resolution]": sum((m * (r - rate) ** 2 for m, r in rates(pairs).values()), Fraction(0)) / n,
        "brier[uncertainty]": spread,
        "brier[miscalibration]": brier - recalibrated,
        "brier[discrimination]": spread - recalibrated,
    }


def binned(pairs: Sequence[Pair], bin_of: Callable[[Fraction], int]) -> list[list[Pair]]:
    bins: dict[int, list[Pair]] = {}
    for pair in pairs:
        bins.setdefault(bin_of(pair[0]), []).append(pair)
    return list(bins.values())


def gap(pairs: Sequence[Pair]) -> Fraction:
    """|Σ (p - y)| of a bin."""
    return abs(sum((p - y for p, y in pairs), Fraction(0)))


def bin_errors(pairs: Sequence[Pair]) -> dict[str, Value]:
    by_mass = binned(pairs, lambda p: 10 * sum(q < p for q, _ in pairs) // len(pairs))
    by_width = binned(pairs, lambda p: min(int(p * 10), 9))
    return {
        "ece[equal_mass]": sum((gap(b) for b in by_mass), Fraction(0)) / len(pairs),
        "mce": max(gap(b) / len(b) for b in by_width),
    }


def recalibration(pairs: Sequence[Pair]) -> dict[str, Value]:
    """Intercept and slope of the truth on the logit, by bisection of the two score equations, one within the other.

    With the slope fixed at 1 there is an intercept wherever there are both classes.
    """
    kept = [min(max(float(p), 2.0**-52), 1 - 2.0**-52) for p, _ in pairs]
    rows = [(math.log(p / (1 - p)), y) for p, (_, y) in zip(kept, pairs, strict=True)]
    ones, zeros = [x for x, y in rows if y], [x for x, y in rows if not y]

    def left(a: float, b: float) -> list[tuple[float, float]]:
        return [(x, y - 1 / (1 + math.exp(-(a + b * x)))) for x, y in rows]

    def intercept(b: float) -> float:
        return bisect(lambda a: math.fsum(rest for _, rest in left(a, b)))

    large = {"calibration_in_the_large": intercept(1.0) if ones and zeros else None}
    if not ones or not zeros or max(zeros) <= min(ones) or max(ones) <= min(zeros):
        return {**large, "calibration_intercept": None, "calibration_slope": None}
    slope = bisect(lambda b: math.fsum(x * rest for x, rest in left(intercept(b), b)))
    return {**large, "calibration_intercept": intercept(slope), "calibration_slope": slope}


def bisect(falling: Callable[[float], float]) -> float:
    """The root of a falling function between -16 and 16, to the last bit."""
    low, high = -16.0, 16.0
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if falling(middle) > 0 else (low, middle)
    return low


def of_probabilities(
    pairs: Sequence[Pair], tuned: Sequence[Fraction], candidates: Sequence[Pair]
) -> dict[str, dict[str, Value]]:
    """Metrics that have a mean over folds, and counts that do not."""
    half = [Fraction(1, 2)] * len(pairs)
    thresholds = {"tune": tuned, "0.5": half}
    means = {
        "auprc[trapezoid]": trapezoid(pairs),
        "auroc[candidate]": auroc(candidates),
        "auprc[candidate]": average_precision(candidates),
        "observed_expected": Fraction(sum(y for _, y in pairs)) / sum(p for p, _ in pairs),
        **brier_parts(pairs),
        **bin_errors(pairs),
        **recalibration(pairs),
    }
    for at, limits in thresholds.items():
        means |= {f"{name}@{at}": value for name, value in decision(pairs, limits).items()}
    whole = {"prevalence[candidate]": Fraction(sum(y for _, y in candidates), len(candidates))} | {
        f"{name}@{at}": v for at, limits in thresholds.items() for name, v in counts(pairs, limits).items()
    }
    return {"means": means, "counts": whole}
