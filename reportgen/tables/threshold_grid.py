"""What thresholds of the three states would give on TUNE, where they may be chosen."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Table
from reportgen.domain.record import Results, ThresholdSweep
from reportgen.numbers import UNDEFINED, fixed
from reportgen.tables._cells import Notes
from reportgen.tables._systems import best, systems
from reportgen.wording.captions import caption

ID = "threshold-grid"
TITLE = "Threshold grid"
NEEDS = "a tuning split"
ORDER = 52
_STEPS, _COMPACT_STEPS = 20, 10
"""Rows of each system: the interval from 0 to 1 in so many steps."""


def build(results: Results) -> Table | None:
    """One group of rows per system, one row per threshold, read as tau_neg or as tau_pos."""
    return _table(results, ID, TITLE, tuple(s.id for s in systems(results)), _STEPS)


def compact(results: Results) -> Table | None:
    """The best system alone, in coarser steps."""
    kept = best(results)
    note = "The best system on the first headline metric is shown." if len(results.systems) > 1 else ""
    return _table(results, f"{ID}-compact", f"{TITLE}, compact", (kept.id,), _COMPACT_STEPS, note, compact=True)


def _table(
    results: Results,
    id: str,
    title: str,
    wanted: tuple[str, ...],
    steps: int,
    left_out: str = "",
    *,
    compact: bool = False,
) -> Table | None:
    sweeps = {sweep.system: sweep for sweep in results.sweeps}
    notes = Notes()
    groups = tuple(
        RowGroup(results.system_by_id[system].label, _rows(sweeps[system], steps, notes))
        for system in wanted
        if system in sweeps
    )
    if not any(group.rows for group in groups):
        return None
    query = results.units.query
    how = "unweighted means over the folds' TUNE parts" if len(results.folds) > 1 else "over TUNE"
    return Table(
        id=id,
        title=title,
        caption=caption(
            results,
            "A pair of thresholds is read from two rows: screening sensitivity and workload from the row of τ_neg, "
            "alert precision and alert rate from that of τ_pos.",
            f"Values are {how}, where thresholds may be chosen; EVAL takes no part. Workload is the share of "
            f"{query.many} that are not screened out; the alert rate is per 1,000 {query.many}.",
        ),
        columns=(
            Column("threshold", "Threshold", "stub", width=1.0),
            Column("sensitivity", "Screening sensitivity", "number", width=1.2),
            Column("workload", "Workload", "number", width=1.0),
            Column("precision", "Alert precision", "number", width=1.2),
            Column("rate", "Alert rate", "number", width=1.0),
        ),
        groups=groups,
        spanners=(
            Spanner("Read as τ_neg", ("sensitivity", "workload")),
            Spanner("Read as τ_pos", ("precision", "rate")),
        ),
        notes=notes.all(left_out),
        compact=compact,
    )


def _rows(sweep: ThresholdSweep, steps: int, notes: Notes) -> tuple[Row, ...]:
    """The thresholds nearest to even steps, each once."""
    last = len(sweep.thresholds)
    nearest = dict.fromkeys(
        min(range(last), key=lambda i, at=step / steps: abs(sweep.thresholds[i] - at))  # type: ignore[misc] # bound now
        for step in range(1, steps)
        if last
    )
    return tuple(
        Row(
            (
                Cell(fixed(sweep.thresholds[at], 2), value=sweep.thresholds[at]),
                _cell(sweep.sensitivity[at], 3, notes),
                _cell(sweep.share_reached[at], 3, notes),
                _cell(sweep.precision[at], 3, notes),
                _cell(sweep.rate[at], 1, notes),
            )
        )
        for at in nearest
    )


def _cell(value: float | None, decimals: int, notes: Notes) -> Cell:
    if value is None:
        note = notes.key(f"{UNDEFINED}: nothing on TUNE reaches the threshold, or it has no positive query.")
        return Cell(UNDEFINED, status="undefined", notes=(note,))
    return Cell(fixed(value, decimals), value=value)
