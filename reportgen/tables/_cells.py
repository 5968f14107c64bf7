"""Cells that show results, and the notes they need.

A cell shows exactly the record's display strings, and carries the machine value, the bounds, the standard deviation
and the result's id.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from string import ascii_lowercase

from reportgen.domain.presentation import Cell, CellStatus, Column, Note, Text, plain
from reportgen.domain.record import REASONS, Comparison, Estimate, Results, SystemRecord, comparison_id
from reportgen.numbers import NOT_APPLICABLE, NOT_NEGATIVE, UNDEFINED, count, fixed, share, within
from reportgen.wording.comparisons import size_alone
from reportgen.wording.heads import subset_head
from reportgen.wording.text import as_printed
from reportgen.wording.values import about_interval

SUFFIXES = ("lower", "upper", "sd")
"""Machine columns that every estimate fills."""
DIFFERENCE_SUFFIXES = ("lower", "upper", "p", "p_adjusted")
"""Machine columns that a difference fills."""
SUBSET = Column("subset", "Subset", "subset", width=2.5, suffixes=("n", "n_clusters", "design_effect"))
"""The column of :func:`subset_cell`."""


class Notes:
    """Collects the notes of one table and gives each a letter, in order of first use."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._signs: dict[str, Note] = {}

    @classmethod
    def after(cls, notes: Iterable[Note]) -> Notes:
        """Return a collection that goes on from the footnotes of a table."""
        made = cls()
        made._keys = {plain(note.text): note.key for note in notes if note.key.isalpha()}
        return made

    def key(self, text: str) -> str:
        """Return the letter of a note; the same text keeps its letter."""
        return self._keys.setdefault(text, letter(len(self._keys)))

    def sign(self, sign: str, text: str, word: str) -> str:
        """Give a note a sign of its own, such as ``*``, and return it; the last text given for it stands.

        ``word`` is what a screen reader says of the sign.
        """
        self._signs[sign] = Note(sign, text, word)
        return sign

    def absent(self, why: str, results: tuple[str, ...] = (), status: CellStatus = "undefined") -> Cell:
        """Return the cell of a number that does not exist, with a note that says why."""
        sign = NOT_APPLICABLE if status == "not_applicable" else UNDEFINED
        return Cell(sign, status=status, notes=(self.key(f"{sign}: {why}."),), results=results)

    def all(self, *general: Text) -> tuple[Note, ...]:
        """Return the lettered notes, those with a sign, then those about the whole table; empty ones vanish."""
        lettered = [Note(key, text) for text, key in self._keys.items()]
        return (*lettered, *self._signs.values(), *(Note("", text) for text in general if text))


def estimate_cell(estimate: Estimate | None, notes: Notes, *, aggregation: str = "", detail: bool = True) -> Cell:
    """Return a record as a cell, with the letters of its notes: why it has no value, what is unusual about it.

    None is a value that was not computed. ``detail`` says whether the interval is printed, with what is to be known of
    it. ``aggregation`` is the one that the table announces; a record of another one says so.
    """
    if estimate is None:
        return notes.absent("not computed", status="missing")
    texts = [note for note in estimate.notes if detail or not about_interval(note)]
    if estimate.reason is not None:
        texts.append(f"{estimate.display.value}: {REASONS[estimate.reason]}.")
    if estimate.provenance == "supplied":
        texts.append("Supplied with the run, not computed here.")
    if estimate.value is not None and aggregation and estimate.aggregation != aggregation:
        texts.append("Pooled over folds." if estimate.aggregation == "pooled" else "Unweighted mean over folds.")
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
        notes=tuple(dict.fromkeys(map(notes.key, texts))),
        status=_status(estimate.value, absent=estimate.status == "not_applicable"),
    )


