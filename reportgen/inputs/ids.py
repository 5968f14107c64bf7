"""Ids: natural order, slugs, and integer codes.

Ids in a run are text exactly as in the files (``"007"`` is not ``"7"``). Their canonical order is the natural one,
in which ``"f2"`` comes before ``"f10"``, so that the order of rows in a file changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, islice
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.domain.run import IntArray

    SmallIntArray = npt.NDArray[np.int32]
    AnyIntArray = npt.NDArray[np.signedinteger[Any]]

_DIGITS = re.compile(r"([0-9]+)")
_SLUG = re.compile(r"[A-Za-z0-9._=/-]+")
_BLOCK = 2**16
"""Texts whose keys are made at once: the work needs some sixty bytes for each byte of text."""
_NOT_SLUG = re.compile(r"[^A-Za-z0-9._=/-]+")


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key: runs of digits compare as numbers, the rest as text; equal numbers (``07``, ``7``) by the text."""
    parts: list[Any] = _DIGITS.split(text)
    # A number is compared by its length and digits, because int() refuses texts of more than 4,300 digits.
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return (tuple(parts), text)


def natural_sorted(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the texts in natural order."""
    return tuple(sorted(texts, key=natural_key))


def in_natural_order(texts: pa.Array) -> pa.Array:
    """Return the texts of a column in natural order: what :func:`natural_sorted` gives, for hundreds of thousands at
    once.
    """
    return texts.take(_natural_order(texts)).cast(pa.string())


def _natural_order(texts: pa.Array) -> pa.Array:
    """Return the rows of a column in the natural order of its texts.

    Each run of digits is rewritten as NUL NUL, its length in four bytes, and its digits without leading zeros; then
    the order of bytes is the natural one, because no text has a NUL (those that do are sorted one by one).
    """
    texts = texts.cast(pa.large_binary())
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8)[offsets[0] : offsets[-1]] if len(texts) else None
    if data is None or not len(data) or not data.all():
        keys = [natural_key(text) for text in texts.cast(pa.string()).to_pylist()]
        return pa.array(sorted(range(len(keys)), key=keys.__getitem__), pa.int64())
    offsets = offsets - offsets[0]
    blocks = (offsets[start : start + _BLOCK + 1] for start in range(0, len(texts), _BLOCK))
    keys = pa.chunked_array([_natural_keys(data[at[0] : at[-1]], at - at[0]) for at in blocks], pa.large_binary())
    return pc.sort_indices(pa.table({"key": keys, "text": texts}), [("key", "ascending"), ("text", "ascending")])


def _natural_keys(data: npt.NDArray[np.uint8], offsets: IntArray) -> pa.Array:
    """Return keys whose order of bytes is the natural order of the texts in ``data``, which begin at ``offsets``."""
    digit = (data >= ord("0")) & (data <= ord("9"))
    begins_text = np.zeros(len(data) + 1, dtype=bool)
    begins_text[offsets] = True
    before = np.concatenate([[False], digit[:-1]]) & ~begins_text[:-1]
    starts = np.flatnonzero(digit & ~before)
    run = np.cumsum(digit & ~before) - 1  # the run that each digit is in
    nonzero = np.flatnonzero(digit & (data != ord("0")))
    last = np.flatnonzero(digit & (np.concatenate([~digit[1:], [True]]) | begins_text[1:]))
    first = last + 1  # of the digits without leading zeros; behind the run where it is all zeros
    np.minimum.at(first, run[nonzero], nonzero)
    keep = np.ones(len(data), dtype=bool)
    keep[digit] = np.flatnonzero(digit) >= first[run[digit]]
    head = np.zeros((len(starts), 6), dtype=np.uint8)
    head[:, 2:] = (last + 1 - first).astype(">u4").view(np.uint8).reshape(-1, 4)
    grows = np.zeros(len(data) + 1, dtype=np.int64)
    grows[:-1] = keep
    grows[starts] += head.shape[1]
    place = np.concatenate([[0], np.cumsum(grows)])
    out = np.empty(place[-1], dtype=np.uint8)
    out[(place[starts][:, None] + np.arange(head.shape[1])).ravel()] = head.ravel()
    kept = np.flatnonzero(keep)
    out[place[kept + 1] - 1] = data[kept]
    buffers = (pa.py_buffer(place[offsets]), pa.py_buffer(out))
    return pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(offsets) - 1, [None, *buffers])


def slugs(texts: Sequence[str]) -> dict[str, str]:
    """Return a unique id of the form ``[A-Za-z0-9._=/-]+`` for each text; a text of that form keeps itself.

    Other texts lose accents and have what is left replaced by hyphens (``"GNN + Größe"`` to ``"GNN-Groe"``); where
    two would coincide, the later ones in natural order get ``-2``, ``-3``, ….
    """
    result = {text: text for text in texts if _SLUG.fullmatch(text)}
    taken = set(result.values())
    for text in natural_sorted(text for text in set(texts) if text not in result):
        plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
        stem = _NOT_SLUG.sub("-", plain).strip("-") or "id"
        slug, n = stem, 1
        while slug in taken:
            n += 1
            slug = f"{stem}-{n}"
        taken.add(slug)
        result[text] = slug
    return result


class Vocabulary(Sequence[str]):
    """A fixed, ordered set of ids and the integer code of each."""

    __slots__ = ("_array", "_ids")

    def __init__(self, ids: Sequence[str] | pa.Array) -> None:
        self._ids: tuple[str, ...] | None = None if isinstance(ids, pa.Array) else tuple(ids)
        self._array: pa.Array = ids if self._ids is None else pa.array(self._ids, pa.string())

    @classmethod
    def of(cls, *columns: pa.Array) -> Vocabulary:
        """Return the distinct texts of some columns in natural order; the blank text is not an id."""
        each = [pc.unique(column) for column in columns]
        distinct = pc.unique(each[0] if len(each) == 1 else pa.chunked_array(each, pa.string()))
        return cls(in_natural_order(distinct.filter(pc.not_equal(distinct, ""))))

    @classmethod
    def distinct(cls, column: pa.Array) -> Vocabulary:
        """Return the distinct texts of a column in order of appearance: enough to tell them apart, and fast."""
        return cls([text for text in pc.unique(column).to_pylist() if text])

    @classmethod
    def coding(cls, columns: Sequence[pa.Array], extra: Sequence[pa.Array] = ()) -> tuple[Vocabulary, list[IntArray]]:
        """Return the vocabulary of columns and extra texts, and the codes of each column: :meth:`of` and :meth:`codes`.

        Each text is looked up once, which for a column of many rows is half the work of the two.
        """
        encoded = pa.chunked_array([*columns, *extra], pa.string()).dictionary_encode().unify_dictionaries()
        vocabulary, code = _in_natural_order(encoded.chunk(0).dictionary)
        return vocabulary, [code[chunk.indices.to_numpy()] for chunk in encoded.chunks[: len(columns)]]

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the ids in order: texts by themselves, which take several times the memory and are made when asked."""
        if self._ids is None:
            self._ids = tuple(self._array.to_pylist())
        return self._ids

    def __len__(self) -> int:
        return len(self._array)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...

    def __getitem__(self, at: int | slice) -> str | tuple[str, ...]:
        return self.ids[at]

    def __arrow_array__(self, type: pa.DataType | None = None) -> pa.Array:
        return self._array

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self._array,)  # one buffer for all texts, in place of each by itself

    def texts(self, codes: IntArray) -> tuple[str, ...]:
        """Return the id of each code."""
        # An array of references: each id stays one string, however often it occurs.
        return tuple(np.array(self.ids, dtype=object)[codes].tolist())

    def codes(self, column: pa.Array) -> IntArray:
        """Return (n,) index of each text of a column; -1 for a text that is not in the vocabulary."""
        if len(column) < len(self) and not column.null_count:
            # Of a few rows and many ids, the rows' are put into the table in which the others are looked up.
            coded = column.dictionary_encode()
            at = pc.index_in(self._array, value_set=coded.dictionary)
            of_each = np.full(len(coded.dictionary), -1, dtype=np.int64)
            of_each[at.drop_null().to_numpy()] = np.flatnonzero(at.is_valid().to_numpy(zero_copy_only=False))
            return np.asarray(of_each[coded.indices.to_numpy()])
        found = pc.fill_null(pc.index_in(column, value_set=self._array), -1)
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def _in_natural_order(distinct: pa.Array) -> tuple[Vocabulary, IntArray]:
    """Return the vocabulary of some distinct texts, and (n,) the code there of each; -1 for the blank one."""
    order = _natural_order(distinct)
    blank = pc.equal(distinct, "").to_numpy(zero_copy_only=False)
    code = np.empty(len(distinct), dtype=np.int64)
    code[order.to_numpy()] = np.arange(len(distinct)) - blank.any()  # the blank text is before all others
    in_order = distinct.take(order)
    return Vocabulary(in_order[1:] if blank.any() else in_order), code


