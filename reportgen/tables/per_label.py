"""Labels down, with their size, prevalence and the first gate and ranking metric of each system."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Shown, Spanner, Table, Text
from reportgen.domain.record import Estimate, Label, MetricRecord, Results, SubsetRecord, SystemRecord
from reportgen.tables._cells import SUFFIXES, Mark, Notes, estimate_cell
from reportgen.tables._labels import label_cells, label_columns, labels_with_values, on_label, subset_of
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import full_table
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Line, baseline_and_best, best
from reportgen.tables._systems import systems as all_systems
from reportgen.wording.captions import WIDTH, aggregation_sentence, caption, interval_sentence, left_out_sentence
from reportgen.wording.heads import label_name, metric_head, named_under_subset, origin, subset_name
from reportgen.wording.text import paragraph

ID = "per-label"
TITLE = "Results per label"
NEEDS = "labels, and primary metrics on them"
ORDER = 58
_MOST_SYSTEMS = 4
_FAMILIES = ("classification", "ranking")


def build(results: Results) -> Table | None:
    """One row per metric, label and system, with interpretation."""
    labels = labels_with_values(results)
    found = [
        Line(metric, subset, tuple(on_label(results, metric, system, label) for system in all_systems(results)))
        for metric in _metrics(results, labels)
        for label in labels
        if (subset := subset_of(results, metric, label)) in results.subset_by_id
    ]
    about = f"The leading metrics by {results.units.label.one}, each on the {named_under_subset(results)}."
    return full_table(
        results, found, id=ID, title=TITLE, about=about, group=lambda line: metric_head(results, line.metric)
    )  # fmt: skip


def compact(results: Results) -> Table | None:
    """One row per label; one spanned block of systems per metric."""
    labels = labels_with_values(results)
    metrics = _metrics(results, labels)
    if not labels or not metrics:
        return None
    systems = baseline_and_best(results, _MOST_SYSTEMS)
    notes = Notes()
    used = set[Mark]()
    rows = tuple(_row(results, label, metrics, systems, notes, used) for label in labels)
    shown = [
        record
        for label in labels
        for metric in metrics
        for system in systems
        if (record := on_label(results, metric, system, label)) is not None
    ]
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            _message(results, labels, metrics[0]),
            _definitions(results, metrics, shown),
            aggregation_sentence(results, shown),
        ),
        columns=(
            *label_columns(results),
            Column("prevalence", "Prevalence", "number"),
            *(_value_column(results, metric, system, len(systems)) for metric in metrics for system in systems),
        ),
        groups=(RowGroup("", rows),),
        spanners=tuple(
            Spanner(metric_head(results, metric, direction=True), tuple(_key(metric, system) for system in systems))
            for metric in metrics
            if len(systems) > 1
        ),
        notes=notes.all(
            left_out_sentence(results, systems),
            paragraph((explanation(used), _intervals(results, shown))),
            *_mixed(results, shown, metrics),
        ),
        compact=True,
    )


def _metrics(results: Results, labels: list[Label]) -> list[MetricRecord]:
    """The first headline metric of each family that was computed on labels, the gate before the ranking."""
    found = []
    for family in _FAMILIES:
        for metric in results.contract.headline:
            facts = results.metric_by_id.get(metric)
            if facts is None or facts.family != family or metric not in results.contract.primary:
                continue
            if any(on_label(results, facts, system, label) for system in results.systems for label in labels):
                found.append(facts)
                break
    return found


def _key(metric: MetricRecord, system: SystemRecord) -> str:
    return f"{metric.id}_{system.id}"


def _value_column(results: Results, metric: MetricRecord, system: SystemRecord, n_systems: int) -> Column:
    head: Text = system.label if n_systems > 1 else metric_head(results, metric, direction=True)
    return Column(_key(metric, system), head, "estimate", suffixes=SUFFIXES)


def _row(
    results: Results,
    label: Label,
    metrics: list[MetricRecord],
    systems: tuple[SystemRecord, ...],
    notes: Notes,
    used: set[Mark],
) -> Row:
    subset = results.subset_by_id[f"label={label.id}"]
    aggregation, alone = results.headline_aggregation, len(systems) == 1
    values = [
        cell
        for metric in metrics
        for cell in marked_cells(
            results,
            [on_label(results, metric, system, label) for system in systems],
            metric.direction,
            notes,
            used,
            aggregation=aggregation,
            detail=alone,
        )
    ]
    return Row(
        (
            *label_cells(results, label),
            _prevalence(results, subset, notes),
            *values,
        )
    )


def _prevalence(results: Results, subset: SubsetRecord, notes: Notes) -> Cell:
    """The share of positive queries, pooled, as it is the same for all systems that were given the same queries."""
    found = (results.find("prevalence", system.id, subset.id, "pooled") for system in all_systems(results))
    return estimate_cell(next((record for record in found if record is not None), None), notes, detail=False)


def _message(results: Results, labels: list[Label], metric: MetricRecord) -> Text:
    """The range of the first metric over labels, for the best system."""
    system = best(results)
    found = [(label, on_label(results, metric, system, label)) for label in labels]
    defined = [(label, record) for label, record in found if record is not None and record.value is not None]
    noun = results.units.label
    if len(defined) < 2:
        return f"{metric.name} by {noun.one}."
    ordered = sorted(defined, key=lambda pair: pair[1].value or 0.0)
    (low, lowest), (high, highest) = ordered[0], ordered[-1]
    return (
        f"Over {noun.count(len(defined))}, {metric.name} of {system.label} lies between ",
        Shown(lowest.display.value, lowest.id),
        f" ({label_name(low)}) and ",
        Shown(highest.display.value, highest.id),
        f" ({label_name(high)}).",
    )


def _definitions(results: Results, metrics: list[MetricRecord], shown: list[Estimate]) -> str:
    noun, sentences = results.units.label.one, []
    for metric in metrics:
        on = subset_name(results.subset_by_id[results.home_subset(metric.id) or "all_queries"])
        sentences.append(f"{metric_head(results, metric)} is on {on} of the {noun}.")
    where = origin(results, None, shown, comma=False)
    return " ".join([*sentences, *([f"These are{where}."] if where else [])])


def _intervals(results: Results, shown: list[Estimate]) -> Text:
    if any(estimate.intervals for estimate in shown) and len({estimate.system for estimate in shown}) > 1:
        return WIDTH
    return interval_sentence(results, shown)


def _mixed(results: Results, shown: list[Estimate], metrics: list[MetricRecord]) -> list[str]:
    warnings = []
    for metric in metrics:
        mixed = differing(results, [estimate for estimate in shown if estimate.metric == metric.id])
        if mixed:
            warnings.append(f"{metric.name} is not comparable across this table: {', '.join(mixed)} differ.")
    return warnings
