"""A run whose tables are in memory: the same rules, the same messages, no files.

What identifies a file is its bytes; what identifies such a table is its content as CSV, as :func:`as_csv` writes it.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from types import MappingProxyType
from typing import Any, Literal

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from reportgen.domain.record_facts import InputFile
from reportgen.domain.run import Run
from reportgen.errors import Diagnostic, ProblemList, RequestError
from reportgen.inputs.declaration import Declaration
from reportgen.inputs.layout import FileRef, Layout
from reportgen.inputs.names import FileRole
from reportgen.inputs.read import run_of
from reportgen.inputs.table import InputTable, as_text

FOLDER = "memory/"
"""What the recorded path of a table in memory begins with."""
_KINDS = "a pandas, polars or pyarrow frame"
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


@dataclass(frozen=True, slots=True, eq=False)
class MemoryTable:
    """One table of a run: its name in messages, what it is about, its columns."""

    name: str
    role: FileRole
    columns: Mapping[str, pa.Array] = field(default_factory=dict)
    """Column name to cells, all of one length."""
    owner: str | None = None
    """The system that the table speaks of alone."""


def run_of_parts(parts: Sequence[MemoryTable], declaration: Declaration) -> Run:
    """Return the run that some tables in memory are, under what is declared of them.

    Raises:
        InputError: with every problem of the run that can be found at once.
    """
    tables = {part.name: table_of(part) for part in parts}
    refs = tuple(FileRef(part.name, part.role, part.owner) for part in parts)
    inputs = tuple(recorded(part, number) for number, part in enumerate(parts, start=1))
    return run_of(Layout(Path(), refs, declaration), tables, inputs, ProblemList())


def as_csv(columns: Mapping[str, pa.Array]) -> bytes:
    """Return columns as CSV: heads and texts quoted, a null as a blank cell, lists joined by a vertical bar."""
    out = io.BytesIO()
    pa_csv.write_csv(pa.table({name: as_text(cells) for name, cells in columns.items()}), out)
    return out.getvalue()


def table_of(part: MemoryTable) -> InputTable:
    """Return a table in memory as one that was read."""
    rows = _rows(part)
    return InputTable(part.name, part.columns, rows, "row", lambda: np.arange(1, rows + 1))


def _rows(part: MemoryTable) -> int:
    return len(next(iter(part.columns.values()), ()))


def recorded(part: MemoryTable, number: int) -> InputFile:
    """Return the record of a table in memory, the ``number``-th of a run, as of a file."""
    content = as_csv(part.columns)
    return InputFile(
        id=part.role.value if number == 1 else f"{part.role.value}-{number}",
        role=part.role.value,
        path=f"{FOLDER}{part.name}",
        sha256=hashlib.sha256(content).hexdigest(),
        bytes=len(content),
        rows=_rows(part),
        columns=tuple(part.columns),
    )


def is_frame(value: Any) -> bool:
    """Tell whether a value is a data frame of a kind that can be read."""
    return isinstance(nw.from_native(value, pass_through=True), nw.DataFrame | nw.LazyFrame)


def columns_of(frame: Any, where: str) -> dict[str, pa.Array]:
    """Return the columns of a data frame by name; the index of a pandas frame is not read.

    Raises:
        RequestError: RG701 for what is not a data frame, RG703 for one without rows.
    """
    read = nw.from_native(frame, pass_through=True)
    if isinstance(read, nw.LazyFrame):
        read = read.collect(backend="pyarrow")
    if not isinstance(read, nw.DataFrame):
        raise refusal("RG701", where, f"{_kind(frame)} is not a data frame", f"Give {_KINDS}.")
    table = read.to_arrow()
    if not table.num_rows:
        raise refusal("RG703", where, "the frame has no rows")
    return {str(name): _one_chunk(table.column(name)) for name in read.columns}


def column_of(values: Any, where: str) -> pa.Array:
    """Return the cells of a series, of an array of one dimension, or of a list.

    Raises:
        RequestError: RG701 for anything else.
    """
    read = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(read, nw.Series):
        found = read.to_arrow()
        return _one_chunk(found) if isinstance(found, pa.ChunkedArray) else found
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values if isinstance(values, pa.Array) else _one_chunk(values)
    if isinstance(values, str | bytes | Mapping) or np.ndim(values) != 1:
        what = f"{_kind(values)} is not a list of one value per row"
        raise refusal("RG701", where, what, "Give a list, a series or an array of one dimension.")
    try:
        return pa.array(values.tolist() if isinstance(values, np.ndarray) else list(values))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        reason = str(error).splitlines()[0]
        raise refusal("RG701", where, f"the values are of several kinds: {reason}", "Make all of one kind.") from None


def of_one_length(columns: Mapping[str, pa.Array]) -> None:
    """Raise RequestError (RG702) unless all columns have as many cells as the first, and (RG703) at least one."""
    first, size = next((name, len(cells)) for name, cells in columns.items())
    if not size:
        raise refusal("RG703", first, "there are no values")
    for name, cells in columns.items():
        if len(cells) != size:
            what = f"has {len(cells):,} values, and {first} has {size:,}"
            raise refusal("RG702", name, what)


def refusal(code: str, place: str, message: str, fix: str = "") -> RequestError:
    """Return the error for one problem."""
    return RequestError(Diagnostic(code, place, message, fix))


def _kind(value: Any) -> str:
    return f"an array of shape {np.shape(value)}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)


def columns_of_pairs(source: Any, where: str, value: Value) -> dict[str, pa.Array]:
    """Return the columns ``query``, ``doc_id`` and ``relevance`` or ``score`` of judgements or of a ranking.

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
    raise refusal("RG704", where, f"a {type(source).__name__} holds no {_called(value)}", f"{_FORMS}{value}.{files}")


def runs_by_name(source: Any, name: str) -> dict[str, Any]:
    """Map a system to its ranking: those of a mapping or of a list of named runs, or one ranking under its own or this
    name.
    """
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
