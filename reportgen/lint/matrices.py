"""Confusion matrices of whole numbers that give some printed rates."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from reportgen.manuscripts import Printed

Floats = NDArray[np.float64]

RATES = ("sensitivity", "specificity", "precision", "npv", "accuracy", "balanced_accuracy", "f1", "mcc", "fpr", "fnr",
         "tp", "fp", "fn", "tn")  # fmt: skip
"""What a matrix is held against."""
_LARGEST = 3 * 10**8
"""Pairs of true positives and true negatives that are tried at most."""
_MARGIN = 1e-9


def exists(positives: int, negatives: int, rates: Mapping[str, Printed]) -> bool | None:
    """Whether any whole-number confusion matrix gives all these rates; None where there are too many to try.

    Args:
        positives: Queries of the positive class.
        negatives: Queries of the negative class.
        rates: Printed rates, as shares, by their names in :data:`RATES`. A rate whose denominator is 0 is not held
            against a matrix, since conventions differ on what is printed then.

    Source: Fazekas and Kovács 2024, "Testing the consistency of performance scores reported for binary classification
    problems", Applied Soft Computing 164.
    """
    low, high = _true(positives, rates.get("sensitivity"), rates.get("fnr"), rates.get("tp"), rates.get("fn"))
    least, most = _true(negatives, rates.get("specificity"), rates.get("fpr"), rates.get("tn"), rates.get("fp"))
    if low > high or least > most:
        return False
    if (high - low + 1) * (most - least + 1) > _LARGEST:
        return None
    tn = np.arange(least, most + 1, dtype=np.float64)
    return any(_fits(float(tp), tn, positives, negatives, rates) for tp in range(low, high + 1))


def _true(
    total: int, rate: Printed | None, missed: Printed | None, right: Printed | None, wrong: Printed | None
) -> tuple[int, int]:
    """The range of correct decisions in a class that its rates and counts leave open."""
    low, high = 0, total
    if rate is not None and total:
        low, high = max(low, _up(rate.lower * total)), min(high, _down(rate.upper * total))
    if missed is not None and total:
        low, high = max(low, _up((1 - missed.upper) * total)), min(high, _down((1 - missed.lower) * total))
    if right is not None:
        low, high = max(low, _up(right.lower)), min(high, _down(right.upper))
    if wrong is not None:
        low, high = max(low, _up(total - wrong.upper)), min(high, _down(total - wrong.lower))
    return low, high


def _up(value: Fraction) -> int:
    return math.ceil(value)


def _down(value: Fraction) -> int:
    return math.floor(value)


def _fits(tp: float, tn: Floats, positives: int, negatives: int, rates: Mapping[str, Printed]) -> bool:
    """Whether any of these true negatives goes with these true positives."""
    fn, fp = positives - tp, negatives - tn
    sensitivity = tp / positives if positives else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        specificity = tn / negatives if negatives else np.full_like(tn, np.nan)
        found: dict[str, Floats] = {
            "precision": tp / (tp + fp),
            "npv": tn / (tn + fn),
            "accuracy": (tp + tn) / (positives + negatives),
            "balanced_accuracy": (sensitivity + specificity) / 2,
            "f1": 2 * tp / (2 * tp + fp + fn),
            "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * positives * negatives * (tn + fn)),
        }
    left = np.ones(len(tn), dtype=bool)
    for name, values in found.items():
        if (rate := rates.get(name)) is not None:
            inside = (values >= float(rate.lower) - _MARGIN) & (values <= float(rate.upper) + _MARGIN)
            left &= inside | np.isnan(values)
    return bool(left.any())
