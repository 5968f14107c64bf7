"""Metrics of rows by scikit-learn: one function per call of it, on what :mod:`reportgen.reference.rows` reads.

scikit-learn is loaded when the first value is asked for. Where it does not define a metric, or warns that it puts a
number of its own choice in its place, nothing is compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial, wraps
from inspect import signature
from typing import Any

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.peers import UNDEFINED, RowsPeer, Uncompared
from reportgen.reference import rows
from reportgen.reference.answers import Answer
from reportgen.reference.classification import DecisionCounts, Pairs
from reportgen.reference.multiclass import ClassRow
from reportgen.reference.rows import Question
from reportgen.reference.weighted import Weights

OfCounts = Callable[[DecisionCounts], "float | Uncompared"]


def _call(function: str, *args: Any, **options: Any) -> Any:
    """Return what a function of ``sklearn.metrics`` does, without the checks of what was read here.

    Raises ValueError where it is not defined for what it was given, also if it only warns of that.
    """
    import sklearn
    from sklearn import metrics

    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True), warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        try:
            return getattr(metrics, function)(*args, **options)
        except UserWarning as warning:
            raise ValueError(str(warning)) from warning


def _defined(value: Any) -> float | Uncompared:
    return UNDEFINED if np.isnan(value) else float(value)


# Of probabilities


def _columns(pairs: Pairs) -> tuple[FloatArray, FloatArray]:
    """Return (n,) truths and scores; ranks, lowest where nothing was retrieved, if a score is not finite."""
    y, scores = np.array([y for _, y in pairs], dtype=np.float64), np.array([p for p, _ in pairs], dtype=np.float64)
    if np.isfinite(scores).all():
        return y, scores
    _, ranks = np.unique(np.where(np.isnan(scores), -np.inf, scores), return_inverse=True)
    return y, ranks.astype(np.float64)


def _weighing(weights: Weights | None) -> dict[str, FloatArray]:
    """Return the option that gives each row its weight; none where each counts once."""
    return {} if weights is None else {"sample_weight": np.array([float(weight) for weight in weights])}


def _of_classes(function: str, pairs: Pairs, *, both: bool, weights: Weights | None = None) -> float | Uncompared:
    """Return a score that needs positives, or both classes."""
    y, scores = _columns(pairs)
    if not y.any() or (both and y.all()):
        return UNDEFINED
    return float(_call(function, y, scores, **_weighing(weights)))


def _trapezoid(pairs: Pairs, *, weights: Weights | None = None) -> float | Uncompared:
    y, scores = _columns(pairs)
    if not y.any():
        return UNDEFINED
    precisions, recalls, _ = _call("precision_recall_curve", y, scores, **_weighing(weights))
    return float(_call("auc", recalls, precisions))


def _brier(pairs: Pairs, *, weights: Weights | None = None) -> float | Uncompared:
    y, p = _columns(pairs)
    return float(_call("brier_score_loss", y, p, pos_label=1, **_weighing(weights))) if len(y) else UNDEFINED


def _brier_skill(pairs: Pairs, *, weights: Weights | None = None) -> float | Uncompared:
    y, score, weighing = _columns(pairs)[0], _brier(pairs, weights=weights), _weighing(weights)
    if isinstance(score, Uncompared) or not 0 < y.mean() < 1:
        return UNDEFINED
    rate = y.mean() if weights is None else np.average(y, weights=weighing["sample_weight"])
    return float(1 - score / _call("brier_score_loss", y, np.full(len(y), rate), pos_label=1, **weighing))


def _log_loss(pairs: Pairs, log_loss_clip: float, *, weights: Weights | None = None) -> float | Uncompared:
    if log_loss_clip < np.finfo(np.float64).eps:
        return Uncompared("log_loss_clip is below the one of scikit-learn")
    y, p = _columns(pairs)
    clipped = np.clip(p, log_loss_clip, 1 - log_loss_clip)
    # scikit-learn takes 1 - p of the clipped p; where that is not the clip itself, ours is the exact one.
    if abs((1 - (1 - log_loss_clip)) / log_loss_clip - 1) > 1e-10 and (p > 1 - log_loss_clip).any():
        return Uncompared("log_loss_clip is not met exactly by scikit-learn")
    return float(_call("log_loss", y, clipped, labels=[0, 1], **_weighing(weights))) if len(y) else UNDEFINED


def _roc_point(pairs: Pairs, budget: float, roc_points: str, *, threshold: bool) -> float | Uncompared:
    """Return the highest TPR with FPR ≤ budget on the curve, or the threshold that reaches it."""
    y, p = _columns(pairs)
    if not 0 < y.sum() < len(y):
        return UNDEFINED
    fpr, tpr, thresholds = _call("roc_curve", y, p, drop_intermediate=roc_points == "drop_intermediate")
    # The curve runs from the highest threshold down, so that the first of equals has the lowest FPR.
    best = np.argmax(np.where(fpr <= budget, tpr, -1.0))
    if not threshold:
        return float(tpr[best])
    return float(thresholds[best]) if tpr[best] else UNDEFINED


def _roc_tpr(pairs: Pairs, budget: float, roc_points: str) -> float | Uncompared:
    return _roc_point(pairs, budget, roc_points, threshold=False)


def _roc_threshold(pairs: Pairs, budget: float, roc_points: str) -> float | Uncompared:
    return _roc_point(pairs, budget, roc_points, threshold=True)


def _of_pairs(formula: Callable[..., float | Uncompared]) -> RowsPeer:
    return RowsPeer(formula, rows.pairs)


AUROC = _of_pairs(partial(_of_classes, "roc_auc_score", both=True))
AVERAGE_PRECISION = _of_pairs(partial(_of_classes, "average_precision_score", both=False))
TRAPEZOID = _of_pairs(_trapezoid)
BRIER = _of_pairs(_brier)
BRIER_SKILL = _of_pairs(_brier_skill)
LOG_LOSS = _of_pairs(_log_loss)
ROC_TPR = _of_pairs(_roc_tpr)
ROC_THRESHOLD = _of_pairs(_roc_threshold)
AUROC_OF_CANDIDATES = RowsPeer(AUROC.formula, rows.candidate_pairs)
AVERAGE_PRECISION_OF_CANDIDATES = RowsPeer(AVERAGE_PRECISION.formula, rows.candidate_pairs)


# Of yes-or-no decisions


def _once(formula: OfCounts) -> OfCounts:
    """Ask scikit-learn once for decisions whose counts are the same: no score depends on the order of rows."""
    return wraps(formula)(lru_cache(maxsize=4096)(formula))


def _scored(function: str, counts: DecisionCounts, **options: Any) -> Any:
    """Return what a function of ``sklearn.metrics`` gives for (n,) truths and decisions, or four that have weights."""
    cells = (counts.tp, counts.fp, counts.fn, counts.tn)
    y, decided = np.array([1.0, 0.0, 1.0, 0.0]), np.array([1.0, 1.0, 0.0, 0.0])
    whole = [cell for cell in cells if isinstance(cell, int)]
    if len(whole) == len(cells):
        return _call(function, np.repeat(y, whole), np.repeat(decided, whole), **options)
    return _call(function, y, decided, **options, **_weighing([Fraction(cell) for cell in cells]))


@lru_cache(maxsize=4096)
def _of_each_class(counts: DecisionCounts) -> Any:
    """Return precision, recall, F1 and support of class 0 and class 1, NaN where undefined."""
    return _scored("precision_recall_fscore_support", counts, labels=[0, 1], zero_division=np.nan)


@lru_cache(maxsize=4096)
def _matrix(counts: DecisionCounts) -> Any:
    return _scored("confusion_matrix", counts, labels=[0, 1])


def _cell(truth: int, predicted: int, counts: DecisionCounts) -> float | Uncompared:
    return float(_matrix(counts)[truth, predicted])


def _rate(which: int, label: int, counts: DecisionCounts) -> float | Uncompared:
    return _defined(_of_each_class(counts)[which][label])


def _complement(of: OfCounts, counts: DecisionCounts) -> float | Uncompared:
    value = of(counts)
    return value if isinstance(value, Uncompared) else 1 - value


@_once
def _mcc(counts: DecisionCounts) -> float | Uncompared:
    one_cell = sum(cell > 0 for cell in (counts.tp, counts.fp, counts.fn, counts.tn)) < 2
    return UNDEFINED if one_cell else float(_scored("matthews_corrcoef", counts))


@_once
def _balanced_accuracy(counts: DecisionCounts) -> float | Uncompared:
    both = bool(counts.tp + counts.fn and counts.fp + counts.tn)
    return float(_scored("balanced_accuracy_score", counts)) if both else UNDEFINED


@_once
def _accuracy(counts: DecisionCounts) -> float | Uncompared:
    return float(_scored("accuracy_score", counts)) if counts.n else UNDEFINED


PRECISION, NPV = partial(_rate, 0, 1), partial(_rate, 0, 0)
RECALL, SPECIFICITY = partial(_rate, 1, 1), partial(_rate, 1, 0)
FALSE_POSITIVE_RATE, FALSE_NEGATIVE_RATE = partial(_complement, SPECIFICITY), partial(_complement, RECALL)
F1 = partial(_rate, 2, 1)
MCC, BALANCED_ACCURACY, ACCURACY = _mcc, _balanced_accuracy, _accuracy
CELLS: dict[str, OfCounts] = {
    name: partial(_cell, truth, predicted)
    for name, truth, predicted in (("tp", 1, 1), ("fp", 0, 1), ("fn", 1, 0), ("tn", 0, 0))
}


# Of the decisions on all labels of a cluster


@dataclass(frozen=True, slots=True)
class LabelIndicators:
    """(n_clusters, n_labels) truths and decisions."""

    y: FloatArray
    predicted: FloatArray


def _indicators(answers: Sequence[Answer], question: Question) -> LabelIndicators | Uncompared | None:
    """Return the indicator matrices; they exist only where every cluster has one answer for every label."""
    decide = question.reading.decide["multilabel_decider"]
    decisions = [decide(answer) for answer in answers]
    if None in decisions:
        return None
    places = {(answer.cluster, answer.label): i for i, answer in enumerate(answers)}
    clusters, labels = ({place[side] for place in places} for side in (0, 1))
    if len(labels) < 2:
        return Uncompared("one label only: scikit-learn takes its decisions for two classes")
    if len(places) < len(answers) or len(places) < len(clusters) * len(labels):
        return Uncompared("clusters that do not have one query for each label")
    order = np.array([places[place] for place in sorted(places, key=str)]).reshape(len(clusters), len(labels))
    y, predicted = np.array([answer.y for answer in answers]), np.array(decisions)
    return LabelIndicators(y[order].astype(np.float64), predicted[order].astype(np.float64))


def of_labels(function: str, **options: Any) -> RowsPeer:
    """Return the peer that is a function of ``sklearn.metrics`` on label indicators."""

    def formula(taken: LabelIndicators) -> float | Uncompared:
        return _defined(_call(function, taken.y, taken.predicted, **options))

    return RowsPeer(formula, _indicators)


def f1_of_labels(average: str, zero_division: float = np.nan) -> RowsPeer:
    """Return the peer of an average of F1 that weighs clusters, or decisions, alike."""
    return of_labels("f1_score", average=average, zero_division=zero_division)


def _macro_f1(taken: LabelIndicators, zero_division: str) -> float | Uncompared:
    instead = 0.0 if zero_division == "zero" else np.nan
    return _defined(_call("f1_score", taken.y, taken.predicted, average="macro", zero_division=instead))


def _hamming_accuracy(taken: LabelIndicators) -> float | Uncompared:
    return 1 - float(_call("hamming_loss", taken.y, taken.predicted))


def _weighted_f1(taken: LabelIndicators) -> float | Uncompared:
    if not taken.y.any():
        return UNDEFINED
    return _defined(_call("f1_score", taken.y, taken.predicted, average="weighted", zero_division=np.nan))


MACRO_F1 = RowsPeer(_macro_f1, _indicators)
WEIGHTED_F1 = RowsPeer(_weighted_f1, _indicators)
EXACT_MATCH = of_labels("accuracy_score")
HAMMING_LOSS = of_labels("hamming_loss")
HAMMING_ACCURACY = RowsPeer(_hamming_accuracy, _indicators)


# Of rows with one of several classes

ClassRows = Sequence[ClassRow]


def _classes(rows: ClassRows) -> tuple[Any, FloatArray, range]:
    """Return (n,) true classes, (n, k) probabilities, and the classes."""
    p = np.array([row.p for row in rows], dtype=np.float64)
    return np.array([row.truth for row in rows]), p, range(p.shape[1])


def _by_class(function: str, rows: ClassRows, weights: Weights | None, **options: Any) -> float | Uncompared:
    """Return a score of the true and the predicted classes."""
    if not rows:
        return UNDEFINED
    classes = ([row.truth for row in rows], [row.predicted for row in rows])
    return _defined(_call(function, *classes, **options, **_weighing(weights)))


def _class_accuracy(rows: ClassRows, *, weights: Weights | None = None) -> float | Uncompared:
    return _by_class("accuracy_score", rows, weights)


def _over_classes(
    function: str,
    rows: ClassRows,
    average: str | None,
    zero_division: float = np.nan,
    *,
    weights: Weights | None = None,
) -> float | Uncompared:
    classes = range(len(rows[0].p)) if rows else ()
    return _by_class(function, rows, weights, labels=list(classes), average=average, zero_division=zero_division)


def _class_macro(
    function: str,
    seen: Callable[[ClassRow], set[int]],
    rows: ClassRows,
    zero_division: str,
    *,
    weights: Weights | None = None,
) -> float | Uncompared:
    """Return a macro mean; ``seen``: the classes by which a row gives the class's own value a denominator."""
    if zero_division == "zero":
        return _over_classes(function, rows, "macro", 0.0, weights=weights)
    # scikit-learn leaves out a class without a value.
    every = set().union(*map(seen, rows))
    whole = bool(rows) and len(every) == len(rows[0].p)
    return _over_classes(function, rows, "macro", weights=weights) if whole else UNDEFINED


