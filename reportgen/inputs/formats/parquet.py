"""Parquet. Types are kept; dictionary-encoded text is decoded where it is used."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from reportgen.errors import ProblemList
from reportgen.inputs.limits import MAX_BYTES, MAX_CELLS
from reportgen.inputs.names import FileRole
from reportgen.inputs.table import Table

SUFFIXES = (".parquet", ".pq")
ROLES: tuple[FileRole, ...] = ()
PREFERENCE = 0


def read(data: bytes, where: str, problems: ProblemList) -> Table | None:
    """Read a Parquet file; rows are named in messages by their number from 1."""
    if not data:
        problems.add("RG105", where, "the file is empty", "There is nothing to evaluate.", "Write the file again.")
        return None
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if not _fits(file, where, problems):
            return None
        table = file.read().combine_chunks()
        table.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: a column's name
        reason = str(error).splitlines()[0]
        problems.add("RG103", where, "the file is not readable as Parquet", reason, "Write the file again.")
        return None
    if table.num_rows == 0 or table.num_columns == 0:
        problems.add("RG105", where, "the file has no rows", "There is nothing to evaluate.", "Write the file again.")
        return None
    names = [name.strip() for name in table.column_names]
    repeated = sorted(name for name, n in Counter(names).items() if name and n > 1)
    if repeated:
        listed = ", ".join(f"'{name}'" for name in repeated)
        problems.add("RG107", where, f"more than one column is called {listed}", "", "Rename one of them.")
        return None
    columns = {name: _one_chunk(column) for name, column in zip(names, table.columns, strict=True) if name}
    rows = table.num_rows
    return Table(where, columns, rows, "row", lambda: np.arange(1, rows + 1))


def _fits(file: pq.ParquetFile, where: str, problems: ProblemList) -> bool:
    """Whether what the file promises can be held; runs of equal values pack without limit, so cells count too."""
    size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if size > MAX_BYTES:
        problems.add("RG103", where, f"the file unpacks to {size:,} bytes", f"At most {MAX_BYTES:,} are read.")
        return False
    rows, columns = file.metadata.num_rows, max(len(file.schema_arrow), 1)
    if rows * columns > MAX_CELLS:
        what = f"the file promises {rows:,} rows of {columns:,} columns"
        problems.add("RG103", where, what, f"At most {MAX_CELLS:,} cells are read.", "Leave out columns or split it.")
        return False
    return True


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays(column.chunks)
