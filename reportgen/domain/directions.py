"""Names in Hebrew or Arabic letters within lines of English: what keeps the two directions of writing apart.

Unicode's isolates (UAX 9): U+2068 before a name and U+2069 after it. Without them the letters of the name and the
numbers beside it would change places: the bounds of its interval, for one.
"""

from __future__ import annotations

import re

FIRST_STRONG, POP = "\u2068", "\u2069"
"""The marks of an isolate whose direction is that of its first letter."""
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_LETTER = re.compile(f"[{_RIGHT_TO_LEFT}]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_ISOLATE = re.compile("\u2068([^\u202a-\u202e\u2066-\u2069]*)\u2069")

RUN = rf"[{_RIGHT_TO_LEFT}](?:[^\s\u2068\u2069|]*[{_RIGHT_TO_LEFT}]| (?=[{_RIGHT_TO_LEFT}]))*"
"""Pattern of a run of letters that are written from right to left, from the first to the last."""


def turns(text: str) -> bool:
    """Tell whether a text has letters that are written from right to left."""
    return bool(_LETTER.search(text))


def isolated(name: str) -> str:
    """Return a name of the user apart from the words around it; itself where it is written from left to right.

    Marks of its own that turn the direction are shown, as in every text.
    """
    return f"\u2068{shown_marks(name)}\u2069" if turns(name) else name


def shown_marks(text: str) -> str:
    """Return a text whose marks that turn the direction of writing are shown: ``[U+202E]``."""
    return _TURNING.sub(lambda mark: f"[U+{ord(mark[0]):04X}]", text)


def bare(text: str) -> str:
    """Return a text that is one isolated name as the name alone, for programs; others stay."""
    found = _ISOLATE.fullmatch(text)
    return found[1] if found else text


def pieces(text: str) -> list[tuple[str, bool]]:
    """Return the parts of a text, each with whether it is an isolated name; other marks of direction are shown."""
    parts: list[tuple[str, bool]] = []
    for at, part in enumerate(_ISOLATE.split(text)):
        if part:
            parts.append((part if at % 2 else shown_marks(part), bool(at % 2)))
    return parts
