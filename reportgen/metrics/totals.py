"""Typed totals: what a statistic adds up, from one value per row to one total per cell and resample.

Row contributions and their totals have one form: a dataclass whose arrays are (n,) columns before the sum, and totals
after it. Tuples and dicts of such forms are forms, too; what is not an array (a number, a flag) stays as it is. A
column of which there are many may be made whenever it is asked for: see :func:`made`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import repeat
from typing import Any, TypeVar

import numpy as np

from reportgen.domain.run import BoolArray, FloatArray

T = TypeVar("T")


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return numerator / denominator, NaN (undefined) where the denominator is zero."""
    if np.asarray(denominator).all():
        return np.asarray(numerator / denominator)
    undefined = np.full(np.shape(numerator), np.nan)
    return np.asarray(np.divide(numerator, denominator, out=undefined, where=denominator != 0))


def mean_of_parts(parts: Sequence[FloatArray]) -> FloatArray:
    """Return the unweighted mean over parts (folds, labels), undefined parts skipped; NaN where all are undefined."""
    # Added part after part, so that the result does not depend on how a reduction is vectorised.
    total = parts[0] + 0.0
    for part in parts[1:]:
        total += part
    if not np.isnan(total).any():
        return np.asarray(total / len(parts))
    total, n = np.zeros(np.shape(total)), np.zeros(np.shape(total))
    for part in parts:
        defined = ~np.isnan(part)
        total += np.where(defined, part, 0.0)
        n += defined
    return ratio(total, n)


@dataclass(frozen=True, slots=True)
class _Made:
    make: Callable[[], FloatArray]


def made(make: Callable[[], FloatArray]) -> FloatArray:
    """Return a column of a form that is made whenever it is asked for, and so is not in memory with all others."""
    return _Made(make)  # type: ignore[return-value] # whoever takes a form asks for its columns


def columns_of(form: Any) -> Iterator[FloatArray]:
    """Yield the arrays of a form in the order of its fields."""
    if isinstance(form, np.ndarray):
        yield form
    elif isinstance(form, _Made):
        yield form.make()
    elif (parts := _parts(form)) is not None:
        for part in parts:
            yield from columns_of(part)


def with_columns(form: T, columns: Iterator[FloatArray]) -> T:
    """Return the same form with other arrays, taken in the order of its fields."""
    if isinstance(form, np.ndarray | _Made):
        return next(columns)  # type: ignore[return-value] # an array for an array
    parts = _parts(form)
    if parts is None:
        return form
    filled: Any = [with_columns(part, columns) for part in parts]
    if isinstance(form, dict):
        return type(form)(zip(form, filled, strict=True))
    return type(form)(filled) if isinstance(form, tuple) else type(form)(*filled)


def mapped(form: T, change: Callable[[FloatArray], FloatArray]) -> T:
    """Return the same form with each array changed."""
    return with_columns(form, map(change, columns_of(form)))


def emptied(form: T) -> T:
    """Return the same form with nothing in its columns."""
    return with_columns(form, repeat(np.zeros(0)))


def _parts(form: Any) -> Sequence[Any] | None:
    """Return the parts of a form, None for what has no parts."""
    if isinstance(form, dict):
        return list(form.values())
    if isinstance(form, tuple):
        return form
    if is_dataclass(form) and not isinstance(form, type):
        return [getattr(form, field.name) for field in fields(form)]
    return None


def indicator(mask: BoolArray) -> FloatArray:
    """Return 1 where a mask holds and 0 elsewhere, in a byte each: what is computed of it with floats is floats."""
    return mask  # type: ignore[return-value] # numbers that take an eighth of the memory


def aligned(one: T, other: T) -> tuple[T, T]:
    """Return the row contributions of two systems to the same metric with the same columns in both."""
    if isinstance(one, Histogram) and isinstance(other, Histogram):
        values = tuple(sorted({*one.values, *other.values}))
        return one.over(values), other.over(values)  # type: ignore[return-value] # a histogram for a histogram
    return one, other


