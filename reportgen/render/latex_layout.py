"""The layout of a table in the text area of a document class: its environment, type size and columns.

Widths and heights are estimated from the characters, as LaTeX is not at hand when the source is written. The estimate
is on the wide side, so that a table that is said to fit does fit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import east_asian_width

from reportgen.domain.directions import bare, isolated
from reportgen.domain.presentation import Cell, Column, Spanner, Table, plain
from reportgen.render.escape import settable
from reportgen.render.table_text import TEXT_ROLES, decimals, head_text

Environment: TypeAlias = Literal["table", "table*", "longtable", "sidewaystable", "sidewaystable*"]


class TypeSize(NamedTuple):
    """A type size in points: its width, as that of a size with the proportions of 10 pt, and its line spacing.

    A type size is wider for its height the smaller it is: a digit of Computer Modern takes 0.50 em at 10 pt, 0.57 at 7.
    """

    points: float
    baseline: float


_7, _8, _9 = TypeSize(8.1, 8.0), TypeSize(8.6, 9.5), TypeSize(9.3, 11.0)
_10, _11, _12 = TypeSize(10.0, 12.0), TypeSize(10.95, 13.6), TypeSize(12.0, 14.5)
_TYPES: Mapping[int, Mapping[str, TypeSize]] = {
    10: {"normalsize": _10, "small": _9, "footnotesize": _8, "scriptsize": _7},
    11: {"normalsize": _11, "small": _10, "footnotesize": _9, "scriptsize": _8},
    12: {"normalsize": _12, "small": _11, "footnotesize": _10, "scriptsize": _8},
}
"""The sizes of LaTeX's classes, by the size of their text (size10.clo, size11.clo, size12.clo)."""
_SMALLER = {"small": "footnotesize", "footnotesize": "scriptsize", "scriptsize": "scriptsize"}
SIZES = tuple(_SMALLER)
"""Type sizes of tables, as LaTeX commands without their backslash; the largest first."""


@dataclass(frozen=True, slots=True)
class TextArea:
    """The room that a document class gives to text, in points."""

    columns: int
    """One or two."""
    column: float
    """The width of one column."""
    line: float
    """The width of all columns with the space between them."""
    height: float
    size: int = 10
    """Of the running text: 10, 11 or 12."""

    @property
    def gap(self) -> float:
        """The space between two columns."""
        return self.line - 2 * self.column

    def room(self, environment: Environment) -> tuple[float, float]:
        """Return the width that a table has in an environment, and the height that its estimate may reach."""
        if environment.startswith("sideways"):
            return self.height, _SURE * self.line
        return self.column if self.columns == 2 and environment == "table" else self.line, _SURE * self.height


_SURE = 0.9
"""Share of the height of a page that estimates may reach: ragged lines in narrow columns take more than they say."""


class _Step(NamedTuple):
    """A way to set a table, tried when those before it lead to no table that fits."""

    size: str
    stacked: bool
    """Whether details stand below their values."""
    gap: float
    """Points on each side of a column (``\\tabcolsep``)."""


_STEPS = (_Step("small", False, 6.0), _Step("small", False, 4.0), _Step("footnotesize", False, 4.0))
# One column of intervals gains little by stacking, and beside wrapped text a second line would hang far below.
_STACKED_STEPS = (_Step("small", True, 4.0), _Step("footnotesize", True, 4.0), _Step("scriptsize", True, 3.0))
_FLAT_STEPS = (_Step("footnotesize", False, 3.0), _Step("scriptsize", False, 3.0))
_STACKING = 2
"""Columns with details from which stacking them is tried."""
_TALLEST_AT_LAST = 1_000
_TALLEST = 4
"""Lines to which a cell may wrap before smaller type is tried."""
_DETAIL_GAP = 5.0  # points: \enspace, which has room for one note mark
_HEAD = 8  # characters: heads over numbers are not wrapped below this
_GROUP_GAP = 5.0  # points: \addlinespace
_WRAPPED_GAP = 3.0  # points: between rows where cells wrap, at most
_RULES = 24.0  # points: three rules with their spaces, and those of caption and notes
_RAGGED = 1.5
"""What a ragged line leaves empty, in units of the type size: about half a word."""
_MARK = 3.0  # points: one character of note marks
_BOLD = 0.05
"""What a bold character takes more than one of the text, in units of the type size."""


# Texts: how wide they come out, and where their lines may end.

