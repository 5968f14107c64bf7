"""How a table fits a printed line: type size, which columns wrap, whether intervals go below their values.

Widths are estimated from the characters, as LaTeX is not at hand when the source is written. The estimate is on the
wide side, so that a table that is said to fit does fit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from reportgen.domain.presentation import Column, Spanner, Table, plain
from reportgen.render.latex_columns import MeasuredColumn
from reportgen.render.latex_measures import WORD, head_lines, longest_piece, pieces, text_width, wrap
from reportgen.render.table_text import head_text

Environment: TypeAlias = Literal["table", "table*", "longtable", "sidewaystable", "sidewaystable*"]

LINE_WIDTH = 345.0
"""Points: the line of LaTeX's article class at 10 pt, narrower than that of most journals."""
SIDEWAYS_WIDTH = 540.0
"""Points: the same page turned."""
COLUMN_WIDTH = 200.0
"""Points: one column of LaTeX's article class with two, narrower than that of most journals."""
TWO_COLUMN_WIDTH = 410.0
"""Points: both columns of it, with the space between."""
PAGE_HEIGHT = 520.0
"""Points: the height of the text of LaTeX's article class at 10 pt."""

_DETAIL_GAP = 5.0  # points: \enspace, which has room for one note mark
_HEAD = 8  # characters: heads over numbers are not wrapped below this
# A type size is wider for its height the smaller it is: a digit of Computer Modern takes 0.50 em at 10 pt, 0.57 at 7.
POINTS = {"small": 9.3, "footnotesize": 8.6, "scriptsize": 8.1}
"""Width of a type size in LaTeX's classes at 10 pt, as points of a size with the proportions of 10 pt."""
_BASELINES = {"small": 11.0, "footnotesize": 9.5, "scriptsize": 8.0}
_CAPTION_BASELINE = 12.0
_GROUP_GAP = 5.0  # points: \addlinespace
_WRAPPED_GAP = 3.0  # points: between rows where cells wrap, at most
_RULES = 24.0  # points: three rules with their spaces, and those of caption and notes
_SMALLER = {"small": "footnotesize", "footnotesize": "scriptsize", "scriptsize": "scriptsize"}


class _Step(NamedTuple):
    size: str
    stacked: bool
    gap: float  # points: \tabcolsep


_STEPS: tuple[_Step, ...] = (_Step("small", False, 6.0), _Step("small", False, 4.0), _Step("footnotesize", False, 4.0))
# One column of intervals gains little by stacking, and beside wrapped text a second line would hang far below.
_STACKED_STEPS: tuple[_Step, ...] = (
    _Step("small", True, 4.0),
    _Step("footnotesize", True, 4.0),
    _Step("scriptsize", True, 3.0),
)
_FLAT_STEPS: tuple[_Step, ...] = (_Step("footnotesize", False, 3.0), _Step("scriptsize", False, 3.0))
_STACKING = 2
_TALLEST_AT_LAST = 1_000
_TALLEST = 6
"""Lines to which a cell may wrap before smaller type is tried."""


