"""The three states of the gate: what screening drops and what alerts are worth."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import Line, lines, of_families

ID = "triage"
TITLE = "Triage"
NEEDS = "the gate's states"
ORDER = 50
_ABOUT = (
    "Alerts are in state POS, what screening drops is in state NEG. Rates count all queries; a miss rate divides by "
    "positive ones."
)


def build(results: Results) -> Table | None:
    """One row per metric and system, with subset and interpretation."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_ABOUT)


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked."""
    return compact_table(results, _lines(results), id=f"{ID}-compact", title=f"{TITLE}, compact", about=_ABOUT)


def _lines(results: Results) -> tuple[Line, ...]:
    return lines(results, of_families(results, "triage"))
