"""How values differ between folds, between training seeds or repeats, and between single queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Literal

from reportgen.domain.presentation import Cell, Column
from reportgen.domain.record import (
    REASONS,
    Estimate,
    FoldValue,
    RepeatValue,
    Results,
    SeedValue,
    Spread,
    SystemRecord,
)
from reportgen.tables._cells import SUFFIXES, Notes, count_cell, part_cell, sd_cell
from reportgen.tables._lines import (
    MetricLine,
    baseline_and_best,
    best,
    headline,
    lines,
    of_families,
    records_of,
    systems,
)
from reportgen.tables._metric_tables import (
    Beside,
    Compact,
    MetricLayout,
    MetricTable,
    TableDeclaration,
    beside,
    each,
    metric_names,
    sd_over_folds,
    system_labels,
    system_names,
)
from reportgen.wording.heads import fold_name, metric_head, subset_head
from reportgen.wording.text import SPACE, as_printed

_MOST_SYSTEMS = 2
"""Of more than so many systems the compact form of the spread over queries shows the baseline and the best."""
_MEAN = (Column("mean", "Mean", "estimate", suffixes=SUFFIXES),)


def _per_fold(results: Results) -> MetricTable | None:
    """Declare the headline metrics fold by fold, as means over folds; None of a run without folds.

    The folds of several repeats are too many columns: of these, the smallest, the middle and the largest value.
    """
    if len(results.folds) < 2:
        return None
    found = []
    for line in headline(results):
        records = tuple(results.find(line.metric.id, s.id, line.subset, "fold_mean") for s in systems(results))
        if any(record is not None and record.folds for record in records):
            found.append(MetricLine(line.metric, line.subset, records))
    shown = records_of(found)
    if not shown:
        return None

    folds = _range_of_folds(results) if results.split.repeats > 1 else _each_fold(results)
    ddof = _divisors([record.sd[0] for record in shown if record.sd and record.sd[0].over == "fold"])
    first = next((record for record in shown if record.system == best(results).id), shown[0])
    return MetricTable(
        found,
        {"ddof": ddof, "spread": _range(results, first, first.folds)},
        before=folds,
        compact=Compact(
            MetricLayout(
                _MEAN,
                beside(system_names(), folds),
                sd_over_folds(results, found),
                column=lambda line, system: "mean",
                group=lambda line, system: _on(results, line),
                kept=lambda record: record is not None and bool(record.folds),
                detail=lambda line: False,
            ),
        ),
    )


def _each_fold(results: Results) -> Beside:
    """Return a column for each fold."""

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        if record is None:
            return [Cell() for _ in results.folds]
        of = {value.fold: value for value in record.folds}
        return [_single(results, of.get(fold.id), record, notes, "not computed in this fold") for fold in results.folds]

    return Beside(tuple(Column(f"fold_{fold.id}", fold_name(fold), "number") for fold in results.folds), cells)


def _range_of_folds(results: Results) -> Beside:
    """Return columns for the smallest, the middle and the largest value of all folds that have one."""
    columns = (("smallest", "Smallest"), ("median", "Median"), ("largest", "Largest"))

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        if record is None or not record.folds:
            return [Cell() for _ in columns]
        values = [one.value for one in record.folds if one.value is not None]
        if not values:
            return [notes.absent("no fold has a value", (record.id,)) for _ in columns]
        return [part_cell(results, record, one) for one in (min(values), median(values), max(values))]

    return Beside(tuple(Column(f"fold_{key}", head, "number") for key, head in columns), cells)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a value is a mean over, where it has several parts, in words."""

    over: Literal["seed", "repeat"]
    values: Callable[[Estimate], Sequence[SeedValue | RepeatValue]]
    name: Callable[[SeedValue | RepeatValue], str]
    head: str
    lacking: str


_SEEDS = _Parts(
    "seed",
    lambda record: record.seeds,
    lambda one: one.seed if isinstance(one, SeedValue) else "",
    "Seed",
    "not trained with this seed",
)
_REPEATS = _Parts(
    "repeat",
    lambda record: record.repeats,
    lambda one: one.repeat if isinstance(one, RepeatValue) else "",
    "Repeat",
    "not in this repeat",
)


