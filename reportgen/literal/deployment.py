"""The whole pipeline as one decision: a query is called positive if at least one candidate is returned for it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from reportgen.literal.answers import Answer, Gate
from reportgen.literal.arithmetic import ratio
from reportgen.literal.classification import Confusion, f1
from reportgen.literal.selection import all_returned_k

__all__ = ["confusion", "f1", "false_negative_rate", "false_positive_rate", "precision", "recall"]


def confusion(answers: Sequence[Answer], gate: Gate) -> Confusion | None:
    """Counts of (K ≥ 1, y); None if the returned set of a query is not known."""
    sizes = all_returned_k(answers, gate)
    if sizes is None:
        return None
    return Confusion.count((k >= 1, answer.y) for k, answer in zip(sizes, answers, strict=True))


def precision(counts: Confusion) -> Fraction | None:
    """TP / (TP + FP); None if nothing is returned for any query."""
    return _share(counts.tp, counts.fp)


def recall(counts: Confusion) -> Fraction | None:
    """TP / (TP + FN); None without positives."""
    return _share(counts.tp, counts.fn)


def false_positive_rate(counts: Confusion) -> Fraction | None:
    """FP / (FP + TN); None without negatives."""
    return _share(counts.fp, counts.tn)


def false_negative_rate(counts: Confusion) -> Fraction | None:
    """FN / (FN + TP); None without positives."""
    return _share(counts.fn, counts.tp)


def _share(part: int, rest: int) -> Fraction | None:
    value = ratio(part, part + rest)
    return None if value is None else Fraction(value)