WORD = 14
"""Characters: a longer word may be broken."""
_UNIT = 14  # characters of a unit that stand on one line whatever the width of the column
_CODE_POINT_WIDTH = 6.0  # ``[U+1F389]`` in bold
_MARKS = frozenset("\u2068\u2069")
_NARROW = frozenset("ijlf.,:;'|!()[] ")
_MEDIUM = frozenset("rtI")
_WIDE = frozenset("mwMW@%#&+=<>→←↑↓≤≥±—\u2212")
_SPACES = re.compile(r"([^\S\u00a0\u2009\u202f]+)")
# Where a long word may be broken without a hyphen: before an arrow, after a separator, otherwise every few characters.
_PIECES = re.compile(r"\u00a0[\u2191\u2193]|[^_/.:\-\u00a0]+[_/.:\-]*|[_/.:\-\u00a0]+")
# A long table repeats its names in every row, and each width that is tried measures all of them again.
_REMEMBERED = 1 << 16


@lru_cache(maxsize=_REMEMBERED)
def text_width(text: str) -> float:
    """Return the estimated width of a text in units of the type size.

    A character that the fonts lack is as wide as its code point.
    """
    return sum(
        0.0
        if char in _MARKS
        else 0.32
        if char in _NARROW
        else 0.41
        if char in _MEDIUM
        else 0.82
        if char in _WIDE
        else _CODE_POINT_WIDTH
        if not settable(char)
        else 1.0
        if east_asian_width(char) in "WF"
        else 0.72
        if char.isupper()
        else 0.53
        for char in text
    )


def words(text: str) -> list[str]:
    """Return the words and the spaces between them; a space that does not break belongs to its word."""
    return _SPACES.split(text)


@lru_cache(maxsize=_REMEMBERED)
def pieces(text: str, longest: int = WORD) -> tuple[str, ...]:
    """Cut a text where a line may end: words and spaces, and parts of words of more than ``longest`` characters.

    Long words are cut after separators (``logreg_``), and what is still too long anywhere. Joined, the pieces are
    the text.
    """
    found: list[str] = []
    for word in words(text):
        # A character that is printed as its code point is a piece of its own, and so is one of Chinese.
        for run in _runs(word):
            parts = [run] if len(run) <= longest or run.isspace() else _PIECES.findall(run)
            found += [part[at : at + longest] for part in parts for at in range(0, len(part), longest)]
    return tuple(found)


def _runs(word: str) -> list[str]:
    """Cut a word before and after each character that the fonts lack, and each that is a word or part of it."""
    runs: list[str] = [""]
    for char in word:
        if not settable(char) or east_asian_width(char) in "WF":
            runs += [char, ""]
        else:
            runs[-1] += char
    return [run for run in runs if run] or [word]


def wrap(text: str, characters: int) -> list[str]:
    """Wrap a text to lines of at most so many characters, cut at spaces and separators, long words anywhere."""
    if (name := bare(text)) != text:
        return [isolated(line) for line in wrap(name, characters)]
    lines = [""]
    for piece in pieces(text, max(1, characters)):
        if len(lines[-1]) + len(piece.rstrip()) > characters and lines[-1]:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines if line.strip()]


def head_lines(text: str, unit: str, characters: int) -> list[str]:
    """Return the lines of a head over numbers: its unit on the same line where there is room, else below it."""
    joined = f"{text} ({unit})"
    if not unit or len(joined) <= characters:
        return wrap(joined if unit else text, characters)
    return [*wrap(text, characters), *wrap(f"({unit})", max(characters, _UNIT))]


def filling(text: str, most: int, mark: str = ".") -> str:
    """Return the decimals a number lacks against its column's most, as digits that are not printed."""
    own = decimals(text, mark)
    if own is None or own == most:
        return ""
    missing = "0" * (most - own)
    return missing if own else f"{mark}{missing}"


def _longest_piece(text: str, longest: int = WORD) -> int:
    """Count the characters of the longest piece of a text that is not cut further."""
    return max((len(piece.strip()) for piece in pieces(text, longest)), default=1)


# Columns, measured once however many layouts of their table are tried.


