"""The values of single queries as CSV: the columns of per_query.parquet, for whoever recomputes the metrics without it.

A row per system and query; blank where there is no value. Numbers have all their digits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.bundle.per_query import per_query_csv
from reportgen.domain.record import Results
from reportgen.errors import Diagnostic, RequestError

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
    return {"": per_query_csv(per_query, system)}