class _Attempt(NamedTuple):
    """What a step leads to: characters at which heads wrap, points of columns, and which of them wrap, by index."""

    step: _Step
    heads: Sequence[int]
    spanners: tuple[int, ...]
    widths: Sequence[float]
    wrapping: Sequence[int]
    width: float
    fits: bool


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column of a layout."""

    share: float
    """Share of the line for a column that wraps, else 0."""
    head: int
    """Characters at which the head wraps."""
    decimals: int
    """Most decimals of any number in the column; fewer are filled up so that the points stand in line."""
    detail: bool
    """True if the column's details stand in a LaTeX column of their own."""
    gap: float
    """Points between a value and its detail beside it where its note marks need more than ``\\enspace``, else 0."""
    stacked: bool
    """True if the column's details stand on a second line below their values."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A table's type size (LaTeX size command without backslash), gaps and columns."""

    size: str
    detail_size: str
    gap: float
    """Points on each side of a column (``\\tabcolsep``)."""
    columns: tuple[ColumnLayout, ...]
    spanners: tuple[int, ...]
    """Characters at which the head of each spanner wraps."""
    width: float
    """Estimated width of the table in points."""
    fits: bool
    rows: tuple[float, ...]
    """Estimated height of each row in points."""
    group_head: float
    """Height of a group's head, the tallest one, with the space before it, in points."""
    around: float
    """Estimated height of all but the rows: caption, heads, rules, notes; in points."""
    notes: float
    """The part of it that notes about the whole table take, which stand under its last part alone."""

    @property
    def n_columns(self) -> int:
        """LaTeX columns, those of details counted."""
        return sum(1 + column.detail for column in self.columns)

    @property
    def stacked(self) -> bool:
        """True if any column's details stand below their values."""
        return any(column.stacked for column in self.columns)


def height(table: Table, plan: Layout) -> float:
    """Estimated height in points of a table under a layout, with its caption and notes."""
    return plan.around + sum(plan.rows) + plan.group_head * len(table.groups)


def layout(table: Table, line: float = LINE_WIDTH, largest: str = "small") -> Layout:
    """The largest type at which a table fits a line of so many points; the smallest if it fits at none.

    Args:
        table: Any table.
        line: Points that it may be wide.
        largest: The type size not to go beyond, that of the other parts of a table in parts.
    """
    rows = table.rows
    columns = [MeasuredColumn(column, [row.cells[at] for row in rows]) for at, column in enumerate(table.columns)]
    return _layout_of(table, columns, line, _chosen(table, columns, line, largest))


def _chosen(table: Table, columns: Sequence[MeasuredColumn], line: float, largest: str) -> _Attempt:
    details = sum(column.has_detail for column in columns)
    steps = _STEPS + (_STACKED_STEPS if details >= _STACKING else _FLAT_STEPS)
    if table.stacked:
        steps = (_Step("small", True, 6.0), *_STACKED_STEPS)
    else:
        # A little smaller rather than names of systems on two lines, or on three.
        for tallest in (1, 2):
            for step in _down_from(largest, (*_STEPS, _FLAT_STEPS[0])):
                attempt = _attempt(table, columns, line, step, tallest=tallest)
                if attempt.fits:
                    return attempt
    for step in _down_from(largest, steps):
        attempt = _attempt(table, columns, line, step, tallest=_TALLEST)
        if attempt.fits:
            return attempt
    # At last the words of heads are broken, no shorter than need be.
    shortest = _attempt(table, columns, line, steps[-1], tallest=_TALLEST_AT_LAST, word=_HEAD)
    longer = range(WORD, _HEAD, -1) if shortest.fits else ()
    attempts = (_attempt(table, columns, line, steps[-1], tallest=_TALLEST_AT_LAST, word=word) for word in longer)
    return next((attempt for attempt in attempts if attempt.fits), shortest)


def smallest(plans: Iterable[Layout]) -> str:
    """The smallest type size of some layouts."""
    return min((plan.size for plan in plans), key=POINTS.__getitem__)


def _down_from(largest: str, steps: Sequence[_Step]) -> list[_Step]:
    return [step for step in steps if POINTS[step.size] <= POINTS[largest]]


def suggested_environment(table: Table, *, two_column: bool = False) -> Environment:
    """The environment a table needs: over a page ``longtable``, too wide ``sidewaystable``, in parts if need be.

    In two-column classes longtable does not work: a table there is one column wide, or two, or turned, and one that
    is longer than a page comes in parts.
    """
    if two_column:
        if layout(table, COLUMN_WIDTH).fits:
            return "table"
        return "table*" if layout(table, TWO_COLUMN_WIDTH).fits else "sidewaystable*"
    plan = layout(table)
    if not plan.fits:
        return "sidewaystable"
    return "longtable" if height(table, plan) > PAGE_HEIGHT else "table"