def _class_weighted_f1(rows: ClassRows, *, weights: Weights | None = None) -> float | Uncompared:
    return _over_classes("f1_score", rows, "weighted", weights=weights)


def _top_k_accuracy(rows: ClassRows, k: int, *, weights: Weights | None = None) -> float | Uncompared:
    """Ask with the classes in reverse order, since scikit-learn takes the last of those that share a probability."""
    if not rows:
        return UNDEFINED
    y, p, classes = _classes(rows)
    options = {"k": k, "labels": list(classes), **_weighing(weights)}
    return float(_call("top_k_accuracy_score", len(classes) - 1 - y, p[:, ::-1], **options))


def _class_auroc(multi_class: str, rows: ClassRows) -> float | Uncompared:
    if not rows or len({row.truth for row in rows}) < len(rows[0].p):
        return UNDEFINED
    y, p, classes = _classes(rows)
    return float(_call("roc_auc_score", y, p, multi_class=multi_class, average="macro", labels=list(classes)))


def _class_log_loss(rows: ClassRows, log_loss_clip: float, *, weights: Weights | None = None) -> float | Uncompared:
    if not rows:
        return UNDEFINED
    if log_loss_clip < np.finfo(np.float64).eps:
        return Uncompared("log_loss_clip is below the one of scikit-learn")
    y, p, classes = _classes(rows)
    clipped = np.clip(p, log_loss_clip, 1 - log_loss_clip)
    return float(_call("log_loss", y, clipped, labels=list(classes), **_weighing(weights)))


