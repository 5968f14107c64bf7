"""Adjusting p values for a family of comparisons that are read together.

An adjusted p value is the smallest level at which the comparison would be called different with the whole family in
view. Holm and max-T bound the chance of one false difference in the family (family-wise error); Benjamini-Hochberg
bounds the expected share of false ones among those called different.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from reportgen.domain.record import Adjustment
from reportgen.domain.run import FloatArray


def adjusted(p: Sequence[float], method: Adjustment) -> list[float]:
    """Return p values adjusted by a method that needs no more than them; in the order given, at most 1.

    ``max_t`` needs the joint distribution, see :func:`max_t`; raises ValueError for it.
    """
    match method:
        case "holm":
            return holm(p)
        case "bh":
            return benjamini_hochberg(p)
        case "none":
            return list(p)
        case _:
            raise ValueError(f"{method} is not a function of the p values alone")


def holm(p: Sequence[float]) -> list[float]:
    """Adjust by step-down Bonferroni: the i-th smallest of m times (m - i + 1), made monotone. Holm 1979."""
    m = len(p)
    found, least = [0.0] * m, 0.0
    for rank, index in enumerate(sorted(range(m), key=lambda i: p[i])):
        least = max(least, min((m - rank) * p[index], 1.0))
        found[index] = least
    return found


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjust step by step: the i-th smallest of m times m / i, made monotone from above. Benjamini & Hochberg 1995."""
    m = len(p)
    found, most = [0.0] * m, 1.0
    for rank, index in reversed(list(enumerate(sorted(range(m), key=lambda i: p[i]), start=1))):
        # The largest is itself, also where m times it over m is rounded below it.
        most = min(most, max(m * p[index] / rank, p[index]))
        found[index] = most
    return found


def max_t(differences: Sequence[FloatArray], slacks: Sequence[float]) -> list[float]:
    """Return step-down max-T adjusted p values from jointly permuted differences. Westfall & Young 1993, algorithm 4.1.

    Args:
        differences: Per comparison (n_rows,) differences under the same permutations, row 0 the observed one, NaN
            where a permutation leaves the difference undefined (counted as extreme).
        slacks: Per comparison what counts as equal.

    Returns:
        One adjusted p value per comparison. Differences are put on one scale by their standard deviation over all
        rows; it is the same whichever row was observed, so the test stays exact.
    """
    scales = [_scale(found) for found in differences]
    extreme = [
        np.where(np.isnan(found), np.inf, np.abs(found) + slack) / scale
        for found, slack, scale in zip(differences, slacks, scales, strict=True)
    ]
    observed = [abs(float(found[0])) / scale for found, scale in zip(differences, scales, strict=True)]
    order = sorted(range(len(observed)), key=lambda i: -observed[i])
    # From the least extreme up: the maximum over what has not been stepped down past.
    highest = np.zeros(len(differences[0]) if differences else 0)
    raw: dict[int, float] = {}
    for index in reversed(order):
        highest = np.maximum(highest, extreme[index])
        raw[index] = int((highest >= observed[index]).sum()) / len(highest)
    found, least = [0.0] * len(order), 0.0
    for index in order:
        least = max(least, raw[index])
        found[index] = least
    return found


def _scale(differences: FloatArray) -> float:
    """Return the root mean square of the defined differences, summed exactly; 1 where all are zero."""
    defined = differences[~np.isnan(differences)]
    square = math.fsum((defined * defined).tolist()) / max(len(defined), 1)
    return math.sqrt(square) or 1.0
