"""Columns of data frames as arrays, over the Arrow interface: ids as codes, scores, grades, and what is wrong in them.

pandas, polars, pyarrow and what else speaks the interface work alike; none of them but pyarrow is loaded here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from reportgen.domain.run import FloatArray, IntArray
from reportgen.errors import Problem, RankingError

if TYPE_CHECKING:
    import numpy.typing as npt

_AT_ONCE = 1 << 14
"""Rows whose ids are compared at once: what is made of them stays in the cache."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2⁶⁴ over the golden ratio: multiplied by it, numbers scatter (Knuth, The Art of Computer Programming 3, 6.4)."""
_PAIR = "A row is one document of one query."


def refused(code: str, where: str, what: str, why: str, fix: str) -> RankingError:
    """The error for one problem."""
    return RankingError(Problem(code, where, what, why, fix))


@dataclass(frozen=True, slots=True)
class Pairs:
    """The query and the document of each row of a frame, as text."""

    where: str
    """What the frame is to its caller: ``run`` or ``qrels``."""
    query: pa.Array
    doc: pa.Array

    @classmethod
    def of(cls, frame: Any, where: str, query: str, doc: str) -> Pairs:
        """Read two columns of ids; raises RankingError where one is missing or blank or holds no ids."""
        return cls(where, _ids(frame, query, where), _ids(frame, doc, where))

    def row(self, row: int) -> str:
        """A row in words."""
        return f"document '{self.doc[row].as_py()}' of query '{self.query[row].as_py()}'"

    def refuse_repeats(self, code: IntArray) -> None:
        """Raise RankingError if a pair stands in two rows; ``code`` are the queries as codes, negative = left out."""
        rows = None
        if np.any(code[1:] < code[:-1]):
            rows = np.argsort(code, kind="stable")
            code = code[rows]
        doc = self.doc if rows is None else self.doc.take(pa.array(rows))
        start = int(np.searchsorted(code, 0))
        while start < len(code):
            # To the end of a query: pairs of different queries are different.
            end = int(np.searchsorted(code, code[min(start + _AT_ONCE, len(code)) - 1], side="right"))
            again = _first_repeat(code[start:end], doc.slice(start, end - start))
            if again is not None:
                row = start + again
                what = f"{self.row(row if rows is None else int(rows[row]))} stands in two rows"
                why = "A relevant document that counts twice can lift nDCG and average precision above 1."
                raise refused("RG273", self.where, what, why, "Keep one row per query and document.")
            start = end


def _first_repeat(code: IntArray, doc: pa.Array) -> int | None:
    """The first row whose pair stands above it already; None if all pairs are distinct."""
    marks = fingerprints(doc) ^ (code.astype(np.uint64) * _ODD)
    marks.sort()
    if not np.any(marks[1:] == marks[:-1]):
        return None
    # Two different pairs may have one fingerprint: the texts decide.
    encoded = doc.dictionary_encode()
    _, first = np.unique(code * len(encoded.dictionary) + encoded.indices.to_numpy(), return_index=True)
    again = np.setdiff1d(np.arange(len(code)), first)
    return int(again[0]) if len(again) else None


def fingerprints(texts: pa.Array) -> npt.NDArray[np.uint64]:
    """(n,) numbers that are equal where texts are, and hardly ever elsewhere: their bytes, eight at a time, mixed."""
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    at, size = offsets[:-1] - offsets[0], np.diff(offsets)
    n_bytes = int(offsets[-1] - offsets[0])
    data = np.zeros(n_bytes + 8, dtype=np.uint8)
    if n_bytes:
        data[:n_bytes] = np.frombuffer(texts.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
    words = np.ndarray((n_bytes + 1,), dtype="<u8", buffer=data, strides=(1,))  # eight bytes from each byte on
    marks = size.astype(np.uint64) * _ODD
    rows: slice | IntArray = slice(None)
    for read in range(0, int(size.max(initial=0)), 8):
        if read or not size.all():
            rows = np.flatnonzero(size > read)
        beyond = (8 * np.clip(read + 8 - size[rows], 0, 7)).astype(np.uint64)  # bits of the word behind the text
        word = (words[at[rows] + read] << beyond) >> beyond
        mixed = (marks[rows] ^ word) * _ODD
        marks[rows] = mixed ^ (mixed >> np.uint64(29))
    return marks


def numbers(frame: Any, name: str, pairs: Pairs) -> FloatArray:
    """(n,) a column of scores; raises RankingError where one is missing or NaN."""
    column = _column(frame, name, pairs.where)
    try:
        values = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        what = f"column '{name}' holds {column.type}"
        raise refused("RG272", pairs.where, what, "A score is a number.", "Give numbers.") from None
    scores = np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64)
    if len(missing := np.flatnonzero(np.isnan(scores))):
        what = f"column '{name}' has no number for {pairs.row(int(missing[0]))} ({len(missing):,} such rows)"
        raise refused(
            "RG272", pairs.where, what, "Where it would rank cannot be known.", "Leave out what is not ranked."
        )
    return scores


def grades(frame: Any, name: str, pairs: Pairs) -> IntArray:
    """(n,) a column of grades, those below 0 as 0; raises RankingError where one is not a whole number."""
    column = _column(frame, name, pairs.where)
    try:
        values = column.cast(pa.int64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        values = None
    if values is None or values.null_count:
        what = f"column '{name}' does not hold a whole number in each row"
        raise refused("RG272", pairs.where, what, "A grade is a whole number; 0 is not relevant.", "Correct the rows.")
    return np.maximum(codes(values), 0)


def codes(column: pa.Array) -> IntArray:
    """(n,) whole numbers, -1 for a null."""
    return np.asarray(pc.fill_null(column, -1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _ids(frame: Any, name: str, where: str) -> pa.Array:
    column = _column(frame, name, where)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)
            or pa.types.is_string_view(kind)):  # fmt: skip
        what = f"column '{name}' holds {kind}"
        raise refused("RG272", where, what, "Ids are text, or whole numbers.", "Give the ids as text.")
    if column.null_count:
        first = int(np.flatnonzero(column.is_null().to_numpy(zero_copy_only=False))[0])
        what = f"column '{name}' is blank in row {first + 1:,}"
        raise refused("RG272", where, what, _PAIR, "Fill in the id, or leave out the row.")
    return column.cast(pa.large_string())


def _column(frame: Any, name: str, where: str) -> pa.Array:
    """One column of a frame, or of a mapping of names to sequences."""
    known = [str(column) for column in getattr(frame, "column_names", None) or getattr(frame, "columns", frame)]
    if name not in known:
        what = f"there is no column '{name}' among {', '.join(repr(column) for column in known)}"
        raise refused("RG270", where, what, _PAIR, "Say what the column is called: columns={…}.")
    column = frame[name]
    if hasattr(column, "__arrow_c_stream__"):
        return pa.chunked_array(column).combine_chunks()
    found = pa.array(column)
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
