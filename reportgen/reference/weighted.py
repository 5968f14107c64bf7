"""Formulas of weighted rows: sums of weights replace numbers of rows.

:data:`FORMS` gives the formula here for each one of rows that count once. Formulas of decisions serve both, since
:class:`~reportgen.reference.classification.DecisionCounts` holds sums of weights as well as numbers.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, compress, groupby
from typing import Any, TypeAlias

from reportgen.reference import calibration, classification, multiclass, ranking, selection
from reportgen.reference.answers import Ranking
from reportgen.reference.arithmetic import Number, choice, weighted_mean
from reportgen.reference.calibration import LogisticLine, bin_of, logit, recalibration, squared_error
from reportgen.reference.classification import Pairs

Weights: TypeAlias = Sequence[Fraction]
"""One above 0 for each row."""
_HALVINGS = 70


def prevalence(truths: Sequence[int], weights: Weights) -> Number | None:
    """Return Σ w y / Σ w."""
    return weighted_mean((Fraction(y), w) for y, w in zip(truths, weights, strict=True))


def auroc(pairs: Pairs, weights: Weights) -> Fraction | None:
    """Return Σ w⁺ w⁻ ([p⁺ > p⁻] + ½ [p⁺ = p⁻]) / Σ w⁺ w⁻ over all pairs of a positive and a negative."""
    rows = [(p, y, w) for (p, y), w in zip(pairs, weights, strict=True)]
    negatives = sorted((p, w) for p, y, w in rows if y == 0)
    positives = [(p, w) for p, y, w in rows if y == 1]
    if not positives or not negatives:
        return None
    scores, below = [p for p, _ in negatives], [Fraction(0), *accumulate(w for _, w in negatives)]
    won = sum(w * (below[bisect_left(scores, p)] + below[bisect_right(scores, p)]) for p, w in positives)
    return won / (2 * below[-1] * sum(w for _, w in positives))


def _recalls_and_precisions(pairs: Pairs, weights: Weights) -> list[tuple[Fraction, Fraction]]:
    """Return (R, P) at each distinct value of p as threshold, highest first; empty without positives."""
    rows = sorted(((p, y, w) for (p, y), w in zip(pairs, weights, strict=True)), key=lambda row: -row[0])
    positives, taken, caught = sum((w for _, y, w in rows if y), Fraction(0)), Fraction(0), Fraction(0)
    points = []
    for _, level in groupby(rows, key=lambda row: row[0]):
        for _, y, w in level:
            taken, caught = taken + w, caught + w * y
        points.append((caught / positives, caught / taken) if positives else (Fraction(0), Fraction(0)))
    return points if positives else []


def average_precision(pairs: Pairs, weights: Weights) -> float | None:
    """Return Σₜ (Rₜ − Rₜ₋₁) Pₜ over the distinct values of p as thresholds, highest first."""
    points = _recalls_and_precisions(pairs, weights)
    before = [Fraction(0), *(recall for recall, _ in points)]
    terms = [float((recall - last) * share) for last, (recall, share) in zip(before, points, strict=False)]
    return math.fsum(terms) if points else None


def trapezoid(pairs: Pairs, weights: Weights) -> float | None:
    """Return Σₜ (Rₜ − Rₜ₋₁)(Pₜ + Pₜ₋₁) / 2, from the point R = 0, P = 1."""
    points = _recalls_and_precisions(pairs, weights)
    before = [(Fraction(0), Fraction(1)), *points]
    terms = [float((r - last_r) * (p + last_p) / 2) for (last_r, last_p), (r, p) in zip(before, points, strict=False)]
    return math.fsum(terms) if points else None


def net_benefit(pairs: Pairs, weights: Weights, probability: float) -> Number | None:
    """Return (Σ w of the true positives − t / (1 − t) Σ w of the false ones) / Σ w with p ≥ t treated."""
    t = Fraction(repr(probability))
    gain = {0: -t / (1 - t), 1: Fraction(1)}
    return weighted_mean(
        (gain[y] if p >= probability else Fraction(0), w) for (p, y), w in zip(pairs, weights, strict=True)
    )


def uncertainty(pairs: Pairs, weights: Weights) -> Number | None:
    """Return π (1 − π), π the weighted prevalence."""
    share = prevalence([y for _, y in pairs], weights)
    return None if share is None else share * (1 - share)


def brier_skill(pairs: Pairs, weights: Weights) -> Number | None:
    """Return 1 − BS / (π (1 − π)), both weighted."""
    score = weighted_mean((squared_error(pair), w) for pair, w in zip(pairs, weights, strict=True))
    spread = uncertainty(pairs, weights)
    return 1 - score / spread if score is not None and spread else None


def expected_calibration_error(
    pairs: Pairs, weights: Weights, ece_bins: int, ece_edges: str, ece_bin_value: str
) -> Fraction | None:
    """Return Σ over bins b of (W_b / W) |p̄_b − ȳ_b|, W sums of weights, means weighted."""
    gaps = (weight * gap for weight, gap in _gaps(pairs, weights, ece_bins, ece_edges, ece_bin_value))
    return sum(gaps, Fraction(0)) / sum(weights) if pairs else None


def maximum_calibration_error(
    pairs: Pairs, weights: Weights, ece_bins: int, ece_edges: str, ece_bin_value: str
) -> Fraction | None:
    """Return the largest |p̄_b − ȳ_b| of a bin with queries."""
    return max((gap for _, gap in _gaps(pairs, weights, ece_bins, ece_edges, ece_bin_value)), default=None)


def _gaps(
    pairs: Pairs, weights: Weights, ece_bins: int, ece_edges: str, ece_bin_value: str
) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (W_b, |p̄_b − ȳ_b|) of each bin with queries."""
    members: dict[int, list[tuple[Fraction, int, Fraction]]] = {}
    for (p, y), w in zip(pairs, weights, strict=True):
        if (index := bin_of(p, ece_bins, ece_edges)) is not None:
            members.setdefault(index, []).append((Fraction(p), y, w))
    for index, rows in members.items():
        weight = sum((w for _, _, w in rows), Fraction(0))
        forecast, rate = sum((p * w for p, _, w in rows), Fraction(0)) / weight, sum(y * w for _, y, w in rows) / weight
        centre = Fraction(2 * index + 1, 2 * ece_bins)
        yield weight, abs(choice({"mean": forecast, "centre": centre}, ece_bin_value) - rate)


