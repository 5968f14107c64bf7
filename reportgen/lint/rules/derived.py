"""Numbers that follow from other numbers beside them: improvements, totals, parts of a population."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from reportgen.lint.rule import Looked, Material, rule, shown
from reportgen.manuscripts import Printed
from reportgen.manuscripts.statement import Improvement, Statement

_OF_FOLDS = re.compile(r"(mean|average)\w* (of|over) (the )?(per-?)?folds?|per-fold|fold-?wise", re.IGNORECASE)
_BASE = re.compile(r"\b(?:vs\.?|versus|over|against|relative to|compared (?:to|with))\s+(?:the )?(\S.*)", re.IGNORECASE)
_ERROR = re.compile(r"\berrors?\b", re.IGNORECASE)
_FOLD = re.compile(r"(fold|split)[ _-]?\w{1,3}", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(total|all|sum|overall)\W*", re.IGNORECASE)
_PARTS = ("n_queries", "n_positive", "n_negative", "tp", "fp", "fn", "tn")
_FEW = 12
"""Systems of which every pair is tried as the parents of an improvement."""


@rule("RG658")
def improvements(material: Material) -> Iterator[Looked]:
    """An improvement is the difference, in points or relative, of two numbers that stand beside it."""
    for one in material.said.improvements:
        parents = [parent for parent in one.parents if parent.scale != "unknown"]
        if not 2 <= len(parents) <= _FEW or len(parents) != len(one.parents) or _is_of_others(one):
            continue
        found = [
            (low, high)
            for first, second in permutations(parents, 2)
            for low, high in _possible(one, first.value, second.value)
        ]
        if found:
            fits = any(one.value.lower <= high and low <= one.value.upper for low, high in found)
            yield Looked(one.where, "" if fits else _does_not_follow(one, parents))


def _is_of_others(one: Improvement) -> bool:
    """Whether it says that it follows from something else: from values of folds, or from a system that is not here."""
    if _OF_FOLDS.search(one.context):
        return True
    base = _BASE.search(one.label)
    words = set(base[1].lower().split()) if base else set()
    return bool(words) and not any(words & set(parent.system.lower().split()) for parent in one.parents)


def _possible(one: Improvement, base: Printed, value: Printed) -> Iterator[tuple[Fraction, Fraction]]:
    """The intervals of every reading of the improvement from one number to another, as a rise or as a fall."""
    for low, high in _changes(one, base, value):
        yield low, high
        yield -high, -low


def _changes(one: Improvement, base: Printed, value: Printed) -> Iterator[tuple[Fraction, Fraction]]:
    """The difference, and the difference relative to the first number or to what is missing to 1."""
    if one.unit != "relative_percent":
        low, high = value.lower - base.upper, value.upper - base.lower
        yield low * 100, high * 100
        if one.unit not in ("percent", "points"):
            yield low, high
    if one.unit in ("points", "absolute"):
        return
    if base.lower > 0:
        low, high = sorted((value.lower / base.upper - 1, value.upper / base.lower - 1))
        yield low * 100, high * 100
        if one.unit == "":
            yield low, high
    if _ERROR.search(one.label) and base.upper < 1:
        ends = [(value.lower - base.upper) / (1 - missing) for missing in (base.lower, base.upper)]
        ends += [(value.upper - base.lower) / (1 - missing) for missing in (base.lower, base.upper)]
        yield min(ends) * 100, max(ends) * 100


def _does_not_follow(one: Improvement, parents: list[Statement]) -> str:
    first, second = parents[0], parents[-1]
    relative = ""
    if first.value.lower > 0:
        low, high = second.value.lower / first.value.upper - 1, second.value.upper / first.value.lower - 1
        relative = f" or {float(low * 100):+.2f} to {float(high * 100):+.2f} %"
    least, most = second.value.lower - first.value.upper, second.value.upper - first.value.lower
    pair = f"{shown(first)} and {second.value.text} give"
    other = "" if len(parents) == 2 else ", and no two of the numbers beside it give it"
    return (f"'{one.value.text}' does not follow: {pair} {float(least * 100):+.2f} to {float(most * 100):+.2f} "
            f"points{relative}{other}.")  # fmt: skip


@rule("RG660")
def populations(material: Material) -> Iterator[Looked]:
    """Parts of a population are at most the whole, and where all of them stand there, they add up to it."""
    for group in material.groups.values():
        positives, total = (_whole(group.get(name)) for name in ("n_positive", "n_queries"))
        if positives is not None and total is not None:
            where = group["n_positive"].where
            yield Looked(where, f"{positives:,} positive queries are more than the {total:,} queries."
                         if positives > total else "")  # fmt: skip
        counts = [_whole(group.get(name)) for name in ("tp", "fp", "fn", "tn")]
        if None not in counts:
            tp, fp, fn, tn = (count or 0 for count in counts)
            where = group["tp"].where
            if positives is not None:
                yield Looked(where, f"TP + FN = {tp + fn:,}, but there are {positives:,} positive queries."
                             if tp + fn != positives else "")  # fmt: skip
            size = total if total is not None else group["tp"].n
            if size is not None:
                yield Looked(where, f"TP + FP + FN + TN = {tp + fp + fn + tn:,}, but there are {size:,} queries."
                             if tp + fp + fn + tn != size else "")  # fmt: skip
    yield from _totals(material)


def _totals(material: Material) -> Iterator[Looked]:
    """Counts of folds add up to the row of the total."""
    tables: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one in material.statements:
        if one.metric.name in _PARTS and one.keys:
            tables[one.table, one.name].append(one)
    for counted in tables.values():
        folds = [one for one in counted if _FOLD.fullmatch(one.keys[0].strip())]
        totals = [one for one in counted if _TOTAL.fullmatch(one.keys[0])]
        if len(folds) < 2 or len(totals) != 1 or len(folds) + 1 != len(counted):
            continue
        found, total = sum(one.value.value for one in folds), totals[0].value.value
        if all(_whole(one) is not None for one in counted):
            yield Looked(totals[0].where, f"The folds add up to {int(found):,}, not {int(total):,} ({totals[0].label})."
                         if found != total else "")  # fmt: skip


def _whole(one: Statement | None) -> int | None:
    if one is None or one.value.value.denominator != 1 or one.value.value < 0:
        return None
    return int(one.value.value)
