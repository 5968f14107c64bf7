"""Text in figures: what the fonts can show, how wide it is, where it breaks."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Sequence
from functools import cache

from matplotlib.font_manager import FontProperties
from matplotlib.ft2font import FT2Font
from matplotlib.textpath import text_to_path

from reportgen.domain.directions import FIRST_STRONG, POP, bare, isolated
from reportgen.figures.drawing.style import families
from reportgen.styles import Tokens, font_file, remedy

LONGEST = 90
"""Characters of a text that a figure shows; see :func:`legible`."""
# Joiners shape the letters around them and are part of ordinary text in many scripts.
_JOINERS = "\u200c\u200d"


class MissingGlyphWarning(UserWarning):
    """A text holds characters that none of the fonts has; they are shown as ``[U+67E5]``."""


def legible(text: str, tokens: Tokens) -> str:
    """Return the text on one line, with every character that cannot be shown replaced by its code point: ``[U+67E5]``.

    A text of more than 90 characters loses its middle to an ellipsis: tables and captions have all of it, and a
    figure that shows nothing but its names is none. Control and direction characters are replaced too: they would
    act on the text around them.
    Warns with :class:`MissingGlyphWarning` if anything was replaced.
    """
    text = re.sub(r"[ \t\n\v\f\r\x85\u2028\u2029]+", " ", text)
    covered = _covered(_text_files(tokens))
    name = bare(text)
    if name != text:
        # What is left of a name that is cut stays apart from the words around it.
        return isolated(legible(name, tokens))
    lost = list(dict.fromkeys(character for character in text if not _shows(character, covered)))
    for character in lost:
        text = text.replace(character, f"[U+{ord(character):04X}]")
    if len(text) > LONGEST:
        text = f"{text[: LONGEST - 30]}…{text[-29:]}"
    if lost:
        points = ", ".join(f"U+{ord(character):04X}" for character in lost)
        warnings.warn(
            f"no font of the figure has {points}; shown as '{text}'. {remedy(tokens)}",
            MissingGlyphWarning,
            stacklevel=2,
        )
    return text


def legible_words(text: str, tokens: Tokens) -> str:
    """Return a line of our own with words of the data in it: legible word by word, so that it keeps its length."""
    return " ".join(legible(word, tokens) for word in text.split(" "))


def text_width(text: str, size: float, tokens: Tokens) -> float:
    """Return the width in points of one line of text set at ``size`` points."""
    properties = FontProperties(family=families(tokens), size=size)
    width, _height, _descent = text_to_path.get_text_width_height_descent(text, properties, False)
    return float(width)


def wrapped(text: str, width: float, size: float, tokens: Tokens) -> str:
    """Return the text broken into lines of at most ``width`` points: at spaces, else after punctuation, else anywhere.

    Nothing is shortened. A single character that is wider than ``width`` stands alone.
    """
    lines, rest = [], text
    while text_width(rest, size, tokens) > width:
        at = _break(rest, width, size, tokens)
        lines.append(rest[:at].rstrip(" "))
        rest = rest[at:].lstrip(" ")
    return "\n".join([*lines, rest]) if rest else "\n".join(lines)


def key_columns(
    names: Sequence[str], width: float, mark: float, size: float, tokens: Tokens
) -> tuple[tuple[str, ...], int]:
    """Return the names of a key, each broken to fit, and how many of them stand side by side in ``width`` points.

    ``mark`` is what an entry takes besides its name: the mark, and the space around both.
    """
    room = width - mark
    lines = tuple(wrapped(legible(name, tokens), room, size, tokens) for name in names)
    widest = max(text_width(line, size, tokens) for name in lines for line in name.split("\n"))
    return lines, max(1, min(len(lines), int(room // (widest + mark))))


def _break(text: str, width: float, size: float, tokens: Tokens) -> int:
    fits = 1
    while fits < len(text) and text_width(text[: fits + 1], size, tokens) <= width:
        fits += 1
    for separators in (" ", "_-/.,:;|"):
        places = [at + 1 for at in range(fits) if text[at] in separators]
        # A break in the first third would leave a ragged stub and a longer second line.
        if places and places[-1] > fits / 3:
            return places[-1]
    return fits


def _shows(character: str, covered: frozenset[int]) -> bool:
    if unicodedata.category(character) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and character not in _JOINERS:
        return character in (FIRST_STRONG, POP)
    return ord(character) in covered


def _text_files(tokens: Tokens) -> tuple[str, ...]:
    wanted = {tokens["font"]["text"], *tokens["font"]["fallback"]}
    regular = [font for font in tokens["font"]["files"] if font["weight"] == 400 and font["style"] == "normal"]
    return tuple(font["file"] for font in regular if font["family"] in wanted)


@cache
def _covered(files: tuple[str, ...]) -> frozenset[int]:
    return frozenset(point for name in files for point in FT2Font(str(font_file(name))).get_charmap())