def observed_expected(pairs: Pairs, weights: Weights) -> Fraction | None:
    """Return Σ w y / Σ w p; None where the latter is 0."""
    rows = list(zip(pairs, weights, strict=True))
    expected = sum((Fraction(p) * w for (p, _), w in rows), Fraction(0))
    return sum((y * w for (_, y), w in rows), Fraction(0)) / expected if expected else None


def intercept(pairs: Pairs, weights: Weights, log_loss_clip: float) -> float | None:
    """Return a of the logistic recalibration by weighted maximum likelihood."""
    line = recalibration(tuple(pairs), log_loss_clip, tuple(map(float, weights)))
    return None if line is None else line.a


def slope(pairs: Pairs, weights: Weights, log_loss_clip: float) -> float | None:
    """Return b of the logistic recalibration by weighted maximum likelihood."""
    line = recalibration(tuple(pairs), log_loss_clip, tuple(map(float, weights)))
    return None if line is None else line.b


def in_the_large(pairs: Pairs, weights: Weights, log_loss_clip: float) -> float | None:
    """Return the a that solves Σ w (y − q) = 0 with logit q = a + logit p; None if a class is missing."""
    rows = [
        (logit(min(max(p, log_loss_clip), 1 - log_loss_clip)), y, float(w))
        for (p, y), w in zip(pairs, weights, strict=True)
    ]
    if len({y for _, y, _ in rows}) < 2:
        return None
    # There, the rates of all queries together weigh less than any one of them.
    steepest = max(abs(x) for x, _, _ in rows) + math.log(math.fsum(w for _, _, w in rows) / min(w for _, _, w in rows))
    low, high = -steepest, steepest
    for _ in range(_HALVINGS):
        line = LogisticLine((low + high) / 2, 1.0)
        left = math.fsum(w * part for x, y, w in rows for part in line.residual(x, y))
        low, high = (line.a, high) if left > 0 else (low, line.a)
    return (low + high) / 2


def coverage(rankings: Sequence[Ranking], weights: Weights) -> Number | None:
    """Return Σ w |G ∩ ranked| / Σ w |G| over queries; None if there is no relevant candidate."""
    rows = list(zip(rankings, weights, strict=True))
    relevant = sum((one.n_relevant * w for one, w in rows), Fraction(0))
    return sum((ranking.hits(one, None) * w for one, w in rows), Fraction(0)) / relevant if relevant else None


def pooled_evidence_recall(answers: Sequence[selection.Returned], weights: Weights) -> Fraction | None:
    """Return Σ w |returned ∩ G| / Σ w |G| over queries."""
    return _pooled(answers, weights, lambda one: one.n_relevant)


def pooled_evidence_precision(answers: Sequence[selection.Returned], weights: Weights) -> Fraction | None:
    """Return Σ w |returned ∩ G| / Σ w |returned| over queries."""
    return _pooled(answers, weights, lambda one: one.size)


