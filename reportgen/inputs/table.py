"""A table as a file gave it: named columns, and for each row the place to name in a message."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.run import STATES
from reportgen.errors import ProblemList
from reportgen.inputs.ids import Vocabulary
from reportgen.inputs.names import LIST_SEPARATOR

if TYPE_CHECKING:
    from reportgen.domain.run import BoolArray, FloatArray, IntArray

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
SHOWN = 3
"""How many places a message names; the others are counted."""
_MOST = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class InputTable:
    """Columns of equal length. Text formats give every column as text; typed formats keep their types."""

    where: str
    """Path as it is named in messages: relative to the run folder, POSIX."""
    columns: Mapping[str, pa.Array]
    rows: int
    row_word: Literal["line", "row"]
    lines: Callable[[], IntArray]
    """Gives (rows,) the line (text) or row (typed formats, from 1) of each row; called only for messages."""
    decimal_comma: bool = False
    """The file separates cells by semicolons or tabs, so that a comma inside a number is a decimal comma."""
    place_of: Callable[[int], str] | None = None
    """Where a row stands, for rows of several files."""
    settle: Callable[[Collection[str]], None] = field(default=lambda _: None)
    """Told which columns will be read, it reads them and lets go of the file's bytes."""
    let_go: Callable[[], None] = field(default=lambda: None)
    """Lets go of cells that can be read again."""
    types: Mapping[str, pa.DataType] = field(default_factory=dict)
    """Columns to their types, as far as the file says them."""
    partitions: Mapping[str, int] = field(default_factory=dict)
    """Of a table in partitions, each file to its number of rows, in the order of the rows; empty for other tables."""

    def type_of(self, column: str) -> pa.DataType:
        """Return the type of a column, which is not decoded for it where the file says its types."""
        return self.types[column] if column in self.types else self.columns[column].type

    def place(self, row: int) -> str:
        """Return where a row is in the file: ``line 17``."""
        return self.place_of(row) if self.place_of is not None else f"{self.row_word} {self.lines()[row]}"

    def with_rows(self, rows: IntArray, columns: Mapping[str, pa.Array]) -> InputTable:
        """Return a table of some rows, in ascending order and each as often as it is named, that has these columns."""
        place = self.place_of
        ends = np.cumsum(list(self.partitions.values()))
        counts = np.bincount(np.searchsorted(ends, rows, side="right"), minlength=len(ends)).tolist()
        return replace(
            self,
            columns=columns,
            rows=len(rows),
            lines=lambda: self.lines()[rows],
            place_of=None if place is None else lambda row: place(int(rows[row])),
            partitions=dict(zip(self.partitions, counts, strict=True)) if self.partitions else {},
        )

    def cells(self, column: str, rows: IntArray | None = None) -> TableCells:
        """Return the cells of one column, in all rows or in some."""
        return TableCells(self, column, np.arange(self.rows) if rows is None else rows)


@dataclass(frozen=True, slots=True, eq=False)
class ParsedNumbers:
    """Cells read as numbers. All arrays have shape (n,)."""

    values: FloatArray
    """NaN where the cell is blank or bad."""
    blank: BoolArray
    bad: BoolArray
    """Not a finite number (also the words nan and inf)."""


