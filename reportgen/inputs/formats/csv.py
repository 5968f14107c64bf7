"""CSV in any common dialect: comma, semicolon or tab; quoted cells; LF, CRLF or CR; BOM; gzip.

Every cell is read as text, so that an id like ``007`` stays what it is. Text is strict UTF-8.
"""

from __future__ import annotations

import csv
import io
import re
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from reportgen.domain.run import IntArray
from reportgen.errors import ProblemList
from reportgen.inputs.formats import InputFormat
from reportgen.inputs.table import InputTable
from reportgen.inputs.text import clean_text

_DELIMITERS = (",", ";", "\t")
_SEPARATOR = re.compile(rb'\s*"?sep=(?P<by>[,;\t|])"?[ \t]*\r?\n', re.IGNORECASE)


def read(data: bytes, where: str, problems: ProblemList) -> InputTable | None:
    """Read a CSV file; rows are named in messages by the line they begin in."""
    text = clean_text(data, where, problems)
    if text is None:
        return None
    separator = _SEPARATOR.match(text)
    if separator is not None:  # a line that Excel reads, and other programs take for the head
        text = b"\n" + text[separator.end() :]
    delimiter = separator["by"].decode() if separator is not None else _delimiter(text)
    names = _head(text, delimiter)
    if not any(names):
        problems.add("RG103", where, "the first line is not a head of column names")
        return None
    table = _parsed(text, delimiter, names, where, problems)
    if table is None or not _are_single(names, table, where, problems):
        return None
    rows = table.num_rows
    if rows == 0:
        problems.add("RG105", where, "the file has a head but no rows")
        return None
    columns = {name: column.combine_chunks() for name, column in zip(names, table.columns, strict=True) if name}
    lines = cache(lambda: _lines(text, delimiter, rows))
    return InputTable(where, columns, rows, "line", lines, decimal_comma=delimiter != ",")


FORMATS = (InputFormat("CSV", (".csv.gz", ".tsv.gz", ".csv", ".tsv"), 1, read),)


def _delimiter(text: bytes) -> str:
    """Return the delimiter that divides the head into the most cells; a comma if none divides it."""
    counts = [len(_head(text, delimiter)) for delimiter in _DELIMITERS]
    return _DELIMITERS[counts.index(max(counts))]


def _head(text: bytes, delimiter: str) -> list[str]:
    stream = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    try:
        return next(([cell.strip() for cell in row] for row in csv.reader(stream, delimiter=delimiter) if row), [])
    except csv.Error:  # a head cell above the module's size limit: no sensible head has one
        return []


def _are_single(names: list[str], table: pa.Table, where: str, problems: ProblemList) -> bool:
    """Tell whether columns of one name hold the same in every row, so that one of them is enough."""
    first = {name: names.index(name) for name in names}
    repeated = sorted(
        {name for at, name in enumerate(names) if name and not table.column(at).equals(table.column(first[name]))}
    )
    if repeated:
        listed = ", ".join(f"'{name}'" for name in repeated)
        problems.add("RG107", where, f"more than one column is called {listed}")
    return not repeated


def _parsed(text: bytes, delimiter: str, names: list[str], where: str, problems: ProblemList) -> pa.InputTable | None:
    ragged: list[pa_csv.InvalidRow] = []

    def keep(row: pa_csv.InvalidRow) -> str:
        ragged.append(row)
        return "skip"

    unique = [f"{i}" for i in range(len(names))]
    try:
        table = pa_csv.read_csv(
            pa.BufferReader(text.lstrip(b"\r\n")),  # skipping the head counts blank lines before it
            # One block and one thread: row numbers in messages, and quoted cells of any length.
            read_options=pa_csv.ReadOptions(
                use_threads=False, block_size=len(text) + 1, column_names=unique, skip_rows_after_names=1
            ),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True, invalid_row_handler=keep),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(unique, pa.string()), strings_can_be_null=False, check_utf8=False
            ),
        )
    except pa.ArrowInvalid as error:
        problems.add("RG103", where, f"the file is not readable as CSV: {str(error).splitlines()[0]}")
        return None
    if ragged:
        lines = _lines(text, delimiter, table.num_rows + len(ragged))
        listed = ", ".join(f"line {lines[row.number - 2]} has {row.actual_columns}" for row in ragged[:3])
        more = f" and {len(ragged) - 3:,} more rows differ" if len(ragged) > 3 else ""
        problems.add("RG106", where, f"the head has {len(names)} columns, but {listed}{more}")
        return None
    if _never_closed(text, table):
        what = "a quoted cell is never closed"
        problems.add("RG106", where, what, "Close the quote; all that follows it would be one cell.")
        return None
    return table


def _never_closed(text: bytes, table: pa.InputTable) -> bool:
    # An odd number of quotes alone proves nothing (5" disk); a last cell that swallowed the end of the file does.
    if text.count(b'"') % 2 == 0 or table.num_rows == 0:
        return False
    last = [column[-1].as_py() for column in table.columns]
    return any("\n" in cell or "\r" in cell for cell in last) or last[-1].startswith('"')


def _lines(text: bytes, delimiter: str, rows: int) -> IntArray:
    """Return (rows,) the line each row begins in, from 1.

    The head is not a row. Blank lines and quoted breaks count.
    """
    stream = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    reader = csv.reader(stream, delimiter=delimiter)
    starts: list[int] = []
    line = 1
    try:
        for row in reader:
            if row:
                starts.append(line)
            line = reader.line_num + 1
    except csv.Error:  # a cell above the module's size limit: the rest is counted as one line per row
        pass
    found = starts[1 : rows + 1]
    last = found[-1] if found else 1
    return np.array([*found, *range(last + 1, last + 1 + rows - len(found))], dtype=np.int64)
