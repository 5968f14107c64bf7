"""Triage: what the three states mean for the people who read its alerts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reportgen.domain.run import STATES
from reportgen.metrics.deciders import confusion, states
from reportgen.metrics.registry import Metric
from reportgen.metrics.states import CONVENTIONS
from reportgen.metrics.statistics import Sums, share
from reportgen.metrics.totals import Confusion, Ratio
from reportgen.peers import RowsPeer, scikit_learn
from reportgen.reference import classification as reference
from reportgen.reference.rows import OfRows, in_states

_entry = partial(Metric, family="triage", undefined="no_queries", needs=("states",), conventions=CONVENTIONS)


def _rate(of: Callable[[Confusion], Ratio], *positive: str, per: int = 1) -> Sums[Ratio]:
    """Return the statistic of a rate of the decision that calls the queries in some states positive."""
    contributions = confusion(states(*positive))
    return share(lambda sample: of(contributions(sample)), lambda totals: totals, per)


_NOT_NEG = tuple(state for state in STATES if state != "NEG")
_DROPPED = _rate(Confusion.false_negative_rate, *_NOT_NEG)


def _share_of_state(state: str, meaning: str) -> Metric:
    return _entry(
        "state_rate",
        f"{state} rate",
        f"Share of the queries in state {state}: {meaning}.",
        f"a share of {{value}} of the {{queries}} is in state {state}",
        rf"|\{{q: \mathrm{{{state}}}\}}| / |Q|",
        f"mean of state = {state}",
        recompute=OfRows(reference.predicted_positive, in_states(state)),
        statistic=_rate(Confusion.predicted_positive, state),
        variant=state.lower(),
        on_request=True,
        direction="none",
    )


METRICS = (
    _entry(
        "alert_precision",
        "Alert precision",
        "Share of the queries in state POS that are positive.",
        "{value} of the alerts (state POS) are positive {queries}",
        r"\frac{|\{q: \mathrm{POS},\ y_q = 1\}|}{|\{q: \mathrm{POS}\}|}",
        "sklearn.metrics.precision_score on state = POS",
        recompute=OfRows(reference.precision, in_states("POS")),
        peer=RowsPeer(scikit_learn.PRECISION, in_states("POS")),
        statistic=_rate(Confusion.precision, "POS"),
        undefined="no_alerts",
        chance="prevalence",
        conventions=("zero_division", *CONVENTIONS),
    ),
    _entry(
        "screening_sensitivity",
        "Screening sensitivity",
        "Share of the positive queries that screening keeps, that is, that are not in state NEG.",
        "screening keeps {value} of the positive {queries} (state not NEG)",
        r"\frac{|\{q: y_q = 1,\ \mathrm{not\ NEG}\}|}{|\{q: y_q = 1\}|}",
        "sklearn.metrics.recall_score on state != NEG",
        recompute=OfRows(reference.sensitivity, in_states("UNCERTAIN", "POS")),
        peer=RowsPeer(scikit_learn.RECALL, in_states("UNCERTAIN", "POS")),
        statistic=share(_DROPPED.rows, Ratio.complement),
        undefined="no_positives",
    ),
    _entry(
        "alert_rate",
        "Alert rate",
        "Queries in state POS per 1,000 queries.",
        "{value} of 1,000 {queries} raise an alert (state POS)",
        r"1000 \cdot |\{q: \mathrm{POS}\}| / |Q|",
        "mean of state = POS, times 1000",
        recompute=OfRows(partial(reference.predicted_positive, per=1000), in_states("POS")),
        statistic=_rate(Confusion.predicted_positive, "POS", per=1000),
        range=(0.0, 1000.0),
        direction="none",
        unit="per 1,000 queries",
        decimals=1,
    ),
    _entry(
        "alert_recall",
        "Alert recall",
        "Share of the positive queries that are in state POS.",
        "{value} of the positive {queries} raise an alert (state POS)",
        r"\frac{|\{q: \mathrm{POS},\ y_q = 1\}|}{|\{q: y_q = 1\}|}",
        "sklearn.metrics.recall_score on state = POS",
        recompute=OfRows(reference.sensitivity, in_states("POS")),
        peer=RowsPeer(scikit_learn.RECALL, in_states("POS")),
        statistic=_rate(Confusion.sensitivity, "POS"),
        undefined="no_positives",
    ),
    _entry(
        "screening_fn",
        "Screened-out positives",
        "Positive queries in state NEG per 1,000 queries of any kind; the miss rate divides by positive queries.",
        "{value} of 1,000 {queries} are positive and screened out (state NEG)",
        r"1000 \cdot |\{q: y_q = 1,\ \mathrm{NEG}\}| / |Q|",
        "mean of y = 1 and state = NEG, times 1000",
        recompute=OfRows(partial(reference.missed, per=1000), in_states("UNCERTAIN", "POS")),
        statistic=_rate(Confusion.missed, *_NOT_NEG, per=1000),
        range=(0.0, 1000.0),
        direction="lower",
        unit="per 1,000 queries",
        decimals=2,
    ),
    _entry(
        "miss_rate",
        "Screening miss rate",
        "Share of the positive queries that screening drops (state NEG): one minus its sensitivity.",
        "screening drops {value} of the positive {queries} (state NEG)",
        r"\frac{|\{q: y_q = 1,\ \mathrm{NEG}\}|}{|\{q: y_q = 1\}|}",
        "1 - sklearn.metrics.recall_score on state != NEG",
        recompute=OfRows(reference.false_negative_rate, in_states("UNCERTAIN", "POS")),
        peer=RowsPeer(scikit_learn.FALSE_NEGATIVE_RATE, in_states("UNCERTAIN", "POS")),
        statistic=_DROPPED,
        undefined="no_positives",
        direction="lower",
        on_request=True,
    ),
    _share_of_state("NEG", "screened out"),
    _share_of_state("UNCERTAIN", "kept, without an alert"),
    _share_of_state("POS", "alerts"),
)
