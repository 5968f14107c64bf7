"""Ranking metrics at all cut-offs, on one population and on both."""

from __future__ import annotations

from typing import Any

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES
from reportgen.tables._lines import MetricLine, best, line_on, lines, of_families, records_of, systems
from reportgen.tables._metric_tables import Beside, Compact, MetricLayout, MetricTable, TableDeclaration
from reportgen.wording.heads import without_cut_off
from reportgen.wording.rankings import lead

_UNCUT = ""
_CEILING = "no cut-off"
"""What the row without a cut-off is called."""
_POPULATIONS = {"positives_only": "Pos.", "all_queries": "All"}
"""The populations with their short heads, which a note explains: twelve columns leave no room for the labels."""


def _at_every_cut_off(results: Results) -> MetricTable:
    """Declare all ranking metrics; in the compact form those that have cut-offs, on one population."""
    metrics = of_families(results, "ranking", "coverage")
    by_name, cutoffs = _cut_offs(results)
    subset = next((s for metric in metrics if (s := results.home_subset(metric.id))), "")
    in_order = [at[k] for k in cutoffs for at in by_name.values() if k in at]
    ranked = [s for s in systems(results) if any(results.headline(m.id, s.id, subset) for m in in_order)]
    found = [line for metric in in_order if (line := line_on(results, metric, subset, ranked))]
    return MetricTable(
        lines(results, metrics, every_population=True),
        {"over_cut_offs": None},
        compact=Compact(
            _cut_offs_down(results, by_name, {name: (name, "") for name in by_name}),
            found,
            ranked,
            _over_cut_offs(results, found, subset) if found else {},
        ),
    )


def _under_both_protocols(results: Results) -> MetricTable:
    """Declare the ranking metrics that are computed on positive queries only, and on all queries, side by side."""
    by_name, cutoffs = _cut_offs(results)
    names = {
        name: both
        for name, at in by_name.items()
        if (both := {k: metric for k, metric in at.items() if all(_computed(results, metric, p) for p in _POPULATIONS)})
    }
    heads = {metric.id: _head(results, at) for at in names.values() for metric in at.values()}
    found = lines(results, [metric for at in names.values() for metric in at.values()], every_population=True)
    in_order = [at[k] for k in cutoffs for at in names.values() if k in at]
    compared = [line for m in in_order for p in _POPULATIONS if (line := line_on(results, m, p, systems(results)))]
    columns = {f"{name}_{population}": (name, population) for name in names for population in _POPULATIONS}
    return MetricTable(
        found,
        {
            "on_both": _on_both(results, records_of(found)),
            "heads_of_populations": list(_POPULATIONS.items()),
        },
        group=lambda line: heads[line.metric.id],
        compact=Compact(_cut_offs_down(results, names, columns), compared),
    )


def _cut_offs_down(
    results: Results,
    by_name: dict[str, dict[str, MetricRecord]],
    columns: dict[str, tuple[str, str]],
) -> MetricLayout:
    """Return the layout with a row per cut-off under each system; ``columns``: key to metric name and population.

    Without a population the metrics head the columns; else they span them.
    """
    cut = {metric.id: k for at in by_name.values() for k, metric in at.items()}
    name_of = {metric.id: name for name, at in by_name.items() for metric in at.values()}
    heads = {name: _head(results, at) for name, at in by_name.items()}
    both = any(population for _, population in columns.values())

    def column(line: MetricLine, system: SystemRecord) -> str:
        return f"{name_of[line.metric.id]}_{line.subset}" if both else name_of[line.metric.id]

    spanned = {name: tuple(key for key, (of, _) in columns.items() if of == name) for name in by_name}
    return MetricLayout(
        tuple(
            Column(key, _POPULATIONS.get(population, heads[name]), "estimate", suffixes=SUFFIXES)
            for key, (name, population) in columns.items()
        ),
        Beside(
            (Column("k", "K", "stub", width=1.7 if both else 1.2),),
            lambda line, system, record, notes: (_row_head(results, cut[line.metric.id]),),
        ),
        row=lambda line, system: cut[line.metric.id],
        column=column,
        group=lambda line, system: system.label,
        spanners=tuple(Spanner(heads[name], keys) for name, keys in spanned.items()) if both else (),
        detail=lambda line: False,
    )


