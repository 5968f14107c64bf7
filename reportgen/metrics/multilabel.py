"""Multi-label metrics: a cluster's labels are decided together; the contract's decider predicts each of them.

The averages of F1 differ in what they average: every decision alike (micro), labels (macro, weighted by label), or
clusters (samples, weighted by cluster). Godbole & Sarawagi 2004; Tsoumakas, Katakis & Vlahavas 2010.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.metrics.deciders import decided, multilabel
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sample, Sums, share
from reportgen.metrics.totals import Confusion, Mean, Ratio, mapped, mean_of_parts, ratio
from reportgen.peers import scikit_learn
from reportgen.reference import rows
from reportgen.reference import selection as reference
from reportgen.reference.classification import f1
from reportgen.reference.rows import OfRows


@dataclass(frozen=True, slots=True)
class _Labels:
    """The confusion of the decisions on each label."""

    labels: tuple[Confusion, ...]
    zero: bool
    """True where an undefined F1 of a label counts as 0."""

    @classmethod
    def of(cls, sample: Sample) -> _Labels:
        everything = Confusion.of(multilabel(sample), sample["y"])

        def of_label(label: int) -> Confusion:
            inside = (sample.frame.label == label).astype(np.float64)
            return mapped(everything, lambda column: column * inside)

        zero = sample.contract.text("zero_division") == "zero"
        return cls(tuple(map(of_label, range(sample.frame.n_labels))), zero)

    def macro_f1(self) -> FloatArray:
        """Return the unweighted mean of the labels' F1."""
        return mean_of_parts([self._f1(label) for label in self.labels])

    def _f1(self, label: Confusion) -> FloatArray:
        value = label.f1()
        return np.where(np.isnan(value) & (label.tn > 0), 0.0, value) if self.zero else value

    def weighted_f1(self) -> FloatArray:
        """Return the mean of the labels' F1 by their positives; a label without any has no say. NaN without all."""
        total, over = np.zeros(self.labels[0].tp.shape), np.zeros(self.labels[0].tp.shape)
        for label in self.labels:
            weight = label.positives
            total += np.where(weight > 0, label.f1(), 0.0) * weight
            over += weight
        return ratio(total, over)


def _cluster(sample: Sample) -> Confusion:
    """Return the confusion of each cluster's decisions."""
    return Confusion(*(sample[cell] for cell in ("tp", "fp", "fn", "tn")))


def _mean_of_clusters(value: Callable[[Confusion], FloatArray]) -> Sums[Mean]:
    """Return the statistic of the mean over clusters of a value of each."""
    return Sums(lambda sample: Mean.of(value(_cluster(sample))), Mean.value, unit="cluster")


def _exact(sample: Sample) -> Mean:
    decisions = _cluster(sample).accuracy()
    return Mean.of((decisions.numerator == decisions.denominator).astype(np.float64))


def _right(cluster: Confusion) -> FloatArray:
    return cluster.accuracy().value()


def _wrong(cluster: Confusion) -> FloatArray:
    return 1.0 - _right(cluster)


def _f1_or(fallback: float) -> Callable[[Confusion], FloatArray]:
    """Return F1 with a value for clusters where nothing is predicted and nothing true; NaN leaves them out."""

    def value(cluster: Confusion) -> FloatArray:
        found = cluster.f1()
        return np.where(np.isnan(found), fallback, found)

    return value


def _weighted(sample: Sample) -> Ratio:
    cluster = _cluster(sample)
    weight = cluster.positives
    return Ratio(np.where(weight > 0, cluster.f1(), 0.0) * weight, weight)


_entry = partial(
    Metric,
    family="multilabel",
    undefined="no_queries",
    conventions=("multilabel_decider",),
    needs=("decision", "labels"),
    per_label=False,
)
_CLUSTER_F1 = r"\frac{1}{|C|}\sum_{c \in C} F_1(c)"