def difference_cell(comparison: Comparison, notes: Notes) -> Cell:
    """Return the difference of a comparison with its interval."""
    texts = list(comparison.notes)
    if comparison.reason is not None:
        texts.append(f"{comparison.display.difference}: {REASONS[comparison.reason]}.")
    interval = comparison.intervals[0] if comparison.intervals else None
    test = comparison.tests[0] if comparison.tests else None
    return Cell(
        comparison.display.difference,
        detail=comparison.display.interval,
        value=comparison.difference,
        extra=(
            ("lower", interval.lower if interval else None),
            ("upper", interval.upper if interval else None),
            ("p", test.p if test else None),
            ("p_adjusted", test.p_adjusted if test else None),
        ),
        results=(comparison.id,),
        notes=tuple(dict.fromkeys(map(notes.key, texts))),
        status=_status(comparison.difference, absent=comparison.verdict == "not_applicable"),
    )


def between(results: Results, a: Estimate, b: Estimate) -> Comparison:
    """Return what the results say of the difference of two values; its size alone where they do not compare them."""
    recorded = results.comparison_by_id.get(comparison_id(a.metric, a.system, b.system, a.subset, a.aggregation))
    return recorded or size_alone(results, a, b)


def difference_of(results: Results, a: Estimate | None, b: Estimate | None, notes: Notes) -> Cell:
    """Return the difference of two values; where the results do not compare them it is derived, and no result."""
    if a is None or b is None:
        return notes.absent("not compared", status="missing")
    found = between(results, a, b)
    cell = difference_cell(found, notes)
    return cell if found.id in results.comparison_by_id else replace(cell, results=())


def sd_cell(estimate: Estimate, over: str, n: int, notes: Notes) -> Cell:
    """Return the standard deviation over ``n`` folds or seeds; a note says over how many of them, or why none."""
    spread = next((spread for spread in estimate.sd if spread.over == over), None)
    if spread is None:
        return notes.absent(f"fewer than two {over}s have a value", (estimate.id,))
    keys = (notes.key(f"Over {spread.n} of {n} {over}s."),) if spread.n != n else ()
    text = within(spread.value, estimate.display.decimals, NOT_NEGATIVE)
    return Cell(text, value=spread.value, results=(estimate.id,), notes=keys)


def subset_cell(results: Results, subset: str, estimate: Estimate | None) -> Cell:
    """Return a subset with what a value rests on: ``Queries with evidence (n = 1,379 in 246 pages)``.

    The sizes and the value's own design effect are machine values.
    """
    record, units = results.subset_by_id[subset], results.units
    own = units.cluster != units.of(record.population) and estimate is not None and estimate.value is not None
    effect = estimate.n.design_effect if own and estimate is not None else None
    return Cell(
        subset_head(results, subset),
        extra=(("n", record.n_queries), ("n_clusters", record.n_clusters), ("design_effect", effect)),
        results=() if effect is None or estimate is None else (estimate.id,),
    )


def number_cell(value: float, decimals: int, results: tuple[str, ...] = ()) -> Cell:
    """Return a number with so many decimals."""
    return Cell(fixed(value, decimals), value=value, results=results)


def count_cell(n: int) -> Cell:
    """Return a count with thousands separators."""
    return Cell(count(n), value=n)


def percent_cell(part: float) -> Cell:
    """Return a share for a column of per cent."""
    return Cell(share(part, 1), value=100 * part)


def part_cell(results: Results, record: Estimate, value: float) -> Cell:
    """Return the value of a fold, a training or a quartile of queries, printed as the record's own is."""
    return Cell(as_printed(results, record, value), value=value, results=(record.id,))


def parameter_cell(system: SystemRecord, name: str, notes: Notes) -> Cell:
    """Return a parameter of a system, as run.toml states it."""
    if name not in system.params:
        return notes.absent("the system has no such parameter", status="not_applicable")
    value = system.params[name]
    return Cell(str(value), value=value if isinstance(value, int | float | str) else str(value))


def _status(value: float | None, *, absent: bool) -> CellStatus:
    if value is not None:
        return "ok"
    return "not_applicable" if absent else "undefined"


def letter(at: int) -> str:
    """Return ``a`` … ``z``, ``aa`` …: spreadsheet-like, so that any number of notes has short keys."""
    letters = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, len(ascii_lowercase))
        letters = ascii_lowercase[rest] + letters
    return letters
