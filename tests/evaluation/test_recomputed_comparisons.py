"""Comparisons recomputed from their definitions: loops over queries that share no line with the product.

What is drawn is taken over (which clusters are exchanged, how often each is drawn); what is made of it is not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from reportgen.contracts import load_contract
from reportgen.domain.retrieved import Retrieved
from reportgen.evaluation import evaluate
from reportgen.metrics.weights import draws_of
from reportgen.stats.permutation import Swaps
from tests.support.small_runs import Asked, Tuned, in_order, run_of

CLUSTERS, PER_CLUSTER, ALPHA = 8, 4, 0.1
N = CLUSTERS * PER_CLUSTER
FAMILY = ("brier", "auroc", "f1@0.5", "alert_precision", f"tpr@fpr={ALPHA}", "mrr", "accuracy@0.5")
POSITIVES_ONLY = ("mrr",)
LOWER_IS_BETTER = ("brier",)
CLOSE = 1e-9
"""Below any difference between two different values of these few queries, above any rounding."""


@cache
def run():
    """Three systems on 32 queries in 8 clusters and two folds, with a TUNE part; ranks and classes are made to overlap.

    Each alerts on one or two clusters of a fold, so that some exchanges leave a system without an alert.
    """
    rng = np.random.default_rng(20)
    cluster = np.repeat(np.arange(CLUSTERS), PER_CLUSTER)
    y = np.tile([0, 1, 1, 0], CLUSTERS)
    grades = [rng.permutation([1, 0, 0, 0, 0]) if truth else np.zeros(5, dtype=int) for truth in y]
    rows = [
        Asked(f"q{i:02}", y=int(y[i]), p=0.5, state="NEG", k=1, candidates=in_order(*grades[i].tolist()),
              cluster=f"c{cluster[i]}", fold=f"f{cluster[i] % 2}")
        for i in range(N)
    ]  # fmt: skip
    tune = [Tuned(0.5, i % 2, fold=f"f{i % 4 // 2}", cluster=f"c{i % CLUSTERS}") for i in range(40)]
    base = run_of(*rows, tune=tune, with_labels=False)
    systems = []
    for at, alerts in enumerate(([0, 1, 2], [2, 5], [4, 7, 3])):
        p = np.round(np.clip((0.1, 0.3, 0.6)[at] * y + rng.uniform(0, 0.7, N), 0, 1), 2)
        of_tune = np.round(np.clip(0.3 * base.systems[0].tune.y_true + rng.uniform(0, 0.7, 40), 0, 1), 2)
        state = np.where(np.isin(cluster, alerts) & (p > 0.4), 2, 1)
        score = rng.permuted(np.tile(np.arange(5.0), (N, 1)), axis=1).ravel()
        tuned = replace(base.systems[0].tune, y_prob=of_tune)
        systems.append(
            replace(
                base.systems[0],
                id=f"s{at}",
                label=f"S{at}",
                y_prob=p,
                state=state,
                retrieved=Retrieved.of(score),
                tune=tuned,
            )
        )
    info = replace(base.info, family=FAMILY, pairs="all")
    return replace(base, systems=tuple(systems), info=info)


def compared(adjustment, resamples, tests=()):
    contract = replace(load_contract(overrides={"resamples": resamples}), primary=())
    info = replace(run().info, adjustment=adjustment, tests=tests)
    return contract, evaluate(replace(run(), info=info), contract, command="test").results


# The metrics, from the outputs of one system on some queries.


def auroc(y, p):
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in p[y == 1] for b in p[y == 0]]
    return sum(pairs) / len(pairs) if pairs else np.nan


def share(of, among):
    return sum(of[among]) / among.sum() if among.any() else np.nan


def f1(y, called):
    return 2 * (y * called).sum() / (y.sum() + called.sum()) if y.sum() + called.sum() else np.nan


def threshold(tune, fold):
    """The one with most positives within the budget, of these the one with fewest negatives."""
    p, y = tune.y_prob[tune.fold == fold], tune.y_true[tune.fold == fold]
    rates = [((p[y == 1] >= t).mean(), -(p[y == 0] >= t).mean(), t) for t in set(p.tolist())]
    return max(rate for rate in rates if -rate[1] <= ALPHA)[2]


@cache
def outputs(system_id):
    """What a system says about each query, by the metric that is made of it."""
    (system,) = [one for one in run().systems if one.id == system_id]
    y, fold, cells = run().queries.y_true, run().queries.fold, run().candidates
    chosen = np.array([threshold(system.tune, 0), threshold(system.tune, 1)])
    ranks = np.zeros(N)
    for query in range(N):
        members = cells.query == query
        order = np.argsort(-system.score[members])
        relevant = cells.relevance[members][order] > 0
        ranks[query] = 1 / (1 + relevant.argmax()) if relevant.any() else 0.0
    return {
        "brier": (system.y_prob - y) ** 2,
        "auroc": system.y_prob,
        "f1@0.5": (system.y_prob >= 0.5).astype(int),
        "alert_precision": system.state == 2,
        f"tpr@fpr={ALPHA}": (system.y_prob >= chosen[fold]).astype(int),
        "accuracy@0.5": ((system.y_prob >= 0.5) == y).astype(int),
        "mrr": ranks,
    }


MEASURES = {
    "brier": lambda y, out: out.mean(),
    "auroc": auroc,
    "f1@0.5": f1,
    "accuracy@0.5": lambda y, right: right.mean(),
    "alert_precision": share,
    f"tpr@fpr={ALPHA}": lambda y, called: share(called, y == 1),
    "mrr": lambda y, out: share(out, y == 1),
}


def value(metric, rows, out):
    """The mean over the folds of the measure of some queries, each as often as it is named, undefined folds skipped."""
    y, fold = run().queries.y_true, run().queries.fold
    of_folds = [MEASURES[metric](y[part], out[part]) for part in (rows[fold[rows] == f] for f in (0, 1))]
    defined = [found for found in of_folds if not isnan(found)]
    return sum(defined) / len(defined) if defined else np.nan


@cache
def ranks_within_folds(system_id):
    """Scores of two systems have no common scale, so their ranks are exchanged."""
    p, found = outputs(system_id)["auroc"], np.zeros(N)
    for fold in (0, 1):
        part = run().queries.fold == fold
        found[part] = stats.rankdata(p[part])
    return found


def exchanged(metric, a, b, swapped):
    """The difference after the clusters marked have given the outputs of each system to the other."""
    move, everything = swapped[run().queries.cluster].astype(bool), np.arange(N)
    one, other = (ranks_within_folds(system) if metric == "auroc" else outputs(system)[metric] for system in (a, b))
    first, second = np.where(move, other, one), np.where(move, one, other)
    return value(metric, everything, first) - value(metric, everything, second)


def raw_p(differences):
    extreme = [isnan(d) or abs(d) >= abs(differences[0]) - CLOSE for d in differences]
    return sum(extreme) / len(extreme)


def step_down(family):
    """Westfall & Young 1993, algorithm 4.1, on differences over their root mean square; undefined ones are extreme."""
    scaled = []
    for differences in family:
        defined = [d for d in differences if not isnan(d)]
        scale = sqrt(sum(d * d for d in defined) / len(defined))
        scaled.append([float("inf") if isnan(d) else abs(d) / scale for d in differences])
    falling = sorted(range(len(family)), key=lambda k: -scaled[k][0])
    adjusted, before = [0.0] * len(family), 0.0
    for rank, k in enumerate(falling):
        left = falling[rank:]
        exceeding = [max(scaled[j][row] for j in left) >= scaled[k][0] - CLOSE for row in range(len(family[0]))]
        before = max(before, sum(exceeding) / len(exceeding))
        adjusted[k] = before
    return adjusted


def patterns_of(resamples):
    if resamples >= 2**CLUSTERS:  # all of them, in an order of our own
        return np.array(list(product([0, 1], repeat=CLUSTERS)))
    blocks = Swaps(run().cluster_fold, resamples, seed=0).blocks()
    return np.concatenate([block.counts for block in blocks])


@pytest.mark.parametrize("resamples", [300, 120], ids=["all patterns", "random patterns"])
def test_raw_p_and_max_t_are_those_of_a_loop_over_exchanges(resamples):
    _, results = compared("max_t", resamples)
    records = results.comparisons
    assert len(records) == len(FAMILY) * 3
    patterns = patterns_of(resamples)
    family = [[exchanged(c.metric, c.system_a, c.system_b, pattern) for pattern in patterns] for c in records]
    without = {c.metric for c, differences in zip(records, family, strict=True) if np.isnan(differences).any()}
    assert without == {"alert_precision"}
    assert [c.difference for c in records] == pytest.approx([differences[0] for differences in family], abs=1e-12)
    assert [c.tests[0].p for c in records] == [raw_p(differences) for differences in family]
    adjusted = step_down(family)
    assert [c.tests[0].p_adjusted for c in records] == adjusted
    assert min(adjusted) < 0.2
    assert len(set(adjusted)) > 5


@pytest.fixture(scope="module")
def drawn():
    """Comparisons under 200 resamples, and the differences in each of them by a loop over repeated queries."""
    contract, results = compared(
        "holm", 200, ("paired_t", "wilcoxon", "mcnemar", "mcnemar_clustered", "delong_independent")
    )
    weights = np.concatenate([block.counts for block in draws_of(run(), contract).blocks()])
    rows = [np.repeat(np.arange(N), weight[run().queries.cluster]) for weight in weights]
    found = {}
    for c in results.comparisons:
        one, other = (outputs(system)[c.metric] for system in (c.system_a, c.system_b))
        found[c.id] = [value(c.metric, some, one) - value(c.metric, some, other) for some in rows]
    return results.comparisons, found


def test_the_paired_interval_is_that_of_differences_on_the_same_drawn_clusters(drawn):
    comparisons, found = drawn
    settings = compared("none", 200)[1].interval_settings
    for c in comparisons:
        # Thresholds are kept in the recomputation; the interval that chooses them again comes first where there is one.
        fixed = next(one for one in c.intervals if settings[one.settings].threshold != "resampled")
        resampled = np.array(found[c.id][1:])
        defined = resampled[~np.isnan(resampled)]
        bounds = np.quantile(defined, [0.025, 0.975])
        assert (fixed.lower, fixed.upper) == pytest.approx(tuple(bounds), abs=2e-8), c.id
        assert fixed.failed == 200 - len(defined)


def test_the_smallest_detectable_difference_is_the_sum_of_two_normal_quantiles_times_the_bootstrap_error(drawn):
    comparisons, found = drawn
    shown = [c for c in comparisons if c.smallest_detectable is not None]
    # 21 comparisons: the smallest adjusted p, 21 / 201, is above 0.05, so nothing could have been shown.
    assert shown == []
    _, results = compared("none", 200)
    for c in results.comparisons:
        error = np.nanstd(found[c.id][1:], ddof=1)
        assert c.smallest_detectable == pytest.approx((1.959963985 + 0.841621234) * error, rel=1e-6), c.id
    # With Benjamini-Hochberg all 21 can be as small as 1 / 201; alpha is shared all the same.
    _, results = compared("bh", 200)
    for c in results.comparisons:
        error = np.nanstd(found[c.id][1:], ddof=1)
        expected = (stats.norm.ppf(1 - 0.05 / 42) + stats.norm.ppf(0.8)) * error
        assert c.smallest_detectable == pytest.approx(expected, rel=1e-6), c.id


def test_wins_effect_size_relative_change_and_tests_of_cluster_means(drawn):
    y, cluster = run().queries.y_true, run().queries.cluster
    for c in drawn[0]:
        one, other = (outputs(system)[c.metric] for system in (c.system_a, c.system_b))
        everything = np.arange(N)
        a, b = value(c.metric, everything, one), value(c.metric, everything, other)
        assert c.relative == pytest.approx((a - b) / b, rel=1e-9), c.id
        if c.metric in ("auroc", "f1@0.5", "alert_precision"):
            assert (c.wins, c.effect_size) == (None, None)
            continue
        counted = y == 1 if c.metric in (*POSITIVES_ONLY, f"tpr@fpr={ALPHA}") else np.full(N, True)
        gains = (one - other)[counted] * (-1 if c.metric in LOWER_IS_BETTER else 1)
        assert (c.wins, c.ties, c.losses) == (
            sum(g > CLOSE for g in gains), sum(abs(g) <= CLOSE for g in gains), sum(g < -CLOSE for g in gains),
        )  # fmt: skip
        d = (one - other)[counted]
        assert c.effect_size.value == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-9)
        means = [d[cluster[counted] == k].mean() for k in range(CLUSTERS)]
        t, wilcoxon = stats.ttest_1samp(means, 0), stats.wilcoxon(np.round(means, 10))
        assert [test.p for test in c.tests[1:3]] == pytest.approx([t.pvalue, wilcoxon.pvalue], rel=1e-8), c.id


def test_tests_of_decisions_and_of_scores_are_those_of_the_queries_they_are_named_after(drawn):
    y, cluster = run().queries.y_true, run().queries.cluster
    for c in drawn[0]:
        one, other = (outputs(system)[c.metric] for system in (c.system_a, c.system_b))
        if c.metric == "accuracy@0.5":
            exact, clustered = c.tests[3:]
            table = [[sum((one == i) & (other == j)) for j in (1, 0)] for i in (1, 0)]
            assert exact.p == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
            d = [sum(one[cluster == k]) - sum(other[cluster == k]) for k in range(CLUSTERS)]
            chi2 = (CLUSTERS - 1) / CLUSTERS * sum(d) ** 2 / sum(x * x for x in d)
            assert clustered.p == pytest.approx(stats.chi2.sf(chi2, 1), rel=1e-9)
        elif c.metric == "auroc":  # of all queries together
            wins = np.array([
                [[1.0 if a > b else 0.5 if a == b else 0.0 for b in p[y == 0]] for a in p[y == 1]] for p in (one, other)
            ])  # fmt: skip
            v10, v01 = wins[0].mean(axis=1) - wins[1].mean(axis=1), wins[0].mean(axis=0) - wins[1].mean(axis=0)
            z = v10.mean() / sqrt(v10.var(ddof=1) / len(v10) + v01.var(ddof=1) / len(v01))
            (delong,) = c.tests[1:]
            assert (delong.statistic, delong.p) == pytest.approx((z, 2 * stats.norm.sf(abs(z))), rel=1e-8)


def test_holm_of_a_family_multiplies_by_how_many_are_left_and_each_test_is_a_family_of_its_own(drawn):
    sizes = {"permutation": 21, "paired t": 12, "Wilcoxon": 12}
    sizes |= {"McNemar, exact": 3, "McNemar, clustered": 3, "paired DeLong": 3}
    for name, size in sizes.items():
        tests = [test for c in drawn[0] for test in c.tests if test.name.startswith(name)]
        assert len(tests) == size
        ordered = sorted(tests, key=lambda test: test.p)
        expected = [
            min(max((len(ordered) - i) * test.p for i, test in enumerate(ordered[: rank + 1])), 1)
            for rank in range(len(ordered))
        ]
        assert [test.p_adjusted for test in ordered] == pytest.approx(expected, rel=1e-12)
        assert {test.family_size for test in tests} == {len(tests)}


def test_pairs_are_all_pairs_of_the_three(drawn):
    found = {frozenset((c.system_a, c.system_b)) for c in drawn[0]}
    assert found == {frozenset(pair) for pair in combinations(("s0", "s1", "s2"), 2)}
