"""per_query.parquet: the values per query, for others to check the aggregates with."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

NAME = "per_query.parquet"


def per_query_parquet(columns: Mapping[str, Any]) -> bytes:
    """The columns (equally long arrays or lists) as one Parquet file.

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


def retold(per_query: Mapping[str, Any] | bytes, tell: Callable[[str], str]) -> dict[str, Any]:
    """The columns with each name and text told anew.

    Args:
        per_query: Columns, or the bytes of a Parquet file that holds them.
        tell: What a text becomes.
    """
    import pyarrow
    import pyarrow.parquet

    if isinstance(per_query, bytes):
        table = pyarrow.parquet.read_table(io.BytesIO(per_query))
    else:
        table = pyarrow.table(dict(per_query))
    told: dict[str, str] = {}

    def once(text: str | None) -> str | None:
        if text is not None and text not in told:
            told[text] = tell(text)
        return None if text is None else told[text]

    columns: dict[str, Any] = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        texts = pyarrow.types.is_string(column.type) or pyarrow.types.is_large_string(column.type)
        columns[tell(name)] = pyarrow.array(map(once, column.to_pylist()), type=column.type) if texts else column
    return columns
