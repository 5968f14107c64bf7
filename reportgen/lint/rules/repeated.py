"""One name with two values."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations

from reportgen.lint.rule import Looked, Material, rule, shown
from reportgen.manuscripts.naming import COUNTS
from reportgen.manuscripts.statement import Statement

_NO_NAME = frozenset({"test", "eval", "the", "of", "and", "with", "queries", "positives", "only", "positive", "all"})
_PARTS = re.compile(r"[a-z]+(?:[.-]?\d+)*|\d+(?:\.\d+)?|[αβγδτ]")
_WORD = re.compile(r"[a-z]{3}")
_MOST = 400
"""Numbers with one name that are compared with each other; more are a list of runs and no table of results."""


@rule("RG659")
def two_values_in_one_table(material: Material) -> Iterator[Looked]:
    """A table that says one thing twice says the same; so do two tables that name metric, system and queries alike."""
    by_name: dict[tuple[object, ...], list[Statement]] = defaultdict(list)
    for one in material.statements:
        if one.system:
            by_name[one.table, one.system, one.keys, one.metric, one.label, one.notes].append(one)
    for found in by_name.values():
        if len(found) > 1:
            yield Looked(found[0].where, _differ(found))
    for first, second in _pairs(material):
        if first.protocol and first.protocol == second.protocol and first.system and tokens(first) == tokens(second):
            yield Looked(second.where, _differ([first, second]) if _one_set(first, second) else "")


@rule("RG671")
def two_values_in_several_tables(material: Material) -> Iterator[Looked]:
    """Tables of one collection that seem to speak of the same thing give it the same value."""
    names, protocols = _systems(material), _protocols(material)
    for first, second in _pairs(material):
        told_apart = protocols[first.table] | protocols[second.table]
        if first.protocol != second.protocol and len(told_apart) > 1:
            continue
        explicit = first.protocol and first.protocol == second.protocol and first.system
        if tokens(first) == tokens(second):
            if not (explicit and _one_set(first, second)):
                yield Looked(second.where, _differ([first, second]))
        elif _is_named_longer(first, second, names):
            yield Looked(second.where, _differ([first, second]))


def _pairs(material: Material) -> Iterator[tuple[Statement, Statement]]:
    """Numbers of different tables under one name of a metric."""
    by_name: dict[str, dict[int, Statement]] = defaultdict(dict)
    for one in material.statements:
        for name in {one.name, re.sub(r"[\W_]+", " ", one.label.lower()).strip()}:
            by_name[name][id(one)] = one
    seen: set[tuple[int, int]] = set()
    for found in by_name.values():
        if len(found) <= _MOST:
            for first, second in combinations(found.values(), 2):
                if first.table != second.table and (key := (id(first), id(second))) not in seen:
                    seen.add(key)
                    yield first, second


def _one_set(first: Statement, second: Statement) -> bool:
    """Whether nothing says that two tables are of different data."""
    return first.context == second.context and (first.n is None or second.n is None or first.n == second.n)


def tokens(one: Statement) -> frozenset[str]:
    """The words that tell what a number is about; how the file is organised is no part of it."""
    return frozenset(_PARTS.findall(" ".join((one.system, *one.keys)).lower())) - _NO_NAME


def _systems(material: Material) -> dict[str, set[frozenset[str]]]:
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for one in material.statements:
        found[one.file].add(_words(one))
    return found


def _protocols(material: Material) -> dict[str, set[str]]:
    """The queries that a table tells apart."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in material.statements:
        found[one.table].update({one.protocol} - {""})
    return found


def _words(one: Statement) -> frozenset[str]:
    return frozenset(_PARTS.findall(one.system.lower())) - _NO_NAME


def _is_named_longer(first: Statement, second: Statement, names: dict[str, set[frozenset[str]]]) -> bool:
    """Whether one file has the name of a system in short and another in full, and neither has both."""
    if first.file == second.file or first.metric.name in COUNTS:
        return False
    a, b = sorted((_words(first), _words(second)), key=len)
    if not a < b or not any(map(_WORD.match, a)) or tokens(first) - _words(first) != tokens(second) - _words(second):
        return False
    both = names[first.file] | names[second.file]
    longer = [name for name in both if a < name]
    return longer == [b] and not (names[first.file] >= {a, b} or names[second.file] >= {a, b})


def _differ(found: Sequence[Statement]) -> str:
    low, high = max(found, key=lambda one: one.value.lower), min(found, key=lambda one: one.value.upper)
    if low.value.lower <= high.value.upper:
        return ""
    if low.metric.name in COUNTS and low.value.value == high.value.value:
        return ""
    about = ", ".join(part for part in (low.system, low.protocol) if part)
    ending = f": {about}." if about else "."
    return f"{shown(low)} ({low.where}) and {shown(high)} ({high.where}) stand for one number{ending}"