@dataclass(frozen=True, slots=True, eq=False)
class TableCells:
    """Some cells of one column of a table."""

    table: InputTable
    column: str
    rows: IntArray

    def __len__(self) -> int:
        return len(self.rows)

    def array(self) -> pa.Array:
        """Return the cells as the file's type."""
        column = self.table.columns[self.column]
        return column if len(self.rows) == self.table.rows else column.take(pa.array(self.rows))

    def texts(self) -> pa.Array:
        """Return the cells as text without surrounding white space; null is the empty text."""
        return as_text(self.array())

    def all_blank(self) -> bool:
        """Tell whether no cell holds anything."""
        array = self.array()
        if array.null_count == len(array):
            return True
        return bool(is_text(array.type) and not pc.any(pc.not_equal(as_text(array), "")).as_py())

    def numbers(self) -> ParsedNumbers:
        """Return the cells as 64-bit floats.

        A float of fewer bits is the shortest decimal that it stands for, as in a text file: 0.7, and not the nearest
        64-bit number, which lies below a threshold of 0.7.
        """
        array = self.array()
        if is_text(array.type):
            return _numbers_of_text(as_text(array), decimal_comma=self.table.decimal_comma)
        blank = np.asarray(pc.is_null(array).to_numpy(zero_copy_only=False), dtype=bool)
        try:
            short = pa.types.is_float16(array.type) or pa.types.is_float32(array.type)
            floats = _shortest(array) if short else array.cast(pa.float64(), safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            # Not numbers: pyarrow raises the second for a type that has no cast to them, such as a list.
            return ParsedNumbers(np.full(len(array), math.nan), blank, ~blank)
        values = np.array(pc.fill_null(floats, math.nan).to_numpy(zero_copy_only=False), dtype=np.float64)
        bad = ~np.isfinite(values) & ~blank
        values[bad] = math.nan
        return ParsedNumbers(values, blank, bad)

    def with_texts(self, texts: pa.Array) -> TableCells:
        """Return the same cells holding other texts."""
        lines = self.table.lines
        table = replace(self.table, columns={self.column: texts}, rows=len(texts), lines=lambda: lines()[self.rows])
        return TableCells(table, self.column, np.arange(len(texts)))

    def places(self, which: IntArray) -> list[tuple[str, str]]:
        """Return the text and the place of some cells, by their index here: ``("1.2", "line 17")``."""
        texts = self.texts()
        return [(texts[int(i)].as_py(), self.table.place(self.rows[i])) for i in which]


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column type is text, plain or dictionary-encoded."""
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_null(value))


def is_list(kind: pa.DataType) -> bool:
    """Tell whether a column type is a list."""
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def is_plain(kind: pa.DataType) -> bool:
    """Return whether a cell of this type has one spelling: text, a number, a truth value or a time.

    Or a list of those.
    """
    if pa.types.is_dictionary(kind) or is_list(kind):
        return is_plain(kind.value_type) and not is_list(kind.value_type)
    return not (pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_fixed_size_binary(kind)
                or pa.types.is_large_binary(kind))  # fmt: skip


def _are_whole(numbers: pa.Array) -> bool:
    """Tell whether all of these floating-point numbers are whole; pyarrow rounds none of 16 bits."""
    wide = numbers.cast(pa.float32()) if pa.types.is_float16(numbers.type) else numbers
    return bool(pc.all(pc.equal(pc.floor(wide), wide)).as_py())


def as_text(array: pa.Array) -> pa.Array:
    """Return an array as text without surrounding white space; whole numbers without a decimal point; null as empty."""
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if is_list(array.type) and is_plain(array.type):
        array = pc.binary_join(array.cast(pa.list_(pa.string())), "|")
    elif pa.types.is_floating(array.type):
        whole = _are_whole(array)
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


def _shortest(array: pa.Array) -> pa.Array:
    """Return floats of 16 or 32 bits as the 64-bit floats nearest to their shortest decimals; each value once."""
    encoded = array.dictionary_encode()
    decimals = encoded.dictionary.to_numpy(zero_copy_only=False).astype(np.str_).astype(np.float64)
    return pa.array(decimals).take(encoded.indices)


def _numbers_of_text(texts: pa.Array, *, decimal_comma: bool) -> ParsedNumbers:
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
    return ParsedNumbers(values, blank, bad)


def listed(items: list[str], total: int) -> str:
    """Return the first items of ``total`` in words: ``a``, ``a and b``, ``a, b, c and 4 more``."""
    shown = items[:SHOWN]
    more = total - len(shown)
    if more:
        return f"{', '.join(shown)} and {more:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def first_few(rows: IntArray, spell: Callable[[int], str]) -> str:
    """Return some rows in words, as :func:`listed` shows them; ``spell`` gives the words for one."""
    return listed([spell(int(row)) for row in rows[:SHOWN]], len(rows))


def quoted(names: list[str]) -> str:
    """Return names in quotes, as :func:`listed` shows them."""
    return listed([f"'{name}'" for name in names[:SHOWN]], len(names))


def report(cells: TableCells, wrong: BoolArray, problems: ProblemList, code: str, what: str, fix: str = "") -> None:
    """Record one problem about the cells marked wrong, naming the first places; nothing if none is marked."""
    which = np.flatnonzero(wrong)
    if not len(which):
        return
    shown = which[np.argsort(cells.rows[which], kind="stable")][:SHOWN]
    places = [f"'{_short(text)}' ({place})" if text else f"blank ({place})" for text, place in cells.places(shown)]
    problems.add(code, cells.table.where, f"column '{cells.column}': {what}: {listed(places, len(which))}", fix)


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def numbers(cells: TableCells, problems: ProblemList, *, blank_allowed: bool = False) -> FloatArray:
    """Return finite numbers; NaN where a cell is none."""
    read = cells.numbers()
    report_numbers(cells, read, problems, blank_allowed=blank_allowed)
    return read.values


def report_numbers(
    cells: TableCells, read: ParsedNumbers, problems: ProblemList, *, blank_allowed: bool = False, fix: str = ""
) -> None:
    """Record RG130 for the cells that hold no finite number; ``fix``: what to do, where it is not decimal commas."""
    wrong = read.bad if blank_allowed else read.bad | read.blank
    report(cells, wrong, problems, "RG130", "not a number", _comma_hint(cells, read) or fix)


def scores(cells: TableCells, problems: ProblemList) -> FloatArray:
    """Return scores, the higher the better; NaN where a cell is blank, and minus infinity below all finite ones."""
    read = cells.numbers()
    lowest = np.zeros(len(cells), dtype=bool)
    if read.bad.any():
        lower = pc.utf8_lower(cells.texts())
        lowest = np.asarray(pc.is_in(lower, pa.array(["-inf", "-infinity"])).to_numpy(zero_copy_only=False), dtype=bool)
        finite = read.values[np.isfinite(read.values)]
        read.values[lowest] = finite.min() - abs(finite.min()) - 1 if len(finite) else 0.0
    report_numbers(cells, ParsedNumbers(read.values, read.blank, read.bad & ~lowest), problems, blank_allowed=True)
    return read.values


def _comma_hint(cells: TableCells, read: ParsedNumbers) -> str:
    bad = np.flatnonzero(read.bad)[:SHOWN]
    commas = any("," in text for text, _ in cells.places(bad)) if len(bad) else False
    return "Correct or complete the cells, and write decimals with a point." if commas else ""


def probabilities(cells: TableCells, problems: ProblemList) -> FloatArray:
    """Return numbers between 0 and 1; NaN where a cell is none."""
    values = numbers(cells, problems)
    outside = (values < 0) | (values > 1)
    report(cells, outside, problems, "RG131", "not a probability between 0 and 1")
    return np.where(outside, math.nan, values)


def shares(cells: TableCells, problems: ProblemList) -> FloatArray:
    """Return values per query of a metric between 0 and 1, as a file brings them along; NaN where a cell is blank."""
    values = numbers(cells, problems, blank_allowed=True)
    outside = (values < 0) | (values > 1)
    report(cells, outside, problems, "RG138", "not a value between 0 and 1")
    return np.where(outside, math.nan, values)


def weights(cells: TableCells, problems: ProblemList) -> FloatArray:
    """Return positive numbers; NaN where a cell is none."""
    values = numbers(cells, problems)
    wrong = ~(values > 0) & ~np.isnan(values)
    report(cells, wrong, problems, "RG162", "not a weight above 0")
    return np.where(wrong, math.nan, values)


def whole_numbers(
    cells: TableCells, problems: ProblemList, code: str, *, what: str, blank_allowed: bool = False
) -> IntArray:
    """Return whole numbers from 0; -1 where a cell is none."""
    values = numbers(cells, problems, blank_allowed=blank_allowed)
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    wrong = known & ((filled < 0) | (filled != np.floor(filled)) | (filled > _MOST))
    report(cells, wrong, problems, code, f"not {what}", "Give whole numbers from 0.")
    return np.where(known & ~wrong, filled, -1.0).astype(np.int64)


def grades(cells: TableCells, problems: ProblemList, *, negative_allowed: bool = False) -> tuple[FloatArray, int]:
    """Return (n,) grades of relevance, -1 where a cell is none; and how many were below 0, which are 0 here.

    In TREC judgements a negative grade (spam, or not in the pool) is not relevant, as in trec_eval.
    """
    values = numbers(cells, problems)
    known = ~np.isnan(values)
    filled = np.where(known, values, 0.0)
    wrong = known & ((np.abs(filled) > _MOST) | ((filled < 0) & (not negative_allowed)))
    report(cells, wrong, problems, "RG136", "not a grade", "Give numbers from 0, such as 0, 0.5 and 1.")
    good = known & ~wrong
    return np.where(good, np.maximum(filled, 0.0), -1.0), int((good & (filled < 0)).sum())


def truths(cells: TableCells, problems: ProblemList) -> IntArray:
    """Return 1 or 0 from 1, 0, true, false in any case; -1 where a cell is neither."""
    lower = pc.utf8_lower(cells.texts())
    spelt = Vocabulary(("0", "1", "false", "true", "0.0", "1.0")).codes(lower)
    values = np.where(spelt < 0, -1, spelt % 2)
    report(cells, values < 0, problems, "RG132", "not 0 or 1")
    return values.astype(np.int64)


def states(cells: TableCells, problems: ProblemList) -> IntArray:
    """Index into STATES; -1 where a cell is none of them."""
    codes = Vocabulary(STATES).codes(cells.texts())
    report(cells, codes < 0, problems, "RG133", f"not one of {', '.join(STATES)}")
    return codes


def ids(cells: TableCells, problems: ProblemList) -> pa.Array:
    """Return ids as text; a blank one is recorded."""
    array = cells.array()
    if pa.types.is_floating(array.type) and not _are_whole(array):
        what = f"column '{cells.column}' holds fractions or infinite numbers where ids should stand"
        problems.add("RG135", cells.table.where, what, "Name the column that holds the ids.")
    if not is_plain(array.type) and not _is_utf8(array):
        what = f"column '{cells.column}' holds values of type {array.type} where ids should stand"
        problems.add("RG135", cells.table.where, what, "Write ids as text; such a value has no spelling of its own.")
    texts = cells.texts()
    blank = np.asarray(pc.equal(texts, "").to_numpy(zero_copy_only=False), dtype=bool)
    report(cells, blank, problems, "RG135", "no id")
    return texts


def _is_utf8(array: pa.Array) -> bool:
    """Tell whether a column of bytes holds UTF-8 text, as some writers store text."""
    try:
        array.cast(pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        # Other bytes, or a type that pyarrow has no text for.
        return False
    return True


def id_lists(cells: TableCells, problems: ProblemList) -> tuple[IntArray, pa.Array]:
    """Return lists of ids joined by ``|`` (or list cells): the cell each id is from (index here), and the id."""
    array = cells.array()
    if is_list(array.type) and is_plain(array.type):
        lists = array.cast(pa.list_(pa.string()))
    else:
        texts = cells.texts()
        bracketed = np.asarray(pc.match_substring_regex(texts, r"^[\[{(].*[,\]})]$").to_numpy(zero_copy_only=False))
        report(cells, bracketed.astype(bool), problems, "RG137", "not ids joined by |")
        lists = pc.split_pattern(texts, LIST_SEPARATOR)
    parents = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    items = pc.utf8_trim_whitespace(pc.fill_null(pc.list_flatten(lists), ""))
    blank = np.asarray(pc.equal(items, "").to_numpy(zero_copy_only=False), dtype=bool)
    sizes = np.bincount(parents, minlength=len(cells))
    holes = np.zeros(len(cells), dtype=bool)
    holes[parents[blank & (sizes[parents] > 1)]] = True
    report(cells, holes, problems, "RG137", "a list with a blank id")
    return parents[~blank], items.filter(pa.array(~blank))
