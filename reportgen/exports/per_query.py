"""The values of single queries as CSV: the columns of per_query.parquet, for whoever recomputes the metrics without it.

A row per system and query; blank where there is no value. Numbers have all their digits.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import pyarrow
import pyarrow.parquet

from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError
from reportgen.results import inert

TITLE = "the values of each query as CSV, to recompute the metrics from"
OF_QUERIES = True


def export(
    results: Results, system: str | None, per_query: Mapping[str, Any] | bytes | None = None
) -> dict[str, bytes]:
    """Return the file; ``per_query``: columns, or a Parquet file of them, of one system or all.

    Raises:
        RequestError: RG725 where SRC has no values per query.
    """
    if per_query is None:
        raise RequestError(Diagnostic("RG725", "per-query", "there are no values of single queries here"))
    columns = _columns(per_query)
    wanted = [system is None or str(name).partition("/seed=")[0] == system for name in columns["system"]]
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow(map(inert, columns))
    for keep, row in zip(wanted, zip(*columns.values(), strict=True), strict=True):
        if keep:
            writer.writerow([inert(cell) if isinstance(cell, str) else cell for cell in row])
    return {"": sink.getvalue().encode("utf-8")}


def _columns(per_query: Mapping[str, Any] | bytes) -> dict[str, list[Any]]:
    if isinstance(per_query, bytes):
        table = pyarrow.parquet.read_table(io.BytesIO(per_query))
    else:
        table = pyarrow.table(dict(per_query))
    return {name: table.column(name).to_pylist() for name in table.column_names}
