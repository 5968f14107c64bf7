"""Data frames, series, arrays and lists as columns: pandas, polars, pyarrow and what else narwhals reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa

from reportgen.errors import Diagnostic, RequestError

_KINDS = "a pandas, polars or pyarrow frame"


def is_frame(value: Any) -> bool:
    """Whether a value is a data frame of a kind that can be read."""
    return isinstance(nw.from_native(value, pass_through=True), nw.DataFrame | nw.LazyFrame)


def columns_of(frame: Any, where: str) -> dict[str, pa.Array]:
    """The columns of a data frame by name; the index of a pandas frame is not read.

    Raises:
        RequestError: RG701 for what is no data frame, RG703 for one without rows.
    """
    read = nw.from_native(frame, pass_through=True)
    if isinstance(read, nw.LazyFrame):
        read = read.collect(backend="pyarrow")
    if not isinstance(read, nw.DataFrame):
        raise refusal("RG701", where, f"{_kind(frame)} is no data frame", f"Give {_KINDS}.")
    table = read.to_arrow()
    if not table.num_rows:
        raise refusal("RG703", where, "the frame has no rows")
    return {str(name): _one_chunk(table.column(name)) for name in read.columns}


def column_of(values: Any, where: str) -> pa.Array:
    """The cells of a series, of an array of one dimension, or of a list.

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
        what = f"{_kind(values)} is no list of one value per row"
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
