"""Findings as text and as data, for the verbs that show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from reportgen.codes import SEVERITIES, registry
from reportgen.errors import Diagnostic

if TYPE_CHECKING:
    from reportgen.domain.record import Check

_HEADS = {"error": "Errors", "warning": "Warnings", "note": "Notes"}


def as_text(found: Sequence[Check], labels: Mapping[str, str]) -> str:
    """Findings by severity, each with its code and the system it is about; of each code, why and what to do."""
    blocks = []
    for severity in SEVERITIES:
        of_kind = [check for check in found if check.severity == severity]
        if of_kind:
            blocks.append(f"{_HEADS[severity]} ({len(of_kind)})")
            blocks += [_together(list(same), labels) for _, same in groupby(of_kind, key=lambda check: check.code)]
    return "\n\n".join(blocks)


def _together(same: Sequence[Check], labels: Mapping[str, str]) -> str:
    """Findings of one code: a line each, then once why it matters and what to do."""
    found = [_problem(check, labels) for check in same]
    return "\n".join([*(one.head for one in found[:-1]), str(found[-1])])


def as_data(check: Check) -> dict[str, Any]:
    """A finding as a value of JSON."""
    entry = registry()[check.code]
    return {
        "code": check.code,
        "severity": check.severity,
        "where": check.where,
        "title": entry.title,
        "message": check.message,
        "explanation": entry.why,
        "fix": entry.fix,
    }


def of_problem(problem: Diagnostic) -> dict[str, Any]:
    """Return an error that keeps a run from being read, in the same form."""
    return {
        "code": problem.code,
        "severity": problem.severity,
        "where": problem.place,
        "title": registry()[problem.code].title,
        "message": problem.message,
        "explanation": problem.why,
        "fix": problem.fix,
    }


def counted(found: Sequence[Mapping[str, Any]]) -> str:
    """``1 error, 2 warnings``; what there is none of is left out."""
    n = {severity: sum(item["severity"] == severity for item in found) for severity in SEVERITIES}
    parts = [f"{count} {name}{'s' * (count != 1)}" for name, count in n.items() if count]
    return ", ".join(parts) or "nothing found"


def _problem(check: Check, labels: Mapping[str, str]) -> Diagnostic:
    return Diagnostic(check.code, labels.get(check.where, check.where), check.message)
