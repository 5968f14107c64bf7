"""Paired comparison of two AUROCs on the same queries by their structural components (DeLong et al. 1988).

Treats queries as independent: a cross-check, not the test of clustered data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray


@dataclass(frozen=True, slots=True)
class DeLong:
    """The two areas, the standard error of their difference, and its test."""

    auroc_a: float
    auroc_b: float
    error: float
    z: float
    p: float
    """Two-sided."""


def components(y: FloatArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Structural components of the AUROC of a score: per positive and per negative its share of pairs won.

    Args:
        y: (n,) 1 positive, 0 negative; both occur.
        score: (n,) higher for positives.

    Returns:
        (n_positives,) and (n_negatives,), each with the AUROC as its mean; a tie counts one half. In O(n log n) by
        mid-ranks, as in Sun & Xu 2014.
    """
    positive, negative = np.sort(score[y > 0]), np.sort(score[y == 0])

    def share_below(values: FloatArray, of: FloatArray) -> FloatArray:
        below, up_to = np.searchsorted(of, values, "left"), np.searchsorted(of, values, "right")
        return np.asarray((below + up_to) / (2 * len(of)))

    return share_below(score[y > 0], negative), 1 - share_below(score[y == 0], positive)


def paired_delong(y: FloatArray, a: FloatArray, b: FloatArray) -> DeLong | None:
    """Compare the AUROCs of two scores on the same queries; None where the variance is zero or cannot be estimated.

    Needs two positives and two negatives. Variance: sum of the sample variances (ddof 1) of the differences of the
    components, each over its number. DeLong, DeLong & Clarke-Pearson 1988; pROC's roc.test(paired = TRUE).
    """
    if (y > 0).sum() < 2 or (y == 0).sum() < 2:
        return None
    (positive_a, negative_a), (positive_b, negative_b) = components(y, a), components(y, b)
    variance = _variance(positive_a - positive_b) + _variance(negative_a - negative_b)
    if variance <= 0:
        return None
    first, second = (math.fsum(part.tolist()) / len(part) for part in (positive_a, positive_b))
    error = math.sqrt(variance)
    z = (first - second) / error
    return DeLong(first, second, error, z, math.erfc(abs(z) / math.sqrt(2)))


def _variance(values: FloatArray) -> float:
    """Sample variance of the mean of values."""
    n = len(values)
    mean = math.fsum(values.tolist()) / n
    return math.fsum((value - mean) ** 2 for value in values.tolist()) / (n - 1) / n
