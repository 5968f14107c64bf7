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
