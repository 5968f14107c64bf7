"""How wide texts come out in LaTeX, and where their lines may end.

Widths are estimated from the characters, as LaTeX is not at hand when the source is written; the estimate is on the
wide side.
"""

from __future__ import annotations

import re
from functools import lru_cache

from reportgen.render.escape import settable
from reportgen.render.table_text import decimals

WORD = 14
"""Characters: a longer word may be broken."""
_UNIT = 14  # characters of a unit that stand on one line whatever the width of the column
_CODE_POINT_WIDTH = 6.0  # ``[U+1F389]`` in bold
_NARROW = frozenset("ijlftIr.,:;'|!()[] ")
_WIDE = frozenset("mwMW@%→←↑↓≤≥±—\u2212")
# Where a long word may be broken without a hyphen: before an arrow, after a separator, otherwise every few characters.
_SPACES = re.compile(r"([^\S\u00a0\u2009\u202f]+)")
_PIECES = re.compile(r"\u00a0[\u2191\u2193]|[^_/.:\-\u00a0]+[_/.:\-]*|[_/.:\-\u00a0]+")
# A long table repeats its names in every row, and each width that is tried measures all of them again.
_REMEMBERED = 1 << 16


@lru_cache(maxsize=_REMEMBERED)
def text_width(text: str) -> float:
    """Estimated width of a text in units of the type size; what the fonts lack is as wide as its code point."""
    return sum(
        0.32
        if char in _NARROW
        else 0.82
        if char in _WIDE
        else _CODE_POINT_WIDTH
        if not settable(char)
        else 0.72
        if char.isupper()
        else 0.53
        for char in text
    )


def words(text: str) -> list[str]:
    """Words and the spaces between them; a space that does not break belongs to its word."""
    return _SPACES.split(text)


@lru_cache(maxsize=_REMEMBERED)
def pieces(text: str, longest: int = WORD) -> tuple[str, ...]:
    """A text cut where a line may end: words and spaces, and parts of words of more than ``longest`` characters.

    Long words are cut after separators (``logreg_``), and what is still too long anywhere. Joined, the pieces are
    the text.
    """
    found: list[str] = []
    for word in words(text):
        # A character that is printed as its code point is a piece of its own.
        for run in _runs(word):
            parts = [run] if len(run) <= longest or run.isspace() else _PIECES.findall(run)
            found += [part[at : at + longest] for part in parts for at in range(0, len(part), longest)]
    return tuple(found)


def _runs(word: str) -> list[str]:
    """A word cut before and after each character that the fonts lack."""
    runs: list[str] = [""]
    for char in word:
        if not settable(char):
            runs += [char, ""]
        else:
            runs[-1] += char
    return [run for run in runs if run] or [word]


def wrap(text: str, characters: int) -> list[str]:
    """A text in lines of at most so many characters, cut at spaces and separators, long words anywhere."""
    lines = [""]
    for piece in pieces(text, max(1, characters)):
        if len(lines[-1]) + len(piece.rstrip()) > characters and lines[-1]:
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [line.rstrip() for line in lines if line.strip()]


def head_lines(text: str, unit: str, characters: int) -> list[str]:
    """The lines of a head over numbers: its unit on the same line where there is room, else below it."""
    joined = f"{text} ({unit})"
    if not unit or len(joined) <= characters:
        return wrap(joined if unit else text, characters)
    return [*wrap(text, characters), *wrap(f"({unit})", max(characters, _UNIT))]


def filling(text: str, most: int) -> str:
    """The decimals a number lacks against its column's most, as digits that are not printed."""
    own = decimals(text)
    if own is None or own == most:
        return ""
    missing = "0" * (most - own)
    return missing if own else f".{missing}"


def longest_piece(text: str, longest: int = WORD) -> int:
    """The characters of the longest piece of a text that is not cut further."""
    return max((len(piece.strip()) for piece in pieces(text, longest)), default=1)
