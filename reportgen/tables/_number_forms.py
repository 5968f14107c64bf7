"""Numbers of a finished table under other decimals, as percent, and with other marks of thousands.

A cell is set again from the value behind it, at full precision, where it prints that value as its record does; so is
what caption and notes print of results. A number is never rounded twice, and no number changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Shown, Table, Text, groups_with, inlines, plain
from reportgen.domain.record import Comparison, Estimate, MetricRecord, Results, TableOptions
from reportgen.errors import RenderError
from reportgen.float_selection import unknown_names
from reportgen.numbers import NOT_NEGATIVE, PERCENT, Ends, fixed, interval, percent, within
from reportgen.wording.comparisons import amount
from reportgen.wording.text import concat

_SEPARATORS: Mapping[str, str] = {"space": "\u202f", "none": ""}
_OF_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMBERS = ("number", "count", "estimate")
_WORDS = ("stub", "text")
"""Roles of the columns that may name the metric of a row."""


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How the numbers of a table are printed; without arguments as the results print them."""

    results: Results
    decimals: int | None = None
    """Of every metric, in the unit that is printed."""
    by_metric: Mapping[str, int] = field(default_factory=dict)
    """Of single metrics, by their ids; before ``decimals``."""
    percent: bool = False
    """Whether proportions are printed as percent."""
    in_cells: bool = False
    """Whether the percent sign follows each number; else it is said once, by the name of the metric."""
    thousands: Literal["", "comma", "space", "none"] = ""

    def value(self, record: Estimate) -> str:
        """Return the printed value of a record, without a percent sign."""
        return record.display.value if record.value is None else self.number(record, record.value)

    def number(self, record: Estimate, number: float, ends: Ends | None = None) -> str:
        """Return a value of a record's metric, such as that of one fold; ``ends`` are its metric's if omitted."""
        metric = self.results.metric_by_id[record.metric]
        own = metric.range if ends is None else ends
        return within(number, self._decimals(record), own, percent=self.of_percent(metric))

    def interval(self, record: Estimate) -> str:
        """Return the printed interval of a record; empty where it has none."""
        if not record.display.interval:
            return ""
        metric, (lower, upper) = self.results.metric_by_id[record.metric], record.bounds
        return interval(lower, upper, self._decimals(record), metric.range, percent=self.of_percent(metric))

    def sd(self, record: Estimate) -> str:
        """Return the printed standard deviation over folds of a record; empty where it has none."""
        spread = next((spread.value for spread in record.sd if spread.over == "fold"), None)
        return "" if spread is None or not record.display.sd else self.number(record, spread, NOT_NEGATIVE)

    def difference(self, pair: Comparison, number: float, *, signed: bool = False) -> str:
        """Return a difference or one of its bounds, in points of proportions."""
        metric = self.results.metric_by_id[pair.metric]
        asked = self._asked(metric)
        if asked is None:
            return amount(number, metric.unit, metric.decimals, signed=signed)
        return (percent if metric.unit == "proportion" else fixed)(number, asked, signed=signed)

    def relative(self, pair: Comparison) -> str:
        """Return a relative difference in per cent; empty where there is none."""
        asked = self._asked(self.results.metric_by_id[pair.metric])
        if asked is None or pair.relative is None:
            return pair.display.relative
        return percent(pair.relative, asked, signed=True)

    def bounds(self, pair: Comparison) -> str:
        """Return the printed interval of a comparison; empty where it has none."""
        shown = [self.difference(pair, bound) for one in pair.intervals[:1] for bound in (one.lower, one.upper)]
        return f"[{', '.join(shown)}]" if shown else ""

    def of_percent(self, metric: MetricRecord) -> bool:
        """Return whether values of a metric are printed as percent."""
        return self.percent and metric.unit == "proportion"

    def _decimals(self, record: Estimate) -> int:
        metric = self.results.metric_by_id[record.metric]
        asked = self._asked(metric)
        if asked is not None:
            return asked
        return max(record.display.decimals - 2, 0) if self.of_percent(metric) else record.display.decimals

    def _asked(self, metric: MetricRecord) -> int | None:
        return self.by_metric.get(metric.id, self.decimals)


def number_form(results: Results, options: TableOptions) -> NumberForm:
    """Return how the options of a table say that its numbers are printed.

    Raises:
        RenderError: RG503, decimals are given for a metric that the results lack.
    """
    if problems := unknown_names("metric", options.decimals_of, tuple(results.metric_by_id), "decimals_of"):
        raise RenderError(problems)
    return NumberForm(
        results,
        options.decimals,
        options.decimals_of,
        percent=options.percent,
        in_cells=options.unit == "cell",
        thousands=options.thousands,
    )


def in_numbers(table: Table, form: NumberForm) -> Table:
    """Return a table whose numbers are printed in a form; the same table where the form changes nothing."""
    if form.decimals is not None or form.by_metric or form.percent:
        table = _set_again(table, form)
    return _grouped_by(table, _SEPARATORS[form.thousands]) if form.thousands in _SEPARATORS else table


class _Made(NamedTuple):
    """A cell as it is printed, and its metric where it is printed as percent."""

    cell: Cell
    metric: MetricRecord | None = None


