"""Selection: how much of the evidence is in the set that the system returns (selected K behind the gate)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio


def _rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
    hits, gold = frame["returned_hits"], frame["n_gold"]
    recall = ratio(hits, gold)
    defined = ~np.isnan(recall)
    return {
        "evidence:hits": hits,
        "evidence:gold": gold,
        "evidence:recall": np.where(defined, recall, 0.0),
        "evidence:n": defined.astype(np.float64),
    }


def _macro(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals["evidence:recall"], totals["evidence:n"])


def _pooled(totals: Totals, metric_id: MetricId) -> FloatArray:
    return ratio(totals["evidence:hits"], totals["evidence:gold"])


METRICS = (
    Metric(
        name="evidence_recall",
        variant="",
        family="selection",
        title="Evidence recall",
        definition="Share of a query's relevant candidates that the system returns, averaged over positive queries; "
        "a query that the gate blocks returns nothing and counts as 0.",
        interpretation="on average {value} of a positive {query}'s relevant {candidates} are returned",
        formula=r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} \frac{|S_q \cap G_q|}{|G_q|}",
        statistic=Sums(_rows),
        finish=_macro,
        undefined="no_relevant",
        reference="mean over queries of set recall",
        conventions=("gate", "ties"),
        needs=("ranking", "selection"),
    ),
    Metric(
        name="evidence_recall",
        variant="pooled",
        family="selection",
        title="Evidence recall (pooled)",
        definition="Share of all relevant candidates of the positive queries that the system returns.",
        interpretation="{value} of all relevant {candidates} are returned",
        formula=r"\frac{\sum_q |S_q \cap G_q|}{\sum_q |G_q|}",
        statistic=Sums(_rows),
        finish=_pooled,
        undefined="no_gold",
        reference="ratio of sums of set recall",
        conventions=("gate", "ties"),
        needs=("ranking", "selection"),
    ),
)
