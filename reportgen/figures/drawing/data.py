"""From records to the data of a figure: bounds, rows, the systems that have some, and those without."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from msgspec import structs

from reportgen.domain.presentation import Value
from reportgen.domain.record import Comparison, Distribution, Estimate, Results, SeedValue, Status
from reportgen.wording.captions import drawn_level
from reportgen.wording.heads import over_folds
from reportgen.wording.rankings import ranking_on

VALUE_COLUMNS = (
    "metric", "metric_name", "system", "system_label", "subset", "aggregation", "value", "lower", "upper",
)  # fmt: skip
"""The heads of :func:`value_row`."""


def bounds(record: Estimate | Comparison) -> tuple[float | None, float | None]:
    """Return the ends of the first interval of a record; None where there is none."""
    interval = next(iter(record.intervals), None)
    return (interval.lower, interval.upper) if interval else (None, None)


def value_row(results: Results, record: Estimate) -> tuple[Value, ...]:
    """Return what a figure's data say of a value, whatever the figure adds."""
    metric, system = results.metric_by_id[record.metric], results.system_by_id[record.system]
    where = record.subset, record.aggregation
    return (metric.id, metric.name, system.id, system.label, *where, record.value, *bounds(record))


def training_column(results: Results) -> tuple[str, ...]:
    """Return the head of a column that tells a mean from its trainings; none where every system was trained once."""
    return ("training",) if any(record.seeds for record in results.results) else ()


def with_trainings(
    results: Results, record: Estimate, row: Callable[[Estimate], tuple[Value, ...]]
) -> list[tuple[Value, ...]]:
    """Return the row of a record and one for each of its trainings, with :func:`training_column` where that is."""
    if not training_column(results):
        return [row(record)]
    return [(*row(record), None), *((*row(_training(record, one)), one.seed) for one in record.seeds)]


def _training(record: Estimate, one: SeedValue) -> Estimate:
    status: Status = "ok" if one.reason is None else "undefined"
    return structs.replace(record, value=one.value, status=status, reason=one.reason, intervals=())


def missing_systems(results: Results, metric: str, drawn: Collection[str]) -> list[Estimate]:
    """Return the values of the metric of systems, by id, that are not among those drawn."""
    order = ranking_on(results, metric, "all_queries")
    return [record for record in order.ranked if record.system not in drawn] if order else []


def counts_and_trainings(results: Results, part: Distribution) -> list[tuple[Sequence[float], tuple[Value, ...]]]:
    """Return counts, then those of the single trainings, each with the cell of :func:`training_column`."""
    mean: tuple[Value, ...] = (None,) if training_column(results) else ()
    return [(part.counts, mean), *((one.counts, (one.seed,)) for one in part.seeds)]


@dataclass(frozen=True, slots=True)
class PartsOfSystem:
    """The counts of a system, part by part, each followed by its trainings; the figure's data begin at ``row``."""

    order: int
    parts: tuple[Distribution, ...]
    row: int


def parts_of_systems(results: Results, found: Mapping[str, tuple[Distribution, ...]]) -> tuple[PartsOfSystem, ...]:
    """Return what is drawn of each system, by its id, in the order of the figure's data."""
    sizes = (sum(len(part.bins) * (1 + len(part.seeds)) for part in parts) for parts in found.values())
    starts = accumulate(sizes, initial=0)
    pairs = zip(found.items(), starts, strict=False)
    return tuple(PartsOfSystem(results.system_by_id[id_].order, parts, row) for (id_, parts), row in pairs)


def values_head(results: Results, estimates: Sequence[Estimate], name: str, *, intervals: bool = True) -> str:
    """Return what the values in panels are: ``AUROC, mean of 5 folds [95 % CI]``; empty without values.

    ``intervals`` says whether theirs are printed.
    """
    aggregations = dict.fromkeys(text for one in estimates if (text := over_folds(results, one.aggregation)))
    level = drawn_level(results, estimates) if intervals else ""
    return f"{', '.join([name, *aggregations])}{f' [{level} CI]' if level else ''}" if estimates else ""
