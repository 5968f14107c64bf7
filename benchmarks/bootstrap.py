"""Bootstrap intervals against hand loops over scikit-learn and scipy.stats.bootstrap, as ratios in one run.

Our side does all B = 10,000 resamples. The peers would take minutes to hours: they do a few, and the time is scaled
linearly, which their loops are. Times are processor times of one thread on both sides, since a machine may be shared,
and beside them the wall clock of our side with two threads: the peers have one. Each is the shortest of three.
Synthetic data: 14,770 queries in 1,477 clusters and five folds.
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
from typing import TypeAlias

import numpy as np
from measuring.data import synthetic_run, write_run
from measuring.report import arguments, machine, seconds, table
from scipy import stats
from sklearn import metrics as sk

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import Run, System
from reportgen.metrics.frames import SystemFrames, prepare
from reportgen.metrics.registry import Instance, find
from reportgen.metrics.thresholds import TunePlan
from reportgen.metrics.weights import Draws, draws_of, feed
from reportgen.stats.curves import CurveOnGrid
from reportgen.stats.intervals import Resampled, bootstrap_interval
from reportgen.stats.permutation import Side, Swaps, permute
from reportgen.stats.values import SubsetPlan

B = 10_000
REPEATS = 3
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


def intervals(run: Run, ids: Sequence[str], draws: Draws, threads: int, protocol: str = "all_queries") -> int:
    """All of our work but reading: frames, resamples, values and intervals; returns how many intervals there are."""
    frames = prepare(run, run.systems[0], CONTRACT)
    plan = SubsetPlan(frames, subset_of(frames, protocol), instances_of(ids), draws, CONTRACT)
    feed(draws, [lambda block: plan.update(block, {})], threads)
    found = [
        bootstrap_interval(Resampled(values.by_aggregation[aggregation], draws.resamples), 0.95, 0)
        for values in plan.values().values()
        for aggregation in ("pooled", "fold_mean")
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


def roc_band(run: Run, draws: Draws, threads: int) -> None:
    frames = prepare(run, run.systems[0], CONTRACT)
    band = CurveOnGrid("roc", "pooled", draws, GRID)
    plan = SubsetPlan(frames, {"query": frames.query}, [], draws, CONTRACT, curves=[band])
    feed(draws, [lambda block: plan.update(block, {})], threads)
    if not band.curves("s", "all_queries", CONTRACT):
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


def ranking(run: Run, draws: Draws, threads: int) -> None:
    """Intervals of 22 metrics of one system, and their paired tests against a second one."""
    intervals(run, RANKING, draws, threads, "positives_only")
    first, second = (prepare(run, system, CONTRACT) for system in (run.systems[0], disturbed(run)))
    sides = [Side(frames, subset_of(frames, "positives_only")) for frames in (first, second)]
    swaps = Swaps(run.cluster_fold, B, 0)
    wanted = [(item, "pooled") for item in instances_of(RANKING)]
    permute(sides[:1], sides[1:], wanted, swaps, len(run.folds), CONTRACT, threads)


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
        first, second = (item.metric.query_values(frame, item.id, CONTRACT)[keep] for frame in frames)
        stats.bootstrap((first,), np.mean, n_resamples=resamples, method="percentile", batch=100, rng=0)
        stats.permutation_test((first, second), mean_difference, permutation_type="samples", vectorized=True,
                               n_resamples=resamples, batch=100, rng=0)  # fmt: skip


def mean_difference(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    return np.mean(first - second, axis=axis)


def operating_points(run: Run, draws: Draws, threads: int) -> int:
    """Seven metrics at four budgets, with the threshold fixed and chosen again on TUNE in every resample."""
    names = ("tpr", "fpr_achieved", "precision", "f1", "mcc", "roc_tpr", "optimism")
    ids = [f"{name}@fpr={alpha:g}" for name in names for alpha in CONTRACT.fpr_budgets]
    frames = prepare(run, run.systems[0], CONTRACT)
    tune = TunePlan(run.systems[0].tune, draws.n_folds, CONTRACT.fpr_budgets, draws.of_tune(run.systems[0].tune))
    plan = SubsetPlan(frames, {"query": frames.query}, instances_of(ids), draws, CONTRACT, tune)
    feed(draws, [lambda block: plan.update(block, tune.thresholds(block))], threads)
    return len(plan.values())


def whole_process(folder: Path) -> tuple[float, float, float]:
    """Wall-clock and processor seconds and peak memory in MB of ``reportgen evaluate``, imports included.

    Without the cross-check, on up to four processors, with byte code that was compiled before, as after an
    installation; the shortest times of three.
    """
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-m", "reportgen", "--quiet", "evaluate", str(folder), "-o", f"{out}/m.json",
                   "--crosscheck", "none"]  # fmt: skip
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = f"{out}/compiled"
        found = []
        for _ in range(1 + REPEATS):
            start = time.perf_counter()
            process = subprocess.Popen(
                command, cwd=Path(__file__).parents[1], env=environment, stdout=subprocess.DEVNULL
            )
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise SystemExit(f"{' '.join(command)} failed")
            found.append((time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
        wall, processor, memory = zip(*found[1:], strict=True)
        return min(wall), min(processor), max(memory)


Work: TypeAlias = Callable[[int], object]
"""Our side, with the number of threads."""


def taken(work: Work) -> tuple[float, float]:
    """Processor time with one thread, and wall clock with two."""
    return seconds(lambda: work(1), REPEATS), seconds(lambda: work(2), REPEATS, time.perf_counter)


def row(work: str, ours: tuple[float, float], peer: str, theirs: Work, n: int, of: int = B) -> list[str]:
    """A row of the table of ratios; the peer does ``n`` ``of`` its steps."""
    scaled = seconds(lambda: theirs(n), REPEATS) * of / n
    one, two = ours
    return [work, f"{one:.2f} s", f"{two:.2f} s", peer, f"{scaled:,.0f} s", f"{n:,} of {of:,}",
            f"{scaled / one:,.0f} ×", f"{scaled / two:,.0f} ×"]  # fmt: skip


RATIO_HEAD = (
    "work", "one thread, processor", "two threads, wall clock", "peer", "its time", "of which measured", "ratio, one",
    "ratio, two",
)  # fmt: skip


def ratios(few: int) -> list[list[str]]:
    run, single = synthetic_run(), synthetic_run(14770, 1)
    ranked = synthetic_run(candidates=True)
    draws, single_draws = draws_of(run, CONTRACT), draws_of(single, CONTRACT)
    jackknifed = draws_of(run, load_contract(overrides={"resamples": B, "interval_method": "bca"}))
    cluster = taken(lambda threads: intervals(run, SIXTEEN, draws, threads))
    # Its rows alone, without resamples: as a difference of two long times they would drown in noise.
    estimate, left_out = (
        taken(lambda threads, rows=rows: intervals(run, SIXTEEN, replace(rows, resamples=0), threads))
        for rows in (draws, jackknifed)
    )
    more = left_out[0] - estimate[0], left_out[1] - estimate[1]
    points = taken(lambda threads: operating_points(run, draws, threads))
    return [
        row("cluster bootstrap, 16 classification and calibration metrics, pooled and fold mean", cluster,
            "hand loop over scikit-learn, 8 metrics, pooled", lambda n: hand_loop(run, n), few),
        row("the same, every query a cluster of its own",
            taken(lambda threads: intervals(single, SIXTEEN, single_draws, threads)),
            "scipy.stats.bootstrap + scikit-learn, 8 metrics", lambda n: scipy_bootstrap(run, n), few),
        row("the jackknife over clusters on top (BCa)", more,
            "scikit-learn jackknife over queries, 8 metrics", lambda n: jackknife(run, n), few, 14770),
        row(f"ROC band, {len(GRID)} points, pooled", taken(lambda threads: roc_band(run, draws, threads)),
            "roc_curve + interp", lambda n: roc_band_by_hand(run, n), few * 5),
        row("22 ranking intervals and 22 paired tests, ranking included",
            taken(lambda threads: ranking(ranked, draws_of(ranked, CONTRACT), threads)),
            "scipy.stats.bootstrap and permutation_test of means", lambda n: scipy_ranking(ranked, n), few * 25),
        ["28 operating-point metrics, threshold fixed and resampled", f"{points[0]:.2f} s", f"{points[1]:.2f} s",
         "none", "", "", "", ""],
    ]  # fmt: skip


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
        taken = seconds(lambda run=run, draws=draws: intervals(run, SIXTEEN, draws, 1))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        per = 1e9 * taken / (len(run.queries) * 200)
        rows.append([f"{len(run.queries):,}", "200", f"{taken:.2f} s", f"{per:.1f} ns", f"{peak:.0f} MB"])
    return rows


def main() -> None:
    full = arguments(__doc__ or "").full
    print(machine("numpy", "scipy", "scikit-learn"), end="\n\n")
    print(table(RATIO_HEAD, ratios(200 if full else 20)), end="\n\n")
    print(table(("whole process, B = 10,000", "wall clock", "processor", "peak memory"), whole_runs()))
    if full:
        print("\n" + table(("queries", "B", "time", "per query and resample", "peak memory"), growth()))


if __name__ == "__main__":
    main()
