"""Classification metrics: does the probability tell positive queries from negative ones?"""

from __future__ import annotations

from functools import partial

import numpy as np

from reportgen.metrics import deciders, scores
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Area, Sample, share
from reportgen.metrics.totals import Confusion, Ratio
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference import rows
from reportgen.reference.rows import OfRows


def positives(sample: Sample) -> Ratio:
    """Return the contributions of positive rows, of all."""
    return Ratio(sample["y"], np.ones(len(sample)))


_entry = partial(Metric, family="classification")

METRICS = (
    _entry(
        "auroc",
        "AUROC",
        "Probability that a random positive query has a higher score than a random negative one, ties counting half.",
        "a random positive {query} gets a higher probability than a random negative one in {value} of pairs",
        r"\mathrm{AUROC} = P(s^{+} > s^{-}) + \tfrac{1}{2} P(s^{+} = s^{-})",
        "sklearn.metrics.roc_auc_score; Hanley & McNeil 1982",
        recompute=OfRows(reference.auroc, rows.pairs),
        peer=scikit_learn.AUROC,
        statistic=Area(scores.auroc, RankedRows.auroc, over_pairs=True),
        undefined="single_class",
        needs=("order",),
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
        recompute=OfRows(reference.average_precision, rows.pairs),
        peer=scikit_learn.AVERAGE_PRECISION,
        statistic=Area(scores.average_precision, RankedRows.average_precision, scores.exact_average_precision),
        undefined="no_positives",
        needs=("order",),
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
        recompute=OfRows(reference.trapezoid, rows.pairs),
        peer=scikit_learn.TRAPEZOID,
        statistic=Area(scores.trapezoid, RankedRows.trapezoid, scores.exact_trapezoid),
        undefined="no_positives",
        needs=("order",),
        chance="prevalence",
        conventions=("auprc_edge",),
    ),
    _entry(
        "prevalence",
        "Prevalence",
        "Share of positive queries: the AUPRC of a system without information.",
        "a share of {value} of the {queries} is positive",
        r"\pi = P / n",
        "mean of y_true",
        recompute=OfRows(reference.prevalence, rows.truths),
        statistic=share(positives, lambda totals: totals),
        undefined="no_queries",
        needs=("truth",),
        direction="none",
        aggregations=("pooled",),
    ),
    _entry(
        "f1",
        "F1 at {threshold}",
        "Harmonic mean of precision and sensitivity at the {threshold}.",
        "the harmonic mean of precision and sensitivity at the {threshold} is {value}",
        r"F_1 = \frac{2\,\mathrm{TP}}{2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN}}",
        "sklearn.metrics.f1_score",
        recompute=OfRows(reference.f1, rows.at_threshold),
        peer=RowsPeer(scikit_learn.F1, rows.at_threshold),
        statistic=deciders.decided(deciders.threshold, Confusion.f1),
        undefined="nothing_predicted_nothing_true",
        needs=("scores",),
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
        recompute=OfRows(reference.mcc, rows.at_threshold),
        peer=RowsPeer(scikit_learn.MCC, rows.at_threshold),
        statistic=deciders.decided(deciders.threshold, Confusion.mcc),
        undefined="constant_margins",
        needs=("scores",),
        parameter="threshold",
        range=(-1.0, 1.0),
        chance="0",
        conventions=("zero_division",),
    ),
)
