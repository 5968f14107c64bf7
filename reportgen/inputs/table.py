"""A table as a file gave it: named columns, and for each row the place to name in a message."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from reportgen.domain.run import BoolArray, FloatArray, IntArray

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of equal length. Text formats give every column as text; typed formats keep their types."""

    where: str
    """Path as it is named in messages: relative to the run folder, POSIX."""
    columns: Mapping[str, pa.Array]
    rows: int
    row_word: Literal["line", "row"]
    lines: Callable[[], IntArray]
    """Gives (rows,) the line (text) or row (typed formats, from 1) of each row; called only for messages."""
    decimal_comma: bool = False
    """The file separates cells by semicolons, so that a comma inside a number is a decimal comma."""
    settle: Callable[[Collection[str]], None] = field(default=lambda _: None)
    """Told which columns will be read, it reads them and lets go of the file's bytes."""

    def place(self, row: int) -> str:
        """Where a row stands in the file: ``line 17``."""
        return f"{self.row_word} {self.lines()[row]}"

    def cells(self, column: str, rows: IntArray | None = None) -> Cells:
        """The cells of one column, in all rows or in some."""
        return Cells(self, column, np.arange(self.rows) if rows is None else rows)


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """Cells read as numbers. All arrays have shape (n,)."""

    values: FloatArray
    """NaN where the cell is blank or bad."""
    blank: BoolArray
    bad: BoolArray
    """Not a finite number (also the words nan and inf)."""


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """Some cells of one column of a table."""

    table: Table
    column: str
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def array(self) -> pa.Array:
        """The cells as the file's type."""
        column = self.table.columns[self.column]
        return column if len(self.rows) == self.table.rows else column.take(pa.array(self.rows))

    def texts(self) -> pa.Array:
        """The cells as text without surrounding white space; null is the empty text."""
        return as_text(self.array())

    def all_blank(self) -> bool:
        """Whether no cell holds anything."""
        array = self.array()
        if array.null_count == len(array):
            return True
        return bool(is_text(array.type) and not pc.any(pc.not_equal(as_text(array), "")).as_py())

    def numbers(self) -> Numbers:
        """The cells as 64-bit floats."""
        array = self.array()
        if is_text(array.type):
            return _numbers_of_text(as_text(array), decimal_comma=self.table.decimal_comma)
        blank = np.asarray(pc.is_null(array).to_numpy(zero_copy_only=False), dtype=bool)
        try:
            floats = array.cast(pa.float64(), safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return Numbers(np.full(len(array), math.nan), blank, ~blank)
        values = np.array(pc.fill_null(floats, math.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
        bad = ~np.isfinite(values) & ~blank
        values[bad] = math.nan
        return Numbers(values, blank, bad)

    def places(self, which: IntArray) -> list[tuple[str, str]]:
        """For some cells, by their index here, the text and the place: ``("1.2", "line 17")``."""
        texts = self.texts()
        return [(texts[int(i)].as_py(), self.table.place(self.rows[i])) for i in which]


def is_text(kind: pa.DataType) -> bool:
    """Whether a column type is text, plain or dictionary-encoded."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_null(value))


def is_list(kind: pa.DataType) -> bool:
    """Whether a column type is a list."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_plain(kind: pa.DataType) -> bool:
    """Whether a cell of this type has one spelling: text, a number, a truth value or a time; or a list of those."""
    if pa.types.is_dictionary(kind) or is_list(kind):
        return is_plain(kind.value_type) and not is_list(kind.value_type)
    return not (pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind)
                or pa.types.is_large_binary(kind))  # fmt: skip


def as_text(array: pa.Array) -> pa.Array:
    """An array as text without surrounding white space; whole numbers without a decimal point; null as empty."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if is_list(array.type) and is_plain(array.type):
        array = pc.binary_join(array.cast(pa.list_(pa.string())), "|")
    elif pa.types.is_floating(array.type):
        whole = pc.all(pc.equal(pc.floor(array), array)).as_py()
        # Whole, but beyond 64 bits or infinite: keep the floating-point spelling.
        with contextlib.suppress(pa.ArrowInvalid):
            array = array.cast(pa.int64()) if whole else array
    try:
        text = array.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # A type with no spelling of its own (nested, binary, a time in an unknown zone), shown in messages only.
        text = pa.array([_spelt(value) for value in array], pa.string())
    return pc.utf8_trim_whitespace(pc.fill_null(text, ""))


def _spelt(value: pa.Scalar) -> str | None:
    try:
        return None if (content := value.as_py()) is None else str(content)
    except (ValueError, OverflowError):  # a time in an unknown zone, a date beyond the calendar
        return f"<{value.type}>"


def _numbers_of_text(texts: pa.Array, *, decimal_comma: bool) -> Numbers:
    blank = np.asarray(pc.equal(texts, "").to_numpy(zero_copy_only=False), dtype=bool)
    if decimal_comma and not pc.any(pc.match_substring(texts, ".")).as_py():
        texts = pc.replace_substring(texts, ",", ".")
    try:
        floats = pc.if_else(pa.array(blank), None, texts).cast(pa.float64())
        values = np.array(pc.fill_null(floats, math.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
    except pa.ArrowInvalid:
        # Some cell is not a number: read each distinct text by itself to find which.
        encoded = texts.dictionary_encode()
        distinct = [float(text) if _NUMBER.fullmatch(text) else math.nan for text in encoded.dictionary.to_pylist()]
        values = np.array(distinct, dtype=np.float64)[encoded.indices.to_numpy(zero_copy_only=False)]
    bad = ~np.isfinite(values) & ~blank
    values[bad] = math.nan
    return Numbers(values, blank, bad)
