"""Tables of metrics, each declared once and set in two forms.

The full form has a row for each metric and system, with the four required columns: metric, value, subset,
interpretation. The compact form, for the body of a paper, arranges the same values by a :class:`MetricLayout`: metrics
down and systems across, or turned for many systems, if the table asks for nothing else. Tables whose values are not
records of metrics build their forms from the same parts: :func:`full_columns`, :class:`Entry`, :func:`grouped`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Spanner, Text
from reportgen.domain.record import Estimate, Results, SystemRecord
from reportgen.tables._cells import SUBSET, SUFFIXES, Notes, sd_cell, subset_cell
from reportgen.tables._lines import MetricLine, headline, records_of, systems
from reportgen.tables._marks import cells_of, read_alone
from reportgen.wording.captions import aggregation
from reportgen.wording.heads import design_effects, family_name, folds_counted, with_unit
from reportgen.wording.rankings import Lead, lead
from reportgen.wording.values import meaning

Intervals: TypeAlias = Literal["fitting", "all", "replaced"]
"""Which intervals are shown beside values: those that fit, all; or something else will be in their place."""
_METRIC = Column("metric", "Metric", "stub", width=1.7)
_SYSTEM = Column("system", "System", "text", width=1.8)
_INTERPRETATION = Column("interpretation", "Interpretation", "interpretation", width=3.7)


class Form(NamedTuple):
    """One form of a table, before it has its id and its words."""

    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    spanners: tuple[Spanner, ...] = ()
    notes: Notes | None = None
    """The notes of cells."""
    facts: Mapping[str, Any] = {}
    """What its template can ask, beside :class:`~reportgen.wording.facts.RunFacts`."""


class TableDeclaration(NamedTuple):
    """A table as its module declares it."""

    name: str
    """Slug: its id; the compact form adds a suffix."""
    title: str
    needs: str
    """What the results must hold for it, in words."""
    order: int
    """Its place among the tables."""
    metrics: Callable[[Results], MetricTable | None] | None = None
    """Gives a table of metrics, of which :mod:`reportgen.tables._arranged` makes both forms; None without its data."""
    full: Callable[[Results], Form | None] | None = None
    """Gives the full form of another table."""
    compact: Callable[[Results], Form | None] | None = None
    """Gives the compact form of another table, if it has one."""

    def form(self, results: Results, *, compact: bool) -> Form | None:
        """Return one of the forms of another table; None where the results lack its data."""
        make = self.compact if compact else self.full
        return None if make is None else make(results)


class Entry(NamedTuple):
    """Values and where they stand; entries of one row, in one group and block, are set as one row."""

    row: Hashable
    lead: Sequence[Cell]
    """What the row is about; the row takes them from its first entry, as it does what ends it."""
    values: Mapping[str, Cell]
    """Column key to cell."""
    tail: Sequence[Cell] = ()
    group: Text = ""
    """The head that the row is under."""
    block: Hashable = None
    """Blocks of rows under one head are set apart by space."""


def grouped(entries: Iterable[Entry], values: Sequence[Column]) -> tuple[RowGroup, ...]:
    """Return the rows of entries, in order of first appearance; a value that a row lacks is an empty cell."""
    found: dict[tuple[Text, Hashable], dict[Hashable, list[Entry]]] = {}
    for entry in entries:
        found.setdefault((entry.group, entry.block), {}).setdefault(entry.row, []).append(entry)

    def row_of(entries: Sequence[Entry]) -> Row:
        cells = {key: cell for entry in entries for key, cell in entry.values.items()}
        return Row((*entries[0].lead, *(cells.get(column.key, Cell()) for column in values), *entries[0].tail))

    return tuple(RowGroup(head, tuple(map(row_of, rows.values()))) for (head, _), rows in found.items())


def full_columns(
    value: Column, *, system: bool = True, before: Sequence[Column] = (), after: Sequence[Column] = ()
) -> tuple[Column, ...]:
    """Return the columns of a full form: the required ones, the system, and others beside the value."""
    return (*(_METRIC, _SYSTEM)[: 1 + system], *before, value, *after, SUBSET, _INTERPRETATION)


class Beside(NamedTuple):
    """Columns beside those of the values, and the cells of a row in them."""

    columns: tuple[Column, ...] = ()
    cells: Callable[[MetricLine, SystemRecord, Estimate | None, Notes], Sequence[Cell]] = lambda *row: ()


NOTHING = Beside()


def beside(*parts: Beside) -> Beside:
    """Join columns that are next to each other."""
    return Beside(
        tuple(column for part in parts for column in part.columns),
        lambda line, system, record, notes: [
            cell for part in parts for cell in part.cells(line, system, record, notes)
        ],
    )


@dataclass(frozen=True, slots=True)
class MetricLayout:
    """Where the values of lines stand: what goes down and what across."""

    values: tuple[Column, ...]
    lead: Beside
    """Columns before the values, that say what a row is about."""
    tail: Beside = NOTHING
    """Columns after the values."""
    row: Callable[[MetricLine, SystemRecord], Hashable] = lambda line, system: system.id
    """What distinguishes rows within a group."""
    column: Callable[[MetricLine, SystemRecord], str] = lambda line, system: "value"
    """The key of the column that a value is in."""
    group: Callable[[MetricLine, SystemRecord], Text] = lambda line, system: ""
    block: Callable[[MetricLine], Hashable] = lambda line: None
    """As of an :class:`Entry`."""
    spanners: tuple[Spanner, ...] = ()
    by_system: bool = False
    """Whether the rows of a system stand together under a head, also where several lines make them."""
    kept: Callable[[Estimate | None], bool] = lambda record: True
    """Whether a record has a place."""
    detail: Callable[[MetricLine], bool] = lambda line: True
    """Whether intervals are next to the values of a line."""
    marked: bool = True
    """Whether the best values are marked."""


@dataclass(frozen=True, slots=True)
class Compact:
    """What the compact form of a table has otherwise than the full form."""

    layout: MetricLayout | None = None
    """Metrics down and systems across if None; turned where there are many systems."""
    lines: Sequence[MetricLine] | None = None
    systems: Sequence[SystemRecord] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Those of the full form that are others here."""


