"""A sweep over parameters: what each setting returns, and how much of the evidence is in it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, number_cell, parameter_cell
from reportgen.tables._lines import MetricLine, systems
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    beside,
    system_names,
)

_VALUES = {"avg_k[all]": ("mean_k", "Mean K"), "evidence_recall": ("evidence_recall", "Evidence recall")}
"""Metric to the key and the head of its column."""


def _sweep(results: Results) -> MetricTable | None:
    """Declare mean K and evidence recall of every system with parameters; None without both."""
    swept = [system for system in systems(results) if system.params]
    count, recall = _VALUES
    subset = results.home_subset(recall)
    if not swept or subset is None or results.home_subset(count) != "all_queries":
        return None
    counted, found = (
        MetricLine(results.metric_by_id[id], on, tuple(results.headline(id, system.id, on) for system in swept))
        for id, on in ((count, "all_queries"), (recall, subset))
    )
    parameters, workload = _parameters(swept), _workload(results)
    return MetricTable(
        (counted, found),
        {
            "settings": len(swept),
            "parameters": list(dict.fromkeys(name for system in swept for name in system.params)),
        },
        swept,
        before=parameters,
        after=workload,
        compact=Compact(
            MetricLayout(
                tuple(Column(key, head, "estimate", width=1.6, suffixes=SUFFIXES) for key, head in _VALUES.values()),
                beside(system_names(2.0), parameters),
                workload,
                column=lambda line, system: _VALUES[line.metric.id][0],
            )
        ),
    )


def _parameters(swept: Sequence[SystemRecord]) -> Beside:
    """Return a column for each parameter, in order of first appearance; of numbers only where all its values are."""
    names = tuple(dict.fromkeys(name for system in swept for name in system.params))
    columns = []
    for at, name in enumerate(names):
        values = [system.params[name] for system in swept if name in system.params]
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        columns.append(Column(f"param{at}", name, "number" if numeric else "text", width=0.8))

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        return [parameter_cell(system, name, notes) for name in names]

    return Beside(tuple(columns), cells)


def _workload(results: Results) -> Beside:
    """Return the candidates returned in all, a whole number from the distribution of K, and per cluster."""
    units, n_clusters = results.units, results.subset_by_id["all_queries"].n_clusters
    found = {
        d.system: d for d in results.distributions if (d.kind, d.subset, d.by) == ("selected_k", "all_queries", "")
    }

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell, Cell]:
        if system.id not in found:
            why = f"the system returns no set of {units.candidate.many}"
            return (absent := notes.absent(why, status="not_applicable")), absent
        counts = found[system.id]
        each = [sum(int(k) * n for k, n in zip(counts.bins, of, strict=True)) for of in counts.of_each]
        total = sum(each) / len(each)
        return count_cell(each[0]) if len(each) == 1 else number_cell(total, 1), number_cell(total / n_clusters, 1)

    columns = (
        Column("returned", f"{units.candidate.many.capitalize()} returned", "count", width=1.0),
        Column("per_cluster", f"per {units.cluster.one}", "number", width=0.8),
    )
    return Beside(columns, cells)


TABLES = (
    TableDeclaration("sweep", "Parameter sweep", "systems with parameters that return a set of candidates", 28, _sweep),
)
