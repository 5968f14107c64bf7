"""Multi-label metrics: a cluster's labels are decided together; the prediction of a label is the gate's decision.

The averages of F1 differ in what they average: every decision alike (micro), labels (macro, weighted by label), or
clusters (samples, weighted by cluster). Godbole & Sarawagi 2004; Tsoumakas, Katakis & Vlahavas 2010.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.gate import confusion, confusion_rows, f1_of
from reportgen.metrics.means import mean_rows
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, mean_of_parts, ratio


def _label_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    rows: dict[str, FloatArray] = {}
    for label in range(frame.n_labels):
        inside = (frame.label == label).astype(np.float64)
        contributions = confusion_rows(frame["gate"], frame, f"gate|{label}")
        rows |= {name: values * inside for name, values in contributions.items()}
    if contract.text("zero_division") == "zero":
        rows[_ZERO] = np.zeros(len(frame))
    return rows


_ZERO = "zero_division:zero"
"""A column that says by its presence: an undefined F1 of a label counts as 0."""


def _labels(totals: Totals) -> list[str]:
    return [name.removeprefix("tp:") for name in totals if name.startswith("tp:gate|")]


def _macro_f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    return mean_of_parts([_f1_of_label(totals, label) for label in _labels(totals)])


def _f1_of_label(totals: Totals, label: str) -> FloatArray:
    tp, fp, fn, tn = confusion(totals, label)
    value = f1_of(tp, fp, fn)
    return np.where(np.isnan(value) & (tn > 0), 0.0, value) if _ZERO in totals else value


def _weighted_f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    parts = [confusion(totals, label) for label in _labels(totals)]
    return _weighted_mean([f1_of(tp, fp, fn) for tp, fp, fn, _ in parts], [tp + fn for tp, _, fn, _ in parts])


def _weighted_mean(values: Sequence[FloatArray], weights: Sequence[FloatArray]) -> FloatArray:
    """Mean of the parts by weight; a part without weight has no say, defined or not. NaN without any weight."""
    total, over = np.zeros(np.shape(values[0])), np.zeros(np.shape(values[0]))
    for value, weight in zip(values, weights, strict=True):
        total += np.where(weight > 0, value, 0.0) * weight
        over += weight
    return ratio(total, over)


def _micro_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    return confusion_rows(frame["gate"], frame, "gate")


def _micro_f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    return f1_of(*confusion(totals, "gate")[:3])


def _cluster_rows(values: FloatArray, name: str) -> dict[str, FloatArray]:
    """Row contributions of a mean over clusters; named apart from those of queries, whose number is recorded."""
    return mean_rows(values, f"{name}|clusters")


def _of_clusters(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    total = next(name for name in totals if name.endswith("|clusters:sum"))
    return totals[total], totals[f"{total.removesuffix(':sum')}:n"]


def _cluster_mean(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_of_clusters(totals, metric_id))


def _exact_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    return _cluster_rows(frame["exact"], metric_id.name)


def _right_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    right = frame["right"] / frame["decisions"]
    return _cluster_rows(right if metric_id.name == "hamming_accuracy" else 1.0 - right, metric_id.name)


def _sample_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    """F1 of each cluster; where nothing is predicted and nothing true: left out, 0 or 1, by variant."""
    values = f1_of(frame["tp"], frame["fp"], frame["fn"])
    instead = {"samples": np.nan, "samples:zero": 0.0, "samples:one": 1.0}[metric_id.variant]
    return _cluster_rows(np.where(np.isnan(values), instead, values), metric_id.variant)


def _cluster_weighted_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> dict[str, FloatArray]:
    positives = frame["tp"] + frame["fn"]
    values = f1_of(frame["tp"], frame["fp"], frame["fn"])
    return {"weighted:sum": np.where(positives > 0, values, 0.0) * positives, "weighted:n": positives}


def _cluster_weighted(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals["weighted:sum"], totals["weighted:n"])


_entry = partial(
    Metric,
    family="multilabel",
    finish=_cluster_mean,
    undefined="no_queries",
    conventions=("gate",),
    needs=("decision", "labels"),
    per_label=False,
)
_CLUSTER_F1 = r"\frac{1}{|C|}\sum_{c \in C} F_1(c)"

METRICS = (
    _entry(
        "f1",
        "F1 (macro over labels)",
        "Unweighted mean over labels of the F1 of the gate's decision; a label for which nothing is predicted and "
        "nothing true is left out.",
        "the F1 of the gate's decision, averaged over {labels}, is {value}",
        r"\frac{1}{|L|}\sum_{l \in L} F_1(l)",
        "sklearn.metrics.f1_score(average='macro')",
        variant="macro:label",
        statistic=Sums(_label_rows),
        finish=_macro_f1,
        undefined="all_parts_undefined",
        conventions=("gate", "zero_division"),
    ),
    _entry(
        "exact_match",
        "Exact match",
        "Share of clusters for which the decisions on all labels equal the truth (subset accuracy).",
        "for {value} of the {clusters} the decisions on all {labels} are right",
        r"\frac{1}{|C|}\sum_{c \in C} [\,\hat{y}_c = y_c\,]",
        "sklearn.metrics.accuracy_score on label indicators",
        statistic=Sums(_exact_rows, unit="cluster"),
        proportion=_of_clusters,
    ),
    _entry(
        "f1",
        "F1 (micro)",
        "F1 of the gate's decision over all clusters and labels together.",
        "the F1 of the gate's decision over all {labels} together is {value}",
        r"F_1 = 2\,\mathrm{TP} / (2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN})",
        "sklearn.metrics.f1_score(average='micro')",
        variant="micro",
        statistic=Sums(_micro_rows),
        finish=_micro_f1,
        conventions=("gate", "zero_division"),
        undefined="nothing_predicted_nothing_true",
    ),
    _entry(
        "f1",
        "F1 (labels by support)",
        "Mean over labels of the F1 of the gate's decision, each label weighted by its number of positive queries.",
        "the F1 of the gate's decision, averaged over {labels} by their positive {queries}, is {value}",
        r"\sum_{l} P_l\, F_1(l) / \sum_{l} P_l",
        "sklearn.metrics.f1_score(average='weighted')",
        variant="weighted:label",
        statistic=Sums(_label_rows),
        finish=_weighted_f1,
        undefined="no_positives",
        conventions=("gate",),
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
        statistic=Sums(_sample_rows, unit="cluster"),
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
            statistic=Sums(_sample_rows, unit="cluster"),
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
        statistic=Sums(_cluster_weighted_rows, unit="cluster"),
        finish=_cluster_weighted,
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
        statistic=Sums(_right_rows, unit="cluster"),
    ),
    _entry(
        "hamming_loss",
        "Hamming loss",
        "Share of a cluster's labels that are decided wrongly, averaged over clusters.",
        "taken for each of the {clusters} and averaged, {value} of the decisions are wrong",
        r"\frac{1}{|C|}\sum_{c \in C} \frac{1}{|L_c|}\sum_{l \in L_c} [\,\hat{y}_{cl} \neq y_{cl}\,]",
        "sklearn.metrics.hamming_loss",
        statistic=Sums(_right_rows, unit="cluster"),
        direction="lower",
        on_request=True,
    ),
)
