"""Statistics: from the rows of a frame and cluster weights to typed totals, one per resample.

Four kinds, all shared and memoised by the engine: :class:`Sums` (rows summed within cluster, then weights @ sums),
:class:`Ordered` (one pass over sorted scores), :class:`Operating` (a threshold chosen on TUNE, counted on EVAL) and
:class:`NotResampled` (a fit to all rows). Totals do not depend on threads, batch size or BLAS kernel: sums are
fixed-point integers held in float64, counts are integers, and the point value is summed exactly.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import BoolArray, FloatArray, IntArray
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.rankings import Rankings
from reportgen.metrics.totals import Confusion, Histogram, Ratio, columns_of, emptied, mapped, with_columns
from reportgen.metrics.weights import Block, Draws

if TYPE_CHECKING:
    from reportgen.metrics.influence import ByClass, RankedRows, Ranks
    from reportgen.metrics.scores import SortedScores, Steps

T = TypeVar("T")
_WHOLE = 2.0**53
"""Below it all whole numbers are floating-point numbers."""
_MANY = 4
"""A plan whose rows are in fewer than one of so many units of a fold takes the weights of these units alone."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The rows of a subset of one system, for one metric under one contract."""

    frames: SystemFrames
    frame: Frame
    id: MetricId
    contract: Contract

    def __len__(self) -> int:
        return len(self.frame)

    def __getitem__(self, column: str) -> FloatArray:
        """Return a column of the rows by name."""
        return self.frame[column]

    @property
    def rankings(self) -> Rankings:
        """The system's rankings, of all queries; raises ValueError without any."""
        if self.frames.rankings is None:
            raise ValueError(f"{self.frames.system.id} has no ranking")
        return self.frames.rankings


@dataclass(frozen=True, slots=True)
class Sums(Generic[T]):
    """A function of sums of row contributions, on the rows of one unit."""

    rows: Callable[[Sample], T]
    finish: Callable[[T], FloatArray]
    """Totals to values; NaN where undefined."""
    proportion: Callable[[T], Ratio] | None = None
    """For shares of counted trials: totals to hits and trials, which Wilson's and Clopper–Pearson's intervals need."""
    per: int = 1
    """Of how many trials a proportion counts the hits: 1,000 for rates per 1,000."""
    unit: str = "query"
    smooth: bool = True
    """False where the value jumps as its sums change: its standard error cannot be linearized."""
    is_distance: bool = False
    """True for a distance between forecast and outcome, which chance makes larger in the data, and once more in every
    resample: see :func:`reportgen.stats.intervals.distance_interval`."""
    influence: Callable[[T, float], FloatArray | None] | None = None
    """Contributions and value to the (n,) influences that give its design effect, where it is not smooth."""
    counted: Callable[[Sample], BoolArray] | None = None
    """Rows to (n,) which of them the value rests on, where the contributions of the others are 0; None = all."""
    weighted: bool = True
    """False where the value is not the same function of weighted sums: a count, a quantile, a correction by n - 1."""

    @property
    def has_weighted_form(self) -> bool:
        """Whether rows can be weighted; a cluster has no weight of its own."""
        return self.weighted and self.unit != "cluster"


def share(
    rows: Callable[[Sample], T],
    proportion: Callable[[T], Ratio],
    per: int = 1,
    unit: str = "query",
    counted: Callable[[Sample], BoolArray] | None = None,
) -> Sums[T]:
    """Return the statistic of a share of counted trials, or of the hits in ``per`` of them."""

    def finish(totals: T) -> FloatArray:
        value = proportion(totals).value()
        return value if per == 1 else per * value

    return Sums(rows, finish, proportion, per, unit, counted=counted)


def quantile(rows: Callable[[Sample], Histogram], q: float) -> Sums[Histogram]:
    """Return the statistic of a quantile, which has the design effect of the share of rows up to it."""
    return Sums(rows, lambda counts: counts.quantile(q), smooth=False, influence=Histogram.influence, weighted=False)


@dataclass(frozen=True, slots=True)
class Ordered:
    """A value that is read off the rows sorted by probability; see :mod:`reportgen.metrics.scores`."""

    @property
    def unit(self) -> str:
        """``query``: the rows are queries."""
        return "query"

    @property
    def has_weighted_form(self) -> bool:
        """Whether rows can be weighted: a threshold within a budget of false positives is of unweighted rows."""
        return isinstance(self, Area)


