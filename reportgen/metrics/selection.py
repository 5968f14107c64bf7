"""Selection: how much of the evidence is in the set that the system returns, and how much of the set is evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.means import mean_rows, or_supplied
from reportgen.metrics.ranking import mean
from reportgen.metrics.registry import Metric
from reportgen.metrics.statistics import Sums, Totals, ratio

PerRow = Callable[[Frame, Contract], FloatArray]
"""Frame and contract to (n,) values, NaN where a query is left out."""


def recall(frame: Frame, contract: Contract) -> FloatArray:
    """Share of each query's relevant candidates that is returned; without any, by the contract's policy."""
    return _by_policy(ratio(frame["returned_hits"], frame["n_gold"]), frame, contract.text("empty_gold_selection"))


def precision(frame: Frame, contract: Contract) -> FloatArray:
    """Share of each query's returned candidates that is relevant; of an empty set, by the contract's policy."""
    return _by_policy(ratio(frame["returned_hits"], frame["returned_k"]), frame, contract.text("empty_selection"))


def _by_policy(values: FloatArray, frame: Frame, policy: str) -> FloatArray:
    if policy in ("undefined", "exclude"):
        return values
    credit = (frame["n_gold"] == 0) & (frame["returned_k"] == 0) & (policy == "credit_if_empty")
    return np.where(np.isnan(values), credit.astype(np.float64), values)


def passed(frame: Frame) -> BoolArray:
    """(n,) whether each query passes the gate; every query does where nothing decides."""
    return frame["gate"] == 1 if "gate" in frame.columns else np.ones(len(frame), dtype=bool)


def _macro_rows(value: PerRow, conditional: bool) -> Sums:
    def rows(frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract) -> Mapping[str, FloatArray]:
        values = value(frame, contract)
        return mean_rows(np.where(passed(frame), values, np.nan) if conditional else values, metric_id)

    return Sums(rows if conditional else or_supplied(rows))


def _pooled_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    return {
        "evidence:hits": frame["returned_hits"],
        "evidence:gold": frame["n_gold"],
        "evidence:k": frame["returned_k"],
    }


def _conditional_rows(
    frames: SystemFrames, frame: Frame, metric_id: MetricId, contract: Contract
) -> Mapping[str, FloatArray]:
    inside = passed(frame).astype(np.float64)
    return {
        "evidence:hits|passed": frame["returned_hits"] * inside,
        "evidence:gold|passed": frame["n_gold"] * inside,
    }


def _share(of: str, among: str) -> dict[str, Any]:
    """A ratio of two totals whose units, candidates, are its trials."""

    def proportion(totals: Totals, metric_id: MetricId) -> tuple[FloatArray, FloatArray]:
        return totals[of], totals[among]

    def finish(totals: Totals, metric_id: MetricId) -> FloatArray:
        return ratio(*proportion(totals, metric_id))

    return {"finish": finish, "proportion": proportion}


_SHARED = ("gate", "ties", "unjudged")
_entry = partial(
    Metric,
    family="selection",
    conventions=_SHARED,
    finish=mean,
    undefined="no_relevant",
    needs=("ranking", "selection"),
)

METRICS = (
    _entry(
        "evidence_recall",
        "Evidence recall",
        "Share of a query's relevant candidates that the system returns, averaged over positive queries; a query that "
        "the gate blocks returns nothing and counts as 0.",
        "on average {value} of a positive {query}'s relevant {candidates} are returned",
        r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} \frac{|S_q \cap G_q|}{|G_q|}",
        "mean over queries of set recall",
        conventions=(*_SHARED, "empty_gold_selection"),
        statistic=_macro_rows(recall, False),
    ),
    _entry(
        "evidence_recall",
        "Evidence recall (pooled)",
        "Share of all relevant candidates of the positive queries that the system returns.",
        "{value} of all relevant {candidates} are returned",
        r"\frac{\sum_q |S_q \cap G_q|}{\sum_q |G_q|}",
        "ratio of sums of set recall",
        undefined="no_gold",
        variant="pooled",
        statistic=Sums(_pooled_rows),
        **_share("evidence:hits", "evidence:gold"),
    ),
    _entry(
        "evidence_recall",
        "Evidence recall (gate passed)",
        "Evidence recall averaged over those positive queries that pass the gate: what selection loses, without what "
        "the gate loses. The number of blocked queries is given as left out.",
        "on average {value} of the relevant {candidates} of a positive {query} that passes the gate are returned",
        r"\frac{1}{|Q^{+}_{\mathrm{pass}}|}\sum_{q \in Q^{+}_{\mathrm{pass}}} \frac{|S_q \cap G_q|}{|G_q|}",
        "mean of set recall over queries that pass",
        conventions=(*_SHARED, "empty_gold_selection"),
        variant="conditional",
        statistic=_macro_rows(recall, True),
        undefined="no_predicted_positives",
        per_label=False,
    ),
    _entry(
        "evidence_recall",
        "Evidence recall (pooled, gate passed)",
        "Share of all relevant candidates of those positive queries that pass the gate that the system returns.",
        "{value} of all relevant {candidates} of {queries} that pass the gate are returned",
        r"\frac{\sum_{q: \mathrm{pass}} |S_q \cap G_q|}{\sum_{q: \mathrm{pass}} |G_q|}",
        "ratio of sums of set recall over queries that pass",
        variant="conditional:pooled",
        statistic=Sums(_conditional_rows),
        undefined="no_predicted_positives",
        per_label=False,
        on_request=True,
        **_share("evidence:hits|passed", "evidence:gold|passed"),
    ),
    _entry(
        "evidence_precision",
        "Evidence precision",
        "Share of a query's returned candidates that is relevant, averaged over positive queries; a query for which "
        "nothing is returned counts by the contract's policy.",
        "on average {value} of what is returned for a positive {query} is relevant",
        r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} \frac{|S_q \cap G_q|}{|S_q|}",
        "mean over queries of set precision",
        conventions=(*_SHARED, "empty_selection"),
        statistic=_macro_rows(precision, False),
        undefined="no_selection",
    ),
    _entry(
        "evidence_precision",
        "Evidence precision (pooled)",
        "Share of all candidates returned for the positive queries that is relevant.",
        "{value} of all {candidates} returned for positive {queries} are relevant",
        r"\frac{\sum_q |S_q \cap G_q|}{\sum_q |S_q|}",
        "ratio of sums of set precision",
        variant="pooled",
        statistic=Sums(_pooled_rows),
        undefined="no_selection",
        on_request=True,
        **_share("evidence:hits", "evidence:k"),
    ),
    _entry(
        "evidence_precision",
        "Evidence precision (gate passed)",
        "Evidence precision averaged over those positive queries that pass the gate.",
        "on average {value} of what is returned for a positive {query} that passes the gate is relevant",
        r"\frac{1}{|Q^{+}_{\mathrm{pass}}|}\sum_{q \in Q^{+}_{\mathrm{pass}}} \frac{|S_q \cap G_q|}{|S_q|}",
        "mean of set precision over queries that pass",
        conventions=(*_SHARED, "empty_selection"),
        variant="conditional",
        statistic=_macro_rows(precision, True),
        undefined="no_selection",
        per_label=False,
        on_request=True,
    ),
)
