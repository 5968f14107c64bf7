"""What the systems return: how much of the evidence is in it, and how many candidates it takes."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import Line, lines, of_families

ID = "selection"
TITLE = "Selected evidence and workload"
NEEDS = "selected candidates"
ORDER = 46
_ABOUT = "What is returned of the evidence, and how much has to be read for it."


def build(results: Results) -> Table | None:
    """One row per metric and system, with subset and interpretation."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_ABOUT)


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked."""
    return compact_table(results, _lines(results), id=f"{ID}-compact", title=f"{TITLE}, compact", about=_ABOUT)


def _lines(results: Results) -> tuple[Line, ...]:
    return lines(results, of_families(results, "selection", "workload", "deployment"))
