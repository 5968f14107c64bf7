"""Texts put together: lists in words, and numbers that know the result they show.

A phrase is a tuple of :data:`~reportgen.domain.presentation.Inline`; numbers of the results enter as
:class:`~reportgen.domain.presentation.Shown` with the display string made by ``numbers.py``, so that a sentence, a
caption and a table cell cannot disagree.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from reportgen import numbers
from reportgen.domain.presentation import Inline, Shown, Text, inlines
from reportgen.domain.record import Estimate

Phrase: TypeAlias = tuple[Inline, ...]

SPACE = "\u00a0"
"""Between a number and what belongs to it, so that a line's end does not part them."""
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def joined(*parts: Text) -> Phrase:
    """Several texts as one; neighbouring strings are joined, empty ones vanish."""
    kept: list[Inline] = []
    for part in (inline for text in parts for inline in inlines(text)):
        if isinstance(part, str) and kept and isinstance(kept[-1], str):
            kept[-1] += part
        elif part != "":
            kept.append(part)
    return tuple(kept)


def listing(items: Sequence[Text], last: str = "and") -> Phrase:
    """``a``, ``a and b``, ``a, b and c``; empty for no items.

    Three or more items with commas of their own are parted by semicolons: ``a, x; b; and c``.
    """
    if len(items) < 2:
        return joined(*items)
    words = [part for item in items for part in inlines(item) if isinstance(part, str)]
    own_commas = len(items) > 2 and any("," in word for word in words)
    between, before_last = ("; ", f"; {last} ") if own_commas else (", ", f" {last} ")
    head: list[Text] = []
    for item in items[:-1]:
        head += [item, between]
    return joined(*head[:-1], before_last, items[-1])


def leading(items: Sequence[Text], at_most: int = 6) -> Phrase:
    """A list in words of the first items; where there are more, their number ends it: ``a, b and 9 more``."""
    if len(items) <= at_most:
        return listing(items)
    kept = items[: at_most - 1]
    return listing([*kept, f"{in_words(len(items) - len(kept))} more"])


def in_words(n: int) -> str:
    """``two``, ``twelve``, ``13``; zero is ``no``."""
    return _SMALL[n] if n < len(_SMALL) else numbers.count(n)


def value(record: Estimate) -> Shown:
    """The printed value of a record."""
    return Shown(record.display.value, record.id)


def with_interval(record: Estimate) -> Phrase:
    """The printed value with its interval in brackets: ``0.946 [0.939, 0.953]``; the value alone without one."""
    if not (record.intervals and record.display.interval):
        return (value(record),)
    return (value(record), SPACE, Shown(record.display.interval, record.id))
