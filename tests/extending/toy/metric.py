"""The geometric mean of sensitivity and specificity (Kubat & Matwin 1997): one entry and one reference formula."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.metrics.deciders import decided, threshold
from reportgen.metrics.registry import Metric
from reportgen.metrics.totals import Confusion
from reportgen.reference import classification
from reportgen.reference.classification import DecisionCounts
from reportgen.reference.rows import OfRows, at_threshold


def geometric_mean(confusion: Confusion) -> FloatArray:
    """Return the square root of sensitivity times specificity; NaN where a class is missing."""
    found = confusion.sensitivity().value() * confusion.specificity().value()
    return np.asarray(np.sqrt(found), dtype=np.float64)


def reference(counts: DecisionCounts) -> Fraction | None:
    """Return the same from whole counts; None if a class is missing."""
    found, spared = classification.sensitivity(counts), classification.specificity(counts)
    return None if found is None or spared is None else Fraction(math.sqrt(found * spared))


METRICS = (
    Metric(
        "gmean",
        "G-mean at {threshold}",
        "Geometric mean of sensitivity and specificity at the {threshold}.",
        "the geometric mean of sensitivity and specificity at the {threshold} is {value}",
        r"\sqrt{\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}} \cdot \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}}",
        "imblearn.metrics.geometric_mean_score",
        family="confusion",
        parameter="threshold",
        needs=("probability",),
        statistic=decided(threshold, geometric_mean),
        recompute=OfRows(reference, at_threshold),
        undefined="single_class",
    ),
)