@dataclass(frozen=True, slots=True)
class Area(Ordered):
    """An area under a curve of the sorted scores."""

    measure: Callable[[Steps], FloatArray]
    """Counts of a batch of resamples to (batch,) values."""
    influence: Callable[[RankedRows], FloatArray]
    """Rows of which one is positive to the (n,) derivatives of the area by the weight of each row."""
    exact: Callable[[SortedScores], float] | None = None
    """The value of the rows themselves, where ``measure`` rounds its terms."""
    over_pairs: bool = False
    """True for the mean over pairs of a positive and a negative: the errors of DeLong and of Obuchowski are its own."""


@dataclass(frozen=True, slots=True)
class RocPoint(Ordered):
    """The highest TPR within the false-positive-rate budget of the id, over all thresholds of the set itself."""


@dataclass(frozen=True, slots=True)
class Operating:
    """A threshold chosen on TUNE for a false-positive-rate budget, its confusion counted on EVAL."""

    finish: Callable[[Confusion], FloatArray]
    proportion: Callable[[Confusion], Ratio] | None = None
    below_roc: bool = False
    """True where the value is the highest TPR within the budget on EVAL itself, less what ``finish`` gives."""
    unit: str = "query"

    @property
    def has_weighted_form(self) -> bool:
        """False: the threshold is chosen on TUNE, whose rows have no weights."""
        return False


@dataclass(frozen=True, slots=True)
class NotResampled:
    """A value that is fitted to the rows of a cell once, and not again in every resample.

    How much it moves with each row says how certain it is: see :mod:`reportgen.stats.linearize`.
    """


@dataclass(frozen=True, slots=True)
class FitToRows(NotResampled):
    """A fit that needs the rows of a cell together."""

    value: Callable[[Frame, Contract, MetricId], float]
    """Rows of one cell, at least one, to the value of the id; NaN = undefined."""
    influence: Callable[[Frame, Contract, float], FloatArray]
    """The same rows and their value, where it is defined, to its (n,) derivatives by the number of times each is drawn.

    They add up to zero, since a value does not change where all rows weigh twice as much. NaN = there is none.
    """
    gaps: Callable[[Frame, Contract], tuple[FloatArray, IntArray]] | None = None
    """Rows of one cell to a gap and a bin of each, where the value is a distance: Σ over bins |Σ gaps| / n.

    Such a value is resampled with the bins as they are in the data: see :class:`BinnedDistance`.
    """
    unit: str = "query"
    has_weighted_form: bool = False
    """Whether rows can be weighted: a fit by maximum likelihood to the frame's weighted rows."""


@dataclass(frozen=True, slots=True)
class AreaOverCandidates(NotResampled):
    """An area under a curve of the candidates of all queries, which need not be together.

    How many candidates of each class are at each place is enough: see :mod:`reportgen.metrics.areas`.
    """

    value: Callable[[Ranks], float]
    """Ranks of the candidates of one cell to the value; NaN = undefined."""
    influence: Callable[[Ranks], ByClass]
    """The same ranks, where the value is defined, to its derivatives by the number of times a candidate is drawn."""

    @property
    def unit(self) -> str:
        """``candidate``: the rows are candidates."""
        return "candidate"

    @property
    def has_weighted_form(self) -> bool:
        """False: weights are of queries."""
        return False


Statistic: TypeAlias = Sums[Any] | Area | RocPoint | Operating | FitToRows | AreaOverCandidates


@dataclass(frozen=True, slots=True)
class CellTotals(Generic[T]):
    """Totals over all folds and in every fold, for the rows of one block of weights.

    Totals of all cells are in one array, so that a metric is finished once and not cell by cell.
    """

    everywhere: T
    """Each array ((1 + n_folds) · n_rows,): pooled over the folds, then of each fold in turn."""
    n_folds: int

    @property
    def pooled(self) -> T:
        """The totals over all folds."""
        return mapped(self.everywhere, lambda values: in_cells(values, self.n_folds)[0])


def in_cells(values: FloatArray, n_folds: int) -> FloatArray:
    """Return (1 + n_folds, n_rows) what was made of totals: pooled, then by fold."""
    return values.reshape(1 + n_folds, -1)


def weighted(contributions: T, frame: Frame) -> T:
    """Return the contributions of the rows of a frame, each times the row's weight."""
    return contributions if frame.weight is None else mapped(contributions, frame.weighted)


def unit_of(frame: Frame, draws: Draws) -> IntArray:
    """Return (n,) the drawn unit of each row of a frame."""
    if frame.unit == "cluster":
        return draws.of_cluster[frame.cluster]
    return (draws.of_row if frame.unit == "row" else draws.of_query)[frame.rows]


def digest(values: np.ndarray) -> bytes:
    """Return what equal arrays of one type share, and no others."""
    # Of the digests that nobody has forged, the one that processors have instructions for.
    return hashlib.sha256(np.ascontiguousarray(values).data).digest() + values.dtype.char.encode()


