"""Labels as rows of a table, and a table of all metrics of some families for one system."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Estimate, Label, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell
from reportgen.tables._marks import tested
from reportgen.tables._metric_tables import full_table
from reportgen.tables._systems import Line, best, of_families
from reportgen.wording.captions import WIDTH, aggregation_sentence, caption
from reportgen.wording.heads import label_name, metric_head, origin, positives_head
from reportgen.wording.text import capital

_ONE_PAGE = 25
"""Labels that fit one page."""
_NARROW, _WIDE = 5, 8
"""Metrics that fit the width of a page in a table of several pages, and of a page that is turned."""


def labels_with_values(results: Results) -> list[Label]:
    """The labels that have a subset of their own, in their order."""
    return [label for label in results.labels if f"label={label.id}" in results.subset_by_id]


def subset_of(results: Results, metric: MetricRecord, label: Label) -> str:
    """The subset of a label that a metric is on: its positive queries where the metric is about those."""
    home = results.home_subset(metric.id)
    return f"label={label.id}" if home == "all_queries" else f"label={label.id}/{home}"


def on_label(results: Results, metric: MetricRecord, system: SystemRecord, label: Label) -> Estimate | None:
    """The record to show of a metric on a label."""
    return results.headline(metric.id, system.id, subset_of(results, metric, label))


def label_cells(results: Results, label: Label) -> tuple[Cell, ...]:
    """The label's name, its queries and its positive queries."""
    subset = results.subset_by_id[f"label={label.id}"]
    return Cell(label_name(label)), count_cell(subset.n_queries), count_cell(subset.n_positive)


def label_columns(results: Results) -> tuple[Column, ...]:
    """The columns of :func:`label_cells`."""
    return (
        Column("label", capital(results.units.label.one), "stub", width=1.8),
        Column("queries", capital(results.units.query.many), "count"),
        Column("positives", positives_head(results), "count"),
    )


def one_system(results: Results, *families: str, id: str, title: str, about: str) -> Table | None:
    """One row per metric of the families and label, for the best system; None where there is nothing.

    ``about`` is what the metrics are of, in words.
    """
    labels, system, metrics = _of_best(results, families)
    found = [
        Line(metric, subset, (on_label(results, metric, system, label),))
        for metric in metrics
        for label in labels
        if (subset := subset_of(results, metric, label)) in results.subset_by_id
    ]
    return full_table(
        results,
        found,
        id=id,
        title=title,
        opening=_message(results, about, system),
        about=_populations(results, metrics, ()),
        of=(system,),
        group=lambda line: metric_head(results, line.metric, direction=True),
    )


def one_system_compact(results: Results, *families: str, id: str, title: str, about: str) -> Table | None:
    """One row per label, one column per metric of the families, for the best system; None where there is nothing."""
    labels, system, metrics = _of_best(results, families)
    if not metrics:
        return None
    metrics, left_out = _fitting(results, metrics, len(labels))
    notes = Notes()
    rows, shown = [], []
    for label in labels:
        records = [on_label(results, metric, system, label) for metric in metrics]
        aggregation = results.headline_aggregation
        cells = [
            tested(results, r, estimate_cell(r, notes, aggregation=aggregation, detail=False), notes) for r in records
        ]
        rows.append(Row((*label_cells(results, label), *cells)))
        shown += [record for record in records if record is not None]
    return Table(
        id=f"{id}-compact",
        title=f"{title}, compact",
        caption=caption(
            results,
            _message(results, about, system),
            _populations(results, metrics, shown),
            aggregation_sentence(results, shown),
        ),
        columns=(
            *label_columns(results),
            *(Column(m.id, metric_head(results, m, direction=True), "estimate", suffixes=SUFFIXES) for m in metrics),
        ),
        groups=(RowGroup("", tuple(rows)),),
        notes=notes.all(WIDTH if any(record.intervals for record in shown) else "", left_out),
        compact=True,
    )


def _of_best(results: Results, families: Sequence[str]) -> tuple[list[Label], SystemRecord, list[MetricRecord]]:
    """The labels, the best system, and the metrics of the families that it has on some label."""
    labels, system = labels_with_values(results), best(results)
    metrics = [m for m in of_families(results, *families) if any(on_label(results, m, system, one) for one in labels)]
    return labels, system, metrics


def _message(results: Results, about: str, system: SystemRecord) -> str:
    which = ", the best system on the first headline metric" if len(results.systems) > 1 else ""
    return f"All metrics of {about} that were computed by {results.units.label.one}, for {system.label}{which}."


def _fitting(results: Results, metrics: list[MetricRecord], n_labels: int) -> tuple[list[MetricRecord], str]:
    """The metrics that fit the page, those of the headline first, and a note where some are left out.

    A table over several pages cannot be turned, so it holds fewer columns.
    """
    most = _WIDE if n_labels <= _ONE_PAGE else _NARROW
    if len(metrics) <= most:
        return metrics, ""
    kept = sorted(metrics, key=lambda metric: metric.id not in results.contract.headline)[:most]
    note = f"Of {len(metrics)} metrics {most} are shown, those of the headline first; the metrics file holds all."
    return [metric for metric in metrics if metric in kept], note


def _populations(results: Results, metrics: list[MetricRecord], shown: Sequence[Estimate]) -> str:
    homes = dict.fromkeys(
        results.subset_by_id[home].label.lower() for m in metrics if (home := results.home_subset(m.id))
    )
    return f"Values are on {' or '.join(homes)} of the {results.units.label.one}{origin(results, None, shown)}."
