"""Tables of metrics as their options arrange them: what goes down, what across, and what is under one head.

A table of metrics has three axes: metrics, subsets and systems. One goes down; another may group the rows; what is left
goes across, and of two the first spans the columns. A subset that its metric decides needs no place of its own: a note
says it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from reportgen.domain.presentation import Cell, Column, Spanner
from reportgen.domain.record import Estimate, MetricRecord, Results, SubsetRecord, SystemRecord, TableOptions
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import unknown_names
from reportgen.shortlist import PREVALENCE
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell, parameter_cell
from reportgen.tables._lines import MetricLine, line_on, systems
from reportgen.tables._metric_tables import Beside, Form, Intervals, MetricLayout, MetricTable, TableDeclaration, beside
from reportgen.wording.heads import family_name, label_name, subset_head, with_unit
from reportgen.wording.text import capital

Axis: TypeAlias = Literal["metrics", "subsets", "systems"]

_WITH_INTERVALS = 4
"""Most columns of values beside which intervals still fit a page."""
_ACROSS = 6
"""Most systems that stand across; more stand down, with the metrics across, unless these are more still."""
_ORDER: tuple[Axis, ...] = ("metrics", "systems", "subsets")
_MOST_NAMED = 3
"""Most subsets that a message names."""
_SLICE = "label="
"""How the slice of a single label begins."""
_SIZES: Mapping[str, tuple[str, Callable[[SubsetRecord], int]]] = {
    "n": ("n", lambda subset: subset.n_queries),
    "positives": ("Positives", lambda subset: subset.n_positive),
    "clusters": ("Clusters", lambda subset: subset.n_clusters),
}


def metric_form(
    declared: TableDeclaration,
    results: Results,
    options: TableOptions,
    name: str,
    *,
    compact: bool,
    intervals: Intervals = "fitting",
) -> Form | None:
    """Return a form of a table of metrics; None where the results lack its data.

    Args:
        declared: The table, of metrics.
        results: What its options choose.
        options: Those of the table.
        name: What it is called.
        compact: Whether it is the form for papers, as it is wherever options arrange it.
        intervals: Which of them are shown beside the values.

    Raises:
        RenderError: RG503 or RG504, its options cannot be obeyed.
    """
    assert declared.metrics is not None
    table = declared.metrics(results) or MetricTable(())
    arranging = bool(options.rows or options.groups or options.spanners)
    if not compact and not arranging:
        lines = _with_more(results, table.lines, options, name, plain=table.plain)
        return table.full_form(results, lines, _added(results, options.add, name), intervals)
    changed = table.compact
    lines = table.lines if changed.lines is None else changed.lines
    of = systems(results) if options.systems else changed.systems or table.systems or systems(results)
    facts = {**table.facts, **changed.facts}
    if changed.layout is not None and not arranging:
        if options.add:
            _refuse(name, "add", "the layout of the table has no place for more columns", _ARRANGE)
        _with_more(results, lines, options, name, plain=False)
        return table.form(results, changed.layout, lines, of, facts, intervals)
    lines = _chosen(results, lines, of, options, name)
    layout, said = _Arrangement(results, tuple(lines), tuple(of), options, name).layout()
    return table.form(results, layout, lines, of, {**facts, **said}, intervals)


_ARRANGE = 'Arrange it: rows = "metrics", "systems", "subsets" or "labels".'


def _refuse(name: str, option: str, why: str, fix: str) -> None:
    raise RenderError(Diagnostic("RG504", f"[tables.{name}] {option}", why, fix))


def _with_more(
    results: Results, lines: Sequence[MetricLine], options: TableOptions, name: str, *, plain: bool
) -> Sequence[MetricLine]:
    """Return the lines of a table with those of chosen metrics that it does not have, in the order of the choice."""
    there = {line.metric.id for line in lines}
    if not (more := [id for id in options.metrics if id not in there]):
        return lines
    if not plain:
        _refuse(name, "metrics", f"its layout has no place for {', '.join(more)}", _ARRANGE)
    added = _lines_on(results, [results.metric_by_id[id] for id in more], systems(results), options.subsets, name)
    order = {id: at for at, id in enumerate(options.metrics)}
    return sorted([*lines, *added], key=lambda line: order[line.metric.id])


def _lines_on(
    results: Results, metrics: Sequence[MetricRecord], of: Sequence[SystemRecord], subsets: Sequence[str], name: str
) -> list[MetricLine]:
    """Return each metric on these subsets, or where none is named on its home subset."""
    found = []
    for metric in metrics:
        on = subsets or [home for home in (results.home_subset(metric.id),) if home]
        if not (lines := [line for subset in on if (line := line_on(results, metric, subset, of))]):
            where = ", ".join(subsets[:_MOST_NAMED]) + ", …" * (len(subsets) > _MOST_NAMED) or "any subset"
            _refuse(name, "metrics", f"{metric.id} has no values on {where}", "Choose another metric or subset.")
        found += lines
    return found


def _chosen(
    results: Results, lines: Sequence[MetricLine], of: Sequence[SystemRecord], options: TableOptions, name: str
) -> list[MetricLine]:
    """Return the lines to arrange: of the metrics and subsets that the options name, else of those of the table."""
    own: dict[str, list[str]] = {}
    for line in lines:
        own.setdefault(line.metric.id, []).append(line.subset)
    found = []
    for metric in options.metrics or own:
        home = results.home_subset(metric) or ""
        on = options.subsets or _down(results, home, options.rows) or own.get(metric) or [home]
        facts = results.metric_by_id[metric]
        if options.metrics or any(line_on(results, facts, subset, of) for subset in on):
            found += _lines_on(results, [facts], of, on, name)
    if options.sort and options.rows in {"labels", "subsets"}:
        found = _sorted(results, found, options.sort)
    return found


def _down(results: Results, home: str, rows: str) -> list[str]:
    """Return the subsets of a metric that go down: its labels, or all but these; empty where others do."""
    if rows == "labels":
        population = results.subset_by_id[home].population if home else ""
        return [one.id for one in results.subsets if one.slice.startswith(_SLICE) and one.population == population]
    return [one.id for one in results.subsets if not one.slice.startswith(_SLICE)] if rows == "subsets" else []


def _sorted(results: Results, lines: list[MetricLine], by: str) -> list[MetricLine]:
    """Return lines with their subsets in the order of a metric of the first system, the best first."""
    sign = -1.0 if results.metric_by_id[by].direction != "lower" else 1.0
    firsts = {_part(results, line.subset): line.estimates[0] for line in lines if line.metric.id == by}
    values = {part: one.value for part, one in firsts.items() if one is not None and one.value is not None}
    places = {part: at for at, part in enumerate(sorted(values, key=lambda part: sign * values[part]))}
    return sorted(lines, key=lambda line: places.get(_part(results, line.subset), len(places)))


def _part(results: Results, subset: str) -> str:
    """Return the label that a subset is of, whatever its population; another subset stands for itself."""
    slice_ = results.subset_by_id[subset].slice
    return slice_ if slice_.startswith(_SLICE) else subset


@dataclass(frozen=True, slots=True)
class _Arrangement:
    """The axes of one table."""

    results: Results
    lines: tuple[MetricLine, ...]
    of: tuple[SystemRecord, ...]
    options: TableOptions
    name: str

    def layout(self) -> tuple[MetricLayout, dict[str, Any]]:
        """Return where values stand, and what the template can ask of it."""
        rows, groups, across = self._axes()
        columns, spanners = self._across(across)
        of_rows = Beside((self._stub(rows),), lambda line, system, record, notes: (self._row(rows, line, system),))
        if self.options.add:
            of_rows = beside(of_rows, self._beside_rows(rows))
        layout = MetricLayout(
            tuple(columns.values()),
            of_rows,
            row=lambda line, system: self._key(rows, line, system),
            column=lambda line, system: self._column(across, line, system),
            group=lambda line, system: self._head(groups, line, system) if groups else "",
            spanners=spanners,
            detail=lambda line: len(columns) <= _WITH_INTERVALS,
        )
        return layout, self._said(rows, groups, across)

    def _axes(self) -> tuple[str, str, tuple[str, ...]]:
        """Return what goes down, what groups the rows, and what goes across, the spanning one first."""
        turned = len(self.of) > max(_ACROSS, len(self.lines) - 1)
        rows = self.options.rows or ("systems" if turned else "metrics")
        axis = "subsets" if rows == "labels" else rows
        several = len(self.of) > 1 and len({line.metric.id for line in self.lines}) > 1
        usual = {"metrics": "subsets", "systems": "none"}.get(rows, "metrics" if several else "none")
        groups = self.options.groups or usual
        if groups == axis or (groups == "families" and rows != "metrics"):
            fix = 'Rows are grouped by another axis than they are; families group metrics: rows = "metrics".'
            _refuse(self.name, "groups", f"rows are {rows}, and cannot be grouped by {groups}", fix)
        left: list[str] = [one for one in ("subsets", "metrics", "systems") if one not in {axis, groups}]
        if len(self.of) == 1:
            left.sort(key=lambda one: one != "systems")
        spanners = self.options.spanners
        if "subsets" in left and self._decided and (rows == "metrics" or spanners in {"none", "families"}):
            left.remove("subsets")
        if spanners and spanners not in {"none", "families"}:
            if spanners not in left:
                fix = f"Here {' and '.join(left)} go across."
                _refuse(self.name, "spanners", f"{spanners} do not go across", fix)
            left.sort(key=lambda one: one != spanners)
        elif spanners == "families" and "metrics" in left and len(left) == 1:
            left.insert(0, "families")
        elif spanners and len(left) > 1:
            fix = "Name the axis that spans the columns, or choose fewer with metrics, subsets, systems."
            _refuse(self.name, "spanners", f"{' and '.join(left)} go across", fix)
        return rows, "" if groups == "none" else groups, tuple(left)

    @property
    def _decided(self) -> bool:
        """Whether each metric stands on one subset alone."""
        return len({(line.metric.id, line.subset) for line in self.lines}) == len({one.metric.id for one in self.lines})

    def _across(self, across: tuple[str, ...]) -> tuple[dict[str, Column], tuple[Spanner, ...]]:
        """Return the columns of values by their keys, and the heads that span them."""
        *outer, inner = across or ("none",)
        under: dict[Hashable, tuple[str, dict[str, Column]]] = {}
        width = 1.2 if inner == "metrics" else 1.6
        pairs = [(line, system) for line in self.lines for system in self.of]
        if "systems" in outer:
            pairs = [(line, system) for system in self.of for line in self.lines]
        for line, system in pairs:
            key = self._column(across, line, system)
            head = self._head(inner, line, system)
            over = (self._key(outer[0], line, system), self._head(outer[0], line, system)) if outer else ("", "")
            column = Column(key, head, "estimate", width=width, suffixes=SUFFIXES)
            under.setdefault(over[0], (over[1], {}))[1].setdefault(key, column)
        columns = {key: column for _, of in under.values() for key, column in of.items()}
        if not outer:
            return columns, ()
        return columns, tuple(Spanner(head, tuple(of)) for head, of in under.values())

    def _column(self, across: tuple[str, ...], line: MetricLine, system: SystemRecord) -> str:
        ids = {"metrics": line.metric.id, "systems": system.id, "subsets": line.subset}
        return "_".join(["value", *(ids[axis] for axis in ("metrics", "systems", "subsets") if axis in across)])

    def _key(self, axis: str, line: MetricLine, system: SystemRecord) -> Hashable:
        """Return what members of an axis are told apart by."""
        keys: Mapping[str, Hashable] = {
            "metrics": line.metric.id,
            "systems": system.id,
            "subsets": line.subset,
            "labels": _part(self.results, line.subset),
            "families": line.metric.family,
        }
        return keys[axis]

    def _head(self, axis: str, line: MetricLine, system: SystemRecord) -> str:
        heads: Mapping[str, Callable[[], str]] = {
            "metrics": lambda: with_unit(self.results, line.metric, direction=True),
            "systems": lambda: system.label,
            "subsets": lambda: subset_head(self.results, line.subset),
            "labels": lambda: self._label(line),
            "families": lambda: family_name(line.metric),
            "none": lambda: "Value",
        }
        return heads[axis]()

    def _label(self, line: MetricLine) -> str:
        of = self.results.subset_by_id[line.subset].slice.removeprefix(_SLICE)
        return next((label_name(label) for label in self.results.labels if label.id == of), of)

    def _stub(self, rows: str) -> Column:
        noun = capital(self.results.units.label.one)
        heads = {
            "metrics": ("metric", "Metric", 2.0),
            "systems": ("system", "System", 2.2),
            "labels": ("label", noun, 2.0),
        }
        key, head, width = heads.get(rows, ("on", "Subset", 2.9))
        return Column(key, head, "stub", width=width)

    def _row(self, rows: str, line: MetricLine, system: SystemRecord) -> Cell:
        return Cell(capital(self._head(rows, line, system)) if rows == "subsets" else self._head(rows, line, system))

    def _beside_rows(self, rows: str) -> Beside:
        """Return the columns that are asked for: parameters of the systems that go down, else facts of subsets."""
        on = {line.subset for line in self.lines}
        for name in self.options.add:
            if name in _parameters(self.results):
                if rows != "systems":
                    _refuse(self.name, "add", f"{name} is of systems", 'Set them down: rows = "systems".')
            elif name in (*_SIZES, PREVALENCE) and rows == "systems" and len(on) > 1:
                fix = 'Choose one subset, or rows = "metrics", "subsets" or "labels".'
                _refuse(self.name, "add", f"{name} is of a subset, and a row holds values on {len(on)}", fix)
        return _added(self.results, self.options.add, self.name)

    def _said(self, rows: str, groups: str, across: tuple[str, ...]) -> dict[str, Any]:
        """Return what a caption and notes say of the arrangement."""
        shown = rows == "subsets" or "subsets" in {groups, *across}
        by_subset: dict[str, list[str]] = {}
        for line in self.lines:
            record = self.results.subset_by_id[line.subset]
            on = record.population if rows == "labels" else line.subset
            head = self.results.subset_by_id[on].label if rows == "labels" else subset_head(self.results, on)
            if line.metric.name not in by_subset.setdefault(head, []):
                by_subset[head].append(line.metric.name)
        names = list(dict.fromkeys(line.metric.name for line in self.lines))
        return {"down": rows, "metrics_shown": names, "on_subsets": {} if shown else by_subset}


def _parameters(results: Results) -> list[str]:
    return list(dict.fromkeys(name for system in results.systems for name in system.params))


def _added(results: Results, names: Sequence[str], table: str) -> Beside:
    """Return columns beside those of a row: sizes of its subset, its prevalence, parameters of its system."""
    parameters = _parameters(results)
    if problems := unknown_names("column", names, (*_SIZES, PREVALENCE, *parameters), f"[tables.{table}] add"):
        raise RenderError(problems)
    return beside(*(_one(results, name, parameters) for name in dict.fromkeys(names)))


def _one(results: Results, name: str, parameters: Sequence[str]) -> Beside:
    if name in _SIZES:
        head, size = _SIZES[name]
        return Beside(
            (Column(name, head, "count", width=0.8),),
            lambda line, system, record, notes: (count_cell(size(results.subset_by_id[line.subset])),),
        )
    if name == PREVALENCE:

        def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> tuple[Cell]:
            return (estimate_cell(results.find(PREVALENCE, system.id, line.subset, "pooled"), notes, detail=False),)

        return Beside((Column(name, "Prevalence", "number", width=1.0),), cells)
    values = [system.params[name] for system in results.systems if name in system.params]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return Beside(
        (Column(f"param{parameters.index(name)}", name, "number" if numeric else "text", width=0.8),),
        lambda line, system, record, notes: (parameter_cell(system, name, notes),),
    )
