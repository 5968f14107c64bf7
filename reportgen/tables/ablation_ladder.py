"""The steps of a ladder of systems: each against the one before and against the first."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.tables import _cells
from reportgen.tables._cells import Notes, count_cell, estimate_cell, sd_cell
from reportgen.tables._differences import OWN_SCALE, SUFFIXES, between, difference_cell, metric_line
from reportgen.tables._systems import systems
from reportgen.tables._wording import caption, interval_sentence

ID = "ablation-ladder"
TITLE = "Ablation ladder"
NEEDS = "systems with a step"
ORDER = 27


def build(results: Results) -> Table | None:
    """One group of rows per compared metric, one row per step."""
    steps = ladder(results)
    metrics = list(dict.fromkeys(c.metric for c in results.comparisons))
    if len(steps) < 2 or not metrics:
        return None
    notes = Notes()
    groups, shown = [], []
    for metric in metrics:
        first = next(c for c in results.comparisons if c.metric == metric)
        records = [results.find(metric, step.id, first.subset, first.scope) for step in steps]
        rows = tuple(_row(results, steps, at, records[at], notes, metric) for at in range(len(steps)))
        groups.append(RowGroup(metric_line(results, results.metric_by_id[metric], first), rows))
        shown += [record for record in records if record is not None]
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            f"{len(steps)} steps from {steps[0].label} to {steps[-1].label}, each compared with the step before and "
            "with the first.",
        ),
        columns=(
            Column("step", "Step", "count", width=0.6),
            Column("system", "System", "text", width=2.2),
            Column("value", "Value", "estimate", width=1.8, suffixes=_cells.SUFFIXES),
            Column("sd", "SD over folds", "number", width=0.9),
            Column("before", "the step before", "estimate", width=1.8, suffixes=SUFFIXES),
            Column("first", "the first step", "estimate", width=1.8, suffixes=SUFFIXES),
        ),
        spanners=(Spanner("Difference from", ("before", "first")),),
        groups=tuple(groups),
        notes=notes.all(f"{interval_sentence(results, shown)} {OWN_SCALE}".strip()),
    )


def ladder(results: Results) -> list[SystemRecord]:
    """The systems with a step, in its order."""
    steps = [(system.step, system) for system in systems(results) if system.step is not None]
    return [system for _, system in sorted(steps, key=lambda pair: pair[0])]


def _row(
    results: Results, steps: list[SystemRecord], at: int, record: Estimate | None, notes: Notes, metric: str
) -> Row:
    step = steps[at]
    value = estimate_cell(record, notes)
    if at == 0:
        before = first = Cell()
    else:
        before = difference_cell(between(results, metric, step.id, steps[at - 1].id), notes, "not compared")
        first = difference_cell(between(results, metric, step.id, steps[0].id), notes, "not compared")
    return Row(
        (
            count_cell(step.step or 0),
            Cell(step.label),
            value,
            _sd(record, value, len(results.folds), notes),
            before,
            first,
        )
    )


def _sd(record: Estimate | None, value: Cell, n_folds: int, notes: Notes) -> Cell:
    if record is None or record.value is None:
        return Cell(value.text, status=value.status, notes=value.notes, results=value.results)
    return sd_cell(record, n_folds, notes)
