"""Sets of labels: the headline metrics on each of them, beside those on everything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import Results
from reportgen.tables._cells import SUFFIXES
from reportgen.tables._lines import MetricLine, best, headline, line_on, systems
from reportgen.tables._metric_tables import Beside, Compact, MetricLayout, MetricTable, TableDeclaration
from reportgen.wording.heads import label_name, metric_head, slice_name, subset_head, subset_size, with_unit
from reportgen.wording.text import capital

_MOST_INTERVALS = 4
"""Most systems across beside which intervals still fit a page."""
_MOST_NAMED = 12
"""Most labels of a set that a caption names."""
_MOST_TOLD = 3
"""Most sets whose value the first sentence tells."""


def _label_sets(results: Results) -> MetricTable:
    """Declare each headline metric on everything and on every set; compact with a row for each of these."""
    of = systems(results)
    lines = list(_lines(results))
    return MetricTable(
        lines,
        {"members": list(_members(results)), "on_sets": list(_on_sets(results, lines))},
        group=lambda line: metric_head(results, line.metric),
        compact=Compact(
            MetricLayout(
                tuple(
                    Column(f"value_{system.id}", system.label, "estimate", width=1.6, suffixes=SUFFIXES)
                    for system in of
                ),
                Beside(
                    (Column("on", "Subset", "stub", width=2.9),),
                    lambda line, system, record, notes: (Cell(capital(subset_head(results, line.subset))),),
                ),
                row=lambda line, system: line.subset,
                column=lambda line, system: f"value_{system.id}",
                group=lambda line, system: with_unit(results, line.metric, direction=True),
                detail=lambda line: len(of) <= _MOST_INTERVALS,
            )
        ),
    )


def _lines(results: Results) -> Iterator[MetricLine]:
    """Yield each headline metric on its home subset and on the same queries of every set; nothing without sets."""
    for whole in headline(results):
        population = results.subset_by_id[whole.subset].population
        sets = [one.id for one in results.subsets if one.labels and one.population == population]
        found = [line_on(results, whole.metric, subset, systems(results)) for subset in sets]
        if on_sets := [line for line in found if line is not None]:
            yield whole
            yield from on_sets


def _members(results: Results) -> Iterator[dict[str, Any]]:
    """Yield which labels each set holds and how many queries of how many."""
    names = {label.id: label_name(label) for label in results.labels}
    # A contract of rankings alone may look at positive queries only.
    sets = sorted((one for one in results.subsets if one.labels), key=lambda one: one.population == "all_queries")
    for subset in {one.slice: one for one in sets}.values():
        whole = results.subset_by_id[subset.population].n_queries
        yield {
            "set": slice_name(results, subset),
            "labels": len(subset.labels),
            "named": [names[label] for label in subset.labels] if len(subset.labels) <= _MOST_NAMED else [],
            "n": subset.n_queries,
            "whole": subset_size(results, subset.population, whole),
        }


def _on_sets(results: Results, lines: list[MetricLine]) -> Iterator[dict[str, Any]]:
    """Yield the first metric on everything and on the first sets, for the best system."""
    told = [line for line in lines if line.metric == lines[0].metric][: 1 + _MOST_TOLD]
    for line in told:
        if record := results.headline(line.metric.id, best(results).id, line.subset):
            subset = results.subset_by_id[line.subset]
            name = slice_name(results, subset) if subset.labels else ""
            yield {"record": record, "set": name, "n": subset.n_queries}


TABLES = (TableDeclaration("label-sets", "Results on sets of labels", "sets of labels", 57, _label_sets),)
