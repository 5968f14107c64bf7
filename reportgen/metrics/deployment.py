"""Deployment: the whole pipeline as one decision. A query is called positive if at least one candidate is returned.

Where every query that passes the gate gets at least one candidate this is the gate's own decision; the two part where
a selection is empty, and an observation of the evaluation counts how often.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

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


def _share(of: str, among: str) -> dict[str, Any]:
    """One cell over the sum of two, named by their letters: ``_share("fp", "fp tn")``."""

    def proportion(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
        first, second = (totals[f"{cell}:{VARIANT}"] for cell in among.split())
        return totals[f"{of}:{VARIANT}"], first + second

    def finish(totals: Totals, metric_id: MetricId) -> FloatArray:
        return ratio(*proportion(totals, metric_id))

    return {"finish": finish, "proportion": proportion}


def _f1(totals: Totals, metric_id: MetricId) -> FloatArray:
    return f1_of(*confusion(totals, VARIANT)[:3])


_entry = partial(
    Metric,
    family="deployment",
    variant=VARIANT,
    statistic=Sums(_rows),
    undefined="no_queries",
    conventions=("gate", "zero_division"),
    needs=("selection",),
    on_request=True,
)


def _count(name: str, title: str, truth: str, returned: str, negated: str) -> Metric:
    return _entry(
        name,
        f"{title} (deployment)",
        f"Number of {truth} queries for which {returned} returned.",
        f"for {{value}} {truth} {{queries}} {returned.replace('candidate', '{candidate}')} returned",
        rf"|\{{q: y_q = {int(truth == 'positive')},\ K_q {negated} 1\}}|",
        "sklearn.metrics.confusion_matrix on K >= 1",
        finish=_cell,
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
        "sklearn.metrics.precision_score on K >= 1",
        undefined="no_predicted_positives",
        chance="prevalence",
        **_share("tp", "tp fp"),
    ),
    _entry(
        "recall",
        "Recall (deployment)",
        "Share of the positive queries for which something is returned (sensitivity).",
        "something is returned for {value} of the positive {queries}",
        r"\mathrm{TP} / (\mathrm{TP} + \mathrm{FN})",
        "sklearn.metrics.recall_score on K >= 1",
        undefined="no_positives",
        **_share("tp", "tp fn"),
    ),
    _entry(
        "f1",
        "F1 (deployment)",
        "Harmonic mean of the deployment's precision and recall.",
        "the harmonic mean of precision and recall of returning anything is {value}",
        r"2\,\mathrm{TP} / (2\,\mathrm{TP} + \mathrm{FP} + \mathrm{FN})",
        "sklearn.metrics.f1_score on K >= 1",
        finish=_f1,
        undefined="nothing_predicted_nothing_true",
    ),
    _entry(
        "fpr",
        "FPR (deployment)",
        "Share of the negative queries for which something is returned: false alarms.",
        "something is returned for {value} of the negative {queries}",
        r"\mathrm{FP} / (\mathrm{FP} + \mathrm{TN})",
        "1 - specificity on K >= 1",
        undefined="no_negatives",
        direction="lower",
        **_share("fp", "fp tn"),
    ),
    _entry(
        "fnr",
        "FNR (deployment)",
        "Share of the positive queries for which nothing is returned: misses.",
        "nothing is returned for {value} of the positive {queries}",
        r"\mathrm{FN} / (\mathrm{FN} + \mathrm{TP})",
        "1 - sensitivity on K >= 1",
        undefined="no_positives",
        direction="lower",
        **_share("fn", "fn tp"),
    ),
)
