"""Texts put together: lists in words, and numbers that know the result they show.

A phrase is a text as a tuple of :data:`~reportgen.domain.presentation.Inline`; numbers of the results enter as
:class:`~reportgen.domain.presentation.Shown` with the display string made by ``numbers.py``, so that a sentence, a
caption and a table cell cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from reportgen import numbers
from reportgen.domain.presentation import Inline, Shown, Text, inlines, plain
from reportgen.domain.record import Estimate, Results

Phrase: TypeAlias = tuple[Inline, ...]

SPACE = "\u00a0"
"""Between a number and what belongs to it, so that a line's end does not part them."""
MOST = 6
"""Items that a list in running text names; of more, it ends with their number."""
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def concat(*parts: Text) -> Phrase:
    """Join texts as they are; neighbouring strings become one, empty ones vanish."""
    kept: list[Inline] = []
    for part in (inline for text in parts for inline in inlines(text)):
        if isinstance(part, str) and kept and isinstance(kept[-1], str):
            kept[-1] += part
        elif part != "":
            kept.append(part)
    return tuple(kept)


def paragraph(sentences: Iterable[Text]) -> Phrase:
    """Join sentences with a space between; empty ones vanish."""
    parts: list[Text] = []
    for one in sentences:
        if one not in ("", ()):
            parts += [" ", one] if parts else [one]
    return concat(*parts)


def enumeration(items: Sequence[Text], last: str = "and", at_most: int | None = None) -> Phrase:
    """Join items as a list: ``a``, ``a and b``, ``a, b and c``; empty for no items.

    Three or more items with commas of their own are parted by semicolons: ``a, x; b; and c``. Of more than ``at_most``
    items the first are named, and the number of the others ends the list: ``a, b and nine more``.
    """
    if at_most is not None and len(items) > at_most:
        kept = items[: at_most - 1]
        return enumeration([*kept, f"{in_words(len(items) - len(kept))} more"], last)
    if len(items) < 2:
        return concat(*items)
    words = [part for item in items for part in inlines(item) if isinstance(part, str)]
    own_commas = len(items) > 2 and any("," in word for word in words)
    between, before_last = ("; ", f"; {last} ") if own_commas else (", ", f" {last} ")
    head: list[Text] = []
    for item in items[:-1]:
        head += [item, between]
    return concat(*head[:-1], before_last, items[-1])


def in_words(n: int) -> str:
    """Return ``two``, ``twelve``, ``13``; zero is ``no``."""
    return _SMALL[n] if n < len(_SMALL) else numbers.count(n)


def counted(n: int, one: str, many: str) -> str:
    """Return ``1 system``, ``4 systems``."""
    return f"{numbers.count(n)} {one if n == 1 else many}"


def capital(text: str) -> str:
    """Return the text with its first letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def percent(share: float) -> str:
    """Return a round share: ``95 %``, ``99.9 %``."""
    return f"{numbers.percent(share, 1).removesuffix('.0')}{SPACE}%"


def share(part: int, whole: int) -> str:
    """Return ``52.1 %``; an em dash when there is nothing to be a share of."""
    return f"{numbers.share(part / whole, 1)}{SPACE}%" if whole else numbers.UNDEFINED


def as_printed(results: Results, record: Estimate, part: float) -> str:
    """Return the value of a fold, a training or a quartile of a record, printed as its own value is."""
    return numbers.within(part, record.display.decimals, results.metric_by_id[record.metric].range)


def value(record: Estimate) -> Shown:
    """Return the printed value of a record."""
    return Shown(record.display.value, record.id)


def with_interval(record: Estimate) -> Phrase:
    """Return the printed value with its interval in brackets: ``0.946 [0.939, 0.953]``; alone where it lacks one.

    An interval without width says nothing of the value, as its note says, and is left out.
    """
    if not (record.intervals and record.display.interval) or record.intervals[0].degenerate:
        return (value(record),)
    return (value(record), SPACE, Shown(record.display.interval, record.id))


def value_text(record: Estimate | None) -> str:
    """Return :func:`with_interval` as one plain string, for text inside a figure; empty for no record."""
    return "" if record is None else plain(with_interval(record)).replace(SPACE, " ")


def number_of_folds(n_folds: int, n_repeats: int) -> str:
    """Return how many folds there are: ``10``; ``3 × 10`` where a cross-validation of 10 folds was made three times."""
    return f"{n_repeats} × {n_folds // n_repeats}" if n_repeats > 1 else str(n_folds)
