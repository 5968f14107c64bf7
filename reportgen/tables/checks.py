"""Every check that was made, with its outcome."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic
from reportgen.tables._metric_tables import Form, TableDeclaration
from reportgen.wording.text import Phrase, enumeration

_GROUPS = (
    ("To be noted before the numbers are used", ("failed",), ("error", "warning")),
    ("Noted", ("failed",), ("note",)),
    ("Passed", ("passed",), ("error", "warning", "note")),
    ("Not run", ("not_run",), ("error", "warning", "note")),
)


def _checks(results: Results) -> Form | None:
    """Return a row per outcome: its code, what it is about, what was found and what to do; to worry about first.

    What is found alike of several systems is one row.
    """
    if not results.checks:
        return None
    groups = []
    for head, statuses, severities in _GROUPS:
        alike: dict[tuple[str, str, str, str], list[Diagnostic]] = {}
        for check in results.checks:
            if check.status in statuses and check.severity in severities:
                alike.setdefault((check.code, check.severity, check.message, check.fix), []).append(check)
        if alike:
            groups.append(RowGroup(head, tuple(_row(results, found) for found in alike.values())))
    return Form(
        (
            Column("code", "Code", "stub", width=0.8),
            Column("severity", "Severity", "text", width=0.9),
            Column("about", "About", "text", width=1.6),
            Column("message", "Finding", "interpretation", width=5.0),
        ),
        tuple(groups),
        facts={
            "warned": sum(check.status == "failed" and check.severity != "note" for check in results.checks),
            "made": sum(check.status != "not_run" for check in results.checks),
        },
    )


def _row(results: Results, found: list[Diagnostic]) -> Row:
    first = found[0]
    message = " ".join(part for part in (first.message, first.fix) if part)
    return Row((Cell(first.code), Cell(first.severity), Cell(_about(results, found)), Cell(message)))


def _about(results: Results, found: list[Diagnostic]) -> Phrase:
    """Return the systems or places of outcomes that are alike."""
    places = dict.fromkeys(check.where for check in found)
    if len(places) > 1 and places.keys() == results.system_by_id.keys():
        return ("all systems",)
    return enumeration(
        [results.system_by_id[place].label if place in results.system_by_id else place or "the run" for place in places]
    )


TABLES = (TableDeclaration("checks", "Checks", "at least one check", 90, full=_checks),)
