"""per_query.parquet: the values per query, for others to check the aggregates with; and both without names."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

from reportgen.anonymity import anonymous, hiding
from reportgen.domain.record import Results

NAME = "per_query.parquet"


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


def without_names(
    results: Results, per_query: Mapping[str, Any] | bytes | None
) -> tuple[Results, dict[str, Any] | None]:
    """Return the results, and the values per query where there are any, without what names the authors.

    Raises RenderError (RG585) where two systems, labels or folds differ in a name alone.
    """
    return anonymous(results), None if per_query is None else _rewritten(per_query, hiding(results))


def _rewritten(per_query: Mapping[str, Any] | bytes, hide: Callable[[str], str]) -> dict[str, Any]:
    """Return the columns (or those of a Parquet file) with ``hide`` applied to each name and text."""
    import pyarrow
    import pyarrow.parquet

    if isinstance(per_query, bytes):
        table = pyarrow.parquet.read_table(io.BytesIO(per_query))
    else:
        table = pyarrow.table(dict(per_query))
    hidden: dict[str, str] = {}

    def once(text: str | None) -> str | None:
        if text is not None and text not in hidden:
            hidden[text] = hide(text)
        return None if text is None else hidden[text]

    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        texts = pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)
        columns[hide(name)] = pyarrow.array(map(once, column.to_pylist()), type=column.type) if texts else column
    return columns
