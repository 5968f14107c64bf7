"""Judgements and rankings as other tools hold them, as columns.

Read are nested mappings (pytrec_eval: query to document to number), objects that turn into them (ranx ``Qrels`` and
``Run``, by ``to_dict``), lists of named tuples (ir-measures ``Qrel`` and ``ScoredDoc``), and the data frames of all of
these and of PyTerrier, whose column names are in :data:`COLUMNS`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Literal

import pyarrow as pa

from reportgen.inputs.frames import column_of, columns_of, is_frame, refusal

Value = Literal["relevance", "score"]

COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "query": ("query_id", "q_id", "qid", "query"),
        "doc_id": ("doc_id", "docno", "docid", "doc", "sent_uid"),
        "relevance": ("relevance", "rel", "label", "score"),
        "score": ("score", "sim"),
    }
)
"""What a column is to the names it may have in a frame, the first that is there; ranx calls grades scores."""
_FORMS = (
    "Give a mapping of query to document to number, a ranx object, a list of ir-measures tuples, or a data frame with "
    "the columns query_id, doc_id and "
)


def columns_of_pairs(source: Any, where: str, value: Value) -> dict[str, pa.Array]:
    """The columns ``query``, ``doc_id`` and ``relevance`` or ``score`` of judgements or of a ranking.

    Raises:
        RequestError: RG704 for a form that is not known or a frame without such a column, RG703 without any pair.
    """
    if is_frame(source):
        return _of_frame(source, where, value)
    if isinstance(source, Mapping) or hasattr(source, "to_dict"):
        return _of_mapping(source if isinstance(source, Mapping) else source.to_dict(), where, value)
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return _of_tuples(list(source), where, value)
    files = " Files are read by rg.load." if isinstance(source, str | bytes | PurePath) else ""
    raise refusal("RG704", where, f"a {type(source).__name__} is no {_called(value)}", f"{_FORMS}{value}.{files}")


def runs_by_name(source: Any, name: str) -> dict[str, Any]:
    """System to ranking: those of a mapping or of a list of named runs, or one ranking under its own or this name."""
    if isinstance(source, Mapping):
        first = next(iter(source.values()), None)
        one = isinstance(first, Mapping) and not isinstance(next(iter(first.values()), 0.0), Mapping)
        return {name: source} if one or first is None else {str(key): run for key, run in source.items()}
    if isinstance(source, Sequence) and source and all(hasattr(run, "to_dict") for run in source):
        return {str(getattr(run, "name", None) or f"{name}-{n}"): run for n, run in enumerate(source, start=1)}
    own = None if is_frame(source) else getattr(source, "name", None)
    return {str(own or name): source}


def _called(value: Value) -> str:
    return "judgements" if value == "relevance" else "ranking"


def _of_frame(frame: Any, where: str, value: Value) -> dict[str, pa.Array]:
    columns = columns_of(frame, where)
    found = {}
    for name in ("query", "doc_id", value):
        own = next((own for own in COLUMNS[name] if own in columns), None)
        if own is None:
            what = f"no column for '{name}' among {', '.join(columns)}"
            raise refusal("RG704", where, what, f"Rename a column to one of {', '.join(COLUMNS[name])}.")
        found[name] = columns[own]
    return found


def _of_mapping(source: Mapping[Any, Any], where: str, value: Value) -> dict[str, pa.Array]:
    queries: list[str] = []
    docs: list[str] = []
    values: list[Any] = []
    for query, pairs in source.items():
        if not isinstance(pairs, Mapping):
            what = f"query '{query}' holds a {type(pairs).__name__}, not a mapping of document to number"
            raise refusal("RG704", where, what, f"{_FORMS}{value}.")
        queries += [str(query)] * len(pairs)
        docs += [str(doc) for doc in pairs]
        values += pairs.values()
    return _columns(queries, docs, values, where, value)


def _of_tuples(source: Sequence[Any], where: str, value: Value) -> dict[str, pa.Array]:
    if not all(hasattr(item, "query_id") and hasattr(item, "doc_id") and hasattr(item, value) for item in source):
        what = f"a list whose items have no query_id, doc_id and {value}"
        raise refusal("RG704", where, what, f"{_FORMS}{value}.")
    return _columns(
        [str(item.query_id) for item in source],
        [str(item.doc_id) for item in source],
        [getattr(item, value) for item in source],
        where,
        value,
    )


def _columns(
    queries: Sequence[str], docs: Sequence[str], values: Sequence[Any], where: str, value: Value
) -> dict[str, pa.Array]:
    if not queries:
        raise refusal("RG703", where, "there is no pair of query and document")
    return {
        "query": pa.array(queries, pa.string()),
        "doc_id": pa.array(docs, pa.string()),
        value: column_of(list(values), f"{where}: {value}"),
    }
