"""Metrics of what a system returns once it is decided what passes, and of the decisions on all labels of a cluster."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from reportgen.reference.answers import Answer, Decide
from reportgen.reference.arithmetic import choice, mean
from reportgen.reference.classification import DecisionCounts, accuracy, f1
from reportgen.reference.ranking import hits


@dataclass(frozen=True, slots=True)
class Returned:
    """What a system returns for one query: the top selected K of its ranking, or nothing."""

    size: int
    hits: Fraction
    """|returned ∩ G|, expected where equal scores are in no order; 0 without a ranking."""
    n_relevant: int
    """|G|"""
    passed: bool
    y: int


def returned(answer: Answer, decide: Decide) -> Returned | None:
    """Return what is returned for a query: nothing if it does not pass, and never more than was retrieved.

    None if the system selects nothing or does not decide.
    """
    passed, ranking = decide(answer), answer.ranking
    if passed is None or answer.selected_k is None:
        return None
    size = answer.selected_k if passed else 0
    if ranking is None:
        return Returned(size, Fraction(0), 0, passed, answer.y)
    size = min(size, len(ranking.ranked))
    return Returned(size, Fraction(hits(ranking, size)), ranking.n_relevant, passed, answer.y)


def evidence_recall(answer: Returned, empty_gold_selection: str = "exclude") -> Fraction | None:
    """Return |returned ∩ G| / |G| of one query, 0 if it does not pass.

    Where G is empty: None (``exclude``), 0 (``zero``), or 1 for an empty returned set and 0 for another
    (``credit_if_empty``).
    """
    if answer.n_relevant:
        return answer.hits / answer.n_relevant
    policies = {"exclude": None, "zero": Fraction(0), "credit_if_empty": Fraction(answer.size == 0)}
    return choice(policies, empty_gold_selection)


def evidence_precision(answer: Returned, empty_selection: str = "undefined") -> Fraction | None:
    """Return |returned ∩ G| / |returned| of one query.

    Where nothing is returned: None (``undefined``), 0 (``zero``), or 1 if G is empty too and 0 if not
    (``credit_if_empty``).
    """
    if answer.size:
        return answer.hits / answer.size
    policies = {"undefined": None, "zero": Fraction(0), "credit_if_empty": Fraction(answer.n_relevant == 0)}
    return choice(policies, empty_selection)


def pooled_evidence_recall(answers: Sequence[Returned]) -> Fraction | None:
    """Return Σ |returned ∩ G| / Σ |G| over queries; None if there is no relevant candidate."""
    relevant = sum(answer.n_relevant for answer in answers)
    return sum((answer.hits for answer in answers), Fraction(0)) / relevant if relevant else None


def pooled_evidence_precision(answers: Sequence[Returned]) -> Fraction | None:
    """Return Σ |returned ∩ G| / Σ |returned| over queries; None if nothing is returned."""
    size = sum(answer.size for answer in answers)
    return sum((answer.hits for answer in answers), Fraction(0)) / size if size else None


def returned_k(answer: Returned) -> Fraction:
    """Return K, the size of the returned set."""
    return Fraction(answer.size)


def smallest(sizes: Sequence[int]) -> Fraction | None:
    """Return the smallest K; None without queries."""
    return Fraction(min(sizes)) if sizes else None


def largest(sizes: Sequence[int]) -> Fraction | None:
    """Return the largest K; None without queries."""
    return Fraction(max(sizes)) if sizes else None


def standard_deviation_of_k(sizes: Sequence[int]) -> float | None:
    """Return √(Σ (Kᵢ − K̄)² / (n − 1)); None for fewer than two queries."""
    if len(sizes) < 2:
        return None
    centre = Fraction(sum(sizes), len(sizes))
    return math.sqrt(sum((size - centre) ** 2 for size in sizes) / (len(sizes) - 1))


# Averages over groups of decisions: the labels, or the clusters


def macro_f1(labels: Sequence[DecisionCounts], zero_division: str = "undefined") -> Fraction | None:
    """Return the unweighted mean over labels of the label's F1 (Yang 1999); an undefined F1 is left out, or 0."""
    return samples_f1(labels, undefined=choice({"undefined": None, "zero": Fraction(0)}, zero_division))


def samples_f1(clusters: Sequence[DecisionCounts], *, undefined: Fraction | None = None) -> Fraction | None:
    """Return the mean over clusters of the cluster's F1, an undefined one replaced, or left out with None.

    Example-based F1 of Godbole and Sarawagi (2004).
    """
    values = (f1(counts) for counts in clusters)
    average = mean(undefined if value is None else value for value in values)
    return None if average is None else Fraction(average)


def weighted_f1(groups: Sequence[DecisionCounts]) -> Fraction | None:
    """Return Σ P F1 / Σ P over groups (labels, or clusters), P the group's positives; None without positives."""
    weights = [counts.tp + counts.fn for counts in groups]
    weighted = (weight * (f1(counts) or Fraction(0)) for weight, counts in zip(weights, groups, strict=True))
    return sum(weighted, Fraction(0)) / sum(weights) if sum(weights) else None


def exact_match(clusters: Sequence[DecisionCounts]) -> Fraction | None:
    """Return clusters whose predictions equal the truth for all their labels / clusters; None without clusters.

    Subset accuracy of Zhu, Ji, Xu and Gong (2005).
    """
    right = sum(counts.fp == counts.fn == 0 for counts in clusters)
    return Fraction(right, len(clusters)) if clusters else None


def hamming_accuracy(clusters: Sequence[DecisionCounts]) -> Fraction | None:
    """Return the mean over clusters of right decisions / decisions of the cluster; None without clusters."""
    average = mean(accuracy(counts) for counts in clusters)
    return None if average is None else Fraction(average)


def hamming_loss(clusters: Sequence[DecisionCounts]) -> Fraction | None:
    """Return the mean over clusters of wrong decisions / decisions of the cluster; None without clusters."""
    average = mean(Fraction(counts.fp + counts.fn, counts.n) for counts in clusters)
    return None if average is None else Fraction(average)
