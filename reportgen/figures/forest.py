"""All systems on all headline metrics: a panel per metric, a row per system, each value with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from reportgen.domain.presentation import Figure, Value, plain
from reportgen.domain.record import Estimate, MetricRecord, Results
from reportgen.figures.drawing.row_panels import Panel, ReferenceKind, RowPanels, entry_of, paged, paint, scaled
from reportgen.figures.drawing.style import POINTS_PER_INCH, Style
from reportgen.numbers import count
from reportgen.styles import load_tokens
from reportgen.wording.captions import (
    absence_sentence,
    interval_level,
    outside_sentence,
    part_of,
    synthetic_sentence,
    thresholds_sentence,
)
from reportgen.wording.heads import grounds, panel_head
from reportgen.wording.rankings import ranking
from reportgen.wording.text import Phrase, counted, enumeration, value_text, with_interval

ORDER = 5
_COLUMNS = 3
_HEAD = (
    "metric", "metric_name", "system", "system_label", "subset", "scope", "value", "lower", "upper", "status",
    "n_queries",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """One headline metric with a record per system, in the order of presentation."""

    metric: MetricRecord
    subset: str
    records: tuple[Estimate, ...]


def headline(results: Results) -> tuple[Measured, ...]:
    """The headline metrics that have a good end and at least one value, in the contract's order."""
    found = []
    for metric_id in results.contract.headline:
        metric, subset = results.metric_by_id.get(metric_id), results.home_subset(metric_id)
        if metric is None or subset is None or metric.direction == "none":
            continue
        systems = sorted(results.systems, key=lambda system: system.order)
        records = [results.headline(metric_id, system.id, subset) for system in systems]
        known = tuple(record for record in records if record is not None)
        if any(record.value is not None for record in known):
            found.append(Measured(metric, subset, known))
    return tuple(found)


def build(results: Results) -> tuple[Figure, ...]:
    """One figure, or several where the panels fill more than a page; nothing without a value."""
    measured = headline(results)
    if not measured:
        return ()
    panels = [scaled(_panel(results, one)) for one in measured]
    page = Style.of(load_tokens()).height * POINTS_PER_INCH
    columns = min(_COLUMNS, len(panels))
    pages = paged(panels, columns, page)
    return tuple(_figure(results, measured, panels, columns, at, len(pages)) for at, panels in enumerate(pages, 1))


def _panel(results: Results, one: Measured) -> Panel:
    references: list[tuple[ReferenceKind, float]] = []
    if (chance := _chance(results, one)) is not None:
        references.append(("chance", chance))
    base = next((record for record in one.records if record.system == results.run.baseline), None)
    if base is not None and base.value is not None and len(one.records) > 1:
        references.append(("baseline", base.value))
    return Panel(
        title=panel_head(results, one.metric, one.subset),
        entries=tuple(entry_of(results, record, (record.display.value,)) for record in one.records),
        references=tuple(references),
    )


def _chance(results: Results, one: Measured) -> float | None:
    """The value without information: the metric's own, or the share of positives where that is it."""
    if one.metric.chance == "prevalence":
        shares = (results.find("prevalence", record.system, one.subset, record.scope) for record in one.records)
        return next((share.value for share in shares if share is not None), None)
    try:
        return float(one.metric.chance)
    except ValueError:
        return None


def _figure(
    results: Results, measured: tuple[Measured, ...], panels: tuple[Panel, ...], columns: int, at: int, of: int
) -> Figure:
    ids = [entry.result for panel in panels for entry in panel.entries]
    shown = [results.by_id[id_] for id_ in ids]
    here = tuple(one for one in measured if any(record.id in ids for record in one.records))
    level = interval_level(results, shown)
    note = f"Values with {level} CI; arrows: the better direction" if level else "Arrows: the better direction"
    return Figure(
        id="forest" if at == 1 else f"forest-{at}",
        title=f"Headline metrics of all systems{part_of(at, of)}",
        caption=_caption(results, measured, here, panels, shown),
        alt=_alt(results, here),
        columns=_HEAD,
        rows=tuple(_row(results, record) for record in shown),
        results=tuple(ids),
        draw=partial(paint, RowPanels(panels, columns, note, results.run.synthetic)),
        width="double",
    )


