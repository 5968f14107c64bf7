"""Standard errors by linearization: how far clusters make an interval wider than independent queries would.

Near its value a metric is a sum of one contribution per row, its influence (:mod:`reportgen.metrics.influence` for what
is read off sorted scores, numeric derivatives for smooth functions of sums, its entry for a fit). The variance of that
sum over rows and over clusters gives the design effect. Woodruff 1971; Kish 1965. For a value that is fitted to rows it
is the interval, too (Huber 1967; Binder 1983).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import FloatArray, IntArray
from reportgen.metrics.areas import QuerySums
from reportgen.metrics.frames import Frame
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import Instance
from reportgen.metrics.statistics import Area, FitToRows, Operating, Sums
from reportgen.metrics.thresholds import Choice, decided_at
from reportgen.metrics.totals import Confusion, columns_of, indicator, mapped, mean_of_parts, with_columns

T = TypeVar("T")
_STEP = 1e-5
"""Relative step of the numeric derivative: the cube root of the rounding unit, for central differences."""
_NONE = 1e-12
"""An error this small is the rounding of contributions that are all equal."""
_ROUNDING = 1e-6
"""An error this small beside the other is the rounding of numeric derivatives, which have about ten digits."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Standard errors of one value as if rows, and as if clusters, were independent."""

    rows: float
    clusters: float

    @property
    def design_effect(self) -> float | None:
        """Return the variance with clusters over variance without; None where one of the two is but rounding."""
        known = self.rows > _NONE and self.clusters > _ROUNDING * self.rows
        return (self.clusters / self.rows) ** 2 if known else None


@dataclass(frozen=True, slots=True)
class FittedErrors(Errors):
    """Standard errors of a value that is fitted to all rows, with the degrees of freedom that its interval has."""

    degrees_of_rows: int
    degrees_of_clusters: int

    def error(self, unit: str) -> float:
        """Return the standard error as if ``cluster`` or single rows were independent; 0 where it is but rounding."""
        error = self.clusters if unit == "cluster" else self.rows
        return error if error > _NONE else 0.0

    def degrees(self, unit: str) -> int:
        """Return the degrees of freedom of its variance over ``cluster`` or single rows."""
        return self.degrees_of_clusters if unit == "cluster" else self.degrees_of_rows


