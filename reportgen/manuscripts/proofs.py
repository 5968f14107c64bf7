"""Rules of the linter that are proofs: no results round to the numbers that are printed, whatever they are.

The relations between ranking metrics hold for every query, so they hold for every mean over queries, folds or labels
with the same weights. Source: the definitions of the metrics; Järvelin and Kekäläinen 2002 for the discount of nDCG.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations

import numpy as np
from numpy.typing import NDArray

from reportgen.manuscripts.metric_names import COUNTS
from reportgen.manuscripts.printed_numbers import PrintedNumber
from reportgen.manuscripts.statements import Improvement, Observations, ReportedNumbers, Statement

_FIRST = ("ndcg", "precision", "hit", "mrr")
_BOUNDED_BY_HIT = ("precision", "recall", "map", "mrr", "ndcg")
_CONVENTIONAL_CUT = 10
"""A mean reciprocal rank without a cut-off is now and then cut at this one."""
_FLOAT = 1e-12


def one_number_at_the_top(reported: ReportedNumbers) -> Observations:
    """Check that at K = 1 nDCG, precision, hit rate and reciprocal rank say whether the first document is relevant."""
    for group in reported.groups.values():
        firsts = [group[f"{name}@1"] for name in _FIRST if f"{name}@1" in group]
        if (average := group.get("map@1")) and average.metric.variant == "min_R_K":
            firsts.append(average)
        firsts = [one for one in firsts if reported.is_binary(one)]
        if len(firsts) < 2:
            continue
        yield (firsts[0].where, _unequal(firsts))
        spread = [one for one in firsts if one.spread is not None]
        if len(spread) > 1:
            yield (spread[0].where, _unequal_spreads(spread))


def _unequal(firsts: list[Statement]) -> str:
    low, high = max(firsts, key=lambda one: one.value.lower), min(firsts, key=lambda one: one.value.upper)
    if low.value.lower <= high.value.upper:
        return ""
    return f"At K = 1 these are one number for binary relevance: {', '.join(one.equation for one in firsts)}."


def _unequal_spreads(firsts: list[Statement]) -> str:
    spreads = [(one, one.spread) for one in firsts if one.spread is not None]
    if max(spread.lower for _, spread in spreads) <= min(spread.upper for _, spread in spreads):
        return ""
    listed = ", ".join(f"{one.label or one.name} ± {spread.text}" for one, spread in spreads)
    return f"At K = 1 these are one number for binary relevance, and so are their spreads: {listed}."


def rises_with_the_cut_off(reported: ReportedNumbers) -> Observations:
    """Check that K · precision, hit rate, recall, reciprocal rank, and average precision over R do not fall with K."""
    for group in reported.groups.values():
        for name in ("hit", "recall", "mrr"):
            yield from _rising(name, _by_cut(group, name))
        averages = {k: one for k, one in _by_cut(group, "map").items() if one.metric.variant == "R"}
        yield from _rising("map", averages)
        yield from _rising("K · precision", _by_cut(group, "precision"), times_k=True)


def _by_cut(group: Mapping[str, Statement], name: str) -> dict[int, Statement]:
    found = {int(one.metric.parameter): one for one in group.values()
             if one.metric.name == name and one.metric.parameter.isdigit()}  # fmt: skip
    return dict(sorted((k, one) for k, one in found.items() if k > 0))


def _rising(name: str, by_cut: Mapping[int, Statement], *, times_k: bool = False) -> Observations:
    for (low, first), (high, second) in pairwise(by_cut.items()):
        below, above = (low, high) if times_k else (1, 1)
        falls = below * first.value.lower > above * second.value.upper
        yield (second.where, f"{name} falls from K = {low} to K = {high}: {first.equation}, {second.equation}."
                     if falls else "")  # fmt: skip


def bounds(reported: ReportedNumbers) -> Observations:
    """Check that what needs a hit is at most the hit rate; hit rate and recall are at most the hits, K · precision."""
    for group in reported.groups.values():
        hits, precisions = _by_cut(group, "hit"), _by_cut(group, "precision")
        for name in _BOUNDED_BY_HIT:
            for k, one in _by_cut(group, name).items():
                if k in hits and (name != "ndcg" or reported.is_binary(one)):
                    over = one.value.lower > hits[k].value.upper
                    yield (one.where, f"{one.equation} lies above {hits[k].equation}, but a query without a relevant "
                                 f"document in the top {k} adds nothing to it." if over else "")  # fmt: skip
        for name in ("hit", "recall"):
            for k, one in _by_cut(group, name).items():
                if k in precisions:
                    over = one.value.lower > k * precisions[k].value.upper
                    yield (one.where, f"{one.equation} lies above {k} · {precisions[k].equation}, the number of "
                                 "relevant documents in the top per query." if over else "")  # fmt: skip
        yield from _reciprocal_ranks(group, hits)


def _reciprocal_ranks(group: Mapping[str, Statement], hits: Mapping[int, Statement]) -> Observations:
    """Check that a reciprocal rank is between those of the last and the first rank that the hit rates allow."""
    for one in group.values():
        if one.metric.name != "mrr" or not hits or one.metric.kind not in ("", "cutoff"):
            continue
        cut = int(one.metric.parameter or 0)
        low = _least({k: hit for k, hit in hits.items() if k <= (cut or _CONVENTIONAL_CUT)})
        high = _most({k: hit for k, hit in hits.items() if not cut or k <= cut}, cut)
        if high is not None:
            outside = one.value.upper < low or one.value.lower > high
            rates = ", ".join(hit.equation for hit in hits.values())
            allowed = f"{float(low):.4f} to {float(high):.4f}"
            yield (one.where, f"{one.equation}, but the hit rates ({rates}) allow {allowed}." if outside else "")


def _least(hits: Mapping[int, Statement]) -> Fraction:
    """Return every first hit at the last rank its cut-off allows."""
    total = Fraction(0)
    cuts = list(hits)
    for at, k in enumerate(cuts):
        after = Fraction(1, cuts[at + 1]) if at + 1 < len(cuts) else Fraction(0)
        total += hits[k].value.lower * (Fraction(1, k) - after)
    return total


def _most(hits: Mapping[int, Statement], cut: int) -> Fraction | None:
    """Return every first hit right after the cut-off before.

    Queries without a hit have theirs right after the last one.
    """
    if not hits:
        return None
    total = Fraction(0)
    before = 0
    cuts = list(hits)
    for at, k in enumerate(cuts):
        beyond = at + 1 < len(cuts) or cut != k
        total += hits[k].value.upper * (Fraction(1, before + 1) - (Fraction(1, k + 1) if beyond else 0))
        before = k
    return total + (Fraction(1, before + 1) if cut != before else 0)


def step_of_ndcg(reported: ReportedNumbers) -> Observations:
    """Check that another relevant document below rank K1 adds at most 1/log2(K1 + 2): the ideal gain is at least 1."""
    for group in reported.groups.values():
        gains, precisions = _by_cut(group, "ndcg"), _by_cut(group, "precision")
        both = [k for k in gains if k in precisions and reported.is_binary(gains[k])]
        for low, high in combinations(both, 2):
            step = float(gains[high].value.lower - gains[low].value.upper)
            hits = high * precisions[high].value.upper - low * precisions[low].value.lower
            most = float(hits) / math.log2(low + 2)
            gained, came_in = (f"{of[low].equation}, {of[high].equation}" for of in (gains, precisions))
            yield (gains[high].where, f"nDCG rises by at least {step:.4f} from K = {low} to K = {high} ({gained}), but "
                   f"the {float(hits):.4f} relevant documents per query that come in at most ({came_in}) can add "
                   f"{most:.4f} for binary relevance." if step > most + _FLOAT else "")  # fmt: skip


_MARGIN = 1e-9
_POOLED = re.compile(r"\bpooled\b|\bmicro\b")
_MEANS = re.compile(r"\bmeans?\b|\bmacro\b|\baveraged?\b|±")
_FOLDS = re.compile(r"\bfolds?\b|\bseeds?\b|\bcross-?validat")
_TYPED = 6
"""Decimals that people print at most; a file with more was written by a program, and says nothing by its words."""
_NEAR = Fraction(2, 100)
"""How far a mean over folds usually lies from the pooled value."""
_COUNTS = ("tp", "fp", "fn", "tn")


def is_pooled(reported: ReportedNumbers, group: Mapping[str, Statement]) -> bool:
    """Return whether rates are quotients of counts: the user says so, or the document does."""
    words = " ".join(one.words for one in group.values())
    return reported.pooled or bool(_POOLED.search(words) and not _MEANS.search(words))


def complements(reported: ReportedNumbers) -> Observations:
    """Check FPR = 1 − specificity, FNR = 1 − sensitivity, balanced accuracy = their mean: also for means over folds."""
    for group in reported.groups.values():
        rates = _rates(group)
        for rate, other in (("fpr", "specificity"), ("fnr", "sensitivity")):
            if rate in rates and other in rates:
                a, b = rates[rate].value, rates[other].value
                wrong = a.lower + b.lower > 1 or a.upper + b.upper < 1
                yield (rates[rate].where, f"{rates[rate].equation} and {rates[other].equation} do not add up to 1."
                             if wrong else "")  # fmt: skip
        if {"balanced_accuracy", "sensitivity", "specificity"} <= rates.keys():
            mean, first, second = (rates[name] for name in ("balanced_accuracy", "sensitivity", "specificity"))
            low, high = (first.value.lower + second.value.lower) / 2, (first.value.upper + second.value.upper) / 2
            wrong = mean.value.lower > high or mean.value.upper < low
            yield (mean.where, f"{mean.equation} is not the mean of {first.equation} and {second.equation}."
                         if wrong else "")  # fmt: skip


def of_their_parts(reported: ReportedNumbers) -> Observations:
    """Check that F1 is the harmonic mean of precision and recall, and MCC follows from four rates, of pooled counts."""
    for group in reported.groups.values():
        rates = _rates(group)
        if not is_pooled(reported, group):
            continue
        if {"f1", "precision", "sensitivity"} <= rates.keys():
            one, a, b = (rates[name] for name in ("f1", "precision", "sensitivity"))
            low, high = _harmonic(a.value.lower, b.value.lower), _harmonic(a.value.upper, b.value.upper)
            wrong = one.value.lower > high or one.value.upper < low
            yield (one.where, f"{one.equation}, but {a.equation} and {b.equation} give {float(low):.4f} to "
                         f"{float(high):.4f}." if wrong else "")  # fmt: skip
        parts = ("sensitivity", "specificity", "precision", "npv")
        if "mcc" in rates and rates.keys() >= set(parts):
            one, of = rates["mcc"], [rates[name].value for name in parts]
            lowest, highest = (_correlation([float(getattr(part, end)) for part in of]) for end in ("lower", "upper"))
            wrong = float(one.value.lower) > highest + _MARGIN or float(one.value.upper) < lowest - _MARGIN
            yield (one.where, f"{one.equation}, but {', '.join(rates[name].equation for name in parts)} give "
                         f"{lowest:.4f} to {highest:.4f}." if wrong else "")  # fmt: skip


def whole_counts(reported: ReportedNumbers) -> Observations:
    """Check that rates of pooled counts come from a confusion matrix of whole numbers."""
    yield from matrices(reported, pooled=True)


def matrices(reported: ReportedNumbers, *, pooled: bool) -> Observations:
    """Look for a confusion matrix behind the rates that are pooled, or behind those that nothing says are not."""
    for group in reported.groups.values():
        rates = {name: one for name, one in _rates(group).items() if name in RATES}
        sizes = _sizes(group)
        counts = [rates[name] for name in _COUNTS if name in rates]
        if sizes is None or len(rates) - len(counts) < 2 or any(_count(one) is None for one in counts):
            continue
        words = " ".join(one.words for one in group.values())
        if is_pooled(reported, group) != pooled or (not pooled and (_MEANS.search(words) or _FOLDS.search(words))):
            continue
        if not pooled and any(one.value.decimals > _TYPED for one in rates.values()):
            continue
        known = {name: _held(name, one.value, pooled=pooled) for name, one in rates.items()}
        found = matrix_exists(*sizes, known)
        if found is not None:
            first = next(iter(rates.values()))
            yield (first.where, "" if found else f"With {sizes[0]:,} positive and {sizes[1]:,} negative queries "
                         f"no confusion matrix gives {', '.join(one.equation for one in rates.values())}.")  # fmt: skip


def _rates(group: Mapping[str, Statement]) -> dict[str, Statement]:
    """Return the rates by name.

    Recall without a cut-off is sensitivity where other rates of decisions are next to it.
    """
    found = dict(group)
    if (
        "sensitivity" not in found
        and "recall" in found
        and {"f1", "accuracy", "specificity", "precision"} & found.keys()
    ):
        found["sensitivity"] = found["recall"]
    return found


def _sizes(group: Mapping[str, Statement]) -> tuple[int, int] | None:
    """Return positive and negative queries, as the group itself says them."""
    counts = {
        name: _count(group[name]) for name in ("n_positive", "n_negative", "n_queries", *_COUNTS) if name in group
    }
    if set(_COUNTS) <= counts.keys() and None not in counts.values():
        tp, fp, fn, tn = (counts[name] or 0 for name in _COUNTS)
        return tp + fn, fp + tn
    positives, negatives, total = (counts.get(name) for name in ("n_positive", "n_negative", "n_queries"))
    if positives is not None and negatives is None and total is not None and total >= positives:
        negatives = total - positives
    return None if positives is None or negatives is None or positives + negatives == 0 else (positives, negatives)


def _count(one: Statement) -> int | None:
    return int(one.value.value) if one.value.value.denominator == 1 and one.value.value >= 0 else None


def _held(name: str, value: PrintedNumber, *, pooled: bool) -> PrintedNumber:
    """Return a count is what it is, a rate is rounded; where it may be a mean over folds, it may lie a little off."""
    if name in _COUNTS:
        return PrintedNumber(value.text, value.value, Fraction(0))
    return value if pooled else PrintedNumber(value.text, value.value, max(value.half, _NEAR))


def _harmonic(a: Fraction, b: Fraction) -> Fraction:
    a, b = max(a, Fraction(0)), max(b, Fraction(0))
    return 2 * a * b / (a + b) if a + b else Fraction(0)


def _correlation(rates: list[float]) -> float:
    """Return MCC from sensitivity, specificity, precision and NPV; it rises with each of them."""
    inside = [min(max(rate, 0.0), 1.0) for rate in rates]
    return math.sqrt(math.prod(inside)) - math.sqrt(math.prod(1 - rate for rate in inside))


Floats = NDArray[np.float64]

RATES = ("sensitivity", "specificity", "precision", "npv", "accuracy", "balanced_accuracy", "f1", "mcc", "fpr", "fnr",
         "tp", "fp", "fn", "tn")  # fmt: skip
"""What a matrix is compared with."""
_LARGEST = 3 * 10**8
"""Pairs of true positives and true negatives that are tried at most."""


def matrix_exists(positives: int, negatives: int, rates: Mapping[str, PrintedNumber]) -> bool | None:
    """Return whether any whole-number confusion matrix gives all these rates; None where there are too many to try.

    Args:
        positives: Queries of the positive class.
        negatives: Queries of the negative class.
        rates: Printed rates, as shares, by their names in :data:`RATES`. A rate whose denominator is 0 is not
            compared with a matrix, since conventions differ on what is printed then.

    Source: Fazekas and Kovács 2024, "Testing the consistency of performance scores reported for binary classification
    problems", Applied Soft Computing 164.
    """
    low, high = _true(positives, rates.get("sensitivity"), rates.get("fnr"), rates.get("tp"), rates.get("fn"))
    least, most = _true(negatives, rates.get("specificity"), rates.get("fpr"), rates.get("tn"), rates.get("fp"))
    if low > high or least > most:
        return False
    if (high - low + 1) * (most - least + 1) > _LARGEST:
        return None
    tn = np.arange(least, most + 1, dtype=np.float64)
    return any(_fits(float(tp), tn, positives, negatives, rates) for tp in range(low, high + 1))


def _true(
    total: int, rate: PrintedNumber | None, missed: PrintedNumber | None, right: PrintedNumber | None,
    wrong: PrintedNumber | None,
) -> tuple[int, int]:  # fmt: skip
    """Return the range of correct decisions in a class that its rates and counts leave open."""
    low, high = 0, total
    if rate is not None and total:
        low, high = max(low, math.ceil(rate.lower * total)), min(high, math.floor(rate.upper * total))
    if missed is not None and total:
        low, high = max(low, math.ceil((1 - missed.upper) * total)), min(high, math.floor((1 - missed.lower) * total))
    if right is not None:
        low, high = max(low, math.ceil(right.lower)), min(high, math.floor(right.upper))
    if wrong is not None:
        low, high = max(low, math.ceil(total - wrong.upper)), min(high, math.floor(total - wrong.lower))
    return low, high


def _fits(tp: float, tn: Floats, positives: int, negatives: int, rates: Mapping[str, PrintedNumber]) -> bool:
    """Return whether any of these true negatives goes with these true positives."""
    fn, fp = positives - tp, negatives - tn
    sensitivity = tp / positives if positives else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        specificity = tn / negatives if negatives else np.full_like(tn, np.nan)
        found: dict[str, Floats] = {
            "precision": tp / (tp + fp),
            "npv": tn / (tn + fn),
            "accuracy": (tp + tn) / (positives + negatives),
            "balanced_accuracy": (sensitivity + specificity) / 2,
            "f1": 2 * tp / (2 * tp + fp + fn),
            "mcc": (tp * tn - fp * fn) / np.sqrt((tp + fp) * positives * negatives * (tn + fn)),
        }
    left = np.ones(len(tn), dtype=bool)
    for name, values in found.items():
        if (rate := rates.get(name)) is not None:
            inside = (values >= float(rate.lower) - _MARGIN) & (values <= float(rate.upper) + _MARGIN)
            left &= inside | np.isnan(values)
    return bool(left.any())


_OF_FOLDS = re.compile(r"(mean|average)\w* (of|over) (the )?(per-?)?folds?|per-fold|fold-?wise", re.IGNORECASE)
_BASE = re.compile(r"\b(?:vs\.?|versus|over|against|relative to|compared (?:to|with))\s+(?:the )?(\S.*)", re.IGNORECASE)
_ERROR = re.compile(r"\berrors?\b", re.IGNORECASE)
_FOLD = re.compile(r"(fold|split)[ _-]?\w{1,3}", re.IGNORECASE)
_TOTAL = re.compile(r"\W*(total|all|sum|overall)\W*", re.IGNORECASE)
_PARTS = ("n_queries", "n_positive", "n_negative", "tp", "fp", "fn", "tn")
_FEW = 12
"""Systems of which every pair is tried as the parents of an improvement."""


def improvements(reported: ReportedNumbers) -> Observations:
    """Check that an improvement is the difference, in points or relative, of two numbers that are next to it."""
    for one in reported.all.improvements:
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
            yield (one.where, "" if fits else _does_not_follow(one, parents))


def _is_of_others(one: Improvement) -> bool:
    """Return whether it says that it follows from something else: from values of folds, or from a system that is not
    here.
    """
    if _OF_FOLDS.search(one.context):
        return True
    base = _BASE.search(one.label)
    words = set(base[1].lower().split()) if base else set()
    return bool(words) and not any(words & set(parent.system.lower().split()) for parent in one.parents)


def _possible(one: Improvement, base: PrintedNumber, value: PrintedNumber) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the intervals of every reading of the improvement from one number to another, as a rise or as a fall."""
    for low, high in _changes(one, base, value):
        yield low, high
        yield -high, -low


