"""Gate metrics: does the probability tell positive queries from negative ones?"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Ordered, Sums, Totals, ratio


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return {"n": np.ones(len(frame)), "y": frame["y"]}


def _positives(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["y"], totals["n"]


def prevalence(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Share of positive queries."""
    return ratio(*_positives(totals, metric_id))


def confusion_rows(prediction: FloatArray, frame: Frame, name: str) -> dict[str, FloatArray]:
    """Row contributions tp, fp, fn, tn of a 0/1 prediction, named by what decided."""
    y = frame["y"]
    return {
        f"tp:{name}": prediction * y,
        f"fp:{name}": prediction * (1 - y),
        f"fn:{name}": (1 - prediction) * y,
        f"tn:{name}": (1 - prediction) * (1 - y),
    }


def decision_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    """Row contributions tp, fp, fn, tn of the decision that the id's parameter names."""
    threshold = metric_id.parameter
    prediction = frame["pred@tune"] if threshold == "tune" else (frame["p"] >= float(threshold)).astype(np.float64)
    return confusion_rows(prediction, frame, threshold)


def confusion(totals: Totals, name: str) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """The totals tp, fp, fn, tn of what ``name`` decided."""
    return totals[f"tp:{name}"], totals[f"fp:{name}"], totals[f"fn:{name}"], totals[f"tn:{name}"]


def f1_of(tp: FloatArray, fp: FloatArray, fn: FloatArray) -> FloatArray:
    """2 TP / (2 TP + FP + FN); NaN only where nothing is predicted and nothing true."""
    return ratio(2 * tp, 2 * tp + fp + fn)


def f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    """F1 of the decision in the id's parameter."""
    tp, fp, fn, _ = confusion(totals, metric_id.parameter)
    return f1_of(tp, fp, fn)


def mcc(totals: Totals, metric_id: MetricId) -> FloatArray:
    """Matthews correlation; 0 by limit if one margin is constant, NaN if both are (scikit-learn issue 28509)."""
    tp, fp, fn, tn = confusion(totals, metric_id.parameter)
    predicted = (tp + fp) * (tn + fn)
    true = (tp + fn) * (tn + fp)
    # Two roots, since the product of four counts overflows what float64 holds exactly.
    value = ratio(tp * tn - fp * fn, np.sqrt(predicted) * np.sqrt(true))
    return np.where((predicted == 0) != (true == 0), 0.0, value)


def _auroc(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals["auroc"]


def _auprc(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals["auprc"]


def _trapezoid(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals["auprc[trapezoid]"]


_entry = partial(Metric, family="gate")

METRICS = (
    _entry(
        "auroc",
        "AUROC",
        "Probability that a random positive query has a higher score than a random negative one, ties counting half.",
        "a random positive {query} gets a higher probability than a random negative one in {value} of pairs",
        r"\mathrm{AUROC} = P(s^{+} > s^{-}) + \tfrac{1}{2} P(s^{+} = s^{-})",
        "sklearn.metrics.roc_auc_score; Hanley & McNeil 1982",
        statistic=Ordered(),
        finish=_auroc,
        undefined="single_class",
        needs=("gate",),
        chance="0.5",
        conventions=("auroc_ties", "single_class"),
    ),
    _entry(
        "auprc",
        "AUPRC (AP)",
        "Average precision: the step-wise area under the precision-recall curve; a system without information reaches "
        "the prevalence.",
        "the area under the precision-recall curve is {value}",
        r"\mathrm{AP} = \sum_n (R_n - R_{n-1})\, P_n",
        "sklearn.metrics.average_precision_score; Davis & Goadrich 2006",
        statistic=Ordered(),
        finish=_auprc,
        undefined="no_positives",
        needs=("gate",),
        chance="prevalence",
        conventions=("auprc", "auprc_edge"),
    ),
    _entry(
        "auprc",
        "AUPRC (trapezoid)",
        "Area under the precision-recall curve by the trapezoidal rule: straight lines between its points, which no "
        "threshold reaches; another number than average precision.",
        "the area under the precision-recall curve, with straight lines between its points, is {value}",
        r"\sum_n (R_n - R_{n-1}) \frac{P_n + P_{n-1}}{2}",
        "sklearn.metrics.auc on precision_recall_curve; Davis & Goadrich 2006",
        variant="trapezoid",
        statistic=Ordered(),
        finish=_trapezoid,
        undefined="no_positives",
        needs=("gate",),
        chance="prevalence",
        conventions=("auprc_edge",),
    ),
    _entry(
        "prevalence",
        "Prevalence",
        "Share of positive queries: the AUPRC of a system without information.",
        "a share of {value} of the {queries} is positive",
        r"\pi = P / n",
        "mean of the labels",
        statistic=Sums(_rows),
        finish=prevalence,
        proportion=_positives,
        undefined="no_queries",
        direction="none",
    ),
    _entry(
        "f1",
        "F1 at {threshold}",
        "Harmonic mean of precision and sensitivity at the {threshold}.",
        "the harmonic mean of precision and sensitivity at the {threshold} is {value}",
        r"F_1 = \frac{2\,\mathrm{TP}}{2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN}}",
        "sklearn.metrics.f1_score",
        statistic=Sums(decision_rows),
        finish=f1,
        undefined="nothing_predicted_nothing_true",
        needs=("gate",),
        parameter="threshold",
        conventions=("zero_division",),
    ),
    _entry(
        "mcc",
        "MCC at {threshold}",
        "Correlation of the decision at the {threshold} with the truth.",
        "the decision at the {threshold} correlates with the truth at {value} (Matthews)",
        r"\mathrm{MCC} = \frac{\mathrm{TP}\cdot\mathrm{TN} - \mathrm{FP}\cdot\mathrm{FN}}"
        r"{\sqrt{(\mathrm{TP}+\mathrm{FP})(\mathrm{TP}+\mathrm{FN})(\mathrm{TN}+\mathrm{FP})(\mathrm{TN}+\mathrm{FN})}}",
        "sklearn.metrics.matthews_corrcoef; Matthews 1975",
        statistic=Sums(decision_rows),
        finish=mcc,
        undefined="constant_margins",
        needs=("gate",),
        parameter="threshold",
        range=(-1.0, 1.0),
        chance="0",
        conventions=("zero_division",),
    ),
)