class SumPlan(Generic[T]):
    """Row contributions, each times its row's weight, summed within drawn units once, ready for block after block.

    Contributions come form by form, and are let go once they are summed: with many queries they are most of the memory.
    Equal columns are summed once. A unit is in one fold, so the pooled total is the sum of the folds'. Contributions
    are rounded to whole numbers of the finest unit, column by column, in which no weighted total can exceed what
    float64 holds exactly; so totals do not depend on the order of summation.
    """

    def __init__(self, contributions: Iterable[T], frame: Frame, draws: Draws) -> None:
        """``contributions``: forms of (n,) finite columns of the frame's rows."""
        fold, unit, self._n_folds = draws.fold, unit_of(frame, draws), draws.n_folds
        present = np.bincount(unit, minlength=len(fold)) > 0
        self._members: list[IntArray] = []
        for index in range(self._n_folds):
            every = fold == index
            some = every & present
            # The weights of a whole fold are at hand for all plans; zeros among the sums cost less than another copy.
            self._members.append(np.flatnonzero(some if _MANY * some.sum() < every.sum() else every))
        sums: list[list[FloatArray]] = [[] for _ in self._members]
        exact, places = list[list[float]](), dict[bytes, int]()
        self._forms: list[T] = []
        self._places: list[int] = []
        for form in contributions:
            for column in columns_of(form):
                self._places.append(places.setdefault(digest(column), len(places)))
                if len(exact) < len(places):
                    exact.append(_exact_sums(*_weighted_exactly(column, frame), self._n_folds))
                    of_units = _sums_of_units(frame.weighted(column), unit, len(fold))
                    for of_fold, members in zip(sums, self._members, strict=True):
                        of_fold.append(of_units[members])
                del column  # before the next one is made
            self._forms.append(emptied(form))
            del form
        self._sums = [np.array(sums.pop(0)) for _ in self._members]
        self._exact = np.array(exact)

    def totals(self, block: Block) -> CellTotals[tuple[T, ...]]:
        """Return the totals of each form under each row of weights; the estimate itself (row 0) is summed exactly."""
        if block.is_first:
            return self._formed(np.ascontiguousarray(self._exact)[:, :, None])
        found = np.empty((len(self._exact), 1 + self._n_folds, len(block.counts)))
        for index, (members, sums) in enumerate(zip(self._members, self._sums, strict=True)):
            if block.only_fold in (None, index):
                np.matmul(sums, block.of_units(members), out=found[:, 1 + index])
            else:
                found[:, 1 + index] = sums.sum(axis=1)[:, None]
        # Whole numbers of a column's unit, so the order does not matter.
        np.sum(found[:, 1:], axis=1, out=found[:, 0])
        return self._formed(found)

    def _formed(self, found: FloatArray) -> CellTotals[tuple[T, ...]]:
        """Return totals by column, cell and row of weights in the forms of the contributions."""
        totals = found.reshape(len(found), -1)
        columns = iter([totals[place] for place in self._places])
        return CellTotals(tuple(with_columns(form, columns) for form in self._forms), self._n_folds)


class BinnedDistance:
    """A distance in resamples, its bins as they are in the data: those of all rows, and in folds those of the fold."""

    def __init__(self, statistic: FitToRows, frame: Frame, contract: Contract, draws: Draws) -> None:
        """``statistic`` has gaps; ``frame`` holds the rows of all folds."""
        assert statistic.gaps is not None
        gap, pooled = np.zeros(len(frame)), np.zeros(len(frame), dtype=np.int64)
        by_fold = pooled.copy()
        if len(frame):
            gap, pooled = statistic.gaps(frame, contract)
        for fold in np.unique(frame.fold):
            own = frame.fold == fold
            by_fold[own] = statistic.gaps(frame.where(own, frame.population), contract)[1]
        self._n_pooled = int(pooled.max(initial=0)) + 1
        columns = chain([np.ones(len(frame))], _binned(gap, pooled), _binned(gap, by_fold))
        self._plan = SumPlan(columns, frame, draws)

    def values(self, block: Block) -> FloatArray:
        """Return ((1 + n_folds) · n_rows,) the distances under a block of weights; NaN without a row."""
        totals = self._plan.totals(block)
        n, *gaps = totals.everywhere
        values = in_cells(_distance(gaps[self._n_pooled :], n), totals.n_folds)
        values[0] = in_cells(_distance(gaps[: self._n_pooled], n), totals.n_folds)[0]
        return values.ravel()


