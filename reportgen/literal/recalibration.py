"""Logistic recalibration of probabilities: logit P(y = 1) = a + b logit p, by maximum likelihood (Cox 1958)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from reportgen.literal.classification import Pairs

_ROUNDS = 200


@dataclass(frozen=True, slots=True)
class Line:
    """a + b x on the logit scale."""

    a: float
    b: float

    def probability(self, x: float) -> float:
        """1 / (1 + exp(−(a + b x)))."""
        z = self.a + self.b * x
        return 1 / (1 + math.exp(-z)) if z > 0 else 1 - 1 / (1 + math.exp(z))


def recalibration(pairs: Pairs, clip: float) -> Line | None:
    """The line that solves the score equations Σ (y − q) = 0 and Σ x (y − q) = 0, q its probability at x = logit p.

    p is kept within [clip, 1 − clip]. None where the likelihood has no finite maximum: one class is missing, or
    a value of p has all positives on one side and all negatives on the other (Albert and Anderson 1984).
    """
    rows = [(_logit(min(max(p, clip), 1 - clip)), y) for p, y in pairs]
    ones, zeros = [x for x, y in rows if y == 1], [x for x, y in rows if y == 0]
    if not ones or not zeros or max(zeros) <= min(ones) or max(ones) <= min(zeros):
        return None
    # Centred and scaled, the two unknowns hardly depend on each other and full steps are safe.
    centre = math.fsum(x for x, _ in rows) / len(rows)
    scale = math.sqrt(math.fsum((x - centre) ** 2 for x, _ in rows) / len(rows))
    line = _solve([((x - centre) / scale, y) for x, y in rows])
    slope = line.b / scale
    return Line(line.a - slope * centre, slope)


def _solve(rows: list[tuple[float, int]]) -> Line:
    """Fisher scoring, a step never longer than 1 in either unknown."""
    line = Line(0.0, 0.0)
    for _ in range(_ROUNDS):
        fitted = [(x, y, line.probability(x)) for x, y in rows]
        u = math.fsum(y - q for _, y, q in fitted)
        v = math.fsum(x * (y - q) for x, y, q in fitted)
        i00 = math.fsum(q * (1 - q) for _, _, q in fitted)
        i01 = math.fsum(x * q * (1 - q) for x, _, q in fitted)
        i11 = math.fsum(x * x * q * (1 - q) for x, _, q in fitted)
        information = i00 * i11 - i01 * i01
        if information <= 0:
            break
        step = ((i11 * u - i01 * v) / information, (i00 * v - i01 * u) / information)
        length = max(1.0, abs(step[0]), abs(step[1]))
        line = Line(line.a + step[0] / length, line.b + step[1] / length)
        if max(abs(step[0]), abs(step[1])) < 1e-14 * max(1.0, abs(line.a), abs(line.b)):
            break
    return line


def _logit(p: float) -> float:
    return math.log(p) - math.log1p(-p)
