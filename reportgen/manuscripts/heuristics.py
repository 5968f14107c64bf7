"""Rules of the linter for what is seldom right, each with its share of false alarms on tables that are right."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

from reportgen.manuscripts.metric_names import COUNTS, UNIT_RANGE, direction
from reportgen.manuscripts.printed_numbers import PrintedNumber
from reportgen.manuscripts.proofs import differ, matrices, one_set, pairs, tokens, words
from reportgen.manuscripts.statements import Observations, ReportedNumbers, Statement

_NARROW = 0.5
"""An interval of less than half the width that independent queries give: clustering widens, seldom narrows."""
_Z = 1.959964
_FAR_APART = 4
"""Ratio of two spreads of one value: an SD over queries is that much wider than one over folds, or more."""
_CHANCE = re.compile(r"\b(random|chance|no[- ]skill|coin|dummy|uninformative|baseline)\b", re.IGNORECASE)
_RANKING = frozenset({"ndcg", "map", "mrr", "hit"})
_TWO_CLASSES = frozenset({"auroc", "auprc", "specificity", "fpr", "tpr_fpr", "balanced_accuracy", "mcc"})
_MULTIPLES = (Fraction(1), Fraction(196, 100), Fraction(2))
_WORD = re.compile(r"[a-z]{3}")
_DIGITS = Fraction(1, 100)
"""A spread that is printed less exactly than this fits many an interval by chance."""
_PART_OF_BRIER = re.compile(r"resolution|discrimination|uncertainty|skill")


def deviation_as_interval(reported: ReportedNumbers) -> Observations:
    """Check that no interval is the mean and a multiple of the standard deviation, which says nothing of the mean."""
    for one in reported.statements:
        if one.spread is None or one.lower is None or one.upper is None:
            continue
        if one.spread_kind == "se" or one.metric.name in COUNTS:
            continue
        for multiple in _MULTIPLES if one.spread_kind == "sd" else _MULTIPLES[:1]:
            if _is_made_of(one.value, one.spread, one.lower, one.upper, multiple):
                yield (one.where, f"The interval [{one.lower.text}, {one.upper.text}] of {one.equation} is the "
                             f"value ± {float(multiple):g} · {one.spread.text}, its spread.")  # fmt: skip
                break
        else:
            yield one.where, ""


def _is_made_of(
    value: PrintedNumber, spread: PrintedNumber, lower: PrintedNumber, upper: PrintedNumber, multiple: Fraction
) -> bool:
    if spread.half > _DIGITS * spread.value:
        return False
    least, most = multiple * spread.lower, multiple * spread.upper
    below = value.lower - most <= lower.upper and lower.lower <= value.upper - least
    above = value.lower + least <= upper.upper and upper.lower <= value.upper + most
    return below and above


def narrower_than_independence(reported: ReportedNumbers) -> Observations:
    """Find an interval of an AUROC that is far narrower than that of independent queries (Hanley and McNeil 1982)."""
    sizes = _sizes(reported)
    for group in reported.groups.values():
        one = group.get("auroc")
        if one is None or one.lower is None or one.upper is None:
            continue
        positives, total = (group.get(name) for name in ("n_positive", "n_queries"))
        size = (int(positives.value.value), int(total.value.value)) if positives and total else sizes.get(one.file)
        if size is None or not 0 < size[0] < size[1]:
            continue
        half = float(one.upper.upper - one.lower.lower) / 2
        expected = _Z * _hanley_mcneil(float(one.value.value), size[0], size[1] - size[0])
        narrow = half < _NARROW * expected
        yield (one.where, f"The interval [{one.lower.text}, {one.upper.text}] of {one.equation} has a half width "
                     f"of {half:.4f}; {size[0]:,} positive of {size[1]:,} independent queries give {expected:.4f}."
                     if narrow else "")  # fmt: skip


def _sizes(reported: ReportedNumbers) -> dict[str, tuple[int, int]]:
    """Return positive queries and queries of the files that say one size only, apart from rows of parts."""
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for group in reported.groups.values():
        if {"n_positive", "n_queries"} <= group.keys():
            for name in ("n_positive", "n_queries"):
                found[group[name].file][name].add(int(group[name].value.value))
    return {
        file: (next(iter(sizes["n_positive"])), next(iter(sizes["n_queries"])))
        for file, sizes in found.items()
        if len(sizes["n_positive"]) == len(sizes["n_queries"]) == 1
    }


def _hanley_mcneil(auroc: float, positives: int, negatives: int) -> float:
    """Return the standard error of an AUROC of independent queries."""
    if not 0 < auroc < 1:
        return 0.0
    first, second = auroc / (2 - auroc), 2 * auroc**2 / (1 + auroc)
    spread = auroc * (1 - auroc) + (positives - 1) * (first - auroc**2) + (negatives - 1) * (second - auroc**2)
    return math.sqrt(spread / (positives * negatives))


def two_kinds_of_spread(reported: ReportedNumbers) -> Observations:
    """Find one value with two spreads of different size: over queries and over folds, and nothing says which."""
    by_value: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one in reported.statements:
        if one.spread is not None and one.value.decimals >= 3 and one.spread_kind != "se":
            by_value[one.name, one.value.text].append(one)
    for found in by_value.values():
        for first, second in combinations(found[:20], 2):
            if not _may_be_one(first, second):
                continue
            if first.spread_over and second.spread_over and first.spread_over != second.spread_over:
                continue
            a, b = sorted(part.value for part in (first.spread, second.spread) if part is not None)
            far = a > 0 and b / a > _FAR_APART
            yield (second.where, f"{first.equation} has the spread {_text(first)} ({first.where}) and the spread "
                         f"{_text(second)} ({second.where})." if far else "")  # fmt: skip


def _may_be_one(first: Statement, second: Statement) -> bool:
    a, b = tokens(first), tokens(second)
    return (a <= b or b <= a) and (first.n is None or second.n is None or first.n == second.n)


def _text(one: Statement) -> str:
    return one.spread.text if one.spread else ""


def chance_of_precision(reported: ReportedNumbers) -> Observations:
    """Check that the area under a precision-recall curve of chance is the share of positive queries, seldom a half."""
    for one in reported.statements:
        if one.metric.name == "auprc" and _CHANCE.search(" ".join((one.system, *one.keys, one.notes))):
            half = one.value.value == Fraction(1, 2)
            prevalence = reported.groups[one.group].get("prevalence")
            known = prevalence is not None and prevalence.value.agrees(one.value)
            yield (one.where, f"{one.equation} stands as the level of chance, which for this metric is the share "
                         "of positive queries." if half and not known else "")  # fmt: skip


def population_of_another(reported: ReportedNumbers) -> Observations:
    """Find a label of the queries that its value contradicts."""
    for one in reported.statements:
        if one.metric.name == "prevalence" and one.population == "positives_only":
            yield (one.where, f"{one.equation} is said to be of positive queries only, among which it is 1."
                         if one.value.upper < 1 else "")  # fmt: skip
        elif one.metric.name in _TWO_CLASSES and one.population == "positives_only":
            yield (one.where, f"{one.equation} is said to be of positive queries only, but needs both classes.")
        elif one.metric.name in _RANKING and one.population == "all_queries":
            share = reported.groups[one.group].get("prevalence")
            above = share is not None and one.value.lower > share.value.upper
            yield (one.where, f"{one.equation} is said to be of all queries, of which only {share.value.text} have "
                         "something to find." if share and above else "")  # fmt: skip


def best_mark_elsewhere(reported: ReportedNumbers) -> Observations:
    """Find bold on a number that is the best neither of its column nor, among columns of its metric, of its row."""
    rivals: dict[tuple[str, str, str], list[Statement]] = defaultdict(list)
    marks: dict[tuple[str, str], list[bool]] = defaultdict(list)
    rows: dict[tuple[str, str, str], list[Statement]] = defaultdict(list)
    for one in reported.statements:
        marks[one.table, one.system].append(one.bold)
        rows[one.table, one.system, one.name].append(one)
        if one.rivals and direction(one.metric) != "none" and not _PART_OF_BRIER.search(one.words):
            rivals[one.table, one.rivals, one.name].append(one)
    for found in rivals.values():
        bold = [one for one in found if one.bold]
        emphasised = any(len(marks[one.table, one.system]) > 1 and all(marks[one.table, one.system]) for one in bold)
        if len(found) < 2 or not bold or len(bold) == len(found) or emphasised:
            continue
        # A column for each system and a row for each label: what is bold is the best of its row.
        beside = [rows[one.table, one.system, one.name] for one in bold]
        along = all(len(row) > 1 and not _not_best([one], row) for one, row in zip(bold, beside, strict=True))
        yield (bold[0].where, "" if along else _not_best(bold, found))


def _not_best(bold: list[Statement], found: list[Statement]) -> str:
    sign = 1 if direction(bold[0].metric) == "higher" else -1
    for one in bold:
        for other in found:
            if not other.bold and sign * other.value.value > sign * one.value.value:
                best = f"{one.equation} ({one.system}) is marked as the best"
                return f"{best}, but {other.equation} ({other.system}) is better."
    return ""


def out_of_range(reported: ReportedNumbers) -> Observations:
    """Find a share above 1 or below 0: the number or the name of the metric is another one."""
    for one in reported.statements:
        if one.metric.name in UNIT_RANGE:
            outside = one.value.lower > 1 or one.value.upper < 0
            yield (one.where, f"{one.equation} lies outside 0 to 1." if outside else "")


def labels_and_whole(reported: ReportedNumbers) -> Observations:
    """Find labels that have as many queries as a file says in all, but then not as many positive ones."""
    parts: dict[str, list[tuple[str, int, int]]] = defaultdict(list)
    wholes: list[tuple[Statement, int, int]] = []
    for group in reported.groups.values():
        if {"n_positive", "n_queries"} <= group.keys():
            positive = group["n_positive"]
            pair = (int(group["n_queries"].value.value), int(positive.value.value))
            if len(group) > 2 and positive.system:
                parts[positive.table].append((positive.system, *pair))
            elif not positive.system:
                wholes.append((positive, *pair))
    for rows in parts.values():
        for whole, total, positives in wholes:
            sums = _sums(rows, total, reported.all.excluded) if 2 <= len(rows) <= 16 else set()
            if sums:
                yield (whole.where, f"{positives:,} of {total:,} queries are positive here, but the labels that "
                             f"have {total:,} queries together have {_listed(sums)} positive ones."
                             if positives not in sums else "")  # fmt: skip


def _sums(rows: list[tuple[str, int, int]], total: int, excluded: tuple[str, ...]) -> set[int]:
    """Return positive queries of the labels that are not left out, else of every selection, with so many queries."""
    left = [(queries, positives) for name, queries, positives in rows if name not in excluded]
    if sum(queries for queries, _ in left) == total:
        return {sum(positives for _, positives in left)}
    found: set[tuple[int, int]] = {(0, 0)}
    for _, queries, positives in rows:
        found |= {(n + queries, p + positives) for n, p in found if n + queries <= total}
    return {positives for queries, positives in found if queries == total}


def _listed(numbers: set[int]) -> str:
    texts = [f"{number:,}" for number in sorted(numbers)]
    return " or ".join(texts) if len(texts) <= 3 else f"{texts[0]} to {texts[-1]}"


def two_values_in_several_tables(reported: ReportedNumbers) -> Observations:
    """Check that tables of one collection give the same value to what seems to be the same thing."""
    names, populations = _systems(reported), _populations(reported)
    for first, second in pairs(reported):
        told_apart = populations[first.table] | populations[second.table]
        if first.population != second.population and len(told_apart) > 1:
            continue
        explicit = first.population and first.population == second.population and first.system
        if tokens(first) == tokens(second):
            if not (explicit and one_set(first, second)):
                yield (second.where, differ([first, second]))
        elif _is_named_longer(first, second, names):
            yield (second.where, differ([first, second]))


def _systems(reported: ReportedNumbers) -> dict[str, set[frozenset[str]]]:
    found: dict[str, set[frozenset[str]]] = defaultdict(set)
    for one in reported.statements:
        found[one.file].add(words(one))
    return found


def _populations(reported: ReportedNumbers) -> dict[str, set[str]]:
    """Return the queries that a table tells apart."""
    found: dict[str, set[str]] = defaultdict(set)
    for one in reported.statements:
        found[one.table].update({one.population} - {""})
    return found


def _is_named_longer(first: Statement, second: Statement, names: dict[str, set[frozenset[str]]]) -> bool:
    """Return whether one file has the name of a system in short and another in full, and neither has both."""
    if first.file == second.file or first.metric.name in COUNTS:
        return False
    a, b = sorted((words(first), words(second)), key=len)
    if not a < b or not any(map(_WORD.match, a)) or tokens(first) - words(first) != tokens(second) - words(second):
        return False
    both = names[first.file] | names[second.file]
    longer = [name for name in both if a < name]
    return longer == [b] and not (names[first.file] >= {a, b} or names[second.file] >= {a, b})


def whole_counts_if_pooled(reported: ReportedNumbers) -> Observations:
    """Check the same where nothing says what the rates are: means over folds could be other than these."""
    yield from matrices(reported, pooled=False)
