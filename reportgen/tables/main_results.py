"""The headline in full: metric, system, value, subset, interpretation."""

from __future__ import annotations

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table
from reportgen.domain.record import Results
from reportgen.tables._cells import SUFFIXES, Notes, estimate_cell
from reportgen.tables._signatures import differing
from reportgen.tables._systems import Headline, headline, systems
from reportgen.tables._wording import (
    FAMILIES,
    capital,
    caption,
    interval_sentence,
    lead,
    metric_head,
    population,
    scope_sentence,
    unit,
)

ID = "main-results"
TITLE = "Main results"
NEEDS = "the contract's headline metrics"
ORDER = 10


def build(results: Results) -> Table | None:
    """One row per headline metric and system, grouped by what the metrics are about."""
    shown = headline(results)
    if not shown:
        return None
    notes = Notes()
    several = len(results.systems) > 1
    families = dict.fromkeys(item.metric.family for item in shown)
    groups = tuple(
        RowGroup(
            FAMILIES.get(family, capital(family)),
            tuple(row for item in shown if item.metric.family == family for row in _rows(results, item, notes)),
        )
        for family in families
    )
    estimates = [estimate for item in shown for estimate in item.estimates if estimate is not None]
    units = results.units
    return Table(
        id=ID,
        title=TITLE,
        caption=caption(
            results,
            lead(results, shown[0].metric, [e for e in shown[0].estimates if e is not None]),
            f"All headline metrics by system, each on the {units.query.many} named under Subset.",
            scope_sentence(results, estimates),
        ),
        columns=(
            Column("metric", "Metric", "stub", width=1.7),
            *((Column("system", "System", "text", width=1.5),) if several else ()),
            Column("value", "Value", "estimate", width=1.8, suffixes=SUFFIXES),
            Column("subset", "Subset", "subset", width=1.6),
            Column("interpretation", "Interpretation", "interpretation", width=4.4),
        ),
        groups=groups,
        notes=notes.all(interval_sentence(results, estimates)),
    )


def _rows(results: Results, item: Headline, notes: Notes) -> list[Row]:
    name = metric_head(results, item.metric)
    if words := unit(item.metric):
        name += f" ({words})"
    mixed = differing(results, item.estimates)
    rows = []
    for system, estimate in zip(systems(results), item.estimates, strict=True):
        value = estimate_cell(estimate, notes, scope=results.headline_scope)
        warning = (notes.key(f"{item.metric.name} differs between systems in: {', '.join(mixed)}."),) if mixed else ()
        rows.append(
            Row(
                (
                    Cell(name, notes=warning),
                    *((Cell(system.label),) if len(results.systems) > 1 else ()),
                    value,
                    Cell(population(results, item.subset)),
                    Cell(estimate.interpretation if estimate else "Not computed.", results=value.results),
                )
            )
        )
    return rows