class Strata:
    """The rows and clusters of each fold, which is a stratum of the resampling: the same for all metrics of a frame."""

    def __init__(self, cluster: IntArray, fold: IntArray, n_folds: int) -> None:
        """``cluster``, ``fold``: (n,) of each row; a cluster lies in one fold."""
        self.cluster, self.fold, self.n_folds = cluster, fold, n_folds
        _, first, self._cluster = np.unique(cluster, return_index=True, return_inverse=True)
        self._fold_of_cluster = fold[first]
        self._rows, self._clusters = (np.bincount(of, minlength=n_folds) for of in (fold, self._fold_of_cluster))

    @property
    def is_complete(self) -> bool:
        """Tell whether every fold has rows."""
        return bool(self._rows.all())

    def variances(self, contributions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return (n_folds,) variance of the sum of (n,) contributions in each fold: over rows, and over clusters."""
        sums = np.bincount(self._cluster, weights=contributions).astype(np.float64)
        clusters = self._centred(sums, self._fold_of_cluster, self._clusters)
        return self._centred(contributions, self.fold, self._rows), clusters

    def errors(self, contributions: FloatArray) -> Errors:
        """Return the standard errors of the sum of (n,) contributions."""
        rows, clusters = self.variances(contributions)
        return Errors(_root(rows), _root(clusters))

    def degrees(self, unit: str) -> int:
        """Return the degrees of freedom of a variance over ``cluster`` or single rows: units less strata.

        Korn & Graubard 1990.
        """
        units = self._clusters if unit == "cluster" else self._rows
        return int(np.maximum(units - 1, 0).sum())

    def within(self, members: IntArray) -> Strata:
        """Return some rows as one stratum."""
        return Strata(self.cluster[members], np.zeros(len(members), dtype=np.int64), 1)

    @property
    def whole(self) -> Strata:
        """Return the same rows and clusters as one stratum."""
        return Strata(self.cluster, np.zeros_like(self.fold), 1)

    def _centred(self, values: FloatArray, fold: IntArray, n: IntArray) -> FloatArray:
        # bincount adds one by one, so that no bit depends on how a processor vectorises a sum.
        mean = np.bincount(fold, weights=values, minlength=self.n_folds) / np.maximum(n, 1)
        squares = np.bincount(fold, weights=(values - mean[fold]) ** 2, minlength=self.n_folds)
        return np.where(n > 1, squares * n / np.maximum(n - 1, 1), 0.0)


@dataclass(frozen=True)
class Influence:
    """How a value moves with the weight of each query, to first order."""

    strata: Strata
    rows: FloatArray
    """(n_queries,) derivatives by the weight of each query, with all candidates that it has."""

    @cached_property
    def errors(self) -> FittedErrors:
        """Return the standard errors of the value."""
        found = self.strata.errors(self.rows)
        return FittedErrors(found.rows, found.clusters, *map(self.strata.degrees, ("row", "cluster")))

    def less(self, other: Influence) -> Influence:
        """Return the influence on the difference of two values on the same rows."""
        return Influence(self.strata, self.rows - other.rows)


class Fit:
    """A value fitted to all rows and to those of each fold, and how it moves with each query."""

    def __init__(self, strata: Strata) -> None:
        """``strata``: of the rows of the subset."""
        self.values = np.full(1 + strata.n_folds, np.nan)
        """(1 + n_folds,) the value of all rows, then of each fold; NaN = undefined."""
        self._strata = strata
        self._pooled: FloatArray | None = None
        self._of_folds: FloatArray | None = None

    def influence(self, n_folds: int) -> dict[str, Influence]:
        """Return the influence of each query on the value, and on the mean over folds, by aggregation.

        ``n_folds``: folds that the mean is over; what replaces an undefined value does not move. An aggregation is left
        out where nothing of it has a value, or where the fit has no derivative.
        """
        found = {} if self._pooled is None else {"pooled": self._pooled}
        if self._of_folds is not None and n_folds:
            found["fold_mean"] = self._of_folds / n_folds
        return {name: Influence(self._strata, rows) for name, rows in found.items() if not np.isnan(rows).any()}

    def errors(self, n_folds: int) -> dict[str, FittedErrors]:
        """Return the standard errors of the same."""
        return {name: one.errors for name, one in self.influence(n_folds).items()}


class FitToCells(Fit):
    """A fit that takes the rows of cell after cell.

    Only what is said of queries is kept, so that one cell of rows is in memory at a time.
    """

    def __init__(
        self,
        metric_id: MetricId,
        statistic: FitToRows,
        contract: Contract,
        strata: Strata,
        *,
        keeps_influence: bool = True,
    ) -> None:
        """``keeps_influence``: whether the influence on the pooled value is asked for, and not its errors alone."""
        super().__init__(strata)
        self._id, self._statistic, self._contract, self._keeps = metric_id, statistic, contract, keeps_influence
        self._errors: dict[str, FittedErrors] = {}
        self._of_every_fold = True

    def take(self, cells: Sequence[int], rows: Frame) -> None:
        """Fit to the rows of a cell, or of all rows and the only fold, which are two ``cells``."""
        if not len(rows):
            return
        value = self._statistic.value(rows, self._contract, self._id)
        self.values[list(cells)] = value
        if math.isnan(value):
            return
        moved = self._statistic.influence(rows, self._contract, value)
        has_derivative = not np.isnan(moved).any()
        if 0 in cells and has_derivative and self._keeps:
            self._pooled = moved
        elif 0 in cells and has_derivative:
            self._errors["pooled"] = Influence(self._strata, moved).errors
        if any(cells):
            self._of_every_fold &= has_derivative
            self._put(max(cells) - 1, moved)

    def _put(self, fold: int, moved: FloatArray) -> None:
        """Keep what the rows of a fold move; nothing where a fold has no derivative."""
        if not self._of_every_fold:
            self._of_folds = None
            return
        if self._of_folds is None:
            self._of_folds = np.zeros(len(self._strata.fold))
        self._of_folds[self._strata.fold == fold] = moved

    def errors(self, n_folds: int) -> dict[str, FittedErrors]:
        """Return the standard errors of the pooled value, and of the mean over folds."""
        return self._errors | super().errors(n_folds)


class FitToCandidates(Fit):
    """An area over the candidates of all queries, from what those of each query move."""

    def __init__(self, metric_id: MetricId, parts: Sequence[QuerySums], queries: Frame, strata: Strata) -> None:
        """``queries``: those of the subset."""
        super().__init__(strata)
        at = parts[0].areas.index(metric_id)
        self.values = parts[0].values[at]
        moved = np.zeros((2, int(queries.rows.max(initial=0)) + 1))
        for part in parts:
            moved[:, part.query] = part.sums[at]  # a single fold is all rows
        pooled, of_folds = moved[:, queries.rows]
        self._pooled = None if math.isnan(self.values[0]) else pooled
        self._of_folds = None if np.isnan(self.values[1:]).all() else of_folds


def mean_influence(influences: Sequence[Influence], *, in_repeats: bool = False) -> Influence:
    """Return the influence on the mean of several values on the same rows; ``in_repeats``: each has other folds."""
    strata = influences[0].strata
    return Influence(strata.whole if in_repeats else strata, mean_of_parts([one.rows for one in influences]))


def linearized(contributions: T, strata: Strata, finish: Callable[[T], FloatArray]) -> dict[str, Errors]:
    """Return the errors of ``finish`` of summed contributions, by aggregation; left out where it is undefined.

    Folds share no cluster, so the variance of their mean is the mean variance over their number.
    """
    slopes = _slopes(
        columns_of(contributions), strata, lambda totals: finish(with_columns(contributions, iter(totals)))
    )
    found = {}
    if not np.isnan(slopes[0]).any():
        found["pooled"] = strata.errors(_combined(columns_of(contributions), slopes[:1].T))
    if not np.isnan(slopes[1:]).any() and strata.is_complete:
        rows, clusters = strata.variances(_combined(columns_of(contributions), slopes[1:].T, strata.fold))
        found["fold_mean"] = Errors(_root(rows) / strata.n_folds, _root(clusters) / strata.n_folds)
    return found


def _slopes(
    columns: Iterable[FloatArray], strata: Strata, finish: Callable[[list[FloatArray]], FloatArray]
) -> FloatArray:
    """Return (1 + n_folds, n_columns) derivatives of ``finish`` by each total, pooled and in each fold.

    NaN = undefined. Numeric, by central differences of the totals.
    """
    n = strata.n_folds
    folds = [np.bincount(strata.fold, weights=column, minlength=n) for column in columns]
    totals = np.array([[fold.sum(), *fold] for fold in folds])
    steps = _STEP * np.maximum(np.abs(totals), 1.0)
    # By total, cell, total that is varied, and whether it is raised or lowered.
    varied = np.tile(totals[:, :, None, None], (1, 1, len(folds), 2))
    index = np.arange(len(folds))
    varied[index, :, index, 0] += steps
    varied[index, :, index, 1] -= steps
    # At an edge (no false positives, say) a lowered total is impossible, and so then is the derivative.
    with np.errstate(invalid="ignore", divide="ignore"):
        values = finish([total.ravel() for total in varied])
    raised_and_lowered = values.reshape(1 + n, len(folds), 2)
    return np.asarray((raised_and_lowered[..., 0] - raised_and_lowered[..., 1]) / (2 * steps.T))


def _combined(columns: Iterable[FloatArray], slopes: FloatArray, fold: IntArray | int = 0) -> FloatArray:
    """Return (n,) contributions to the metric: columns times their (n_columns, n_folds) slopes in the fold of a row."""
    return np.asarray(sum(of_folds[fold] * column for of_folds, column in zip(slopes, columns, strict=True)))


def errors_of_sums(statistic: Sums[T], contributions: T, strata: Strata) -> dict[str, Errors]:
    """Return the errors of a function of sums of row contributions; none where its entry knows no way."""
    if statistic.influence is not None:
        point = statistic.finish(mapped(contributions, lambda column: np.array([float(column.sum())])))
        moved = statistic.influence(contributions, float(point[0]))
        return {} if moved is None else {"pooled": strata.errors(moved)}
    return linearized(contributions, strata, statistic.finish) if statistic.smooth else {}


def errors_of_operating_point(
    item: Instance, finish: Callable[[Confusion], FloatArray], frame: Frame, choices: Sequence[Choice], strata: Strata
) -> dict[str, Errors]:
    """Return the errors of a metric at the thresholds chosen on TUNE, with these thresholds fixed."""
    passed, y = decided_at(choices, item.id.number, frame), frame["y"]
    if np.isnan(passed).any():
        return {}
    margins = passed * y, passed * (1 - y), y, 1 - y
    return linearized(margins, strata, lambda totals: finish(Confusion.from_margins(*totals)))


class RankedCells:
    """The rows of a frame by falling probability, all of them and those of each fold."""

    def __init__(self, frame: Frame, n_folds: int) -> None:
        """``frame``: rows of single queries, at least one."""
        self.frame = frame
        folds = [np.flatnonzero(frame.fold == fold) for fold in range(n_folds)]
        self.members = [np.arange(len(frame)), *folds]

    @cached_property
    def rows(self) -> list[RankedRows | None]:
        """Return all rows, then those of each fold; None where it lacks one."""
        p, y = self.frame["p"], self.frame["y"]
        return [RankedRows.of(p[members], y[members]) if len(members) else None for members in self.members]


def errors_of_scores(
    items: Sequence[Instance], frame: Frame, choices: Sequence[Choice], strata: Strata
) -> dict[MetricId, dict[str, Errors]]:
    """Return the errors of what is read off sorted scores; ``choices``: those that optimism compares with.

    AUROC has a variance of each class: DeLong's and Obuchowski's. The ranks of all rows, then of those of each fold,
    are in memory one after the other.
    """
    areas: dict[MetricId, list[Errors | None]] = {}
    others: dict[MetricId, list[tuple[FloatArray, FloatArray] | None]] = {}
    passed: dict[MetricId, FloatArray] = {}
    for item in items:
        if isinstance(item.metric.statistic, Operating):
            decided = decided_at(choices, item.id.number, frame)
            if np.isnan(decided).any():
                continue
            passed[item.id] = indicator(decided == 1)
        (areas if _is_auroc(item) else others)[item.id] = []
    for cell in range(1 + strata.n_folds) if areas or others else ():
        members = np.flatnonzero(frame.fold == cell - 1) if cell else np.arange(len(frame))
        rows = RankedRows.of(frame["p"][members], frame["y"][members]) if len(members) else None
        of_cell, parts = (strata.within(members), strata.n_folds) if cell else (strata, 1)
        for item in items:
            if item.id in areas:
                areas[item.id].append(None if rows is None else auroc_errors(rows, of_cell.cluster))
            elif item.id in others:
                moved = None if rows is None else _moved(item, rows)
                if rows is not None and moved is not None and item.id in passed:
                    moved = moved - _moved_at(passed[item.id][members], rows.y)
                others[item.id].append(None if moved is None else of_cell.variances(moved / parts))
    return {metric_id: _errors_of_auroc(*cells) for metric_id, cells in areas.items()} | {
        metric_id: _errors_of_cells(*cells) for metric_id, cells in others.items()
    }


def _is_auroc(item: Instance) -> bool:
    return isinstance(item.metric.statistic, Area) and item.metric.statistic.over_pairs


def _errors_of_cells(
    pooled: tuple[FloatArray, FloatArray] | None, *folds: tuple[FloatArray, FloatArray] | None
) -> dict[str, Errors]:
    """Return the errors of all rows, and of the mean over folds, from variances over rows and over clusters."""
    found = {} if pooled is None else {"pooled": Errors(*map(_root, pooled))}
    defined = [variances for variances in folds if variances is not None]
    if len(defined) == len(folds):
        found["fold_mean"] = Errors(*(_root(np.concatenate(of_folds)) for of_folds in zip(*defined, strict=True)))
    return found


def _errors_of_auroc(pooled: Errors | None, *folds: Errors | None) -> dict[str, Errors]:
    """Return the errors of all rows, and of the mean over folds.

    Folds share no cluster, so the variance of their mean is the mean variance over their number.
    """
    found = {} if pooled is None else {"pooled": pooled}
    defined = [errors for errors in folds if errors is not None]
    if len(defined) == len(folds):
        found["fold_mean"] = Errors(
            math.sqrt(math.fsum(errors.rows**2 for errors in defined)) / len(defined),
            math.sqrt(math.fsum(errors.clusters**2 for errors in defined)) / len(defined),
        )
    return found


def _moved(item: Instance, rows: RankedRows) -> FloatArray | None:
    """Return (n,) the influence on a metric of sorted scores; None where it has no value."""
    if not rows.ranks.counts.positives:
        return None
    statistic = item.metric.statistic
    if isinstance(statistic, Area):
        return statistic.influence(rows)
    return rows.highest_rate(item.id.number) if rows.ranks.negatives else None


def _moved_at(passed: FloatArray, y: FloatArray) -> FloatArray:
    """Return (n,) the influence on the share of positives that pass."""
    n = np.bincount(y.astype(np.int64), minlength=2)[1]
    return np.asarray(y * (passed - float((passed * y).sum()) / n) / n)


def auroc_errors(rows: RankedRows, cluster: IntArray) -> Errors | None:
    """Return the standard errors of AUROC; None with fewer than two of a class, or of clusters that hold one.

    Rows: :func:`variance_over_rows`, clusters: :func:`variance_over_clusters`.
    """
    if min(rows.ranks.counts.positives, rows.ranks.negatives) < 2:
        return None
    moved = rows.auroc()
    of_clusters = variance_over_clusters(moved, rows.y, cluster)
    return None if of_clusters is None else Errors(math.sqrt(variance_over_rows(moved, rows.y)), math.sqrt(of_clusters))


def variance_over_rows(moved: FloatArray, y: FloatArray) -> float:
    """Return the variance of the sum of (n,) influences on an AUROC, or on a difference of two, over rows.

    Needs two rows of each class. DeLong et al. 1988.
    """
    return math.fsum(variance_of_sum(moved[of_class], int(of_class.sum())) for of_class in (y > 0, y == 0))


def variance_over_clusters(moved: FloatArray, y: FloatArray, cluster: IntArray) -> float | None:
    """Return the variance of the sum of (n,) influences on an AUROC, or on a difference of two, over clusters.

    From the clusters' summed influences, those of positives over the clusters that hold one, those of negatives
    likewise; None with fewer than two of such clusters. Obuchowski 1997, Biometrics 53, 567-578.
    """
    _, member = np.unique(cluster, return_inverse=True)
    classes = (y > 0, y == 0)
    sums = [np.asarray(np.bincount(member, weights=moved * of_class), dtype=np.float64) for of_class in classes]
    holding = [len(np.unique(member[of_class])) for of_class in classes]
    if min(holding) < 2:
        return None
    both, n_clusters = math.fsum((sums[0] * sums[1]).tolist()), len(sums[0])
    variance = math.fsum(variance_of_sum(of_class, n) for of_class, n in zip(sums, holding, strict=True))
    # A sum of squares and of products of the two may fall below zero by what their factors differ.
    return max(variance + 2 * both * n_clusters / (n_clusters - 1), 0.0)


def variance_of_sum(moved: FloatArray, n: int) -> float:
    """Return the variance of a sum of n independent influences whose mean is zero."""
    return math.fsum((moved**2).tolist()) * n / (n - 1)


def _root(variances: FloatArray) -> float:
    return math.sqrt(math.fsum(variances.tolist()))
