"""The confusion family: counts and rates of a yes-or-no decision at a named threshold.

The decision is p ≥ 0.5, or p ≥ the threshold that was chosen on TUNE and recorded with the run.
"""

from __future__ import annotations

from functools import partial

from reportgen.metrics.deciders import counted, decided, rate, threshold
from reportgen.metrics.registry import Metric
from reportgen.metrics.totals import Confusion
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference.rows import Formula, OfRows, at_threshold

_entry = partial(Metric, family="confusion", needs=("scores",), parameter="threshold", conventions=("zero_division",))


def _count(name: str, words: str, interpretation: str, count: Formula) -> Metric:
    return _entry(
        name,
        f"{name.upper()} at {{threshold}}",
        f"Number of {words} at the {{threshold}}.",
        interpretation,
        rf"\mathrm{{{name.upper()}}}",
        "sklearn.metrics.confusion_matrix",
        recompute=OfRows(count, at_threshold),
        peer=RowsPeer(scikit_learn.CELLS[name], at_threshold),
        statistic=counted(threshold, name),
        undefined="no_queries",
        conventions=(),
        range=(0.0, None),
        direction="none",
        unit="queries",
        decimals=0,
        aggregations=("pooled",),
    )


METRICS = (
    _count(
        "tp",
        "positive queries called positive",
        "{value} positive {queries} are called positive",
        reference.true_positives,
    ),
    _count(
        "fp",
        "negative queries called positive",
        "{value} negative {queries} are called positive",
        reference.false_positives,
    ),
    _count(
        "fn",
        "positive queries called negative",
        "{value} positive {queries} are called negative",
        reference.false_negatives,
    ),
    _count(
        "tn",
        "negative queries called negative",
        "{value} negative {queries} are called negative",
        reference.true_negatives,
    ),
    _entry(
        "sensitivity",
        "Sensitivity at {threshold}",
        "Share of the positive queries that are called positive at the {threshold} (recall, true-positive rate).",
        "at the {threshold}, {value} of the positive {queries} are found",
        r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}",
        "sklearn.metrics.recall_score",
        recompute=OfRows(reference.sensitivity, at_threshold),
        peer=RowsPeer(scikit_learn.RECALL, at_threshold),
        statistic=rate(threshold, Confusion.sensitivity),
        undefined="no_positives",
    ),
    _entry(
        "specificity",
        "Specificity at {threshold}",
        "Share of the negative queries that are called negative at the {threshold} (true-negative rate).",
        "at the {threshold}, {value} of the negative {queries} are called negative",
        r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}",
        "sklearn.metrics.recall_score(pos_label=0)",
        recompute=OfRows(reference.specificity, at_threshold),
        peer=RowsPeer(scikit_learn.SPECIFICITY, at_threshold),
        statistic=rate(threshold, Confusion.specificity),
        undefined="no_negatives",
    ),
    _entry(
        "fpr",
        "FPR at {threshold}",
        "Share of the negative queries that are called positive at the {threshold} (false-alarm rate).",
        "at the {threshold}, {value} of the negative {queries} raise a false alarm",
        r"\frac{\mathrm{FP}}{\mathrm{TN} + \mathrm{FP}}",
        "1 - sklearn.metrics.recall_score(pos_label=0)",
        recompute=OfRows(reference.false_positive_rate, at_threshold),
        peer=RowsPeer(scikit_learn.FALSE_POSITIVE_RATE, at_threshold),
        statistic=rate(threshold, Confusion.false_positive_rate),
        undefined="no_negatives",
        direction="lower",
    ),
    _entry(
        "fnr",
        "FNR at {threshold}",
        "Share of the positive queries that are called negative at the {threshold} (miss rate).",
        "at the {threshold}, {value} of the positive {queries} are missed",
        r"\frac{\mathrm{FN}}{\mathrm{TP} + \mathrm{FN}}",
        "1 - sklearn.metrics.recall_score",
        recompute=OfRows(reference.false_negative_rate, at_threshold),
        peer=RowsPeer(scikit_learn.FALSE_NEGATIVE_RATE, at_threshold),
        statistic=rate(threshold, Confusion.false_negative_rate),
        undefined="no_positives",
        direction="lower",
        on_request=True,
    ),
    _entry(
        "selection_rate",
        "Selection rate at {threshold}",
        "Share of the queries that are called positive at the {threshold}, right or wrong.",
        "at the {threshold}, {value} of the {queries} are called positive",
        r"\frac{\mathrm{TP} + \mathrm{FP}}{n}",
        "fairlearn.metrics.selection_rate; Agarwal et al. 2018",
        recompute=OfRows(reference.predicted_positive, at_threshold),
        statistic=rate(threshold, Confusion.predicted_positive),
        undefined="no_queries",
        conventions=(),
        direction="none",
        on_request=True,
    ),
    _entry(
        "precision",
        "Precision (PPV) at {threshold}",
        "Share of the queries called positive at the {threshold} that are positive (positive predictive value).",
        "at the {threshold}, {value} of the {queries} called positive are positive",
        r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}",
        "sklearn.metrics.precision_score",
        recompute=OfRows(reference.precision, at_threshold),
        peer=RowsPeer(scikit_learn.PRECISION, at_threshold),
        statistic=rate(threshold, Confusion.precision),
        undefined="no_predicted_positives",
        chance="prevalence",
    ),
    _entry(
        "npv",
        "NPV at {threshold}",
        "Share of the queries called negative at the {threshold} that are negative (negative predictive value).",
        "at the {threshold}, {value} of the {queries} called negative are negative",
        r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FN}}",
        "sklearn.metrics.precision_score(pos_label=0)",
        recompute=OfRows(reference.negative_predictive_value, at_threshold),
        peer=RowsPeer(scikit_learn.NPV, at_threshold),
        statistic=rate(threshold, Confusion.negative_predictive_value),
        undefined="no_predicted_negatives",
    ),
    _entry(
        "balanced_accuracy",
        "Balanced accuracy at {threshold}",
        "Mean of sensitivity and specificity at the {threshold}; 0.5 for a decision without information.",
        "the mean of sensitivity and specificity at the {threshold} is {value}",
        r"\frac{1}{2}\left(\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}} + "
        r"\frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}}\right)",
        "sklearn.metrics.balanced_accuracy_score",
        recompute=OfRows(reference.balanced_accuracy, at_threshold),
        peer=RowsPeer(scikit_learn.BALANCED_ACCURACY, at_threshold),
        statistic=decided(threshold, Confusion.balanced_accuracy),
        undefined="single_class",
        chance="0.5",
    ),
    _entry(
        "accuracy",
        "Accuracy at {threshold}",
        "Share of the queries whose decision at the {threshold} is right; calling all queries negative reaches one "
        "minus the prevalence.",
        "at the {threshold}, {value} of the decisions are right",
        r"\frac{\mathrm{TP} + \mathrm{TN}}{n}",
        "sklearn.metrics.accuracy_score",
        recompute=OfRows(reference.accuracy, at_threshold),
        peer=RowsPeer(scikit_learn.ACCURACY, at_threshold),
        statistic=rate(threshold, Confusion.accuracy),
        is_accuracy=True,
        undefined="no_queries",
    ),
)