METRICS = (
    _entry(
        "f1",
        "F1 (macro over labels)",
        "Unweighted mean over labels of the F1 of the decisions; a label for which nothing is predicted and "
        "nothing true is left out.",
        "the F1 of the decisions, averaged over {labels}, is {value}",
        r"\frac{1}{|L|}\sum_{l \in L} F_1(l)",
        "sklearn.metrics.f1_score(average='macro')",
        variant="macro:label",
        recompute=OfRows(reference.macro_f1, rows.each_label),
        peer=scikit_learn.MACRO_F1,
        statistic=Sums(_Labels.of, _Labels.macro_f1),
        undefined="all_parts_undefined",
        conventions=("multilabel_decider", "zero_division"),
    ),
    _entry(
        "exact_match",
        "Exact match",
        "Share of clusters for which the decisions on all labels equal the truth (subset accuracy).",
        "for {value} of the {clusters} the decisions on all {labels} are right",
        r"\frac{1}{|C|}\sum_{c \in C} [\,\hat{y}_c = y_c\,]",
        "sklearn.metrics.accuracy_score on label indicators",
        recompute=OfRows(reference.exact_match, rows.each_cluster),
        peer=scikit_learn.EXACT_MATCH,
        statistic=share(_exact, Mean.hits, unit="cluster"),
    ),
    _entry(
        "f1",
        "F1 (micro)",
        "F1 of the decisions over all clusters and labels together.",
        "the F1 of the decisions over all {labels} together is {value}",
        r"F_1 = 2\,\mathrm{TP} / (2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN})",
        "sklearn.metrics.f1_score(average='micro')",
        variant="micro",
        recompute=OfRows(f1, rows.at_decision),
        peer=scikit_learn.f1_of_labels("micro"),
        statistic=decided(multilabel, Confusion.f1),
        conventions=("multilabel_decider", "zero_division"),
        undefined="nothing_predicted_nothing_true",
    ),
    _entry(
        "f1",
        "F1 (labels by support)",
        "Mean over labels of the F1 of the decisions, each label weighted by its number of positive queries.",
        "the F1 of the decisions, averaged over {labels} by their positive {queries}, is {value}",
        r"\sum_{l} P_l\, F_1(l) / \sum_{l} P_l",
        "sklearn.metrics.f1_score(average='weighted')",
        variant="weighted:label",
        recompute=OfRows(reference.weighted_f1, rows.each_label),
        peer=scikit_learn.WEIGHTED_F1,
        statistic=Sums(_Labels.of, _Labels.weighted_f1),
        undefined="no_positives",
        conventions=("multilabel_decider",),
        on_request=True,
    ),
    _entry(
        "f1",
        "F1 (samples)",
        "Mean over clusters of the F1 of the cluster's decisions (example-based F1); a cluster for which nothing is "
        "predicted and nothing true is left out.",
        "the F1 of the decisions, taken for each of the {clusters} and averaged, is {value}",
        _CLUSTER_F1,
        "sklearn.metrics.f1_score(average='samples', zero_division=nan); Godbole & Sarawagi 2004",
        variant="samples",
        recompute=OfRows(reference.samples_f1, rows.each_cluster),
        peer=scikit_learn.f1_of_labels("samples"),
        statistic=_mean_of_clusters(Confusion.f1),
        undefined="nothing_predicted_nothing_true",
    ),
    *(
        _entry(
            "f1",
            f"F1 (samples, undefined = {value})",
            "Mean over clusters of the F1 of the cluster's decisions; a cluster for which nothing is predicted and "
            f"nothing true counts as {value}.",
            f"the F1 of the decisions, taken for each of the {{clusters}} and averaged, undefined ones as {value}, "
            "is {value}",
            _CLUSTER_F1,
            f"sklearn.metrics.f1_score(average='samples', zero_division={value})",
            variant=f"samples:{word}",
            recompute=OfRows(partial(reference.samples_f1, undefined=Fraction(value)), rows.each_cluster),
            peer=scikit_learn.f1_of_labels("samples", value),
            statistic=_mean_of_clusters(_f1_or(float(value))),
            on_request=True,
        )
        for word, value in (("zero", 0), ("one", 1))
    ),
    _entry(
        "f1",
        "F1 (clusters by positive labels)",
        "Mean over clusters of the F1 of the cluster's decisions, each cluster weighted by its number of positive "
        "labels. Not what scikit-learn calls weighted.",
        "the F1 of the decisions, taken for each of the {clusters} and weighted by their positive {labels}, is {value}",
        r"\sum_{c} P_c\, F_1(c) / \sum_{c} P_c",
        "numpy.average of sample F1, weights = positive labels",
        variant="weighted:cluster",
        recompute=OfRows(reference.weighted_f1, rows.each_cluster),
        statistic=Sums(_weighted, Ratio.value, unit="cluster"),
        undefined="no_positives",
        on_request=True,
    ),
    _entry(
        "hamming_accuracy",
        "Hamming accuracy",
        "Share of a cluster's labels that are decided rightly, averaged over clusters: one minus the Hamming loss. It "
        "is not subset accuracy, which is the exact match.",
        "taken for each of the {clusters} and averaged, {value} of the decisions are right",
        r"\frac{1}{|C|}\sum_{c \in C} \frac{1}{|L_c|}\sum_{l \in L_c} [\,\hat{y}_{cl} = y_{cl}\,]",
        "1 - sklearn.metrics.hamming_loss",
        recompute=OfRows(reference.hamming_accuracy, rows.each_cluster),
        peer=scikit_learn.HAMMING_ACCURACY,
        statistic=_mean_of_clusters(_right),
    ),
    _entry(
        "hamming_loss",
        "Hamming loss",
        "Share of a cluster's labels that are decided wrongly, averaged over clusters.",
        "taken for each of the {clusters} and averaged, {value} of the decisions are wrong",
        r"\frac{1}{|C|}\sum_{c \in C} \frac{1}{|L_c|}\sum_{l \in L_c} [\,\hat{y}_{cl} \neq y_{cl}\,]",
        "sklearn.metrics.hamming_loss",
        recompute=OfRows(reference.hamming_loss, rows.each_cluster),
        peer=scikit_learn.HAMMING_LOSS,
        statistic=_mean_of_clusters(_wrong),
        direction="lower",
        on_request=True,
    ),
)