def _binned(gap: FloatArray, member: IntArray) -> Iterator[FloatArray]:
    return (np.where(member == index, gap, 0.0) for index in range(int(member.max(initial=0)) + 1))


def _distance(gaps: Sequence[FloatArray], n: FloatArray) -> FloatArray:
    """Return Σ |gap| / n, added in the order of the bins."""
    total = np.zeros_like(n)
    for gap in gaps:
        total += np.abs(gap)
    return np.divide(total, n, out=np.full_like(n, np.nan), where=n > 0)


def _sums_of_units(values: FloatArray, unit: IntArray, n_units: int) -> FloatArray:
    """Return (n_units,) sums of (n,) values, each rounded to a whole number of the unit of :class:`SumPlan`."""
    # A resample draws as many units as there are, at worst the largest of them each time.
    finest = _unit(float(np.bincount(unit, weights=np.abs(values)).max(initial=0.0)) * n_units)
    # Scaled by powers of two, which changes no digit of a whole number.
    return np.asarray(np.bincount(unit, weights=np.rint(values / finest), minlength=n_units) * finest, dtype=np.float64)


def _unit(most: float) -> float:
    """Return the power of two of which 2^52 are no less than ``most``, which no absolute total exceeds."""
    # An exponent below this would leave the unit among the subnormal numbers, whose digits are fewer.
    return math.ldexp(1.0, max(math.frexp(most)[1] - 52, -1000)) if most else 1.0


def _weighted_exactly(values: FloatArray, frame: Frame) -> tuple[FloatArray, IntArray]:
    """Return numbers with the very sum of the values times the weights of their rows, and the fold of each.

    A product and its rounding error, from halves of 26 digits (Dekker 1971): whole weights then give the same sum as
    rows that are there so many times.
    """
    if frame.weight is None:
        return values, frame.fold
    product = values * frame.weight

    def halves(numbers: FloatArray) -> tuple[FloatArray, FloatArray]:
        high = numbers * (2.0**27 + 1)
        high = high - (high - numbers)
        return high, numbers - high

    (a, b), (c, d) = halves(values), halves(frame.weight)
    error = b * d - (((product - a * c) - b * c) - a * d)
    return np.concatenate([product, error]), np.concatenate([frame.fold, frame.fold])


def _exact_sums(values: FloatArray, fold: IntArray, n_folds: int) -> list[float]:
    """Return the correctly rounded sums over all rows and over those of each fold."""
    if values.dtype == np.bool_ or (np.abs(values).sum() < _WHOLE and bool((np.rint(values) == values).all())):
        # No sum of whole numbers this small is rounded.
        folds = np.bincount(fold, weights=values, minlength=n_folds)
        return [float(values.sum()), *folds.tolist()]
    parts = _exact_parts(values, fold, n_folds)
    return [math.fsum(parts.ravel().tolist()), *(math.fsum(part) for part in parts.T.tolist())]


def _exact_parts(values: FloatArray, fold: IntArray, n_folds: int) -> FloatArray:
    """Return (n_parts, n_folds) numbers whose sum by fold is that of the values, digit by digit.

    Values are cut into layers of so few digits that no sum of a layer is rounded (Rump, Ogita & Oishi 2008).
    """
    if not np.isfinite(values).all():
        raise ValueError("what is summed must be finite")
    parts = [np.bincount(fold, weights=layer, minlength=n_folds) for layer in _layers(values)]
    return np.array(parts, dtype=np.float64).reshape(-1, n_folds)


def _layers(values: FloatArray) -> Iterator[FloatArray]:
    """Yield layers of finite values, of which no sum is rounded."""
    rest, digits = values, 52 - len(values).bit_length()
    while (largest := max(float(rest.max(initial=0.0)), -float(rest.min(initial=0.0)))) > 0:
        # A layer holds multiples of the unit, 2^digits at most each; what it leaves of a value is exact.
        unit = math.ldexp(1.0, math.frexp(largest)[1] - digits) or math.ulp(0.0)
        layer = np.rint(rest / unit) * unit
        yield layer
        rest = rest - layer


def each(function: Callable[[float], float], values: FloatArray) -> FloatArray:
    """Return (n,) values of a function of Python's: numpy's differ in the last bit between processors."""
    return np.fromiter(map(function, np.ascontiguousarray(values).data), np.float64, len(values))


def exact_sum(values: FloatArray) -> float:
    """Return the correctly rounded sum of (n,) values: what math.fsum returns, in a tenth of its time."""
    if not np.isfinite(values).all():
        return math.fsum(values.tolist())
    return math.fsum(float(layer.sum()) for layer in _layers(values))
