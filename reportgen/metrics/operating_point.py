"""Operating points: what a threshold gives that was chosen under a false-positive-rate budget, or by a preference.

``tpr@fpr=α`` and its neighbours are what a deployment gets (threshold chosen on TUNE, applied to EVAL);
``roc_tpr@fpr=α`` reads the ROC curve of the evaluation set itself. They are different numbers and never share a
column; ``optimism@fpr=α`` is their difference. ``net_benefit@pt=p`` chooses nothing: its threshold is the preference.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics import gate
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Operating, Ordered, Sums, Totals, ratio

_ON_TUNE = "sklearn.metrics.roc_curve(drop_intermediate=False) on TUNE, "


def _found(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["tp"], totals["pos"]


def _false_alarms(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["fp"], totals["neg"]


def _tpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_found(totals, metric_id))


def _fpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_false_alarms(totals, metric_id))


def _true_alarms(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
    return totals["tp"], totals["tp"] + totals["fp"]


def _precision(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(*_true_alarms(totals, metric_id))


def _confusion(totals: Totals, metric_id: MetricId) -> Totals:
    """The counts under the names by which the gate's metrics read a decision."""
    tp, fp = totals["tp"], totals["fp"]
    counts = {"tp": tp, "fp": fp, "fn": totals["pos"] - tp, "tn": totals["neg"] - fp}
    return {f"{name}:{metric_id.parameter}": count for name, count in counts.items()}


def _f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    return gate.f1(_confusion(totals, metric_id), metric_id)


def _mcc(totals: Totals, metric_id: MetricId) -> FloatArray:
    return gate.mcc(_confusion(totals, metric_id), metric_id)


