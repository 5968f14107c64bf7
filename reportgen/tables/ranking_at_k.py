"""All ranking metrics at all cut-offs."""

from __future__ import annotations

from reportgen.domain.metric_id import MetricId
from reportgen.domain.presentation import Cell, Column, Inline, Row, RowGroup, Shown, Table, Text
from reportgen.domain.record import Estimate, MetricRecord, Results, SystemRecord
from reportgen.tables._cells import SUFFIXES, Notes, estimate_cell
from reportgen.tables._cut_offs import CEILING, at_cut_offs, cut_off_head, policy_sentence
from reportgen.tables._metric_tables import full_table
from reportgen.tables._signatures import differing
from reportgen.tables._systems import lines, of_families, systems
from reportgen.tables._wording import WIDTH, caption, lead, queries, scope_sentence, without_cut_off

ID = "ranking-at-k"
TITLE = "Ranking at every cut-off"
NEEDS = "ranking metrics"
ORDER = 32


def build(results: Results) -> Table | None:
    """One row per metric, cut-off, protocol and system, with interpretation."""
    found = lines(results, of_families(results, "ranking", "coverage"), every_protocol=True)
    about = f"Every ranking metric by system, on the {results.units.query.many} named under Subset."
    return full_table(results, found, id=ID, title=TITLE, about=about, further=policy_sentence(results))


def compact(results: Results) -> Table | None:
    """One group of rows per system, one row per cut-off, one column per ranking metric."""
    by_name, cutoffs = at_cut_offs(results)
    metrics = of_families(results, "ranking", "coverage")
    subset = next((s for metric in metrics if (s := results.home_subset(metric.id))), None)
    if not by_name or subset is None:
        return None
    notes = Notes()
    groups, shown = [], []
    for system in systems(results):
        rows, records = _rows(results, system, notes, subset=subset, by_name=by_name, cutoffs=cutoffs)
        if records:
            groups.append(RowGroup(system.label, rows))
            shown += records
    if not shown:
        return None
    first = next((m for m in results.contract.headline if m in {metric.id for metric in metrics}), shown[0].metric)
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results,
            _message(results, first, subset),
            f"Each row is one cut-off K, on {queries(results, subset)}.",
            scope_sentence(results, shown),
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
            WIDTH
            if any(estimate.intervals for estimate in shown)
            else "",
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


def _rows(
    results: Results,
    system: SystemRecord,
    notes: Notes,
    *,
    subset: str,
    by_name: dict[str, dict[str, MetricRecord]],
    cutoffs: list[str],
) -> tuple[tuple[Row, ...], list[Estimate]]:
    rows: list[Row] = []
    records: list[Estimate] = []
    for k in cutoffs:
        cells = [Cell(k or CEILING)]
        for at in by_name.values():
            if k not in at:
                cells.append(Cell())
                continue
            record = results.headline(at[k].id, system.id, subset)
            cells.append(estimate_cell(record, notes, scope=results.headline_scope, detail=False))
            records += [record] if record is not None else []
        rows.append(Row(tuple(cells)))
    return tuple(rows), records


def _mixed(results: Results, shown: list[Estimate]) -> list[str]:
    warnings = []
    for metric in dict.fromkeys(estimate.metric for estimate in shown):
        mixed = differing(results, [estimate for estimate in shown if estimate.metric == metric])
        if mixed:
            name = results.metric_by_id[metric].name
            warnings.append(f"{name} is not comparable across systems: {', '.join(mixed)} differ.")
    return warnings