def _attempt(
    table: Table, columns: Sequence[MeasuredColumn], line: float, step: _Step, *, tallest: int, word: int = WORD
) -> _Attempt:
    points = POINTS[step.size]
    heads = [_head_characters(column, step, word) for column in columns]
    naturals = [_natural(column, step, head) for column, head in zip(columns, heads, strict=True)]
    spanners = tuple(_spanned(table, spanner, naturals, step) for spanner in table.spanners)
    gaps = 2 * step.gap * (len(naturals) - 1)
    widths, fits = list(naturals), sum(naturals) + gaps <= line
    wrapping: list[int] = []
    if not fits:
        least = {at: column.piece * points + 1 for at, column in enumerate(columns) if column.of_words}
        wrapping = [at for at, low in least.items() if naturals[at] > low + points]
        room = line - gaps - sum(width for at, width in enumerate(naturals) if at not in wrapping)
        given, fits = _shared([naturals[at] for at in wrapping], [least[at] for at in wrapping], room, tallest)
        for at, width in zip(wrapping, given, strict=True):
            widths[at] = width
    return _Attempt(step, heads, spanners, widths, wrapping, sum(widths) + gaps, fits)


def _layout_of(table: Table, columns: Sequence[MeasuredColumn], line: float, chosen: _Attempt) -> Layout:
    step, widths = chosen.step, chosen.widths
    plans = [
        ColumnLayout(
            share=math.floor(1000 * widths[at] / line) / 1000 if at in chosen.wrapping else 0.0,
            head=chosen.heads[at],
            decimals=column.decimals,
            detail=column.has_detail and not step.stacked,
            gap=column.marks_gap,
            stacked=column.has_detail and step.stacked,
        )
        for at, column in enumerate(columns)
    ]
    notes, width = _notes(table, step, line, keyed=False), min(line, chosen.width)
    return Layout(
        size=step.size,
        detail_size=_SMALLER[step.size],
        gap=step.gap,
        columns=tuple(plans),
        spanners=chosen.spanners,
        width=width,
        fits=chosen.fits,
        rows=_row_heights(table, [(columns[at], widths[at]) for at in chosen.wrapping], step),
        group_head=_group_lines(table, step.size, width) * _BASELINES[step.size] + _GROUP_GAP,
        around=_around(table, plans, chosen.spanners, step, line) + notes,
        notes=notes,
    )


def group_box(head: str, size: str, width: float) -> float:
    """Points of the lines to which the head of a group wraps in a table of this width; 0 where it need not.

    As wide as the table, which a longer head would widen; wider only where a piece of a word is.
    """
    points = POINTS[size]
    if text_width(head) * points <= width:
        return 0.0
    return max(width, max(text_width(piece) for piece in pieces(head)) * points + 1)


def _group_lines(table: Table, size: str, width: float) -> int:
    """The most lines of a group's head."""
    heads = [plain(group.head) for group in table.groups]
    boxes = [(head, group_box(head, size, width)) for head in dict.fromkeys(heads)]
    return max((math.ceil(1.15 * text_width(head) * POINTS[size] / box) for head, box in boxes if box), default=1)


def _spanned(table: Table, spanner: Spanner, naturals: list[float], step: _Step) -> int:
    """The characters at which a spanner's head wraps so that it fits its columns.

    Where its longest word is wider than they are, the last of them is widened in ``naturals``, as LaTeX does it.
    """
    keys = [column.key for column in table.columns]
    covered = [keys.index(key) for key in spanner.columns]
    room = sum(naturals[at] for at in covered) + 2 * step.gap * (len(covered) - 1)
    text = plain(spanner.head)
    fewest = longest_piece(text)
    for characters in range(max(len(text), fewest), fewest - 1, -1):
        width = max((text_width(part) for part in wrap(text, characters)), default=0.0) * POINTS[step.size]
        if width <= room:
            return characters
    naturals[covered[-1]] += width - room
    return fewest


