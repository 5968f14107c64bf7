"""Every error the product raises on purpose, in one tree.

```
ReportgenError            where, what, why, what to do; the base of all
├── InputError            RG1xx  a run folder or file cannot be read, or contradicts itself
├── ContractError         RG3xx  a contract is unknown, incomplete or has an unknown key
├── ResultsError          RG4xx  a metrics_master.json is not readable or breaks a relation
├── RenderError           RG5xx  a table, figure or document cannot be set
├── OutputError           RG6xx  the target cannot be written
├── ManuscriptError       RG69x  a document whose numbers are to be looked at cannot be read
├── RequestError          RG7xx  what was asked for in Python or of a verb cannot be done as asked
└── ProblemList                  several of the above, reported together
```

Findings, which stop nothing, have the same form and codes of their own; all codes are explained in
:mod:`reportgen.codes`.

An error is one or more :class:`Diagnostic` (data) wrapped in an exception, so that a reader of input can collect
all problems of a run and report them at once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from reportgen.codes import Severity, registry

Status: TypeAlias = Literal["passed", "failed", "not_run"]

_LONGEST = 1000
"""Characters of a line of a message; what is longer, such as a name of thousands, is cut in its middle."""
_LISTED = 40
"""How many problems a message spells out; the others are counted."""


def printable(text: str) -> str:
    """Return text on one line that acts on nothing around it, for a terminal or a log.

    Control characters (a terminal obeys them) and the marks that turn the direction of writing become their code
    point in brackets, ``[U+001B]``; line breaks become spaces.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(char) for char in text)


def _shown(char: str) -> str:
    if char in "\t\n\v\f\r\x85\u2028\u2029":
        return " "
    acts = unicodedata.category(char) in {"Cc", "Cs"} or unicodedata.bidirectional(char) in _TURNS
    return f"[U+{ord(char):04X}]" if acts else char


_TURNS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def _line(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 300]} […] {shown[-280:]}"


@dataclass(frozen=True, slots=True, init=False)
class Diagnostic:
    """The outcome of one check: an error, or a finding that stops nothing, as the results hold it too.

    Args:
        code: A code of the registry, which says why it matters; KeyError for any other.
        where: The place: a file, the id of a system; empty for the run as a whole.
        message: What is the case there.
        fix: What to do; the registry's words where none are given and the check failed.
        severity: Where it is not the code's own.
        status: Whether the check was made and passed; a note that failed is one for the record.
    """

    code: str
    status: Status
    severity: Severity
    message: str
    where: str
    fix: str

    def __init__(
        self, code: str, where: str, message: str, fix: str = "", severity: Severity | None = None,
        status: Status = "failed",
    ) -> None:  # fmt: skip
        entry = registry()[code]
        fix = fix or (entry.fix if status == "failed" else "")
        for field, value in zip(_FIELDS, (code, status, severity or entry.severity, message, where, fix), strict=True):
            object.__setattr__(self, field, value)

    @property
    def why(self) -> str:
        """Return why it matters."""
        return registry()[self.code].why

    @property
    def head(self) -> str:
        """Return code, place and message on one line."""
        return _line(" ".join(filter(None, (self.code, f"{self.where}:" if self.where else "", self.message))))

    def __str__(self) -> str:
        return "\n".join([self.head, f"  {_line(self.why)}", f"  {_line(self.fix)}"])


_FIELDS = ("code", "status", "severity", "message", "where", "fix")


class ReportgenError(Exception):
    """Base of all errors of the product; carries one or more problems. ``exit_code`` is the CLI's."""

    code_prefix = "RG"
    exit_code = 2

    def __init__(self, problems: Diagnostic | Sequence[Diagnostic]) -> None:
        self.problems: tuple[Diagnostic, ...] = (problems,) if isinstance(problems, Diagnostic) else tuple(problems)
        if not self.problems:
            raise ValueError("an error needs at least one problem")
        for problem in self.problems:
            if not problem.code.startswith(self.code_prefix):
                raise ValueError(f"{type(self).__name__} takes codes {self.code_prefix}…, not {problem.code}")
        spelt = [str(problem) for problem in self.problems[:_LISTED]]
        if more := len(self.problems) - len(spelt):
            spelt.append(f"and {more:,} more of this kind")
        super().__init__("\n\n".join(spelt))

    def __reduce__(self) -> tuple[type[ReportgenError], tuple[tuple[Diagnostic, ...]]]:
        """Cross from one process to another with the problems, not with their text."""
        return type(self), (self.problems,)


class InputError(ReportgenError):
    """A run folder or file cannot be read, or contradicts itself."""

    code_prefix = "RG1"


class ContractError(ReportgenError):
    """A contract is unknown, incomplete, or names a key or value that does not exist."""

    code_prefix = "RG3"


class ResultsError(ReportgenError):
    """A metrics_master.json is not readable, of an unknown major version, or breaks a relation."""

    code_prefix = "RG4"


class RenderError(ReportgenError):
    """A table, figure or document cannot be set as asked."""

    code_prefix = "RG5"


class OutputError(ReportgenError):
    """The target cannot be written."""

    code_prefix = "RG6"


class ManuscriptError(ReportgenError):
    """A document that somebody typed, whose numbers are to be looked at, cannot be read."""

    code_prefix = "RG69"


class RequestError(ReportgenError):
    """What was asked for in Python, or of a verb that asks back, cannot be done as asked."""

    code_prefix = "RG7"


class ProblemList:
    """Collects problems while reading, raises them together (one error, all its places)."""

    def __init__(self, error: type[ReportgenError] = InputError) -> None:
        self._error = error
        self._problems: dict[Diagnostic, None] = {}

    def add(self, code: str, where: str, message: str, fix: str = "") -> None:
        """Record one problem; a problem recorded before is not repeated."""
        self._problems.setdefault(Diagnostic(code, where, message, fix))

    def extend(self, problems: Iterable[Diagnostic]) -> None:
        """Record several problems."""
        self._problems.update(dict.fromkeys(problems))

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Return what was recorded so far."""
        return tuple(self._problems)

    def __bool__(self) -> bool:
        return bool(self._problems)

    def raise_if_any(self) -> None:
        """Raise all recorded problems as one error; do nothing if there are none."""
        if self._problems:
            raise self._error(self.problems)
