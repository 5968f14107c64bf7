"""The whole bootstrap against a hand loop: draw the same clusters, repeat their rows, recompute with scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, f1_score, log_loss, matthews_corrcoef
from threadpoolctl import threadpool_limits

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.evaluation.estimates import Context, missing_component
from reportgen.metrics.frames import prepare
from reportgen.metrics.registry import instances
from reportgen.metrics.statistics import sum_rows
from reportgen.metrics.thresholds import choose_thresholds
from reportgen.metrics.weights import Weights, draw_weights
from reportgen.stats.intervals import interval_settings
from reportgen.stats.values import metric_values
from tests.reference.random_runs import random_run

RUN = random_run(11)
CONTRACT = load_contract(overrides={"resamples": 40})
WEIGHTS = draw_weights(RUN, CONTRACT)
SYSTEM = RUN.systems[0]


@pytest.fixture(scope="module")
def values():
    frames = prepare(RUN, SYSTEM, CONTRACT)
    context = Context(RUN, CONTRACT, interval_settings(CONTRACT))
    wanted = [i for i in instances(CONTRACT) if missing_component(context, frames, i) is None]
    choices = choose_thresholds(SYSTEM.tune, WEIGHTS, CONTRACT.fpr_budgets)
    return metric_values(frames, frames.frames, wanted, WEIGHTS, CONTRACT, choices)


def repeated(b, fold=None):
    """Indices of the queries of resample b, each as often as its cluster was drawn."""
    times = WEIGHTS.counts[b, RUN.queries.cluster].astype(int)
    if fold is not None:
        times = times * (RUN.queries.fold == fold)
    return np.repeat(np.arange(len(times)), times)


def nan_if_constant(y, value):
    return math.nan if len(set(y.tolist())) == 1 else value()


SKLEARN = {
    "auprc": average_precision_score,
    "brier": brier_score_loss,
    "log_loss": lambda y, p: log_loss(y, p, labels=[0, 1]),
    "f1@0.5": lambda y, p: f1_score(y, p >= 0.5),
    "mcc@0.5": lambda y, p: matthews_corrcoef(y, p >= 0.5),
}


@pytest.mark.parametrize("metric", SKLEARN)
def test_every_resample_equals_scikit_learn_on_the_repeated_rows(values, metric):
    found = values[MetricId.parse(metric)].cells
    y, p = RUN.queries.y_true, SYSTEM.y_prob
    for b in range(41):
        rows = repeated(b)
        assert found.pooled[b] == pytest.approx(SKLEARN[metric](y[rows], p[rows]), abs=1e-8)


def test_a_fold_mean_averages_the_folds_of_the_same_resample(values):
    found = values[MetricId.parse("brier")].cells.scope("fold_mean")
    y, p = RUN.queries.y_true, SYSTEM.y_prob
    for b in range(41):
        folds = [repeated(b, fold) for fold in range(len(RUN.folds))]
        assert found[b] == pytest.approx(np.mean([brier_score_loss(y[r], p[r]) for r in folds]), abs=1e-8)


def test_the_median_of_a_resample_is_numpys_median_of_the_repeated_rows(values):
    passed = SYSTEM.state != 0
    k = SYSTEM.selected_k * passed
    for b in range(41):
        rows = repeated(b)
        assert values[MetricId.parse("median_k[all]")].cells.pooled[b] == np.quantile(k[rows], 0.5)
        assert values[MetricId.parse("p90_k[all]")].cells.pooled[b] == pytest.approx(np.quantile(k[rows], 0.9))


def test_weights_of_one_give_the_point_value_and_draws_of_a_doubled_run_change_nothing(values):
    doubled = Weights(WEIGHTS.counts * 2, WEIGHTS.fold, WEIGHTS.n_folds, 0)
    frames = prepare(RUN, SYSTEM, CONTRACT)
    wanted = [i for i in instances(CONTRACT) if str(i.id) in ("ndcg@10", "auroc", "ece", "f1[macro:label]")]
    again = metric_values(frames, frames.frames, wanted, doubled, CONTRACT, ())
    for instance in wanted:
        assert again[instance.id].cells.pooled[1:] == pytest.approx(values[instance.id].cells.pooled[1:], abs=1e-8)


def test_sums_have_the_same_bits_with_one_and_two_threads_at_1477_clusters():
    rng = np.random.default_rng(3)
    n, clusters = 14770, 1477
    frame = prepare(RUN, SYSTEM, CONTRACT).query
    cluster = np.repeat(np.arange(clusters), 10)
    fold = np.arange(clusters) % 5
    frame = type(frame)("query", np.arange(n), cluster, fold[cluster], np.zeros(n, dtype=int), 0, {})
    counts = rng.poisson(1, (600, clusters)).astype(np.uint16)
    counts[0] = 1
    weights = Weights(counts, fold, 5, 0)
    columns = {f"c{i}": rng.random(n) for i in range(12)}
    bits = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads, user_api="blas"):
            bits.append([total.tobytes() for total in sum_rows(columns, frame, weights).pooled.values()])
    assert bits[0] == bits[1]
    # … and in any order of rows.
    order = rng.permutation(n)
    shuffled = type(frame)("query", order, cluster[order], fold[cluster][order], np.zeros(n, dtype=int), 0, {})
    totals = sum_rows({name: values[order] for name, values in columns.items()}, shuffled, weights)
    assert bits[0] == [total.tobytes() for total in totals.pooled.values()]
