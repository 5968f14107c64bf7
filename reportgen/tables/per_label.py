"""Labels down, with their size, prevalence and the first gate and ranking metric of each system."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Shown, Spanner, Table, Text
from reportgen.domain.record import Estimate, LabelRecord, MetricRecord, Results, SubsetRecord, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell
from reportgen.tables._signatures import differing
from reportgen.tables._systems import baseline_and_best, best
from reportgen.tables._systems import systems as all_systems
from reportgen.tables._wording import capital, caption, interval_sentence, label_name, metric_head, scope_sentence

ID = "per-label"
TITLE = "Results per label"
NEEDS = "labels, and primary metrics on them"
ORDER = 40
_MOST_SYSTEMS = 4
_FAMILIES = ("gate", "ranking")


def build(results: Results) -> Table | None:
    """One row per label; one spanned block of systems per metric."""
    labels = [label for label in results.labels if f"label={label.id}" in results.subset_by_id]
    metrics = _metrics(results, labels)
    if not labels or not metrics:
        return None
    systems = baseline_and_best(results, _MOST_SYSTEMS)
    notes = Notes()
    rows = tuple(_row(results, label, metrics, systems, notes) for label in labels)
    shown = [
        record
        for label in labels
        for metric in metrics
        for system in systems
        if (record := _find(results, metric, system, label)) is not None
    ]
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            _message(results, labels, metrics[0]),
            _definitions(results, metrics),
            scope_sentence(results, shown),
        ),
        columns=(
            Column("label", capital(results.units.label.one), "stub", width=1.8),
            Column("queries", capital(results.units.query.many), "count"),
            Column("positives", "With evidence", "count"),
            Column("prevalence", "Prevalence", "number"),
            *(_value_column(results, metric, system, len(systems)) for metric in metrics for system in systems),
        ),
        groups=(RowGroup("", rows),),
        spanners=tuple(
            Spanner(metric_head(results, metric, arrow=True), tuple(_key(metric, system) for system in systems))
            for metric in metrics
            if len(systems) > 1
        ),
        notes=notes.all(_left_out(results, systems), _intervals(results, shown), *_mixed(results, shown, metrics)),
    )


def _metrics(results: Results, labels: list[LabelRecord]) -> list[MetricRecord]:
    """The first headline metric of each family that was computed on labels, the gate before the ranking."""
    found = []
    for family in _FAMILIES:
        for metric in results.contract.headline:
            facts = results.metric_by_id.get(metric)
            if facts is None or facts.family != family or metric not in results.contract.primary:
                continue
            if any(_find(results, facts, system, label) for system in results.systems for label in labels):
                found.append(facts)
                break
    return found


def _find(results: Results, metric: MetricRecord, system: SystemRecord, label: LabelRecord) -> Estimate | None:
    home = results.home_subset(metric.id)
    subset = f"label={label.id}" if home == "all_queries" else f"label={label.id}/{home}"
    return results.headline(metric.id, system.id, subset)


def _key(metric: MetricRecord, system: SystemRecord) -> str:
    return f"{metric.id}_{system.id}"


def _value_column(results: Results, metric: MetricRecord, system: SystemRecord, n_systems: int) -> Column:
    head: Text = system.label if n_systems > 1 else metric_head(results, metric, arrow=True)
    return Column(_key(metric, system), head, "estimate", suffixes=SUFFIXES)


def _row(
    results: Results,
    label: LabelRecord,
    metrics: list[MetricRecord],
    systems: tuple[SystemRecord, ...],
    notes: Notes,
) -> Row:
    subset = results.subset_by_id[f"label={label.id}"]
    values = [
        estimate_cell(
            _find(results, metric, system, label), notes, scope=results.headline_scope, detail=len(systems) == 1
        )
        for metric in metrics
        for system in systems
    ]
    return Row(
        (
            Cell(label_name(label)),
            count_cell(subset.n_queries),
            count_cell(subset.n_positive),
            _prevalence(results, subset, notes),
            *values,
        )
    )


def _prevalence(results: Results, subset: SubsetRecord, notes: Notes) -> Cell:
    """The share of positive queries, pooled, as it is the same for all systems that were given the same queries."""
    found = (results.find("prevalence", system.id, subset.id, "pooled") for system in all_systems(results))
    return estimate_cell(next((record for record in found if record is not None), None), notes, detail=False)


def _message(results: Results, labels: list[LabelRecord], metric: MetricRecord) -> Text:
    """The range of the first metric over labels, for the best system."""
    system = best(results)
    found = [(label, _find(results, metric, system, label)) for label in labels]
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


def _definitions(results: Results, metrics: list[MetricRecord]) -> str:
    queries = results.units.query.many
    sentences = []
    for metric in metrics:
        positives = results.home_subset(metric.id) == "positives_only"
        which = f"the label's {queries} with evidence" if positives else f"all {queries} of the label"
        sentences.append(f"{metric_head(results, metric)} is on {which}.")
    return " ".join(sentences).replace("the label", f"the {results.units.label.one}")


def _left_out(results: Results, shown: tuple[SystemRecord, ...]) -> str:
    if len(shown) == len(results.systems):
        return ""
    return (
        f"Of {len(results.systems)} systems the baseline and the best on the first headline metric are shown; "
        "the metrics file holds all."
    )


def _intervals(results: Results, shown: list[Estimate]) -> str:
    if any(estimate.intervals for estimate in shown) and len({estimate.system for estimate in shown}) > 1:
        return "Intervals are left out for width; the CSV form of this table holds them."
    return interval_sentence(results, shown)


def _mixed(results: Results, shown: list[Estimate], metrics: list[MetricRecord]) -> list[str]:
    warnings = []
    for metric in metrics:
        mixed = differing(results, [estimate for estimate in shown if estimate.metric == metric.id])
        if mixed:
            warnings.append(f"{metric.name} is not comparable across this table: {', '.join(mixed)} differ.")
    return warnings
