"""The values of single queries next to the results, per_query.parquet, as figures need them.

They are too many for metrics_master.json; a run and a bundle have them, a metrics_master.json alone has not.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from reportgen.domain.run import FloatArray
from reportgen.errors import Diagnostic, ResultsError

NAME = "per_query.parquet"
PerQuery: TypeAlias = Mapping[str, Any] | bytes
"""Columns of equal length, or a Parquet file of them."""
Obtain: TypeAlias = Callable[[], PerQuery | None]
"""Makes or reads the values, where somebody wants them; None where there are none."""


def no_values() -> None:
    """Give no values of single queries: of results alone."""


def table_of(per_query: PerQuery) -> Any:
    """Return columns, or those of a Parquet file, as a table of Arrow's.

    Raises ResultsError: RG406 for a file that cannot be read.
    """
    import pyarrow  # noqa: PLC0415 # loaded where somebody has such values
    import pyarrow.parquet  # noqa: PLC0415

    if not isinstance(per_query, bytes):
        return pyarrow.table(dict(per_query))
    try:
        return pyarrow.parquet.read_table(io.BytesIO(per_query))
    except (pyarrow.ArrowException, OSError) as error:
        raise ResultsError(Diagnostic("RG406", NAME, f"is not a Parquet file that can be read: {error}")) from error


@dataclass(frozen=True, slots=True)
class QueryValues:
    """The values of a metric, of every query and system."""

    queries: tuple[str, ...]
    """In the order of the file."""
    clusters: tuple[str, ...]
    """Of each query."""
    of_system: Mapping[str, FloatArray]
    """System id to (n,) values, NaN where there is none; over trainings and repeats their mean."""

    def by_cluster(self, systems: list[str]) -> FloatArray:
        """Return (clusters, systems) means over the queries for which all these systems have a value."""
        values = np.column_stack([self.of_system[system] for system in systems])
        known = ~np.isnan(values).any(axis=1)
        _, at = np.unique(np.array(self.clusters)[known], return_inverse=True)
        totals = np.column_stack([np.bincount(at, weights=column) for column in values[known].T])
        return np.asarray(totals / np.bincount(at)[:, None])


def values_of(per_query: PerQuery, metric: str) -> QueryValues | None:
    """Return the values of a metric; None where it has none for single queries."""
    table = table_of(per_query)
    if not {"system", "query", "cluster", metric} <= set(table.column_names):
        return None
    queries, query = _coded(table["query"])
    rows, row = _coded(table["system"])
    systems = tuple(dict.fromkeys(name.partition("/seed=")[0] for name in rows))
    system = np.array([systems.index(name.partition("/seed=")[0]) for name in rows])[row]
    values = np.array(table[metric].to_pylist(), dtype=np.float64)
    at, size = system * len(queries) + query, len(systems) * len(queries)
    with np.errstate(invalid="ignore"):
        means = np.bincount(at, weights=values, minlength=size) / np.bincount(at, minlength=size)
    means = means.reshape(len(systems), len(queries))
    clusters = dict(zip(query.tolist(), table["cluster"].to_pylist(), strict=True))
    known = {name: means[at] for at, name in enumerate(systems) if not np.isnan(means[at]).all()}
    return QueryValues(queries, tuple(clusters[at] for at in range(len(queries))), known) if known else None


def _coded(column: Any) -> tuple[tuple[str, ...], Any]:
    """Return the texts of a column in the order in which they come, and (n,) the place of each row's among them."""
    coded = column.combine_chunks().dictionary_encode()
    return tuple(coded.dictionary.to_pylist()), coded.indices.to_numpy()
