"""What holds between ranking metrics of one system on the same queries.

Each relation holds for every query, so it holds for every mean over queries, folds or labels with the same weights.
Source: the definitions of the metrics; Järvelin and Kekäläinen 2002 for the discount of nDCG.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, pairwise

from reportgen.lint.rule import Looked, Material, rule, shown
from reportgen.manuscripts.statement import Statement

_FIRST = ("ndcg", "precision", "hit", "mrr")
_BOUNDED_BY_HIT = ("precision", "recall", "map", "mrr", "ndcg")
_CONVENTIONAL_CUT = 10
"""A mean reciprocal rank without a cut-off is now and then cut at this one."""
_FLOAT = 1e-12


@rule("RG651")
def one_number_at_the_top(material: Material) -> Iterator[Looked]:
    """At K = 1 nDCG, precision, hit rate and reciprocal rank are whether the first document is relevant."""
    for group in material.groups.values():
        firsts = [group[f"{name}@1"] for name in _FIRST if f"{name}@1" in group]
        if (average := group.get("map@1")) and average.metric.variant == "min_R_K":
            firsts.append(average)
        firsts = [one for one in firsts if material.is_binary(one)]
        if len(firsts) < 2:
            continue
        yield Looked(firsts[0].where, _unequal(firsts))
        spread = [one for one in firsts if one.spread is not None]
        if len(spread) > 1:
            yield Looked(spread[0].where, _unequal_spreads(spread))


def _unequal(firsts: list[Statement]) -> str:
    low, high = max(firsts, key=lambda one: one.value.lower), min(firsts, key=lambda one: one.value.upper)
    if low.value.lower <= high.value.upper:
        return ""
    return f"At K = 1 these are one number for binary relevance: {', '.join(map(shown, firsts))}."


def _unequal_spreads(firsts: list[Statement]) -> str:
    spreads = [(one, one.spread) for one in firsts if one.spread is not None]
    if max(spread.lower for _, spread in spreads) <= min(spread.upper for _, spread in spreads):
        return ""
    listed = ", ".join(f"{one.label or one.name} ± {spread.text}" for one, spread in spreads)
    return f"At K = 1 these are one number for binary relevance, and so are their spreads: {listed}."


@rule("RG652")
def rises_with_the_cut_off(material: Material) -> Iterator[Looked]:
    """K · precision, hit rate, recall, reciprocal rank, and average precision over R do not fall with K."""
    for group in material.groups.values():
        for name in ("hit", "recall", "mrr"):
            yield from _rising(name, _by_cut(group, name))
        averages = {k: one for k, one in _by_cut(group, "map").items() if one.metric.variant == "R"}
        yield from _rising("map", averages)
        yield from _rising("K · precision", _by_cut(group, "precision"), times_k=True)


def _by_cut(group: Mapping[str, Statement], name: str) -> dict[int, Statement]:
    found = {int(one.metric.parameter): one for one in group.values()
             if one.metric.name == name and one.metric.parameter.isdigit()}  # fmt: skip
    return dict(sorted((k, one) for k, one in found.items() if k > 0))


def _rising(name: str, by_cut: Mapping[int, Statement], *, times_k: bool = False) -> Iterator[Looked]:
    for (low, first), (high, second) in pairwise(by_cut.items()):
        below, above = (low, high) if times_k else (1, 1)
        falls = below * first.value.lower > above * second.value.upper
        yield Looked(second.where, f"{name} falls from K = {low} to K = {high}: {shown(first)}, {shown(second)}."
                     if falls else "")  # fmt: skip


@rule("RG653")
def bounds(material: Material) -> Iterator[Looked]:
    """What needs a hit is at most the hit rate; hit rate and recall are at most the hits, K · precision."""
    for group in material.groups.values():
        hits, precisions = _by_cut(group, "hit"), _by_cut(group, "precision")
        for name in _BOUNDED_BY_HIT:
            for k, one in _by_cut(group, name).items():
                if k in hits and (name != "ndcg" or material.is_binary(one)):
                    over = one.value.lower > hits[k].value.upper
                    yield Looked(one.where, f"{shown(one)} lies above {shown(hits[k])}, but a query without a relevant "
                                 f"document in the top {k} adds nothing to it." if over else "")  # fmt: skip
        for name in ("hit", "recall"):
            for k, one in _by_cut(group, name).items():
                if k in precisions:
                    over = one.value.lower > k * precisions[k].value.upper
                    yield Looked(one.where, f"{shown(one)} lies above {k} · {shown(precisions[k])}, the number of "
                                 "relevant documents in the top per query." if over else "")  # fmt: skip
        yield from _reciprocal_ranks(group, hits)


def _reciprocal_ranks(group: Mapping[str, Statement], hits: Mapping[int, Statement]) -> Iterator[Looked]:
    """A reciprocal rank lies between those of the last and the first rank that the hit rates allow."""
    for one in group.values():
        if one.metric.name != "mrr" or not hits or one.metric.kind not in ("", "cutoff"):
            continue
        cut = int(one.metric.parameter or 0)
        low = _least({k: hit for k, hit in hits.items() if k <= (cut or _CONVENTIONAL_CUT)})
        high = _most({k: hit for k, hit in hits.items() if not cut or k <= cut}, cut)
        if high is not None:
            outside = one.value.upper < low or one.value.lower > high
            yield Looked(one.where, f"{shown(one)}, but the hit rates ({', '.join(map(shown, hits.values()))}) allow "
                         f"{float(low):.4f} to {float(high):.4f}." if outside else "")  # fmt: skip


def _least(hits: Mapping[int, Statement]) -> Fraction:
    """Every first hit at the last rank its cut-off allows."""
    total = Fraction(0)
    cuts = list(hits)
    for at, k in enumerate(cuts):
        after = Fraction(1, cuts[at + 1]) if at + 1 < len(cuts) else Fraction(0)
        total += hits[k].value.lower * (Fraction(1, k) - after)
    return total


def _most(hits: Mapping[int, Statement], cut: int) -> Fraction | None:
    """Every first hit right after the cut-off before; queries without a hit have theirs right after the last one."""
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


@rule("RG654")
def step_of_ndcg(material: Material) -> Iterator[Looked]:
    """A further relevant document below rank K1 adds at most 1/log2(K1 + 2), as the ideal gain is at least 1."""
    for group in material.groups.values():
        gains, precisions = _by_cut(group, "ndcg"), _by_cut(group, "precision")
        both = [k for k in gains if k in precisions and material.is_binary(gains[k])]
        for low, high in combinations(both, 2):
            step = float(gains[high].value.lower - gains[low].value.upper)
            hits = high * precisions[high].value.upper - low * precisions[low].value.lower
            most = float(hits) / math.log2(low + 2)
            wrong = step > most + _FLOAT
            yield Looked(gains[high].where, f"nDCG rises by at least {step:.4f} from K = {low} to K = {high} "
                         f"({shown(gains[low])}, {shown(gains[high])}), but the {float(hits):.4f} relevant documents "
                         f"per query that come in at most ({shown(precisions[low])}, {shown(precisions[high])}) can "
                         f"add {most:.4f} for binary relevance." if wrong else "")  # fmt: skip
