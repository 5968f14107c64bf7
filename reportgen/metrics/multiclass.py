"""Multi-class metrics: each row has one of several classes, and a probability for each or a predicted class.

Rows count once here. The queries of a row, one for each class against the rest, have metrics of their own, which are
named one-vs-rest. scikit-learn is the reference, but for the order of classes that share a probability: its
``top_k_accuracy_score`` takes the last of them first, here the first comes first, as in the arg max.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import FitToRows, Sample, Sums, share
from reportgen.metrics.totals import Confusion, Mean, mean_of_parts, ratio
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification, rows
from reportgen.reference import multiclass as reference
from reportgen.reference.rows import OfRows


def is_right(frame: Frame) -> FloatArray:
    """Return (n,) 1 where the predicted class of a row is its true one, else 0."""
    return np.asarray(frame["predicted"] == frame["truth"], dtype=np.float64)


def _of_truth(frame: Frame) -> FloatArray:
    """Return (n,) the probability that is given to the true class."""
    return np.asarray(np.take_along_axis(frame["p"], frame.label[:, None], axis=1)[:, 0])


def _in_top(frame: Frame, k: int) -> FloatArray:
    """Return (n,) 1 where fewer than k classes come before the true one: higher, or as high and earlier in order."""
    p, truth = frame["p"], _of_truth(frame)[:, None]
    earlier = np.arange(p.shape[1]) < frame.label[:, None]
    before = ((p > truth) | ((p == truth) & earlier)).sum(axis=1)
    return np.asarray(before < k, dtype=np.float64)


def _surprise(sample: Sample) -> Mean:
    clip = sample.contract.real("log_loss_clip")
    return Mean.of(-np.log(np.clip(_of_truth(sample.frame), clip, 1 - clip)))


def _squared_error(sample: Sample) -> Mean:
    p, truth = sample["p"], _of_truth(sample.frame)
    # Class by class, so that no bit depends on how a reduction is vectorised.
    squares = sum((column**2 for column in p.T), np.zeros(len(p)))
    return Mean.of(squares - truth**2 + (1 - truth) ** 2)


@dataclass(frozen=True, slots=True)
class _Classes:
    """For each class the rows that are right, those of the class, and those predicted to be of it."""

    right: tuple[FloatArray, ...]
    true: tuple[FloatArray, ...]
    predicted: tuple[FloatArray, ...]
    zero: bool
    """True where an undefined F1 of a class counts as 0."""

    @classmethod
    def of(cls, sample: Sample) -> _Classes:
        frame, classes = sample.frame, range(sample.frame.n_labels)
        true = tuple((frame["truth"] == one).astype(np.float64) for one in classes)
        predicted = tuple((frame["predicted"] == one).astype(np.float64) for one in classes)
        right = tuple(a * b for a, b in zip(true, predicted, strict=True))
        return cls(right, true, predicted, sample.contract.text("zero_division") == "zero")

    def _f1(self) -> list[FloatArray]:
        triples = zip(self.right, self.true, self.predicted, strict=True)
        return [ratio(2 * right, true + predicted) for right, true, predicted in triples]

    def f1(self) -> FloatArray:
        """Return the mean of the classes' F1; NaN where a class is neither true nor predicted."""
        return self._macro(self._f1())

    def recall(self) -> FloatArray:
        """Return the mean of the classes' recall; NaN where a class has no rows."""
        return self._macro(list(map(ratio, self.right, self.true)))

    def precision(self) -> FloatArray:
        """Return the mean of the classes' precision; NaN where a class is not predicted."""
        return self._macro(list(map(ratio, self.right, self.predicted)))

    def _macro(self, of_classes: list[FloatArray]) -> FloatArray:
        values = np.stack(of_classes)
        if self.zero:
            values = np.where(np.isnan(values) & (sum(self.true) > 0), 0.0, values)
        mean = mean_of_parts(list(values))
        return np.where(np.isnan(values).any(axis=0), np.nan, mean)

    def weighted(self) -> FloatArray:
        """Return the mean of the classes' F1 by their rows; a class without any has no say."""
        total, over = np.zeros(self.true[0].shape), np.zeros(self.true[0].shape)
        for value, weight in zip(self._f1(), self.true, strict=True):
            total += np.where(weight > 0, value, 0.0) * weight
            over += weight
        return ratio(total, over)


def _confusion(sample: Sample) -> Confusion:
    """Return the rows that are predicted to be of the class in the id, against those that are of it."""
    of = list(sample.frame.classes).index(sample.id.named_class)
    return Confusion.of(*((sample[name] == of).astype(np.float64) for name in ("predicted", "truth")))


