"""Cells that show comparisons, and the words around them."""

from __future__ import annotations

from reportgen.domain.presentation import Cell
from reportgen.domain.record import REASONS, Comparison, Results
from reportgen.numbers import UNDEFINED
from reportgen.tables._cells import Notes

SUFFIXES = ("lower", "upper", "p", "p_adjusted")
"""Machine columns that a difference fills."""
OWN_SCALE = "Differences of proportions are printed in percentage points; machine-read forms hold them as proportions."


def difference_cell(comparison: Comparison | None, notes: Notes, missing: str) -> Cell:
    """The difference with its interval; ``missing`` says why there is no such comparison."""
    if comparison is None:
        return Cell(UNDEFINED, status="missing", notes=(notes.key(f"{UNDEFINED}: {missing}."),))
    shown = comparison.display
    keys = [notes.key(text) for text in comparison.notes]
    if comparison.reason is not None:
        keys.append(notes.key(f"{shown.difference}: {REASONS[comparison.reason]}."))
    interval = comparison.intervals[0] if comparison.intervals else None
    test = comparison.tests[0] if comparison.tests else None
    absent = "not_applicable" if comparison.verdict == "not_applicable" else "undefined"
    return Cell(
        shown.difference,
        detail=shown.interval,
        value=comparison.difference,
        extra=(
            ("lower", interval.lower if interval else None),
            ("upper", interval.upper if interval else None),
            ("p", test.p if test else None),
            ("p_adjusted", test.p_adjusted if test else None),
        ),
        results=(comparison.id,),
        notes=tuple(dict.fromkeys(keys)),
        status="ok" if comparison.difference is not None else absent,  # type: ignore[arg-type] # one of the two words
    )


def between(results: Results, metric: str, a: str, b: str) -> Comparison | None:
    """The comparison of two systems on a metric, ``a`` judged against ``b``; None if there is none."""
    return next((c for c in results.comparisons if (c.metric, c.system_a, c.system_b) == (metric, a, b)), None)
