"""The headline for the body of a paper: metrics down, systems across, best marked."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Results
from reportgen.tables._cells import SUFFIXES, Mark, Notes, estimate_cell
from reportgen.tables._marks import explanation, marks
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Headline, headline, systems
from reportgen.tables._wording import caption, interval_sentence, lead, metric_head, population, scope_sentence, unit

ID = "main-results-compact"
TITLE = "Main results, compact"
NEEDS = "the contract's headline metrics"
ORDER = 20
_WITH_INTERVALS = 4
"""Most systems beside which intervals still fit a page."""


def build(results: Results) -> Table | None:
    """Metrics down, systems across; one group of rows for each subset, which names its n."""
    shown = headline(results)
    if not shown:
        return None
    notes = Notes()
    detail = len(results.systems) <= _WITH_INTERVALS
    used: set[Mark] = set()
    groups = []
    for subset in dict.fromkeys(item.subset for item in shown):
        rows = [_row(results, item, notes, used, detail=detail) for item in shown if item.subset == subset]
        groups.append(RowGroup(population(results, subset), tuple(rows)))
    estimates = [estimate for item in shown for estimate in item.estimates if estimate is not None]
    arrows = any(item.metric.direction != "none" for item in shown)
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            lead(results, shown[0].metric, [e for e in shown[0].estimates if e is not None]),
            f"Headline metrics by system; n counts {results.units.query.many}.",
            scope_sentence(results, estimates),
        ),
        columns=(
            Column("metric", "Metric", "stub", width=2.0),
            *(
                Column(f"value_{system.id}", system.label, "estimate", width=1.6, suffixes=SUFFIXES)
                for system in systems(results)
            ),
        ),
        groups=tuple(groups),
        notes=notes.all(
            " ".join(
                part
                for part in (
                    explanation(used),
                    "↑ higher is better, ↓ lower is better." if arrows else "",
                    interval_sentence(results, estimates) if detail else "Intervals are left out for width.",
                )
                if part
            )
        ),
        compact=True,
    )


def _row(results: Results, item: Headline, notes: Notes, used: set[Mark], *, detail: bool) -> Row:
    mixed = differing(results, item.estimates)
    warning = (notes.key(f"Not comparable across systems, which differ in: {', '.join(mixed)}."),) if mixed else ()
    row_marks = marks(item.estimates, item.metric.direction)
    used.update(row_marks)
    name = metric_head(results, item.metric, arrow=True)
    if words := unit(item.metric):
        name += f" ({words})"
    return Row(
        (
            Cell(name, notes=warning),
            *(
                estimate_cell(estimate, notes, scope=results.headline_scope, mark=mark, detail=detail)
                for estimate, mark in zip(item.estimates, row_marks, strict=True)
            ),
        )
    )
