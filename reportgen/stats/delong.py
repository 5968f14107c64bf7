"""Paired comparison of two AUROCs on the same queries by their placement values (DeLong et al. 1988).

Treats queries as independent: a cross-check, not the test of clustered data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.stats.auroc import placements
from reportgen.stats.paired import SAME


@dataclass(frozen=True, slots=True)
class DeLong:
    """The two areas, the standard error of their difference, and its test."""

    auroc_a: float
    auroc_b: float
    error: float
    z: float
    p: float
    """Two-sided."""


def paired_delong(y: FloatArray, a: FloatArray, b: FloatArray) -> DeLong | None:
    """Compare the AUROCs of two scores on the same queries; None where the variance is zero or cannot be estimated.

    Needs two positives and two negatives. Variance: sum of the sample variances (ddof 1) of the differences of the
    placements, each over its number. DeLong, DeLong & Clarke-Pearson 1988; pROC's roc.test(paired = TRUE).
    """
    first, second = placements(a, y), placements(b, y)
    if first is None or second is None or min(len(first.positive), len(first.negative)) < 2:
        return None
    moved = first.positive - second.positive, first.negative - second.negative
    # Placements that all moved equally far differ in their last bits, which would be a variance.
    if max(np.ptp(of_class) for of_class in moved) <= SAME:
        return None
    error = math.sqrt(sum(_variance(of_class) for of_class in moved))
    z = (first.auroc - second.auroc) / error
    return DeLong(first.auroc, second.auroc, error, z, math.erfc(abs(z) / math.sqrt(2)))


def _variance(values: FloatArray) -> float:
    """Sample variance of the mean of values."""
    n = len(values)
    mean = math.fsum(values.tolist()) / n
    return math.fsum((value - mean) ** 2 for value in values.tolist()) / (n - 1) / n
