"""What a document states: a metric of some system on some queries has a value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias

from reportgen.domain.metric_id import MetricId
from reportgen.manuscripts.metric_names import COUNTS, UNIT_RANGE
from reportgen.manuscripts.printed_numbers import PrintedNumber

Population = Literal["", "positives_only", "all_queries"]
Scale = Literal["as_printed", "percent", "unknown"]

_POSITIVES = re.compile(r"\bpositives[ _]only\b|\bpositive (?:queries|only)\b|\bpos\.", re.IGNORECASE)
_ALL = re.compile(r"\ball[ _]queries\b|^\W*all\W*$", re.IGNORECASE)
_N = re.compile(r"\bn\s*=\s*([\d,\u2009\u202f]+)", re.IGNORECASE)
_PERCENT = Fraction(1, 100)


@dataclass(frozen=True, slots=True)
class Statement:
    """A number of a document with what it is about."""

    metric: MetricId
    value: PrintedNumber
    """As a share where the metric lies between 0 and 1 and the document prints percent."""
    file: str
    place: str
    table: str
    """The table or, in JSON, the part of the file it is in."""
    group: tuple[str, ...]
    """What else is said of it: numbers with one group are of one system, on the same queries, in one table."""
    label: str = ""
    """The name of the metric as it is written."""
    system: str = ""
    keys: tuple[str, ...] = ()
    """What its row or its place in the file says, without the system."""
    context: str = ""
    """Caption and heading."""
    notes: str = ""
    population: Population = ""
    n: int | None = None
    spread: PrintedNumber | None = None
    spread_kind: str = ""
    """``sd``, ``se``, or empty where nothing says which."""
    lower: PrintedNumber | None = None
    upper: PrintedNumber | None = None
    bold: bool = False
    rivals: str = ""
    """Numbers with the same text here are of one metric on the same queries, for different systems."""
    scale: Scale = "as_printed"
    line: int = 0
    spread_over: str = ""
    """What a head says that the spread is over: ``folds``, ``queries``; empty where none does."""

    @property
    def name(self) -> str:
        """The metric as a reader would write it: ``ndcg@10``, ``map@10`` (the denominator is not said)."""
        return str(MetricId(self.metric.name, parameter=self.metric.parameter))

    @property
    def equation(self) -> str:
        """The number with its name: ``nDCG@10 = 0.812``."""
        return f"{self.label or self.name} = {self.value.text}"

    @property
    def where(self) -> str:
        """File and place."""
        return f"{self.file}, {self.place}"

    @property
    def words(self) -> str:
        """Everything that is said around the number, in lower case."""
        return " ".join((self.context, self.system, *self.keys, self.notes)).lower()


@dataclass(frozen=True, slots=True)
class Improvement:
    """A number that follows from two others."""

    value: PrintedNumber
    unit: Literal["", "percent", "points", "absolute", "relative_percent"]
    parents: tuple[Statement, ...]
    """The numbers it may follow from: of one metric, in the order they stand."""
    file: str
    place: str
    context: str = ""
    label: str = ""
    """What it is called."""

    @property
    def where(self) -> str:
        """File and place."""
        return f"{self.file}, {self.place}"


@dataclass(frozen=True, slots=True)
class Statements:
    """Everything that was read from some documents."""

    statements: tuple[Statement, ...] = ()
    improvements: tuple[Improvement, ...] = ()
    tables: int = 0
    excluded: tuple[str, ...] = ()
    """Labels that a file says are left out."""

    def __add__(self, other: Statements) -> Statements:
        """Return what two documents say together."""
        return Statements(self.statements + other.statements, self.improvements + other.improvements,
                    self.tables + other.tables, self.excluded + other.excluded)  # fmt: skip


@dataclass(frozen=True)
class ReportedNumbers:
    """The numbers of some documents as the linter's rules see them, and what the user says of them."""

    all: Statements
    pooled: bool = False
    """Whether all rates are of pooled counts, and no means over folds."""
    graded: bool = False
    """Whether relevance has more than two grades."""

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Every number whose unit is known."""
        return tuple(one for one in self.all.statements if one.scale != "unknown")

    @cached_property
    def groups(self) -> Mapping[tuple[str, ...], Mapping[str, Statement]]:
        """Numbers of one system on the same queries in one table, by metric; the first of two with one name.

        Metrics are named without the denominator of an average precision.
        """
        found: dict[tuple[str, ...], dict[str, Statement]] = defaultdict(dict)
        for one in self.statements:
            found[one.group].setdefault(one.name, one)
        return found

    def is_binary(self, one: Statement) -> bool:
        """Tell whether nothing says that relevance is graded."""
        return not self.graded and "graded" not in one.words


Observations: TypeAlias = Iterator[tuple[str, str]]
"""The place of everything that a rule compares, and what is wrong there; empty where the rule holds."""


def population_of(*texts: str) -> Population:
    """Return which queries a text speaks of; empty where it says neither or both."""
    positives = any(_POSITIVES.search(text) for text in texts)
    everything = any(_ALL.search(text) for text in texts)
    if positives == everything:
        return ""
    return "positives_only" if positives else "all_queries"


def size_of(*texts: str) -> int | None:
    """Return the n that a text gives: 1279 of ``Positive queries (n = 1,279)``."""
    found = next((match[1] for text in texts if (match := _N.search(text))), None)
    digits = re.sub(r"\D", "", found or "")
    return int(digits[:18]) if digits else None


def on_one_scale(found: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the statements of one table with percent turned into shares; ``unknown`` where that cannot be told.

    Without a sign, a metric between 0 and 1 is printed in percent where a number of it lies above 1. In a table that
    has such a metric, another one whose numbers all lie below 1 may be either.
    """
    plain = [one for one in found if _is_share(one) and not _signed(one)]
    above = {one.metric for one in plain if one.value.lower > 1}
    return tuple(_scaled(one, above) for one in found)


def _is_share(one: Statement) -> bool:
    return one.metric.name in UNIT_RANGE or one.metric.name == "mcc"


def _signed(one: Statement) -> bool:
    return one.value.percent or one.scale == "percent"


def _scaled(one: Statement, above: set[MetricId]) -> Statement:
    if one.metric.name in COUNTS or not _is_share(one):
        return one
    if not _signed(one) and one.metric not in above:
        return replace(one, scale="unknown") if above else one
    spread, lower, upper = (
        part if part is None else part.scaled(_PERCENT) for part in (one.spread, one.lower, one.upper)
    )
    return replace(one, value=one.value.scaled(_PERCENT), spread=spread, lower=lower, upper=upper, scale="percent")
