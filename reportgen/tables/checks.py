"""Every check that was made, with its outcome."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Check, Results
from reportgen.tables._wording import caption

ID = "checks"
TITLE = "Checks"
NEEDS = "at least one check"
ORDER = 90
_GROUPS = (
    ("To be noted before the numbers are used", ("failed",), ("error", "warning")),
    ("Noted", ("failed",), ("note",)),
    ("Passed", ("passed",), ("error", "warning", "note")),
    ("Not run", ("not_run",), ("error", "warning", "note")),
)


def build(results: Results) -> Table | None:
    """One row per check: its code, what it is about, what it found and what to do; those to worry about first."""
    if not results.checks:
        return None
    groups = []
    for head, statuses, severities in _GROUPS:
        rows = [_row(results, c) for c in results.checks if c.status in statuses and c.severity in severities]
        if rows:
            groups.append(RowGroup(head, tuple(rows)))
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(results, _message(results), "The code names the check in the documentation."),
        columns=(
            Column("code", "Code", "stub", width=0.8),
            Column("severity", "Severity", "text", width=0.9),
            Column("about", "About", "text", width=1.6),
            Column("message", "Finding", "interpretation", width=5.0),
        ),
        groups=tuple(groups),
    )


def _row(results: Results, check: Check) -> Row:
    system = results.system_by_id.get(check.where)
    about = system.label if system is not None else check.where or "the run"
    message = " ".join(part for part in (check.message, check.fix) if part)
    return Row((Cell(check.code), Cell(check.severity), Cell(about), Cell(message)))


def _message(results: Results) -> str:
    bad = sum(check.status == "failed" and check.severity != "note" for check in results.checks)
    return f"Of {len(results.checks)} outcomes of checks, {bad or 'none'} should be noted before the numbers are used."