@dataclass(frozen=True, slots=True)
class MeasuredColumn:
    """The room that a column takes on a printed line; widths are in units of the type size."""

    column: Column
    of_words: bool
    """True if the column holds words, which may wrap; numbers do not."""
    texts: tuple[float, ...]
    """The width of each cell's text on one line, without marks and details."""
    natural: float
    """The width of the widest text with its marks, or of the head over words."""
    filled: float
    """The width of the widest number with its marks, all filled up to the most decimals."""
    least: float
    """The width of the widest piece of a column of words, below which it must not be squeezed."""
    decimals: int
    """Most decimals of any number in the column; fewer are filled up so that the points are in line."""
    has_detail: bool
    detail: float
    """The width of the widest detail."""
    marks_gap: float
    r"""Points that the note marks of the cells take, where ``\enspace`` has no room for them, else 0."""
    characters: int
    """The most characters of a text with its detail beside it."""
    stacked_characters: int
    """The most characters of a text or a detail."""


def _measured(column: Column, cells: Sequence[Cell], mark: str) -> MeasuredColumn:
    of_words, texts = column.role in TEXT_ROLES, [plain(cell.text) for cell in cells]
    both = list(zip(texts, cells, strict=True))
    most = max((n for text in texts if (n := decimals(text, mark)) is not None), default=0)
    marks = max((len(",".join(cell.notes)) for cell in cells), default=0)
    if of_words:
        natural = max([text_width(head_text(column)), *(text_width(text + _marks(cell)) for text, cell in both)])
    else:
        natural = max((_number_width(text, cell, 0, mark) for text, cell in both), default=0.0)
    return MeasuredColumn(
        column,
        of_words,
        texts=tuple(map(text_width, texts)),
        natural=natural,
        filled=max((_number_width(text, cell, most, mark) for text, cell in both), default=0.0),
        least=_widest_piece(head_text(column), *texts) if of_words else 0.0,
        decimals=most,
        has_detail=any(cell.detail for cell in cells),
        detail=max((text_width(cell.detail) for cell in cells), default=0.0),
        marks_gap=_MARK * (marks + 1) if marks > 1 else 0.0,
        characters=max((len(text) + len(cell.detail) for text, cell in both), default=0),
        stacked_characters=max((max(len(text), len(cell.detail)) for text, cell in both), default=0),
    )


def _number_width(text: str, cell: Cell, most: int, mark: str) -> float:
    bold = _BOLD * len(text) if cell.mark == "best" else 0.0
    # What follows the number overlaps its note marks, which take no room of their own.
    return text_width(text) + bold + max(text_width(filling(text, most, mark)), text_width(_marks(cell)))


def _marks(cell: Cell) -> str:
    # Note marks are set smaller; two of their characters count as one.
    return "n" * math.ceil(len(",".join(cell.notes)) / 2)


def _widest_piece(*texts: str) -> float:
    return max((text_width(piece) for text in dict.fromkeys(texts) for piece in pieces(text)), default=0.0)


# Layouts.


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """One column of a layout."""

    measured: MeasuredColumn
    width: float
    """Points."""
    share: float
    """Share of the line for a column that wraps, else 0."""
    head: int
    """Characters at which the head wraps."""
    detail: bool
    """True if the column's details are in a LaTeX column of their own."""
    stacked: bool
    """True if the column's details stand on a second line below their values."""


