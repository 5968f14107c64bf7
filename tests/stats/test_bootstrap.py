"""The whole bootstrap against a hand loop: draw the same clusters, repeat their rows, recompute with scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    f1_score,
    log_loss,
    matthews_corrcoef,
    roc_auc_score,
)
from threadpoolctl import threadpool_limits

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record_facts import DEFAULT_UNITS
from reportgen.domain.run import Queries, Run, RunInfo, System
from reportgen.evaluation.plan import refusal
from reportgen.metrics.frames import Frame, prepare
from reportgen.metrics.registry import Instance, find, instances
from reportgen.metrics.statistics import SumPlan, in_cells
from reportgen.metrics.thresholds import TunePlan
from reportgen.metrics.weights import Block, Draws, draws_of
from reportgen.stats.intervals import Resampled, bootstrap_interval
from reportgen.stats.values import SubsetPlan
from tests.reference.random_runs import random_run
from tests.support.small_runs import units_of

RUN = random_run(11)
CONTRACT = load_contract(overrides={"resamples": 40})
DRAWS = draws_of(RUN, CONTRACT)
COUNTS = np.concatenate([block.counts for block in DRAWS.blocks()])
SYSTEM = RUN.systems[0]


@pytest.fixture(scope="module")
def values():
    frames = prepare(RUN, SYSTEM, CONTRACT)
    wanted = [i for i in instances(CONTRACT) if refusal(frames, i) is None]
    return values_of(frames, wanted, DRAWS.blocks())


def values_of(frames, wanted, blocks):
    tune = TunePlan(SYSTEM.tune, len(RUN.folds), CONTRACT.fpr_budgets, DRAWS.of_tune(SYSTEM.tune))
    plan = SubsetPlan(frames, units_of(frames), wanted, DRAWS, CONTRACT, tune)
    for block in blocks:
        plan.update(block, tune.thresholds(block))
    return plan.values()


def repeated(b, fold=None):
    """Indices of the queries of resample b, each as often as its cluster was drawn."""
    times = COUNTS[b, RUN.queries.cluster].astype(int)
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
    found = values[MetricId.parse(metric)].by_aggregation["pooled"]
    y, p = RUN.queries.y_true, SYSTEM.y_prob
    for b in range(41):
        rows = repeated(b)
        assert found[b] == pytest.approx(SKLEARN[metric](y[rows], p[rows]), abs=1e-12)


def test_no_value_under_any_weights_is_outside_the_range_of_its_metric(values):
    for metric, found in values.items():
        low, high = find(metric).range
        for series in (*found.by_aggregation.values(), found.folds):
            defined = series[~np.isnan(series)]
            assert low is None or not (defined < low).any(), metric
            assert high is None or not (defined > high).any(), metric


def test_a_fold_mean_averages_the_folds_of_the_same_resample(values):
    found = values[MetricId.parse("brier")].by_aggregation["fold_mean"]
    y, p = RUN.queries.y_true, SYSTEM.y_prob
    for b in range(41):
        folds = [repeated(b, fold) for fold in range(len(RUN.folds))]
        assert found[b] == pytest.approx(np.mean([brier_score_loss(y[r], p[r]) for r in folds]), abs=1e-12)


def test_the_median_of_a_resample_is_numpys_median_of_the_repeated_rows(values):
    passed = SYSTEM.state != 0
    k = SYSTEM.selected_k * passed
    for b in range(41):
        rows = repeated(b)
        assert values[MetricId.parse("median_k[all]")].by_aggregation["pooled"][b] == np.quantile(k[rows], 0.5)
        assert values[MetricId.parse("p90_k[all]")].by_aggregation["pooled"][b] == pytest.approx(
            np.quantile(k[rows], 0.9)
        )


def test_drawing_every_cluster_twice_as_often_changes_nothing(values):
    doubled = [Block(block.rows, block.counts * 2) for block in DRAWS.blocks()]
    wanted = [i for i in instances(CONTRACT) if str(i.id) in ("ndcg@10", "auroc", "ece", "f1[macro:label]")]
    again = values_of(prepare(RUN, SYSTEM, CONTRACT), wanted, doubled)
    for item in wanted:
        for aggregation in ("pooled", "fold_mean"):
            assert again[item.id].by_aggregation[aggregation] == pytest.approx(
                values[item.id].by_aggregation[aggregation], abs=1e-12
            )


@pytest.mark.parametrize("with_tune", [False, True])
def test_a_jackknife_value_is_that_of_the_rows_without_one_cluster(with_tune):
    # With operating points every fold is counted anew, as its thresholds may be; without, only the cluster's own.
    contract = load_contract(overrides={"resamples": 2, "interval_method": "bca"})
    draws, frames, queries = draws_of(RUN, contract), prepare(RUN, SYSTEM, contract), RUN.queries
    assert len(draws.left_out) == len(np.unique(queries.cluster))
    by_hand = {"auprc": average_precision_score, "auroc": roc_auc_score, "f1@0.5": SKLEARN["f1@0.5"]}
    names = [*by_hand, *(["tpr@fpr=0.1"] if with_tune else [])]
    wanted = [Instance(MetricId.parse(name), find(MetricId.parse(name)), at) for at, name in enumerate(names)]
    tune = TunePlan(SYSTEM.tune, len(RUN.folds), (0.1,), draws.of_tune(SYSTEM.tune)) if with_tune else None
    plan = SubsetPlan(frames, units_of(frames), wanted, draws, contract, tune)
    for block in draws.blocks():
        plan.update(block, tune.thresholds(block) if tune else {})
    found = plan.values()
    for row, cluster in enumerate(draws.left_out, 1 + draws.resamples):
        kept = queries.cluster != cluster
        cells = [kept, *(kept & (queries.fold == fold) for fold in range(len(RUN.folds)))]
        assert all(0 < queries.y_true[cell].sum() < cell.sum() for cell in cells)  # both classes
        for name, metric in by_hand.items():
            pooled, *folds = (metric(queries.y_true[cell], SYSTEM.y_prob[cell]) for cell in cells)
            of_metric = found[MetricId.parse(name)].by_aggregation
            assert of_metric["pooled"][row] == pytest.approx(pooled, abs=1e-12)
            assert of_metric["fold_mean"][row] == pytest.approx(np.mean(folds), abs=1e-12)


def test_sums_have_the_same_bits_with_one_and_two_threads_at_1477_clusters():
    rng = np.random.default_rng(3)
    n, clusters = 14770, 1477
    cluster, fold = np.repeat(np.arange(clusters), 10), np.arange(clusters) % 5
    columns = {f"c{i}": rng.random(n) for i in range(12)}
    block = Block(slice(1, 601), rng.poisson(1, (600, clusters)).astype(np.uint16))

    draws = Draws(
        fold=fold,
        stratum=fold,
        n_folds=5,
        resamples=600,
        seed=0,
        left_out=np.zeros(0, dtype=int),
        of_query=cluster,
        of_cluster=np.arange(clusters),
        first_tune=None,
        of_row=np.zeros(0, dtype=int),
    )

    def bits(order, threads):
        frame = Frame("query", order, cluster[order], fold[cluster][order], np.zeros(n, dtype=int), 0, {})
        plan = SumPlan([values[order] for values in columns.values()], frame, draws)
        with threadpool_limits(limits=threads, user_api="blas"):
            return [total.tobytes() for total in plan.totals(block).pooled]

    as_they_are = np.arange(n)
    assert bits(as_they_are, 1) == bits(as_they_are, 2) == bits(rng.permutation(n), 2)


@pytest.mark.parametrize("kept", [1, 10])
def test_totals_of_rows_in_few_or_many_units_are_their_sums_weighted_with_the_draws(kept):
    # Ten units in each of two folds; rows in one or in all units of each, worth a half, a quarter ...
    fold = np.repeat([0, 1], 10)
    none = np.zeros(0, dtype=int)
    draws = Draws(fold, fold, 2, 3, 0, none, np.arange(20), np.arange(20), None, none)
    block = Block(slice(1, 4), np.random.default_rng(0).integers(0, 4, (3, 20)).astype(np.uint16))
    rows = np.concatenate([np.arange(kept), 10 + np.arange(kept)])
    worth = 0.5 ** (1 + np.arange(len(rows)))
    frame = Frame("query", rows, rows, fold[rows], np.zeros(len(rows), dtype=int), 0, {})
    totals = SumPlan([worth], frame, draws).totals(block)
    weighted = block.counts[:, rows] * worth
    by_fold = [weighted[:, fold[rows] == one].sum(axis=1) for one in (0, 1)]
    expected = np.stack([by_fold[0] + by_fold[1], *by_fold])
    assert in_cells(totals.everywhere[0], 2) == pytest.approx(expected, abs=1e-9)


def auroc_of_independent_queries(y, p, resamples):
    """The AUROC of queries that are each a cluster of its own, under every resample."""
    n, contract = len(y), load_contract(overrides={"resamples": resamples})
    zeros, ids = np.zeros(n, dtype=np.int64), tuple(f"q{i}" for i in range(n))
    run = Run(
        info=RunInfo(title="Synthetic", synthetic=True),
        units=DEFAULT_UNITS,
        clusters=ids,
        cluster_fold=zeros,
        folds=("all",),
        labels=(),
        queries=Queries(ids, np.arange(n), zeros, zeros, y),
        candidates=None,
        systems=(System(id="s", label="S", y_prob=p),),
        inputs=(),
    )
    frames, draws, metric_id = prepare(run, run.systems[0], contract), draws_of(run, contract), MetricId("auroc")
    plan = SubsetPlan(frames, units_of(frames), [Instance(metric_id, find(metric_id), 0)], draws, contract)
    for block in draws.blocks():
        plan.update(block, {})
    return Resampled(plan.values()[metric_id].by_aggregation["pooled"], resamples)


def test_truth_and_score_of_a_query_are_drawn_together():
    """scipy issues 21704 and 18769: drawing them apart centres the AUROC of a perfect system on one half."""
    y = np.repeat([0, 1], 50)
    perfect = auroc_of_independent_queries(y, y.astype(float), 1000)
    interval = bootstrap_interval(perfect, 0.95, 0)
    assert (interval.lower, interval.upper, interval.degenerate, interval.failed) == (1, 1, True, 0)
    assert (perfect.drawn == 1).all()


@pytest.mark.slow
def test_the_interval_of_400_independent_queries_is_scipys_paired_one_and_far_from_the_unpaired():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    p = 1 / (1 + np.exp(-(1.13 * y + rng.normal(0, 1, 400))))
    ours = bootstrap_interval(auroc_of_independent_queries(y, p, 4000), 0.95, 0)
    paired, unpaired = (
        stats.bootstrap(
            (y, p), roc_auc_score, paired=together, vectorized=False, n_resamples=1000, method="percentile", rng=1
        ).confidence_interval
        for together in (True, False)
    )
    # Each bound varies with the draws of both; four of the larger Monte-Carlo error of scipy's thousand draws.
    reach = 4 * 2 * ours.mc_error
    assert (ours.lower, ours.upper) == pytest.approx((paired.low, paired.high), abs=reach)
    assert unpaired.low < 0.5 < unpaired.high < ours.lower
