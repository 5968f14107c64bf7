"""Cells that show results, and the notes they need.

A cell shows exactly the record's display strings, and carries the machine value, the bounds, the standard deviation
and the result's id.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import Literal

from reportgen.domain.presentation import Cell, Column, Note, Text
from reportgen.domain.record import REASONS, Estimate, Results
from reportgen.numbers import UNDEFINED, count
from reportgen.wording.heads import subset_head

SUFFIXES = ("lower", "upper", "sd")
"""Machine columns that every estimate fills."""

SUBSET = Column("subset", "Subset", "subset", width=2.5, suffixes=("n", "n_clusters", "design_effect"))
"""The column of :func:`subset_cell`."""

Mark = Literal["", "best", "second"]


class Notes:
    """Collects the notes of one table and gives each a letter, in order of first use."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._signs: dict[str, str] = {}

    def key(self, text: str) -> str:
        """The letter of a note; the same text keeps its letter."""
        return self._keys.setdefault(text, _letter(len(self._keys)))

    def sign(self, sign: str, text: str) -> str:
        """A sign of its own for a note, such as ``*``; the last text given for it stands."""
        self._signs[sign] = text
        return sign

    def keys(self, estimate: Estimate, *, aggregation: str = "") -> tuple[str, ...]:
        """The letters of all notes a record needs: why it has no value, what is unusual about it.

        ``aggregation`` is the aggregation the table announces; a record of another one says so.
        """
        texts = list(estimate.notes)
        if estimate.reason is not None:
            texts.append(f"{estimate.display.value}: {REASONS[estimate.reason]}.")
        if estimate.provenance == "supplied":
            texts.append("Supplied with the run, not computed here.")
        if estimate.value is not None and aggregation and estimate.aggregation != aggregation:
            texts.append("Pooled over folds." if estimate.aggregation == "pooled" else "Unweighted mean over folds.")
        return tuple(dict.fromkeys(self.key(text) for text in texts))

    def all(self, *general: Text) -> tuple[Note, ...]:
        """The lettered notes, those with a sign, then those about the whole table; empty ones vanish."""
        lettered = [Note(key, text) for text, key in self._keys.items()]
        signed = [Note(sign, text) for sign, text in self._signs.items()]
        return (*lettered, *signed, *(Note("", text) for text in general if text))


def estimate_cell(
    estimate: Estimate | None, notes: Notes, *, aggregation: str = "", mark: Mark = "", detail: bool = True
) -> Cell:  # fmt: skip
    """A record as a cell; ``detail`` says whether the interval is printed. None is a value that was not computed."""
    if estimate is None:
        return Cell(UNDEFINED, status="missing", notes=(notes.key(f"{UNDEFINED}: not computed."),))
    status: Literal["ok", "undefined", "not_applicable"] = "ok"
    if estimate.value is None:
        status = "not_applicable" if estimate.status == "not_applicable" else "undefined"
    interval = estimate.intervals[0] if estimate.intervals else None
    return Cell(
        estimate.display.value,
        detail=estimate.display.interval if detail else "",
        value=estimate.value,
        extra=(
            ("lower", interval.lower if interval else None),
            ("upper", interval.upper if interval else None),
            # Over folds, as the SD that is printed: the one over queries or seeds is another number.
            ("sd", next((spread.value for spread in estimate.sd if spread.over == "fold"), None)),
        ),
        results=(estimate.id,),
        mark=mark if estimate.value is not None else "",
        notes=notes.keys(estimate, aggregation=aggregation),
        status=status,
    )


def sd_cell(estimate: Estimate, n_folds: int, notes: Notes) -> Cell:
    """The standard deviation over folds; a note says over how many, where not over all, or why there is none."""
    spread = next((spread for spread in estimate.sd if spread.over == "fold"), None)
    if spread is None or not estimate.display.sd:
        note = notes.key(f"{UNDEFINED}: fewer than two fold values.")
        return Cell(UNDEFINED, status="undefined", notes=(note,), results=(estimate.id,))
    keys = (notes.key(f"Over {spread.n} of {n_folds} folds."),) if spread.n != n_folds else ()
    return Cell(estimate.display.sd, value=spread.value, results=(estimate.id,), notes=keys)


def subset_cell(results: Results, subset: str, estimate: Estimate | None) -> Cell:
    """A subset with what a value on it rests on: ``Queries with evidence (n = 1,379; 246 pages; design effect 1.2)``.

    The sizes and the design effect are machine values, too. Only the value's own design effect stands here.
    """
    record, units = results.subset_by_id[subset], results.units
    own = units.cluster != units.query and estimate is not None and estimate.value is not None
    effect = estimate.n.design_effect if own and estimate is not None else None
    return Cell(
        subset_head(results, subset, (estimate,)),
        extra=(("n", record.n_queries), ("n_clusters", record.n_clusters), ("design_effect", effect)),
        results=() if effect is None or estimate is None else (estimate.id,),
    )


def count_cell(n: int) -> Cell:
    """A count with thousands separators."""
    return Cell(count(n), value=n)


def _letter(at: int) -> str:
    """``a`` … ``z``, ``aa`` …: spreadsheet-like, so that any number of notes has short keys."""
    letters = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, len(ascii_lowercase))
        letters = ascii_lowercase[rest] + letters
    return letters
