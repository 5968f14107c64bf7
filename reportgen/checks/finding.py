"""Findings as records, with severity and remedy from the registry of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from reportgen.codes import Severity, registry
from reportgen.domain.record import Check

CheckStatus: TypeAlias = Literal["passed", "failed", "not_run"]


def finding(
    code: str, message: str, *, where: str = "", severity: Severity | None = None, status: CheckStatus = "failed"
) -> Check:
    """A finding as the results hold it.

    Args:
        code: A code of the registry; KeyError for any other.
        message: What was found here, in a sentence, with counts.
        where: Id of the system it is about; empty for the run as a whole.
        severity: Where it is not the code's own.
        status: Whether the check was made and passed; a note that failed is one for the record.
    """
    entry = registry()[code]
    severity = severity or entry.severity
    return Check(
        code=code,
        status=status,
        severity=severity,
        message=message,
        where=where,
        fix=entry.fix if status == "failed" else "",
    )


def of_all_systems(found: Sequence[Check], n_systems: int) -> list[Check]:
    """What is the same for every system, said once and of none of them; else the findings as they are."""
    if len(found) == n_systems and len({check.message for check in found}) == 1:
        first = found[0]
        return [finding(first.code, first.message, severity=first.severity, status=first.status)]
    return list(found)
