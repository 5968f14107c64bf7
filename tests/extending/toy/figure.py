"""The geometric mean of every system, a dot with its interval."""

from __future__ import annotations

from functools import partial

from reportgen.domain.presentation import Value
from reportgen.domain.record import Estimate, Results
from reportgen.figures.drawing.data import VALUE_COLUMNS, value_row
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, dot_of
from reportgen.figures.drawing.words import Sketch

ORDER = 45


def build(results: Results) -> tuple[Sketch, ...]:
    """Return the figure, or nothing where no system has the metric."""
    found = [results.headline("gmean@0.5", system.id, "all_queries") for system in results.systems]
    rows = tuple(
        DotRow((results.system_by_id[one.system].label,), (dot_of(results, one),), (one.display.value,))
        for one in found
        if one is not None
    )
    figure = DotFigure(
        id="gmeans",
        title="Geometric means",
        columns=VALUE_COLUMNS,
        rows=partial(_rows, results),
        facts=lambda shown: {"caption": "Geometric means at 0.5.", "alt": f"Geometric means of {len(shown)} systems."},
        note=lambda shown: "",
    )
    return figure.in_parts(results, results.by_id, [DotPanel("G-mean at 0.5", rows, ())], 1) if rows else ()


def _rows(results: Results, record: Estimate) -> list[tuple[Value, ...]]:
    return [value_row(results, record)]
