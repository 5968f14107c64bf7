"""A sweep over parameters: what each setting returns, and how much of the evidence is in it."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.numbers import NOT_APPLICABLE, fixed
from reportgen.tables._cells import SUFFIXES, Mark, Notes, count_cell
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._systems import Line, systems
from reportgen.wording.captions import aggregation_sentence, caption, interval_sentence
from reportgen.wording.heads import size_in_clusters
from reportgen.wording.text import paragraph

ID = "sweep"
TITLE = "Parameter sweep"
NEEDS = "systems with parameters that return a set of candidates"
ORDER = 28
_MEAN_K, _RECALL = "avg_k[all]", "evidence_recall"
_HEADS = (("mean_k", "Mean K"), ("evidence_recall", "Evidence recall"))


def build(results: Results) -> Table | None:
    """One row per metric and system with parameters: parameters, value, workload, subset and interpretation."""
    swept, found = _swept(results), _lines(results)

    def workload(line: Line, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell, Cell]:
        return _workload(results, system, notes)

    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(swept),
        about=f"{_about(results, ())} {_CHOOSING}",
        of=swept,
        before=Beside(_parameter_columns(swept), lambda line, system, record, notes: _settings(system, swept, notes)),
        after=Beside(_workload_columns(results), workload),
    )


def compact(results: Results) -> Table | None:
    """One row per system with parameters: its parameters, mean K, evidence recall, workload."""
    swept, found = _swept(results), _lines(results)
    if not found:
        return None
    notes, used = Notes(), set[Mark]()
    aggregation = results.headline_aggregation
    columns = [
        marked_cells(results, line.estimates, line.metric.direction, notes, used, aggregation=aggregation, detail=True)
        for line in found
    ]
    rows = tuple(
        Row(
            (
                Cell(system.label),
                *_settings(system, swept, notes),
                *(column[at] for column in columns),
                *_workload(results, system, notes),
            )
        )
        for at, system in enumerate(swept)
    )
    shown = [record for line in found for record in line.estimates if record is not None]
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(results, _message(swept), _about(results, found), aggregation_sentence(results, shown)),
        columns=(
            Column("system", "System", "stub", width=2.0),
            *_parameter_columns(swept),
            *(Column(key, head, "estimate", width=1.6, suffixes=SUFFIXES) for key, head in _HEADS),
            *_workload_columns(results),
        ),
        groups=(RowGroup("", rows),),
        notes=notes.all(paragraph((explanation(used), interval_sentence(results, shown))), _CHOOSING),
        compact=True,
    )


_CHOOSING = "A setting chosen by these values is chosen on the data it is judged on, and looks better here than it is."


def _swept(results: Results) -> list[SystemRecord]:
    return [system for system in systems(results) if system.params]


def _lines(results: Results) -> list[Line]:
    """Mean K and evidence recall, with a record for every system with parameters; nothing without both."""
    swept, subset = _swept(results), results.home_subset(_RECALL)
    if not swept or subset is None or results.home_subset(_MEAN_K) != "all_queries":
        return []
    known = results.metric_by_id
    return [
        Line(known[metric], where, tuple(results.headline(metric, system.id, where) for system in swept))
        for metric, where in ((_MEAN_K, "all_queries"), (_RECALL, subset))
    ]


def _message(swept: list[SystemRecord]) -> str:
    return f"What {len(swept)} settings of {', '.join(_parameters(swept))} return."


def _about(results: Results, lines: Sequence[Line]) -> str:
    """On which queries the values are, with the design effects of those of the lines."""
    recall, whole = results.home_subset(_RECALL), "all_queries"
    if recall is None:
        return ""
    of = {line.metric.id: line.estimates for line in lines}
    found = size_in_clusters(results, recall, of.get(_RECALL, ()))
    counted = size_in_clusters(results, whole, of.get(_MEAN_K, ()))
    return f"Evidence recall is on {found}; K and workload count all {counted}."


def _parameters(swept: list[SystemRecord]) -> tuple[str, ...]:
    """The names of all parameters, in order of first appearance."""
    return tuple(dict.fromkeys(name for system in swept for name in system.params))


def _parameter_columns(swept: list[SystemRecord]) -> tuple[Column, ...]:
    """A column for each parameter; of numbers only where all its values are."""
    columns = []
    for at, name in enumerate(_parameters(swept)):
        values = [system.params[name] for system in swept if name in system.params]
        numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
        columns.append(Column(f"param{at}", name, "number" if numeric else "text", width=0.8))
    return tuple(columns)


def _workload_columns(results: Results) -> tuple[Column, Column]:
    candidates, cluster = results.units.candidate.many, results.units.cluster.one
    return (
        Column("returned", f"{candidates.capitalize()} returned", "count", width=1.0),
        Column("per_cluster", f"per {cluster}", "number", width=0.8),
    )


def _settings(system: SystemRecord, swept: list[SystemRecord], notes: Notes) -> list[Cell]:
    return [_setting(system, name, notes) for name in _parameters(swept)]


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
