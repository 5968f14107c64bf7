"""The same bits under another BLAS kernel, another number of threads (BLAS's and ours) and another size of batches.

At 1,477 clusters a matrix product in floating point differs in its last bits between these; at a few hundred it does
not, so a small run would hide a sum that is not exact.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import hashlib, sys
import numpy as np
from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record_facts import Units, DEFAULT_UNITS
from reportgen.domain.run import Queries, Run, RunInfo, System, TunePart
from reportgen.metrics import scores, weights
from reportgen.metrics.frames import prepare
from reportgen.metrics.registry import Instance, find
from reportgen.metrics.thresholds import TunePlan
from reportgen.metrics.weights import draws_of, feed
from reportgen.stats.curves import CurveOnGrid
from reportgen.stats.values import SubsetPlan

if sys.argv[1] == "small":
    scores._WORKING_SET, weights._BLOCK_CELLS = 2**13, 2**16
rng = np.random.default_rng(0)
clusters, folds = 1477, 5
cluster = np.repeat(np.arange(clusters), 4)
n = len(cluster)
y = (rng.random(n) < 0.2).astype(np.int64)
p = np.round(1 / (1 + np.exp(-(y - 1.5 + rng.normal(size=n)))), 3)
fold = np.arange(clusters) % folds
tune = TunePart(cluster, (fold[cluster] + 1) % folds, y, p)
system = System(id="s", label="S", y_prob=p, tune=tune, thresholds={"tau": np.full(folds, 0.3)})
run = Run(
    info=RunInfo(title="Synthetic", synthetic=True, decision="tau"), units=DEFAULT_UNITS,
    clusters=tuple(map(str, range(clusters))), cluster_fold=fold, folds=tuple(map(str, range(folds))), labels=(),
    queries=Queries(tuple(map(str, range(n))), cluster, fold[cluster], np.zeros(n, dtype=np.int64), y),
    candidates=None, systems=(system,), inputs=(),
)
contract = load_contract(overrides={"resamples": 60})
names = ("auroc", "auprc", "auprc[trapezoid]", "brier", "log_loss", "ece", "f1@tune", "mcc@0.5", "tpr@fpr=0.05",
         "roc_tpr@fpr=0.05", "net_benefit@pt=0.1")
wanted = [Instance(MetricId.parse(name), find(MetricId.parse(name)), i) for i, name in enumerate(names)]
frames, draws = prepare(run, system, contract), draws_of(run, contract)
chooser = TunePlan(tune, folds, contract.fpr_budgets, draws.of_tune(tune))
curves = [CurveOnGrid(kind, aggregation, draws) for kind in ("roc", "pr") for aggregation in ("pooled", "fold_mean")]
plan = SubsetPlan(frames, {"query": frames.query}, wanted, draws, contract, chooser, curves)
feed(draws, [lambda block: plan.update(block, chooser.thresholds(block))], int(sys.argv[2]))
digest = hashlib.sha256()
for values in plan.values().values():
    for series in (values.by_aggregation, values.resampled or {}):
        for aggregation in sorted(series):
            digest.update(series[aggregation].tobytes())
for curve in curves:
    digest.update(repr(curve.curves("s", "all_queries", contract)).encode())
print(digest.hexdigest())
"""


def digest(kernel: str, threads: int, batch: str) -> str:
    environment = {**os.environ, "OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": str(threads)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, batch, str(threads)],
        env=environment,
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture(scope="module")
def usual() -> str:
    return digest("Haswell", 1, "usual")


@pytest.mark.parametrize(
    ("kernel", "threads", "batch"), [("Prescott", 1, "usual"), ("Haswell", 2, "usual"), ("Prescott", 2, "small")]
)
def test_every_resample_of_1477_clusters_has_the_same_bits(usual, kernel, threads, batch):
    assert digest(kernel, threads, batch) == usual