def _changes(one: Improvement, base: PrintedNumber, value: PrintedNumber) -> Iterator[tuple[Fraction, Fraction]]:
    """Yield the difference, and the difference relative to the first number or to what is missing to 1."""
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
    pair = f"{first.equation} and {second.value.text} give"
    other = "" if len(parents) == 2 else ", and no two of the numbers beside it give it"
    return (f"'{one.value.text}' does not follow: {pair} {float(least * 100):+.2f} to {float(most * 100):+.2f} "
            f"points{relative}{other}.")  # fmt: skip


def populations(reported: ReportedNumbers) -> Observations:
    """Check that parts of a population are at most the whole, and add up to it where all of them are given."""
    for group in reported.groups.values():
        positives, total = (_whole(group.get(name)) for name in ("n_positive", "n_queries"))
        if positives is not None and total is not None:
            where = group["n_positive"].where
            yield (where, f"{positives:,} positive queries are more than the {total:,} queries."
                         if positives > total else "")  # fmt: skip
        counts = [_whole(group.get(name)) for name in ("tp", "fp", "fn", "tn")]
        if None not in counts:
            tp, fp, fn, tn = (count or 0 for count in counts)
            where = group["tp"].where
            if positives is not None:
                yield (where, f"TP + FN = {tp + fn:,}, but there are {positives:,} positive queries."
                             if tp + fn != positives else "")  # fmt: skip
            size = total if total is not None else group["tp"].n
            if size is not None:
                yield (where, f"TP + FP + FN + TN = {tp + fp + fn + tn:,}, but there are {size:,} queries."
                             if tp + fp + fn + tn != size else "")  # fmt: skip
    yield from _totals(reported)


