"""A check of a run: a function with a code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from reportgen.codes import Severity
from reportgen.domain.contract import Contract
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic, Status


@dataclass(frozen=True, slots=True)
class Observed:
    """What a check saw."""

    message: str
    where: str = ""
    """Id of the system it is about; empty for the run as a whole."""
    severity: Severity | None = None
    """Where it is not the code's own."""
    status: Status = "failed"


Look: TypeAlias = Callable[[Run, Contract], Iterable[Observed]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One check; calling it gives its findings."""

    code: str
    look: Look

    def __call__(self, run: Run, contract: Contract) -> list[Diagnostic]:
        """Return the findings, what all systems have in common said once."""
        seen = [
            Diagnostic(self.code, o.where, o.message, severity=o.severity, status=o.status)
            for o in self.look(run, contract)
        ]
        return of_all_systems(seen, len(run.systems))


def of_all_systems(found: Sequence[Diagnostic], n_systems: int) -> list[Diagnostic]:
    """Say once, and of none of them, what is the same for every system; else return the findings as they are."""
    if len(found) == n_systems and len({check.message for check in found}) == 1:
        return [replace(found[0], where="")]
    return list(found)


def rule(code: str) -> Callable[[Look], Rule]:
    """Declare a function as the check of a code."""
    return lambda look: Rule(code, look)
