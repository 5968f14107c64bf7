"""What a system returns once its gate has spoken: the top selected K of its ranking, or nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from reportgen.literal import expected
from reportgen.literal.answers import Answer, Gate, passes_gate
from reportgen.literal.arithmetic import ratio
from reportgen.literal.ranking import hits


def returned_k(answer: Answer, gate: Gate) -> int | None:
    """Size of the returned set: 0 if the gate blocks the query, else selected K.

    A system cannot return more than it retrieved. None if the system selects nothing or has no gate to ask.
    """
    passed = passes_gate(answer, gate)
    if passed is None or answer.selected_k is None:
        return None
    if not passed:
        return 0
    return answer.selected_k if answer.ranking is None else min(answer.selected_k, len(answer.ranking.ranked))


def returned_hits(answer: Answer, gate: Gate) -> Fraction | None:
    """|returned ∩ G|, expected where equal scores stand in no order; None where the returned set is not known."""
    k = returned_k(answer, gate)
    if k is None or answer.ranking is None:
        return None
    return expected.hits(answer.ranking, k) if answer.ranking.levels else Fraction(hits(answer.ranking, k))


def evidence_recall(answer: Answer, gate: Gate, empty_gold: str = "exclude") -> Fraction | None:
    """|returned ∩ G| / |G| of one query, 0 if the gate blocks it.

    Where G is empty: None (``exclude``), 0 (``zero``), or 1 for an empty returned set and 0 for another
    (``credit_if_empty``).
    """
    found = returned_hits(answer, gate)
    if found is None or answer.ranking is None:
        return None
    if answer.ranking.n_relevant:
        return found / answer.ranking.n_relevant
    empty = returned_k(answer, gate) == 0
    return {"exclude": None, "zero": Fraction(0), "credit_if_empty": Fraction(empty)}[empty_gold]


def evidence_precision(answer: Answer, gate: Gate, empty_selection: str = "undefined") -> Fraction | None:
    """|returned ∩ G| / |returned| of one query.

    Where nothing is returned: None (``undefined``), 0 (``zero``), or 1 if G is empty too and 0 if not
    (``credit_if_empty``).
    """
    found, k = returned_hits(answer, gate), returned_k(answer, gate)
    if found is None or k is None or answer.ranking is None:
        return None
    if k:
        return found / k
    nothing = answer.ranking.n_relevant == 0
    return {"undefined": None, "zero": Fraction(0), "credit_if_empty": Fraction(nothing)}[empty_selection]


def pooled_evidence_precision(answers: Sequence[Answer], gate: Gate) -> Fraction | None:
    """Σ |returned ∩ G| / Σ |returned| over queries; None if nothing is returned."""
    found, size = Fraction(0), 0
    for answer in answers:
        answer_hits, k = returned_hits(answer, gate), returned_k(answer, gate)
        if answer_hits is None or k is None:
            return None
        found += answer_hits
        size += k
    return found / size if size else None


def pooled_evidence_recall(answers: Sequence[Answer], gate: Gate) -> Fraction | None:
    """Σ |returned ∩ G| / Σ |G| over queries; None if there is no relevant candidate."""
    found, relevant = Fraction(0), 0
    for answer in answers:
        answer_hits = returned_hits(answer, gate)
        if answer_hits is None or answer.ranking is None:
            return None
        found += answer_hits
        relevant += answer.ranking.n_relevant
    share = ratio(found, relevant)
    return None if share is None else Fraction(share)


def all_returned_k(answers: Sequence[Answer], gate: Gate) -> list[int] | None:
    """Size of the returned set of each query; None if it is not known for one of them."""
    sizes = [returned_k(answer, gate) for answer in answers]
    known = [size for size in sizes if size is not None]
    return known if len(known) == len(sizes) else None


def standard_deviation_of_k(sizes: Sequence[int]) -> float | None:
    """√(Σ (Kᵢ − K̄)² / (n − 1)); None for fewer than two queries."""
    if len(sizes) < 2:
        return None
    centre = Fraction(sum(sizes), len(sizes))
    return math.sqrt(sum((size - centre) ** 2 for size in sizes) / (len(sizes) - 1))
