"""The thresholds fold by fold, with their source, and what others would give on TUNE, where they may be chosen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec import structs

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import FoldRecord, Results, SystemRecord, ThresholdRecord, ThresholdSweep
from reportgen.numbers import count, fixed
from reportgen.tables._cells import Notes, number_cell
from reportgen.tables._lines import best, systems
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, full_columns, grouped
from reportgen.wording.heads import budget_text, fold_name

_DECIMALS = 3
_OF_STATES = ("tau_neg", "tau_pos")
_SAME_SET = ("roc_tpr", "roc_threshold")
"""Metrics at a budget that read their threshold off EVAL itself."""
_REJECT_ALL = "none"
_STEPS, _COMPACT_STEPS = 20, 10
"""Rows of each system: the interval from 0 to 1 in so many steps."""
_THRESHOLD = Column("threshold", "Threshold", "stub", width=1.0)


class _Measure(NamedTuple):
    """What a sweep says of a threshold, and how a sentence puts it."""

    column: Column
    of: Callable[[ThresholdSweep], Sequence[float | None]]
    decimals: int
    threshold: str
    says: str


_MEASURES = (
    _Measure(
        Column("sensitivity", "Screening sensitivity", "number", width=1.2),
        lambda sweep: sweep.sensitivity,
        3,
        "τ NEG",
        "Screening at {threshold} keeps {value} of the positive {queries} of TUNE.",
    ),
    _Measure(
        Column("workload", "Workload", "number", width=1.0),
        lambda sweep: sweep.share_reached,
        3,
        "τ NEG",
        "Screening at {threshold} keeps {value} of the {queries} of TUNE.",
    ),
    _Measure(
        Column("precision", "Alert precision", "number", width=1.2),
        lambda sweep: sweep.precision,
        3,
        "τ POS",
        "Of the alerts at {threshold} on TUNE, {value} are on positive {queries}.",
    ),
    _Measure(
        Column("rate", "Alert rate", "number", width=1.0),
        lambda sweep: sweep.rate,
        1,
        "τ POS",
        "Of 1,000 {queries} of TUNE, {value} raise an alert at {threshold}.",
    ),
)
_READ_AS = tuple(
    Spanner(f"Read as {name}", tuple(one.column.key for one in _MEASURES if one.threshold == name))
    for name in ("τ NEG", "τ POS")
)


def _thresholds(results: Results) -> Form | None:
    """Return a row per training, or repeat, of each system under each threshold that a value rests on.

    A column for each fold; heads say the source.
    """
    used = [record for record in results.thresholds if _is_used(results, record)]
    if not used:
        return None
    notes = Notes()
    by_name: dict[str, dict[tuple[str, str, str], ThresholdRecord]] = {}
    for record in used:
        by_name.setdefault(record.id.partition("|")[0], {})[record.system, record.seed, record.fold] = record
    trainings = dict.fromkeys((record.system, record.seed) for record in used)
    by_repeat: dict[str, list[FoldRecord]] = {}
    for fold in results.folds:
        by_repeat.setdefault(fold.repeat, []).append(fold)
    first, heads = next(iter(by_repeat.values())), _heads_of_folds(tuple(by_repeat.values()))
    values = tuple(
        Column(f"fold_{at if fold.repeat else fold.id}", head, "number")
        for at, (fold, head) in enumerate(zip(first, heads, strict=True), start=1)
    )
    entries = []
    for name, records in by_name.items():
        head = _head(name, next(iter(records.values())))
        for system, seed in ((one, seed) for one in systems(results) for of, seed in trainings if of == one.id):
            for repeat, folds in by_repeat.items():
                of_folds = [records.get((system.id, seed, fold.id)) for fold in folds]
                if any(of_folds):
                    cells = {c.key: _cell(record, notes) for c, record in zip(values, of_folds, strict=True)}
                    part = f", seed {seed}" if seed else f", repeat {repeat}" if repeat else ""
                    entries.append(Entry((system.id, seed, repeat), (Cell(system.label + part),), cells, group=head))
    return Form(
        (Column("system", "System", "stub", width=2.2), *values),
        grouped(entries, values),
        notes=notes,
        facts={"thresholds": len(by_name)},
    )


def _heads_of_folds(repeats: Sequence[Sequence[FoldRecord]]) -> list[str]:
    """Return the heads of the folds' columns; where repeats call their folds otherwise, by their place."""
    if len(repeats[0]) == 1:
        return ["Threshold"]
    names = {tuple(fold_name(structs.replace(fold, repeat="")) for fold in folds) for folds in repeats}
    return list(names.pop()) if len(names) == 1 else [f"Fold {at}" for at in range(1, len(repeats[0]) + 1)]