def _row(results: Results, record: Estimate) -> tuple[Value, ...]:
    interval = record.intervals[0] if record.intervals else None
    return (
        record.metric, results.metric_by_id[record.metric].name, record.system,
        results.system_by_id[record.system].label, record.subset, record.scope, record.value,
        interval.lower if interval else None, interval.upper if interval else None, record.status, record.n.queries,
    )  # fmt: skip


def _caption(
    results: Results, every: tuple[Measured, ...], here: tuple[Measured, ...], panels: tuple[Panel, ...],
    shown: list[Estimate],
) -> Phrase:  # fmt: skip
    level = interval_level(results, shown)
    drawn = {kind for panel in panels for kind, _ in panel.references}
    baseline = results.system_by_id[results.run.baseline].label if results.run.baseline else ""
    rest = [
        f" {counted(len(here), 'headline metric', 'headline metrics')} ",
        grounds(results, shown),
        f", with {level} confidence intervals." if level else ".",
        thresholds_sentence(results, shown),
        f" Dotted line: {baseline}." if "baseline" in drawn else "",
        " Dashed line: chance, where the axis reaches it." if "chance" in drawn else "",
        absence_sentence(shown),
        outside_sentence(shown),
        synthetic_sentence(results),
    ]
    return (*_message(results, every), "".join(rest))


def _message(results: Results, measured: tuple[Measured, ...]) -> Phrase:
    """Who has the best printed value on how many metrics, and where the intervals tell it from all others."""
    orders = [order for one in measured if (order := ranking(results, one.records))]
    if len({record.system for one in measured for record in one.records if record.value is not None}) == 1:
        first = orders[0].first
        return (f"{results.metric_by_id[first.metric].name} of {results.system_by_id[first.system].label} is ",
                *with_interval(first), ".")  # fmt: skip
    leads: dict[str, int] = {}
    apart: dict[str, int] = {}
    for order in orders:
        for record in order.best:
            leads[record.system] = leads.get(record.system, 0) + 1
        if len(order.ranked) > 1 and not order.rivals and all(r.intervals for r in order.ranked):
            apart[order.first.system] = apart.get(order.first.system, 0) + 1
    most = max(leads.values())
    winners = [system for system in sorted(results.systems, key=lambda s: s.order) if leads.get(system.id) == most]
    names = enumeration([(system.label,) for system in winners])
    where = f"all {len(orders)}" if most == len(orders) > 1 else f"{most} of {len(orders)}"
    verb = "has" if len(winners) == 1 else "each have"
    metrics = "the headline metric" if len(orders) == 1 else f"{where} headline metrics"
    opening: Phrase = (*names, f" {verb} the best value on {metrics}")
    if len(winners) > 1:
        return (*opening, ".")
    alone = apart.get(winners[0].id, 0)
    if not alone:
        return (*opening, "; on each, its interval overlaps another's.")
    clear = "on each" if alone == most else f"on {count(alone)} of these"
    return (*opening, f"; its interval overlaps no other's {clear if most > 1 else 'there'}.")


def _alt(results: Results, measured: tuple[Measured, ...]) -> str:
    systems = len({record.system for one in measured for record in one.records})
    parts = []
    for one in measured:
        order = ranking(results, one.records)
        if order is None:
            parts.append(f"{one.metric.name}: no value.")
            continue
        lead = plain(enumeration([results.system_by_id[record.system].label for record in order.best]))
        parts.append(f"{one.metric.name}: {lead}, {value_text(order.first)}.")
    best = "Best values by metric" if systems > 1 else "Values by metric"
    return (
        f"Forest plot of {counted(systems, 'system', 'systems')} in rows, "
        f"{counted(len(measured), 'panel', 'panels')}. {best}: {' '.join(parts)}"
    )
