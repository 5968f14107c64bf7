"""What a verification found, and what it looked at."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.codes import Severity, registry


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong in a bundle: where it stands, what it shows, and what it should show."""

    code: str
    file: str
    """The artefact: a POSIX path inside the bundle."""
    message: str
    place: str = ""
    """Where in the artefact: a row and column, a line, a page."""
    results: tuple[str, ...] = ()
    """Ids of the results that are shown there; several where the place alone does not tell them apart."""
    shown: str = ""
    expected: str = ""
    of_severity: Severity | None = None
    """Where it is not the code's own."""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return self.of_severity or registry()[self.code].severity

    def __str__(self) -> str:
        where = f"{self.file}, {self.place}" if self.place else self.file
        about = f" ({', '.join(self.results)})" if self.results else ""
        return f"{self.code} {where}: {self.message}{about}"


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome for one bundle."""

    files: int
    """Files that were looked at."""
    results: int
    """Results that they were held against."""
    checked: tuple[str, ...]
    """What was looked at, and what could not be, as sentences."""
    faults: tuple[Fault, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing of the severity error was found."""
        return not any(fault.severity == "error" for fault in self.faults)
