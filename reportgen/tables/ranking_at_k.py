"""All ranking metrics at all cut-offs."""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Inline, Row, RowGroup, Shown, Table, Text
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.tables._cells import SUFFIXES, Mark, Notes
from reportgen.tables._cut_offs import CEILING, at_cut_offs, cut_off_head
from reportgen.tables._marks import explanation, marked_cells
from reportgen.tables._metric_tables import full_table
from reportgen.tables._signatures import differing
from reportgen.tables._systems import lines, of_families, systems
from reportgen.wording.captions import WIDTH, aggregation_sentence, caption, lead
from reportgen.wording.conventions import policy_sentence
from reportgen.wording.heads import named_under_subset, size_in_clusters, without_cut_off

ID = "ranking-at-k"
TITLE = "Ranking at every cut-off"
NEEDS = "ranking metrics"
ORDER = 32


def build(results: Results) -> Table | None:
    """One row per metric, cut-off, population and system, with interpretation."""
    found = lines(results, of_families(results, "ranking", "coverage"), every_population=True)
    about = f"Every ranking metric by system, on the {named_under_subset(results)}."
    return full_table(results, found, id=ID, title=TITLE, about=about, further=policy_sentence(results))


def compact(results: Results) -> Table | None:
    """One group of rows per system, one row per cut-off, one column per ranking metric."""
    by_name, cutoffs = at_cut_offs(results)
    metrics = of_families(results, "ranking", "coverage")
    subset = next((s for metric in metrics if (s := results.home_subset(metric.id))), None)
    if not by_name or subset is None:
        return None
    notes, used = Notes(), set[Mark]()
    rows: dict[str, list[Row]] = {system.id: [] for system in systems(results)}
    shown: list[Estimate] = []
    for k in cutoffs:
        columns = [_column(results, at.get(k), subset, notes, used) for at in by_name.values()]
        for at, system in enumerate(systems(results)):
            rows[system.id].append(Row((Cell(k or CEILING), *(column[at][1] for column in columns))))
        shown += [record for column in columns for record, _ in column if record is not None]
    ranked = {record.system for record in shown}
    groups = [RowGroup(system.label, tuple(rows[system.id])) for system in systems(results) if system.id in ranked]
    if not shown:
        return None
    first = next((m for m in results.contract.headline if m in {metric.id for metric in metrics}), shown[0].metric)
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            _message(results, first, subset),
            f"Each row is one cut-off K, on {size_in_clusters(results, subset, shown)}.",
            aggregation_sentence(results, shown),
        ),
        columns=(
            Column("k", "K", "stub", width=1.2),
            *(
                Column(name, cut_off_head(results, at), "estimate", suffixes=SUFFIXES)
                for name, at in by_name.items()
            ),
        ),
        groups=tuple(groups),
        notes=notes.all(
            f"{explanation(used)} {WIDTH if any(estimate.intervals for estimate in shown) else ''}".strip(),
            *_mixed(results, shown),
        ),
        compact=True,
    )  # fmt: skip


def _message(results: Results, metric: str, subset: str) -> Text:
    """What the cut-off does to the metric that leads, for the system that is best on it: first and last cut-off."""
    estimates = [e for s in systems(results) if (e := results.headline(metric, s.id, subset)) and e.value is not None]
    at_cutoffs = [m for m in results.metrics if _same_but_cut_off(m.id, metric)]
    if not estimates or len(at_cutoffs) < 2:
        return lead(results, results.metric_by_id[metric], estimates)
    sign = -1.0 if results.metric_by_id[metric].direction == "lower" else 1.0
    best = max(estimates, key=lambda e: sign * (e.value or 0.0))
    ordered = sorted(at_cutoffs, key=lambda m: int(MetricId.parse(m.id).parameter))
    ends = [(m, results.headline(m.id, best.system, subset)) for m in (ordered[0], ordered[-1])]
    parts: list[Inline] = [
        f"{without_cut_off(results, results.metric_by_id[metric])} of {results.system_by_id[best.system].label} goes"
    ]
    for word, (m, record) in zip(("from", "to"), ends, strict=True):
        if record is None:
            return lead(results, results.metric_by_id[metric], estimates)
        parts += [f" {word} ", Shown(record.display.value, record.id), f" at K = {MetricId.parse(m.id).parameter}"]
    return (*parts, ".")


def _same_but_cut_off(one: str, other: str) -> bool:
    a, b = MetricId.parse(one), MetricId.parse(other)
    return (a.name, a.variant) == (b.name, b.variant) and a.parameter.isdecimal()


def _column(
    results: Results, metric: MetricRecord | None, subset: str, notes: Notes, used: set[Mark]
) -> list[tuple[Estimate | None, Cell]]:
    """A metric system by system; empty where it has no such cut-off."""
    if metric is None:
        return [(None, Cell()) for _ in systems(results)]
    records = [results.headline(metric.id, system.id, subset) for system in systems(results)]
    cells = marked_cells(results, records, metric.direction, notes, used, aggregation=results.headline_aggregation)
    return list(zip(records, cells, strict=True))


def _mixed(results: Results, shown: list[Estimate]) -> list[str]:
    warnings = []
    for metric in dict.fromkeys(estimate.metric for estimate in shown):
        mixed = differing(results, [estimate for estimate in shown if estimate.metric == metric])
        if mixed:
            name = results.metric_by_id[metric].name
            warnings.append(f"{name} is not comparable across systems: {', '.join(mixed)} differ.")
    return warnings
