"""The headline metrics fold by fold, with mean and standard deviation over folds."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import REASONS, Estimate, FoldRecord, FoldValue, Results
from reportgen.numbers import UNDEFINED, fixed
from reportgen.phrases import SPACE
from reportgen.tables._cells import Notes, estimate_cell, sd_cell
from reportgen.tables._signatures import differing
from reportgen.tables._systems import best, headline, systems
from reportgen.tables._wording import caption, fold_name, metric_head, population

ID = "per-fold"
TITLE = "Results per fold"
NEEDS = "at least two folds"
ORDER = 64


def build(results: Results) -> Table | None:
    """Metrics and systems down, folds across, then the unweighted mean and the SD over folds."""
    if len(results.folds) < 2:
        return None
    notes = Notes()
    groups, shown = [], []
    for item in headline(results):
        records = [results.find(item.metric.id, s.id, item.subset, "fold_mean") for s in systems(results)]
        found = [record for record in records if record is not None and record.folds]
        if found:
            head = f"{metric_head(results, item.metric)}, {population(results, item.subset)}"
            if mixed := differing(results, found):
                head += f"; systems differ in {', '.join(mixed)}"
            groups.append(RowGroup(head, tuple(_row(results, record, notes) for record in found)))
            shown += found
    if not groups:
        return None
    spreads = {estimate.sd[0].ddof for estimate in shown if estimate.sd and estimate.sd[0].over == "fold"}
    ddof = f" (ddof{SPACE}{', '.join(map(str, sorted(spreads)))})" if spreads else ""
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results, shown),
            "Mean is the unweighted mean of the fold values; "
            f"SD is the standard deviation over the {len(results.folds)} folds{ddof}, not a standard error.",
        ),
        columns=(
            Column("system", "System", "stub", width=2.2),
            *(Column(f"fold_{fold.id}", fold_name(fold), "number") for fold in results.folds),
            Column("mean", "Mean", "estimate", suffixes=("lower", "upper")),
            Column("sd", f"SD over {len(results.folds)} folds", "number"),
        ),
        groups=tuple(groups),
        notes=notes.all(),
    )


def _row(results: Results, estimate: Estimate, notes: Notes) -> Row:
    values = {value.fold: value for value in estimate.folds}
    return Row(
        (
            Cell(results.system_by_id[estimate.system].label),
            *(_fold_cell(values.get(fold.id), fold, estimate, notes) for fold in results.folds),
            estimate_cell(estimate, notes, detail=False),
            sd_cell(estimate, len(results.folds), notes),
        )
    )


def _fold_cell(value: FoldValue | None, fold: FoldRecord, estimate: Estimate, notes: Notes) -> Cell:
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
