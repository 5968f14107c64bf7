"""The two forms of a table of metrics.

The full form has a row for each metric and system with the four required columns: metric, value, subset,
interpretation. Its compact twin, for the body of a paper, has metrics down and systems across, the best marked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table, Text
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Mark, Notes, estimate_cell, sd_cell
from reportgen.tables._marks import explanation, marks, significance
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Line, systems
from reportgen.tables._wording import (
    FAMILIES,
    capital,
    caption,
    interval_sentence,
    lead,
    metric_head,
    population,
    scope_sentence,
    unit,
)

_WITH_INTERVALS = 4
"""Most systems beside which intervals still fit a page."""
_BRACKETS = re.compile(r" \([^()]*\)\.$")


def family_of(line: Line) -> str:
    """What a line's metric is about, in words: the head of its group."""
    return FAMILIES.get(line.metric.family, capital(line.metric.family.replace("_", " ")))


def full_table(
    results: Results,
    lines: Sequence[Line],
    *,
    id: str,
    title: str,
    about: str,
    group: Callable[[Line], str] = family_of,
    drop: str = "",
    further: str = "",
) -> Table | None:
    """One row per metric, subset and system; None without lines.

    ``about`` is the caption's second sentence, ``group`` the head under which a line stands, ``further`` a note.
    ``drop`` is an end of metrics' names that the caption makes needless.
    """
    if not lines:
        return None
    notes = Notes()
    heads = dict.fromkeys(group(line) for line in lines)
    shown = _shown(lines)
    spread = any(estimate.display.sd for estimate in shown)
    groups = tuple(
        RowGroup(
            head, tuple(r for line in lines if group(line) == head for r in _full(results, line, notes, spread, drop))
        )
        for head in heads
    )
    return Table(
        id=id,
        title=title,
        caption=caption(results, message(results, lines), about, scope_sentence(results, shown)),
        columns=(
            Column("metric", "Metric", "stub", width=1.7),
            *((Column("system", "System", "text", width=2.0),) if len(results.systems) > 1 else ()),
            Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),
            *((Column("sd_folds", f"SD over {len(results.folds)} folds", "number", width=0.9),) if spread else ()),
            Column("subset", "Subset", "subset", width=1.7),
            Column("interpretation", "Interpretation", "interpretation", width=3.9),
        ),
        groups=groups,
        notes=notes.all(interval_sentence(results, shown), further),
    )


def compact_table(
    results: Results, lines: Sequence[Line], *, id: str, title: str, about: str, further: str = ""
) -> Table | None:
    """Metrics down, systems across; one group of rows for each subset, which names its n; None without lines."""
    if not lines:
        return None
    notes = Notes()
    detail = len(results.systems) <= _WITH_INTERVALS
    used: set[Mark] = set()
    groups = []
    for subset in dict.fromkeys(line.subset for line in lines):
        rows = [_compact(results, line, notes, used, detail=detail) for line in lines if line.subset == subset]
        groups.append(RowGroup(population(results, subset), tuple(rows)))
    shown = _shown(lines)
    arrows = any(line.metric.direction != "none" for line in lines)
    general = (
        explanation(used),
        "↑ higher is better, ↓ lower is better." if arrows else "",
        interval_sentence(results, shown) if detail else "Intervals are left out for width.",
        further,
    )
    return Table(
        id=id,
        title=title,
        caption=caption(results, message(results, lines), about, scope_sentence(results, shown)),
        columns=(
            Column("metric", "Metric", "stub", width=2.0),
            *(
                Column(f"value_{system.id}", system.label, "estimate", width=1.6, suffixes=SUFFIXES)
                for system in systems(results)
            ),
        ),
        groups=tuple(groups),
        notes=notes.all(" ".join(part for part in general if part)),
        compact=True,
    )


def message(results: Results, lines: Sequence[Line]) -> Text:
    """Who leads on the first headline metric among the lines, or on the first that has a direction."""
    headline = [line for line in lines if line.metric.id in results.contract.headline]
    directed = [line for line in lines if line.metric.direction != "none"]
    first = (headline or directed or list(lines))[0]
    return lead(results, first.metric, [estimate for estimate in first.estimates if estimate is not None])


def metric_name(results: Results, line: Line, *, arrow: bool = False) -> str:
    """The metric as a row names it: its name, its direction if asked, its unit if it has one."""
    name = metric_head(results, line.metric, arrow=arrow)
    return f"{name} ({words})" if (words := unit(line.metric)) else name


def _shown(lines: Sequence[Line]) -> list[Estimate]:
    return [estimate for line in lines for estimate in line.estimates if estimate is not None]


def _full(results: Results, line: Line, notes: Notes, spread: bool, drop: str) -> list[Row]:
    mixed = differing(results, line.estimates)
    warning = (notes.key(f"{line.metric.name} differs between systems in: {', '.join(mixed)}."),) if mixed else ()
    name = Cell(metric_name(results, line).removesuffix(drop), notes=warning)
    pairs = zip(systems(results), line.estimates, strict=True)
    return [_full_row(results, line, system, estimate, name, notes, spread) for system, estimate in pairs]


def _full_row(
    results: Results,
    line: Line,
    system: SystemRecord,
    estimate: Estimate | None,
    name: Cell,
    notes: Notes,
    spread: bool,
) -> Row:
    value = estimate_cell(estimate, notes, scope=results.headline_scope)
    sd = Cell()
    if spread and estimate is not None and estimate.scope == "fold_mean" and estimate.value is not None:
        sd = sd_cell(estimate, len(results.folds), notes)
    return Row(
        (
            name,
            *((Cell(system.label),) if len(results.systems) > 1 else ()),
            value,
            *((sd,) if spread else ()),
            Cell(population(results, line.subset)),
            Cell(_meaning(estimate.interpretation) if estimate else "Not computed.", results=value.results),
        )
    )


def _meaning(interpretation: str) -> str:
    """The sentence without the brackets at its end, whose content the other columns of the row hold."""
    return _BRACKETS.sub(".", interpretation)


def _compact(results: Results, line: Line, notes: Notes, used: set[Mark], *, detail: bool) -> Row:
    mixed = differing(results, line.estimates)
    warning = (notes.key(f"Not comparable across systems, which differ in: {', '.join(mixed)}."),) if mixed else ()
    row_marks = marks(line.estimates, line.metric.direction)
    used.update(row_marks)
    cells = []
    for estimate, mark in zip(line.estimates, row_marks, strict=True):
        cell = estimate_cell(estimate, notes, scope=results.headline_scope, mark=mark, detail=detail)
        cells.append(replace(cell, notes=(*cell.notes, *significance(results, estimate, notes))))
    return Row((Cell(metric_name(results, line, arrow=True), notes=warning), *cells))
