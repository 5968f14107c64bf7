"""Numbers as people print them, and the values that round to them.

What a reader sees is a rounded number, so all that can be said of the value behind it is an interval: ``0.812`` stands
for everything from 0.8115 to 0.8125, and ``>0.999`` for the unit of the last place above it. Both ends belong to it,
whichever way ties are rounded. Arithmetic on these
intervals is exact (fractions), so that what is found impossible is impossible for every value that prints so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+"
_SIGNED = rf"[<>]?\s?[+-]?(?:{_NUMBER})(?:[eE][+-]?\d{{1,3}})?"
_NUMERAL = re.compile(
    rf"(?P<end>[<>]?)\s?(?P<sign>[+-]?)(?P<digits>{_NUMBER})(?:[eE](?P<power>[+-]?\d{{1,3}}))?\s?(?P<percent>%?)"
)
_CELL = re.compile(
    rf"""(?P<value>{_SIGNED}\s?%?)
    (?:\s*(?:(?P<sign>±|\+/-|\+-)\s*(?P<spread>{_NUMBER}\s?%?)|\((?:(?P<kind>sd|std|se)\s*=?\s*)?(?P<aside>{_NUMBER})\)))?
    (?:\s*\(?\s*(?:95\s?%\s*)?(?:ci:?\s*)?[\[(]\s*(?P<lower>{_SIGNED}\s?%?)\s*(?:,|;|–|\bto\b|\.\.)\s*(?P<upper>{_SIGNED}\s?%?)\s*[\])]\s*\)?)?
    \s*(?:pp|points)?\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_PAIR = re.compile(
    rf"[\[(]\s*(?P<lower>{_SIGNED}\s?%?)\s*(?:,|;|–|-|\bto\b)\s*(?P<upper>{_SIGNED}\s?%?)\s*[\])]", re.IGNORECASE
)
_MARKS = re.compile(r"[*†‡§¶✓✔✅⭐↑↓\ufe0f]+|\((?:second )?best\)")
_SPACES_IN_NUMBERS = re.compile(r"(?<=\d)(?:[\u2009\u202f\u00a0]|\\,)(?=\d{3}\b)")
_LONGEST = 120
"""Characters of a cell that is read as a number."""
_LAST_DIGITS = Fraction(1, 10**9)
"""How far two numbers of full precision may be apart that are the same by a formula."""


@dataclass(frozen=True, slots=True)
class PrintedNumber:
    """A number as it is printed: the values that round to it lie between ``lower`` and ``upper``."""

    text: str
    value: Fraction
    half: Fraction
    """Half a unit of the last place that is shown."""
    percent: bool = False
    """Whether a percent sign stands behind it; ``value`` is the number before the sign."""

    @property
    def lower(self) -> Fraction:
        """The smallest value that is printed so."""
        return self.value - self.half

    @property
    def upper(self) -> Fraction:
        """The largest value that is printed so."""
        return self.value + self.half

    @property
    def decimals(self) -> int:
        """How many decimals are shown."""
        digits = self.text.rstrip("% ").partition(".")[2]
        return len(digits) if digits.isdigit() else 0

    def scaled(self, factor: Fraction) -> PrintedNumber:
        """Return the same number in another unit: 94.7 % as the share 0.947."""
        return PrintedNumber(self.text, self.value * factor, self.half * factor)

    def agrees(self, other: PrintedNumber) -> bool:
        """Return whether one value could be printed as both."""
        return self.lower <= other.upper and other.lower <= self.upper


@dataclass(frozen=True, slots=True)
class ParsedCell:
    """What a cell says: a number, how far it spreads, its interval."""

    value: PrintedNumber | None
    spread: PrintedNumber | None = None
    spread_sign: str = ""
    """``±`` where a sign says so, ``sd`` or ``se`` where a word does, empty for a number in round brackets."""
    lower: PrintedNumber | None = None
    upper: PrintedNumber | None = None


def parse_number(text: str) -> PrintedNumber | None:
    """Return a number from its text, None where the text is anything else.

    A comma as the sign of decimals is refused.
    """
    cleaned = _cleaned(text)
    match = _NUMERAL.fullmatch(cleaned)
    if match is None or re.match(r"[+-]?0\d*,", cleaned):
        return None
    digits = match["digits"].replace(",", "")
    power = int(match["power"] or 0)
    unit = Fraction(10) ** (power - len(digits.partition(".")[2]))
    value = Fraction(digits) * Fraction(10) ** power * (-1 if match["sign"] == "-" else 1)
    value += {"": Fraction(0), "<": -unit / 2, ">": unit / 2}[match["end"]]
    # Sixteen digits are a float's whole value; two of these may differ in the last ones and be the same.
    return PrintedNumber(
        cleaned, value, max(unit / 2, _LAST_DIGITS * max(Fraction(1), abs(value))), bool(match["percent"])
    )


def parse_cell(text: str) -> ParsedCell | None:
    """Return what a cell says, None where anything but a number with its spread and interval is in it."""
    if len(text) > _LONGEST:
        return None
    cleaned = _cleaned(_MARKS.sub(" ", text))
    if pair := _PAIR.fullmatch(cleaned):
        return ParsedCell(None, lower=parse_number(pair["lower"]), upper=parse_number(pair["upper"]))
    match = _CELL.fullmatch(cleaned)
    value = parse_number(match["value"]) if match else None
    if match is None or value is None:
        return None
    spread = match["spread"] or match["aside"]
    sign = "±" if match["sign"] else (match["kind"] or "").lower()
    return ParsedCell(
        value,
        parse_number(spread) if spread else None,
        "sd" if sign == "std" else sign,
        parse_number(match["lower"]) if match["lower"] else None,
        parse_number(match["upper"]) if match["upper"] else None,
    )


def _cleaned(text: str) -> str:
    text = text.replace("\u2212", "-").replace("$", "")
    return " ".join(_SPACES_IN_NUMBERS.sub("", text).split())
