"""Results of many systems, with those that pages show: the best on the headline metrics, and the named ones.

Tables, figures and documents are built from such results, so that a report of three hundred systems can be read. The
values of all systems are in metrics_master.json and metrics_master.csv.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from reportgen.domain.record import Results
from reportgen.wording.rankings import baseline

PREVALENCE = "prevalence"
"""The metric that says how many of a subset are positive."""
MOST = 40
"""Most systems of a run that are all shown."""
_BEST, _BEST_OF_OTHERS = 20, 3
"""Best systems that are shown on the first headline metric, and on each other one; tables mark the best three."""
_KEPT = "shortlisted"


def shortlisted(results: Results) -> Results:
    """Return the results with the systems that pages show; as they are where there are no more than :data:`MOST`.

    They are the best on each headline metric, the baseline, the systems that run.toml names to be shown, and the ends
    of a ladder, in their order of presentation. What is of other systems alone is left out; findings
    about them are kept unless all is well.
    """
    if len(results.systems) <= MOST:
        return results
    found = results.__dict__.get(_KEPT)
    if not isinstance(found, Results):
        found = results.__dict__[_KEPT] = _of(results, _chosen(results))
    return found


def of_systems(results: Results, systems: Sequence[str]) -> Results:
    """Return the results of these systems alone, which are presented in this order; of a baseline only if it is one."""
    order = {system: at for at, system in enumerate(dict.fromkeys(systems))}
    found = _of(results, frozenset(order))
    presented = tuple(structs.replace(system, order=order[system.id]) for system in found.systems)
    baseline = results.run.baseline if results.run.baseline in order else None
    return structs.replace(found, systems=presented, run=structs.replace(results.run, baseline=baseline))


def of_metrics(results: Results, metrics: Sequence[str]) -> Results:
    """Return the results of these metrics alone, which are the headline in this order."""
    chosen = tuple(dict.fromkeys(metrics))
    return structs.replace(
        results,
        contract=structs.replace(results.contract, headline=chosen),
        metrics=tuple(structs.replace(results.metric_by_id[id], order=at) for at, id in enumerate(chosen)),
        # What a subset is like is next to the values of any metric.
        results=tuple(one for one in results.results if one.metric in chosen or one.metric == PREVALENCE),
        comparisons=tuple(one for one in results.comparisons if one.metric in chosen),
        differences=tuple(one for one in results.differences if one.metric in chosen),
        readings=tuple(one for one in results.readings if one.metric in chosen),
    )


def _chosen(results: Results) -> frozenset[str]:
    known, presented = {system.id for system in results.systems}, results.run.presentation
    named = {*presented.report.systems, *presented.label_systems, baseline(results).id}
    steps = sorted((system.step, system.order, system.id) for system in results.systems if system.step is not None)
    named |= {steps[0][2], steps[-1][2]} if steps else set()
    ranked, most = [system.id for system in results.systems], _BEST
    for metric_id in results.contract.headline:
        metric, subset = results.metric_by_id.get(metric_id), results.home_subset(metric_id)
        if metric is None or subset is None or metric.direction == "none":
            continue
        records = [results.headline(metric_id, system, subset) for system in ranked]
        values = [(one.value, one.system) for one in records if one is not None and one.value is not None]
        values.sort(key=lambda one: one[0], reverse=metric.direction == "higher")
        if most == _BEST:  # on the others, equal systems follow in the order of the first
            ranked = [*(system for _, system in values), *sorted(known - {system for _, system in values})]
        named |= {system for _, system in values[:most]}
        most = _BEST_OF_OTHERS
    return frozenset(named & known)


def _of(results: Results, chosen: frozenset[str]) -> Results:
    kept = tuple(at for at, system in enumerate(results.systems) if system.id in chosen)
    others = {system.id for system in results.systems} - chosen
    return structs.replace(
        results,
        systems=tuple(results.systems[at] for at in kept),
        results=tuple(one for one in results.results if one.system in chosen),
        thresholds=tuple(one for one in results.thresholds if one.system in chosen),
        curves=tuple(one for one in results.curves if one.system in chosen),
        distributions=tuple(one for one in results.distributions if one.system in chosen),
        sweeps=tuple(one for one in results.sweeps if one.system in chosen),
        comparisons=tuple(one for one in results.comparisons if {one.system_a, one.system_b} <= chosen),
        group_differences=tuple(one for one in results.group_differences if one.system in chosen),
        differences=tuple(one for one in results.differences if {one.system_a, one.system_b} <= chosen),
        readings=tuple(
            structs.replace(
                one, values=tuple(one.values[at] for at in kept), display=tuple(one.display[at] for at in kept)
            )
            for one in results.readings
        ),
        checks=tuple(one for one in results.checks if one.where not in others or one.severity != "note"),
    )