@dataclass(frozen=True, slots=True)
class Ratio:
    """A sum over another one; of counted trials: the hits over all."""

    numerator: FloatArray
    denominator: FloatArray

    def value(self) -> FloatArray:
        """Return the ratio, NaN where the denominator is zero."""
        return ratio(self.numerator, self.denominator)

    def complement(self) -> Ratio:
        """Return the misses over all."""
        return Ratio(self.denominator - self.numerator, self.denominator)


@dataclass(frozen=True, slots=True)
class Mean:
    """The sum of the values of rows, and the number of the rows that have one."""

    sum: FloatArray
    n: FloatArray

    @classmethod
    def of(cls, values: FloatArray) -> Mean:
        """Return the contributions of (n,) values; NaN is left out."""
        defined = ~np.isnan(values)
        return cls(np.where(defined, values, 0.0), defined.astype(np.float64))

    def value(self) -> FloatArray:
        """Return the mean, NaN over no row."""
        return ratio(self.sum, self.n)

    def hits(self) -> Ratio:
        """Return how many values are 1, of how many, where all are 0 or 1."""
        return Ratio(self.sum, self.n)


@dataclass(frozen=True, slots=True)
class Confusion:
    """True and false positives, false and true negatives of yes-or-no decisions; arrays of one shape.

    The rates are the same functions of (n,) columns, of totals under resamples, and of the counts of single clusters.
    """

    tp: FloatArray
    fp: FloatArray
    fn: FloatArray
    tn: FloatArray

    @classmethod
    def of(cls, predicted: FloatArray, y: FloatArray) -> Confusion:
        """Return the contributions of (n,) decisions and truths, both 0 or 1."""
        return cls(predicted * y, predicted * (1 - y), (1 - predicted) * y, (1 - predicted) * (1 - y))

    @classmethod
    def from_margins(cls, tp: FloatArray, fp: FloatArray, positives: FloatArray, negatives: FloatArray) -> Confusion:
        """Return the confusion of what reaches a threshold, given all positives and all negatives."""
        return cls(tp, fp, positives - tp, negatives - fp)

    @property
    def n(self) -> FloatArray:
        """All decisions."""
        return self.tp + self.fp + self.fn + self.tn

    @property
    def positives(self) -> FloatArray:
        """All actual positives."""
        return self.tp + self.fn

    def sensitivity(self) -> Ratio:
        """Return the true positives among the positives."""
        return Ratio(self.tp, self.positives)

    def specificity(self) -> Ratio:
        """Return the true negatives among the negatives."""
        return Ratio(self.tn, self.tn + self.fp)

    def false_positive_rate(self) -> Ratio:
        """Return the false positives among the negatives."""
        return Ratio(self.fp, self.tn + self.fp)

    def false_negative_rate(self) -> Ratio:
        """Return the false negatives among the positives."""
        return Ratio(self.fn, self.fn + self.tp)

    def precision(self) -> Ratio:
        """Return the true positives among the predicted positives."""
        return Ratio(self.tp, self.tp + self.fp)

    def negative_predictive_value(self) -> Ratio:
        """Return the true negatives among the predicted negatives."""
        return Ratio(self.tn, self.tn + self.fn)

    def accuracy(self) -> Ratio:
        """Return the right decisions among all."""
        return Ratio(self.tp + self.tn, self.n)

    def predicted_positive(self) -> Ratio:
        """Return the predicted positives among all decisions."""
        return Ratio(self.tp + self.fp, self.n)

    def missed(self) -> Ratio:
        """Return the false negatives among all decisions."""
        return Ratio(self.fn, self.n)

    def balanced_accuracy(self) -> FloatArray:
        """Return the mean of sensitivity and specificity, NaN with one class."""
        return (self.sensitivity().value() + self.specificity().value()) / 2

    def f1(self) -> FloatArray:
        """Return 2 TP / (2 TP + FP + FN); NaN only where nothing is predicted and nothing true."""
        return ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    def mcc(self) -> FloatArray:
        """Return Matthews' correlation; 0 by limit if one margin is constant, NaN if both are (scikit-learn 28509)."""
        predicted = (self.tp + self.fp) * (self.tn + self.fn)
        true = (self.tp + self.fn) * (self.tn + self.fp)
        # One root of one product: rounding keeps order and the root of a rounded square is exact, so that the
        # numerator, which is at most ``predicted`` and at most ``true``, is never above the root of their product.
        value = ratio(self.tp * self.tn - self.fp * self.fn, np.sqrt(predicted * true))
        return np.where((predicted == 0) != (true == 0), 0.0, value)


