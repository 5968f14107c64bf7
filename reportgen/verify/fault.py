"""What a verification found, and what it looked at."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.codes import Severity
from reportgen.errors import Diagnostic


@dataclass(frozen=True, slots=True, init=False)
class Fault(Diagnostic):
    """One thing that is wrong in a bundle: ``where`` is the artefact, a POSIX path inside the bundle."""

    place: str
    """Where in the artefact: a row and column, a line, a page."""
    results: tuple[str, ...]
    """Ids of the results that are shown there; several where the place alone does not tell them apart."""
    shown: str
    expected: str

    def __init__(
        self, code: str, where: str, message: str, place: str = "", results: tuple[str, ...] = (), shown: str = "",
        expected: str = "", severity: Severity | None = None,
    ) -> None:  # fmt: skip
        Diagnostic.__init__(self, code, where, message, severity=severity)
        values = {"place": place, "results": results, "shown": shown, "expected": expected}
        for field, value in values.items():
            object.__setattr__(self, field, value)

    @property
    def head(self) -> str:
        """Return code, artefact, place in it, message and results on one line."""
        where = f"{self.where}, {self.place}" if self.place else self.where
        about = f" ({', '.join(self.results)})" if self.results else ""
        return Diagnostic(self.code, where, f"{self.message}{about}").head


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome for one bundle."""

    files: int
    """Files that were looked at."""
    results: int
    """Results that they were compared with."""
    checked: tuple[str, ...]
    """What was looked at, and what could not be, as sentences."""
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing of the severity error was found."""
        return not any(fault.severity == "error" for fault in self.faults)
