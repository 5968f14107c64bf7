"""Results of which the options of a table choose some metrics, systems and subsets, in an order."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import structs

from reportgen.domain.record import Results, SystemRecord, TableOptions
from reportgen.errors import Diagnostic, RenderError
from reportgen.float_selection import Kind, unknown_names
from reportgen.isolation import isolating
from reportgen.shortlist import of_metrics, of_systems, shortlisted


def narrowed(results: Results, options: TableOptions, name: str) -> Results:
    """Return the results that a table shows: what its options choose, as headline metrics in their order.

    Systems are those of the shortlist where the options name none. What the options rename is called so.

    Raises:
        RenderError: RG503, for each metric, system or subset that the results lack.
    """
    if problems := _unknown(results, options, name):
        raise RenderError(problems)
    found = of_systems(results, options.systems) if options.systems else shortlisted(results)
    if options.sort:
        found = of_systems(found, _in_order(found, options.sort))
    found = isolating(_renamed(found, options))
    if options.metrics:
        found = of_metrics(found, options.metrics)
    if options.subsets:
        chosen = frozenset(options.subsets)
        found = structs.replace(
            found,
            results=tuple(one for one in found.results if one.subset in chosen),
            comparisons=tuple(one for one in found.comparisons if one.subset in chosen),
            differences=tuple(one for one in found.differences if one.subset in chosen),
        )
    return found


def _unknown(results: Results, options: TableOptions, name: str) -> list[Diagnostic]:
    known: dict[Kind, tuple[tuple[str, ...], tuple[str, ...]]] = {
        "metric": ((*options.metrics, *filter(None, [options.sort])), tuple(results.metric_by_id)),
        "system": (options.systems, tuple(results.system_by_id)),
        "subset": (options.subsets, tuple(results.subset_by_id)),
    }
    return [
        problem
        for kind, (asked, there) in known.items()
        for problem in unknown_names(kind, asked, there, f"[tables.{name}] {kind}s")
    ]


def _in_order(results: Results, metric: str) -> Sequence[str]:
    """Return the systems in the order of a metric on its home subset, the best first; those without a value last."""
    sign = 1.0 if results.metric_by_id[metric].direction == "lower" else -1.0
    subset = results.home_subset(metric) or ""

    def place(system: SystemRecord) -> tuple[bool, float, int]:
        record = results.headline(metric, system.id, subset)
        value = None if record is None else record.value
        return value is None, sign * (value or 0.0), system.order

    return [system.id for system in sorted(results.systems, key=place)]


def _renamed(results: Results, options: TableOptions) -> Results:
    called = options.rename
    return structs.replace(
        results,
        systems=tuple(structs.replace(one, label=called.get(one.id, one.label)) for one in results.systems),
        metrics=tuple(structs.replace(one, name=called.get(one.id, one.name)) for one in results.metrics),
        subsets=tuple(structs.replace(one, label=called.get(one.id, one.label)) for one in results.subsets),
    )
