"""The options that run.toml gives tables and figures, under ``[tables.NAME]``, ``[figures.NAME]`` and ``[figures]``.

What is wrong is recorded, and the options concerned keep their defaults.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any, Protocol

from reportgen.domain.figure_options import FigureOptions, figure_options
from reportgen.domain.table_options import ShownOption, TableOptions, table_options
from reportgen.figure_options import colour_of, size_of


class Keys(Protocol):
    """One table of run.toml, as its reader gives it."""

    def subtables(self) -> Sequence[tuple[str, Keys]]:
        """Return the tables under the keys that nothing else has asked for."""

    def option(self, option: ShownOption) -> Any:
        """Return the value of an option; None or an empty one where it is not given, or wrong."""

    def mapping(self, key: str) -> Mapping[str, Any]:
        """Return a table of any values."""

    def metrics(self, key: str, declared: Set[str]) -> tuple[str, ...]:
        """Return a list of ids of metrics, each of one that there is."""

    def wrong(self, key: str, kind: str) -> None:
        """Record that a value is not what it should be."""

    def close(self) -> None:
        """Record the keys that nobody asked for."""


def options_of_tables(tables: Keys, declared: Set[str]) -> dict[str, TableOptions]:
    """Read the options of each table; ``declared`` are ids of metrics that the run brings along."""
    found = {}
    for name, keys in tables.subtables():
        given = _given(keys, table_options())
        found[name] = TableOptions(**{**given, "metrics": keys.metrics("metrics", declared)})
        keys.close()
    return found


def options_of_figures(figures: Keys, declared: Set[str]) -> dict[str, FigureOptions]:
    """Read the options of each figure; ``declared`` are ids of metrics that the run brings along."""
    found = {}
    for name, keys in figures.subtables():
        given = _given(keys, figure_options())
        try:
            size_of(given.get("size", "84mm"))
        except ValueError as wanted:
            keys.wrong("size", str(wanted))
            del given["size"]
        found[name] = FigureOptions(**{**given, "metrics": keys.metrics("metrics", declared)})
        keys.close()
    return found


def colours_of(figures: Keys) -> dict[str, str]:
    """Read the colours of systems."""
    try:
        return {system.strip(): colour_of(str(colour)) for system, colour in figures.mapping("colours").items()}
    except ValueError as wanted:
        figures.wrong("colours", f"each system {wanted}")
        return {}


def _given(keys: Keys, options: tuple[ShownOption, ...]) -> dict[str, Any]:
    return {option.name: value for option in options if (value := keys.option(option)) is not None}
