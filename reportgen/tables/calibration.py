"""How far probabilities can be taken at their word."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import Line, lines, of_families

ID = "calibration"
TITLE = "Calibration"
NEEDS = "probabilities"
ORDER = 44
_ABOUT = "Errors of the probabilities, the parts of the Brier score, and how the probabilities would have to be bent."


def build(results: Results) -> Table | None:
    """One row per metric and system, with subset and interpretation."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_ABOUT)


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked."""
    return compact_table(results, _lines(results), id=f"{ID}-compact", title=f"{TITLE}, compact", about=_ABOUT)


def _lines(results: Results) -> tuple[Line, ...]:
    return lines(results, of_families(results, "calibration"))
