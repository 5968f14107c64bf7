"""Ranking under both populations: positive queries only, and all queries, side by side."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Inline, Row, RowGroup, Shown, Spanner, Table, Text
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.tables._cells import SUFFIXES, Mark, Notes
from reportgen.tables._cut_offs import CEILING, at_cut_offs, cut_off_head
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import full_table
from reportgen.tables._systems import best, lines, systems
from reportgen.wording.captions import WIDTH, aggregation_sentence, caption
from reportgen.wording.conventions import policy_sentence
from reportgen.wording.heads import subset_head, subset_size

ID = "dual-protocol"
TITLE = "Ranking under both populations"
NEEDS = "ranking metrics on positive queries and on all queries"
ORDER = 34
_ABOUT = "The two populations answer different questions and are not compared with each other."
_POPULATIONS = {"positives_only": "Pos.", "all_queries": "All"}
"""The populations with their short heads, which a note explains: twelve columns leave no room for the labels."""


def build(results: Results) -> Table | None:
    """One row per metric, cut-off, population and system, with subset and interpretation."""
    names, _ = _both(results)
    heads = {metric.id: cut_off_head(results, at) for at in names.values() for metric in at.values()}
    metrics = [
        m for at in names.values() for m in at.values() if all(_computed(results, {"": m}, p) for p in _POPULATIONS)
    ]
    found = lines(results, metrics, every_population=True)
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(results, shown),
        about=_ABOUT,
        group=lambda line: heads[line.metric.id],
        further=policy_sentence(results),
    )


def compact(results: Results) -> Table | None:
    """One group of rows per system, one row per cut-off; for each metric a column per population."""
    names, cutoffs = _both(results)
    if not names:
        return None
    notes, used = Notes(), set[Mark]()
    rows: dict[str, list[Row]] = {system.id: [] for system in systems(results)}
    shown: list[Estimate] = []
    for k in cutoffs:
        columns = [_column(results, at.get(k), p, notes, used) for at in names.values() for p in _POPULATIONS]
        if any(cell.text for column in columns for _, cell in column):
            for at, system in enumerate(systems(results)):
                rows[system.id].append(Row((Cell(k or CEILING), *(column[at][1] for column in columns))))
        shown += [record for column in columns for record, _ in column if record is not None]
    groups = [RowGroup(system.label, tuple(rows[system.id])) for system in systems(results)]
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            _message(results, shown),
            f"{_ABOUT} Each row is one cut-off K.",
            aggregation_sentence(results, shown),
        ),
        columns=(
            Column("k", "K", "stub", width=1.7),
            *(
                Column(f"{name}_{population}", head, "estimate", suffixes=SUFFIXES)
                for name in names
                for population, head in _POPULATIONS.items()
            ),
        ),
        groups=tuple(groups),
        spanners=tuple(
            Spanner(cut_off_head(results, at), tuple(f"{name}_{p}" for p in _POPULATIONS)) for name, at in names.items()
        ),
        notes=notes.all(
            f"{'; '.join(f'{head}: {_population(results, p, shown)}' for p, head in _POPULATIONS.items())}.",
            policy_sentence(results),
            f"{explanation(used)} {WIDTH if any(estimate.intervals for estimate in shown) else ''}".strip(),
        ),
        compact=True,
    )


def _population(results: Results, population: str, shown: list[Estimate]) -> str:
    return subset_head(results, population, [estimate for estimate in shown if estimate.subset == population])


def _both(results: Results) -> tuple[dict[str, dict[str, MetricRecord]], list[str]]:
    """The metrics by name and cut-off, and the cut-offs.

    A metric that is computed under one population alone is no part of a comparison of populations.
    """
    by_name, cutoffs = at_cut_offs(results)
    return {name: at for name, at in by_name.items() if all(_computed(results, at, p) for p in _POPULATIONS)}, cutoffs


def _computed(results: Results, at: dict[str, MetricRecord], population: str) -> bool:
    return any(results.headline(m.id, s.id, population) for m in at.values() for s in results.systems)


def _column(
    results: Results, metric: MetricRecord | None, population: str, notes: Notes, used: set[Mark]
) -> list[tuple[Estimate | None, Cell]]:
    """A metric on a population, system by system; empty without such a cut-off or where one population alone has it."""
    if metric is None or any(not _computed(results, {"": metric}, each) for each in _POPULATIONS):
        return [(None, Cell()) for _ in systems(results)]
    records = [results.headline(metric.id, system.id, population) for system in systems(results)]
    cells = marked_cells(results, records, metric.direction, notes, used, aggregation=results.headline_aggregation)
    return list(zip(records, cells, strict=True))


def _message(results: Results, shown: list[Estimate]) -> Text:
    """What the population does to the first headline metric among those shown, for the best system."""
    found = {(e.metric, e.system, e.subset): e for e in shown if e.value is not None}
    metrics = dict.fromkeys((*results.contract.headline, *(estimate.metric for estimate in shown)))
    one, other = _POPULATIONS
    for metric in metrics:
        pair = found.get((metric, best(results).id, one)), found.get((metric, best(results).id, other))
        if pair[0] is not None and pair[1] is not None:
            words: list[Inline] = [f"{results.metric_by_id[metric].name} of {best(results).label} is "]
            words += [Shown(pair[0].display.value, pair[0].id), f" on {subset_size(results, one)} and "]
            words += [Shown(pair[1].display.value, pair[1].id), f" on all {subset_size(results, other)}."]
            return tuple(words)
    return "Ranking metrics under both populations."
