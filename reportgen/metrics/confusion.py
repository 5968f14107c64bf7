"""The confusion family: counts and rates of a yes-or-no decision at a named threshold.

The decision is p ≥ 0.5, or p ≥ the threshold that was chosen on TUNE and recorded with the run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Direction, Reason
from reportgen.domain.run import FloatArray
from reportgen.metrics.gate import confusion, decision_rows
from reportgen.metrics.registry import Finish, Metric, Proportion
from reportgen.metrics.statistics import Sums, Totals, ratio

Formula: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], FloatArray]
"""tp, fp, fn, tn to a value; NaN where it is undefined."""
Share: TypeAlias = Callable[[FloatArray, FloatArray, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
"""tp, fp, fn, tn to hits and trials."""


def _of(formula: Formula) -> Finish:
    def finish(totals: Totals, metric_id: MetricId) -> FloatArray:
        return formula(*confusion(totals, metric_id.parameter))

    return finish


def _counted(share: Share) -> Proportion:
    def proportion(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
        return share(*confusion(totals, metric_id.parameter))

    return proportion


_entry = partial(
    Metric,
    family="confusion",
    statistic=Sums(decision_rows),
    needs=("gate",),
    parameter="threshold",
    conventions=("zero_division",),
)


def _count(name: str, words: str, interpretation: str, position: int) -> Metric:
    return _entry(
        name,
        f"{name.upper()} at {{threshold}}",
        f"Number of {words} at the {{threshold}}.",
        interpretation,
        rf"\mathrm{{{name.upper()}}}",
        "sklearn.metrics.confusion_matrix",
        finish=_of(lambda *cells: cells[position]),
        undefined="no_queries",
        conventions=(),
        range=(0.0, None),
        direction="none",
        unit="queries",
        decimals=0,
        aggregations=("pooled",),
    )


def _rate(
    name: str,
    title: str,
    definition: str,
    interpretation: str,
    formula: tuple[str, Share],
    undefined: Reason,
    reference: str,
    direction: Direction = "higher",
    chance: str = "",
) -> Metric:
    return _entry(
        name,
        f"{title} at {{threshold}}",
        definition,
        interpretation,
        formula[0],
        reference,
        finish=_of(lambda *cells: ratio(*formula[1](*cells))),
        proportion=_counted(formula[1]),
        undefined=undefined,
        direction=direction,
        chance=chance,
    )


METRICS = (
    _count("tp", "positive queries called positive", "{value} positive {queries} are called positive", 0),
    _count("fp", "negative queries called positive", "{value} negative {queries} are called positive", 1),
    _count("fn", "positive queries called negative", "{value} positive {queries} are called negative", 2),
    _count("tn", "negative queries called negative", "{value} negative {queries} are called negative", 3),
    _rate(
        "sensitivity",
        "Sensitivity",
        "Share of the positive queries that are called positive at the {threshold} (recall, true-positive rate).",
        "at the {threshold}, {value} of the positive {queries} are found",
        (r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}", lambda tp, fp, fn, tn: (tp, tp + fn)),
        "no_positives",
        "sklearn.metrics.recall_score",
    ),
    _rate(
        "specificity",
        "Specificity",
        "Share of the negative queries that are called negative at the {threshold} (true-negative rate).",
        "at the {threshold}, {value} of the negative {queries} are called negative",
        (r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}", lambda tp, fp, fn, tn: (tn, tn + fp)),
        "no_negatives",
        "sklearn.metrics.recall_score(pos_label=0)",
    ),
    _rate(
        "fpr",
        "FPR",
        "Share of the negative queries that are called positive at the {threshold} (false-alarm rate).",
        "at the {threshold}, {value} of the negative {queries} raise a false alarm",
        (r"\frac{\mathrm{FP}}{\mathrm{TN} + \mathrm{FP}}", lambda tp, fp, fn, tn: (fp, tn + fp)),
        "no_negatives",
        "1 - sklearn.metrics.recall_score(pos_label=0)",
        direction="lower",
    ),
    _rate(
        "precision",
        "Precision (PPV)",
        "Share of the queries called positive at the {threshold} that are positive (positive predictive value).",
        "at the {threshold}, {value} of the {queries} called positive are positive",
        (r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}", lambda tp, fp, fn, tn: (tp, tp + fp)),
        "no_predicted_positives",
        "sklearn.metrics.precision_score",
        chance="prevalence",
    ),
    _rate(
        "npv",
        "NPV",
        "Share of the queries called negative at the {threshold} that are negative (negative predictive value).",
        "at the {threshold}, {value} of the {queries} called negative are negative",
        (r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FN}}", lambda tp, fp, fn, tn: (tn, tn + fn)),
        "no_predicted_negatives",
        "sklearn.metrics.precision_score(pos_label=0)",
    ),
    Metric(
        name="balanced_accuracy",
        variant="",
        family="confusion",
        title="Balanced accuracy at {threshold}",
        definition="Mean of sensitivity and specificity at the {threshold}; 0.5 for a decision without information.",
        interpretation="the mean of sensitivity and specificity at the {threshold} is {value}",
        formula=r"\frac{1}{2}\left(\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}} + "
        r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}\right)",
        statistic=Sums(decision_rows),
        finish=_of(lambda tp, fp, fn, tn: (ratio(tp, tp + fn) + ratio(tn, tn + fp)) / 2),
        undefined="single_class",
        reference="sklearn.metrics.balanced_accuracy_score",
        needs=("gate",),
        parameter="threshold",
        conventions=("zero_division",),
        chance="0.5",
    ),
    _rate(
        "accuracy",
        "Accuracy",
        "Share of the queries whose decision at the {threshold} is right; calling all queries negative reaches one "
        "minus the prevalence.",
        "at the {threshold}, {value} of the decisions are right",
        (
            r"\frac{\mathrm{TP} + \mathrm{TN}}{n}",
            lambda tp, fp, fn, tn: (tp + tn, tp + fp + fn + tn),
        ),
        "no_queries",
        "sklearn.metrics.accuracy_score",
    ),
)
