"""Ranking under both protocols: positive queries only, and all queries, side by side."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Inline, Row, RowGroup, Shown, Spanner, Table, Text
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes, estimate_cell
from reportgen.tables._cut_offs import CEILING, at_cut_offs, cut_off_head, policy_sentence
from reportgen.tables._systems import best, systems
from reportgen.tables._wording import WIDTH, caption, population, queries, scope_sentence

ID = "dual-protocol"
TITLE = "Ranking under both protocols"
NEEDS = "ranking metrics on positive queries and on all queries"
ORDER = 34
_PROTOCOLS = {"positives_only": "Pos.", "all_queries": "All"}
"""The protocols with their short heads, which a note explains: twelve columns leave no room for the labels."""


def build(results: Results) -> Table | None:
    """One group of rows per system, one row per cut-off; for each metric a column per protocol."""
    by_name, cutoffs = at_cut_offs(results)
    # A metric that is computed under one protocol alone is no part of a comparison of protocols.
    names = {name: at for name, at in by_name.items() if all(_computed(results, at, p) for p in _PROTOCOLS)}
    if not names:
        return None
    notes = Notes()
    groups, shown = [], []
    for system in systems(results):
        rows = []
        for k in cutoffs:
            records = [_record(results, at.get(k), system, p) for at in names.values() for p in _PROTOCOLS]
            if any(records):
                rows.append(Row((Cell(k or CEILING), *_cells(results, records, notes))))
                shown += [record for record in records if record is not None]
        groups.append(RowGroup(system.label, tuple(rows)))
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results, shown),
            "The two protocols answer different questions and are not compared with each other. Each row is one "
            "cut-off K.",
            scope_sentence(results, shown),
        ),
        columns=(
            Column("k", "K", "stub", width=1.7),
            *(
                Column(f"{name}_{protocol}", head, "estimate", suffixes=SUFFIXES)
                for name in names
                for protocol, head in _PROTOCOLS.items()
            ),
        ),
        groups=tuple(groups),
        spanners=tuple(
            Spanner(cut_off_head(results, at), tuple(f"{name}_{p}" for p in _PROTOCOLS)) for name, at in names.items()
        ),
        notes=notes.all(
            f"{'; '.join(f'{head}: {population(results, p)}' for p, head in _PROTOCOLS.items())}.",
            policy_sentence(results),
            WIDTH if any(estimate.intervals for estimate in shown) else "",
        ),
    )


def _computed(results: Results, at: dict[str, MetricRecord], protocol: str) -> bool:
    return any(results.headline(m.id, s.id, protocol) for m in at.values() for s in results.systems)


def _record(results: Results, metric: MetricRecord | None, system: SystemRecord, protocol: str) -> Estimate | None:
    """A metric under a protocol, where it is computed under both."""
    if metric is None or any(not _computed(results, {"": metric}, each) for each in _PROTOCOLS):
        return None
    return results.headline(metric.id, system.id, protocol)


def _cells(results: Results, records: list[Estimate | None], notes: Notes) -> list[Cell]:
    """A cell for each record; where a metric has no such cut-off the place stays empty."""
    return [
        estimate_cell(record, notes, scope=results.headline_scope, detail=False) if record is not None else Cell()
        for record in records
    ]


def _message(results: Results, shown: list[Estimate]) -> Text:
    """What the protocol does to the first headline metric among those shown, for the best system."""
    found = {(e.metric, e.system, e.subset): e for e in shown if e.value is not None}
    metrics = dict.fromkeys((*results.contract.headline, *(estimate.metric for estimate in shown)))
    one, other = _PROTOCOLS
    for metric in metrics:
        pair = found.get((metric, best(results).id, one)), found.get((metric, best(results).id, other))
        if pair[0] is not None and pair[1] is not None:
            words: list[Inline] = [f"{results.metric_by_id[metric].name} of {best(results).label} is "]
            words += [Shown(pair[0].display.value, pair[0].id), f" on {queries(results, one)} and "]
            words += [Shown(pair[1].display.value, pair[1].id), f" on all {queries(results, other)}."]
            return tuple(words)
    return "Ranking metrics under both protocols."
