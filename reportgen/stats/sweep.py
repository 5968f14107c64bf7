"""Thresholds swept over TUNE: what tau_neg and tau_pos would give, for whoever has to choose them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import structs

from reportgen.domain.contract import Contract
from reportgen.domain.record import SeedSweep, ThresholdSweep
from reportgen.domain.run import TunePart
from reportgen.metrics.threshold_counts import ThresholdCounts, counts_by_fold
from reportgen.stats.curves import threshold_grid
from reportgen.stats.intervals import significant_digits


def threshold_sweep(system: str, tune: TunePart, n_folds: int, contract: Contract) -> ThresholdSweep:
    """Return sensitivity, precision and share of queries at every threshold of the contract's grid, on TUNE alone.

    TUNE parts of different folds share rows, and their scores come from different models, so folds are averaged and
    never put together.
    """
    grid = [float(point) for point in threshold_grid(contract)]
    folds = tuple(counts_by_fold(tune, n_folds).values())
    several = n_folds > 1

    def column(measure: Callable[[ThresholdCounts, float], float | None]) -> tuple[float | None, ...]:
        return tuple(_mean([measure(fold, threshold) for fold in folds]) for threshold in grid)

    return ThresholdSweep(
        id=f"tune|{system}|{'fold_mean' if several else 'pooled'}",
        system=system,
        split="tune",
        aggregation="fold_mean" if several else "pooled",
        thresholds=tuple(grid),
        sensitivity=column(_sensitivity),
        precision=column(_precision),
        share_reached=column(_share),
        rate=column(lambda fold, threshold: 1000 * _share(fold, threshold)),
        description="thresholds on TUNE" + (f", mean of {len(folds)} folds" if several else ""),
    )


def over_parts(own: Sequence[ThresholdSweep], seeds: Sequence[str]) -> ThresholdSweep:
    """Return the mean of the sweeps of a system's parts, with those of its trainings beside it.

    Repeats, whose ``seeds`` are empty, have nothing beside it.
    """
    columns = {
        name: tuple(_mean(list(at)) for at in zip(*(getattr(one, name) for one in own), strict=True))
        for name in ("sensitivity", "precision", "share_reached", "rate")
    }
    return structs.replace(
        own[0],
        **columns,
        description=f"{own[0].description}; mean of {len(own)} {'trainings' if seeds else 'repeats'}",
        seeds=tuple(
            SeedSweep(seed, one.sensitivity, one.precision, one.share_reached, one.rate)
            for seed, one in zip(seeds, own, strict=False)
        ),
    )


def _sensitivity(tune: ThresholdCounts, threshold: float) -> float | None:
    return tune.at(threshold)[0] / tune.positives if tune.positives else None


def _precision(tune: ThresholdCounts, threshold: float) -> float | None:
    tp, predicted = tune.at(threshold)
    return tp / predicted if predicted else None


def _share(tune: ThresholdCounts, threshold: float) -> float:
    return tune.at(threshold)[1] / tune.n


def _mean(values: list[float | None]) -> float | None:
    """Return the unweighted mean of the defined values with the digits of a stored bound; None where there is none."""
    defined = [value for value in values if value is not None]
    return significant_digits(sum(defined) / len(defined)) if defined else None
