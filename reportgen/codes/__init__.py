"""The codes of everything the product can find wrong: errors that stop it, and findings it reports.

A code is stable: it is what a user searches for and what ``reportgen explain`` looks up. Each stands once, in a TOML
file of this folder, with a title, why it matters and what to do; findings say how severe they are as well. The
reference page is made from the same entries, and a test holds them against the code, in both directions.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

from reportgen.discovery import announced

Severity: TypeAlias = Literal["error", "warning", "note"]
Kind: TypeAlias = Literal["error", "finding"]

_FOLDER = Path(__file__).parent
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
"""From what must not be published to what a reader should know."""


@dataclass(frozen=True, slots=True)
class Code:
    """One thing that can be wrong, in general; what is wrong in a run is said where it is found."""

    code: str
    title: str
    """What is the case, as the rest of a sentence: ``a cluster is in two folds``."""
    kind: Kind
    """``error``: the product stops. ``finding``: it goes on and reports it."""
    family: str
    severity: Severity
    """Of a finding, in its usual form; a finding may be milder where little is affected. Errors are errors."""
    why: str
    fix: str


@cache
def registry() -> Mapping[str, Code]:
    """Return every code, in order.

    Raises:
        ValueError: A code is in two files, or an entry is not complete; a test would have found it.
    """
    found: dict[str, Code] = {}
    files = [(path.stem, tomllib.loads(path.read_text(encoding="utf-8"))) for path in sorted(_FOLDER.glob("*.toml"))]
    for name, families in (*files, *(("findings", families) for _, families in announced("codes"))):
        for family, entries in families.items():
            for code, entry in entries.items():
                if code in found:
                    raise ValueError(f"{code} stands twice")
                found[code] = _entry(code, family, "finding" if name == "findings" else "error", entry)
    return MappingProxyType(dict(sorted(found.items())))


def _entry(code: str, family: str, kind: Kind, entry: Mapping[str, Any]) -> Code:
    severity: Severity = entry["severity"] if kind == "finding" else "error"
    if severity not in SEVERITIES:
        raise ValueError(f"{code}: {severity!r} is not a severity")
    return Code(code, entry["title"], kind, family, severity, entry["why"], entry["fix"])


def reference_page() -> str:
    """Return the reference page of all codes (Markdown): docs/reference/codes.md."""
    lines = [
        "# Codes",
        "",
        "<!-- Made from the entries of the codes; do not edit. -->",
        "",
        "Everything that `reportgen` can find wrong has a code. *Findings* are reported by `reportgen check`, are in",
        "the checks of a report, and let the work go on; with `build --strict` a finding of the severity *error* stops",
        "it. *Errors* stop a command with exit code 2 and leave nothing half-written. `reportgen explain CODE` prints",
        "the same text in the terminal.",
    ]
    for kind, head in (("finding", "Findings"), ("error", "Errors")):
        lines += ["", f"## {head}"]
        of_kind = [code for code in registry().values() if code.kind == kind]
        for family in dict.fromkeys(code.family for code in of_kind):
            lines += ["", f"### {family}", ""]
            lines += [line for code in of_kind if code.family == family for line in _item(code)]
    return "\n".join(lines) + "\n"


def _item(code: Code) -> tuple[str, ...]:
    severity = f" ({code.severity})" if code.kind == "finding" else ""
    return (f"- **{code.code}**{severity} — {code.title}.", f"  {code.why}", f"  *What to do:* {code.fix}")
