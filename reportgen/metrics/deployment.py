"""Deployment: the whole pipeline as one decision. A query is called positive if at least one candidate is returned.

Where every query that passes gets at least one candidate this is the decider's own decision; the two part where a
selection is empty, and an observation of the evaluation counts how often.
"""

from __future__ import annotations

from functools import partial

from reportgen.metrics.deciders import counted, decided, deployment, rate
from reportgen.metrics.registry import Metric
from reportgen.metrics.totals import Confusion
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference.rows import Formula, OfRows, anything_returned

_entry = partial(
    Metric,
    family="deployment",
    variant="deployment",
    undefined="no_queries",
    conventions=("deployment_decider", "zero_division"),
    needs=("selection",),
    on_request=True,
)


def _count(name: str, title: str, truth: str, returned: str, negated: str, count: Formula) -> Metric:
    return _entry(
        name,
        f"{title} (deployment)",
        f"Number of {truth} queries for which {returned} returned.",
        f"for {{value}} {truth} {{queries}} {returned.replace('candidate', '{candidate}')} returned",
        rf"|\{{q: y_q = {int(truth == 'positive')},\ K_q {negated} 1\}}|",
        "sklearn.metrics.confusion_matrix on K >= 1",
        recompute=OfRows(count, anything_returned),
        peer=RowsPeer(scikit_learn.CELLS[name], anything_returned),
        statistic=counted(deployment, name),
        conventions=("deployment_decider",),
        range=(0.0, None),
        direction="none",
        unit="queries",
        decimals=0,
        aggregations=("pooled",),
    )


METRICS = (
    _count("tp", "TP", "positive", "at least one candidate is", r"\geq", reference.true_positives),
    _count("fp", "FP", "negative", "at least one candidate is", r"\geq", reference.false_positives),
    _count("fn", "FN", "positive", "no candidate is", "<", reference.false_negatives),
    _count("tn", "TN", "negative", "no candidate is", "<", reference.true_negatives),
    _entry(
        "precision",
        "Precision (deployment)",
        "Share of the queries for which something is returned that are positive.",
        "{value} of the {queries} for which something is returned are positive",
        r"\mathrm{TP} / (\mathrm{TP} + \mathrm{FP})",
        "sklearn.metrics.precision_score on K >= 1",
        recompute=OfRows(reference.precision, anything_returned),
        peer=RowsPeer(scikit_learn.PRECISION, anything_returned),
        statistic=rate(deployment, Confusion.precision),
        undefined="no_predicted_positives",
        chance="prevalence",
    ),
    _entry(
        "recall",
        "Recall (deployment)",
        "Share of the positive queries for which something is returned (sensitivity).",
        "something is returned for {value} of the positive {queries}",
        r"\mathrm{TP} / (\mathrm{TP} + \mathrm{FN})",
        "sklearn.metrics.recall_score on K >= 1",
        recompute=OfRows(reference.sensitivity, anything_returned),
        peer=RowsPeer(scikit_learn.RECALL, anything_returned),
        statistic=rate(deployment, Confusion.sensitivity),
        undefined="no_positives",
    ),
    _entry(
        "f1",
        "F1 (deployment)",
        "Harmonic mean of the deployment's precision and recall.",
        "the harmonic mean of precision and recall of returning anything is {value}",
        r"2\,\mathrm{TP} / (2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN})",
        "sklearn.metrics.f1_score on K >= 1",
        recompute=OfRows(reference.f1, anything_returned),
        peer=RowsPeer(scikit_learn.F1, anything_returned),
        statistic=decided(deployment, Confusion.f1),
        undefined="nothing_predicted_nothing_true",
    ),
    _entry(
        "fpr",
        "FPR (deployment)",
        "Share of the negative queries for which something is returned: false alarms.",
        "something is returned for {value} of the negative {queries}",
        r"\mathrm{FP} / (\mathrm{FP} + \mathrm{TN})",
        "1 - specificity on K >= 1",
        recompute=OfRows(reference.false_positive_rate, anything_returned),
        peer=RowsPeer(scikit_learn.FALSE_POSITIVE_RATE, anything_returned),
        statistic=rate(deployment, Confusion.false_positive_rate),
        undefined="no_negatives",
        direction="lower",
    ),
    _entry(
        "fnr",
        "FNR (deployment)",
        "Share of the positive queries for which nothing is returned: misses.",
        "nothing is returned for {value} of the positive {queries}",
        r"\mathrm{FN} / (\mathrm{FN} + \mathrm{TP})",
        "1 - sensitivity on K >= 1",
        recompute=OfRows(reference.false_negative_rate, anything_returned),
        peer=RowsPeer(scikit_learn.FALSE_NEGATIVE_RATE, anything_returned),
        statistic=rate(deployment, Confusion.false_negative_rate),
        undefined="no_positives",
        direction="lower",
    ),
)
