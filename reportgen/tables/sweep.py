"""A sweep over parameters: what each setting returns, and how much of the evidence is in it."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Results, SystemRecord
from reportgen.numbers import NOT_APPLICABLE, fixed
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell
from reportgen.tables._systems import systems
from reportgen.tables._wording import caption, interval_sentence, queries, scope_sentence

ID = "sweep"
TITLE = "Parameter sweep"
NEEDS = "systems with parameters that return a set of candidates"
ORDER = 28
_MEAN_K, _RECALL = "avg_k[all]", "evidence_recall"


def build(results: Results) -> Table | None:
    """One row per system with parameters: its parameters, mean K, evidence recall, workload."""
    swept = [system for system in systems(results) if system.params]
    subset = results.home_subset(_RECALL)
    if not swept or subset is None or results.home_subset(_MEAN_K) != "all_queries":
        return None
    names = list(dict.fromkeys(name for system in swept for name in system.params))
    notes = Notes()
    rows = tuple(_row(results, system, names, notes, subset) for system in swept)
    shown = [
        record
        for system in swept
        for record in (
            results.headline(_MEAN_K, system.id, "all_queries"),
            results.headline(_RECALL, system.id, subset),
        )
        if record is not None
    ]
    candidates, cluster = results.units.candidate.many, results.units.cluster.one
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            f"What {len(swept)} settings of {', '.join(names)} return.",
            f"Evidence recall is on {queries(results, subset)}; K and workload count all "
            f"{queries(results, 'all_queries')}.",
            scope_sentence(results, shown),
        ),
        columns=(
            Column("system", "System", "stub", width=2.0),
            *(Column(f"param{at}", name, "number", width=0.8) for at, name in enumerate(names)),
            Column("mean_k", "Mean K", "estimate", width=1.6, suffixes=SUFFIXES),
            Column("evidence_recall", "Evidence recall", "estimate", width=1.6, suffixes=SUFFIXES),
            Column("returned", f"{candidates.capitalize()} returned", "count", width=1.0),
            Column("per_cluster", f"per {cluster}", "number", width=0.8),
        ),
        groups=(RowGroup("", rows),),
        notes=notes.all(interval_sentence(results, shown)),
    )


def _row(results: Results, system: SystemRecord, names: list[str], notes: Notes, subset: str) -> Row:
    mean_k = results.headline(_MEAN_K, system.id, "all_queries")
    settings = [_setting(system, name, notes) for name in names]
    return Row(
        (
            Cell(system.label),
            *settings,
            estimate_cell(mean_k, notes, scope=results.headline_scope),
            estimate_cell(results.headline(_RECALL, system.id, subset), notes, scope=results.headline_scope),
            *_workload(results, system, notes),
        )
    )


def _setting(system: SystemRecord, name: str, notes: Notes) -> Cell:
    if name not in system.params:
        note = notes.key(f"{NOT_APPLICABLE}: the system has no such parameter.")
        return Cell(NOT_APPLICABLE, status="not_applicable", notes=(note,))
    value = system.params[name]
    return Cell(str(value), value=value if isinstance(value, int | float | str) else str(value))


def _workload(results: Results, system: SystemRecord, notes: Notes) -> tuple[Cell, Cell]:
    """Candidates returned in all, a whole number from the distribution of K, and per cluster."""
    found = next(
        (
            d
            for d in results.distributions
            if (d.kind, d.system, d.subset, d.by) == ("selected_k", system.id, "all_queries", "")
        ),
        None,
    )
    if found is None:
        note = notes.key(f"{NOT_APPLICABLE}: the system returns no set of {results.units.candidate.many}.")
        absent = Cell(NOT_APPLICABLE, status="not_applicable", notes=(note,))
        return absent, absent
    total = sum(int(k) * n for k, n in zip(found.bins, found.counts, strict=True))
    clusters = results.subset_by_id["all_queries"].n_clusters
    return count_cell(total), Cell(fixed(total / clusters, 1), value=total / clusters)
