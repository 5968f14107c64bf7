"""The headline metrics fold by fold, with mean and standard deviation over folds."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import REASONS, Estimate, FoldValue, Results
from reportgen.numbers import UNDEFINED, fixed
from reportgen.tables._cells import SUFFIXES, Mark, Notes, sd_cell
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Line, best, headline, systems
from reportgen.wording.captions import caption
from reportgen.wording.heads import fold_name, metric_head, subset_head
from reportgen.wording.text import SPACE

ID = "per-fold"
TITLE = "Results per fold"
NEEDS = "at least two folds"
ORDER = 64


def build(results: Results) -> Table | None:
    """One row per metric and system: its value in each fold, their mean and SD, subset and interpretation."""
    found = _lines(results)
    shown = [estimate for line in found for estimate in line.estimates if estimate is not None]
    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(results, shown) if shown else "",
        about=f"Value is the unweighted mean of the fold values; {_spread_sentence(results, shown)}",
        before=Beside(_fold_columns(results), lambda line, system, record, notes: _fold_cells(results, record, notes)),
    )


def compact(results: Results) -> Table | None:
    """Metrics and systems down, folds across, then the unweighted mean and the SD over folds."""
    notes, used = Notes(), set[Mark]()
    groups, shown = [], []
    for line in _lines(results):
        on = subset_head(results, line.subset, [e for e in line.estimates if e is not None and e.folds])
        head = f"{metric_head(results, line.metric)}, {on}"
        if mixed := differing(results, line.estimates):
            head += f"; systems differ in {', '.join(mixed)}"
        means = marked_cells(results, line.estimates, line.metric.direction, notes, used, aggregation="")
        pairs = [(record, cell) for record, cell in zip(line.estimates, means, strict=True) if record and record.folds]
        groups.append(RowGroup(head, tuple(_row(results, record, cell, notes) for record, cell in pairs)))
        shown += [record for record, _ in pairs]
    if not groups:
        return None
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            _message(results, shown),
            f"Mean is the unweighted mean of the fold values; {_spread_sentence(results, shown)}",
        ),
        columns=(
            Column("system", "System", "stub", width=2.2),
            *_fold_columns(results),
            Column("mean", "Mean", "estimate", suffixes=SUFFIXES),
            Column("sd", f"SD over {len(results.folds)} folds", "number"),
        ),
        groups=tuple(groups),
        notes=notes.all(explanation(used)),
        compact=True,
    )


def _lines(results: Results) -> list[Line]:
    """The headline metrics that have fold values, as means over folds; none of a run without folds."""
    if len(results.folds) < 2:
        return []
    found = []
    for line in headline(results):
        records = tuple(results.find(line.metric.id, s.id, line.subset, "fold_mean") for s in systems(results))
        if any(record is not None and record.folds for record in records):
            found.append(Line(line.metric, line.subset, records))
    return found


def _fold_columns(results: Results) -> tuple[Column, ...]:
    return tuple(Column(f"fold_{fold.id}", fold_name(fold), "number") for fold in results.folds)


def _spread_sentence(results: Results, shown: list[Estimate]) -> str:
    spreads = {estimate.sd[0].ddof for estimate in shown if estimate.sd and estimate.sd[0].over == "fold"}
    ddof = f" (ddof{SPACE}{', '.join(map(str, sorted(spreads)))})" if spreads else ""
    return f"SD is the standard deviation over the {len(results.folds)} folds{ddof}, not a standard error."


def _row(results: Results, estimate: Estimate, mean: Cell, notes: Notes) -> Row:
    name = Cell(results.system_by_id[estimate.system].label)
    values = _fold_cells(results, estimate, notes)
    return Row((name, *values, mean, sd_cell(estimate, len(results.folds), notes)))


def _fold_cells(results: Results, estimate: Estimate | None, notes: Notes) -> list[Cell]:
    if estimate is None:
        return [Cell() for _ in results.folds]
    values = {value.fold: value for value in estimate.folds}
    return [_fold_cell(values.get(fold.id), estimate, notes) for fold in results.folds]


def _fold_cell(value: FoldValue | None, estimate: Estimate, notes: Notes) -> Cell:
    if value is None or value.value is None:
        reason = REASONS[value.reason] if value is not None and value.reason else "not computed in this fold"
        note = notes.key(f"{UNDEFINED}: {reason}.")
        return Cell(UNDEFINED, status="undefined", notes=(note,), results=(estimate.id,))
    return Cell(fixed(value.value, estimate.display.decimals), value=value.value, results=(estimate.id,))


def _message(results: Results, shown: list[Estimate]) -> str:
    """How much the first metric of the best system differs between folds."""
    of_best = [estimate for estimate in shown if estimate.system == best(results).id]
    first = of_best[0] if of_best else shown[0]
    values = [value.value for value in first.folds if value.value is not None]
    name = results.metric_by_id[first.metric].name
    if len(values) < 2:
        return f"{name} and the other headline metrics, fold by fold."
    places = first.display.decimals
    return (
        f"{name} of {results.system_by_id[first.system].label} lies between {fixed(min(values), places)} and "
        f"{fixed(max(values), places)} over {len(values)} folds."
    )