def _pooled(
    answers: Sequence[selection.Returned], weights: Weights, size: Callable[[selection.Returned], int]
) -> Fraction | None:
    rows = list(zip(answers, weights, strict=True))
    over = sum((size(one) * w for one, w in rows), Fraction(0))
    return sum((one.hits * w for one, w in rows), Fraction(0)) / over if over else None


def _smallest(sizes: Sequence[int], weights: Weights) -> Fraction | None:
    return selection.smallest(sizes)


def _largest(sizes: Sequence[int], weights: Weights) -> Fraction | None:
    return selection.largest(sizes)


# Of rows with one of several classes


def _of_each_row(formula: Callable[..., Number | None]) -> Callable[..., Number | None]:
    """Return the weighted mean over rows of what a formula gives for a row alone."""

    def value(rows: multiclass.Rows, weights: Weights, **settings: Any) -> Number | None:
        return weighted_mean((formula([row], **settings), w) for row, w in zip(rows, weights, strict=True))

    return value


def class_macro_f1(rows: multiclass.Rows, weights: Weights, zero_division: str) -> Number | None:
    """Return the mean of the classes' F1 of weighted rows."""
    return multiclass.macro([value for value, _ in _of_classes(rows, weights)], zero_division)


def class_macro_recall(rows: multiclass.Rows, weights: Weights, zero_division: str) -> Number | None:
    """Return the mean of the classes' shares of right rows, weighted."""
    return multiclass.macro(_shares_right(rows, weights, [row.truth for row in rows]), zero_division)


def class_macro_precision(rows: multiclass.Rows, weights: Weights, zero_division: str) -> Number | None:
    """Return the mean of the shares of right rows among those predicted to be of each class, weighted."""
    return multiclass.macro(_shares_right(rows, weights, [row.predicted for row in rows]), zero_division)


def _shares_right(rows: multiclass.Rows, weights: Weights, put: Sequence[int]) -> list[Number | None]:
    """Return of each class the share of right rows among those that are ``put`` into it."""
    right = [(Fraction(row.truth == row.predicted), w) for row, w in zip(rows, weights, strict=True)]
    classes = range(len(rows[0].p)) if rows else ()
    return [weighted_mean(compress(right, [of == c for of in put])) for c in classes]


def class_weighted_f1(rows: multiclass.Rows, weights: Weights) -> Number | None:
    """Return Σ_c W_c F1_c / W."""
    return weighted_mean((value, w) for value, w in _of_classes(rows, weights) if w)


def _of_classes(rows: multiclass.Rows, weights: Weights) -> Iterator[tuple[Fraction | None, Fraction]]:
    """Yield F1 = 2 right / (true + predicted) of each class, sums of weights, and the weight of its rows."""

    def weight(counted: Sequence[bool]) -> Fraction:
        return sum(compress(weights, counted), Fraction(0))

    for c in range(len(rows[0].p)) if rows else ():
        true, predicted = weight([row.truth == c for row in rows]), weight([row.predicted == c for row in rows])
        right = weight([row.truth == row.predicted == c for row in rows])
        yield (2 * right / (true + predicted) if true + predicted else None), true


FORMS: Mapping[Callable[..., Any], Callable[..., Number | None]] = {
    classification.prevalence: prevalence,
    classification.auroc: auroc,
    classification.average_precision: average_precision,
    classification.trapezoid: trapezoid,
    classification.net_benefit: net_benefit,
    calibration.uncertainty: uncertainty,
    calibration.brier_skill: brier_skill,
    calibration.expected_calibration_error: expected_calibration_error,
    calibration.maximum_calibration_error: maximum_calibration_error,
    calibration.observed_expected: observed_expected,
    calibration.intercept: intercept,
    calibration.slope: slope,
    calibration.in_the_large: in_the_large,
    ranking.coverage: coverage,
    selection.pooled_evidence_recall: pooled_evidence_recall,
    selection.pooled_evidence_precision: pooled_evidence_precision,
    selection.smallest: _smallest,
    selection.largest: _largest,
    multiclass.accuracy: _of_each_row(multiclass.accuracy),
    multiclass.top_k_accuracy: _of_each_row(multiclass.top_k_accuracy),
    multiclass.log_loss: _of_each_row(multiclass.log_loss),
    multiclass.brier: _of_each_row(multiclass.brier),
    multiclass.macro_f1: class_macro_f1,
    multiclass.macro_recall: class_macro_recall,
    multiclass.macro_precision: class_macro_precision,
    multiclass.weighted_f1: class_weighted_f1,
}
"""Formula of rows that count once to that of rows with weights, which it takes second."""
