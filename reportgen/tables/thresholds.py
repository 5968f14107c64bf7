"""The thresholds, fold by fold, with their source."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Results, ThresholdRecord
from reportgen.numbers import UNDEFINED, fixed
from reportgen.tables._cells import Notes
from reportgen.tables._systems import systems
from reportgen.wording.captions import caption
from reportgen.wording.heads import budget_text, fold_name

ID = "thresholds"
TITLE = "Thresholds per fold"
NEEDS = "thresholds, recorded or chosen on TUNE"
ORDER = 42
_DECIMALS = 3
REJECT_ALL = "none"


def build(results: Results) -> Table | None:
    """One group of rows per threshold, one row per system, one column per fold, and where the threshold is from."""
    if not results.thresholds:
        return None
    notes = Notes()
    by_name: dict[str, dict[tuple[str, str], ThresholdRecord]] = {}
    for record in results.thresholds:
        by_name.setdefault(record.id.partition("|")[0], {})[record.system, record.fold] = record
    groups = []
    for name, records in by_name.items():
        rows = [
            Row((Cell(system.label), *(_cell(records.get((system.id, fold.id)), notes) for fold in results.folds)))
            for system in systems(results)
            if any((system.id, fold.id) in records for fold in results.folds)
        ]
        groups.append(RowGroup(_head(name, next(iter(records.values()))), tuple(rows)))
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            f"{len(by_name)} threshold{'s' * (len(by_name) > 1)} on the probability, with a value in each fold.",
            f"A {results.units.query.one} whose probability is equal to a threshold reaches it.",
        ),
        columns=(
            Column("system", "System", "stub", width=2.2),
            *(
                Column(f"fold_{fold.id}", fold_name(fold) if len(results.folds) > 1 else "Threshold", "number")
                for fold in results.folds
            ),
        ),
        groups=tuple(groups),
        notes=notes.all(),
    )


def _head(name: str, record: ThresholdRecord) -> str:
    """``FPR of at most 5 %, chosen on TUNE`` or ``tau_f1, recorded in thresholds.csv, column tau_f1``."""
    if record.alpha is not None:
        return f"FPR of at most {budget_text(name)}, {record.source}"
    if record.target is not None:
        rule = {"min_sensitivity": "sensitivity", "min_precision": "precision"}.get(record.rule, record.rule)
        return f"{name.partition(':')[0]}, for a {rule} of at least {record.target:g}, {record.source}"
    return f"{name}, {record.source}"


def _cell(record: ThresholdRecord | None, notes: Notes) -> Cell:
    if record is None:
        return Cell(UNDEFINED, status="missing", notes=(notes.key(f"{UNDEFINED}: no such threshold in this fold."),))
    if record.value is None:
        note = notes.key(f"{REJECT_ALL}: no threshold keeps what is asked for, so nothing reaches it.")
        return Cell(REJECT_ALL, status="undefined", notes=(note,))
    return Cell(fixed(record.value, _DECIMALS), value=record.value)
