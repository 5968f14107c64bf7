"""All checks of a run: every rule of every module in ``families``, so that a new one is listed nowhere."""

from __future__ import annotations

from functools import cache

from reportgen.checks import families
from reportgen.checks.rule import Rule
from reportgen.discovery import announced, modules
from reportgen.domain.contract import Contract
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic


@cache
def rules() -> tuple[Rule, ...]:
    """Return every check there is, by code."""
    files = (*modules(families.__name__, families.__path__), *(one for _, one in announced("checks")))
    found = [value for file in files for value in vars(file).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def check_run(run: Run, contract: Contract) -> list[Diagnostic]:
    """Return everything the checks find in a run, under a contract; nothing is computed that a report would print."""
    return [found for rule in rules() for found in rule(run, contract)]
