"""Calibration metrics of a set of queries: p the probability of evidence, y its truth (1 or 0)."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from reportgen.literal.arithmetic import mean
from reportgen.literal.classification import Pairs

Edges: TypeAlias = Literal["left_closed_last_closed", "left_open_first_closed", "left_closed_drop_last"]
BinValue: TypeAlias = Literal["mean", "centre"]


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
    """−(y ln p + (1 − y) ln(1 − p)), with the probability of the true class kept within [clip, 1 − clip].

    That of p would be the same but for rounding: 1 − (1 − clip) is not clip.
    """
    likelihood = p if y == 1 else 1 - p
    return -math.log(min(max(likelihood, clip), 1 - clip))


@dataclass(frozen=True, slots=True)
class Bins:
    """Bins of equal width: how many, which side of an edge belongs to them, what stands for their probabilities."""

    number: int
    edges: Edges = "left_closed_last_closed"
    value: BinValue = "mean"


def expected_calibration_error(pairs: Pairs, bins: Bins) -> Fraction | None:
    """Σ over bins b of (n_b / n) |p̄_b − mean y|; None without queries (Naeini, Cooper and Hauskrecht 2015).

    n counts all queries, also those that ``left_closed_drop_last`` puts in no bin.
    """
    if not pairs:
        return None
    gaps = (len(rows) * _gap(index, rows, bins) for index, rows in _members(pairs, bins).items())
    return sum(gaps, Fraction(0)) / len(pairs)


def maximum_calibration_error(pairs: Pairs, bins: Bins) -> Fraction | None:
    """The largest |p̄_b − mean y| of a bin with queries; None if no bin has any."""
    return max((_gap(index, rows, bins) for index, rows in _members(pairs, bins).items()), default=None)


def equal_mass_calibration_error(pairs: Pairs, number: int) -> Fraction | None:
    """Σ over bins b of (n_b / n) |mean p − mean y|, with bins of equally many queries; None without queries.

    Query i is in bin ⌊number × (queries with smaller p) / n⌋: equal probabilities share a bin, and edges that
    coincide make one bin.
    """
    members: dict[int, list[tuple[float, int]]] = {}
    ordered = sorted(p for p, _ in pairs)
    for p, y in pairs:
        members.setdefault(number * bisect_left(ordered, p) // len(pairs), []).append((p, y))
    if not pairs:
        return None
    gaps = (abs(sum((Fraction(p) - y for p, y in rows), Fraction(0))) for rows in members.values())
    return sum(gaps, Fraction(0)) / len(pairs)


def debiased_calibration_error(pairs: Pairs, bins: Bins) -> float | None:
    """√max(0, Σ over bins b of (n_b / n) ((p̄_b − ȳ_b)² − ȳ_b (1 − ȳ_b) / (n_b − 1))) (Kumar, Liang and Ma 2019).

    A bin of one query adds nothing; None if there is no bin of two.
    """
    squared, known = Fraction(0), False
    for rows in _members(pairs, bins).values():
        if (n := len(rows)) > 1:
            known = True
            forecast = sum((Fraction(p) for p, _ in rows), Fraction(0)) / n
            rate = Fraction(sum(y for _, y in rows), n)
            squared += n * ((forecast - rate) ** 2 - rate * (1 - rate) / (n - 1))
    return math.sqrt(max(squared / len(pairs), Fraction(0))) if known else None


def _members(pairs: Pairs, bins: Bins) -> dict[int, list[tuple[float, int]]]:
    members: dict[int, list[tuple[float, int]]] = {}
    for p, y in pairs:
        index = _bin(p, bins)
        if index is not None:
            members.setdefault(index, []).append((p, y))
    return members


def _bin(p: float, bins: Bins) -> int | None:
    """The bin of a probability, from 0; None where the convention has none for it."""
    inner = range(1, bins.number)
    match bins.edges:
        case "left_closed_last_closed":
            # Edges by division: 3 / 10 is the same float as 0.3, which a multiple of 0.1 is not.
            return sum(p >= i / bins.number for i in inner)
        case "left_open_first_closed":
            return sum(p > i / bins.number for i in inner)
        case "left_closed_drop_last":
            return None if p >= 1 else sum(p >= i * (1 / bins.number) for i in inner)


def _gap(index: int, rows: Pairs, bins: Bins) -> Fraction:
    rate = Fraction(sum(y for _, y in rows), len(rows))
    if bins.value == "centre":
        return abs(Fraction(2 * index + 1, 2 * bins.number) - rate)
    return abs(sum((Fraction(p) for p, _ in rows), Fraction(0)) / len(rows) - rate)


def brier_skill(pairs: Pairs) -> Fraction | None:
    """1 − BS / (π (1 − π)), π the share of positives; None if a class is missing (Murphy 1973)."""
    score = brier(pairs)
    positives = sum(y for _, y in pairs)
    if score is None or positives in (0, len(pairs)):
        return None
    rate = Fraction(positives, len(pairs))
    return 1 - score / (rate * (1 - rate))
