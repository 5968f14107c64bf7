"""Findings as SARIF 2.1.0, the form in which code hosts show the findings of a tool beside the lines of a change.

Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0", sections 3.13 to 3.28 and 3.49.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from reportgen.codes import registry
from reportgen.errors import Diagnostic, printable
from reportgen.version import __version__

_LEVELS = {"error": "error", "warning": "warning", "note": "note"}
_LINE = re.compile(r"(?::|\(line )([1-9][0-9]{0,8})(?:,|\)|$)")


def sarif(found: Iterable[tuple[str, Diagnostic]]) -> dict[str, Any]:
    """Return a SARIF log of one run of the tool, from findings with the file that each is about.

    A place such as ``paper.md:12`` or ``results.md, table 1 (line 12)`` gives the line; all of it is in the message.
    Every code that occurs is a rule, with why it matters and what to do.
    """
    pairs = list(found)
    codes = sorted({one.code for _, one in pairs})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {"name": "reportgen", "version": __version__, "rules": [_rule(c) for c in codes]}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(file, one, codes.index(one.code)) for file, one in pairs],
            }
        ],
    }


def _rule(code: str) -> dict[str, Any]:
    entry = registry()[code]
    return {
        "id": code,
        "shortDescription": {"text": f"{entry.title[0].upper()}{entry.title[1:]}."},
        "fullDescription": {"text": entry.why},
        "help": {"text": entry.fix},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(file: str, one: Diagnostic, rule: int) -> dict[str, Any]:
    at = _LINE.search(one.where.removeprefix(file)) if one.where.startswith(file) else None
    where = f"{one.where}: " if one.where else ""
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _LEVELS[one.severity],
        "message": {"text": printable(f"{where}{one.message} {one.fix}".strip())},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(file)},
                    "region": {"startLine": int(at[1]) if at else 1},
                }
            }
        ],
    }


def _uri(file: str) -> str:
    """Return a path as a relative URI reference, or for an absolute path a file URI."""
    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
