"""The hand-built results with what only some tables read: list lengths, a sweep, a confusion matrix, two intervals.

Everything is synthetic. Of 500 queries 200 have a list of 4 candidates and 300 one of 12; of the 100 positive ones
40 and 60. The sweep has nine thresholds. The confusion matrix is the same for all systems: 70 true and 40 false
positives, 30 false and 360 true negatives. Single queries have an SD of 0.3 and quartiles 0.25, 0.75 and 1.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from reportgen.domain.record import (
    Display,
    Distribution,
    Estimate,
    Interval,
    MetricRecord,
    Reading,
    Results,
    Spread,
    ThresholdSweep,
    result_id,
)
from reportgen.numbers import interval
from tests.support.results import make_results

THRESHOLDS = tuple(at / 10 for at in range(1, 10))
MATRIX = {"tp": 70, "fp": 40, "fn": 30, "tn": 360}
RATIOS = {"sensitivity": 0.7, "specificity": 0.9, "precision": 0.636, "fpr": 0.1}
_SIZES = {"all_queries": (200, 300), "positives_only": (40, 60)}


def make_full_results(n_systems: int = 2, n_labels: int = 3, n_folds: int = 5, hostile: bool = False) -> Results:
    """:func:`tests.support.results.make_results` with more in it; five folds of 100 queries."""
    results = make_results(n_systems, n_labels, n_folds, hostile)
    settings = (
        *results.interval_settings,
        msgspec.structs.replace(results.interval_settings[1], threshold="resampled"),
    )
    records = tuple(_over_queries(_with_both_intervals(record, len(settings) - 1)) for record in results.results)
    measures = [*MATRIX, *RATIOS]
    return msgspec.structs.replace(
        results,
        interval_settings=settings,
        results=(*records, *(_confusion(results, s.id, name) for name in measures for s in results.systems)),
        metrics=(*results.metrics, *(_metric(results, at, name) for at, name in enumerate(measures))),
        distributions=(*results.distributions, *(d for s in results.systems for d in _lengths(s.id))),
        sweeps=tuple(_sweep(system.id) for system in results.systems),
        readings=tuple(_readings(results)),
    )


def _readings(results: Results) -> Iterator[Reading]:
    """Of nDCG@10: one contract agrees, and under another the first system is 0.05 ahead of the others."""
    own = [results.headline("ndcg@10", system.id, "positives_only") for system in results.systems]
    values = tuple(record.value for record in own if record is not None)
    subset = results.subset_by_id["positives_only"]
    like = Reading(
        metric="ndcg@10", read_as="ndcg@10", name="nDCG@10", contracts=("Agreeing",), subset="positives_only",
        n_queries=subset.n_queries, aggregation="fold_mean", values=values,
        display=tuple(record.display.value for record in own if record is not None),
    )  # fmt: skip
    ahead = (0.95, *(0.9 for _ in results.systems[1:]))
    yield like
    yield msgspec.structs.replace(
        like, name="nDCG@10 (all)", contracts=("Deviating", "Dissenting"), subset="all_queries", aggregation="pooled",
        n_queries=results.subset_by_id["all_queries"].n_queries, values=ahead,
        display=tuple(f"{value:.3f}" for value in ahead),
    )  # fmt: skip


def _with_both_intervals(record: Estimate, resampled: int) -> Estimate:
    """TPR gets an interval 0.05 to either side, with the threshold chosen again, before the one with it fixed."""
    if not record.metric.startswith("tpr@") or record.value is None:
        return record
    lower, upper = round(record.value - 0.05, 10), round(record.value + 0.05, 10)
    first = Interval(lower=lower, upper=upper, settings=resampled, method_used="percentile")
    display = msgspec.structs.replace(record.display, interval=interval(lower, upper, record.display.decimals))
    return msgspec.structs.replace(record, intervals=(first, *record.intervals), display=display)


def _over_queries(record: Estimate) -> Estimate:
    """Pooled ranking metrics on positive queries get an SD over 100 queries, 0.3, and quartiles 0.25, 0.75 and 1."""
    ranked = record.metric.partition("@")[0] in {"ndcg", "recall", "map", "mrr"}
    if not ranked or record.value is None or (record.subset, record.aggregation) != ("positives_only", "pooled"):
        return record
    over = Spread(value=0.3, over="query", ddof=1, n=100)
    return msgspec.structs.replace(record, sd=(*record.sd, over), quartiles=(0.25, 0.75, 1.0))


def _metric(results: Results, at: int, name: str) -> MetricRecord:
    count = name in MATRIX
    return msgspec.structs.replace(
        results.metric_by_id["f1@tune"],
        id=f"{name}@tune",
        name=f"{name.upper() if count else name.capitalize()} at TUNE threshold",
        family="confusion",
        direction="none" if count else "lower" if name == "fpr" else "higher",
        decimals=0 if count else 3,
        unit="queries" if count else "proportion",
        order=1_000 + at,
    )


def _confusion(results: Results, system: str, name: str) -> Estimate:
    like = results.find("f1@tune", system, "all_queries", "pooled")
    assert like is not None
    value = float({**MATRIX, **RATIOS}[name])
    shown = f"{value:.0f}" if name in MATRIX else f"{value:.3f}"
    return msgspec.structs.replace(
        like, id=result_id(f"{name}@tune", system, "all_queries", "pooled"), metric=f"{name}@tune", value=value,
        intervals=(), folds=(), sd=(), display=Display(decimals=3, value=shown, interval="", sd=""),
    )  # fmt: skip


def _lengths(system: str) -> list[Distribution]:
    ranked = [
        Distribution(
            id=f"ranked|{system}|{subset}|all", kind="ranked", system=system, subset=subset, by="", bins=("4", "12"),
            counts=sizes,
        )
        for subset, sizes in _SIZES.items()
    ]  # fmt: skip
    relevant = [
        Distribution(
            id=f"relevant|{system}|{subset}|all", kind="relevant", system=system, subset=subset, by="",
            bins=("0", "2"), counts=(n - 100, 100),
        )
        for subset, n in (("all_queries", 500), ("positives_only", 100))
    ]  # fmt: skip
    return [*ranked, *relevant]


def _sweep(system: str) -> ThresholdSweep:
    """Sensitivity falls from 0.9 to 0.1, the share reached from 0.45 to 0.05; nothing reaches the last threshold."""
    return ThresholdSweep(
        id=f"tune|{system}|fold_mean", system=system, split="tune", aggregation="fold_mean", thresholds=THRESHOLDS,
        sensitivity=tuple(1 - t for t in THRESHOLDS), precision=(*(0.5 + t / 2 for t in THRESHOLDS[:-1]), None),
        share_reached=tuple((1 - t) / 2 for t in THRESHOLDS), rate=tuple(500 * (1 - t) for t in THRESHOLDS),
        description="Synthetic.",
    )  # fmt: skip
