"""per_query.parquet: the values per query, for others to check the aggregates with."""

from __future__ import annotations

import io
from collections.abc import Mapping
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
