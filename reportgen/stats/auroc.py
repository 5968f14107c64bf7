"""Analytic errors of AUROC: as if queries were independent (DeLong), and with whole clusters (Obuchowski)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray, IntArray
from reportgen.stats.linearize import Errors


@dataclass(frozen=True, slots=True)
class Placements:
    """AUROC as a mean over positives and over negatives: each row's share of pairs won against the other class."""

    auroc: float
    positive: FloatArray
    """(n_positive,) V10."""
    negative: FloatArray
    """(n_negative,) V01."""


def placements(score: FloatArray, y: FloatArray) -> Placements | None:
    """Placement values of (n,) scores, ties counting half; None with one class. DeLong et al. 1988; Sun & Xu 2014."""
    positive, negative = score[y > 0], score[y == 0]
    if not len(positive) or not len(negative):
        return None

    def wins(mine: FloatArray, theirs: FloatArray) -> FloatArray:
        ordered = np.sort(theirs)
        below = np.searchsorted(ordered, mine)
        return (below + np.searchsorted(ordered, mine, side="right")) / (2 * len(theirs))

    v10 = wins(positive, negative)
    return Placements(math.fsum(v10.tolist()) / len(v10), v10, 1 - wins(negative, positive))


def auroc_errors(score: FloatArray, y: FloatArray, cluster: IntArray) -> Errors | None:
    """Standard errors of AUROC; None with one class, or a single positive or negative, or cluster that holds one.

    Rows: DeLong et al. 1988. Clusters: Obuchowski 1997, from the clusters' summed placements, those of positives over
    the clusters that hold one, those of negatives likewise.
    """
    found = placements(score, y)
    if found is None or min(len(found.positive), len(found.negative)) < 2:
        return None
    n_positive, n_negative = len(found.positive), len(found.negative)
    contributions = np.zeros(len(score))
    contributions[y > 0] = (found.positive - found.auroc) / n_positive
    contributions[y == 0] = (found.negative - found.auroc) / n_negative
    squares = contributions**2
    rows = math.fsum(squares[y > 0].tolist()) * n_positive / (n_positive - 1)
    rows += math.fsum(squares[y == 0].tolist()) * n_negative / (n_negative - 1)
    _, member = np.unique(cluster, return_inverse=True)
    of_class = [np.bincount(member, weights=contributions * (y == value)) for value in (1, 0)]
    holding = [len(np.unique(member[y == value])) for value in (1, 0)]
    if min(holding) < 2:
        return None
    clusters = sum(math.fsum((sums**2).tolist()) * n / (n - 1) for sums, n in zip(of_class, holding, strict=True))
    both = math.fsum((of_class[0] * of_class[1]).tolist())
    clusters += 2 * both * len(of_class[0]) / (len(of_class[0]) - 1)
    # A sum of squares and of products of the two may fall below zero by what their factors differ.
    return Errors(math.sqrt(rows), math.sqrt(max(clusters, 0.0)))
