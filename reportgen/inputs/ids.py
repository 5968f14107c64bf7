"""Ids: natural order, slugs, and integer codes.

Ids in a run are text exactly as in the files (``"007"`` is not ``"7"``). Their canonical order is the natural one,
in which ``"f2"`` comes before ``"f10"``, so that the order of rows in a file changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from reportgen.domain.run import IntArray

_DIGITS = re.compile(r"([0-9]+)")
_SLUG = re.compile(r"[A-Za-z0-9._=/-]+")
_NOT_SLUG = re.compile(r"[^A-Za-z0-9._=/-]+")


def natural_key(text: str) -> tuple[Any, ...]:
    """Sort key: runs of digits compare as numbers, the rest as text; equal numbers (``07``, ``7``) by the text."""
    parts: list[Any] = _DIGITS.split(text)
    # A number is compared by its length and digits, because int() refuses texts of more than 4,300 digits.
    parts[1::2] = [(len(digits.lstrip("0")), digits.lstrip("0")) for digits in parts[1::2]]
    return (tuple(parts), text)


def natural_sorted(texts: Iterable[str]) -> tuple[str, ...]:
    """The texts in natural order."""
    return tuple(sorted(texts, key=natural_key))


def slugs(texts: Sequence[str]) -> dict[str, str]:
    """A unique id of the form ``[A-Za-z0-9._=/-]+`` for each text; a text of that form keeps itself.

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


class Vocabulary:
    """A fixed, ordered set of ids and the integer code of each."""

    __slots__ = ("_array", "ids")

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = tuple(ids)
        self._array = pa.array(self.ids, pa.string())

    @classmethod
    def of(cls, *columns: pa.Array) -> Vocabulary:
        """The distinct texts of some columns in natural order; the blank text is no id."""
        distinct: set[str] = set()
        for column in columns:
            distinct.update(pc.unique(column).to_pylist())
        return cls(natural_sorted(distinct - {""}))

    @classmethod
    def distinct(cls, column: pa.Array) -> Vocabulary:
        """The distinct texts of a column in order of appearance: enough to tell them apart, and fast."""
        return cls([text for text in pc.unique(column).to_pylist() if text])

    def __len__(self) -> int:
        return len(self.ids)

    def codes(self, column: pa.Array) -> IntArray:
        """(n,) index of each text of a column; -1 for a text that is not in the vocabulary."""
        found = pc.fill_null(pc.index_in(column, value_set=self._array), -1)
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)


def joined(columns: Sequence[pa.Array]) -> pa.Array:
    """One id per row from several columns: the parts with a slash between them.

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


def first_rows(codes: IntArray, size: int) -> IntArray:
    """(size,) first row that holds each code; -1 for a code that no row holds. Negative codes are ignored."""
    first = np.full(size, -1, dtype=np.int64)
    rows = np.flatnonzero(codes >= 0)[::-1]
    first[codes[rows]] = rows
    return first


def repeated_rows(codes: IntArray) -> IntArray:
    """The rows whose code an earlier row holds already; negative codes are ignored."""
    known = np.flatnonzero(codes >= 0)
    _, first = np.unique(codes[known], return_index=True)
    repeated = np.ones(len(known), dtype=bool)
    repeated[first] = False
    return known[repeated]


def lookup(mapping: Mapping[str, str], texts: Iterable[str]) -> tuple[str, ...]:
    """The mapped value of each text."""
    return tuple(mapping[text] for text in texts)
