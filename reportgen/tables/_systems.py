"""Which systems and metrics a table shows, and in what order."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord


@dataclass(frozen=True, slots=True)
class Headline:
    """One headline metric on the subset it is shown on, with a record per system (None: not computed)."""

    metric: MetricRecord
    subset: str
    estimates: tuple[Estimate | None, ...]


def systems(results: Results) -> tuple[SystemRecord, ...]:
    """All systems in their order of presentation."""
    return tuple(sorted(results.systems, key=lambda system: (system.order, system.id)))


def headline(results: Results) -> tuple[Headline, ...]:
    """The contract's headline metrics that were computed, in its order."""
    found = []
    for metric in results.contract.headline:
        subset = results.home_subset(metric)
        if subset is not None and metric in results.metric_by_id:
            records = tuple(results.headline(metric, system.id, subset) for system in systems(results))
            found.append(Headline(results.metric_by_id[metric], subset, records))
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