def _is_used(results: Results, record: ThresholdRecord) -> bool:
    """Tell whether a value rests on a threshold: the signature of what is decided by one names it."""
    name = record.id.partition("|")[0].partition(":")[0]
    if record.alpha is not None:
        ids = (MetricId.parse(metric.id) for metric in results.metrics)
        return any(one.kind == "fpr" and one.number == record.alpha and one.name not in _SAME_SET for one in ids)
    words = {word for signature in results.signatures for word in signature.split("|")}
    if name in _OF_STATES:
        return any("state_" in word or word.startswith("tau_") for word in words)
    return any(word.rpartition(":")[2] == name for word in words)


def _head(name: str, record: ThresholdRecord) -> str:
    """Return ``FPR of at most 5 %, chosen on TUNE`` or ``tau_f1, recorded in thresholds.csv, column tau_f1``."""
    if record.alpha is not None:
        return f"FPR of at most {budget_text(name)}, {record.source}"
    if record.target is not None:
        rule = {"min_sensitivity": "sensitivity", "min_precision": "precision"}.get(record.rule, record.rule)
        return f"{name.partition(':')[0]}, for a {rule} of at least {record.target:g}, {record.source}"
    return f"{name}, {record.source}"


def _cell(record: ThresholdRecord | None, notes: Notes) -> Cell:
    if record is None:
        return notes.absent("no such threshold in this fold", status="missing")
    if record.value is None:
        note = notes.key(f"{_REJECT_ALL}: no threshold keeps what is asked for, so nothing reaches it.")
        return Cell(_REJECT_ALL, status="undefined", notes=(note,))
    return number_cell(record.value, _DECIMALS)


def _grid_in_full(results: Results) -> Form | None:
    """Return a row per system, threshold and measure, each threshold read as tau_neg and as tau_pos."""
    notes, value = Notes(), Column("value", "Value", "number", width=1.0)
    n, many = sum(fold.n_tune for fold in results.folds), results.units.query.many
    tune = Cell(f"TUNE ({count(n)} predictions)" if n else "TUNE", extra=(("n", n or None),))
    entries = []
    for system, sweep, at in _points(results, systems(results), _STEPS):
        threshold = fixed(sweep.thresholds[at], 2)
        for one in _MEASURES:
            cell = _measured(sweep, one, at, notes)
            words = {"threshold": f"{one.threshold} = {threshold}", "value": cell.text, "queries": many}
            says = one.says.format(**words) if cell.value is not None else f"{one.column.head} is undefined here."
            lead = (Cell(str(one.column.head)), Cell(system.label), number_cell(sweep.thresholds[at], 2))
            entries.append(Entry((system.id, at, one.column.key), lead, {"value": cell}, (tune, Cell(says))))
    columns = full_columns(value, before=(Column("threshold", "Threshold", "number", width=1.0),))
    return _grid(columns, (value,), entries, notes)


def _grid_in_short(results: Results) -> Form | None:
    """Return a row per threshold of the best system, in coarser steps."""
    notes = Notes()
    entries = [
        Entry(
            at,
            (number_cell(sweep.thresholds[at], 2),),
            {one.column.key: _measured(sweep, one, at, notes) for one in _MEASURES},
            group=system.label,
        )
        for system, sweep, at in _points(results, (best(results),), _COMPACT_STEPS)
    ]
    values = tuple(one.column for one in _MEASURES)
    return _grid((_THRESHOLD, *values), values, entries, notes, _READ_AS)


def _grid(
    columns: tuple[Column, ...],
    values: Sequence[Column],
    entries: Sequence[Entry],
    notes: Notes,
    spanners: tuple[Spanner, ...] = (),
) -> Form | None:
    return Form(columns, grouped(entries, values), spanners, notes) if entries else None


def _points(
    results: Results, of: Sequence[SystemRecord], steps: int
) -> Iterator[tuple[SystemRecord, ThresholdSweep, int]]:
    """Give the points of each system's sweep whose thresholds are nearest to even steps, each once."""
    sweeps = {sweep.system: sweep for sweep in results.sweeps}
    for system in of:
        if (sweep := sweeps.get(system.id)) and sweep.thresholds:
            found = sweep.thresholds
            for at in dict.fromkeys(_nearest(found, step / steps) for step in range(1, steps)):
                yield system, sweep, at


def _nearest(thresholds: Sequence[float], to: float) -> int:
    return min(range(len(thresholds)), key=lambda at: abs(thresholds[at] - to))


def _measured(sweep: ThresholdSweep, measure: _Measure, at: int, notes: Notes) -> Cell:
    value = measure.of(sweep)[at]
    if value is None:
        return notes.absent("nothing on TUNE reaches the threshold, or it has no positive query")
    return number_cell(value, measure.decimals)


TABLES = (
    TableDeclaration(
        "thresholds", "Thresholds per fold", "thresholds, recorded or chosen on TUNE", 42, full=_thresholds
    ),
    TableDeclaration(
        "threshold-grid", "Threshold grid", "a tuning split", 52, full=_grid_in_full, compact=_grid_in_short
    ),
)
