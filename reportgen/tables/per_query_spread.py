"""How much single queries differ on the metrics that have a value for each: SD over queries, quartiles, median."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.domain.presentation import Cell, Column, Row, RowGroup, Table, Text
from reportgen.domain.record import Estimate, Results, Spread, SystemRecord
from reportgen.numbers import UNDEFINED, fixed
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, estimate_cell, sd_cell
from reportgen.tables._metric_tables import Beside, full_table
from reportgen.tables._systems import Line, baseline_and_best, best, systems
from reportgen.wording.captions import aggregation_sentence, caption, interval_sentence, left_out_sentence
from reportgen.wording.heads import subset_head, with_unit
from reportgen.wording.text import SPACE

ID = "per-query-spread"
TITLE = "Spread over queries"
NEEDS = "metrics with a value for each query"
ORDER = 66
_MOST_SYSTEMS = 2
"""Of more than so many systems the compact form shows the baseline and the best."""


def build(results: Results) -> Table | None:
    """One row per metric and system: value, SD over folds, then how the queries spread, subset and interpretation."""
    found = _lines(results, systems(results))
    single = _single(results, found)
    return full_table(
        results,
        found,
        id=ID,
        title=TITLE,
        opening=_message(results, single),
        about=_about(results, single),
        after=Beside(
            _columns(results), lambda line, system, record, notes: _cells(record, _pooled(results, record), notes)
        ),
    )


def compact(results: Results) -> Table | None:
    """The headline metrics of the baseline and the best system: value, SD over folds, then how the queries spread."""
    kept, notes = baseline_and_best(results, _MOST_SYSTEMS), Notes()
    found = [line for line in _lines(results, kept) if line.metric.id in results.contract.headline]
    single, shown = _single(results, found), _shown(found)
    if not single:
        return None
    folds = any(record.display.sd for record in shown)
    groups = []
    for subset in dict.fromkeys(line.subset for line in found):
        here = [line for line in found if line.subset == subset]
        rows = tuple(row for line in here for row in _rows(results, line, kept, notes, folds=folds))
        groups.append(RowGroup(subset_head(results, subset, _shown(here)), rows))
    return Table(
        id=f"{ID}-compact",
        title=f"{TITLE}, compact",
        caption=caption(
            results, _message(results, single), _about(results, single), aggregation_sentence(results, shown)
        ),
        columns=(
            Column("metric", "Metric", "stub", width=1.7),
            *((Column("system", "System", "text", width=2.4),) if len(results.systems) > 1 else ()),
            Column("value", "Value", "estimate", width=1.75, suffixes=SUFFIXES),
            *((Column("sd_folds", f"SD over {len(results.folds)} folds", "number", width=0.8),) if folds else ()),
            *_columns(results),
        ),
        groups=tuple(groups),
        notes=notes.all(left_out_sentence(results, kept), interval_sentence(results, shown)),
        compact=True,
    )


def _rows(results: Results, line: Line, kept: Sequence[SystemRecord], notes: Notes, *, folds: bool) -> list[Row]:
    """A row per system that has the metric."""
    several = len(results.systems) > 1
    rows = []
    for system, record in zip(kept, line.estimates, strict=True):
        if record is not None:
            spread = sd_cell(record, len(results.folds), notes) if record.value is not None else Cell()
            cells = (
                Cell(with_unit(results, line.metric)),
                *((Cell(system.label),) if several else ()),
                estimate_cell(record, notes, aggregation=results.headline_aggregation),
                *((spread,) if folds else ()),
                *_cells(record, _pooled(results, record), notes),
            )
            rows.append(Row(cells))
    return rows


def _lines(results: Results, of: Sequence[SystemRecord]) -> list[Line]:
    """The metrics of which one of the systems has a value for each query, on their home subset.

    Their records are those that all tables show; how the queries of all folds spread stands in the pooled ones.
    """
    found = []
    for metric in sorted(results.metrics, key=lambda metric: metric.order):
        subset = results.home_subset(metric.id)
        if subset is None:
            continue
        line = Line(metric, subset, tuple(results.headline(metric.id, system.id, subset) for system in of))
        if _single(results, [line]):
            found.append(line)
    return found


def _shown(lines: Sequence[Line]) -> list[Estimate]:
    return [record for line in lines for record in line.estimates if record is not None]


def _single(results: Results, lines: Sequence[Line]) -> list[Estimate]:
    """The pooled records that hold how single queries spread."""
    pooled = (_pooled(results, record) for record in _shown(lines))
    return [record for record in pooled if record is not None and _sd(record) is not None]


def _pooled(results: Results, record: Estimate | None) -> Estimate | None:
    return results.find(record.metric, record.system, record.subset, "pooled") if record is not None else None


def _sd(record: Estimate) -> Spread | None:
    return next((spread for spread in record.sd if spread.over == "query"), None)


def _columns(results: Results) -> tuple[Column, ...]:
    return (
        Column("n", "n", "count", width=0.55),
        Column("sd_queries", f"SD over {results.units.query.many}", "number", width=0.8),
        Column("p25", "P25", "number", width=0.6),
        Column("median", "Median", "number", width=0.65),
        Column("p75", "P75", "number", width=0.6),
    )


def _cells(record: Estimate | None, pooled: Estimate | None, notes: Notes) -> tuple[Cell, ...]:
    """How many queries have a value, their SD, 25th percentile, median and 75th percentile."""
    spread = None if pooled is None else _sd(pooled)
    if pooled is None or spread is None or pooled.quartiles is None:
        return tuple(_absent(record, notes) for _ in range(5))
    numbers, decimals = (spread.value, *pooled.quartiles), pooled.display.decimals
    printed = (Cell(fixed(number, decimals), value=number, results=(pooled.id,)) for number in numbers)
    return count_cell(spread.n), *printed


def _absent(record: Estimate | None, notes: Notes) -> Cell:
    if record is None or record.value is None:
        return Cell()
    why = "the value is a mean over trainings" if record.seeds else "fewer than two single values"
    return Cell(UNDEFINED, status="undefined", notes=(notes.key(f"{UNDEFINED}: {why}."),), results=(record.id,))


def _about(results: Results, single: Sequence[Estimate]) -> str:
    """What the numbers are and what they are not."""
    query = results.units.query
    ddof = ", ".join(map(str, sorted({spread.ddof for record in single if (spread := _sd(record))})))
    several = len(results.folds) > 1
    pooled, folds = (" of all folds", " and is not the SD over folds") if several else ("", "")
    return (
        f"SD over {query.many} (ddof{SPACE}{ddof}), P25, median and P75 (interpolated linearly between the two nearest "
        f"values) are of the n single {query.many}{pooled} that have a value. They tell how much {query.many} differ, "
        f"not how certain their mean is, which the interval tells: this SD is no standard error{folds}."
    )


def _message(results: Results, single: Sequence[Estimate]) -> Text:
    """Between which values, ends included, the middle half of the queries lies, on the first metric for the best."""
    if not single:
        return ""
    first = next((m for m in results.contract.headline if any(r.metric == m for r in single)), single[0].metric)
    of_metric = [record for record in single if record.metric == first]
    record = next((record for record in of_metric if record.system == best(results).id), of_metric[0])
    low, middle, high = (fixed(value, record.display.decimals) for value in record.quartiles or (0.0, 0.0, 0.0))
    name, label = results.metric_by_id[first].name, results.system_by_id[record.system].label
    many = results.units.query.many
    where = f"have {middle}" if low == high else f"lie between {low} and {high}"
    return f"On {name} of {label}, at least half of the {many} {where}."
