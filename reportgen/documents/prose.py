"""Words around numbers: agreement in number, lists, and results as linked text.

A text here is always a tuple of :data:`~reportgen.domain.presentation.Inline`; numbers of the results enter as
:class:`~reportgen.domain.presentation.Shown` with the display string made by ``numbers.py``, so that a sentence and
a table cell cannot disagree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from reportgen import numbers
from reportgen.domain.presentation import Inline, Shown, Text, inlines
from reportgen.domain.record import Estimate, Results

Sentence: TypeAlias = tuple[Inline, ...]

_SPACE = "\u00a0"
"""Between a number and what belongs to it, so that a line's end does not part them."""
_PERCENT = f"{_SPACE}%"
_SMALL = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def sentence(*parts: Text) -> Sentence:
    """Several texts as one; neighbouring strings are joined, empty ones vanish."""
    joined: list[Inline] = []
    for part in (inline for text in parts for inline in inlines(text)):
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part != "":
            joined.append(part)
    return tuple(joined)


def listing(items: Sequence[Text], last: str = "and") -> Sentence:
    """``a``, ``a and b``, ``a, b and c``; empty for no items.

    Three or more items with commas of their own are parted by semicolons: ``a, x; b; and c``.
    """
    if len(items) < 2:
        return sentence(*items)
    words = [part for item in items for part in inlines(item) if isinstance(part, str)]
    own_commas = len(items) > 2 and any("," in word for word in words)
    between, before_last = ("; ", f"; {last} ") if own_commas else (", ", f" {last} ")
    head: list[Text] = []
    for item in items[:-1]:
        head += [item, between]
    return sentence(*head[:-1], before_last, items[-1])


def leading(items: Sequence[Text], at_most: int = 6) -> Sentence:
    """A list in words of the first items; where there are more, their number ends it: ``a, b and 9 more``."""
    if len(items) <= at_most:
        return listing(items)
    kept = items[: at_most - 1]
    return listing([*kept, f"{in_words(len(items) - len(kept))} more"])


def paragraphs(sentences: Iterable[Text]) -> Sentence:
    """Sentences set one after the other with a space between; empty ones vanish."""
    parts: list[Text] = []
    for one in sentences:
        if one not in ("", ()):
            parts += [" ", one] if parts else [one]
    return sentence(*parts)


def in_words(n: int) -> str:
    """``two``, ``twelve``, ``13``; zero is ``no``."""
    return _SMALL[n] if n < len(_SMALL) else numbers.count(n)


def capital(text: str) -> str:
    """The text with its first letter in upper case, the rest as it is."""
    return text[:1].upper() + text[1:]


def share(part: int, whole: int) -> str:
    """``52.1 %``; an em dash when there is nothing to be a share of."""
    return f"{numbers.percent(part / whole, 1)}{_PERCENT}" if whole else numbers.UNDEFINED


def brackets(results: Results) -> str:
    """``Brackets hold 95 % intervals.``; empty where the results hold no intervals."""
    levels = dict.fromkeys(percent(settings.level) for settings in results.interval_settings)
    return f"Brackets hold {' or '.join(levels)} intervals." if levels else ""


def percent(share: float) -> str:
    """A round share: ``95 %``, ``99.9 %``."""
    return f"{numbers.percent(share, 1).removesuffix('.0')}{_PERCENT}"


def value(record: Estimate) -> Shown:
    """The printed value of a record."""
    return Shown(record.display.value, record.id)


def with_interval(record: Estimate) -> Sentence:
    """The printed value with its interval in brackets: ``0.946 [0.939, 0.953]``; the value alone without one."""
    if not record.display.interval:
        return (value(record),)
    return (value(record), _SPACE, Shown(record.display.interval, record.id))


def queries(results: Results, n: int) -> str:
    """``2,460 queries`` in the run's own words."""
    return results.units.query.count(n)


def origin(results: Results, n_clusters: int) -> str:
    """`` from 246 pages`` in the run's own words; empty where each query is a cluster of its own."""
    units = results.units
    return "" if units.cluster == units.query else f" from {units.cluster.count(n_clusters)}"


def with_evidence(results: Results, n: int) -> str:
    """``1,281 queries with evidence`` in the run's own words."""
    return f"{queries(results, n)} with evidence"


def spread(record: Estimate) -> Shown:
    """The printed standard deviation of a record; the sentence around it says what it is over."""
    return Shown(record.display.sd, record.id)