# AUROC. A class has a score for every row, its probability. Between its own rows and each other row, a pair is in order
# with credit 1, 1/2 or 0. One against the rest: all other rows weigh alike. One against one: all other classes do.


def _auroc(*, one_vs_one: bool) -> FitToRows:
    def value(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
        n = np.bincount(frame.label, minlength=frame.n_labels)
        if not n.all():
            return math.nan
        terms: list[float] = []
        for of in range(frame.n_labels):
            # Twice the pairs in order with the rows of each class: whole numbers.
            credit = _credit(frame, of)[0]
            by_class = np.bincount(frame.label, weights=credit, minlength=frame.n_labels)
            if one_vs_one:
                terms += (np.delete(by_class / n, of) / (2 * n[of] * (frame.n_labels - 1))).tolist()
            else:
                terms.append(float(by_class.sum()) / (2 * int(n[of]) * int(len(frame) - n[of])))
        return math.fsum(terms) / frame.n_labels

    def influence(frame: Frame, contract: Contract, found: float) -> FloatArray:
        n = np.bincount(frame.label, minlength=frame.n_labels)
        moved = np.zeros(len(frame))
        for of in range(frame.n_labels):
            own = frame.label == of
            others = n[np.arange(frame.n_labels) != of]
            weight = 1 / (n[frame.label] * len(others)) if one_vs_one else np.full(len(frame), 1 / others.sum())
            credit, beaten = _credit(frame, of, np.where(own, 0.0, weight))
            placed = credit / (2 * n[of])
            # Of other rows about the mean of what they are a sample of: their class, or the rest.
            group = frame.label if one_vs_one else own.astype(np.int64)
            mean = np.bincount(group, weights=placed) / np.maximum(np.bincount(group), 1)
            moved += np.where(own, 0.0, weight * (placed - mean[group]))
            moved[own] += (beaten - beaten.sum() / len(beaten)) / n[of]
        return moved / frame.n_labels

    return FitToRows(value, influence, unit="row")


def _credit(frame: Frame, of: int, weight: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """Return what pairs with the rows of a class are in order, by its probability.

    (n,) for each other row twice the number of the class's rows above it, equal ones counting half (0 for the class's
    own rows); and (n_own,) for each of its rows the ``weight`` of the other rows below it, equal ones counting half.
    """
    score, own = frame["p"][:, of], frame.label == of
    ranked = np.sort(score[own])
    below, up_to = (np.searchsorted(ranked, score, side) for side in ("left", "right"))
    credit = np.where(own, 0, 2 * len(ranked) - below - up_to).astype(np.float64)
    if weight is None:
        return credit, np.zeros(0)
    order = np.argsort(score[~own], kind="stable")
    rivals, total = score[~own][order], np.concatenate([[0.0], np.cumsum(weight[~own][order])])
    low, high = (total[np.searchsorted(rivals, score[own], side)] for side in ("left", "right"))
    return credit, (low + high) / 2


_entry = partial(
    Metric, family="multiclass", undefined="no_queries", needs=("classes",), conventions=("class_decider",),
    per_label=False,
)  # fmt: skip
_ARG_MAX = ("class_decider", "class_ties")

_of_class = partial(
    _entry, variant="argmax", undefined="class_missing", parameter="class", conventions=(*_ARG_MAX, "zero_division"),
    on_request=True,
)  # fmt: skip


def _over_rows(values: Callable[[Sample], FloatArray]) -> Callable[[Sample], Mean]:
    return lambda sample: Mean.of(values(sample))


METRICS = (
    _entry(
        "accuracy",
        "Accuracy",
        "Share of the rows whose predicted class is the true one. Rows count once, not once for each class.",
        "for {value} of the {rows} the predicted class is the true one",
        r"\frac{1}{n}\sum_i [\,\hat{y}_i = y_i\,]",
        "sklearn.metrics.accuracy_score",
        variant="argmax",
        recompute=OfRows(reference.accuracy, rows.class_rows),
        peer=scikit_learn.CLASS_ACCURACY,
        statistic=share(_over_rows(lambda sample: is_right(sample.frame)), Mean.hits, unit="row"),
        conventions=_ARG_MAX,
        paired=True,
        is_accuracy=True,
    ),
    _entry(
        "f1",
        "F1 (macro over classes)",
        "Unweighted mean of the F1 of the classes, each against the rest, by the predicted class. Undefined where a "
        "class is neither true nor predicted.",
        "the F1 of the predicted classes, averaged over the {labels}, is {value}",
        r"\frac{1}{|Y|}\sum_{c \in Y} \frac{2\,n_{cc}}{n_{c\cdot} + n_{\cdot c}}",
        "sklearn.metrics.f1_score(average='macro', labels=classes)",
        variant="macro:argmax",
        recompute=OfRows(reference.macro_f1, rows.class_rows),
        peer=scikit_learn.CLASS_MACRO_F1,
        statistic=Sums(_Classes.of, _Classes.f1, unit="row"),
        undefined="class_missing",
        conventions=(*_ARG_MAX, "zero_division"),
    ),
    _entry(
        "f1",
        "F1 (classes by support)",
        "Mean of the F1 of the classes, each weighted by its rows; a class without rows has no say.",
        "the F1 of the predicted classes, averaged over the {labels} by their {rows}, is {value}",
        r"\sum_{c \in Y} \frac{n_{c\cdot}}{n} \frac{2\,n_{cc}}{n_{c\cdot} + n_{\cdot c}}",
        "sklearn.metrics.f1_score(average='weighted', labels=classes)",
        variant="weighted:argmax",
        recompute=OfRows(reference.weighted_f1, rows.class_rows),
        peer=scikit_learn.CLASS_WEIGHTED_F1,
        statistic=Sums(_Classes.of, _Classes.weighted, unit="row"),
        conventions=_ARG_MAX,
    ),
    _entry(
        "recall",
        "Recall (macro over classes)",
        "Unweighted mean over the classes of the share of their rows that are predicted to be of them, which is the "
        "balanced accuracy. Undefined where a class has no rows.",
        "the share of the {rows} of a class that are predicted to be of it is {value}, averaged over the {labels}",
        r"\frac{1}{|Y|}\sum_{c \in Y} \frac{n_{cc}}{n_{c\cdot}}",
        "sklearn.metrics.recall_score(average='macro', labels=classes); balanced_accuracy_score",
        variant="macro:argmax",
        recompute=OfRows(reference.macro_recall, rows.class_rows),
        peer=scikit_learn.CLASS_MACRO_RECALL,
        statistic=Sums(_Classes.of, _Classes.recall, unit="row"),
        undefined="class_missing",
        conventions=(*_ARG_MAX, "zero_division"),
        on_request=True,
    ),
    _entry(
        "precision",
        "Precision (macro over classes)",
        "Unweighted mean over the classes of the share of the rows predicted to be of a class that are of it. "
        "Undefined where a class is not predicted.",
        "the share of the {rows} predicted to be of a class that are of it is {value}, averaged over the {labels}",
        r"\frac{1}{|Y|}\sum_{c \in Y} \frac{n_{cc}}{n_{\cdot c}}",
        "sklearn.metrics.precision_score(average='macro', labels=classes)",
        variant="macro:argmax",
        recompute=OfRows(reference.macro_precision, rows.class_rows),
        peer=scikit_learn.CLASS_MACRO_PRECISION,
        statistic=Sums(_Classes.of, _Classes.precision, unit="row"),
        undefined="class_missing",
        conventions=(*_ARG_MAX, "zero_division"),
        on_request=True,
    ),
    _of_class(
        "recall",
        "Recall of {class}",
        "Share of the rows of the class {class} that are predicted to be of it.",
        "of the {rows} of {class}, {value} are predicted to be of it",
        r"\frac{n_{cc}}{n_{c\cdot}}",
        "sklearn.metrics.recall_score(labels=[class])",
        recompute=OfRows(classification.sensitivity, rows.of_class),
        peer=RowsPeer(scikit_learn.RECALL, rows.of_class),
        statistic=share(_confusion, Confusion.sensitivity, unit="row"),
    ),
    _of_class(
        "precision",
        "Precision of {class}",
        "Share of the rows predicted to be of the class {class} that are of it.",
        "of the {rows} predicted to be of {class}, {value} are of it",
        r"\frac{n_{cc}}{n_{\cdot c}}",
        "sklearn.metrics.precision_score(labels=[class])",
        recompute=OfRows(classification.precision, rows.of_class),
        peer=RowsPeer(scikit_learn.PRECISION, rows.of_class),
        statistic=share(_confusion, Confusion.precision, unit="row"),
    ),
    _of_class(
        "f1",
        "F1 of {class}",
        "Harmonic mean of precision and recall of the class {class}.",
        "the harmonic mean of precision and recall of {class} is {value}",
        r"\frac{2\,n_{cc}}{n_{c\cdot} + n_{\cdot c}}",
        "sklearn.metrics.f1_score(labels=[class])",
        recompute=OfRows(classification.f1, rows.of_class),
        peer=RowsPeer(scikit_learn.F1, rows.of_class),
        statistic=Sums(_confusion, Confusion.f1, unit="row"),
    ),
    _entry(
        "top_k_accuracy",
        "Top-{k} accuracy",
        "Share of the rows whose true class is among the {k} with the highest probability; of classes that share one, "
        "the first in order comes first (scikit-learn takes the last).",
        "for {value} of the {rows} the true class is among the {k} most probable ones",
        r"\frac{1}{n}\sum_i [\,\mathrm{rank}_i(y_i) \leq {k}\,]",
        "sklearn.metrics.top_k_accuracy_score, classes in reverse order",
        recompute=OfRows(reference.top_k_accuracy, rows.class_rows),
        peer=scikit_learn.TOP_K_ACCURACY,
        statistic=share(
            _over_rows(lambda sample: _in_top(sample.frame, int(sample.id.parameter))), Mean.hits, unit="row"
        ),
        parameter="cutoff",
        needs=("classes", "probability"),
        conventions=("class_ties",),
        paired=True,
        on_request=True,
    ),
    _entry(
        "auroc",
        "AUROC (macro, one-vs-rest)",
        "Mean over the classes of the probability that a random row of the class has a higher probability of it than a "
        "random other row, ties counting half. Undefined where a class has no rows.",
        "a random {row} of a class gets a higher probability of it than a random other one in {value} of pairs, "
        "averaged over the {labels}",
        r"\frac{1}{|Y|}\sum_{c \in Y} A(c \mid \mathrm{rest})",
        "sklearn.metrics.roc_auc_score(multi_class='ovr', average='macro')",
        variant="macro:ovr",
        recompute=OfRows(reference.one_vs_rest_auroc, rows.class_rows),
        peer=scikit_learn.AUROC_OVR,
        statistic=_auroc(one_vs_one=False),
        undefined="class_missing",
        needs=("classes", "probability"),
        conventions=("auroc_ties",),
        chance="0.5",
    ),
    _entry(
        "auroc",
        "AUROC (macro, one-vs-one)",
        "Mean over the ordered pairs of classes of the probability that a random row of the first has a higher "
        "probability of it than a random row of the second, ties counting half: the M of Hand & Till, which does not "
        "depend on how frequent the classes are. Undefined where a class has no rows.",
        "of two {rows} of different classes, the one of a class gets a higher probability of it in {value} of pairs, "
        "averaged over the pairs of {labels}",
        r"\frac{1}{|Y|(|Y| - 1)}\sum_{c \neq d} A(c \mid d)",
        "sklearn.metrics.roc_auc_score(multi_class='ovo', average='macro'); Hand & Till 2001",
        variant="macro:ovo",
        recompute=OfRows(reference.one_vs_one_auroc, rows.class_rows),
        peer=scikit_learn.AUROC_OVO,
        statistic=_auroc(one_vs_one=True),
        undefined="class_missing",
        needs=("classes", "probability"),
        conventions=("auroc_ties",),
        chance="0.5",
    ),
    _entry(
        "log_loss",
        "Log loss (all classes)",
        "Mean negative natural logarithm of the probability given to the true class.",
        "the mean negative log-likelihood of the true class is {value} nats",
        r"-\frac{1}{n}\sum_i \ln p_{i,y_i}",
        "sklearn.metrics.log_loss; Good 1952",
        variant="vector",
        recompute=OfRows(reference.log_loss, rows.class_rows),
        peer=scikit_learn.CLASS_LOG_LOSS,
        statistic=Sums(_surprise, Mean.value, unit="row"),
        needs=("classes", "probability", "distribution"),
        conventions=("log_loss_clip",),
        range=(0.0, None),
        direction="lower",
        unit="nats",
        paired=True,
    ),
    _entry(
        "brier",
        "Brier score (all classes, 0 to 2)",
        "Mean over rows of the squared differences between probability and outcome, summed over the classes: Brier's "
        "own definition, from 0 to 2. For two classes it is twice the Brier score of one of them.",
        "the squared error of the probabilities, summed over the {labels}, is {value} on average, of at most 2",
        r"\frac{1}{n}\sum_i \sum_{c \in Y} (p_{ic} - [\,y_i = c\,])^2",
        "Brier 1950; sklearn.metrics.brier_score_loss(scale_by_half=False)",
        variant="vector",
        recompute=OfRows(reference.brier, rows.class_rows),
        peer=scikit_learn.CLASS_BRIER,
        statistic=Sums(_squared_error, Mean.value, unit="row"),
        needs=("classes", "probability", "distribution"),
        conventions=(),
        range=(0.0, 2.0),
        direction="lower",
        unit="",
        paired=True,
    ),
)
