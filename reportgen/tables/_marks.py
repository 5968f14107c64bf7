"""Best in bold, second best underlined; an asterisk where a test tells a system from the baseline.

The rule: among the systems with a value, by the metric's direction, on the printed value. Systems that print the
same value share the mark. The second mark needs three systems with a value, as of two the other is obvious. Where
all print the same, where a metric has no direction, and where the values were not made the same way, nothing is
marked. ``n/a`` and undefined values never are.

The asterisk follows the verdict of the recorded comparison with the declared baseline, and so the adjusted p value,
unrounded. It stands only beside the very value that was compared: same metric, subset and aggregation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reportgen.domain.presentation import Cell, plain
from reportgen.domain.record import Direction, Estimate, Results, TestRecord, comparison_id
from reportgen.tables._cells import Mark, Notes, estimate_cell
from reportgen.tables._signatures import comparable
from reportgen.wording.comparisons import ADJUSTMENTS, SHOWN
from reportgen.wording.rankings import ranks
from reportgen.wording.text import enumeration

EXPLANATION = "Bold: best by the printed value"
SECOND_EXPLANATION = "underlined: second best"
SIGN = "*"


def marks(estimates: Sequence[Estimate | None], direction: Direction) -> tuple[Mark, ...]:
    """The mark of each record of one metric and one subset, in their order."""
    if not comparable(estimates):
        return tuple("" for _ in estimates)
    values = [None if estimate is None else estimate.value for estimate in estimates]
    of_place: dict[int, Mark] = {1: "best"}
    if sum(value is not None for value in values) > 2:
        of_place[2] = "second"
    printed = ["" if estimate is None else estimate.display.value for estimate in estimates]
    return tuple(of_place.get(place, "") for place in ranks(values, printed, direction))


def marked_cells(
    results: Results,
    estimates: Sequence[Estimate | None],
    direction: Direction,
    notes: Notes,
    used: set[Mark],
    *,
    aggregation: str,
    detail: bool = False,
) -> list[Cell]:
    """The cells of one metric on one subset, system by system, with their marks and asterisks.

    ``used`` takes up the marks, for their explanation; ``aggregation`` and ``detail`` are as for
    :func:`~reportgen.tables._cells.estimate_cell`.
    """
    row_marks = marks(estimates, direction)
    used.update(row_marks)
    cells = [
        estimate_cell(estimate, notes, aggregation=aggregation, mark=mark, detail=detail)
        for estimate, mark in zip(estimates, row_marks, strict=True)
    ]
    return [tested(results, estimate, cell, notes) for estimate, cell in zip(estimates, cells, strict=True)]


def tested(results: Results, estimate: Estimate | None, cell: Cell, notes: Notes) -> Cell:
    """The cell of a record with its asterisk, where it has one."""
    return replace(cell, notes=(*cell.notes, *significance(results, estimate, notes)))


def explanation(used: set[Mark]) -> str:
    """What the marks of a table mean; empty where it has none."""
    if "best" not in used:
        return ""
    parts = [EXPLANATION] + [SECOND_EXPLANATION] * ("second" in used)
    return f"{'; '.join(parts)}; equal printed values share a mark. These marks are no test of a difference."


def significance(results: Results, estimate: Estimate | None, notes: Notes) -> tuple[str, ...]:
    """``("*",)`` for a value that was tested against the baseline's and differs; the note names test and family."""
    if estimate is None or results.run.baseline is None:
        return ()
    id_ = comparison_id(estimate.metric, estimate.system, results.run.baseline, estimate.subset, estimate.aggregation)
    comparison = results.comparison_by_id.get(id_)
    if comparison is None or comparison.verdict not in SHOWN or not comparison.tests:
        return ()
    return (notes.sign(SIGN, _about_test(results, comparison.tests[0])),)


def _about_test(results: Results, test: TestRecord) -> str:
    baseline = results.system_by_id[results.run.baseline or ""].label
    alpha = round(1 - float(results.contract.conventions["interval_level"]), 12)
    family = plain(enumeration([results.metric_by_id[metric].name for metric in test.family]))
    adjusted = f"{ADJUSTMENTS[test.adjustment]} p" if test.family_size > 1 else "p"
    over = f", for {test.family_size} comparisons on {family}" if test.family_size > 1 else ""
    return (
        f"Differs from {baseline}: {adjusted} of at most {alpha:g} ({test.alternative} {test.name}{over}). A value "
        "without this mark either shows no difference or was not tested."
    )