@dataclass(frozen=True, slots=True)
class Histogram:
    """How often each of few values occurs: quantiles are functions of these sums, so nothing is sorted twice."""

    values: tuple[float, ...]
    """Distinct and rising; the last may be inf."""
    counts: tuple[FloatArray, ...]
    """How often each occurs."""
    n: FloatArray
    """All rows, those without a value too."""

    @classmethod
    def of(cls, values: FloatArray) -> Histogram:
        """Return the contributions of (n,) values; NaN is counted nowhere."""
        distinct = np.unique(values[~np.isnan(values)]).tolist()
        counts = tuple(indicator(values == value) for value in distinct)
        return cls(tuple(distinct), counts, np.ones(len(values)))

    def over(self, values: tuple[float, ...]) -> Histogram:
        """Return the same counts over more values."""
        counts = dict(zip(self.values, self.counts, strict=True))
        return Histogram(values, tuple(counts.get(value, np.zeros_like(self.n)) for value in values), self.n)

    def quantile(self, q: float) -> FloatArray:
        """Return the q-quantile, NaN where nothing is counted or the quantile is infinite.

        Linear interpolation between order statistics (Hyndman & Fan 1996, rule 7; numpy's default).
        """
        if not self.values:
            return np.full(self.n.shape, np.nan)
        cumulative = np.cumsum(np.stack(self.counts), axis=0)
        n = cumulative[-1]
        position = q * np.maximum(n - 1, 0)
        below = np.floor(position)
        at = np.array([*self.values, np.nan])

        def order_statistic(index: FloatArray) -> FloatArray:
            return np.asarray(at[(cumulative <= index).sum(axis=0)], dtype=np.float64)

        low, high = order_statistic(below), order_statistic(np.minimum(below + 1, np.maximum(n - 1, 0)))
        share = position - below
        step = np.where(np.isfinite(low) & np.isfinite(high), high, 0.0) - np.where(np.isfinite(low), low, 0.0)
        between = np.where((share > 0) & ~np.isfinite(high), np.nan, low + step * share)
        return np.asarray(np.where((n > 0) & np.isfinite(low), between, np.nan))

    def smallest(self) -> FloatArray:
        """Return the smallest value that occurs, NaN where none does."""
        return self._last(reversed(range(len(self.values))))

    def largest(self) -> FloatArray:
        """Return the largest value that occurs, NaN where none does."""
        return self._last(range(len(self.values)))

    def _last(self, order: Iterator[int] | range) -> FloatArray:
        """Return the last value in an order that occurs."""
        found = np.full(self.n.shape, np.nan)
        for index in order:
            found[self.counts[index] > 0] = self.values[index]
        return found

    def influence(self, point: float) -> FloatArray | None:
        """Return the influence of each row on the share of rows up to a quantile; None where there is none.

        A quantile moves as this share does, over the density of values there, which clusters do not change (Woodruff
        1952): the design effect of the share is that of the quantile.
        """
        if np.isnan(point) or not self.values:
            return None
        counted = sum(self.counts, np.zeros(len(self.n)))
        up_to = (count for value, count in zip(self.values, self.counts, strict=True) if value <= point)
        below = sum(up_to, np.zeros(len(self.n)))
        share = float(below.sum()) / float(counted.sum())
        return np.asarray((below - share * counted) / float(counted.sum()))