class GrowingVocabulary:
    """Ids by number, in order of appearance, of columns that come one after the other; the blank text is not an id."""

    def __init__(self) -> None:
        self._first = pa.array([], pa.string())
        """The ids of the first column, as long as it is the only one: so they take little memory."""
        self._numbers: defaultdict[str, int] | None = None

    def __len__(self) -> int:
        return len(self._first) if self._numbers is None else len(self._numbers) - 1

    def numbers(self, column: pa.Array) -> SmallIntArray:
        """Return (n,) the number of each text of a column, which are added; -1 for a blank one."""
        encoded = column.dictionary_encode()
        if not len(self):
            named = pc.not_equal(encoded.dictionary, "")
            self._first = encoded.dictionary.filter(named)
            there = named.to_numpy(zero_copy_only=False)
            of_each = np.where(there, np.cumsum(there) - 1, -1).astype(np.int32)
        else:
            known = self._known()
            of_each = np.array([known[text] for text in encoded.dictionary.to_pylist()], dtype=np.int32)
        numbers: SmallIntArray = of_each[encoded.indices.to_numpy()]
        return numbers

    def _known(self) -> defaultdict[str, int]:
        if self._numbers is None:
            self._numbers = defaultdict(count(len(self)).__next__, {"": -1})
            self._numbers.update(zip(self._first.to_pylist(), count(), strict=False))
        return self._numbers

    def text(self, number: int) -> str:
        """Return the id of a number."""
        return next(islice(self._known(), number + 1, None))

    def in_natural_order(self) -> tuple[Vocabulary, IntArray]:
        """Return the vocabulary in natural order, and (n,) the code there of each number."""
        texts = self._first if self._numbers is None else pa.array(islice(self._numbers, 1, None), pa.string())
        return _in_natural_order(texts)


