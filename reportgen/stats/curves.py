"""Curves with pointwise bands, and distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import Band, Curve, Distribution
from reportgen.domain.run import STATES, FloatArray
from reportgen.metrics.calibration import bin_rows
from reportgen.metrics.frames import Frame
from reportgen.metrics.scores import Counts, roc_on_grid
from reportgen.metrics.statistics import SumPlan, ratio
from reportgen.metrics.weights import Block, Draws
from reportgen.stats.intervals import pointwise_band, significant_digits

ROC_POINTS = 101


class RocPlan:
    """TPR on a grid of FPRs, under every row of weights.

    Scope ``fold_mean`` averages the folds' curves at each FPR (vertical averaging, Fawcett 2006), so that the area
    under it is the mean of the folds' AUROCs; ``pooled`` is the curve over all queries.
    """

    def __init__(self, scope: str, draws: Draws) -> None:
        self._scope = scope
        self._n_folds = draws.n_folds
        self._grid = np.linspace(0, 1, ROC_POINTS)
        pooled = scope == "pooled" and draws.n_folds > 1
        self._cells = {"pooled"} if pooled else {str(fold) for fold in range(draws.n_folds)}
        self._sum = np.zeros((1 + draws.resamples, ROC_POINTS))
        self._n = np.zeros(1 + draws.resamples)

    def take(self, cell: str, rows: slice, counts: Counts) -> None:
        """A batch of cumulative counts; the jackknife rows are not needed."""
        if cell in self._cells and rows.stop <= len(self._n):
            tpr = roc_on_grid(counts, self._grid)
            defined = ~np.isnan(tpr[:, 0])
            self._sum[rows] += np.where(defined[:, None], tpr, 0.0)
            self._n[rows] += defined

    def curve(self, system: str, subset: str, contract: Contract) -> Curve | None:
        """The curve with its band; None where a class is missing."""
        if self._n[0] == 0:
            return None
        tpr = ratio(self._sum, np.broadcast_to(self._n[:, None], self._sum.shape))
        pooled = self._scope == "pooled"
        what = "of all queries" if pooled else f"averaged vertically over {self._n_folds} folds"
        return _curve("roc", system, subset, self._scope, self._grid, tpr, (), contract, f"ROC curve {what}")


class ReliabilityPlan:
    """Observed rate against mean probability in the bins of the calibration error, pooled over folds."""

    def __init__(self, frame: Frame, draws: Draws, contract: Contract) -> None:
        self._bins = contract.integer("ece_bins")
        self._sums = SumPlan(bin_rows(frame, self._bins), frame, draws.fold, draws.n_folds)
        self._rate = np.full((1 + draws.resamples, self._bins), np.nan)
        self._n = [0] * self._bins
        self._x = np.full(self._bins, np.nan)

    def update(self, block: Block) -> None:
        """Take in a block of weights; the jackknife rows are not needed."""
        if block.rows.stop > len(self._rate):
            return
        totals = self._sums.totals(block).pooled
        for index in range(self._bins):
            n, p, y = (totals[f"bin{index}:{name}"] for name in ("n", "p", "y"))
            self._rate[block.rows, index] = ratio(y, n)
            if block.is_first:
                self._n[index] = int(n[0])
                self._x[index] = ratio(p, n)[0]

    def curve(self, system: str, subset: str, contract: Contract) -> Curve | None:
        """The curve with its band over the bins that hold queries; None where there are none."""
        filled = [index for index, n in enumerate(self._n) if n]
        if not filled:
            return None
        what = f"observed rate in {self._bins} equal-width bins of the probability, all queries"
        n = tuple(self._n[index] for index in filled)
        rate = self._rate[:, filled]
        return _curve("reliability", system, subset, "pooled", self._x[filled], rate, n, contract, what)


def _curve(
    kind: str,
    system: str,
    subset: str,
    scope: str,
    x: FloatArray,
    values: FloatArray,
    n: tuple[int, ...],
    contract: Contract,
    description: str,
) -> Curve:
    """A curve with its band from (1 + B, n_points) values; without resamples it has none."""
    level = contract.real("interval_level")
    band: Band | None = None
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    if len(values) > 1:
        low, high = pointwise_band(values, level)
        # Fixed-point sums can leave a bound one unit of 2^-30 outside [0, 1].
        lower, upper = _stored(np.clip(low, 0, 1)), _stored(np.clip(high, 0, 1))
        band = Band(level=level, method="cluster_percentile", kind="pointwise", settings=0)
        description += f"; pointwise {100 * level:g} % band from whole clusters resampled"
    return Curve(
        id=f"{kind}|{system}|{subset}|{scope}",
        kind=kind,  # type: ignore[arg-type] # the callers' two words
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
