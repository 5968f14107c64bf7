"""Which systems and metrics a table shows, and in what order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.wording.rankings import baseline


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric on one subset, with a record per system in the order of the table's systems (None: not computed)."""

    metric: MetricRecord
    subset: str
    estimates: tuple[Estimate | None, ...]


def records_of(lines: Iterable[MetricLine]) -> list[Estimate]:
    """Return the records of lines that were computed."""
    return [record for line in lines for record in line.estimates if record is not None]


def systems(results: Results) -> tuple[SystemRecord, ...]:
    """Return all systems in their order of presentation."""
    return tuple(sorted(results.systems, key=lambda system: (system.order, system.id)))


def headline(results: Results, of: Sequence[SystemRecord] = ()) -> tuple[MetricLine, ...]:
    """Return the contract's headline metrics that were computed, in its order; for all systems or those of ``of``."""
    known = results.metric_by_id
    return lines(results, [known[metric] for metric in results.contract.headline if metric in known], of)


def of_families(results: Results, *families: str) -> tuple[MetricRecord, ...]:
    """Return all metrics of these families, or of all families, in the metrics' own order."""
    in_order = sorted(results.metrics, key=lambda metric: metric.order)
    return tuple(metric for metric in in_order if not families or metric.family in families)


def lines(
    results: Results,
    metrics: Iterable[MetricRecord],
    of: Sequence[SystemRecord] = (),
    *,
    every_population: bool = False,
) -> tuple[MetricLine, ...]:
    """Return the metrics that were computed, each on its home subset, for all systems or those of ``of``.

    With ``every_population`` on the other one of positive and all queries as well.
    """
    found = []
    for metric in metrics:
        home = results.home_subset(metric.id)
        other = {"positives_only": "all_queries", "all_queries": "positives_only"}.get(home or "")
        for subset in (home, other if every_population else None):
            if subset and (line := line_on(results, metric, subset, of or systems(results))):
                found.append(line)
    return tuple(found)


def line_on(results: Results, metric: MetricRecord, subset: str, of: Sequence[SystemRecord]) -> MetricLine | None:
    """Return a metric on a subset, under the aggregation that is shown first; None where no system of ``of`` has it."""
    records = tuple(results.headline(metric.id, system.id, subset) for system in of)
    return MetricLine(metric, subset, records) if any(record is not None for record in records) else None


def best(results: Results) -> SystemRecord:
    """Return the best system on the first headline metric, the first of equals; the first where none has a value."""
    known = systems(results)
    ranked = headline(results)
    defined = [e for e in ranked[0].estimates if e is not None and e.value is not None] if ranked else []
    if not defined:
        return known[0]
    sign = -1.0 if ranked[0].metric.direction == "lower" else 1.0
    return results.system_by_id[max(defined, key=lambda estimate: sign * (estimate.value or 0.0)).system]


def baseline_and_best(results: Results, most: int) -> tuple[SystemRecord, ...]:
    """Return all systems where they are at most ``most``; else the baseline (or first) and the best."""
    known = systems(results)
    if len(known) <= most:
        return known
    return tuple(system for system in known if system.id in {baseline(results).id, best(results).id})
