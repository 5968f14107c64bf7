"""Do 95 % intervals cover 95 % of the time? The model is described in measuring/simulation.py."""

from __future__ import annotations

from collections.abc import Sequence

from measuring.report import arguments, machine, table
from measuring.simulation import Model, coverage
from scipy import stats
from threadpoolctl import threadpool_limits


def rows(model: Model, replications: int, resamples: int, n_independent: int) -> Sequence[Sequence[str]]:
    ours = coverage(model, replications, resamples, clustered=True)
    iid = coverage(model, n_independent, resamples, clustered=False)
    return [
        [
            metric,
            f"{value:.4f}",
            _share(ours[metric], replications),
            _share(iid[metric], n_independent),
        ]
        for metric, value in model.truth.items()
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
        print(table(head, rows(model, replications, resamples, n_independent)))


if __name__ == "__main__":
    main()
