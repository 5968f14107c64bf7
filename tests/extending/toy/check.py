"""A run of fewer than twenty queries: one function with a code, and what the code means."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.checks.rule import Observed, rule
from reportgen.domain.contract import Contract
from reportgen.domain.run import Run

CODES = {
    "Toy": {
        "TOY001": {
            "title": "a run has fewer than twenty queries",
            "severity": "note",
            "why": "Its intervals are wide.",
            "fix": "Add queries.",
        }
    }
}


@rule("TOY001")
def few_queries(run: Run, contract: Contract) -> Iterator[Observed]:
    """Find a run with fewer than twenty queries."""
    if len(run.queries) < 20:
        yield Observed(f"The run has {len(run.queries)} queries.")