def joined(columns: Sequence[pa.Array]) -> pa.Array:
    """Return one id per row from several columns: the parts with a slash between them.

    A slash or percent sign inside a part is written ``%2F`` or ``%25``, so that different parts never give one id.
    A row with a blank part is blank.
    """
    if len(columns) == 1:
        return columns[0]
    safe = [pc.replace_substring(pc.replace_substring(column, "%", "%25"), "/", "%2F") for column in columns]
    text = pc.binary_join_element_wise(*safe, "/")
    blank = pc.equal(columns[0], "")
    for column in columns[1:]:
        blank = pc.or_(blank, pc.equal(column, ""))
    return pc.if_else(blank, "", text)


def distinct_sorted(values: IntArray) -> IntArray:
    """Return the distinct values in rising order; for many distinct ones several times faster than ``np.unique``."""
    ordered = np.sort(values)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def first_rows(codes: IntArray, size: int) -> IntArray:
    """Return (size,) first row that holds each code; -1 for a code that no row holds. Negative codes are ignored."""
    first = np.full(size, -1, dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)[::-1]
    first[codes[rows]] = rows
    return first


def repeated_rows(codes: IntArray) -> IntArray:
    """Return the rows whose code an earlier row holds already; negative codes are ignored."""
    known = np.flatnonzero(codes >= 0)
    if len(distinct_sorted(codes[known])) == len(known):  # nearly always, and much faster to see than which repeat
        return known[:0]
    _, first = np.unique(codes[known], return_index=True)
    repeated = np.ones(len(known), dtype=bool)
    repeated[first] = False
    return known[repeated]


def paired(first: AnyIntArray, second: AnyIntArray, size: int) -> IntArray:
    """Return (n,) one code for each pair of codes, the second below ``size``; -1 where either is negative."""
    return np.where((first >= 0) & (second >= 0), np.multiply(first, max(size, 1), dtype=np.int64) + second, -1)


def of_codes(values: IntArray, codes: AnyIntArray) -> IntArray:
    """Return (n,) the value at each code; -1 where the code is negative."""
    return np.where(codes >= 0, values[np.maximum(codes, 0)], -1) if len(values) else np.full(len(codes), -1)


def uncoded(texts: pa.Array, codes: IntArray) -> list[str]:
    """Return the distinct texts without a code, but for the blank one, in order of appearance."""
    return [text for text in texts.filter(pa.array(codes < 0)).unique().to_pylist() if text]


def lookup(mapping: Mapping[str, str], texts: Iterable[str]) -> tuple[str, ...]:
    """Return the mapped value of each text."""
    return tuple(mapping[text] for text in texts)


def other_spelling(unknown: Sequence[str], known: Sequence[str]) -> str:
    """Return what to do about ids that would be known without a decimal point or leading zeros; empty if none would."""
    plain = {_plain(text) for text in known}
    first = next((text for text in unknown if _plain(text) in plain), None)
    if first is None:
        return ""
    same = next(text for text in known if _plain(text) == _plain(first))
    return (
        f"'{first}' and '{same}' look like one number: a table program has read ids as numbers. Write them as text "
        "(pandas: dtype=str, or .astype(int).astype(str))."
    )


def _plain(text: str) -> str:
    return re.sub(r"\.0+$", "", text).lstrip("0") or "0"
