"""Operating points: what a threshold gives that was chosen under a false-positive-rate budget, or by a preference.

``tpr@fpr=α`` and its neighbours are what a deployment gets (threshold chosen on TUNE, applied to EVAL);
``roc_tpr@fpr=α`` reads the ROC curve of the evaluation set itself, and ``roc_threshold@fpr=α`` says at which threshold.
They are different numbers and never share a column; ``optimism@fpr=α`` is their difference. ``net_benefit@pt=p``
chooses nothing: its threshold is the preference.
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
from reportgen.metrics.deciders import confusion, preference
from reportgen.metrics.frames import Frame
from reportgen.metrics.registry import Metric
from reportgen.metrics.scores import largest_count, without_collinear
from reportgen.metrics.statistics import FitToRows, Operating, RocPoint, Sample, Sums
from reportgen.metrics.totals import Confusion, Ratio, ratio
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference import rows
from reportgen.reference.rows import Formula, OfRows

_ON_TUNE = "sklearn.metrics.roc_curve(drop_intermediate=False) on TUNE, "


def net_benefit(tp: FloatArray, fp: FloatArray, odds: float | FloatArray) -> FloatArray:
    """Return TP - FP · odds, in counts or shares, with the odds of the threshold probability (Vickers & Elkin 2006)."""
    return tp - fp * odds


def odds_of(probability: float) -> float:
    """Return p / (1 - p) of a threshold probability: what a false positive costs, in true positives."""
    return probability / (1 - probability)


@dataclass(frozen=True, slots=True)
class _Treated:
    """Who is treated at a threshold probability, and the odds of that probability."""

    n: FloatArray
    treated: Confusion
    odds: float

    @classmethod
    def of(cls, sample: Sample) -> _Treated:
        return cls(np.ones(len(sample)), confusion(preference)(sample), odds_of(sample.id.number))

    def net_benefit(self) -> FloatArray:
        return ratio(net_benefit(self.treated.tp, self.treated.fp, self.odds), self.n)


def _sensitivity(confusion: Confusion) -> FloatArray:
    return confusion.sensitivity().value()


def _rate(of: Callable[[Confusion], Ratio]) -> Operating:
    return Operating(lambda confusion: of(confusion).value(), of)


def _same_set_threshold(frame: Frame, contract: Contract, metric_id: MetricId) -> float:
    """Return the threshold of the highest TPR within the budget; of several the one of the lowest FPR, and the highest.

    NaN where no positive is found within it, or a class is missing.
    """
    values, n, positives = (column[::-1] for column in frame.by_forecast)
    hits, alarms = np.cumsum(positives), np.cumsum(n - positives)
    if contract.text("roc_points") != "all":
        kept = without_collinear(np.array([hits, alarms]))
        values, hits, alarms = values[kept], hits[kept], alarms[kept]
    allowed = largest_count(np.array(float(alarms[-1])), metric_id.number)
    within = int(np.searchsorted(alarms, allowed, side="right"))
    if not within or not hits[within - 1] or not alarms[-1]:
        return math.nan
    return float(values[np.searchsorted(hits, hits[within - 1])])


def _no_influence(frame: Frame, contract: Contract, threshold: float) -> FloatArray:
    """Return a threshold jumps from one probability to another."""
    return np.full(len(frame), np.nan)


_entry = partial(
    Metric,
    family="operating_point",
    conventions=("threshold_rule",),
    needs=("order", "tune"),
    parameter="fpr",
)


def _count(name: str, words: str, interpretation: str, count: Formula) -> Metric:
    return _entry(
        name,
        f"{name.upper()} at FPR≤{{percent}}% (TUNE→EVAL)",
        f"Number of {words} on EVAL at the threshold chosen on TUNE for a false-positive rate of at most "
        "{percent} %.",
        f"at a false-alarm budget of {{percent}} %, the threshold chosen on TUNE calls {interpretation}",
        rf"\mathrm{{{name.upper()}}}\ \text{{on EVAL at}}\ t^{{*}}",
        _ON_TUNE + "sklearn.metrics.confusion_matrix on EVAL",
        recompute=OfRows(count, rows.at_budget),
        peer=RowsPeer(scikit_learn.CELLS[name], rows.at_budget),
        statistic=Operating(lambda confusion: getattr(confusion, name)),
        undefined="no_queries",
        range=(0.0, None),
        direction="none",
        unit="queries",
        decimals=0,
        aggregations=("pooled",),
        per_label=False,
        on_request=True,
    )


METRICS = (
    _count("tp", "positive queries called positive", "{value} positive {queries} positive", reference.true_positives),
    _count("fp", "negative queries called positive", "{value} negative {queries} positive", reference.false_positives),
    _count("fn", "positive queries called negative", "{value} positive {queries} negative", reference.false_negatives),
    _count("tn", "negative queries called negative", "{value} negative {queries} negative", reference.true_negatives),
    _entry(
        "tpr",
        "TPR@FPR≤{percent}% (TUNE→EVAL)",
        "Sensitivity on EVAL at the threshold chosen on TUNE for a false-positive rate of at most {percent} %.",
        "at a false-alarm budget of {percent} %, the threshold chosen on TUNE finds {value} of the positive {queries}",
        r"\mathrm{TPR}_{\mathrm{EVAL}}(t^{*}),\quad "
        r"t^{*} = \arg\max_{t:\ \mathrm{FPR}_{\mathrm{TUNE}}(t) \leq {alpha}} \mathrm{TPR}_{\mathrm{TUNE}}(t)",
        _ON_TUNE + "counts on EVAL",
        recompute=OfRows(reference.sensitivity, rows.at_budget),
        peer=RowsPeer(scikit_learn.RECALL, rows.at_budget),
        statistic=_rate(Confusion.sensitivity),
        undefined="no_positives",
    ),
    _entry(
        "fpr_achieved",
        "FPR at budget {percent}% (TUNE→EVAL)",
        "False-positive rate reached on EVAL by the threshold chosen on TUNE for at most {percent} %.",
        "the threshold chosen on TUNE for a false-alarm budget of {percent} % raises false alarms on {value} of the "
        "negative {queries}",
        r"\mathrm{FPR}_{\mathrm{EVAL}}(t^{*})",
        _ON_TUNE + "counts on EVAL",
        recompute=OfRows(reference.false_positive_rate, rows.at_budget),
        peer=RowsPeer(scikit_learn.FALSE_POSITIVE_RATE, rows.at_budget),
        statistic=_rate(Confusion.false_positive_rate),
        undefined="no_negatives",
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
        recompute=OfRows(reference.precision, rows.at_budget),
        peer=RowsPeer(scikit_learn.PRECISION, rows.at_budget),
        statistic=_rate(Confusion.precision),
        undefined="no_predicted_positives",
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
        recompute=OfRows(reference.f1, rows.at_budget),
        peer=RowsPeer(scikit_learn.F1, rows.at_budget),
        statistic=Operating(Confusion.f1),
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
        recompute=OfRows(reference.mcc, rows.at_budget),
        peer=RowsPeer(scikit_learn.MCC, rows.at_budget),
        statistic=Operating(Confusion.mcc),
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
        recompute=OfRows(reference.roc_tpr, rows.pairs),
        peer=scikit_learn.ROC_TPR,
        statistic=RocPoint(),
        undefined="single_class",
        conventions=("roc_points",),
        needs=("order",),
    ),
    _entry(
        "roc_threshold",
        "Threshold of ROC-TPR@FPR={percent}% (same set)",
        "The threshold on the probability at which the evaluation set itself has its highest sensitivity with a "
        "false-positive rate of at most {percent} %: of several the one of the lowest false-positive rate, then the "
        "highest. It was chosen on the data that it is judged on.",
        "read off the ROC curve of the evaluation set itself, the highest sensitivity at a false-positive rate of at "
        "most {percent} % is reached at a probability of {value}",
        r"\arg\max_{t:\ \mathrm{FPR}(t) \leq {alpha}} \mathrm{TPR}(t)",
        "sklearn.metrics.roc_curve(drop_intermediate=False)",
        recompute=OfRows(reference.roc_threshold, rows.pairs),
        peer=scikit_learn.ROC_THRESHOLD,
        statistic=FitToRows(_same_set_threshold, _no_influence),
        undefined="no_threshold_within_budget",
        conventions=("roc_points",),
        needs=("order",),
        direction="none",
        unit="",
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
        recompute=OfRows(reference.optimism, rows.pairs_and_budget),
        statistic=Operating(_sensitivity, below_roc=True),
        conventions=("threshold_rule", "roc_points"),
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
        recompute=OfRows(reference.net_benefit, rows.pairs),
        statistic=Sums(_Treated.of, _Treated.net_benefit),
        undefined="no_queries",
        conventions=(),
        needs=("probability",),
        parameter="pt",
        range=(None, 1.0),
    ),
)
