"""Tables, each built from ``Results`` alone.

A table is one module of this package: ``ID`` (slug), ``TITLE``, ``NEEDS`` (what the results must hold, in words),
``ORDER`` (place among the tables) and ``build(results) -> Table | None``, None where its data are missing. It is
found by being there. A module that also has ``compact(results)`` makes the table's twin for the body of a paper, under
the id ``<ID>-compact``. Modules whose names begin with an underscore hold what tables share.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from typing import NamedTuple

import msgspec

from reportgen.domain.presentation import Table
from reportgen.domain.record import IntervalForm, Results
from reportgen.errors import RenderError
from reportgen.float_selection import reworded, selected_names, unknown_names
from reportgen.tables import _interval_forms

__all__ = ["COMPACT", "TableInfo", "build_tables", "check_names", "in_form", "table_names"]

COMPACT = "-compact"
"""What the id of a compact twin ends with."""


class TableInfo(NamedTuple):
    """What a table is called, its title, and what the results must hold for it."""

    name: str
    title: str
    needs: str


class _Builder(NamedTuple):
    info: TableInfo
    order: int
    build: Callable[[Results], Table | None]


def table_names() -> tuple[TableInfo, ...]:
    """All tables, in the order they are shown."""
    return tuple(builder.info for builder in _builders().values())


def build_tables(
    results: Results, names: Sequence[str] | None = None, *, interval_form: IntervalForm | None = None
) -> tuple[Table, ...]:
    """The tables that the results hold data for, in order, under the words and the form of interval the run declares.

    Args:
        results: Everything that was computed.
        names: Which tables; those the run declares if omitted, else all of them.
        interval_form: How values and their uncertainty are set; as the run declares if omitted.

    Raises:
        RenderError: RG502, for each name that is no table.
    """
    declared, builders = results.run.presentation, _builders()
    check_names(declared.table_wordings)
    shown = []
    for name in selected_names("table", tuple(builders), names, declared.tables):
        if (table := builders[name].build(results)) is not None:
            worded = reworded(table, name, declared.table_wordings, synthetic=results.run.synthetic)
            shown.append(_interval_forms.in_form(worded, results, interval_form or declared.interval_form))
    return tuple(shown)


def in_form(results: Results, form: IntervalForm | None) -> Results:
    """The results under another form of intervals, as if the run had declared it; the same results for None."""
    if form is None:
        return results
    declared = msgspec.structs.replace(results.run.presentation, interval_form=form)
    return msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, presentation=declared))


def check_names(names: Iterable[str], where: str = "") -> None:
    """Refuse names that no table has; RG502, for each of them, with the nearest that one has."""
    if problems := unknown_names("table", names, tuple(_builders()), where):
        raise RenderError(problems)


@cache
def _builders() -> dict[str, _Builder]:
    found: list[_Builder] = []
    for module in pkgutil.iter_modules(__path__):
        if not module.name.startswith("_"):
            file = import_module(f"{__name__}.{module.name}")
            found.append(_Builder(TableInfo(file.ID, file.TITLE, file.NEEDS), file.ORDER, file.build))
            if compact := getattr(file, "compact", None):
                twin = TableInfo(f"{file.ID}{COMPACT}", f"{file.TITLE}, compact", file.NEEDS)
                found.append(_Builder(twin, file.ORDER, compact))
    return {builder.info.name: builder for builder in sorted(found, key=lambda b: (b.order, b.info.name))}