def _totals(reported: ReportedNumbers) -> Observations:
    """Check that counts of folds add up to the row of the total."""
    tables: dict[tuple[str, str], list[Statement]] = defaultdict(list)
    for one in reported.statements:
        if one.metric.name in _PARTS and one.keys:
            tables[one.table, one.name].append(one)
    for counted in tables.values():
        folds = [one for one in counted if _FOLD.fullmatch(one.keys[0].strip())]
        totals = [one for one in counted if _TOTAL.fullmatch(one.keys[0])]
        if len(folds) < 2 or len(totals) != 1 or len(folds) + 1 != len(counted):
            continue
        found, total = sum(one.value.value for one in folds), totals[0].value.value
        if all(_whole(one) is not None for one in counted):
            yield (totals[0].where, f"The folds add up to {int(found):,}, not {int(total):,} ({totals[0].label})."
                         if found != total else "")  # fmt: skip


def _whole(one: Statement | None) -> int | None:
    if one is None or one.value.value.denominator != 1 or one.value.value < 0:
        return None
    return int(one.value.value)


_NO_NAME = frozenset({"test", "eval", "the", "of", "and", "with", "queries", "positives", "only", "positive", "all"})
_NAME_PARTS = re.compile(r"[a-z]+(?:[.-]?\d+)*|\d+(?:\.\d+)?|[αβγδτ]")
_MOST = 400
"""Numbers with one name that are compared with each other; more are a list of runs and no table of results."""