def _per_part(parts: _Parts, results: Results) -> MetricTable | None:
    """Declare the headline metrics of every training of a system, or of every repeat; None where there is one."""
    found = [line for line in headline(results) if any(parts.values(record) for record in records_of([line]))]
    several = [record for record in records_of(found) if parts.values(record)]
    if not several:
        return None
    # In order of first appearance.
    names = tuple(dict.fromkeys(parts.name(one) for record in several for one in parts.values(record)))

    def cells(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        if record is None or not parts.values(record):
            return [Cell() for _ in names]
        of = {parts.name(value): value for value in parts.values(record)}
        return [_single(results, of.get(name), record, notes, parts.lacking) for name in names]

    def sd(line: MetricLine, system: SystemRecord, record: Estimate | None, notes: Notes) -> list[Cell]:
        n = len(parts.values(record)) if record else 0
        return [sd_cell(record, parts.over, n, notes) if record and n else Cell()]

    columns = (Column(f"{parts.over}_{at}", f"{parts.head} {name}", "number") for at, name in enumerate(names, 1))
    each_part = Beside(tuple(columns), cells)
    counts = {len(parts.values(record)) for record in several}
    n = f"{counts.pop()} {parts.over}s" if len(counts) == 1 else f"{parts.over}s"
    spread = Beside((Column("sd", f"SD over {n}", "number"),), sd)
    ddof = _divisors([spread for record in several for spread in record.sd if spread.over == parts.over])
    return MetricTable(
        found,
        {"ddof": ddof, "spread": _range(results, several[0], parts.values(several[0]))},
        before=beside(each_part, spread),
        compact=Compact(
            MetricLayout(
                _MEAN,
                beside(system_names(), each_part),
                spread,
                column=lambda line, system: "mean",
                group=lambda line, system: _on(results, line),
                kept=lambda record: record is not None and bool(parts.values(record)),
                detail=lambda line: False,
            )
        ),
    )


def _on(results: Results, line: MetricLine) -> str:
    return f"{metric_head(results, line.metric)}, {subset_head(results, line.subset)}"


def _single(
    results: Results,
    value: FoldValue | SeedValue | RepeatValue | None,
    estimate: Estimate,
    notes: Notes,
    lacking: str,
) -> Cell:
    """Return the value of one fold, seed or repeat; ``lacking`` says why there is no record of it."""
    if value is None or value.value is None:
        return notes.absent(REASONS[value.reason] if value is not None and value.reason else lacking, (estimate.id,))
    return part_cell(results, estimate, value.value)


def _divisors(spreads: Sequence[Spread]) -> str:
    found = sorted({spread.ddof for spread in spreads})
    return f" (ddof{SPACE}{', '.join(map(str, found))})" if found else ""


def _range(
    results: Results, record: Estimate, parts: Sequence[FoldValue | SeedValue | RepeatValue]
) -> dict[str, str | int]:
    """Return how much a metric differs between the folds, trainings or repeats of a system; ``low`` empty for one."""
    values = [value.value for value in parts if value.value is not None]
    low, high = (as_printed(results, record, pick(values)) if len(values) > 1 else "" for pick in (min, max))
    name, label = results.metric_by_id[record.metric].name, results.system_by_id[record.system].label
    return {"metric": name, "system": label, "low": low, "high": high, "n": len(values)}


def _per_query(results: Results) -> MetricTable:
    """Declare how single queries differ: their SD, quartiles and median, of the metrics with a value for each.

    The values are those that all tables show; how the queries of all folds spread is in the pooled records. The compact
    form has the headline metrics of the baseline and the best system.
    """
    kept = baseline_and_best(results, _MOST_SYSTEMS)
    found = _with_single(results, lines(results, of_families(results)))
    short = sorted(_with_single(results, headline(results, kept)), key=lambda line: line.metric.order)
    of_queries = Beside(
        (
            Column("n", "n", "count", width=0.55),
            Column("sd_queries", f"SD over {results.units.query.many}", "number", width=0.8),
            Column("p25", "P25", "number", width=0.6),
            Column("median", "Median", "number", width=0.65),
            Column("p75", "P75", "number", width=0.6),
        ),
        lambda line, system, record, notes: _quartiles(results, record, _pooled(results, record), notes),
    )
    single = _single_queries(results, short or found)
    parts = {"trainings": any(record.seeds for record in single), "repeats": any(record.repeats for record in single)}
    return MetricTable(
        found,
        {
            "ddof": _divisors([spread for record in single if (spread := _sd_of_queries(record))]),
            "means_over": [name for name, has in parts.items() if has],
            "middle_half": _middle_half(results, single),
            "shown_systems": kept,
        },
        after=of_queries,
        compact=Compact(
            MetricLayout(
                (Column("value", "Value", "estimate", width=1.75, suffixes=SUFFIXES),),
                beside(metric_names(results), system_labels(results.systems)),
                beside(sd_over_folds(results, short), of_queries),
                row=each,
                group=lambda line, system: subset_head(results, line.subset),
                kept=lambda record: record is not None,
                marked=False,
            ),
            short,
            kept,
        ),
    )


def _with_single(results: Results, found: Sequence[MetricLine]) -> list[MetricLine]:
    """Return the lines of which a system has a value for each query."""
    return [line for line in found if _single_queries(results, [line])]


def _single_queries(results: Results, found: Sequence[MetricLine]) -> list[Estimate]:
    """Return the pooled records that hold how single queries spread."""
    pooled = (_pooled(results, record) for record in records_of(found))
    return [record for record in pooled if record is not None and _sd_of_queries(record) is not None]


def _pooled(results: Results, record: Estimate | None) -> Estimate | None:
    return results.find(record.metric, record.system, record.subset, "pooled") if record is not None else None


def _sd_of_queries(record: Estimate) -> Spread | None:
    return next((spread for spread in record.sd if spread.over == "query"), None)


def _quartiles(results: Results, record: Estimate | None, pooled: Estimate | None, notes: Notes) -> list[Cell]:
    """Return how many queries have a value, their SD, 25th percentile, median and 75th percentile."""
    spread = None if pooled is None else _sd_of_queries(pooled)
    if pooled is not None and spread is not None and pooled.quartiles is not None:
        sd = sd_cell(pooled, "query", spread.n, notes)
        return [count_cell(spread.n), sd, *(part_cell(results, pooled, one) for one in pooled.quartiles)]
    if record is None or record.value is None:
        return [Cell()] * 5
    parts = "trainings" if record.seeds else "repeats" if record.repeats else ""
    why = f"{parts} have values on different queries" if parts else "fewer than two single values"
    return [notes.absent(why, (record.id,))] * 5


def _middle_half(results: Results, single: Sequence[Estimate]) -> dict[str, str] | None:
    """Return where the middle half of the queries lies, ends included, on the first metric for the best system."""
    if not single:
        return None
    first = next((m for m in results.contract.headline if any(r.metric == m for r in single)), single[0].metric)
    of_metric = [record for record in single if record.metric == first]
    record = next((record for record in of_metric if record.system == best(results).id), of_metric[0])
    low, middle, high = (as_printed(results, record, value) for value in record.quartiles or (0.0, 0.0, 0.0))
    name, label = results.metric_by_id[first].name, results.system_by_id[record.system].label
    return {"metric": name, "system": label, "low": low, "median": middle, "high": high}


TABLES = (
    TableDeclaration("per-fold", "Results per fold", "at least two folds", 64, _per_fold),
    TableDeclaration(
        "per-seed",
        "Results per training seed",
        "a system that was trained several times",
        65,
        partial(_per_part, _SEEDS),
    ),
    TableDeclaration(
        "per-repeat", "Results per repeat", "a repeated cross-validation", 65, partial(_per_part, _REPEATS)
    ),
    TableDeclaration("per-query-spread", "Spread over queries", "metrics with a value for each query", 66, _per_query),
)
