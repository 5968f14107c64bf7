"""Operating points: sensitivity under a false-positive-rate budget.

``tpr@fpr=α`` is what a deployment gets (threshold chosen on TUNE, applied to EVAL); ``roc_tpr@fpr=α`` reads the ROC
curve of the evaluation set itself. They are different numbers and never share a column.
"""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Operating, Ordered, Totals, ratio


def _found(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["tp"], totals["pos"]


def _false_alarms(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["fp"], totals["neg"]


def _tpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_found(totals, metric_id))


def _fpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_false_alarms(totals, metric_id))


def _roc_tpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals[f"tpr@{metric_id.number:g}"]


METRICS = (
    Metric(
        name="tpr",
        variant="",
        family="operating_point",
        title="TPR@FPR≤{percent}% (TUNE→EVAL)",
        definition="Sensitivity on EVAL at the threshold chosen on TUNE for a false-positive rate of at most "
        "{percent} %.",
        interpretation="at a false-alarm budget of {percent} %, the threshold chosen on TUNE finds {value} of the "
        "positive {queries}",
        formula=r"\mathrm{TPR}_{\mathrm{EVAL}}(t^{*}),\quad "
        r"t^{*} = \arg\max_{t:\ \mathrm{FPR}_{\mathrm{TUNE}}(t) \leq {alpha}} \mathrm{TPR}_{\mathrm{TUNE}}(t)",
        statistic=Operating(),
        finish=_tpr,
        undefined="no_positives",
        proportion=_found,
        reference="sklearn.metrics.roc_curve(drop_intermediate=False) on TUNE, counts on EVAL",
        conventions=("threshold_rule",),
        needs=("gate", "tune"),
        parameter="fpr",
    ),
    Metric(
        name="fpr_achieved",
        variant="",
        family="operating_point",
        title="FPR at budget {percent}% (TUNE→EVAL)",
        definition="False-positive rate reached on EVAL by the threshold chosen on TUNE for at most {percent} %.",
        interpretation="the threshold chosen on TUNE for a false-alarm budget of {percent} % raises false alarms on "
        "{value} of the negative {queries}",
        formula=r"\mathrm{FPR}_{\mathrm{EVAL}}(t^{*})",
        statistic=Operating(),
        finish=_fpr,
        undefined="no_negatives",
        proportion=_false_alarms,
        reference="sklearn.metrics.roc_curve(drop_intermediate=False) on TUNE, counts on EVAL",
        conventions=("threshold_rule",),
        needs=("gate", "tune"),
        parameter="fpr",
        direction="lower",
    ),
    Metric(
        name="roc_tpr",
        variant="",
        family="operating_point",
        title="ROC-TPR@FPR={percent}% (same set)",
        definition="Highest sensitivity with a false-positive rate of at most {percent} % over all thresholds of the "
        "evaluation set itself: a point of its ROC curve, not an operating point.",
        interpretation="read off the ROC curve of the evaluation set itself, {value} of the positive {queries} are "
        "found at a false-positive rate of at most {percent} %",
        formula=r"\max_{t:\ \mathrm{FPR}(t) \leq {alpha}} \mathrm{TPR}(t)",
        statistic=Ordered(),
        finish=_roc_tpr,
        undefined="single_class",
        reference="sklearn.metrics.roc_curve(drop_intermediate=False)",
        conventions=("roc_points",),
        needs=("gate",),
        parameter="fpr",
    ),
)