def _roc_tpr(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals[f"tpr@{metric_id.number:g}"]


def _optimism(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals["roc_tpr"] - _tpr(totals, metric_id)


def _treated_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    treated = (frame["p"] >= metric_id.number).astype(np.float64)
    return {"n": np.ones(len(frame)), **gate.confusion_rows(treated, frame, metric_id.parameter)}


def net_benefit(tp: FloatArray, fp: FloatArray, odds: float | FloatArray) -> FloatArray:
    """TP - FP · odds, in counts or in shares, with the odds of the threshold probability (Vickers & Elkin 2006)."""
    return tp - fp * odds


def odds_of(probability: float) -> float:
    """The odds p / (1 - p) of a threshold probability: what a false positive costs, in true positives."""
    return probability / (1 - probability)


def _net_benefit(totals: Totals, metric_id: MetricId) -> FloatArray:
    tp, fp, _, _ = gate.confusion(totals, metric_id.parameter)
    return ratio(net_benefit(tp, fp, odds_of(metric_id.number)), totals["n"])


_entry = partial(
    Metric,
    family="operating_point",
    statistic=Operating(),
    conventions=("threshold_rule",),
    needs=("gate", "tune"),
    parameter="fpr",
)

METRICS = (
    _entry(
        "tpr",
        "TPR@FPR≤{percent}% (TUNE→EVAL)",
        "Sensitivity on EVAL at the threshold chosen on TUNE for a false-positive rate of at most {percent} %.",
        "at a false-alarm budget of {percent} %, the threshold chosen on TUNE finds {value} of the positive {queries}",
        r"\mathrm{TPR}_{\mathrm{EVAL}}(t^{*}),\quad "
        r"t^{*} = \arg\max_{t:\ \mathrm{FPR}_{\mathrm{TUNE}}(t) \leq {alpha}} \mathrm{TPR}_{\mathrm{TUNE}}(t)",
        _ON_TUNE + "counts on EVAL",
        finish=_tpr,
        undefined="no_positives",
        proportion=_found,
    ),
    _entry(
        "fpr_achieved",
        "FPR at budget {percent}% (TUNE→EVAL)",
        "False-positive rate reached on EVAL by the threshold chosen on TUNE for at most {percent} %.",
        "the threshold chosen on TUNE for a false-alarm budget of {percent} % raises false alarms on {value} of the "
        "negative {queries}",
        r"\mathrm{FPR}_{\mathrm{EVAL}}(t^{*})",
        _ON_TUNE + "counts on EVAL",
        finish=_fpr,
        undefined="no_negatives",
        proportion=_false_alarms,
        direction="lower",
    ),
    _entry(
        "precision",
        "Precision at FPR≤{percent}% (TUNE→EVAL)",
        "Share of true positives among what is called positive on EVAL at the threshold chosen on TUNE for a "
        "false-positive rate of at most {percent} %; it depends on the prevalence.",
        "at a false-alarm budget of {percent} %, {value} of the {queries} that the threshold chosen on TUNE calls "
        "positive are positive",
        r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}\ \text{on EVAL at}\ t^{*}",
        _ON_TUNE + "sklearn.metrics.precision_score on EVAL",
        finish=_precision,
        undefined="no_predicted_positives",
        proportion=_true_alarms,
        conventions=("threshold_rule", "zero_division"),
        chance="prevalence",
    ),
    _entry(
        "f1",
        "F1 at FPR≤{percent}% (TUNE→EVAL)",
        "Harmonic mean of precision and sensitivity on EVAL at the threshold chosen on TUNE for a false-positive rate "
        "of at most {percent} %.",
        "at a false-alarm budget of {percent} %, the harmonic mean of precision and sensitivity of the threshold "
        "chosen on TUNE is {value}",
        r"\frac{2\,\mathrm{TP}}{2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN}}\ \text{on EVAL at}\ t^{*}",
        _ON_TUNE + "sklearn.metrics.f1_score on EVAL",
        finish=_f1,
        undefined="nothing_predicted_nothing_true",
        conventions=("threshold_rule", "zero_division"),
    ),
    _entry(
        "mcc",
        "MCC at FPR≤{percent}% (TUNE→EVAL)",
        "Correlation with the truth of what is called positive on EVAL at the threshold chosen on TUNE for a "
        "false-positive rate of at most {percent} %.",
        "at a false-alarm budget of {percent} %, the decision at the threshold chosen on TUNE correlates with the "
        "truth at {value} (Matthews)",
        r"\frac{\mathrm{TP}\cdot\mathrm{TN} - \mathrm{FP}\cdot\mathrm{FN}}"
        r"{\sqrt{(\mathrm{TP}+\mathrm{FP})(\mathrm{TP}+\mathrm{FN})(\mathrm{TN}+\mathrm{FP})(\mathrm{TN}+\mathrm{FN})}}"
        r"\ \text{on EVAL at}\ t^{*}",
        _ON_TUNE + "sklearn.metrics.matthews_corrcoef on EVAL",
        finish=_mcc,
        undefined="constant_margins",
        conventions=("threshold_rule", "zero_division"),
        range=(-1.0, 1.0),
        chance="0",
    ),
    _entry(
        "roc_tpr",
        "ROC-TPR@FPR={percent}% (same set)",
        "Highest sensitivity with a false-positive rate of at most {percent} % over all thresholds of the evaluation "
        "set itself: a point of its ROC curve, not an operating point.",
        "read off the ROC curve of the evaluation set itself, {value} of the positive {queries} are found at a "
        "false-positive rate of at most {percent} %",
        r"\max_{t:\ \mathrm{FPR}(t) \leq {alpha}} \mathrm{TPR}(t)",
        "sklearn.metrics.roc_curve(drop_intermediate=False)",
        statistic=Ordered(),
        finish=_roc_tpr,
        undefined="single_class",
        conventions=("roc_points",),
        needs=("gate",),
    ),
    _entry(
        "optimism",
        "Optimism of TPR at FPR≤{percent}%",
        "Sensitivity read off the ROC curve of the evaluation set itself minus the sensitivity of the threshold chosen "
        "on TUNE, for a false-positive rate of at most {percent} %: what choosing the threshold on the evaluation set "
        "would have promised too much. Negative where the threshold from TUNE overspends its budget.",
        "at a false-alarm budget of {percent} %, the sensitivity read off the evaluation set's own ROC curve minus "
        "that of the threshold chosen on TUNE is {value}",
        r"\max_{t:\ \mathrm{FPR}_{\mathrm{EVAL}}(t) \leq {alpha}} \mathrm{TPR}_{\mathrm{EVAL}}(t) "
        r"- \mathrm{TPR}_{\mathrm{EVAL}}(t^{*})",
        "difference of the two values above by sklearn.metrics.roc_curve(drop_intermediate=False)",
        statistic=Operating(same_set=True),
        conventions=("threshold_rule", "roc_points"),
        finish=_optimism,
        undefined="single_class",
        range=(-1.0, 1.0),
        direction="none",
    ),
    _entry(
        "net_benefit",
        "Net benefit at {percent}%",
        "True positives minus false positives per query, a false positive counted with the odds of the threshold "
        "probability of {percent} %, where a query is treated as positive if its probability reaches it; treating no "
        "query has net benefit 0.",
        "at a threshold probability of {percent} %, the net benefit is {value} true positives per {query}",
        r"\frac{\mathrm{TP}}{n} - \frac{\mathrm{FP}}{n} \cdot \frac{{alpha}}{1 - {alpha}}",
        "counts of p ≥ {alpha}; Vickers & Elkin 2006 (Medical Decision Making 26)",
        statistic=Sums(_treated_rows),
        finish=_net_benefit,
        undefined="no_queries",
        conventions=(),
        needs=("gate",),
        parameter="pt",
        range=(None, 1.0),
    ),
)
