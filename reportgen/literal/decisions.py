"""Rates of a yes-or-no decision, from its confusion counts; None where the denominator is zero."""

from __future__ import annotations

from fractions import Fraction

from reportgen.literal.classification import Confusion


def _share(part: int, rest: int) -> Fraction | None:
    return Fraction(part, part + rest) if part + rest else None


def sensitivity(confusion: Confusion) -> Fraction | None:
    """TP / (TP + FN)."""
    return _share(confusion.tp, confusion.fn)


def specificity(confusion: Confusion) -> Fraction | None:
    """TN / (TN + FP)."""
    return _share(confusion.tn, confusion.fp)


def false_positive_rate(confusion: Confusion) -> Fraction | None:
    """FP / (TN + FP)."""
    return _share(confusion.fp, confusion.tn)


def precision(confusion: Confusion) -> Fraction | None:
    """TP / (TP + FP)."""
    return _share(confusion.tp, confusion.fp)


def negative_predictive_value(confusion: Confusion) -> Fraction | None:
    """TN / (TN + FN)."""
    return _share(confusion.tn, confusion.fn)


def balanced_accuracy(confusion: Confusion) -> Fraction | None:
    """(sensitivity + specificity) / 2; None if a class is missing."""
    found, spared = sensitivity(confusion), specificity(confusion)
    return None if found is None or spared is None else (found + spared) / 2


def accuracy(confusion: Confusion) -> Fraction | None:
    """(TP + TN) / n."""
    return _share(confusion.tp + confusion.tn, confusion.fp + confusion.fn)
