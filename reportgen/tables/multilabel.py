"""Decisions on queries as sets of labels, one set per cluster."""

from __future__ import annotations

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.tables._metric_tables import compact_table, full_table
from reportgen.tables._systems import Line, lines, of_families

ID = "multilabel"
TITLE = "Multi-label decisions"
NEEDS = "labels and decisions"
ORDER = 56


def build(results: Results) -> Table | None:
    """One row per metric and system, with subset and interpretation."""
    return full_table(results, _lines(results), id=ID, title=TITLE, about=_about(results))


def compact(results: Results) -> Table | None:
    """Metrics down, systems across, best marked."""
    return compact_table(
        results, _lines(results), id=f"{ID}-compact", title=f"{TITLE}, compact", about=_about(results)
    )  # fmt: skip


def _lines(results: Results) -> tuple[Line, ...]:
    return lines(results, of_families(results, "multilabel"))


def _about(results: Results) -> str:
    return (
        f"The decisions on single {results.units.query.many} are read as one set of {results.units.label.many} for "
        f"each {results.units.cluster.one}."
    )
