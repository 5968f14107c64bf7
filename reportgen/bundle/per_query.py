"""The values per query, for others to check the aggregates with, as Parquet and as CSV; and both without names."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable, Mapping
from typing import Any

from reportgen.anonymity import anonymous, hiding
from reportgen.domain.record import Results
from reportgen.query_values import PerQuery, table_of
from reportgen.results import inert

CSV_NAME = "per_query.csv.gz"


def per_query_parquet(columns: Mapping[str, Any]) -> bytes:
    """Write the columns (equally long arrays or lists) as one Parquet file.

    One row group, fixed codec and format version: the bytes depend on the values and the pyarrow release only.
    """
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(dict(columns))
    sink = io.BytesIO()
    pyarrow.parquet.write_table(
        table, sink, row_group_size=max(len(table), 1), compression="zstd", version="2.6", data_page_version="1.0"
    )
    return sink.getvalue()


def per_query_csv(per_query: PerQuery, system: str | None = None) -> bytes:
    """Write the columns (or those of a Parquet file) as CSV, all systems or one with its trainings and repeats.

    Numbers have all their digits; blank where there is no value.
    """
    import pyarrow
    import pyarrow.csv

    table = table_of(per_query)
    if system is not None:
        own = [str(name).partition("/seed=")[0] == system for name in table["system"].to_pylist()]
        table = table.filter(pyarrow.array(own))
    columns = {
        inert(name): _changed(column, inert) for name, column in zip(table.column_names, table.columns, strict=True)
    }
    sink = io.BytesIO()
    pyarrow.csv.write_csv(pyarrow.table(columns), sink)
    return sink.getvalue()


def packed_csv(per_query: PerQuery) -> bytes:
    """Write :func:`per_query_csv` packed, without a time."""
    return gzip.compress(per_query_csv(per_query), mtime=0)


def without_names(results: Results, per_query: PerQuery | None) -> tuple[Results, dict[str, Any] | None]:
    """Return the results, and the values per query where there are any, without what names the authors.

    Raises RenderError (RG585) where two systems, labels or folds differ in a name alone.
    """
    return anonymous(results), None if per_query is None else _rewritten(per_query, hiding(results))


def _rewritten(per_query: PerQuery, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return the columns (or those of a Parquet file) with ``hide`` applied to each name and text."""
    table = table_of(per_query)
    return {hide(name): _changed(column, hide) for name, column in zip(table.column_names, table.columns, strict=True)}


def _changed(column: Any, change: Callable[[str], str]) -> Any:
    """Return a column with each text changed, and looked at once; a column of other values as it is."""
    import pyarrow

    if not (pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    texts = pyarrow.array(map(change, encoded.dictionary.to_pylist()), type=column.type)
    return texts.take(encoded.indices)
