"""The steps of a ladder of systems from top to bottom: each value with its interval, and the change it made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from reportgen.domain.presentation import Value
from reportgen.domain.record import Comparison, Estimate, Results
from reportgen.figures.drawing.data import (
    VALUE_COLUMNS,
    bounds,
    training_column,
    value_row,
    with_trainings,
)
from reportgen.figures.drawing.dot_panels import DotFigure, DotPanel, DotRow, dot_of
from reportgen.figures.drawing.words import Sketch
from reportgen.float_selection import ladder, ladder_steps
from reportgen.numbers import UNDEFINED
from reportgen.wording.captions import (
    drawn_level,
)
from reportgen.wording.comparisons import SHOWN, VERDICTS, are_adjusted
from reportgen.wording.heads import panel_head
from reportgen.wording.text import value_text

ORDER = 70
_COLUMNS = (
    *VALUE_COLUMNS[:2], "step", *VALUE_COLUMNS[2:], "change", "change_lower", "change_upper", "p_adjusted", "verdict",
)  # fmt: skip
_Rungs = Mapping[str, list[Estimate]]
"""The records of the steps by metric."""
_Changes = Mapping[str, Comparison | None]
"""The comparison with the step before, by the id of a step's record."""


def build(results: Results) -> tuple[Sketch, ...]:
    """Return one figure, or several where the rows fill more than a page; nothing with fewer than two steps."""
    if not results.comparisons:
        return ()
    found = {one.metric.id: [record for record in one.records if record is not None] for one in ladder(results)}
    rungs = {m: records for m, records in found.items() if any(record.value is not None for record in records)}
    changes = {
        records[at].id: _change(results, records, at) for records in rungs.values() for at in range(len(records))
    }
    figure = DotFigure(
        id="ablation-ladder",
        title="Ablation ladder",
        columns=(*_COLUMNS, *training_column(results)),
        rows=lambda record: with_trainings(results, record, lambda one: _data(results, one, changes)),
        facts=partial(_facts, results, rungs, changes),
        note=lambda shown: f"Values with {level} CI" if (level := drawn_level(results, shown)) else "",
    )
    panels = [_panel(results, metric, records, changes) for metric, records in rungs.items()]
    parts = figure.in_parts(results, results.by_id, panels, joined=True)
    return tuple(replace(one, results=(*one.results, *_ids(results, changes, one.results))) for one in parts)


def _ids(results: Results, changes: _Changes, shown: tuple[str, ...]) -> list[str]:
    return [change.id for id_ in shown if (change := changes[id_]) and change.id in results.comparison_by_id]


def _change(results: Results, records: list[Estimate], at: int) -> Comparison | None:
    """Return the comparison of a step with the one before; None for the first, and where it was not made.

    A metric outside the family lacks one: a figure shows what the results hold.
    """
    if at == 0:
        return None
    after, before = records[at], records[at - 1]
    pair = (after.metric, after.system, before.system)
    return next((c for c in results.comparisons if (c.metric, c.system_a, c.system_b) == pair), None)


def _panel(results: Results, metric: str, records: list[Estimate], changes: _Changes) -> DotPanel:
    first = records[0]
    return DotPanel(
        title=panel_head(results, results.metric_by_id[metric], first.subset),
        rows=tuple(_row(results, record, changes[record.id], first=record is first) for record in records),
        references=() if first.value is None else (("baseline", first.value),),
        heads=("value", "from the step before", "adjusted p" if are_adjusted(results) else "p"),
    )


def _row(results: Results, record: Estimate, change: Comparison | None, *, first: bool) -> DotRow:
    compared = any(one.metric == record.metric for one in results.comparisons)
    moved = (
        ""
        if first or not compared
        else UNDEFINED
        if change is None
        else f"{change.display.difference} {change.display.unit}"
    )
    texts = (value_text(record), moved.strip(), change.display.p_adjusted if change else "")
    return DotRow((results.system_by_id[record.system].label,), (dot_of(results, record),), texts)


def _data(results: Results, record: Estimate, changes: _Changes) -> tuple[Value, ...]:
    """Return the data of a step; those of one of its trainings have no change."""
    change = changes[record.id] if results.by_id[record.id] is record else None
    row, step = value_row(results, record), results.system_by_id[record.system].step
    if change is None:
        return (*row[:2], step, *row[2:], None, None, None, None, None)
    p = change.tests[0].p_adjusted if change.tests else None
    return (*row[:2], step, *row[2:], change.difference, *bounds(change), p, change.verdict)


def _facts(results: Results, rungs: _Rungs, changes: _Changes, shown: list[Estimate]) -> dict[str, Any]:
    """Return from where to where the first metric goes, on which steps a difference is shown, and every step."""
    records, known = next(iter(rungs.values())), results.comparison_by_id
    valued = [record for record in records if record.value is not None]
    compared = [change for record in shown if (change := changes[record.id]) is not None and change.tests]

    def label(record: Estimate) -> str:
        return results.system_by_id[record.system].label

    def verdict(record: Estimate) -> str:
        change = changes[record.id]
        return VERDICTS[change.verdict] if change is not None and change.id in known else ""

    return {
        "first": valued[0],
        "last": valued[-1],
        "told": [
            f"{VERDICTS[change.verdict]} with {label(record)}"
            for record in records
            if (change := changes[record.id]) and change.verdict in SHOWN
        ],
        "steps": ladder_steps(results),
        "compared": compared,
        "untested": [
            one.metric.name
            for one in ladder(results)
            if not one.compared and any(r.metric == one.metric.id for r in shown)
        ],
        "rungs": [
            (results.metric_by_id[metric].name, [(record, verdict(record)) for record in of])
            for metric, of in rungs.items()
        ],
    }
