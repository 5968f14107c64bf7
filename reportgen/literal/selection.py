"""What a system returns once its gate has spoken: the top selected K of its ranking, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

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


def returned_hits(answer: Answer, gate: Gate) -> int | None:
    """|returned ∩ G|; None where the returned set is not known."""
    k = returned_k(answer, gate)
    return None if k is None or answer.ranking is None else hits(answer.ranking, k)


def evidence_recall(answer: Answer, gate: Gate) -> Fraction | None:
    """|returned ∩ G| / |G| of one query, 0 if the gate blocks it; None if G is empty."""
    found = returned_hits(answer, gate)
    if found is None or answer.ranking is None or not answer.ranking.n_relevant:
        return None
    return Fraction(found, answer.ranking.n_relevant)


def pooled_evidence_recall(answers: Sequence[Answer], gate: Gate) -> Fraction | None:
    """Σ |returned ∩ G| / Σ |G| over queries; None if there is no relevant candidate."""
    found = relevant = 0
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
