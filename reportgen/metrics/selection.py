"""Selection: how much of the evidence is in the set that the system returns, and how much of the set is evidence."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Metric, QueryValues, or_supplied
from reportgen.metrics.statistics import Sample, Sums, share
from reportgen.metrics.totals import Mean, Ratio, ratio
from reportgen.reference import rows
from reportgen.reference import selection as reference
from reportgen.reference.rows import OfRows, over_returned

PerRow = Callable[[Frame, Contract], FloatArray]
"""Frame and contract to (n,) values, NaN where a query is left out."""


def recall(frame: Frame, contract: Contract) -> FloatArray:
    """Return the share of each query's relevant candidates that is returned; without any, by the contract's policy."""
    return _by_policy(ratio(frame["returned_hits"], frame["n_relevant"]), frame, contract.text("empty_gold_selection"))


def precision(frame: Frame, contract: Contract) -> FloatArray:
    """Return the share of each query's returned candidates that is relevant; an empty set by the contract's policy."""
    return _by_policy(ratio(frame["returned_hits"], frame["returned_k"]), frame, contract.text("empty_selection"))


def _by_policy(values: FloatArray, frame: Frame, policy: str) -> FloatArray:
    if policy in ("undefined", "exclude"):
        return values
    credit = (frame["n_relevant"] == 0) & (frame["returned_k"] == 0) & (policy == "credit_if_empty")
    return np.where(np.isnan(values), credit.astype(np.float64), values)


def passed(frame: Frame) -> BoolArray:
    """Return (n,) which queries pass; all do where nothing decides."""
    return frame["passed"] == 1 if "passed" in frame.columns else np.ones(len(frame), dtype=bool)


def _macro(value: PerRow) -> Sums[Mean]:
    """Return the statistic of the mean of a value over queries."""
    return Sums(or_supplied(lambda sample: Mean.of(value(sample.frame, sample.contract))), Mean.value)


def _macro_of_passed(value: PerRow) -> Sums[Mean]:
    """Return the statistic of the mean of a value over the queries that pass."""

    def rows(sample: Sample) -> Mean:
        return Mean.of(np.where(passed(sample.frame), value(sample.frame, sample.contract), np.nan))

    return Sums(rows, Mean.value)


def _pooled(column: str, *, of_passed: bool = False) -> Sums[Ratio]:
    """Return the statistic of the returned relevant candidates over those in a column, summed over queries."""

    def rows(sample: Sample) -> Ratio:
        inside = passed(sample.frame).astype(np.float64) if of_passed else 1.0
        return Ratio(sample["returned_hits"] * inside, sample[column] * inside)

    return share(rows, lambda totals: totals, counted=(lambda sample: passed(sample.frame)) if of_passed else None)


def _of_queries(value: PerRow) -> QueryValues:
    """Return what gives the value of each query; None where the decider is refused."""

    def values(frames: SystemFrames, metric_id: MetricId, contract: Contract) -> FloatArray | None:
        return value(frames.query, contract) if "returned_k" in frames.query.columns else None

    return values


_SHARED = ("deployment_decider", "ties", "unjudged")
_entry = partial(
    Metric,
    family="selection",
    conventions=_SHARED,
    undefined="no_relevant",
    needs=("ranking", "selection"),
)

METRICS = (
    _entry(
        "evidence_recall",
        "Evidence recall",
        "Share of a query's relevant candidates that the system returns, averaged over positive queries; a query that "
        "does not pass returns nothing and counts as 0.",
        "on average {value} of a positive {query}'s relevant {candidates} are returned",
        r"\frac{1}{|Q^{+}|}\sum_{q \in Q^{+}} \frac{|S_q \cap G_q|}{|G_q|}",
        "mean over queries of set recall",
        conventions=(*_SHARED, "empty_gold_selection"),
        recompute=over_returned(reference.evidence_recall),
        statistic=_macro(recall),
        query_values=_of_queries(recall),
        per_query=True,
        paired=True,
        supplied_as=("evidence_recall", "evidence_recall_at_k"),
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
        recompute=OfRows(reference.pooled_evidence_recall, rows.all_returned),
        statistic=_pooled("n_relevant"),
    ),
    _entry(
        "evidence_recall",
        "Evidence recall (queries that pass)",
        "Evidence recall averaged over those positive queries that pass: what selection loses, without what the "
        "decider loses. The number of queries that do not pass is given as left out.",
        "on average {value} of the relevant {candidates} of a positive {query} that passes are returned",
        r"\frac{1}{|Q^{+}_{\mathrm{pass}}|}\sum_{q \in Q^{+}_{\mathrm{pass}}} \frac{|S_q \cap G_q|}{|G_q|}",
        "mean of set recall over queries that pass",
        conventions=(*_SHARED, "empty_gold_selection"),
        variant="conditional",
        recompute=over_returned(reference.evidence_recall, rows.passed),
        statistic=_macro_of_passed(recall),
        undefined="no_predicted_positives",
        per_label=False,
    ),
    _entry(
        "evidence_recall",
        "Evidence recall (pooled, queries that pass)",
        "Share of all relevant candidates of those positive queries that pass that the system returns.",
        "{value} of all relevant {candidates} of {queries} that pass are returned",
        r"\frac{\sum_{q: \mathrm{pass}} |S_q \cap G_q|}{\sum_{q: \mathrm{pass}} |G_q|}",
        "ratio of sums of set recall over queries that pass",
        variant="conditional:pooled",
        recompute=OfRows(reference.pooled_evidence_recall, rows.all_passed),
        statistic=_pooled("n_relevant", of_passed=True),
        undefined="no_predicted_positives",
        per_label=False,
        on_request=True,
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
        recompute=over_returned(reference.evidence_precision),
        statistic=_macro(precision),
        query_values=_of_queries(precision),
        per_query=True,
        supplied_as=("evidence_precision", "evidence_precision_at_k"),
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
        recompute=OfRows(reference.pooled_evidence_precision, rows.all_returned),
        statistic=_pooled("returned_k"),
        undefined="no_selection",
        on_request=True,
    ),
    _entry(
        "evidence_precision",
        "Evidence precision (queries that pass)",
        "Evidence precision averaged over those positive queries that pass.",
        "on average {value} of what is returned for a positive {query} that passes is relevant",
        r"\frac{1}{|Q^{+}_{\mathrm{pass}}|}\sum_{q \in Q^{+}_{\mathrm{pass}}} \frac{|S_q \cap G_q|}{|S_q|}",
        "mean of set precision over queries that pass",
        conventions=(*_SHARED, "empty_selection"),
        variant="conditional",
        recompute=over_returned(reference.evidence_precision, rows.passed),
        statistic=_macro_of_passed(precision),
        undefined="no_selection",
        per_label=False,
        on_request=True,
    ),
)
