"""Findings as text and as data, for the verbs that show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from reportgen.codes import SEVERITIES, registry
from reportgen.errors import Diagnostic

_HEADS = {"error": "Errors", "warning": "Warnings", "note": "Notes"}


def as_text(found: Sequence[Diagnostic], labels: Mapping[str, str]) -> str:
    """Return findings by severity and code; of what is about a system, with its label."""
    blocks = []
    for severity in SEVERITIES:
        if same := [replace(one, where=labels.get(one.where, one.where)) for one in found if one.severity == severity]:
            blocks += [f"{_HEADS[severity]} ({len(same)})", *by_code(same)]
    return "\n\n".join(blocks)


def by_code(found: Sequence[Diagnostic], about: Callable[[str], str] = lambda code: "") -> list[str]:
    """Return a block for each code: a line for each finding, then once why it matters and what to do.

    ``about`` gives a line that is said of a code besides, or nothing.
    """
    blocks = []
    for code in dict.fromkeys(one.code for one in found):
        same = [one for one in found if one.code == code]
        blocks.append("\n".join([*(one.head for one in same[:-1]), str(same[-1])]))
        if text := about(code):
            blocks[-1] += f"\n  {text}"
    return blocks


def as_data(one: Diagnostic) -> dict[str, Any]:
    """Return a finding or an error as a value of JSON, with all that its kind adds to a diagnostic."""
    entry, own = registry()[one.code], asdict(one)
    shared = {"code": one.code, "severity": one.severity, "where": one.where, "title": entry.title,
              "message": one.message, "explanation": one.why, "fix": one.fix}  # fmt: skip
    return shared | {key: value for key, value in own.items() if key not in shared and key != "status"}


def counted(found: Iterable[Diagnostic]) -> str:
    """Return ``1 error, 2 warnings``; what there is none of is left out."""
    severities = [one.severity for one in found]
    parts = [f"{n} {name}{'s' * (n != 1)}" for name in SEVERITIES if (n := severities.count(name))]
    return ", ".join(parts) or "nothing found"
