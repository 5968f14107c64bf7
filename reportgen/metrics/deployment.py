"""Deployment: the whole pipeline as one decision. A query is called positive if at least one candidate is returned.

Where every query that passes the gate gets at least one candidate this is the gate's own decision; the two part where
a selection is empty, and an observation of the evaluation counts how often.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.gate import confusion, confusion_rows, f1_of
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio

VARIANT = "deployment"


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    return confusion_rows((frame["returned_k"] >= 1).astype(np.float64), frame, VARIANT)


def _cell(totals: Totals, metric_id: MetricId) -> FloatArray:
    return totals[f"{metric_id.name}:{VARIANT}"]


def _share(of: str, among: str) -> dict[str, object]:
    """One cell over the sum of two, named by their letters: ``_share("fp", "fp tn")``."""

    def proportion(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
        first, second = (totals[f"{cell}:{VARIANT}"] for cell in among.split())
        return totals[f"{of}:{VARIANT}"], first + second

    def finish(totals: Totals, metric_id: MetricId) -> FloatArray:
        return ratio(*proportion(totals, metric_id))

    return {"finish": finish, "proportion": proportion}


def _f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    return f1_of(*confusion(totals, VARIANT)[:3])


def _entry(name: str, title: str, definition: str, interpretation: str, formula: str, **facts: object) -> Metric:
    shared: dict[str, object] = {
        "statistic": Sums(_rows),
        "undefined": "no_queries",
        "conventions": ("gate", "zero_division"),
        "needs": ("selection",),
        "on_request": True,
    }
    return Metric(
        name=name,
        variant=VARIANT,
        family="deployment",
        title=title,
        definition=definition,
        interpretation=interpretation,
        formula=formula,
        **{**shared, **facts},  # type: ignore[arg-type] # one place for what all entries share
    )


def _count(name: str, title: str, truth: str, returned: str, negated: str) -> Metric:
    return _entry(
        name,
        f"{title} (deployment)",
        f"Number of {truth} queries for which {returned} returned.",
        f"for {{value}} {truth} {{queries}} {returned.replace('candidate', '{candidate}')} returned",
        rf"|\{{q: y_q = {int(truth == 'positive')},\ K_q {negated} 1\}}|",
        finish=_cell,
        reference="sklearn.metrics.confusion_matrix on K >= 1",
        conventions=("gate",),
        range=(0.0, None),
        direction="none",
        unit="queries",
        decimals=0,
        aggregations=("pooled",),
    )


METRICS = (
    _count("tp", "TP", "positive", "at least one candidate is", r"\geq"),
    _count("fp", "FP", "negative", "at least one candidate is", r"\geq"),
    _count("fn", "FN", "positive", "no candidate is", "<"),
    _count("tn", "TN", "negative", "no candidate is", "<"),
    _entry(
        "precision",
        "Precision (deployment)",
        "Share of the queries for which something is returned that are positive.",
        "{value} of the {queries} for which something is returned are positive",
        r"\mathrm{TP} / (\mathrm{TP} + \mathrm{FP})",
        **_share("tp", "tp fp"),
        undefined="no_predicted_positives",
        reference="sklearn.metrics.precision_score on K >= 1",
        chance="prevalence",
    ),
    _entry(
        "recall",
        "Recall (deployment)",
        "Share of the positive queries for which something is returned (sensitivity).",
        "something is returned for {value} of the positive {queries}",
        r"\mathrm{TP} / (\mathrm{TP} + \mathrm{FN})",
        **_share("tp", "tp fn"),
        undefined="no_positives",
        reference="sklearn.metrics.recall_score on K >= 1",
    ),
    _entry(
        "f1",
        "F1 (deployment)",
        "Harmonic mean of the deployment's precision and recall.",
        "the harmonic mean of precision and recall of returning anything is {value}",
        r"2\,\mathrm{TP} / (2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN})",
        finish=_f1,
        undefined="nothing_predicted_nothing_true",
        reference="sklearn.metrics.f1_score on K >= 1",
    ),
    _entry(
        "fpr",
        "FPR (deployment)",
        "Share of the negative queries for which something is returned: false alarms.",
        "something is returned for {value} of the negative {queries}",
        r"\mathrm{FP} / (\mathrm{FP} + \mathrm{TN})",
        **_share("fp", "fp tn"),
        undefined="no_negatives",
        reference="1 - specificity on K >= 1",
        direction="lower",
    ),
    _entry(
        "fnr",
        "FNR (deployment)",
        "Share of the positive queries for which nothing is returned: misses.",
        "nothing is returned for {value} of the positive {queries}",
        r"\mathrm{FN} / (\mathrm{FN} + \mathrm{TP})",
        **_share("fn", "fn tp"),
        undefined="no_positives",
        reference="1 - sensitivity on K >= 1",
        direction="lower",
    ),
)