def _natural(column: MeasuredColumn, step: _Step, characters: int) -> float:
    """Points a column takes with its cells on one line, the numbers of a column filled up to its most decimals."""
    points = POINTS[step.size]
    if column.of_words:
        return column.words * points
    text = (column.numbers if step.stacked else column.aligned_numbers) * points
    lines = head_lines(plain(column.column.head), column.column.unit, characters)
    head = max((text_width(part) for part in lines), default=0.0)
    detail = column.detail * POINTS[_SMALLER[step.size]]
    body = (
        max(text, detail) if step.stacked else text + (detail + max(_DETAIL_GAP, column.marks_gap) if detail else 0.0)
    )
    return max(body, head * points) + 1


def _shared(naturals: list[float], least: list[float], room: float, tallest: int) -> tuple[list[float], bool]:
    """Room shared among columns that wrap, so that their longest texts come out equally tall; False if too little."""
    if sum(least) > room or not naturals:
        return least, False
    for lines in range(1, tallest + 1):
        # Ragged lines are not full: a text of n lines needs more than an n-th of its length.
        slack = 1.0 if lines == 1 else 1.15
        given = [max(low, slack * natural / lines) for natural, low in zip(naturals, least, strict=True)]
        if sum(given) <= room:
            spare = (room - sum(given)) / sum(given)
            return [width * (1 + spare) for width in given], True
    return least, False


def _head_characters(column: MeasuredColumn, step: _Step, longest: int) -> int:
    """Characters per line of a head over numbers: as wide as its cells, and as its longest piece."""
    words = longest_piece(plain(column.column.head), longest)
    return max(words, column.stacked_characters if step.stacked else column.characters, _HEAD)


def _row_heights(table: Table, wrapping: Sequence[tuple[MeasuredColumn, float]], step: _Step) -> tuple[float, ...]:
    """The height of each row, by the columns that wrap with the points each is given."""
    found = []
    for number, row in enumerate(table.rows):
        tallest = 2.2 if step.stacked and any(cell.detail for cell in row.cells) else 1.0
        for column, width in wrapping:
            text = column.text_widths[number] * POINTS[step.size]
            tallest = max(tallest, math.ceil(1.1 * text / width))
        found.append(tallest * _BASELINES[step.size] + (_WRAPPED_GAP if wrapping or step.stacked else 0.0))
    return tuple(found)


def _around(table: Table, plans: Sequence[ColumnLayout], spanners: Sequence[int], step: _Step, line: float) -> float:
    """The height of caption, heads, rules and the notes that cells refer to."""
    caption = math.ceil(1.1 * text_width(plain(table.caption)) * 10 / line)
    notes = _notes(table, step, line, keyed=True)
    heads = max(_head_height(column, plan, step, line) for column, plan in zip(table.columns, plans, strict=True))
    over = max((len(wrap(plain(s.head), n)) + 1 for s, n in zip(table.spanners, spanners, strict=True)), default=0)
    return caption * _CAPTION_BASELINE + (heads + over) * _BASELINES[step.size] + notes + _RULES


def _notes(table: Table, step: _Step, line: float, *, keyed: bool) -> float:
    """The height of the notes that cells refer to, or of those about the whole table."""
    small = _SMALLER[step.size]
    texts = [plain(note.text) for note in table.notes if bool(note.key) is keyed]
    return sum(math.ceil(1.1 * text_width(text) * POINTS[small] / line) for text in texts) * _BASELINES[small]


def _head_height(column: Column, plan: ColumnLayout, step: _Step, line: float) -> int:
    """Lines of a column's head."""
    if plan.share:
        return math.ceil(1.1 * text_width(head_text(column)) * POINTS[step.size] / (plan.share * line))
    return len(head_lines(plain(column.head), column.unit, plan.head))
