"""Metrics of rows with one of k classes: by the predicted class, and by the probability of each class."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction

from reportgen.reference.arithmetic import Number, choice, mean
from reportgen.reference.classification import auroc


@dataclass(frozen=True, slots=True)
class ClassRow:
    """One row: its true class, and the statements about each class."""

    truth: int
    p: tuple[float, ...]
    """(k,) probabilities; 1 and 0 where the run names a class instead."""
    named: int | None = None
    """The class that the run names, where that is the predicted one."""

    @property
    def predicted(self) -> int:
        """Return the class that is named, else the one with the highest probability, the first of several."""
        return self.p.index(max(self.p)) if self.named is None else self.named


Rows = Sequence[ClassRow]


def accuracy(rows: Rows) -> Number | None:
    """Return the share of rows whose predicted class is the true one."""
    return mean(Fraction(row.predicted == row.truth) for row in rows)


def top_k_accuracy(rows: Rows, k: int) -> Number | None:
    """Return the share of rows whose true class is among the first k by falling probability, then by order."""
    return mean(Fraction(row.truth in sorted(range(len(row.p)), key=lambda c: -row.p[c])[:k]) for row in rows)


def log_loss(rows: Rows, log_loss_clip: float) -> Number | None:
    """Return −(1/n) Σ ln of the probability of the true class, kept within [clip, 1 − clip]."""
    return mean(-math.log(min(max(row.p[row.truth], log_loss_clip), 1 - log_loss_clip)) for row in rows)


def brier(rows: Rows) -> Number | None:
    """Return (1/n) Σᵢ Σ_c (p_ic − [yᵢ = c])²."""
    return mean((Fraction(p) - (c == row.truth)) ** 2 * len(row.p) for row in rows for c, p in enumerate(row.p))


def macro_f1(rows: Rows, zero_division: str) -> Number | None:
    """Return the mean of the classes' F1; None, or with a 0 (``zero``), for a class that is nowhere."""
    return macro([value for value, _ in _of_classes(rows)], zero_division)


def macro_recall(rows: Rows, zero_division: str) -> Number | None:
    """Return the mean of the classes' shares of right rows; None, or with a 0 (``zero``), for a class without rows."""
    return macro(_shares_right(rows, lambda row: row.truth), zero_division)


def macro_precision(rows: Rows, zero_division: str) -> Number | None:
    """Return the mean of the shares of right rows among those predicted to be of each class.

    None, or with a 0 (``zero``), for a class that is never predicted.
    """
    return macro(_shares_right(rows, lambda row: row.predicted), zero_division)


def _shares_right(rows: Rows, of: Callable[[ClassRow], int]) -> list[Number | None]:
    """Return of each class the share of right rows among those that ``of`` puts into it."""
    classes = range(len(rows[0].p)) if rows else ()
    return [mean(Fraction(row.truth == row.predicted) for row in rows if of(row) == c) for c in classes]


def macro(found: Sequence[Number | None], zero_division: str) -> Number | None:
    """Return the mean of the classes' values; None, or with a 0 (``zero``), where one of them is undefined."""
    instead = choice({"undefined": None, "zero": Fraction(0)}, zero_division)
    if None in found and instead is None:
        return None
    return mean(instead if value is None else value for value in found)


def weighted_f1(rows: Rows) -> Number | None:
    """Return Σ_c n_c F1_c / n; a class without rows has no say."""
    terms = [value * n for value, n in _of_classes(rows) if n and value is not None]
    return sum(terms, Fraction(0)) / len(rows) if rows else None


def _of_classes(rows: Rows) -> Iterator[tuple[Fraction | None, int]]:
    """Yield F1 = 2 right / (true + predicted) of each class, and its rows."""
    for c in range(len(rows[0].p)) if rows else ():
        true, predicted = sum(row.truth == c for row in rows), sum(row.predicted == c for row in rows)
        right = sum(row.truth == row.predicted == c for row in rows)
        yield (Fraction(2 * right, true + predicted) if true + predicted else None), true


def one_vs_rest_auroc(rows: Rows) -> Number | None:
    """Return the mean of the classes' AUROC against all other rows; None if a class has no rows."""
    classes = range(len(rows[0].p)) if rows else ()
    return _mean_auroc(_auroc(rows, c, {d for d in classes if d != c}) for c in classes)


def one_vs_one_auroc(rows: Rows) -> Number | None:
    """Return the mean over ordered pairs of classes (c, d) of the AUROC of c's probability on the rows of c and d.

    Hand and Till (2001), equation 7. None if a class has no rows.
    """
    classes = range(len(rows[0].p)) if rows else ()
    pairs = ((c, d) for c in classes for d in classes if c != d)
    return _mean_auroc(_auroc(rows, c, {d}) for c, d in pairs)


def _auroc(rows: Rows, of: int, against: Set[int]) -> Fraction | None:
    own = [(row.p[of], 1) for row in rows if row.truth == of]
    others = [(row.p[of], 0) for row in rows if row.truth in against]
    return auroc([*own, *others])


def _mean_auroc(values: Iterator[Fraction | None]) -> Number | None:
    found = list(values)
    return None if None in found else mean(found)