@dataclass(frozen=True, slots=True)
class MetricTable:
    """A table of metrics, of which both forms are made."""

    lines: Sequence[MetricLine]
    """What the full form shows, in order; without lines there is no table."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What its template can ask, beside ``lines``, ``families``, ``leads`` and how values are shown."""
    systems: Sequence[SystemRecord] = ()
    """The systems of the lines, in their order; all systems if empty. One system has no column."""
    group: Callable[[MetricLine], Text] = lambda line: family_name(line.metric)
    """The head under which a line is in the full form."""
    before: Beside = NOTHING
    """Columns of the full form before the value."""
    after: Beside = NOTHING
    """Columns of the full form between the value and its subset."""
    pooled: Callable[[MetricLine], bool] = lambda line: False
    """Whether the caption says of a line that it is pooled, so that its values need not."""
    first: bool = False
    """Whether it says, for the tables after it too, how values sum up folds, what brackets hold and what marks mean."""
    compact: Compact = Compact()

    @property
    def plain(self) -> bool:
        """Whether any metric has a place in the full form, which has no columns of its own."""
        return not self.before.columns and not self.after.columns

    def full_form(
        self,
        results: Results,
        lines: Sequence[MetricLine] | None = None,
        added: Beside = NOTHING,
        intervals: Intervals = "fitting",
    ) -> Form | None:
        """Return a row per metric, subset and system, with the four required columns; None without lines.

        Args:
            results: What is shown.
            lines: Those of the table if omitted.
            added: Columns beside the value.
            intervals: Which of them are shown beside the values.
        """
        of, lines = self.systems or systems(results), self.lines if lines is None else lines
        own = {id(line) for line in self.lines}
        value = Column("value", "Value", "estimate", width=1.9, suffixes=SUFFIXES)
        layout = MetricLayout(
            (value,),
            beside(metric_names(results), system_labels(of), self.before),
            beside(sd_over_folds(results, lines), self.after, added, subsets(results), _interpretations(results)),
            row=each,
            group=lambda line, system: self.group(line) if id(line) in own else family_name(line.metric),
            marked=False,
        )
        return self.form(results, layout, lines, of, self.facts, intervals)

    def form(
        self,
        results: Results,
        layout: MetricLayout,
        lines: Sequence[MetricLine],
        of: Sequence[SystemRecord],
        facts: Mapping[str, Any],
        intervals: Intervals = "fitting",
    ) -> Form | None:
        """Return the values of lines in a layout; None without lines.

        Args:
            results: What is shown.
            layout: Where values stand.
            lines: What goes into it, with a record for each of the systems.
            of: The systems.
            facts: What the template can ask, beside what follows from the lines.
            intervals: Which of them are shown beside the values.
        """
        if not lines:
            return None
        if intervals == "all":
            layout = replace(layout, detail=lambda line: True)
        notes, shown = Notes(), records_of(lines)
        entries = self._entries(results, layout, lines, of, notes)
        first = self.first or not headline(results)
        detailed = records_of(line for line in lines if layout.detail(line))
        said = {
            "lines": lines,
            "families": {line.metric.family for line in lines},
            "leads": message(results, lines),
            "first": first,
            "marks": {cell.mark for entry in entries for cell in entry.values.values()},
            "summed_up": aggregation(results, shown, first=first),
            "detailed": detailed if first else [],
            "effects": design_effects(results, detailed) if first and intervals != "replaced" else (),
            "no_room": intervals == "fitting"
            and any(one.intervals for one in shown)
            and not any(one.intervals for one in detailed),
        }
        return Form(
            (*layout.lead.columns, *layout.values, *layout.tail.columns),
            grouped(entries, layout.values),
            layout.spanners,
            notes,
            {**said, **facts},
        )

    def _entries(
        self,
        results: Results,
        layout: MetricLayout,
        lines: Sequence[MetricLine],
        of: Sequence[SystemRecord],
        notes: Notes,
    ) -> list[Entry]:
        found: list[tuple[int, Entry]] = []
        for line in lines:
            aggregation = "" if self.pooled(line) else results.headline_aggregation
            marked = layout.marked and read_alone(line, lines)
            cells = cells_of(results, line, notes, aggregation=aggregation, detail=layout.detail(line), marked=marked)
            for place, (system, record, cell) in enumerate(zip(of, line.estimates, cells, strict=True)):
                if layout.kept(record):
                    entry = Entry(
                        layout.row(line, system),
                        layout.lead.cells(line, system, record, notes),
                        {layout.column(line, system): cell},
                        layout.tail.cells(line, system, record, notes),
                        layout.group(line, system),
                        layout.block(line),
                    )
                    found.append((place if layout.by_system else 0, entry))
        return [entry for _, entry in sorted(found, key=lambda placed: placed[0])]


