"""Groups of queries: what each has of every metric, and what the groups differ by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import REASONS, GroupDifference, MetricRecord, Results, SubsetRecord
from reportgen.tables._cells import SUFFIXES, Notes, count_cell
from reportgen.tables._lines import MetricLine, best, of_families, systems
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    Entry,
    Form,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    full_columns,
    grouped,
)
from reportgen.wording.captions import interval_level
from reportgen.wording.groups import EQUALIZED_ODDS, metric_of, name_of_difference, shown_of_groups
from reportgen.wording.heads import arrow, metric_head, slice_name, subset_head
from reportgen.wording.text import capital

_MOST_CLASSES = 6
"""Most classes of which the compact form has the gap of each one's recall."""
_MOST_TOLD = 4
"""Most groups whose values a caption tells."""
_WITH_INTERVALS = 3
"""Most systems across beside which intervals still fit a page."""
_BOUNDS = ("lower", "upper")
"""Machine columns that a difference fills."""
_VALUE = Column("difference", "Difference", "estimate", width=1.9, suffixes=_BOUNDS)


def _groups(results: Results) -> list[SubsetRecord]:
    return [subset for subset in results.subsets if subset.grouping is not None]


def _values(results: Results) -> MetricTable:
    """Declare every metric that groups have, on all queries and on each group; compact with a row for each of these."""
    groups, of = _groups(results), systems(results)
    lines, heads = list(_lines(results, groups)), shown_of_groups(results)
    shown = [line for metric in heads for line in lines if line.metric.id == metric]
    metrics = {line.metric.id: line.metric for line in shown}
    sizes: tuple[Column, ...] = (Column("group", "Group", "stub", width=2.0), Column("n", "n", "count", width=0.7))
    if not results.several_classes:
        sizes = (*sizes, Column("positive", "Positive", "count", width=0.8))
    return MetricTable(
        lines,
        {"groupings": _groupings(results), "told": list(_told(results, shown)), "threshold": _threshold(lines)},
        group=lambda line: metric_head(results, line.metric),
        pooled=lambda line: True,
        compact=Compact(
            MetricLayout(
                tuple(Column(id, heads[id] + arrow(one), "estimate", suffixes=SUFFIXES) for id, one in metrics.items()),
                Beside(sizes, lambda line, system, record, notes: _sizes(results, line.subset)[: len(sizes)]),
                row=lambda line, system: line.subset,
                column=lambda line, system: line.metric.id,
                group=lambda line, system: system.label if len(of) > 1 else "",
                by_system=True,
                detail=lambda line: False,
                marked=False,
            ),
            shown,
        ),
    )


def _lines(results: Results, groups: Sequence[SubsetRecord]) -> Iterator[MetricLine]:
    """Yield each metric that groups have, pooled over folds: on all queries, then on each group."""
    of = systems(results)
    for metric in of_families(results):
        found = [
            MetricLine(metric, subset.id, records)
            for subset in groups
            if any(records := tuple(results.find(metric.id, s.id, subset.id, "pooled") for s in of))
        ]
        if found:
            whole = results.subset_by_id[found[0].subset].population
            yield MetricLine(metric, whole, tuple(results.find(metric.id, s.id, whole, "pooled") for s in of))
            yield from found


def _sizes(results: Results, subset: str) -> tuple[Cell, Cell, Cell]:
    record = results.subset_by_id[subset]
    name = slice_name(results, record) if record.grouping else record.label
    return Cell(capital(name)), count_cell(record.n_queries), count_cell(record.n_positive)


def _groupings(results: Results) -> list[dict[str, Any]]:
    """Return what divides the queries, the reference, and how many queries are in no group."""
    found, queries_of_one = [], len(results.labels) if results.several_classes else 1
    for one in results.groupings:
        labels = {group.id: group.label for group in one.groups}
        reference, without = labels.get(one.reference, ""), one.n_without // queries_of_one
        found.append({"title": one.title, "reference": reference, "is_declared": one.is_declared, "without": without})
    return found


def _told(results: Results, lines: Sequence[MetricLine]) -> Iterator[dict[str, Any]]:
    """Yield the first metric of the compact form for the best system: on all queries, and on the groups of the first
    property, unless they are many.
    """
    first = [(results.subset_by_id[line.subset], line) for line in lines if line.metric == lines[0].metric]
    groups = [one for one in first if one[0].grouping == results.groupings[0].id]
    for subset, line in [one for one in first if not one[0].grouping] + groups * (len(groups) <= _MOST_TOLD):
        record = results.find(line.metric.id, best(results).id, line.subset, "pooled")
        if record is not None:
            yield {"record": record, "group": slice_name(results, subset) if subset.grouping else ""}


