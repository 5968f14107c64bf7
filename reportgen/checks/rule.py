"""A check of a run: a function with a code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from reportgen.checks.finding import CheckStatus, finding, of_all_systems
from reportgen.codes import Severity
from reportgen.domain.contract import Contract
from reportgen.domain.record import Check
from reportgen.domain.run import Run


@dataclass(frozen=True, slots=True)
class Observed:
    """What a check saw."""

    message: str
    where: str = ""
    """Id of the system it is about; empty for the run as a whole."""
    severity: Severity | None = None
    """Where it is not the code's own."""
    status: CheckStatus = "failed"


Look: TypeAlias = Callable[[Run, Contract], Iterable[Observed]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One check; calling it gives its findings."""

    code: str
    look: Look

    def __call__(self, run: Run, contract: Contract) -> list[Check]:
        """The findings, what all systems have in common said once."""
        seen = [
            finding(self.code, o.message, where=o.where, severity=o.severity, status=o.status)
            for o in self.look(run, contract)
        ]
        return of_all_systems(seen, len(run.systems))


def rule(code: str) -> Callable[[Look], Rule]:
    """Declare a function as the check of a code."""
    return lambda look: Rule(code, look)