def two_values_in_one_table(reported: ReportedNumbers) -> Observations:
    """Check that a table that says one thing twice says the same.

    So must two tables that name metric, system and queries alike.
    """
    by_name: dict[tuple[object, ...], list[Statement]] = defaultdict(list)
    for one in reported.statements:
        if one.system:
            by_name[one.table, one.system, one.keys, one.metric, one.label, one.notes].append(one)
    for found in by_name.values():
        if len(found) > 1:
            yield (found[0].where, differ(found))
    for first, second in pairs(reported):
        if (
            first.population
            and first.population == second.population
            and first.system
            and tokens(first) == tokens(second)
        ):
            yield (second.where, differ([first, second]) if one_set(first, second) else "")


def pairs(reported: ReportedNumbers) -> Iterator[tuple[Statement, Statement]]:
    """Yield numbers of different tables under one name of a metric."""
    by_name: dict[str, dict[int, Statement]] = defaultdict(dict)
    for one in reported.statements:
        for name in {one.name, re.sub(r"[\W_]+", " ", one.label.lower()).strip()}:
            by_name[name][id(one)] = one
    seen: set[tuple[int, int]] = set()
    for found in by_name.values():
        if len(found) <= _MOST:
            for first, second in combinations(found.values(), 2):
                if first.table != second.table and (key := (id(first), id(second))) not in seen:
                    seen.add(key)
                    yield first, second


def one_set(first: Statement, second: Statement) -> bool:
    """Return whether nothing says that two tables are of different data."""
    return first.context == second.context and (first.n is None or second.n is None or first.n == second.n)


def tokens(one: Statement) -> frozenset[str]:
    """Return the words that tell what a number is about; how the file is organised is not part of it."""
    return frozenset(_NAME_PARTS.findall(" ".join((one.system, *one.keys)).lower())) - _NO_NAME


def words(one: Statement) -> frozenset[str]:
    """Return the words of the name of a system."""
    return frozenset(_NAME_PARTS.findall(one.system.lower())) - _NO_NAME


def differ(found: Sequence[Statement]) -> str:
    """Say that numbers of one thing differ; nothing where one value could be printed as all of them."""
    low, high = max(found, key=lambda one: one.value.lower), min(found, key=lambda one: one.value.upper)
    if low.value.lower <= high.value.upper:
        return ""
    if low.metric.name in COUNTS and low.value.value == high.value.value:
        return ""
    about = ", ".join(part for part in (low.system, low.population) if part)
    ending = f": {about}." if about else "."
    return f"{low.equation} ({low.where}) and {high.equation} ({high.where}) stand for one number{ending}"
