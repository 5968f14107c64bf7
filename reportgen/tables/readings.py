"""The headline metrics under the contracts that the run names: which values, and which leaders, hang on conventions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from msgspec import structs

from reportgen.domain.presentation import Cell, Column, plain
from reportgen.domain.record import Estimate, MetricRecord, Reading, Results
from reportgen.numbers import NOT_APPLICABLE, count
from reportgen.tables._cells import Notes, estimate_cell
from reportgen.tables._lines import systems
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, full_columns, grouped
from reportgen.wording.rankings import ranks
from reportgen.wording.text import SPACE, concat, enumeration

_AGGREGATIONS = {"fold_mean": "fold mean", "pooled": "pooled"}
_POPULATIONS = {"positives_only": "positive", "all_queries": "all", "all_rows": "all rows"}
_NAMED = 3
"""Contracts that agree with this report and are named, itself among them; the rows below name the others."""


@dataclass(frozen=True, slots=True)
class Contested:
    """A headline metric and how other contracts read it; systems are places in the order of the results."""

    metric: MetricRecord
    own: tuple[Estimate, ...]
    same: tuple[Reading, ...]
    """Readings that print what the results print."""
    other: tuple[Reading, ...]

    @property
    def leaders(self) -> frozenset[int]:
        """Return the systems with the best value, as tables mark them."""
        return self._best([e.value for e in self.own])

    def leaders_under(self, reading: Reading) -> frozenset[int]:
        """Return the systems with the best value under a reading."""
        return self._best(reading.values)

    @property
    def overturned_by(self) -> tuple[Reading, ...]:
        """Return the readings under which none of the best systems is best."""
        under = {one: self.leaders_under(one) for one in self.other} if self.leaders else {}
        return tuple(one for one, leaders in under.items() if leaders and not leaders & self.leaders)

    def _best(self, values: Sequence[float | None]) -> frozenset[int]:
        return frozenset(at for at, place in enumerate(ranks(values, self.metric.direction)) if place == 1)

    def beyond(self, reading: Reading) -> bool:
        """Return whether a reading leaves the interval of this report for a system, or lacks a value that it has."""
        for estimate, value in zip(self.own, reading.values, strict=True):
            if estimate.value is None or value is None or not estimate.intervals:
                if estimate.value != value:
                    return True
            elif not estimate.intervals[0].lower <= value <= estimate.intervals[0].upper:
                return True
        return False


def contested(results: Results) -> tuple[Contested, ...]:
    """Return the headline metrics that at least one other contract prints otherwise, in the order of the headline."""
    return tuple(one for one in _compared(results) if one.other)


def _full(results: Results) -> Form | None:
    """Return a row per reading and system: metric, contracts, system, value, subset and what the reading says."""
    found = contested(results)
    if not found:
        return None
    notes, value = Notes(), Column("value", "Value", "number", width=1.0)
    entries = [
        entry
        for one in found
        for line in _lines(results, one, notes)
        for entry in _of_systems(results, one.metric.name, line)
    ]
    return Form(
        full_columns(value, before=(Column("contracts", "Contracts", "text", width=2.2),)),
        grouped(entries, (value,)),
        notes=notes,
        facts=_facts(results, found),
    )


def _of_systems(results: Results, head: str, line: _Line) -> Iterator[Entry]:
    many = results.units.of(line.population).many
    which = f"Positive {many}" if line.population == "positives_only" else f"All {many}"
    on = Cell(f"{which} (n{SPACE}={SPACE}{count(line.n_queries)})", extra=(("n", line.n_queries),))
    verb = "reports" if len(line.contracts) == 1 else "report"
    contracts = enumeration(line.contracts)
    for system, cell in zip(systems(results), line.cells, strict=True):
        says = concat(contracts, f" {verb} {plain(cell.text)} as {line.name}{_summed(results, line)}.")
        lead = (Cell(line.name), Cell(system.label), Cell(contracts))
        tail = (on, Cell(says, results=cell.results))
        yield Entry((line, system.id), lead, {"value": replace(cell, mark="")}, tail, head)


def _compact(results: Results) -> Form | None:
    """Return the readings that leave an interval of this report or have another best system; systems across."""
    found = contested(results)
    striking = [_striking(one) for one in found]
    shown = [one for one in striking if one.other]
    if not shown:
        return None
    notes, of = Notes(), systems(results)
    values = tuple(Column(f"value_{system.id}", system.label, "number", width=1.2) for system in of)
    entries = [
        Entry(
            line,
            (
                Cell(line.name),
                Cell(enumeration(line.contracts, at_most=_NAMED)),
                Cell(_POPULATIONS[line.population] + _summed(results, line)),
            ),
            {column.key: cell for column, cell in zip(values, line.cells, strict=True)},
            block=one.metric.id,
        )
        for one in shown
        for line in _lines(results, one, notes)
    ]
    return Form(
        (
            Column("metric", "Metric", "stub", width=2.0),
            Column("contracts", "Contracts", "text", width=2.5),
            Column("population", "Population", "text", width=1.4),
            *values,
        ),
        grouped(entries, values),
        notes=notes,
        facts={
            **_facts(results, found),
            "within": [one.metric.name for one in striking if not one.other],
            "populations": _populations(results),
            "marks": {cell.mark for entry in entries for cell in entry.values.values()},
        },
    )


def _striking(one: Contested) -> Contested:
    overturning = one.overturned_by
    kept = tuple(reading for reading in one.other if one.beyond(reading) or reading in overturning)
    return replace(one, other=kept)


def _facts(results: Results, found: Sequence[Contested]) -> dict[str, Any]:
    compared = tuple(_compared(results))
    return {
        "contested": len(found),
        "compared_metrics": len(compared),
        "overturned": sum(bool(one.overturned_by) for one in found),
        "alike": [one.metric.name for one in compared if not one.other],
        "within": [],
    }


def _compared(results: Results) -> Iterator[Contested]:
    for id in results.contract.headline:
        readings = [reading for reading in results.readings if reading.metric == id]
        subset = results.home_subset(id)
        found = [results.headline(id, system.id, subset) for system in results.systems] if subset and readings else []
        own = tuple(estimate for estimate in found if estimate is not None)
        if own and len(own) == len(results.systems):
            printed = tuple(estimate.display.value for estimate in own)
            same = tuple(reading for reading in readings if reading.display == printed)
            other = _joined(reading for reading in readings if reading.display != printed)
            yield Contested(results.metric_by_id[id], own, same, other)


def _joined(readings: Iterable[Reading]) -> tuple[Reading, ...]:
    """Return the readings, those that print the same of the same queries as one under the shortest of their names."""
    found: dict[tuple[str, str, tuple[str, ...]], Reading] = {}
    for reading in readings:
        known = found.setdefault((reading.subset, reading.aggregation, reading.display), reading)
        if known is not reading:
            contracts = (*known.contracts, *reading.contracts)
            joint = structs.replace(known, name=min(known.name, reading.name, key=len), contracts=contracts)
            found[reading.subset, reading.aggregation, reading.display] = joint
    return tuple(found.values())


class _Line(NamedTuple):
    """A reading as it is shown; cells of systems in their order of presentation."""

    name: str
    contracts: tuple[str, ...]
    population: str
    n_queries: int
    aggregation: str
    cells: tuple[Cell, ...]


def _lines(results: Results, one: Contested, notes: Notes) -> Iterator[_Line]:
    """Yield this report with the contracts that agree, then each contract that does not."""
    by_system = {system.id: at for at, system in enumerate(results.systems)}
    order = [by_system[system.id] for system in systems(results)]
    titles = (results.contract.title, *(title for reading in one.same for title in reading.contracts))
    first = one.own[0]
    subset, leaders = results.subset_by_id[first.subset], one.leaders
    own = tuple(
        replace(estimate_cell(one.own[at], notes, detail=False), mark="best" if at in leaders else "") for at in order
    )
    yield _Line(one.metric.name, titles, subset.population, subset.n_queries, first.aggregation, own)
    for reading in one.other:
        leaders = one.leaders_under(reading)
        cells = tuple(_cell(reading, at, notes, leads=at in leaders) for at in order)
        yield _Line(reading.name, reading.contracts, reading.subset, reading.n_queries, reading.aggregation, cells)


def _summed(results: Results, line: _Line) -> str:
    """Return ``, fold mean``; a single split has no aggregation to name."""
    return f", {_AGGREGATIONS[line.aggregation]}" if len(results.folds) > 1 else ""


def _cell(reading: Reading, at: int, notes: Notes, *, leads: bool) -> Cell:
    value, text = reading.values[at], reading.display[at]
    if value is not None:
        return Cell(text, value=value, mark="best" if leads else "")
    if text == NOT_APPLICABLE:
        return notes.absent("not a metric of this system there", status="not_applicable")
    return notes.absent("undefined under this contract")


def _populations(results: Results) -> list[tuple[str, str]]:
    """Return the words in the column of populations, and what they stand for."""
    sizes: dict[str, int] = {reading.subset: reading.n_queries for reading in results.readings}
    sizes |= {subset.id: subset.n_queries for subset in results.subsets if not subset.slice}
    return [(word, results.units.of(id).count(sizes[id])) for id, word in _POPULATIONS.items() if id in sizes]


TABLES = (
    TableDeclaration(
        "readings",
        "Headline metrics under other contracts",
        "contracts named in run.toml, [comparisons] contracts, that define headline metrics, too",
        79,
        full=_full,
        compact=_compact,
    ),
)
