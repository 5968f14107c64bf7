"""Tables, each built from ``Results`` alone.

A table is one module of this package: ``ID`` (slug), ``TITLE``, ``NEEDS`` (what the results must hold, in words),
``ORDER`` (place among the tables) and ``build(results) -> Table | None``, None where its data are missing. It is
found by being there. A module that also has ``compact(results)`` makes the table's twin for the body of a paper, under
the id ``<ID>-compact``. Modules whose names begin with an underscore hold what tables share.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import NamedTuple

from reportgen.domain.presentation import Table
from reportgen.domain.record import Results
from reportgen.errors import Problem, RenderError

__all__ = ["COMPACT", "TableInfo", "build_tables", "table_names"]

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


def build_tables(results: Results, names: Sequence[str] | None = None) -> tuple[Table, ...]:
    """The tables that the results hold data for: all of them, or those named, in the order named.

    Raises:
        RenderError: RG502, for a name that is no table.
    """
    builders = _builders()
    wanted = tuple(builders) if names is None else tuple(dict.fromkeys(names))
    for name in wanted:
        if name not in builders:
            near = get_close_matches(name, builders, n=1)
            raise RenderError(
                Problem(
                    "RG502",
                    "",
                    f"there is no table {name!r}",
                    f"Did you mean {near[0]!r}?" if near else "",
                    f"The tables are {', '.join(builders)}.",
                )
            )
    built = (builders[name].build(results) for name in wanted)
    return tuple(table for table in built if table is not None)


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
