"""The three states of a gate as a triage: POS raises an alert, NEG is screened out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from reportgen.literal.answers import Answer


def state_counts(answers: Sequence[Answer]) -> Counter[str | None]:
    """Number of queries in each state."""
    return Counter(answer.state for answer in answers)


def alert_precision(answers: Sequence[Answer]) -> Fraction | None:
    """Positives among the queries in state POS / number of these; None without alerts."""
    alerts = [answer.y for answer in answers if answer.state == "POS"]
    return Fraction(sum(alerts), len(alerts)) if alerts else None


def alert_rate(answers: Sequence[Answer]) -> Fraction | None:
    """1000 × number of queries in state POS / n: alerts per 1,000 queries; None without queries."""
    return Fraction(1000 * state_counts(answers)["POS"], len(answers)) if answers else None


def screening_sensitivity(answers: Sequence[Answer]) -> Fraction | None:
    """Positives not in state NEG / positives: the share that screening keeps; None without positives."""
    positives = [answer.state for answer in answers if answer.y == 1]
    return Fraction(sum(state != "NEG" for state in positives), len(positives)) if positives else None


def missed_per_1000(answers: Sequence[Answer]) -> Fraction | None:
    """1000 × positives in state NEG / n: positives screened out per 1,000 queries; None without queries."""
    missed = sum(answer.y == 1 and answer.state == "NEG" for answer in answers)
    return Fraction(1000 * missed, len(answers)) if answers else None


def miss_rate(answers: Sequence[Answer]) -> Fraction | None:
    """Positives in state NEG / positives: the share that screening drops; None without positives."""
    positives = [answer.state for answer in answers if answer.y == 1]
    return Fraction(positives.count("NEG"), len(positives)) if positives else None


def alert_recall(answers: Sequence[Answer]) -> Fraction | None:
    """Positives in state POS / positives; None without positives."""
    positives = [answer.state for answer in answers if answer.y == 1]
    return Fraction(positives.count("POS"), len(positives)) if positives else None


def state_rate(answers: Sequence[Answer], state: str) -> Fraction | None:
    """Queries in a state / n; None without queries."""
    return Fraction(state_counts(answers)[state], len(answers)) if answers else None
