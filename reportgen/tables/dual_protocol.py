"""Ranking under both protocols: positive queries only, and all queries, side by side."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Inline, Row, RowGroup, Shown, Spanner, Table, Text
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Mark, Notes, estimate_cell
from reportgen.tables._cut_offs import CEILING, at_cut_offs, cut_off_head, policy_sentence
from reportgen.tables._marks import explanation, marks
from reportgen.tables._systems import baseline_and_best
from reportgen.tables._wording import WIDTH, caption, left_out_sentence, queries, scope_sentence

ID = "dual-protocol"
TITLE = "Ranking under both protocols"
NEEDS = "ranking metrics on positive queries and on all queries"
ORDER = 34
_MOST_SYSTEMS = 4
_PROTOCOLS = ("positives_only", "all_queries")


def build(results: Results) -> Table | None:
    """One group of rows per metric, one row per cut-off; for each system a column per protocol."""
    by_name, cutoffs = at_cut_offs(results)
    shown_systems = baseline_and_best(results, _MOST_SYSTEMS)
    notes, used = Notes(), set[Mark]()
    groups, shown = [], []
    for at in by_name.values():
        rows = []
        for k in cutoffs:
            records = _records(results, at.get(k), shown_systems)
            # A metric that is defined under one protocol alone is no part of a comparison of protocols.
            if all(any(r is not None for r in records[i::2]) for i in range(2)):
                rows.append(Row((Cell(k or CEILING), *_cells(results, at[k], records, notes, used))))
                shown += [record for record in records if record is not None]
        if rows:
            groups.append(RowGroup(cut_off_head(results, at), tuple(rows)))
    if not groups:
        return None
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
        columns=(Column("k", "K", "stub", width=1.2), *(c for s in shown_systems for c in _columns(results, s))),
        groups=tuple(groups),
        spanners=tuple(Spanner(s.label, tuple(_key(s, p) for p in _PROTOCOLS)) for s in shown_systems),
        notes=notes.all(
            policy_sentence(results),
            explanation(used),
            left_out_sentence(results, shown_systems),
            WIDTH if any(estimate.intervals for estimate in shown) else "",
        ),
    )


def _records(
    results: Results, metric: MetricRecord | None, shown_systems: tuple[SystemRecord, ...]
) -> list[Estimate | None]:
    """Both protocols of each system in turn."""
    if metric is None:
        return [None for _ in shown_systems for _ in _PROTOCOLS]
    return [results.headline(metric.id, s.id, protocol) for s in shown_systems for protocol in _PROTOCOLS]


def _cells(
    results: Results, metric: MetricRecord, records: list[Estimate | None], notes: Notes, used: set[Mark]
) -> list[Cell]:
    """The cells of a row; systems are ranked under each protocol by itself."""
    row_marks: list[Mark] = ["" for _ in records]
    for at in range(len(_PROTOCOLS)):
        row_marks[at :: len(_PROTOCOLS)] = marks(records[at :: len(_PROTOCOLS)], metric.direction)
    used.update(row_marks)
    return [
        estimate_cell(record, notes, scope=results.headline_scope, mark=mark, detail=False)
        for record, mark in zip(records, row_marks, strict=True)
    ]


def _key(system: SystemRecord, protocol: str) -> str:
    return f"{protocol}_{system.id}"


def _columns(results: Results, system: SystemRecord) -> tuple[Column, ...]:
    return tuple(
        Column(_key(system, p), results.subset_by_id[p].label, "estimate", suffixes=SUFFIXES) for p in _PROTOCOLS
    )


def _message(results: Results, shown: list[Estimate]) -> Text:
    """What the protocol does to the first headline metric, for the first system that has both values."""
    found = {(e.metric, e.system, e.subset): e for e in shown if e.value is not None}
    ranked = [m for m in results.contract.headline if any(e.metric == m for e in shown)]
    for metric, system in ((m, e.system) for m in (*ranked, *(e.metric for e in shown)) for e in shown):
        pair = [found.get((metric, system, protocol)) for protocol in _PROTOCOLS]
        if pair[0] is not None and pair[1] is not None:
            words: list[Inline] = [f"{results.metric_by_id[metric].name} of {results.system_by_id[system].label} is "]
            words += [Shown(pair[0].display.value, pair[0].id), f" on {queries(results, _PROTOCOLS[0])} and "]
            words += [Shown(pair[1].display.value, pair[1].id), f" on {queries(results, _PROTOCOLS[1])}."]
            return tuple(words)
    return "Ranking metrics under both protocols."