def _row_head(results: Results, k: str) -> Cell:
    if not k:
        return Cell(_CEILING)
    return Cell(f"{k} (optional)" if int(k) in results.contract.optional_cutoffs else k, value=int(k))


def _cut_offs(results: Results) -> tuple[dict[str, dict[str, MetricRecord]], list[str]]:
    """Return metric name to cut-off to metric, and the cut-offs in rising order, the one without a cut last.

    What has no cut-offs of its own is left out, and so are facts about lists, which are not rankings, unless the
    contract shows them first.
    """
    by_name: dict[str, dict[str, MetricRecord]] = {}
    for metric in of_families(results, "ranking", "coverage"):
        id_ = MetricId.parse(metric.id)
        if not id_.variant and (not id_.parameter or id_.parameter == "all" or id_.parameter.isdecimal()):
            by_name.setdefault(id_.name, {})[id_.parameter.replace("all", _UNCUT)] = metric
    shown = set(results.contract.headline)
    by_name = {
        name: at
        for name, at in by_name.items()
        if any(at) and any(m.family == "ranking" or m.id in shown for m in at.values())
    }
    cutoffs = sorted({k for at in by_name.values() for k in at if k}, key=int)
    return by_name, [*cutoffs, *([_UNCUT] if any(_UNCUT in at for at in by_name.values()) else [])]


def _head(results: Results, at: dict[str, MetricRecord]) -> str:
    """Return the head over a metric's cut-offs: ``nDCG``, ``MAP (min(R,K))``."""
    return without_cut_off(results, next((metric for k, metric in at.items() if k), next(iter(at.values()))))


def _computed(results: Results, metric: MetricRecord, population: str) -> bool:
    return any(results.headline(metric.id, system.id, population) for system in results.systems)


def _over_cut_offs(results: Results, found: list[MetricLine], subset: str) -> dict[str, Any]:
    """Return the leading metric at the first and at the last cut-off, for the system that is best on it."""
    shown = {line.metric.id: line.metric for line in found}
    known = {metric.id: metric for metric in of_families(results, "ranking", "coverage")}
    metric = next((known[id] for id in results.contract.headline if id in known), next(iter(shown.values())))
    estimates = [
        e for s in systems(results) if (e := results.headline(metric.id, s.id, subset)) and e.value is not None
    ]
    leads = {"leads": lead(results, metric, estimates)}
    at_cutoffs = [one for one in results.metrics if _same_but_cut_off(one.id, metric.id)]
    if not estimates or len(at_cutoffs) < 2:
        return leads
    sign = -1.0 if metric.direction == "lower" else 1.0
    leading = max(estimates, key=lambda e: sign * (e.value or 0.0))
    ordered = sorted(at_cutoffs, key=lambda one: int(MetricId.parse(one.id).parameter))
    first, last = (results.headline(one.id, leading.system, subset) for one in (ordered[0], ordered[-1]))
    if first is None or last is None:
        return leads
    return {
        "over_cut_offs": {
            "metric": without_cut_off(results, metric),
            "system": results.system_by_id[leading.system].label,
            "first": first,
            "last": last,
            "at": [MetricId.parse(one.metric).parameter for one in (first, last)],
        }
    }


def _same_but_cut_off(one: str, other: str) -> bool:
    a, b = MetricId.parse(one), MetricId.parse(other)
    return (a.name, a.variant) == (b.name, b.variant) and a.parameter.isdecimal()


def _on_both(results: Results, shown: list[Estimate]) -> tuple[Estimate, Estimate] | None:
    """Return the first headline metric among those shown on both populations, for the best system, on each."""
    found = {(e.metric, e.system, e.subset): e for e in shown if e.value is not None}
    system = best(results)
    for metric in dict.fromkeys((*results.contract.headline, *(estimate.metric for estimate in shown))):
        pair = [one for population in _POPULATIONS if (one := found.get((metric, system.id, population)))]
        if len(pair) == len(_POPULATIONS):
            return pair[0], pair[1]
    return None


TABLES = (
    TableDeclaration("ranking-at-k", "Ranking at every cut-off", "ranking metrics", 32, _at_every_cut_off),
    TableDeclaration(
        "dual-protocol",
        "Ranking on both populations",
        "ranking metrics on positive queries and on all queries",
        34,
        _under_both_protocols,
    ),
)
