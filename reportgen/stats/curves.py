"""Curves with pointwise bands, and distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import Band, Curve, Distribution
from reportgen.domain.run import STATES, FloatArray
from reportgen.metrics.calibration import bins_of
from reportgen.metrics.frames import Frame
from reportgen.metrics.rankings import Rankings
from reportgen.metrics.scores import Counts, SortedScores, precision_on_grid, roc_on_grid
from reportgen.metrics.statistics import SumPlan
from reportgen.metrics.totals import ratio
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.intervals import pointwise_band, significant_digits, simultaneous_band

GRID_POINTS = 101
GRID = np.linspace(0, 1, GRID_POINTS)
CurveKind: TypeAlias = Literal["roc", "pr"]


class CurveOnGrid:
    """The ROC or precision-recall curve on a grid, under every row of weights.

    Scope ``fold_mean`` averages the folds' curves at each grid point (vertical averaging, Fawcett 2006), so that the
    area under the ROC curve is the mean of the folds' AUROCs; ``pooled`` is the curve over all queries.
    """

    read_at: FloatArray | None = None
    """It reads every point of the curve, and no count at a given score."""

    def __init__(self, kind: CurveKind, scope: str, draws: Draws, grid: FloatArray = GRID) -> None:
        self._kind = kind
        self._grid = grid
        self._scope = scope
        self._n_folds = draws.n_folds
        pooled = scope == "pooled" and draws.n_folds > 1
        self._cells = {"pooled"} if pooled else {str(fold) for fold in range(draws.n_folds)}
        self._sum = np.zeros((1 + draws.resamples, len(grid)))
        self._n = np.zeros(1 + draws.resamples)

    def wants(self, cell: str) -> bool:
        """The cells of its scope."""
        return cell in self._cells

    def take(self, cell: str, rows: slice, scores: SortedScores, counts: Counts) -> None:
        """A batch of cumulative counts; the jackknife rows are not needed."""
        if rows.stop <= len(self._n):
            y = (roc_on_grid if self._kind == "roc" else precision_on_grid)(counts.steps, self._grid)
            defined = ~np.isnan(y[:, 0])
            self._sum[rows] += y if defined.all() else np.where(defined[:, None], y, 0.0)
            self._n[rows] += defined

    def curve(self, system: str, subset: str, contract: Contract) -> Curve | None:
        """The curve with its band; None where a class is missing."""
        if self._n[0] == 0:
            return None
        y = ratio(self._sum, np.broadcast_to(self._n[:, None], self._sum.shape))
        # Folds that hold both classes: a curve of another is undefined.
        n = int(self._n[0])
        averaged = f"averaged vertically over {n if n == self._n_folds else f'{n} of {self._n_folds}'} folds"
        what = "of all queries" if self._scope == "pooled" else averaged
        name = "ROC curve" if self._kind == "roc" else "Precision at each recall"
        return curve_record(self._kind, system, subset, self._scope, self._grid, y, (), contract, f"{name} {what}")


class ReliabilityPlan:
    """Observed rate against mean probability in the bins of the calibration error, pooled over folds."""

    def __init__(self, frame: Frame, draws: Draws, contract: Contract) -> None:
        self._bins = contract.integer("ece_bins")
        self._sums = SumPlan(bins_of(frame, self._bins), frame, draws)
        self._rate = np.full((1 + draws.resamples, self._bins), np.nan)
        self._n = [0] * self._bins
        self._x = np.full(self._bins, np.nan)

    def update(self, block: Block) -> None:
        """Take in a block of weights; the jackknife rows are not needed."""
        if block.rows.stop > len(self._rate):
            return
        for index, one in enumerate(self._sums.totals(block).pooled):
            self._rate[block.rows, index] = ratio(one.y, one.n)
            if block.is_first:
                self._n[index] = int(one.n[0])
                self._x[index] = ratio(one.p, one.n)[0]

    def curve(self, system: str, subset: str, contract: Contract) -> Curve | None:
        """The curve with its band over the bins that hold queries; None where there are none."""
        filled = [index for index, n in enumerate(self._n) if n]
        if not filled:
            return None
        what = f"observed rate in {self._bins} equal-width bins of the probability, all queries"
        n = tuple(self._n[index] for index in filled)
        rate = self._rate[:, filled]
        return curve_record("reliability", system, subset, "pooled", self._x[filled], rate, n, contract, what)


def curve_record(
    kind: str,
    system: str,
    subset: str,
    scope: str,
    x: FloatArray,
    values: FloatArray,
    n: tuple[int, ...],
    contract: Contract,
    description: str,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Curve:
    """A curve with its band from (1 + B, n_points) values, kept within ``bounds``.

    It has none without resamples, or where no resample has a value at some point.
    """
    level = contract.real("interval_level")
    band: Band | None = None
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    if (~np.isnan(values[1:])).any(axis=0).all():
        kind_of_band = contract.text("band")
        low, high = (simultaneous_band if kind_of_band == "simultaneous" else pointwise_band)(values, level)
        # Fixed-point sums can leave a bound one unit of 2^-30 outside the range of the curve.
        lower, upper = _stored(np.clip(low, *bounds)), _stored(np.clip(high, *bounds))
        unit = contract.text("interval_unit")
        band = Band(
            level=level,
            method=f"{unit}_{'sup_t' if kind_of_band == 'simultaneous' else 'percentile'}",
            kind=kind_of_band,  # type: ignore[arg-type] # the vocabulary admits only the two
            settings=0,
        )
        drawn = "whole clusters" if unit == "cluster" else "single queries"
        description += f"; {kind_of_band} {100 * level:g} % band from {drawn} resampled"
    return Curve(
        id=f"{kind}|{system}|{subset}|{scope}",
        kind=kind,  # type: ignore[arg-type] # the callers' words
        system=system,
        subset=subset,
        scope=scope,
        x=_stored(x),
        y=_stored(values[0]),
        lower=lower,
        upper=upper,
        n=n,
        band=band,
        description=description,
    )


def _stored(values: FloatArray) -> tuple[float, ...]:
    return tuple(significant_digits(float(value)) for value in values)


def list_length_distributions(rankings: Rankings, frame: Frame, system: str) -> tuple[Distribution, ...]:
    """How many candidates a system ranks for a query, and how many are relevant, over all and over positive queries.

    Only lengths that occur have a bin, as lists can be long.
    """
    groups = {"all_queries": np.ones(len(rankings.n_relevant), dtype=bool), "positives_only": frame["y"] == 1}
    found = []
    for kind, lengths in (("ranked", rankings.n_retrieved), ("relevant", rankings.n_relevant)):
        for subset, mask in groups.items():
            values, counts = np.unique(lengths[mask].astype(np.int64), return_counts=True)
            found.append(
                Distribution(
                    id=f"{kind}|{system}|{subset}|all",
                    kind=kind,
                    system=system,
                    subset=subset,
                    by="",
                    bins=tuple(str(value) for value in values.tolist()),
                    counts=tuple(counts.tolist()),
                )
            )
    return tuple(found)


def selected_k_distributions(
    frame: Frame, system: str, subset: str, labels: Sequence[str] = ()
) -> tuple[Distribution, ...]:
    """Counts of the returned K over all queries, by truth, by state and by label; one bin for every whole K."""
    k = frame["returned_k"].astype(np.int64)
    groups = {"": np.ones(len(k), dtype=bool), "y=0": frame["y"] == 0, "y=1": frame["y"] == 1}
    if "state" in frame.columns:
        groups |= {f"state={name}": frame["state"] == index for index, name in enumerate(STATES)}
    groups |= {f"label={label}": frame.label == index for index, label in enumerate(labels)}
    bins = range(int(k.max(initial=0)) + 1)
    return tuple(
        Distribution(
            id=f"selected_k|{system}|{subset}|{by or 'all'}",
            kind="selected_k",
            system=system,
            subset=subset,
            by=by,
            bins=tuple(str(value) for value in bins),
            counts=tuple(int(count) for count in np.bincount(k[mask], minlength=len(bins))),
        )
        for by, mask in groups.items()
    )
