"""Every headline metric of the baseline and of each other system, with the difference in points and in per cent.

What the family of comparisons holds is tested, and has an adjusted p. The other differences are described: those of
headline metrics with an interval from the same paired resamples, those at further cut-offs by their size alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reportgen.domain.presentation import Cell, Column, Text
from reportgen.domain.record import Comparison, Estimate, MetricRecord, Results
from reportgen.tables._cells import (
    DIFFERENCE_SUFFIXES,
    SUFFIXES,
    Notes,
    between,
    difference_of,
    estimate_cell,
    subset_cell,
)
from reportgen.tables._lines import MetricLine, headline, lines, of_families, systems
from reportgen.tables._metric_tables import Entry, Form, TableDeclaration, full_columns, grouped, message
from reportgen.wording.captions import aggregation
from reportgen.wording.heads import family_name, subset_head, with_unit
from reportgen.wording.rankings import baseline

_DIFFERENCE = Column("difference", "Difference", "estimate", width=1.9, suffixes=DIFFERENCE_SUFFIXES)
_FACTS = (
    Column("relative", "Relative", "number", "%", width=1.0),
    Column("p_adjusted", "Adjusted p", "number", width=1.0),
)


@dataclass(frozen=True, slots=True)
class _Difference:
    """A metric of two systems, and what they differ by."""

    metric: MetricRecord
    value: Estimate
    against: Estimate
    comparison: Comparison

    def cells(self, results: Results, notes: Notes) -> dict[str, Cell]:
        """Return both values and their difference, by column key."""
        aggregation = results.headline_aggregation
        return {
            "against": estimate_cell(self.against, notes, aggregation=aggregation),
            "value": estimate_cell(self.value, notes, aggregation=aggregation),
            "difference": difference_of(results, self.value, self.against, notes),
        }

    def ids(self, results: Results) -> tuple[str, ...]:
        """Return the id of the difference; none where it is derived from the two values."""
        return (self.comparison.id,) if self.comparison.id in results.comparison_by_id else ()

    def facts(self, results: Results, notes: Notes) -> tuple[Cell, Cell]:
        """Return the relative change, and p where the difference was tested."""
        shown, one = self.comparison.display, self.comparison
        ids = self.ids(results)
        relative = Cell(shown.relative, value=one.relative, results=ids)
        if not shown.relative:
            absent = (
                "nothing was compared" if one.difference is None else "the value it would relate to is not positive"
            )
            relative = notes.absent(absent, ids)
        if one.tests:
            return relative, Cell(shown.p_adjusted, value=one.tests[0].p_adjusted, results=(one.id,))
        return relative, notes.absent(
            "not tested" if one.in_family else "outside the family of comparisons, not tested", ids
        )


def _full(results: Results) -> Form | None:
    """Return a row per metric and system, of the headline and of every ranking metric at every cut-off."""
    wanted = [m for m in of_families(results) if m.family == "ranking" or m.id in results.contract.headline]
    rows = list(_rows(results, lines(results, wanted)))
    notes = Notes()
    against = Column("against", "Baseline", "estimate", width=1.9, suffixes=SUFFIXES)
    value = Column("value", "Value", "estimate", width=1.9, suffixes=SUFFIXES)
    names = Column("against_system", "Against", "text", width=1.8)
    entries = [
        Entry(
            row.comparison.id,
            (Cell(with_unit(results, row.metric)), *map(Cell, _labels(results, row))),
            row.cells(results, notes),
            (
                *row.facts(results, notes),
                subset_cell(results, row.value.subset, row.value),
                Cell(row.comparison.interpretation, results=row.ids(results)),
            ),
            family_name(row.metric),
        )
        for row in rows
    ]
    columns = full_columns(value, before=(names, against), after=(_DIFFERENCE, *_FACTS))
    return _form(results, rows, columns, entries, (against, value, _DIFFERENCE), notes)


def _compact(results: Results) -> Form | None:
    """Return a row per headline metric under each pair of systems and each subset."""
    rows = list(_rows(results, headline(results)))
    if not rows:
        return None
    notes, pairs = Notes(), list(dict.fromkeys(_labels(results, row) for row in rows))
    one = len(pairs) == 1
    heads = pairs[0] if one else ("System", "Baseline")
    value = Column("value", heads[0], "estimate", width=1.7, suffixes=SUFFIXES)
    against = Column("against", heads[1], "estimate", width=1.7, suffixes=SUFFIXES)

    def head(row: _Difference) -> Text:
        on = subset_head(results, row.value.subset)
        return on if one else f"{' against '.join(_labels(results, row))}: {on}"

    entries = [
        Entry(
            row.comparison.id,
            (Cell(with_unit(results, row.metric, direction=True)),),
            row.cells(results, notes),
            row.facts(results, notes),
            head(row),
        )
        for row in sorted(rows, key=lambda row: pairs.index(_labels(results, row)))
    ]
    metric = Column("metric", "Metric", "stub", width=2.0)
    columns = (metric, against, value, _DIFFERENCE, *_FACTS)
    return _form(results, rows, columns, entries, (against, value, _DIFFERENCE), notes)


def _rows(results: Results, of: Sequence[MetricLine]) -> Iterator[_Difference]:
    """Yield the metrics of each system and the baseline; a pair that the family holds the other way round stays so."""
    first = baseline(results).id
    for line in of:
        by_system = {one.system: one for one in line.estimates if one is not None}
        for system in systems(results):
            if system.id == first or system.id not in by_system or first not in by_system:
                continue
            value, against = by_system[system.id], by_system[first]
            if between(results, against, value).id in results.comparison_by_id:
                value, against = against, value
            yield _Difference(line.metric, value, against, between(results, value, against))


def _labels(results: Results, row: _Difference) -> tuple[str, str]:
    return results.system_by_id[row.value.system].label, results.system_by_id[row.against.system].label


def _form(
    results: Results,
    rows: Sequence[_Difference],
    columns: tuple[Column, ...],
    entries: Sequence[Entry],
    values: Sequence[Column],
    notes: Notes,
) -> Form | None:
    if not rows:
        return None
    records = list({one.id: one for row in rows for one in (row.against, row.value)}.values())
    compared = [row.comparison for row in rows]
    tested = [one for one in compared if one.tests]
    facts = {
        "leads": message(results, headline(results)),
        "first_system": baseline(results).label,
        "tested": list(dict.fromkeys(results.metric_by_id[one.metric].name for one in tested)),
        "summed_up": aggregation(results, records),
        "compared": compared,
    }
    return Form(columns, grouped(entries, values), notes=notes, facts=facts)


TABLES = (
    TableDeclaration("differences", "Differences from the baseline", "two systems", 24, full=_full, compact=_compact),
)
