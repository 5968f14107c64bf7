"""What one rule looked at, and what it found wrong."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.codes import Severity
from reportgen.errors import Diagnostic

_SHOWN = 3


@dataclass(frozen=True, slots=True)
class RelationOutcome:
    """The outcome of a rule; with nothing wrong it is a note that says what was looked at."""

    code: str
    checked: str
    """What was looked at, as a sentence without its end: ``12 values are within the ranges of their metrics``."""
    wrong: tuple[str, ...]
    severity: Severity | None = None
    """Where it is not the code's own."""

    @property
    def check(self) -> Diagnostic:
        """Return the outcome as a record of the results."""
        if not self.wrong:
            return Diagnostic(self.code, "", f"{self.checked}.", severity="note", status="passed")
        more = f"; and {len(self.wrong) - _SHOWN:,} more" if len(self.wrong) > _SHOWN else ""
        return Diagnostic(self.code, "", f"{'; '.join(self.wrong[:_SHOWN])}{more}.", severity=self.severity)
