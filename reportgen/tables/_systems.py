"""Which systems and metrics a table shows, and in what order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord


@dataclass(frozen=True, slots=True)
class Line:
    """One metric on one subset, with a record per system in their order (None: not computed)."""

    metric: MetricRecord
    subset: str
    estimates: tuple[Estimate | None, ...]


def systems(results: Results) -> tuple[SystemRecord, ...]:
    """All systems in their order of presentation."""
    return tuple(sorted(results.systems, key=lambda system: (system.order, system.id)))


def headline(results: Results) -> tuple[Line, ...]:
    """The contract's headline metrics that were computed, in its order."""
    known = results.metric_by_id
    return lines(results, [known[metric] for metric in results.contract.headline if metric in known])


def of_families(results: Results, *families: str) -> tuple[MetricRecord, ...]:
    """All metrics of these families, in the metrics' own order."""
    return tuple(m for m in sorted(results.metrics, key=lambda m: m.order) if m.family in families)


def lines(results: Results, metrics: Iterable[MetricRecord], *, every_population: bool = False) -> tuple[Line, ...]:
    """The metrics that were computed, each on its home subset; with ``every_population`` on the other one as well."""
    found = []
    for metric in metrics:
        home = results.home_subset(metric.id)
        other = {"positives_only": "all_queries", "all_queries": "positives_only"}.get(home or "")
        for subset in (home, other if every_population else None):
            records = (
                tuple(results.headline(metric.id, system.id, subset) for system in systems(results)) if subset else ()
            )
            if subset and any(record is not None for record in records):
                found.append(Line(metric, subset, records))
    return tuple(found)


def best(results: Results) -> SystemRecord:
    """The best system on the first headline metric (the first of equals); the first system where none has a value."""
    known = systems(results)
    ranked = headline(results)
    defined = [e for e in ranked[0].estimates if e is not None and e.value is not None] if ranked else []
    if not defined:
        return known[0]
    sign = -1.0 if ranked[0].metric.direction == "lower" else 1.0
    return results.system_by_id[max(defined, key=lambda estimate: sign * (estimate.value or 0.0)).system]


def baseline_and_best(results: Results, most: int) -> tuple[SystemRecord, ...]:
    """All systems where they are at most ``most``; else the baseline (or first) and the best."""
    known = systems(results)
    if len(known) <= most:
        return known
    first = next((system for system in known if system.id == results.run.baseline), known[0])
    return tuple(system for system in known if system.id in {first.id, best(results).id})
