"""Multi-label metrics: a cluster's labels are decided together; the prediction of a label is the gate's decision."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.gate import confusion, confusion_rows, f1_of
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


def _macro_f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    labels = [name.removeprefix("tp:") for name in totals if name.startswith("tp:gate|")]
    return mean_of_parts([_f1_of_label(totals, label) for label in labels])


def _f1_of_label(totals: Totals, label: str) -> FloatArray:
    tp, fp, fn, tn = confusion(totals, label)
    value = f1_of(tp, fp, fn)
    return np.where(np.isnan(value) & (tn > 0), 0.0, value) if _ZERO in totals else value


def _exact_rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> dict[str, FloatArray]:
    return {"clusters": np.ones(len(frame)), "exact": frame["exact"]}


def _all_right(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["exact"], totals["clusters"]


def _exact(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_all_right(totals, metric_id))


METRICS = (
    Metric(
        name="f1",
        variant="macro:label",
        family="multilabel",
        title="F1 (macro over labels)",
        definition="Unweighted mean over labels of the F1 of the gate's decision; a label for which nothing is "
        "predicted and nothing true is left out.",
        interpretation="the F1 of the gate's decision, averaged over {labels}, is {value}",
        formula=r"\frac{1}{|L|}\sum_{l \in L} F_1(l)",
        statistic=Sums(_label_rows),
        finish=_macro_f1,
        undefined="all_parts_undefined",
        reference="sklearn.metrics.f1_score(average='macro')",
        conventions=("gate", "zero_division"),
        needs=("decision", "labels"),
        per_label=False,
    ),
    Metric(
        name="exact_match",
        variant="",
        family="multilabel",
        title="Exact match",
        definition="Share of clusters for which the decisions on all labels equal the truth (subset accuracy).",
        interpretation="for {value} of the {clusters} the decisions on all {labels} are right",
        formula=r"\frac{1}{|C|}\sum_{c \in C} [\,\hat{y}_c = y_c\,]",
        statistic=Sums(_exact_rows, unit="cluster"),
        finish=_exact,
        proportion=_all_right,
        undefined="no_queries",
        reference="sklearn.metrics.accuracy_score on label indicators",
        conventions=("gate",),
        needs=("decision", "labels"),
        per_label=False,
    ),
)
