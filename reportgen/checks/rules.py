"""All checks of a run: every rule of every module in ``families``, so that a new one is listed nowhere."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from reportgen.checks import families
from reportgen.checks.rule import Rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic


@cache
def rules() -> tuple[Rule, ...]:
    """Every check there is, by code."""
    modules = (
        importlib.import_module(f"{families.__name__}.{info.name}") for info in pkgutil.iter_modules(families.__path__)
    )
    found = [value for module in modules for value in vars(module).values() if isinstance(value, Rule)]
    return tuple(sorted(found, key=lambda rule: rule.code))


def check_run(run: Run, contract: Contract) -> list[Diagnostic]:
    """Everything the checks find in a run, under a contract; nothing is computed that a report would print."""
    return [found for rule in rules() for found in rule(run, contract)]