def _threshold(lines: Sequence[MetricLine]) -> str:
    """Return what decides, in words; empty where nothing is decided."""
    at = next((MetricId.parse(one.metric.id).parameter for one in lines if _name(one.metric) == "selection_rate"), "")
    return {"": "", "tune": "the threshold chosen on TUNE"}.get(at, f"the threshold {at}")


def _name(metric: MetricRecord) -> str:
    return MetricId.parse(metric.id).name


def _differences(results: Results) -> Form | None:
    """Return a row per difference and gap of every metric and system."""
    of, notes = systems(results), Notes()
    titles = {one.id: one.title for one in results.groupings}
    entries = [
        Entry(
            one.id,
            (Cell(_called(results, one)), *([Cell(results.system_by_id[one.system].label)] if len(of) > 1 else [])),
            {_VALUE.key: _cell(one, notes)},
            (_pair(results, one), Cell(one.interpretation, results=(one.id,))),
            capital(titles[one.grouping]),
        )
        for one in results.group_differences
    ]
    if not entries:
        return None
    columns = full_columns(_VALUE, system=len(of) > 1)
    return Form(columns, grouped(entries, (_VALUE,)), notes=notes, facts=_facts(results, results.group_differences))


def _gaps(results: Results) -> Form | None:
    """Return a row per kind of gap under each property, and a column per system."""
    of, notes = systems(results), Notes()
    asked = _of_gaps(results)
    gaps = [one for one in results.group_differences if one.kind == "gap" and one.metric in asked]
    shown = sorted(gaps, key=lambda one: asked.index(one.metric))
    if not shown:
        return None
    values = tuple(Column(f"gap_{system.id}", system.label, "estimate", width=1.7, suffixes=_BOUNDS) for system in of)
    detail = len(of) <= _WITH_INTERVALS
    entries = [
        Entry(
            one.metric,
            (Cell(_called(results, one)),),
            {f"gap_{one.system}": _cell(one, notes, detail=detail)},
            group=capital(grouping.title),
        )
        for grouping in results.groupings
        for one in shown
        if one.grouping == grouping.id
    ]
    columns = (Column("measure", "Measure", "stub", width=3.6), *values)
    facts = _facts(results, shown if detail else [])
    return Form(columns, grouped(entries, values), notes=notes, facts=facts)


def _of_gaps(results: Results) -> list[str]:
    """Return the metrics whose gaps are shown: those of the groups, and equalized odds or the recall of each class."""
    asked = list(shown_of_groups(results))
    of_odds = [at for at, metric in enumerate(asked, 1) if metric.startswith("fpr@")]
    for at in of_odds:
        asked.insert(at, asked[at - 1].replace("fpr", EQUALIZED_ODDS))
    if results.several_classes and len(results.labels) <= _MOST_CLASSES:
        asked += [metric.id for metric in results.metrics if metric.id.startswith("recall[argmax]@class=")]
    return asked


def _facts(results: Results, shown: Sequence[GroupDifference]) -> dict[str, Any]:
    of_best = [one for one in shown if one.kind == "gap" and one.system == best(results).id and one.value is not None]
    return {
        "groupings": _groupings(results),
        "level": interval_level(results, shown),
        "several": any(one.intervals and one.intervals[0].method_used == "simultaneous" for one in shown),
        "widest": of_best[0] if of_best else None,
    }


def _called(results: Results, one: GroupDifference) -> str:
    return name_of_difference(one, metric_of(results, one).name)


def _pair(results: Results, one: GroupDifference) -> Cell:
    """Return which two groups are compared with each other, with their sizes."""
    return Cell(" against ".join(subset_head(results, subset) for subset in one.subsets))


def _cell(one: GroupDifference, notes: Notes, *, detail: bool = True) -> Cell:
    texts = list(one.notes) if detail else []
    if one.reason is not None:
        texts.append(f"{one.display.value}: {REASONS[one.reason]}.")
    first = one.intervals[0] if one.intervals else None
    return Cell(
        one.display.value,
        detail=one.display.interval if detail else "",
        value=one.value,
        extra=(("lower", first.lower if first else None), ("upper", first.upper if first else None)),
        results=(one.id,),
        notes=tuple(dict.fromkeys(map(notes.key, texts))),
        status="ok" if one.value is not None else "undefined",
    )


TABLES = (
    TableDeclaration("subgroups", "Results by group", "groups of queries", 59, _values),
    TableDeclaration(
        "subgroup-differences", "Differences between groups", "groups of queries", 60, full=_differences, compact=_gaps
    ),
)
