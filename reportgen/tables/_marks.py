"""Best in bold, second best underlined; an asterisk where a test tells a system from the baseline.

The rule: among the systems with a value, by the metric's direction, before rounding. Systems with equal values share
the mark. The second mark needs three systems with a value, as of two the other is obvious. Where all are equal, where a
metric has no direction, where what has to be read beside it is not in the table, and where
the values were not made the same way, nothing is marked. ``n/a`` and undefined values never are.

Values were made the same way if their signatures are equal: ``metric|aspect:value|…``. Those of one metric that differ
carry a note that says in what.

The asterisk follows the verdict of the recorded comparison with the declared baseline, and so the adjusted p value,
unrounded. It stands only beside the very value that was compared: same metric, subset and aggregation.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Literal, TypeAlias

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner
from reportgen.domain.record import Direction, Estimate, Results, TestRecord, comparison_id
from reportgen.tables._cells import Notes, estimate_cell
from reportgen.tables._lines import MetricLine
from reportgen.wording.comparisons import ADJUSTMENTS, SHOWN
from reportgen.wording.rankings import companion, ranks

Mark: TypeAlias = Literal["", "best", "second"]


def marks(estimates: Sequence[Estimate | None], direction: Direction) -> tuple[Mark, ...]:
    """Return the mark of each record of one metric and one subset, in their order."""
    if not comparable(estimates):
        return tuple("" for _ in estimates)
    values = [None if estimate is None else estimate.value for estimate in estimates]
    of_place: dict[int, Mark] = {1: "best"}
    if sum(value is not None for value in values) > 2:
        of_place[2] = "second"
    return tuple(of_place.get(place, "") for place in ranks(values, direction))


def cells_of(
    results: Results, line: MetricLine, notes: Notes, *, aggregation: str, detail: bool = True, marked: bool = True
) -> list[Cell]:
    """Return the cells of a line, system by system, with their marks, asterisks and what sets them apart.

    ``aggregation`` and ``detail`` are as for :func:`~reportgen.tables._cells.estimate_cell`.
    """
    mixed = differing(results, line.estimates)
    why = f"Not comparable between systems: {', '.join(mixed)} differ."
    warning = (notes.key(why),) if mixed else ()
    cells = []
    for estimate, mark in zip(line.estimates, marks(line.estimates, line.metric.direction), strict=True):
        cell = estimate_cell(estimate, notes, aggregation=aggregation, detail=detail)
        keys = (*cell.notes, *warning, *significance(results, estimate, notes))
        cells.append(replace(cell, notes=keys, mark=mark if marked else ""))
    return cells


WANTED: Mapping[str, frozenset[Mark]] = {
    "": frozenset({"best", "second"}),
    "best": frozenset({"best"}),
    "best-and-second": frozenset({"best", "second"}),
    "none": frozenset(),
}
"""The marks that an option of a table asks for, by its word."""


def marked_again(
    columns: Sequence[Column],
    groups: Sequence[RowGroup],
    spanners: Sequence[Spanner],
    results: Results,
    wanted: Collection[Mark],
    *,
    within_groups: bool,
) -> tuple[RowGroup, ...]:
    """Return the rows of any table with the marks that are asked for, over all its values of one metric and subset.

    With ``within_groups`` best are the best below each head of rows and each head over columns.
    """
    over = {key: at for at, spanner in enumerate(spanners) for key in spanner.columns}
    found: dict[tuple[Hashable, ...], dict[str, Estimate]] = {}
    shown: set[str] = set()

    def place(column: Column, cell: Cell, group: int) -> tuple[tuple[Hashable, ...], Estimate] | None:
        record = results.by_id.get(cell.results[0]) if cell.results and column.role == "estimate" else None
        if record is None or record.value is None or cell.value != record.value:
            return None
        part = (group, over.get(column.key)) if within_groups else ()
        return (record.metric, record.subset, *part), record

    for at, group in enumerate(groups):
        for row in group.rows:
            for placed in map(place, columns, row.cells, repeat(at)):
                if placed:
                    found.setdefault(placed[0], {})[placed[1].id] = placed[1]
                    shown.add(placed[1].metric)
    of: dict[tuple[tuple[Hashable, ...], str], Mark] = {}
    for key, records in found.items():
        metric = results.metric_by_id[next(iter(records.values())).metric]
        if (beside := companion(metric.id)) is None or beside in shown:
            of |= zip(((key, id) for id in records), marks(list(records.values()), metric.direction), strict=True)

    def marked(column: Column, cell: Cell, group: int) -> Cell:
        placed = place(column, cell, group)
        mark = of.get((placed[0], placed[1].id), "") if placed else ""
        return replace(cell, mark=mark if mark in wanted else "")

    return tuple(
        replace(group, rows=tuple(Row(tuple(map(marked, columns, row.cells, repeat(at)))) for row in group.rows))
        for at, group in enumerate(groups)
    )


def read_alone(line: MetricLine, lines: Iterable[MetricLine]) -> bool:
    """Return whether the best value of a line means something: what has to be read beside it is in the table."""
    beside = companion(line.metric.id)
    return beside is None or any(other.metric.id == beside for other in lines)


def significance(results: Results, estimate: Estimate | None, notes: Notes) -> tuple[str, ...]:
    """Return ``("*",)`` for a value that a test tells from the baseline's; the note names test and family."""
    if estimate is None or results.run.baseline is None:
        return ()
    id_ = comparison_id(estimate.metric, estimate.system, results.run.baseline, estimate.subset, estimate.aggregation)
    comparison = results.comparison_by_id.get(id_)
    if comparison is None or comparison.verdict not in SHOWN or not comparison.tests:
        return ()
    baseline = results.system_by_id[results.run.baseline].label
    return (notes.sign("*", _about_test(results, comparison.tests[0], baseline), f"differs from {baseline}"),)


def _about_test(results: Results, test: TestRecord, baseline: str) -> str:
    adjusted = f"{ADJUSTMENTS[test.adjustment]} p" if test.family_size > 1 else "p"
    over = f" for {test.family_size} tests" if test.family_size > 1 else ""
    level = f"{results.alpha:g}{over}"
    return f"Differs from {baseline}: {adjusted} of at most {level}. No mark: no difference shown, or no test."


def aspects(signature: str) -> dict[str, str]:
    """Return the conventions of a signature by name; the metric's id is under ``metric``."""
    metric, *rest = signature.split("|")
    pairs = (part.partition(":") for part in rest)
    return {"metric": metric, **{name: value for name, _, value in pairs}}


def comparable(estimates: Iterable[Estimate | None]) -> bool:
    """Return whether all defined records have one signature, and so may be next to each other and be ranked."""
    return (
        len({estimate.signature for estimate in estimates if estimate is not None and estimate.value is not None}) < 2
    )


def differing(results: Results, estimates: Sequence[Estimate | None]) -> tuple[str, ...]:
    """Return the aspects in which defined records of one metric differ, by name; empty where they are comparable."""
    found = [
        aspects(results.signatures[estimate.signature])
        for estimate in estimates
        if estimate is not None and estimate.value is not None
    ]
    names = dict.fromkeys(name for one in found for name in one)
    return tuple(name for name in names if len({one.get(name) for one in found}) > 1)
