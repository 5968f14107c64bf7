"""What a column holds: the content tests that recognition and reading share."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from reportgen.inputs.names import LIST_SEPARATOR
from reportgen.inputs.table import InputTable, TableCells, is_list, is_text

MOST_LABELS = 500
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_BINARY = frozenset({"0", "1", "0.0", "1.0", "true", "false", "True", "False", "TRUE", "FALSE"})
_ROUNDING = 0.02
"""How far from 1 two probabilities may add up to, as they are printed."""
PROBABLE = frozenset(["prob", "probs", "probability", "proba", "p", "confidence", "score", "risk"])
"""Words in the names of columns that hold probabilities."""
TRUTH = (
    "true truth gold gt target actual outcome label class answer diagnosis response event relevant evidence positive"
)
"""Words in the names of columns that hold the truth, the surest first."""


@dataclass(frozen=True, slots=True)
class Content:
    """What one column holds."""

    rows: int
    distinct: int
    texts: frozenset[str]
    """The distinct values, where there are at most as many as there may be labels."""
    share: bool
    """Numbers from 0 to 1, none of them blank, more than two of them different."""
    number: bool = False
    """Numbers, none of them blank."""
    numeric: bool = False
    """Numbers in at least half of its rows, percent signs aside, whatever is in the others."""
    lists: bool = False
    """Lists, or texts with a vertical bar in them."""

    @property
    def binary(self) -> bool:
        """Tell whether it holds 0 and 1 only, or the words for them."""
        return self.distinct == 2 and self.texts <= _BINARY

    @property
    def classes(self) -> tuple[str, ...]:
        """Return the classes that it names, were it the truth; empty where it is 0 and 1, or has too many values."""
        if self.texts <= _BINARY or not 2 <= self.distinct <= MOST_LABELS:
            return ()
        return tuple(sorted(self.texts))

    @property
    def repeats(self) -> bool:
        """Tell whether it has several values, some of them more than once."""
        return 1 < self.distinct < self.rows


def content_of(table: InputTable, own: str) -> Content:
    """Return what a column of a table holds."""
    cells = table.cells(own)
    array = cells.array()
    if is_list(array.type):
        return Content(table.rows, 0, frozenset(), share=False, lists=True)
    texts = pc.unique(cells.texts())
    few = len(texts) <= MOST_LABELS
    read = cells.numbers()
    number = bool(np.all(np.isfinite(read.values)))
    return Content(
        rows=table.rows,
        distinct=len(texts),
        texts=frozenset(texts.to_pylist()) if few else frozenset(),
        share=number and bool(np.all((read.values >= 0) & (read.values <= 1))) and len(np.unique(read.values)) > 2,
        number=number,
        numeric=number or _mostly_numbers(cells),
        lists=is_text(array.type) and bool(pc.any(pc.match_substring(texts, LIST_SEPARATOR)).as_py()),
    )


def _mostly_numbers(cells: TableCells) -> bool:
    read = cells.numbers()
    if np.isfinite(read.values).mean() < 0.5 and is_text(cells.array().type):
        read = cells.with_texts(pc.utf8_rtrim(cells.texts(), characters="% ")).numbers()
    return bool(np.isfinite(read.values).mean() >= 0.5)


def add_up(one: TableCells, other: TableCells) -> bool:
    """Tell whether two columns add up to 1 in each row, but for rounding, as the probabilities of two classes do."""
    return bool(np.all(np.abs(one.numbers().values + other.numbers().values - 1) < _ROUNDING))


def words_of(own: str) -> tuple[str, ...]:
    """Return the words in a column's name, in lower case: ``patient``, ``id`` for ``PatientID``."""
    return tuple(word.lower() for word in _WORD.findall(own))
