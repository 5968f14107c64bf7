"""Do 95 % intervals cover 95 % of the time, and are p values uniform where nothing differs?

The models are described in measuring/simulation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from measuring.report import arguments, machine, table
from measuring.simulation import Model, Uneven, coverage, effective, p_values, p_values_of_fits
from scipy import stats
from threadpoolctl import threadpool_limits

DRAWS = 199
"""Exchanges per test: p is one of 0.005, 0.010, …, 1, each as likely as any other."""
CLASSES = 20
FITS = ("calibration_slope", "calibration_intercept", "auprc[candidate]", "brier[miscalibration]")
"""Metrics that are fitted to all rows, whose differences Wald's test is for."""


def rows(
    model: Model, truth: dict[str, float], replications: int, resamples: int, n_independent: int
) -> Sequence[Sequence[str]]:
    """Per metric its truth and how many intervals hold it."""
    ours = coverage(model, truth, replications, resamples, clustered=True)
    iid = coverage(model, truth, n_independent, resamples, clustered=False)
    return [
        [
            metric,
            f"{value:.4f}",
            _share(ours[metric], replications),
            _share(iid[metric], n_independent),
        ]
        for metric, value in truth.items()
    ]


def null_rows(model: Model, replications: int, trainings: tuple[int, int]) -> Sequence[Sequence[str]]:
    """Shares of p values at or below three levels, and whether twenty equal classes hold equally many of them."""
    found = []
    permuted = p_values(model, replications, DRAWS, trainings, ("brier", "auroc", "f1@0.5"))
    fits = p_values_of_fits(model, replications, FITS) if trainings == (1, 1) else {}
    for metric, p in {**permuted, **fits}.items():
        # Of a permutation p is one of 200 values; half a step below it is in no doubt to which class it belongs.
        half = 0.5 / (DRAWS + 1) if metric in permuted else 0.0
        counts = np.bincount(np.minimum((p - half) * CLASSES, CLASSES - 1).astype(int), minlength=CLASSES)
        below = [_share(int((p <= level + 1e-12).sum()), replications) for level in (0.01, 0.05, 0.1)]
        uniform = f"{stats.chisquare(counts).pvalue:.2f}"
        found.append([" and ".join(map(str, trainings)), metric, *below, uniform])
    return found


def weighted_rows(model: Uneven, replications: int, resamples: int) -> Sequence[Sequence[str]]:
    """Per metric its truth, and how many intervals hold it with the weights and without."""
    truth = model.truth_of_weighted
    found = [
        coverage(replace(model, weighted=weighted), truth, replications, resamples, clustered=True)
        for weighted in (True, False)
    ]
    return [
        [metric, f"{value:.4f}", *(_share(one[metric], replications) for one in found)]
        for metric, value in truth.items()
    ]


def _share(hits: int, n: int) -> str:
    """A share with its Clopper-Pearson interval."""
    interval = stats.binomtest(hits, n).proportion_ci(0.95)
    return f"{100 * hits / n:.1f} % [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"


def main() -> None:
    full = arguments(__doc__ or "").full
    model = Model()
    replications, resamples, n_independent = (4000, 2000, 2000) if full else (1000, 500, 300)
    icc = 1 / (model.a + model.b + 1)
    sizes = f"B = {resamples}; {replications:,} replications, {n_independent:,} of single queries"
    print(machine("numpy", "scipy"))
    print(
        f"{model.clusters} clusters of {model.per_cluster}, intra-cluster correlation of y {icc:.2f}, of the score's "
        f"noise {model.sigma**2:.2f}; {sizes}",
        end="\n\n",
    )
    head = ("metric", "truth", "95 % cluster intervals that cover", "95 % intervals of single queries that cover")
    with threadpool_limits(limits=1, user_api="blas"):
        print(table(head, rows(model, model.truth, replications, resamples, n_independent)), end="\n\n")
        print("Fitted to all rows; linearized, without resamples", end="\n\n")
        print(table(head, rows(model, model.truth_of_fits, replications, 0, n_independent)), end="\n\n")
        for calibrated in (True, False):
            print(f"Calibration errors of {'calibrated' if calibrated else 'wrong'} probabilities", end="\n\n")
            of = replace(model, calibrated=calibrated)
            print(table(head, rows(of, of.truth_of_distances, replications, resamples, n_independent)), end="\n\n")
        uneven = Uneven()
        run = uneven.draw(np.random.default_rng([0, 0]))
        sizes = (
            f"{len(run.queries):,} of {uneven.clusters * uneven.per_cluster:,} queries, {len(run.clusters)} clusters"
        )
        print(
            f"Queries sampled unevenly; first replication: {sizes}, {effective(run):,.0f} effective queries", end="\n\n"
        )
        head = (
            "metric",
            "truth",
            "95 % weighted intervals that cover",
            "95 % intervals without the weights that cover",
        )
        print(table(head, weighted_rows(uneven, replications, resamples)), end="\n\n")
        replications = 4000 if full else 1000
        null = Model(clusters=100)
        print(
            f"Two systems that do not differ, {null.clusters} clusters, {replications:,} replications, {DRAWS} draws\n"
        )
        head = ("trainings", "metric", "p ≤ 0.01", "p ≤ 0.05", "p ≤ 0.10", f"chi-squared test of {CLASSES} classes, p")
        print(table(head, [r for pair in ((1, 1), (3, 3), (3, 1)) for r in null_rows(null, replications, pair)]))


if __name__ == "__main__":
    main()
