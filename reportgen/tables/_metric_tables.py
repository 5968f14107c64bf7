"""The two forms of a table of metrics.

The full form has a row for each metric and system with the four required columns: metric, value, subset,
interpretation. Its compact twin, for the body of a paper, has metrics down and systems across, the best marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table, Text
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.tables._cells import SUBSET, SUFFIXES, Mark, Notes, estimate_cell, sd_cell, subset_cell
from reportgen.tables._marks import explanation, marked_cells, tested
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Line, systems
from reportgen.wording.captions import aggregation_sentence, caption, interval_sentence, lead
from reportgen.wording.heads import family_name, subset_head, with_unit
from reportgen.wording.text import paragraph
from reportgen.wording.values import meaning

_WITH_INTERVALS = 4
"""Most systems beside which intervals still fit a page."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Columns that a full form has beside the required ones, and the cells of a row in them."""

    columns: tuple[Column, ...]
    cells: Callable[[Line, SystemRecord, Estimate | None, Notes], Sequence[Cell]]


NOTHING = Beside((), lambda line, system, estimate, notes: ())


def full_table(
    results: Results,
    lines: Sequence[Line],
    *,
    id: str,
    title: str,
    about: str,
    opening: Text = "",
    of: Sequence[SystemRecord] = (),
    group: Callable[[Line], Text] = lambda line: family_name(line.metric),
    drop: str = "",
    before: Beside = NOTHING,
    after: Beside = NOTHING,
    further: str = "",
) -> Table | None:
    """One row per metric, subset and system, with the four required columns; None without lines.

    Args:
        results: Everything that was computed.
        lines: Metrics on subsets, each with a record for every system of ``of``.
        id: Slug of the table.
        title: Its title.
        about: The caption's second sentence.
        opening: The caption's first sentence; who leads, if omitted.
        of: The systems in their order; all of them if omitted. One system has no column.
        group: The head under which a line stands.
        drop: An end of metrics' names that the caption makes needless.
        before: Columns before the value.
        after: Columns between the value and its subset.
        further: A note on the whole table.
    """
    if not lines:
        return None
    notes, shown_systems = Notes(), tuple(of) or systems(results)
    several = len(shown_systems) > 1
    heads = dict.fromkeys(group(line) for line in lines)
    shown = _shown(lines)
    spread = any(estimate.display.sd for estimate in shown)

    def rows_of(line: Line) -> list[Row]:
        name = _row_name(results, line, notes, drop)
        return [
            _full_row(results, line, system, estimate, name, notes, several, spread, before, after)
            for system, estimate in zip(shown_systems, line.estimates, strict=True)
        ]

    groups = tuple(
        RowGroup(head, tuple(row for line in lines if group(line) == head for row in rows_of(line))) for head in heads
    )
    return Table(
        id=id,
        title=title,
        caption=caption(results, opening or message(results, lines), about, aggregation_sentence(results, shown)),
        columns=(
            Column("metric", "Metric", "stub", width=1.7),
            *((Column("system", "System", "text", width=1.8),) if several else ()),
            *before.columns,
            Column("value", "Value", "estimate", width=1.9, suffixes=SUFFIXES),
            *((Column("sd_folds", f"SD over {len(results.folds)} folds", "number", width=0.95),) if spread else ()),
            *after.columns,
            SUBSET,
            Column("interpretation", "Interpretation", "interpretation", width=3.7),
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
        here = [line for line in lines if line.subset == subset]
        rows = [_compact(results, line, notes, used, detail=detail) for line in here]
        groups.append(RowGroup(subset_head(results, subset, _shown(here)), tuple(rows)))
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
        caption=caption(results, message(results, lines), about, aggregation_sentence(results, shown)),
        columns=(
            Column("metric", "Metric", "stub", width=2.0),
            *(
                Column(f"value_{system.id}", system.label, "estimate", width=1.6, suffixes=SUFFIXES)
                for system in systems(results)
            ),
        ),
        groups=tuple(groups),
        notes=notes.all(paragraph(general)),
        compact=True,
    )


def message(results: Results, lines: Sequence[Line]) -> Text:
    """Who leads on the first headline metric among the lines, or on the first that has a direction."""
    headline = [line for line in lines if line.metric.id in results.contract.headline]
    directed = [line for line in lines if line.metric.direction != "none"]
    first = (headline or directed or list(lines))[0]
    return lead(results, first.metric, [estimate for estimate in first.estimates if estimate is not None])


def _shown(lines: Sequence[Line]) -> list[Estimate]:
    return [estimate for line in lines for estimate in line.estimates if estimate is not None]


def _row_name(results: Results, line: Line, notes: Notes, drop: str) -> Cell:
    mixed = differing(results, line.estimates)
    warning = (notes.key(f"{line.metric.name} differs between systems in: {', '.join(mixed)}."),) if mixed else ()
    return Cell(with_unit(results, line.metric).removesuffix(drop), notes=warning)


def _full_row(
    results: Results,
    line: Line,
    system: SystemRecord,
    estimate: Estimate | None,
    name: Cell,
    notes: Notes,
    several: bool,
    spread: bool,
    before: Beside,
    after: Beside,
) -> Row:
    value = estimate_cell(estimate, notes, aggregation=results.headline_aggregation)
    sd = Cell()
    if spread and estimate is not None and estimate.aggregation == "fold_mean" and estimate.value is not None:
        sd = sd_cell(estimate, len(results.folds), notes)
    return Row(
        (
            name,
            *((Cell(system.label),) if several else ()),
            *before.cells(line, system, estimate, notes),
            tested(results, estimate, value, notes),
            *((sd,) if spread else ()),
            *after.cells(line, system, estimate, notes),
            subset_cell(results, line.subset, estimate),
            Cell(meaning(results, estimate) if estimate else "Not computed.", results=value.results),
        )
    )


def _compact(results: Results, line: Line, notes: Notes, used: set[Mark], *, detail: bool) -> Row:
    mixed = differing(results, line.estimates)
    warning = (notes.key(f"Not comparable across systems, which differ in: {', '.join(mixed)}."),) if mixed else ()
    aggregation = results.headline_aggregation
    cells = marked_cells(
        results, line.estimates, line.metric.direction, notes, used, aggregation=aggregation, detail=detail
    )
    return Row((Cell(with_unit(results, line.metric, direction=True), notes=warning), *cells))