@dataclass(frozen=True)
class TableLayout:
    """A table set with one step on a line of so many points."""

    table: Table
    step: _Step
    line: float
    types: Mapping[str, TypeSize]
    columns: tuple[ColumnLayout, ...]
    spanners: tuple[int, ...]
    """Characters at which the head of each spanner wraps."""
    width: float
    """Estimated width of the table in points."""
    fits: bool

    @property
    def size(self) -> str:
        """Type size: a LaTeX command without its backslash."""
        return self.step.size

    @property
    def detail_size(self) -> str:
        """Type size of details and notes."""
        return _SMALLER[self.size]

    @property
    def n_columns(self) -> int:
        """LaTeX columns, those of details counted."""
        return sum(1 + column.detail for column in self.columns)

    @property
    def stacked(self) -> bool:
        """True if any column's details stand below their values."""
        return any(column.stacked for column in self.columns)

    @cached_property
    def rows(self) -> tuple[float, ...]:
        """Estimated height of each row in points."""
        wrapping = [column for column in self.columns if column.share]
        points, baseline = self.types[self.size]
        gap = _WRAPPED_GAP if wrapping or self.step.stacked else 0.0
        found = []
        for at, row in enumerate(self.table.rows):
            texts = [(column.measured.texts[at] * points, column.width) for column in wrapping]
            lines = [
                1 if text <= width else math.ceil(text / max(width - _RAGGED * points, width / 2))
                for text, width in texts
            ]
            least = 2.2 if self.step.stacked and any(cell.detail for cell in row.cells) else 1.0
            found.append(max([least, *lines]) * baseline + gap)
        return tuple(found)

    @cached_property
    def group_head(self) -> float:
        """Height of a group's head, the tallest one, with the space before it, in points."""
        points, baseline = self.types[self.size]
        boxes = [
            (head, self.group_box(head) * self.line) for head in {plain(group.head) for group in self.table.groups}
        ]
        lines = max((math.ceil(1.15 * text_width(head) * points / box) for head, box in boxes if box), default=1)
        return lines * baseline + _GROUP_GAP

    @cached_property
    def around(self) -> float:
        """Estimated height of all but the rows: caption, heads, rules, notes; in points."""
        caption, baseline = self.types["normalsize"], self.types[self.size].baseline
        lines = math.ceil(1.1 * text_width(plain(self.table.caption)) * caption.points / self.line)
        heads = max(map(self._head_lines, self.columns))
        over = zip(self.table.spanners, self.spanners, strict=True)
        spanners = max((len(wrap(plain(spanner.head), characters)) + 1 for spanner, characters in over), default=0)
        notes = self._notes(keyed=True) + self.notes
        return lines * caption.baseline + (heads + spanners) * baseline + notes + _RULES

    @cached_property
    def notes(self) -> float:
        """The part of ``around`` that notes about the whole table take, which are under its last part alone."""
        return self._notes(keyed=False)

    @property
    def height(self) -> float:
        """Estimated height of the table with its caption and notes, in points."""
        return self.around + sum(self.rows) + self.group_head * len(self.table.groups)

    def group_box(self, head: str) -> float:
        """Return the share of the line to which the head of a group wraps; 0 where it need not.

        It is as wide as the table, which a longer head would widen; wider only where a piece of a word is.
        """
        points = self.types[self.size].points
        if text_width(head) * points <= self.width:
            return 0.0
        return math.floor(1000 * max(self.width, _widest_piece(head) * points + 1) / self.line) / 1000

    def _notes(self, *, keyed: bool) -> float:
        """Return the height of the notes that cells refer to, or of those about the whole table."""
        points, baseline = self.types[self.detail_size]
        texts = [plain(note.text) for note in self.table.notes if bool(note.key) is keyed]
        return sum(math.ceil(1.1 * text_width(text) * points / self.line) for text in texts) * baseline

    def _head_lines(self, column: ColumnLayout) -> int:
        head = column.measured.column
        if column.share:
            points = self.types[self.size].points
            return math.ceil(1.1 * text_width(head_text(head)) * points / (column.share * self.line))
        return len(head_lines(plain(head.head), head.unit, column.head))


def layout(table: Table, line: float, size: int = 10, largest: str = SIZES[0]) -> TableLayout:
    """Return the layout of the largest type at which a table fits a line; that of the smallest if it fits at none.

    Args:
        table: Any table.
        line: Points that it may be wide.
        size: The type size of the running text.
        largest: The type size not to go beyond, that of the other parts of a table in parts.
    """
    columns = [
        _measured(column, [row.cells[at] for row in table.rows], table.decimal)
        for at, column in enumerate(table.columns)
    ]
    for step, tallest, word in _attempts(table, columns):
        if SIZES.index(step.size) >= max(SIZES.index(largest), SIZES.index(table.font_size or SIZES[0])):
            found = _attempt(table, columns, line, _TYPES[size], step, tallest, word)
            if found.fits:
                break
    return found


def suggested_environment(table: Table, area: TextArea) -> Environment:
    """Return the environment a table needs: over a page ``longtable``, too wide a turned page, in parts if need be.

    In two-column classes longtable does not work: a table there is one column wide, or two, or turned, and one that
    is longer than a page comes in parts.
    """
    upright: tuple[Environment, ...] = ("table", "table*") if area.columns == 2 else ("table",)
    for environment in upright:
        found = layout(table, area.room(environment)[0], area.size)
        if found.fits:
            return "longtable" if area.columns == 1 and found.height > area.room(environment)[1] else environment
    return "sidewaystable*" if area.columns == 2 else "sidewaystable"


