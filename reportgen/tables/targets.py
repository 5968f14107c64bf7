"""The contract's targets: who meets them, and whether the interval leaves that open."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import Estimate, Results
from reportgen.tables._cells import SUFFIXES, Notes
from reportgen.tables._lines import MetricLine, lines, of_families, records_of, systems
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    beside,
    each,
    metric_names,
    subsets,
    system_labels,
)

_WORDS = {">=": "≥", "<=": "≤", ">": ">", "<": "<"}


def _targets(results: Results) -> MetricTable:
    """Declare the metrics with a target: target, value and outcome of each system."""
    aimed = {record.metric for record in results.results if record.target is not None}
    found = lines(results, [metric for metric in of_families(results) if metric.id in aimed])
    target = Beside(
        (Column("target", "Target", "number", width=0.9),), lambda line, system, record, notes: (_target(line, notes),)
    )
    outcome = Beside(
        (Column("outcome", "Outcome", "text", width=1.4),),
        lambda line, system, record, notes: (_outcome(record, notes),),
    )
    judged = [(record, record.target) for record in records_of(found) if record.target is not None]
    return MetricTable(
        found,
        {
            "n_judged": len(judged),
            "met": sum(target.met for _, target in judged),
            "open": sum(target.is_open(record.bounds) for record, target in judged),
        },
        before=target,
        after=outcome,
        compact=Compact(
            MetricLayout(
                (Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),),
                beside(metric_names(results), target, system_labels(systems(results))),
                beside(outcome, subsets(results)),
                row=each,
                block=lambda line: line.metric.id,
                marked=False,
            )
        ),
    )


def _target(line: MetricLine, notes: Notes) -> Cell:
    """Return the target of a metric, which is the same for all systems, with what must be known of it."""
    target = next(record.target for record in records_of([line]) if record.target is not None)
    about = (notes.key(target.note),) if target.note else ()
    by = " (whole interval)" if target.by == "interval" else ""
    return Cell(f"{_WORDS[target.op]} {target.value:g}{by}", value=target.value, notes=about)


def _outcome(estimate: Estimate | None, notes: Notes) -> Cell:
    if estimate is None or estimate.target is None:
        return notes.absent("without a value a target is neither met nor missed")
    word = "met" if estimate.target.met else "missed"
    return Cell(f"{word}, open" if estimate.target.is_open(estimate.bounds) else word, results=(estimate.id,))


TABLES = (TableDeclaration("targets", "Targets met and missed", "a contract with targets", 70, _targets),)
