"""The one rounding path: every printed number of the product is made here, once.

Rounding is half-even on the shortest decimal text of a float (``repr``), so that what a reader sees in the JSON is
what gets rounded: 0.0125 prints 0.012 at three decimals, although the binary number behind it lies a little above.
All arithmetic is decimal. The minus sign is U+2212, thousands are set off by commas, and a negative zero is never
printed: a value that rounds to nothing prints ``0.000``, also where differences carry a sign (pandas prints
``-0.000`` there, great-tables ``0.000``; a sign on nothing suggests a direction that the digits do not show).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from operator import index
from typing import TypeAlias

UNDEFINED = "—"
"""Printed where a number has no value; a note or the record's reason says why."""
PERCENT = "\u00a0%"
"""What follows a share that is printed as percent, where nothing else says so."""
NOT_APPLICABLE = "n/a"
"""Printed where a system has no such component."""
MINUS = "\u2212"
Ends: TypeAlias = tuple[float | None, float | None]
"""The lowest and the highest value that there can be; None where there is no end."""
NOT_NEGATIVE: Ends = (0.0, None)
"""The ends of a standard deviation."""
_NOISE = Decimal("1e-12")
"""How near the end of its range a value is at the end, but for its last bits."""
_PRINTED = re.compile(r"[-+]?\d+(\.\d+)?", re.ASCII)
_COMMA = str.maketrans({",": "\u202f", ".": ","})
_GROUP_SPACE = re.compile("(?<=\\d)\u202f(?=\\d)")
_LONGEST_FORMAT = 200
"""Characters of a text in a spreadsheet's number format, which may have 255."""

# A double spans 1e-324 to 1e308 with 17 digits; quantize refuses what exceeds the context's precision.
_EXACT = Context(prec=1_100, rounding=ROUND_HALF_EVEN)


def fixed(value: float, decimals: int, *, signed: bool = False) -> str:
    """Return a number with a fixed count of decimals: ``0.946``, ``−0.012``, ``1,234.5``.

    With ``signed`` a positive number shows its plus (differences); zero never shows a sign.
    Raises ValueError for NaN, infinities and a negative count of decimals.
    """
    return _text(_round(_decimal(value), decimals), signed=signed)


def within(value: float, decimals: int, ends: Ends, *, percent: bool = False) -> str:
    """Return a number that prints an end of its range only where it is there: 0.9996 of a share is ``>0.999``, not
    ``1.000``.

    Inside the range it is as :func:`fixed` prints it, also near 0. With ``percent`` a share is printed as percent
    without the sign, multiplied in decimal arithmetic: ``99.9``, ``>99.9``. Raises ValueError as :func:`fixed` does.
    """
    exact, scale = _decimal(value), 2 if percent else 0
    scaled = [None if end is None else _decimal(end).scaleb(scale, _EXACT) for end in ends]
    number = exact.scaleb(scale, _EXACT)
    return _within(number, decimals, scaled) or _text(_round(number, decimals), signed=False)


def _within(exact: Decimal, decimals: int, ends: Sequence[Decimal | None]) -> str:
    """Return the printed form of what rounds to an end of its range from inside; empty for anything else."""
    shown, step = _round(exact, decimals), Decimal(1).scaleb(-decimals)
    for end, sign in zip(ends, "<>", strict=True):
        inside = Decimal(0) if end is None else (exact - end) * (1 if sign == "<" else -1)
        if end is not None and shown == _round(end, decimals) and inside > _NOISE:
            return f"{sign}{_text(shown + (step if sign == '<' else -step), signed=False)}"
    return ""


def share(value: float, decimals: int) -> str:
    """Return a share as percent without the sign that prints 0 and 100 only where it is none or all: ``<0.1``,
    ``>99.9``.

    Raises ValueError as :func:`fixed` does.
    """
    return within(value, decimals, (0.0, 1.0), percent=True)


def percent(value: float, decimals: int, *, signed: bool = False) -> str:
    """Return a share as percent without the sign, multiplied in decimal arithmetic: 0.05 at one decimal is ``5.0``.

    Raises ValueError as :func:`fixed` does.
    """
    return _text(_round(_decimal(value).scaleb(2, _EXACT), decimals), signed=signed)


def significant(value: float, digits: int) -> str:
    """Return a number with a fixed count of significant digits, never in powers of ten: ``0.00012``, ``1,200``, ``0``.

    Raises ValueError for NaN, infinities and fewer than one digit.
    """
    if digits < 1:
        raise ValueError(f"a number needs at least one significant digit, not {digits}")
    number = _decimal(value)
    if not number:
        return "0"
    # Rounding can carry into a new place (9.96 at two digits is 10, not 10.0): round first, then count places.
    places = number.adjusted() - digits + 1
    rounded = number.quantize(Decimal(1).scaleb(places), context=_EXACT)
    return _text(_round(rounded, max(0, digits - 1 - rounded.adjusted())), signed=False)


def interval(lower: float, upper: float, decimals: int, ends: Ends = (None, None), *, percent: bool = False) -> str:
    """Return two bounds in brackets: ``[0.888, 0.906]``; each as :func:`within` prints it: ``[0.991, >0.999]``.

    Raises ValueError where the bounds are out of order, and as :func:`fixed` does.
    """
    if lower > upper:
        raise ValueError(f"an interval's lower bound {lower} lies above its upper bound {upper}")
    return f"[{', '.join(within(bound, decimals, ends, percent=percent) for bound in (lower, upper))}]"