def _set_again(table: Table, form: NumberForm) -> Table:
    made = [[[_cell(form, *both) for both in zip(table.columns, row.cells, strict=True)] for row in group.rows]
            for group in table.groups]  # fmt: skip
    in_rows = [[None if form.in_cells else _name_of(table, row) for row in rows] for rows in made]
    heads: frozenset[int] = frozenset() if form.in_cells else _percent_columns(made, in_rows)

    def finished(row: list[_Made], named: int | None) -> Row:
        return Row(tuple(_with_sign(at, one, named, heads) for at, one in enumerate(row)))

    groups = tuple(
        RowGroup(group.head, tuple(map(finished, rows, named)))
        for group, rows, named in zip(table.groups, made, in_rows, strict=True)
    )
    columns = tuple(replace(one, unit="%") if at in heads else one for at, one in enumerate(table.columns))
    notes = tuple(replace(note, text=_text(form, note.text)) for note in table.notes)
    return replace(table, caption=_text(form, table.caption), columns=columns, groups=groups, notes=notes)


def _cell(form: NumberForm, column: Column, cell: Cell) -> _Made:
    """Return a cell with its number printed anew, where it prints its value as a record of the results does."""
    if column.role not in ("number", "estimate") or not cell.results or not isinstance(cell.value, float):
        return _Made(cell)
    record, pair = form.results.by_id.get(cell.results[0]), form.results.comparison_by_id.get(cell.results[0])
    if pair is not None:
        return _Made(_of_pair(form, pair, cell))
    return _Made(cell) if record is None else _of_record(form, record, cell, cell.value)


def _of_pair(form: NumberForm, pair: Comparison, cell: Cell) -> Cell:
    printed = plain(cell.text)
    if cell.value == pair.relative and printed == pair.display.relative:
        return replace(cell, text=form.relative(pair))
    if pair.difference is None or cell.value != pair.difference or printed != pair.display.difference:
        return cell
    detail = form.bounds(pair) if cell.detail == pair.display.interval else cell.detail
    return replace(cell, text=form.difference(pair, pair.difference, signed=True), detail=detail)


def _of_record(form: NumberForm, record: Estimate, cell: Cell, value: float) -> _Made:
    metric = form.results.metric_by_id[record.metric]
    for ends in (metric.range, NOT_NEGATIVE):
        if plain(cell.text) == within(value, record.display.decimals, ends):
            detail = form.interval(record) if cell.detail == record.display.interval else cell.detail
            made = replace(cell, text=form.number(record, value, ends), detail=detail)
            return _Made(made, metric if form.of_percent(metric) else None)
    return _Made(cell)


def _name_of(table: Table, row: list[_Made]) -> int | None:
    """Return the place of the cell that names the metric of a row with percent; None where none does."""
    named = {one.metric.name for one in row if one.metric}
    if len(named) != 1:
        return None
    [name] = named
    words = (at for at, column in enumerate(table.columns) if column.role in _WORDS)
    return next((at for at in words if plain(row[at].cell.text).startswith(name)), None)


def _percent_columns(made: list[list[list[_Made]]], in_rows: list[list[int | None]]) -> frozenset[int]:
    """Return the columns whose head says that they hold percent: all their numbers are, and no row says so."""
    found: dict[int, bool] = {}
    for rows, named in zip(made, in_rows, strict=True):
        for row, at_name in zip(rows, named, strict=True):
            for at, one in enumerate(row):
                if at_name is None and isinstance(one.cell.value, float):
                    found[at] = found.get(at, True) and one.metric is not None
    return frozenset(at for at, alike in found.items() if alike)


def _with_sign(at: int, one: _Made, named: int | None, heads: frozenset[int]) -> Cell:
    """Return a cell with a percent sign, where it names a metric in percent or where nothing else says so."""
    if at == named:
        return replace(one.cell, text=concat(one.cell.text, " (%)"))
    if one.metric is None or named is not None or at in heads:
        return one.cell
    return replace(one.cell, text=f"{plain(one.cell.text)}{PERCENT}")


def _text(form: NumberForm, text: Text) -> Text:
    """Return a text whose numbers of the results are printed in a form; in a text percent have their sign."""
    return concat(*(_shown(form, part) if isinstance(part, Shown) else part for part in inlines(text)))


def _shown(form: NumberForm, part: Shown) -> Shown:
    record, pair = form.results.by_id.get(part.result), form.results.comparison_by_id.get(part.result)
    if record is not None:
        sign = PERCENT if form.of_percent(form.results.metric_by_id[record.metric]) else ""
        if record.value is not None and part.text == record.display.value:
            return replace(part, text=f"{form.value(record)}{sign}")
        if part.text == record.display.interval:
            return replace(part, text=form.interval(record))
        if part.text == record.display.sd:
            return replace(part, text=f"{form.sd(record)}{sign}")
    elif pair is not None and pair.difference is not None and part.text == pair.display.difference:
        return replace(part, text=form.difference(pair, pair.difference, signed=True))
    elif pair is not None and part.text == pair.display.interval:
        return replace(part, text=form.bounds(pair))
    return part


def _grouped_by(table: Table, separator: str) -> Table:
    """Return a table whose numbers in cells have another mark of thousands."""

    def changed(column: Column, cell: Cell) -> Cell:
        if column.role not in _NUMBERS or not isinstance(cell.text, str):
            return cell
        text, detail = (_OF_THOUSANDS.sub(separator, printed) for printed in (cell.text, cell.detail))
        return replace(cell, text=text, detail=detail)

    return replace(table, groups=groups_with(table, changed))
