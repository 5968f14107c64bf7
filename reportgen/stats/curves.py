"""Curves with pointwise bands, and distributions."""

from __future__ import annotations

import numpy as np

from reportgen.domain.contract import Contract
from reportgen.domain.record import Band, Curve, Distribution
from reportgen.domain.run import STATES, FloatArray
from reportgen.metrics.calibration import bin_rows
from reportgen.metrics.frames import Frame
from reportgen.metrics.scores import batches, roc_on_grid
from reportgen.metrics.statistics import mean_of_parts, ratio, sum_rows
from reportgen.metrics.weights import Weights
from reportgen.stats.intervals import pointwise_band, significant_digits
from reportgen.stats.values import sorted_rows

ROC_POINTS = 101


def roc_curve(frame: Frame, system: str, subset: str, scope: str, weights: Weights, contract: Contract) -> Curve | None:
    """TPR on a grid of FPRs with a pointwise bootstrap band; None where a class is missing.

    Scope ``fold_mean`` averages the folds' curves at each FPR (vertical averaging, Fawcett 2006), so that the area
    under it is the mean of the folds' AUROCs; ``pooled`` is the curve over all queries.
    """
    grid = np.linspace(0, 1, ROC_POINTS)
    if scope == "pooled":
        tpr = _roc(frame, np.arange(len(frame)), weights, grid)
    else:
        members = [np.flatnonzero(frame.fold == fold) for fold in range(weights.n_folds)]
        tpr = mean_of_parts([_roc(frame, rows, weights, grid) for rows in members if len(rows)])
    if np.isnan(tpr[0]).any():
        return None
    what = "of all queries" if scope == "pooled" else f"averaged vertically over {weights.n_folds} folds"
    return _curve("roc", system, subset, scope, grid, tpr, (), weights, contract, f"ROC curve {what}")


def _roc(frame: Frame, members: np.ndarray, weights: Weights, grid: FloatArray) -> FloatArray:
    rows = sorted_rows(frame, members)
    tpr = np.empty((len(weights.counts), len(grid)))
    for part, counts in batches(rows, weights.counts):
        tpr[part] = roc_on_grid(counts, grid)
    return tpr


def reliability_curve(frame: Frame, system: str, subset: str, weights: Weights, contract: Contract) -> Curve | None:
    """Observed rate against mean probability in the bins of the calibration error, pooled over folds."""
    bins = contract.integer("ece_bins")
    totals = sum_rows(bin_rows(frame, bins), frame, weights).pooled
    filled = [index for index in range(bins) if totals[f"bin{index}:n"][0] > 0]
    if not filled:
        return None
    n = [int(totals[f"bin{index}:n"][0]) for index in filled]
    x = np.array([totals[f"bin{index}:p"][0] / totals[f"bin{index}:n"][0] for index in filled])
    rate = np.stack([ratio(totals[f"bin{index}:y"], totals[f"bin{index}:n"]) for index in filled], axis=1)
    what = f"observed rate in {bins} equal-width bins of the probability, all queries"
    return _curve("reliability", system, subset, "pooled", x, rate, tuple(n), weights, contract, what)


def _curve(
    kind: str,
    system: str,
    subset: str,
    scope: str,
    x: FloatArray,
    values: FloatArray,
    n: tuple[int, ...],
    weights: Weights,
    contract: Contract,
    description: str,
) -> Curve:
    """A curve with its band from (1 + B, n_points) values; without resamples it has none."""
    level = contract.real("interval_level")
    band: Band | None = None
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()
    if weights.resamples:
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


def selected_k_distributions(frame: Frame, system: str, subset: str) -> tuple[Distribution, ...]:
    """Counts of the returned K over all queries, by truth and by state; one bin for every whole K."""
    k = frame["returned_k"].astype(np.int64)
    groups = {"": np.ones(len(k), dtype=bool), "y=0": frame["y"] == 0, "y=1": frame["y"] == 1}
    if "state" in frame.columns:
        groups |= {f"state={name}": frame["state"] == index for index, name in enumerate(STATES)}
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
