"""A rule of the linter: a function with a code that says of everything it looked at whether it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from reportgen.manuscripts.statement import Said, Statement


@dataclass(frozen=True, slots=True)
class Looked:
    """One thing a rule looked at; ``wrong`` is empty where it holds."""

    where: str
    wrong: str = ""


@dataclass(frozen=True)
class Material:
    """What some documents say, and what the user says of them."""

    said: Said
    pooled: bool = False
    """Whether all rates are of pooled counts, and no means over folds."""
    graded: bool = False
    """Whether relevance has more than two grades."""

    @cached_property
    def groups(self) -> Mapping[tuple[str, ...], Mapping[str, Statement]]:
        """Numbers of one system on the same queries in one table, by metric; the first of two with one name.

        Metrics are named without the denominator of an average precision. Numbers whose unit is not known are left
        out.
        """
        found: dict[tuple[str, ...], dict[str, Statement]] = defaultdict(dict)
        for one in self.said.statements:
            if one.scale != "unknown":
                found[one.group].setdefault(one.name, one)
        return found

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Every number whose unit is known."""
        return tuple(one for one in self.said.statements if one.scale != "unknown")

    def is_binary(self, one: Statement) -> bool:
        """Whether nothing says that relevance is graded."""
        return not self.graded and "graded" not in one.words


Look: TypeAlias = Callable[[Material], Iterator[Looked]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule."""

    code: str
    look: Look


def rule(code: str) -> Callable[[Look], Rule]:
    """Declare a function as the rule of a code."""
    return lambda look: Rule(code, look)


def shown(one: Statement) -> str:
    """A number with its name: ``nDCG@10 = 0.812``."""
    return f"{one.label or one.name} = {one.value.text}"
