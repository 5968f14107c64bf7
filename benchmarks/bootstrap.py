"""Bootstrap intervals against hand loops over scikit-learn and scipy.stats.bootstrap, as ratios in one run.

Our side does all B = 10,000 resamples. The peers would take minutes to hours: they do a few, and the time is scaled
linearly, which their loops are. Times are processor times of one process and one thread on both sides, since a machine
may be shared. Synthetic data: 14,770 queries in 1,477 clusters and five folds.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from measuring.data import synthetic_run, write_run
from measuring.report import RATIO_HEAD, arguments, machine, ratio_row, seconds, table
from scipy import stats
from sklearn import metrics as sk
from threadpoolctl import threadpool_limits

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Run, System
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.ranking import per_query
from reportgen.metrics.registry import Instance, find
from reportgen.metrics.thresholds import TunePlan
from reportgen.metrics.weights import Draws, draws_of
from reportgen.stats.curves import CurveOnGrid
from reportgen.stats.intervals import Resampled, bootstrap_interval
from reportgen.stats.permutation import Side, Swaps, permute
from reportgen.stats.values import SubsetPlan

B = 10_000
CONTRACT = load_contract(overrides={"resamples": B})
GRID = np.linspace(0, 1, 200)
SIXTEEN = (
    "auroc", "auprc", "prevalence", "brier", "log_loss", "ece", "f1@0.5", "mcc@0.5", "f1@tune", "mcc@tune",
    "roc_tpr@fpr=0.01", "roc_tpr@fpr=0.03", "roc_tpr@fpr=0.05", "roc_tpr@fpr=0.1",
    "net_benefit@pt=0.1", "net_benefit@pt=0.2",
)  # fmt: skip
RANKING = (
    *(f"{name}@{k}" for name in ("ndcg", "recall", "hit", "map") for k in (1, 3, 5, 10, 20)), "map", "mrr",
)  # fmt: skip
PEER: tuple[Callable[[np.ndarray, np.ndarray], float], ...] = (
    sk.roc_auc_score,
    sk.average_precision_score,
    sk.brier_score_loss,
    lambda y, p: sk.log_loss(y, p, labels=[0, 1]),
    lambda y, p: sk.f1_score(y, p >= 0.2, zero_division=0),
    lambda y, p: sk.matthews_corrcoef(y, p >= 0.2),
    lambda y, p: sk.precision_score(y, p >= 0.2, zero_division=0),
    lambda y, p: sk.recall_score(y, p >= 0.2, zero_division=0),
)


def instances_of(ids: Sequence[str]) -> list[Instance]:
    return [Instance(MetricId.parse(text), find(MetricId.parse(text)), order) for order, text in enumerate(ids)]


def intervals(run: Run, ids: Sequence[str], draws: Draws, protocol: str = "all_queries") -> int:
    """All of our work but reading: frames, resamples, values and intervals; returns how many intervals there are."""
    frames = prepare(run, run.systems[0], CONTRACT)
    plan = SubsetPlan(frames, subset_of(frames, protocol), instances_of(ids), draws, CONTRACT)
    for block in draws.blocks():
        plan.update(block, {})
    found = [
        bootstrap_interval(Resampled(values.scopes[scope], draws.resamples), 0.95, 0)
        for values in plan.values().values()
        for scope in ("pooled", "fold_mean")
    ]
    return len(found)


def subset_of(frames: SystemFrames, protocol: str) -> dict[str, object]:
    keep = frames.query["y"] == 1 if protocol == "positives_only" else np.ones(len(frames.query), dtype=bool)
    return {"query": frames.query.where(keep, protocol)}


def hand_loop(run: Run, resamples: int) -> None:
    """Draw clusters within folds, repeat their rows, recompute eight metrics with scikit-learn."""
    rng = np.random.default_rng(0)
    y, p = run.queries.y_true, run.systems[0].y_prob
    members = [np.flatnonzero(run.cluster_fold == fold) for fold in range(len(run.folds))]
    rows_of = np.split(np.arange(len(y)), np.flatnonzero(np.diff(run.queries.cluster)) + 1)
    for _ in range(resamples):
        drawn = np.concatenate([rng.choice(part, len(part)) for part in members])
        rows = np.concatenate([rows_of[cluster] for cluster in drawn])
        for metric in PEER:
            metric(y[rows], p[rows])


def scipy_bootstrap(run: Run, resamples: int) -> None:
    data = (run.queries.y_true, run.systems[0].y_prob)
    for metric in PEER:
        stats.bootstrap(data, metric, paired=True, vectorized=False, n_resamples=resamples, method="percentile", rng=0)


def jackknife(run: Run, n: int) -> None:
    y, p = run.queries.y_true, run.systems[0].y_prob
    for left_out in range(n):
        keep = np.arange(len(y)) != left_out
        for metric in PEER:
            metric(y[keep], p[keep])


def roc_band(run: Run, draws: Draws) -> None:
    frames = prepare(run, run.systems[0], CONTRACT)
    band = CurveOnGrid("roc", "pooled", draws, GRID)
    plan = SubsetPlan(frames, {"query": frames.query}, [], draws, CONTRACT, curves=[band])
    for block in draws.blocks():
        plan.update(block, {})
    if band.curve("s", "all_queries", CONTRACT) is None:
        raise SystemExit("the synthetic run has both classes, and so a curve")


def roc_band_by_hand(run: Run, resamples: int) -> None:
    rng = np.random.default_rng(0)
    y, p = run.queries.y_true, run.systems[0].y_prob
    curves = []
    for _ in range(resamples):
        rows = rng.integers(0, len(y), len(y))
        fpr, tpr, _ = sk.roc_curve(y[rows], p[rows], drop_intermediate=False)
        curves.append(np.interp(GRID, fpr, tpr))
    np.quantile(np.array(curves), [0.025, 0.975], axis=0)


def ranking(run: Run, draws: Draws) -> None:
    """Intervals of 22 metrics of one system, and their paired tests against a second one."""
    intervals(run, RANKING, draws, "positives_only")
    first, second = (prepare(run, system, CONTRACT) for system in (run.systems[0], disturbed(run)))
    sides = [Side(frames, subset_of(frames, "positives_only")) for frames in (first, second)]
    swaps = Swaps(run.cluster_fold, B, 0)
    wanted = [(item, "pooled") for item in instances_of(RANKING)]
    permute(sides[:1], sides[1:], wanted, swaps, len(run.folds), CONTRACT)


def disturbed(run: Run) -> System:
    """A second system: the first with noise on its scores."""
    system = run.systems[0]
    noise = np.random.default_rng(1).normal(0, 0.5, len(system.score))
    return replace(system, id="t", score=np.round(system.score + noise, 3))


def scipy_ranking(run: Run, resamples: int) -> None:
    """scipy has no clusters: it draws and swaps single queries, whose values it is given: less work than ours."""
    frames = [prepare(run, system, CONTRACT) for system in (run.systems[0], disturbed(run))]
    keep = run.queries.y_true == 1
    for item in instances_of(RANKING):
        first, second = (per_query(frame, item.id, CONTRACT)[keep] for frame in frames)
        stats.bootstrap((first,), np.mean, n_resamples=resamples, method="percentile", batch=100, rng=0)
        stats.permutation_test((first, second), mean_difference, permutation_type="samples", vectorized=True,
                               n_resamples=resamples, batch=100, rng=0)  # fmt: skip


def mean_difference(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(first - second, axis=axis)


def operating_points(run: Run, draws: Draws) -> int:
    """Seven metrics at four budgets, with the threshold fixed and chosen again on TUNE in every resample."""
    names = ("tpr", "fpr_achieved", "precision", "f1", "mcc", "roc_tpr", "optimism")
    ids = [f"{name}@fpr={alpha:g}" for name in names for alpha in CONTRACT.fpr_budgets]
    frames = prepare(run, run.systems[0], CONTRACT)
    tune = TunePlan(run.systems[0].tune, draws.n_folds, CONTRACT.fpr_budgets, draws.of_tune(run.systems[0].tune))
    plan = SubsetPlan(frames, {"query": frames.query}, instances_of(ids), draws, CONTRACT, tune)
    for block in draws.blocks():
        plan.update(block, tune.thresholds(block))
    return len(plan.values())


def whole_process(folder: Path) -> tuple[float, float, float]:
    """Wall-clock and processor seconds and peak memory in MB of ``reportgen evaluate``, imports included.

    Without the cross-check; two systems at a time, so that the wall clock is below the processor's.
    """
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "reportgen", "--quiet", "evaluate", str(folder), "-o", f"{out}/m.json",
                   "--crosscheck", "none"]  # fmt: skip
        start = time.perf_counter()
        process = subprocess.Popen(command, cwd=Path(__file__).parents[1], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} failed")
        return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def ratios(few: int) -> list[list[str]]:
    run, single = synthetic_run(), synthetic_run(14770, 1)
    ranked = synthetic_run(candidates=True)
    draws = draws_of(run, CONTRACT)
    rows = []

    def row(work: str, ours: float, peer: str, theirs: Callable[[int], object], n: int = few, of: int = B) -> None:
        scaled = seconds(lambda: theirs(n)) * of / n
        rows.append(ratio_row(work, ours, peer, scaled, f"{n:,} of {of:,}"))

    cluster = seconds(lambda: intervals(run, SIXTEEN, draws))
    row("cluster bootstrap, 16 classification and calibration metrics, pooled and fold mean", cluster,
        "hand loop over scikit-learn, 8 metrics, pooled", lambda n: hand_loop(run, n))  # fmt: skip
    ours = seconds(lambda: intervals(single, SIXTEEN, draws_of(single, CONTRACT)))
    row("the same, every query a cluster of its own", ours, "scipy.stats.bootstrap + scikit-learn, 8 metrics",
        lambda n: scipy_bootstrap(run, n))  # fmt: skip
    with_jackknife = seconds(lambda: intervals(run, SIXTEEN, replace(draws, left_out=np.unique(draws.of_query))))
    row("the jackknife over clusters on top (BCa)", max(with_jackknife - cluster, 0.01),
        "scikit-learn jackknife over queries, 8 metrics", lambda n: jackknife(run, n), of=14770)  # fmt: skip
    row(f"ROC band, {len(GRID)} points, pooled", seconds(lambda: roc_band(run, draws)), "roc_curve + interp",
        lambda n: roc_band_by_hand(run, n), n=few * 5)  # fmt: skip
    ours = seconds(lambda: ranking(ranked, draws))
    row("22 ranking intervals and 22 paired tests, ranking included", ours,
        "scipy.stats.bootstrap and permutation_test of means",
        lambda n: scipy_ranking(ranked, n), n=few * 25)  # fmt: skip
    ours = seconds(lambda: operating_points(run, draws))
    rows.append(["28 operating-point metrics, threshold fixed and resampled", f"{ours:.2f} s", "none", "", "", ""])
    return rows


def whole_runs() -> list[list[str]]:
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_run(synthetic_run(candidates=True), folder)
        rows.append(["14,770 queries, 295,400 candidates, one system", *whole_process(folder)])
    digits = Path(__file__).parents[1] / "sample_runs" / "digits_pages"
    rows.append(["digits_pages, 4 systems, all subsets", *whole_process(digits)])
    return [[work, f"{wall:.1f} s", f"{cpu:.1f} s", f"{memory:.0f} MB"] for work, wall, cpu, memory in rows]


def growth() -> list[list[str]]:
    """Sixteen metrics at growing n, in this process: peak memory only rises, so sizes come in order."""
    contract = load_contract(overrides={"resamples": 200})
    rows = []
    for n_clusters in (1_477, 14_770, 100_000):
        run = synthetic_run(n_clusters)
        draws = draws_of(run, contract)
        taken = seconds(lambda run=run, draws=draws: intervals(run, SIXTEEN, draws))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        per = 1e9 * taken / (len(run.queries) * 200)
        rows.append([f"{len(run.queries):,}", "200", f"{taken:.2f} s", f"{per:.1f} ns", f"{peak:.0f} MB"])
    return rows


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("numpy", "scipy", "scikit-learn"), end="\n\n")
    # As in an evaluation: products are exact, so that threads would change no bit, but they would wait for each other.
    with threadpool_limits(limits=1, user_api="blas"):
        print(table(RATIO_HEAD, ratios(200 if full else 20)), end="\n\n")
    print(table(("whole process, B = 10,000", "wall clock", "processor", "peak memory"), whole_runs()))
    if full:
        print("\n" + table(("queries", "B", "time", "per query and resample", "peak memory"), growth()))


if __name__ == "__main__":
    main()
