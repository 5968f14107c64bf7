"""Parquet. Types are kept; a column is decoded when it is first used, so that the others cost nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reportgen.errors import Diagnostic, InputError, ProblemList
from reportgen.inputs.formats import InputFormat
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import MAX_BYTES

MAX_CELLS = 2**29
"""Most cells of one file (500 million), which the format counts in advance."""
_UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)  # the last: a column's name


def read(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read a Parquet file; rows are named in messages by their number from 1."""
    if not data:
        problems.add("RG105", where, "the file is empty")
        return None
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if not _fits(file, where, problems):
            return None
        own = file.schema_arrow.names
    except _UNREADABLE as error:
        problems.extend([_unreadable(where, error)])
        return None
    rows = file.metadata.num_rows
    if rows == 0 or not own:
        problems.add("RG105", where, "the file has no rows")
        return None
    names = [name.strip() for name in own]
    repeated = sorted(name for name, n in Counter(names).items() if name and n > 1)
    if repeated:
        listed = ", ".join(f"'{name}'" for name in repeated)
        problems.add("RG107", where, f"more than one column is called {listed}")
        return None
    columns = _DecodedColumns(file, {name: raw for name, raw in zip(names, own, strict=True) if name}, where)
    types = {name: kind for name, kind in zip(names, file.schema_arrow.types, strict=True) if name}
    return InputTable(where, columns, rows, "row", lambda: np.arange(1, rows + 1), settle=columns.settle, types=types)


FORMATS = (InputFormat("Parquet", (".parquet", ".pq"), 0, read),)


class _DecodedColumns(Mapping[str, pa.Array]):
    """The columns of a file by their names without surrounding white space, each decoded once, when it is asked for."""

    def __init__(self, file: pq.ParquetFile, own: Mapping[str, str], where: str) -> None:
        self._file: pq.ParquetFile | None = file
        self._own, self._where = own, where
        self._decoded: dict[str, pa.Array] = {}

    def __getitem__(self, name: str) -> pa.Array:
        if name not in self._decoded:
            if self._file is None and name in self._own:
                raise AssertionError(f"column '{name}' is read after the file was let go of")
            if self._file is None:
                raise KeyError(name)
            try:
                # Asked for "a", Arrow also gives a column called "a.b": it could be a part of "a".
                column = self._file.read(columns=[self._own[name]]).column(self._own[name])
                column.validate(full=True)
            except _UNREADABLE as error:
                raise InputError(_unreadable(self._where, error)) from None
            self._decoded[name] = _one_chunk(column)
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own  # without decoding it, as the mapping's own way would

    def settle(self, names: Collection[str]) -> None:
        """Decode these columns, and let go of the others and of the file, whose bytes are those of all columns."""
        self._decoded = {name: self[name] for name in names}
        self._file = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._own)

    def __len__(self) -> int:
        return len(self._own)


def _unreadable(where: str, error: Exception) -> Diagnostic:
    reason = str(error).splitlines()[0]
    return Diagnostic("RG103", where, f"the file is not readable as Parquet: {reason}")


def _fits(file: pq.ParquetFile, where: str, problems: ProblemList) -> bool:
    """Tell whether what the file promises can be held; runs of equal values pack without limit, so cells count too."""
    size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if size > MAX_BYTES:
        problems.add("RG108", where, f"the file unpacks to {size:,} bytes; at most {MAX_BYTES:,} are read")
        return False
    rows, columns = file.metadata.num_rows, max(len(file.schema_arrow), 1)
    if rows * columns > MAX_CELLS:
        what = f"the file promises {rows:,} rows of {columns:,} columns"
        problems.add("RG108", where, f"{what}; at most {MAX_CELLS:,} cells are read", "Leave out columns or split it.")
        return False
    return True


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