def each(line: MetricLine, system: SystemRecord) -> Hashable:
    """Tell rows apart by metric, subset and system: every record has a row of its own."""
    return line.metric.id, line.subset, system.id


def metric_names(results: Results) -> Beside:
    """Return a column of metrics' names, for layouts with metrics down."""
    return Beside((_METRIC,), lambda line, system, record, notes: (Cell(with_unit(results, line.metric)),))


def system_names(width: float = 2.2) -> Beside:
    """Return a column of systems that begins a row, for layouts with systems down."""
    return _labels(Column("system", "System", "stub", width=width))


def system_labels(of: Sequence[SystemRecord]) -> Beside:
    """Return a column of systems behind metrics' names; nothing for one system."""
    return _labels(_SYSTEM) if len(of) > 1 else Beside()


def _labels(column: Column) -> Beside:
    return Beside((column,), lambda line, system, record, notes: (Cell(system.label),))


def subsets(results: Results) -> Beside:
    """Return the column of what values are on."""
    return Beside((SUBSET,), lambda line, system, record, notes: (subset_cell(results, line.subset, record),))


def _interpretations(results: Results) -> Beside:
    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell]:
        return (Cell(meaning(results, record), results=(record.id,)) if record else Cell("Not computed."),)

    return Beside((_INTERPRETATION,), cells)


def sd_over_folds(results: Results, lines: Sequence[MetricLine]) -> Beside:
    """Return a column of standard deviations over folds, of means over folds; nothing where no record has one."""
    n = len(results.folds)
    if not any(record.display.sd for record in records_of(lines)):
        return Beside()

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell]:
        if record is None or record.aggregation != "fold_mean" or record.value is None:
            return (Cell(),)
        return (sd_cell(record, "fold", n, notes),)

    return Beside((Column("sd_folds", f"SD over {folds_counted(results)} folds", "number", width=0.95),), cells)


def message(results: Results, lines: Sequence[MetricLine]) -> Lead:
    """Return who leads on the first headline metric among the lines, or on the first that has a direction."""
    leading = [line for line in lines if line.metric.id in results.contract.headline]
    directed = [line for line in lines if line.metric.direction != "none"]
    first = (leading or directed or list(lines))[0]
    return lead(results, first.metric, records_of([first]))