def _attempts(table: Table, columns: Sequence[MeasuredColumn]) -> Iterator[tuple[_Step, int, int]]:
    """Give what is tried in turn: steps, lines to which cells may wrap, and characters of a word that is not broken."""
    steps = _STEPS + (_STACKED_STEPS if sum(column.has_detail for column in columns) >= _STACKING else _FLAT_STEPS)
    if table.stacked:
        steps = (_Step("small", True, 6.0), *_STACKED_STEPS)
    else:
        # A little smaller rather than names of systems on two lines, or on three.
        yield from ((step, tallest, WORD) for tallest in (1, 2) for step in (*_STEPS, _FLAT_STEPS[0]))
    yield from ((step, _TALLEST, WORD) for step in steps)
    # At last the words of heads are broken, no shorter than need be.
    yield from ((steps[-1], _TALLEST_AT_LAST, word) for word in range(WORD, _HEAD - 1, -1))


def _attempt(
    table: Table,
    columns: Sequence[MeasuredColumn],
    line: float,
    types: Mapping[str, TypeSize],
    step: _Step,
    tallest: int,
    word: int,
) -> TableLayout:
    points = types[step.size].points
    heads = [_head_characters(column, step, word) for column in columns]
    naturals = [_natural(column, step, types, head) for column, head in zip(columns, heads, strict=True)]
    spanners = tuple(_spanned(table, spanner, naturals, step, points) for spanner in table.spanners)
    gaps = 2 * step.gap * (len(naturals) - 1)
    widths, fits = list(naturals), sum(naturals) + gaps <= line
    wrapping: list[int] = []
    if not fits:
        least = {at: column.least * points + 1 for at, column in enumerate(columns) if column.of_words}
        wrapping = [at for at, low in least.items() if naturals[at] > low + points]
        room = line - gaps - sum(width for at, width in enumerate(naturals) if at not in wrapping)
        given, fits = _shared([naturals[at] for at in wrapping], [least[at] for at in wrapping], room, tallest)
        for at, width in zip(wrapping, given, strict=True):
            widths[at] = width
    plans = [
        ColumnLayout(
            column,
            widths[at],
            share=math.floor(1000 * widths[at] / line) / 1000 if at in wrapping else 0.0,
            head=heads[at],
            detail=column.has_detail and not step.stacked,
            stacked=column.has_detail and step.stacked,
        )
        for at, column in enumerate(columns)
    ]
    return TableLayout(table, step, line, types, tuple(plans), spanners, min(line, sum(widths) + gaps), fits)


def _spanned(table: Table, spanner: Spanner, naturals: list[float], step: _Step, points: float) -> int:
    """Return the characters at which a spanner's head wraps so that it fits its columns.

    Where its longest word is wider than they are, the last of them is widened in ``naturals``, as LaTeX does it.
    """
    keys = [column.key for column in table.columns]
    covered = [keys.index(key) for key in spanner.columns]
    room = sum(naturals[at] for at in covered) + 2 * step.gap * (len(covered) - 1)
    text = plain(spanner.head)
    fewest = _longest_piece(text)
    for characters in range(max(len(text), fewest), fewest - 1, -1):
        width = max((text_width(part) for part in wrap(text, characters)), default=0.0) * points
        if width <= room:
            return characters
    naturals[covered[-1]] += width - room
    return fewest


def _natural(column: MeasuredColumn, step: _Step, types: Mapping[str, TypeSize], characters: int) -> float:
    """Return the points a column takes with its cells on one line, numbers filled up to its most decimals."""
    points = types[step.size].points
    if column.of_words:
        return column.natural * points
    text = (column.natural if step.stacked else column.filled) * points
    detail = column.detail * types[_SMALLER[step.size]].points
    beside = text + (detail + max(_DETAIL_GAP, column.marks_gap) if detail else 0.0)
    lines = head_lines(plain(column.column.head), column.column.unit, characters)
    head = max((text_width(part) for part in lines), default=0.0) * points
    return max(max(text, detail) if step.stacked else beside, head) + 1


def _shared(naturals: list[float], least: list[float], room: float, tallest: int) -> tuple[list[float], bool]:
    """Share room among columns that wrap, so that their longest texts come out equally tall; False if too little."""
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
    """Return the characters per line of a head over numbers: as wide as its cells, and as its longest piece."""
    word = _longest_piece(plain(column.column.head), longest)
    return max(word, column.stacked_characters if step.stacked else column.characters, _HEAD)
