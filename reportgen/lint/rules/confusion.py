"""What holds between rates of one set of decisions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction

from reportgen.lint import matrices
from reportgen.lint.rule import Looked, Material, rule, shown
from reportgen.manuscripts import Printed
from reportgen.manuscripts.statement import Statement

_MARGIN = 1e-9
_POOLED = re.compile(r"\bpooled\b|\bmicro\b")
_MEANS = re.compile(r"\bmeans?\b|\bmacro\b|\baveraged?\b|±")
_FOLDS = re.compile(r"\bfolds?\b|\bseeds?\b|\bcross-?validat")
_TYPED = 6
"""Decimals that people print at most; a file with more was written by a program, and says nothing by its words."""
_NEAR = Fraction(2, 100)
"""How far a mean over folds usually lies from the pooled value."""
_COUNTS = ("tp", "fp", "fn", "tn")


def is_pooled(material: Material, group: Mapping[str, Statement]) -> bool:
    """Whether rates are quotients of counts: the user says so, or the document does."""
    words = " ".join(one.words for one in group.values())
    return material.pooled or bool(_POOLED.search(words) and not _MEANS.search(words))


@rule("RG655")
def complements(material: Material) -> Iterator[Looked]:
    """FPR = 1 − specificity, FNR = 1 − sensitivity, balanced accuracy = their mean: also for means over folds."""
    for group in material.groups.values():
        rates = _rates(group)
        for rate, other in (("fpr", "specificity"), ("fnr", "sensitivity")):
            if rate in rates and other in rates:
                a, b = rates[rate].value, rates[other].value
                wrong = a.lower + b.lower > 1 or a.upper + b.upper < 1
                yield Looked(rates[rate].where, f"{shown(rates[rate])} and {shown(rates[other])} do not add up to 1."
                             if wrong else "")  # fmt: skip
        if {"balanced_accuracy", "sensitivity", "specificity"} <= rates.keys():
            mean, first, second = (rates[name] for name in ("balanced_accuracy", "sensitivity", "specificity"))
            low, high = (first.value.lower + second.value.lower) / 2, (first.value.upper + second.value.upper) / 2
            wrong = mean.value.lower > high or mean.value.upper < low
            yield Looked(mean.where, f"{shown(mean)} is not the mean of {shown(first)} and {shown(second)}."
                         if wrong else "")  # fmt: skip


@rule("RG656")
def of_their_parts(material: Material) -> Iterator[Looked]:
    """F1 is the harmonic mean of precision and recall, MCC follows from four rates: of pooled counts only."""
    for group in material.groups.values():
        rates = _rates(group)
        if not is_pooled(material, group):
            continue
        if {"f1", "precision", "sensitivity"} <= rates.keys():
            one, a, b = (rates[name] for name in ("f1", "precision", "sensitivity"))
            low, high = _harmonic(a.value.lower, b.value.lower), _harmonic(a.value.upper, b.value.upper)
            wrong = one.value.lower > high or one.value.upper < low
            yield Looked(one.where, f"{shown(one)}, but {shown(a)} and {shown(b)} give {float(low):.4f} to "
                         f"{float(high):.4f}." if wrong else "")  # fmt: skip
        parts = ("sensitivity", "specificity", "precision", "npv")
        if "mcc" in rates and rates.keys() >= set(parts):
            one, of = rates["mcc"], [rates[name].value for name in parts]
            lowest, highest = (_correlation([float(getattr(part, end)) for part in of]) for end in ("lower", "upper"))
            wrong = float(one.value.lower) > highest + _MARGIN or float(one.value.upper) < lowest - _MARGIN
            yield Looked(one.where, f"{shown(one)}, but {', '.join(shown(rates[name]) for name in parts)} give "
                         f"{lowest:.4f} to {highest:.4f}." if wrong else "")  # fmt: skip


@rule("RG657")
def whole_counts(material: Material) -> Iterator[Looked]:
    """Rates of pooled counts come from a confusion matrix of whole numbers."""
    yield from _matrices(material, pooled=True)


@rule("RG672")
def whole_counts_if_pooled(material: Material) -> Iterator[Looked]:
    """The same where nothing says what the rates are: means over folds could be other than these."""
    yield from _matrices(material, pooled=False)


def _matrices(material: Material, *, pooled: bool) -> Iterator[Looked]:
    for group in material.groups.values():
        rates = {name: one for name, one in _rates(group).items() if name in matrices.RATES}
        sizes = _sizes(group)
        counts = [rates[name] for name in _COUNTS if name in rates]
        if sizes is None or len(rates) - len(counts) < 2 or any(_count(one) is None for one in counts):
            continue
        words = " ".join(one.words for one in group.values())
        if is_pooled(material, group) != pooled or (not pooled and (_MEANS.search(words) or _FOLDS.search(words))):
            continue
        if not pooled and any(one.value.decimals > _TYPED for one in rates.values()):
            continue
        known = {name: _held(name, one.value, pooled=pooled) for name, one in rates.items()}
        found = matrices.exists(*sizes, known)
        if found is not None:
            first = next(iter(rates.values()))
            yield Looked(first.where, "" if found else f"With {sizes[0]:,} positive and {sizes[1]:,} negative queries "
                         f"no confusion matrix gives {', '.join(map(shown, rates.values()))}.")  # fmt: skip


def _rates(group: Mapping[str, Statement]) -> dict[str, Statement]:
    """The rates by name; recall without a cut-off is sensitivity where other rates of decisions stand beside it."""
    found = dict(group)
    if (
        "sensitivity" not in found
        and "recall" in found
        and {"f1", "accuracy", "specificity", "precision"} & found.keys()
    ):
        found["sensitivity"] = found["recall"]
    return found


def _sizes(group: Mapping[str, Statement]) -> tuple[int, int] | None:
    """Positive and negative queries, as the group itself says them."""
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


def _held(name: str, value: Printed, *, pooled: bool) -> Printed:
    """A count is what it is, a rate is rounded; where it may be a mean over folds, it may lie a little off."""
    if name in _COUNTS:
        return Printed(value.text, value.value, Fraction(0))
    return value if pooled else Printed(value.text, value.value, max(value.half, _NEAR))


def _harmonic(a: Fraction, b: Fraction) -> Fraction:
    a, b = max(a, Fraction(0)), max(b, Fraction(0))
    return 2 * a * b / (a + b) if a + b else Fraction(0)


def _correlation(rates: list[float]) -> float:
    """MCC from sensitivity, specificity, precision and NPV; it rises with each of them."""
    inside = [min(max(rate, 0.0), 1.0) for rate in rates]
    return math.sqrt(math.prod(inside)) - math.sqrt(math.prod(1 - rate for rate in inside))
