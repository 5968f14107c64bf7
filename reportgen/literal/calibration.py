"""Calibration metrics of a set of queries: p the probability of evidence, y its truth (1 or 0)."""

from __future__ import annotations

import math
from fractions import Fraction

from reportgen.literal.arithmetic import mean
from reportgen.literal.classification import Pairs


def brier(pairs: Pairs) -> Fraction | None:
    """(1/n) Σ (pᵢ − yᵢ)² (Brier 1950, for two classes); None without queries."""
    average = mean(squared_error(p, y) for p, y in pairs)
    return None if average is None else Fraction(average)


def squared_error(p: float, y: int) -> Fraction:
    """(p − y)², exactly: a float is a fraction with a power of two below."""
    return (Fraction(p) - y) ** 2


def log_loss(pairs: Pairs, clip: float) -> float | None:
    """(1/n) Σ −ln of the probability given to the true class; None without queries."""
    average = mean(surprise(p, y, clip) for p, y in pairs)
    return None if average is None else float(average)


def surprise(p: float, y: int, clip: float) -> float:
    """−(y ln p + (1 − y) ln(1 − p)), with p kept within [clip, 1 − clip]."""
    kept = min(max(p, clip), 1 - clip)
    return -math.log(kept if y == 1 else 1 - kept)


def expected_calibration_error(pairs: Pairs, bins: int) -> Fraction | None:
    """Σ over bins b of (n_b / n) |mean p − mean y|; None without queries (Naeini, Cooper and Hauskrecht 2015).

    Bins of equal width with edges i / bins; a value on an edge belongs to the bin above it, and 1 to the last bin.
    """
    if not pairs:
        return None
    members: list[list[tuple[float, int]]] = [[] for _ in range(bins)]
    for p, y in pairs:
        # Edges by division: 3 / 10 is the same float as 0.3, which a running sum of 0.1 is not.
        members[sum(p >= i / bins for i in range(1, bins))].append((p, y))
    gaps = (abs(sum((Fraction(p) - y for p, y in rows), Fraction(0))) for rows in members)
    return sum(gaps, Fraction(0)) / len(pairs)