def p_value(p: float, *, decimals: int = 3, alphas: Sequence[float] = (0.05, 0.01, 0.001)) -> str:
    """Return a p-value: ``0.012``, ``<0.001``, ``>0.999``; never 0.000 or 1.000.

    Digits are added until the printed value lies on the same side of every level in ``alphas`` as the true one
    (0.0495 prints ``0.0495``, as 0.050 would not be below 0.05); below means strictly below.
    Raises ValueError for p outside [0, 1], NaN, and fewer than one decimal.
    """
    if decimals < 1:
        raise ValueError(f"a p-value needs at least one decimal, not {decimals}")
    exact = _decimal(p)
    if not 0 <= exact <= 1:
        raise ValueError(f"a p-value lies in [0, 1], not {p}")
    levels = [_decimal(alpha) for alpha in alphas]
    if not all(0 < level < 1 for level in levels):
        raise ValueError(f"levels lie strictly between 0 and 1, not {tuple(alphas)}")
    last_place = Decimal(1).scaleb(-decimals)
    smallest = min([last_place, *levels])
    if exact < smallest:
        return f"<{smallest:f}"
    if _round(exact, decimals) == 1:
        return f">{1 - last_place:f}"
    shown = _round(exact, decimals)
    # Ends at the latest when all digits of the number are shown.
    while any((shown < level) != (exact < level) for level in levels):
        decimals += 1
        shown = _round(exact, decimals)
    return f"{shown:f}"


def design_effect(value: float) -> str:
    """Return a design effect at two significant digits, in sentences, captions and tables alike: ``0.97``, ``1.2``,
    ``12``.
    """
    return significant(value, 2)


def count(n: int) -> str:
    """Return a whole number with thousands separators: ``14,770``. Raises TypeError for anything but whole numbers."""
    return _text(Decimal(index(n)), signed=False)


def mean_count(n: float) -> str:
    """Return a count, or with one decimal a mean of counts."""
    return count(n) if isinstance(n, int) else fixed(n, 1)


def plain(printed: str) -> str | None:
    """Return a printed number as a program reads it: ``-1234.5`` for ``−1,234.5``; None for ``<0.001`` and words."""
    text = printed.replace(",", "").replace(MINUS, "-")
    return text if _PRINTED.fullmatch(text) else None


def with_comma(printed: str) -> str:
    """Return a printed number with a decimal comma, thousands set off by narrow spaces: ``2 460``, ``0,812``."""
    return printed.translate(_COMMA)


def with_point(printed: str) -> str:
    """Return numbers that were printed with a decimal comma as they are printed with a point."""
    return _GROUP_SPACE.sub(",", re.sub(r"(?<=\d),(?=\d)", ".", printed)).replace("; ", ", ")


def in_spreadsheet(value: float, printed: str) -> tuple[float, str] | None:
    """Return what a spreadsheet cell holds, and the number format under which it shows a printed number.

    A share that is printed as percent or in percentage points is held times 100, so that the cell is what its head
    says. Where a spreadsheet, which rounds ties away from zero and signs what rounds to nothing, would print other
    digits than ``printed``, the format spells the text out: ``<0.001`` for a p-value, ``0.946`` for 0.9465.

    Returns:
        The number and the format; None where no format can show the text (a quotation mark, more than
        200 characters).
    """
    literal = (float(value), f'"{printed}"') if '"' not in printed and len(printed) <= _LONGEST_FORMAT else None
    number = printed.removesuffix(PERCENT)
    text = plain(number)
    if text is None:
        return literal
    shown, exact = Decimal(text), _decimal(value)
    if not shown and exact:
        return literal
    decimals = len(text.partition(".")[2])
    half = Decimal(5).scaleb(-decimals - 1)
    sign = f'"{PERCENT}"' if number != printed else ""
    digits = f"{'#,##0' if ',' in number else '0'}{'.' + '0' * decimals if decimals else ''}{sign}"
    number_format = f"{'+' * text.startswith('+')}{digits};{MINUS}{digits};{digits}"
    for held in (exact, exact.scaleb(2, _EXACT)):
        # Nearer than half a unit of the last place: every way of rounding to nearest prints these digits.
        if _EXACT.abs(_EXACT.subtract(held, shown)) < half:
            return float(held), number_format
    return literal


def _decimal(value: float) -> Decimal:
    # float() first: the repr of a numpy scalar is not a number.
    number = Decimal(repr(float(value)))
    if not number.is_finite():
        raise ValueError(f"{value} cannot be printed as a number; undefined values print {UNDEFINED!r}")
    return number


def _round(number: Decimal, decimals: int) -> Decimal:
    if decimals < 0:
        raise ValueError(f"a number cannot have {decimals} decimals")
    return number.quantize(Decimal(1).scaleb(-decimals), context=_EXACT)


def _text(number: Decimal, *, signed: bool) -> str:
    digits = f"{number.copy_abs():,f}"
    if not number:
        return digits
    if number < 0:
        return f"{MINUS}{digits}"
    return f"+{digits}" if signed else digits
