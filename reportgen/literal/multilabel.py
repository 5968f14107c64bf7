"""Multi-label metrics: a query is one label of one cluster, predicted to apply if the query passes the gate."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from reportgen.literal.arithmetic import mean
from reportgen.literal.classification import Confusion, f1

Decision: TypeAlias = tuple[Hashable, bool, int]
"""A group (label or cluster), whether the label is predicted, and the truth."""


def _groups(decisions: Iterable[Decision]) -> list[list[tuple[bool, int]]]:
    by_group: dict[Hashable, list[tuple[bool, int]]] = {}
    for group, predicted, y in decisions:
        by_group.setdefault(group, []).append((predicted, y))
    return list(by_group.values())


def macro_f1(by_label: Sequence[Decision], undefined: Fraction | None = None) -> Fraction | None:
    """Unweighted mean over labels of the label's F1; an undefined F1 counts as ``undefined`` or is left out.

    None if all are left out.

    Macro average of Yang (1999).
    """
    values = (f1(Confusion.count(rows)) for rows in _groups(by_label))
    average = mean(undefined if value is None else value for value in values)
    return None if average is None else Fraction(average)


def exact_match(by_cluster: Sequence[Decision]) -> Fraction | None:
    """Clusters whose predictions equal the truth for all their labels / clusters; None without clusters.

    Subset accuracy of Zhu, Ji, Xu and Gong (2005).
    """
    clusters = _groups(by_cluster)
    if not clusters:
        return None
    return Fraction(sum(all(predicted == (y == 1) for predicted, y in rows) for rows in clusters), len(clusters))


def micro_f1(decisions: Sequence[Decision]) -> Fraction | None:
    """F1 of all decisions together; None where nothing is predicted and nothing true."""
    return f1(Confusion.count((predicted, y) for _, predicted, y in decisions))


def weighted_f1(groups: Sequence[Decision]) -> Fraction | None:
    """Σ P F1 / Σ P over groups (labels, or clusters), P the group's positives; None without positives."""
    counts = [Confusion.count(rows) for rows in _groups(groups)]
    weights = [cell.tp + cell.fn for cell in counts]
    if not sum(weights):
        return None
    total = sum(weight * (f1(cell) or Fraction(0)) for weight, cell in zip(weights, counts, strict=True))
    return Fraction(total) / sum(weights)


def samples_f1(by_cluster: Sequence[Decision], undefined: Fraction | None = None) -> Fraction | None:
    """Mean over clusters of the cluster's F1, an undefined one replaced, or left out with None.

    Example-based F1 of Godbole and Sarawagi (2004).
    """
    values = (f1(Confusion.count(rows)) for rows in _groups(by_cluster))
    average = mean(undefined if value is None else value for value in values)
    return None if average is None else Fraction(average)


def hamming_accuracy(by_cluster: Sequence[Decision]) -> Fraction | None:
    """Mean over clusters of right decisions / decisions of the cluster; None without clusters."""
    average = mean(
        Fraction(sum(predicted == (y == 1) for predicted, y in rows), len(rows)) for rows in _groups(by_cluster)
    )
    return None if average is None else Fraction(average)


def hamming_loss(by_cluster: Sequence[Decision]) -> Fraction | None:
    """Mean over clusters of wrong decisions / decisions of the cluster; None without clusters."""
    average = mean(
        Fraction(sum(predicted != (y == 1) for predicted, y in rows), len(rows)) for rows in _groups(by_cluster)
    )
    return None if average is None else Fraction(average)