def _class_brier(rows: ClassRows, *, weights: Weights | None = None) -> float | Uncompared:
    from sklearn.metrics import brier_score_loss

    if "scale_by_half" not in signature(brier_score_loss).parameters:
        return Uncompared("scikit-learn before 1.7 has no Brier score of several classes")
    if not rows:
        return UNDEFINED
    y, p, classes = _classes(rows)
    return float(_call("brier_score_loss", y, p, labels=list(classes), scale_by_half=False, **_weighing(weights)))


def _of_class_rows(formula: Callable[..., float | Uncompared]) -> RowsPeer:
    return RowsPeer(formula, rows.class_rows)


CLASS_ACCURACY = _of_class_rows(_class_accuracy)
CLASS_MACRO_F1 = _of_class_rows(partial(_class_macro, "f1_score", lambda row: {row.truth, row.predicted}))
CLASS_MACRO_RECALL = _of_class_rows(partial(_class_macro, "recall_score", lambda row: {row.truth}))
CLASS_MACRO_PRECISION = _of_class_rows(partial(_class_macro, "precision_score", lambda row: {row.predicted}))
CLASS_WEIGHTED_F1 = _of_class_rows(_class_weighted_f1)
TOP_K_ACCURACY = _of_class_rows(_top_k_accuracy)
AUROC_OVR = _of_class_rows(partial(_class_auroc, "ovr"))
AUROC_OVO = _of_class_rows(partial(_class_auroc, "ovo"))
CLASS_LOG_LOSS = _of_class_rows(_class_log_loss)
CLASS_BRIER = _of_class_rows(_class_brier)
