"""What is wrong, or must be known, about a run before anything is computed: pure functions from a run to findings.

One file per family; each check is a function with a code, and is found by its decorator.
"""

from reportgen.checks.rule import of_all_systems
from reportgen.checks.rules import check_run, rules

__all__ = ["check_run", "of_all_systems", "rules"]
