"""Design effects, intervals and means over trainings recomputed from their definitions.

By statsmodels where it has them, else by loops over queries that share no line with the product. How often each
cluster is drawn, and which are exchanged, is taken over; what is made of it is not.
"""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.metrics.weights import draws_of
from reportgen.stats.permutation import Swaps
from tests.support.small_runs import Asked, Tuned, run_of


def clustered(n_folds):
    """Clusters of one to five queries that share rate and difficulty, with a TUNE part of 24 rows a fold."""
    rng = np.random.default_rng(9)
    rows = []
    for cluster in range(40):
        for _ in range(rng.integers(1, 6)):
            y = int(rng.random() < (0.15, 0.5, 0.85)[cluster // 4 % 3])
            p = min(max(0.3 + 0.2 * y + 0.25 * np.sin(cluster) + rng.normal(0, 0.1), 0.01), 0.99)
            rows.append((y, round(p, 3), cluster, cluster % n_folds))
    tune = [Tuned(0.1 + 0.02 * i, i % 2, fold=f"f{i % n_folds}", cluster=f"c{i:02}") for i in range(24 * n_folds)]
    asked = [Asked(f"q{i:03}", y=y, p=p, cluster=f"c{c:02}", fold=f"f{f}") for i, (y, p, c, f) in enumerate(rows)]
    return run_of(*asked, tune=tune, with_labels=False)


def evaluated(run, **overrides):
    contract = replace(load_contract(overrides={"resamples": 60, **overrides}), primary=())
    return contract, evaluate(run, contract, command="test").results


def variances(influence, cluster):
    """Of a mean of influences: of single rows, and of whole clusters.

    Small-sample factors: n / (n - 1) of n rows (HC1), and J / (J - 1) of J clusters, all of the subset. A regression on
    the rows that are called positive would count these alone for a precision.
    """
    model = OLS(influence, np.ones(len(influence)))
    whole = model.fit(cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": True})
    return np.array([model.fit(cov_type="HC1").bse[0] ** 2, whole.bse[0] ** 2])


def influences(run, metric):
    """n times what each query adds to a metric near its value: by the delta method, of the ratio of two means."""
    y, p = run.queries.y_true, run.systems[0].y_prob
    called = p >= 0.5
    if metric == "brier":
        return (p - y) ** 2
    # F1 is twice the hits over called and true; precision is the hits over called.
    over, under = {"f1@0.5": (2 * y * called, y + called), "precision@0.5": (y * called, called.astype(int))}[metric]
    return (over - over.sum() / under.sum() * under) / under.mean()


@pytest.mark.parametrize("metric", ["brier", "precision@0.5", "f1@0.5"])
def test_the_design_effect_is_the_cluster_robust_variance_of_statsmodels_over_the_plain_one(metric):
    run = clustered(1)
    record = evaluated(run)[1].find(metric, "s", "all_queries", "pooled")
    rows, whole = variances(influences(run, metric), run.queries.cluster)
    assert whole / rows > 1.2
    assert record.n.design_effect == pytest.approx(whole / rows, rel=1e-5)


@pytest.mark.parametrize("metric", ["brier", "f1@0.5"])
def test_the_design_effect_of_a_fold_mean_is_that_of_the_sum_of_the_folds_variances(metric):
    run = clustered(4)
    record = evaluated(run)[1].find(metric, "s", "all_queries", "fold_mean")
    total = np.zeros(2)
    for fold in range(4):
        members = run.queries.fold == fold
        part = replace(run, queries=replace(run.queries, y_true=run.queries.y_true[members]))
        part = replace(part, systems=(replace(run.systems[0], y_prob=run.systems[0].y_prob[members]),))
        total += variances(influences(part, metric), run.queries.cluster[members])
    assert record.n.design_effect == pytest.approx(total[1] / total[0], rel=1e-5)


def test_a_value_to_which_all_queries_add_the_same_has_no_design_effect():
    # Each query's Brier score is 0.3²; what is left of its variance is rounding.
    rows = [
        Asked(f"q{i}", y=i % 2, p=0.7 if i % 2 else 0.3, cluster=f"c{i // 3:02}", fold=f"f{i // 45}") for i in range(90)
    ]
    _, results = evaluated(run_of(*rows, with_labels=False))
    for aggregation in ("pooled", "fold_mean"):
        record = results.find("brier", "s", "all_queries", aggregation)
        assert (record.n.design_effect, record.n.effective) == (None, None)


def test_a_design_effect_needs_twenty_clusters_and_an_effective_n_is_no_more_than_n():
    rng = np.random.default_rng(0)
    for n_clusters, known in ((19, False), (20, True)):
        # Each cluster has a query with a large error and one with a small one: alike they are not.
        p = [0.5 + 0.4 * (i % 2) + 0.05 * rng.random() for i in range(2 * n_clusters)]
        rows = [Asked(f"q{i:02}", y=1, p=one, cluster=f"c{i // 2:02}") for i, one in enumerate(p)]
        n = evaluated(run_of(*rows, with_labels=False))[1].find("brier", "s", "all_queries", "pooled").n
        assert (n.design_effect is not None, n.effective) == (known, 2 * n_clusters if known else None)
        assert not known or 0.001 < n.design_effect < 0.5


def test_clusters_that_all_add_the_same_have_no_design_effect():
    # F1 of two queries a cluster, one found and one missed: what is left of the clusters' variance is rounding.
    rows = [Asked(f"q{i:02}", y=1, p=0.9 if i % 2 else 0.1, cluster=f"c{i // 2:02}") for i in range(60)]
    record = evaluated(run_of(*rows, with_labels=False))[1].find("f1@0.5", "s", "all_queries", "pooled")
    assert (record.n.design_effect, record.n.effective) == (None, None)


def test_intervals_of_a_proportion_are_those_of_statsmodels_with_the_effective_number_of_trials():
    run = clustered(1)
    record = evaluated(run)[1].find("precision@0.5", "s", "all_queries", "pooled")
    _, whole = variances(influences(run, "precision@0.5"), run.queries.cluster)
    effective = record.value * (1 - record.value) / whole
    assert effective < (run.systems[0].y_prob >= 0.5).sum()
    assert record.n.effective == pytest.approx(effective, rel=1e-5)
    for method, name in (("wilson", "wilson"), ("clopper_pearson", "beta")):
        (found,) = [one for one in record.intervals if one.method_used == method]
        theirs = proportion_confint(record.value * effective, effective, 0.05, method=name)
        assert (found.lower, found.upper) == pytest.approx(theirs, rel=1e-7)


def test_nadeau_and_bengios_interval_of_a_run_by_hand():
    run = clustered(4)
    record = evaluated(run)[1].find("brier", "s", "all_queries", "fold_mean")
    y, p, fold = run.queries.y_true, run.systems[0].y_prob, run.queries.fold
    folds = np.array([((p - y) ** 2)[fold == f].mean() for f in range(4)])
    # A quarter of the queries is tested and 24 rows choose thresholds; the model was fitted on what is left.
    n_test, n_train = len(y) / 4, len(y) - len(y) / 4 - 24
    half = stats.t.ppf(0.975, 3) * np.std(folds, ddof=1) * sqrt(1 / 4 + n_test / n_train)
    (found,) = [one for one in record.intervals if one.method_used == "nadeau_bengio_heuristic"]
    assert (found.lower, found.upper) == pytest.approx((folds.mean() - half, folds.mean() + half), rel=1e-8)


METRICS = ("brier", "auroc", "f1@0.5")


@pytest.fixture(scope="module")
def trained():
    """A system trained three times against one trained once; 48 queries in 12 clusters and two folds."""
    rng = np.random.default_rng(4)
    rows = [
        Asked(f"q{i:02}", y=int(rng.random() < 0.4), p=0.5, cluster=f"c{i // 4:02}", fold=f"f{i // 4 % 2}")
        for i in range(48)
    ]
    run = run_of(*rows, with_labels=False)
    base, y = run.systems[0], run.queries.y_true

    def scored(shift):
        return np.round(np.clip(0.3 * y + shift + rng.uniform(0, 0.6, 48), 0, 1), 2)

    several = tuple(replace(base, id=f"net/seed={k}", seed=str(k), y_prob=scored(0.03 * k)) for k in range(3))
    systems = (
        replace(base, id="one", label="One", y_prob=scored(0.05)),
        replace(base, id="net", label="Net", y_prob=None, trainings=several),
    )
    return replace(run, systems=systems, info=replace(run.info, family=METRICS))


def measured(metric, y, p):
    if metric == "brier":
        return np.mean((p - y) ** 2)
    if metric == "f1@0.5":
        return 2 * (y * (p >= 0.5)).sum() / (y.sum() + (p >= 0.5).sum())
    wins = p[y == 1][:, None] - p[y == 0][None, :]
    return np.mean((wins > 0) + 0.5 * (wins == 0))


def of_folds(run, metric, p, rows=None):
    """The mean over the two folds of the metric of some rows, each as often as it is named."""
    rows = np.arange(48) if rows is None else rows
    parts = [rows[run.queries.fold[rows] == fold] for fold in (0, 1)]
    return np.mean([measured(metric, run.queries.y_true[part], p[part]) for part in parts])


@pytest.mark.parametrize("ddof", [0, 1])
def test_mean_sd_and_interval_over_trainings_are_those_of_a_loop_over_the_drawn_clusters(trained, ddof):
    contract, results = evaluated(trained, sd_ddof=ddof)
    weights = np.concatenate([block.counts for block in draws_of(trained, contract).blocks()])
    outputs = [one.y_prob for one in trained.systems[1].trainings]
    rows = [np.repeat(np.arange(48), weight[trained.queries.cluster]) for weight in weights]
    for metric in METRICS:
        record = results.find(metric, "net", "all_queries", "fold_mean")
        trainings = [of_folds(trained, metric, p) for p in outputs]
        (sd,) = [spread for spread in record.sd if spread.over == "seed"]
        assert [one.value for one in record.seeds] == pytest.approx(trainings, rel=1e-12)
        assert record.value == pytest.approx(sum(trainings) / 3, rel=1e-12)
        assert sd.value == pytest.approx(np.std(trainings, ddof=ddof), rel=1e-9)
        drawn = [sum(of_folds(trained, metric, p, some) for p in outputs) / 3 for some in rows[1:]]
        bounds = np.quantile(drawn, [0.025, 0.975])
        assert (record.intervals[0].lower, record.intervals[0].upper) == pytest.approx(tuple(bounds), abs=2e-8)
        assert record.se == pytest.approx(np.std(drawn, ddof=1), rel=1e-5)


def test_three_trainings_against_one_are_compared_by_means_and_by_exchanges_of_all_three(trained):
    contract, results = evaluated(trained)
    one, net = trained.systems[0].y_prob, [training.y_prob for training in trained.systems[1].trainings]
    weights = np.concatenate([block.counts for block in draws_of(trained, contract).blocks()])
    rows = [np.repeat(np.arange(48), weight[trained.queries.cluster]) for weight in weights]
    patterns = np.concatenate([block.counts for block in Swaps(trained.cluster_fold, 60, seed=0).blocks()])
    assert [c.metric for c in results.comparisons] == list(METRICS)
    for c in results.comparisons:
        assert (c.system_a, c.system_b) == ("net", "one")
        drawn = [
            np.mean([of_folds(trained, c.metric, p, some) for p in net]) - of_folds(trained, c.metric, one, some)
            for some in rows
        ]
        assert c.difference == pytest.approx(drawn[0], abs=1e-12)
        bounds = np.quantile(drawn[1:], [0.025, 0.975])
        assert (c.intervals[0].lower, c.intervals[0].upper) == pytest.approx(tuple(bounds), abs=2e-8)
        # The one training meets each of the three, and a cluster gives away all or none.
        meetings = [(p, one) for p in net]
        if c.metric == "auroc":  # as ranks within the fold
            meetings = [tuple(map(trained_ranks(trained), pair)) for pair in meetings]
        differences = []
        for pattern in patterns:
            move = pattern[trained.queries.cluster].astype(bool)
            met = [(np.where(move, b, a), np.where(move, a, b)) for a, b in meetings]
            differences.append(
                np.mean([of_folds(trained, c.metric, a) - of_folds(trained, c.metric, b) for a, b in met])
            )
        extreme = np.abs(differences) >= abs(differences[0]) - 1e-9
        assert c.tests[0].p == extreme.sum() / 61


def trained_ranks(run):
    def ranks(p):
        found = np.zeros(len(p))
        for fold in (0, 1):
            members = run.queries.fold == fold
            found[members] = stats.rankdata(p[members])
        return found

    return ranks
