"""The names most like one that was not found."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_COMPARED = 300
"""Most names, and most characters of a name, that are searched for a similar one."""
_KNOWN = 25
"""Most names that a message lists."""


def nearest(name: str, known: Iterable[str]) -> str:
    """Return the known names most like a name, for a message: ``nearest: 'title', 'split'``; else all of them."""
    candidates = sorted(set(known))
    close: list[str] = []
    # The comparison takes time with the product of lengths: names of thousands of characters are not compared.
    if len(name) <= _COMPARED and len(candidates) <= _COMPARED:
        short = [text for text in candidates if len(text) <= _COMPARED]
        close = difflib.get_close_matches(name, short, n=3, cutoff=0.5)
    shown = close or candidates[:_KNOWN]
    more = f" and {len(candidates) - len(shown):,} more" if not close and len(candidates) > len(shown) else ""
    listed = ", ".join(f"'{text}'" for text in shown)
    return f"nearest: {listed}" if close else f"known: {listed}{more}"
