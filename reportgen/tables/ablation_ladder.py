"""The steps of a ladder of systems: each against the one before and against the first."""

from __future__ import annotations

from dataclasses import replace

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Comparison, Estimate, Results, SystemRecord
from reportgen.tables import _cells
from reportgen.tables._cells import Mark, Notes, count_cell, sd_cell
from reportgen.tables._differences import OWN_SCALE, SUFFIXES, between, difference_cell
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._systems import Line, systems
from reportgen.wording.captions import caption, interval_sentence
from reportgen.wording.heads import comparison_head
from reportgen.wording.text import paragraph

ID = "ablation-ladder"
TITLE = "Ablation ladder"
NEEDS = "systems with a step"
ORDER = 27
_STEP = Column("step", "Step", "count", width=0.6)
_DIFFERENCES = (
    Column("before", "the step before", "estimate", width=1.8, suffixes=SUFFIXES),
    Column("first", "the first step", "estimate", width=1.8, suffixes=SUFFIXES),
)


def build(results: Results) -> Table | None:
    """One row per compared metric and step: value, differences, subset and interpretation."""
    steps, found = ladder(results), _lines(results)

    def differences(line: Line, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell, Cell]:
        return _differences(results, steps, steps.index(system), line.metric.id, notes)

    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(steps) if found else "",
        about="A component that a step lacks prints n/a.",
        of=steps,
        group=lambda line: comparison_head(results, line.metric, _first(results, line.metric.id)),
        before=Beside((_STEP,), lambda line, system, record, notes: (count_cell(system.step or 0),)),
        after=Beside(
            tuple(replace(column, head=f"Difference from {column.head}") for column in _DIFFERENCES), differences
        ),
        further=OWN_SCALE,
    )


def compact(results: Results) -> Table | None:
    """One group of rows per compared metric, one row per step."""
    steps = ladder(results)
    notes, used = Notes(), set[Mark]()
    groups, shown = [], []
    for line in _lines(results):
        values = marked_cells(results, line.estimates, line.metric.direction, notes, used, aggregation="", detail=True)
        rows = tuple(
            _row(results, steps, at, line.metric.id, record, value, notes)
            for at, (record, value) in enumerate(zip(line.estimates, values, strict=True))
        )
        head = comparison_head(results, line.metric, _first(results, line.metric.id), line.estimates)
        groups.append(RowGroup(head, rows))
        shown += [record for record in line.estimates if record is not None]
    if not groups:
        return None
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(results, _message(steps)),
        columns=(
            _STEP,
            Column("system", "System", "text", width=2.2),
            Column("value", "Value", "estimate", width=1.8, suffixes=_cells.SUFFIXES),
            Column("sd", f"SD over {len(results.folds)} folds", "number", width=0.9),
            *_DIFFERENCES,
        ),
        spanners=(Spanner("Difference from", ("before", "first")),),
        groups=tuple(groups),
        notes=notes.all(paragraph((explanation(used), interval_sentence(results, shown), OWN_SCALE))),
        compact=True,
    )


def _lines(results: Results) -> list[Line]:
    """The compared metrics, on the subset and aggregation that were compared, with a record for every step."""
    steps = ladder(results)
    if len(steps) < 2:
        return []
    found = []
    for metric in dict.fromkeys(comparison.metric for comparison in results.comparisons):
        first = _first(results, metric)
        records = tuple(results.find(metric, step.id, first.subset, first.aggregation) for step in steps)
        found.append(Line(results.metric_by_id[metric], first.subset, records))
    return found


def _first(results: Results, metric: str) -> Comparison:
    return next(comparison for comparison in results.comparisons if comparison.metric == metric)


def _message(steps: list[SystemRecord]) -> str:
    return (
        f"{len(steps)} steps from {steps[0].label} to {steps[-1].label}, each compared with the step before and with "
        "the first."
    )


def ladder(results: Results) -> list[SystemRecord]:
    """The systems with a step, in its order."""
    steps = [(system.step, system) for system in systems(results) if system.step is not None]
    return [system for _, system in sorted(steps, key=lambda pair: pair[0])]


def _row(
    results: Results,
    steps: list[SystemRecord],
    at: int,
    metric: str,
    record: Estimate | None,
    value: Cell,
    notes: Notes,
) -> Row:
    spread = _sd(record, value, len(results.folds), notes)
    differences = _differences(results, steps, at, metric, notes)
    return Row((count_cell(steps[at].step or 0), Cell(steps[at].label), value, spread, *differences))


def _differences(results: Results, steps: list[SystemRecord], at: int, metric: str, notes: Notes) -> tuple[Cell, Cell]:
    """From the step before and from the first; the first step has none."""
    if at == 0:
        return Cell(), Cell()
    others = (steps[at - 1], steps[0])
    before, first = (
        difference_cell(between(results, metric, steps[at].id, other.id), notes, "not compared") for other in others
    )
    return before, first


def _sd(record: Estimate | None, value: Cell, n_folds: int, notes: Notes) -> Cell:
    if record is None or record.value is None:
        return Cell(value.text, status=value.status, notes=value.notes, results=value.results)
    return sd_cell(record, n_folds, notes)
