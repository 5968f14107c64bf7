"""Standard errors: analytic against hand arithmetic, published values and the bootstrap."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import find
from reportgen.metrics.totals import Histogram
from reportgen.stats.intervals import logit_bounds
from reportgen.stats.linearize import Strata, auroc_errors, errors_of_sums, linearized

Y = np.array([1, 1, 1, 0, 0, 0, 0, 0])
S = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.75, 0.1, 0.05])


def errors_of(score, y, cluster):
    return auroc_errors(RankedRows.of(score, y), cluster)


def test_placements_and_delongs_error_by_hand():
    # AUROC 14/15; V10 = (1, 1, .8), V01 = (1, 1, 2/3, 1, 1): variance .013333/3 + .022222/5 = .008889.
    rows = RankedRows.of(S, Y)
    assert rows.ranks.area() == pytest.approx(14 / 15)
    # An influence is a placement less 14/15, over the number of rows of its class.
    moved = rows.auroc()
    assert (3 * moved[Y == 1] + 14 / 15).tolist() == pytest.approx([1, 1, 0.8])
    assert sorted(5 * moved[Y == 0] + 14 / 15) == pytest.approx([2 / 3, 1, 1, 1, 1])
    errors = errors_of(S, Y, np.arange(8))
    assert errors.rows == pytest.approx(0.094281, abs=5e-7)


def test_the_logit_interval_stays_inside_where_walds_leaves():
    # confidenceinterval 1.0.5 gives an upper bound of 1.118.
    assert logit_bounds(14 / 15, 0.0942809, 0.95) == pytest.approx((0.418061, 0.996348), abs=5e-6)
    assert logit_bounds(1.0, 0.1, 0.95) is None


def test_one_positive_has_no_variance():
    assert errors_of(np.array([0.9, 0.1, 0.2]), np.array([1, 0, 0]), np.arange(3)) is None


def test_clusters_of_one_row_give_the_error_of_independent_rows():
    # Each class is then summed over its own rows, as DeLong's two variances are.
    rng = np.random.default_rng(0)
    y = (rng.random(400) < 0.05).astype(np.int64)
    errors = errors_of(rng.normal(size=400) + y, y, np.arange(400))
    assert errors.clusters == pytest.approx(errors.rows, rel=1e-12)


def test_obuchowskis_error_by_hand():
    # Three clusters hold a positive and a negative, two a negative: placements less 14/15, over the n of their class,
    # are (1, 1, -2)/45 and (1, 1, -4, 1, 1)/75. The variance: 6/45^2 3/2 + 20/75^2 5/4 + 2 10/(45 75) 5/4 = 11/675.
    errors = errors_of(S, Y, np.array([0, 1, 2, 0, 1, 2, 3, 4]))
    assert errors.clusters == pytest.approx(math.sqrt(11 / 675), rel=1e-12)


def test_positives_of_one_cluster_alone_have_no_clustered_error():
    assert errors_of(S, Y, np.array([0, 0, 0, 1, 2, 3, 4, 5])) is None


def test_repeating_every_row_in_its_cluster_doubles_the_variance_seen_by_independent_rows():
    # Two copies of each row: rows look twice as many, clusters are as many as before: design effect about 2.
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    s = rng.normal(size=500) + y
    errors = errors_of(np.repeat(s, 2), np.repeat(y, 2), np.repeat(np.arange(500), 2))
    assert errors.design_effect == pytest.approx(2, rel=0.01)


@pytest.mark.parametrize("system", ["logreg_few_pixels", "gnb", "tree3", "centroid"])
def test_delongs_interval_equals_pROC_on_the_digits_run(digits_pages, system):
    # R pROC 1.18.0: symmetric interval of the pooled AUROC.
    from reportgen.inputs import read_run

    expected = json.loads((digits_pages / "expected.json").read_text())["pROC_delong_iid"][system]
    run = read_run(digits_pages)
    chosen = next(item for item in run.systems if item.id == system)
    errors = errors_of(chosen.y_prob, run.queries.y_true, run.queries.cluster)
    low, auc, high = expected["delong_ci95"]
    assert 1.959963985 * errors.rows == pytest.approx((high - low) / 2, abs=1e-8)
    assert auc == pytest.approx(RankedRows.of(chosen.y_prob, run.queries.y_true).ranks.area(), abs=1e-9)


def mean_error(x, cluster, fold=None):
    columns = {"x": np.asarray(x), "n": np.ones(len(x))}
    folds = np.zeros(len(x), dtype=int) if fold is None else fold
    return linearized(columns, Strata(cluster, folds, int(folds.max()) + 1), lambda t: t["x"] / t["n"])


def test_the_linearized_error_of_a_mean_is_the_textbook_error():
    errors = mean_error([1.0, 2.0, 4.0, 9.0], np.arange(4))["pooled"]
    assert errors.rows == pytest.approx(np.std([1, 2, 4, 9], ddof=1) / 2, rel=1e-6)
    assert errors.design_effect == pytest.approx(1, rel=1e-9)


def test_the_error_of_a_mean_of_folds_is_that_of_independent_means():
    # Folds (1, 3) and (2, 8): variances of the means 2 / 2 = 1 and 18 / 2 = 9, so sqrt(10) / 2.
    errors = mean_error([1.0, 3.0, 2.0, 8.0], np.arange(4), np.array([0, 0, 1, 1]))["fold_mean"]
    assert errors.rows == pytest.approx(math.sqrt(10) / 2, rel=1e-6)


def test_the_design_effect_of_equal_clusters_is_one_plus_m_minus_one_icc():
    # Kish: m = 10 rows a cluster, intra-class correlation .1: design effect 1.9, over 4,000 clusters.
    rng = np.random.default_rng(2)
    m, clusters = 10, 4000
    x = (math.sqrt(0.1) * rng.normal(size=clusters)[:, None] + math.sqrt(0.9) * rng.normal(size=(clusters, m))).ravel()
    assert mean_error(x, np.repeat(np.arange(clusters), m))["pooled"].design_effect == pytest.approx(1.9, abs=0.1)


def test_a_metric_without_a_value_has_no_error():
    strata = Strata(np.arange(3), np.zeros(3, dtype=int), 1)
    assert linearized({"a": np.zeros(3)}, strata, lambda t: np.full(len(t["a"]), np.nan)) == {}


def test_a_fold_without_rows_leaves_the_mean_of_folds_without_an_error():
    assert set(mean_error([1.0, 3.0, 5.0], np.arange(3), np.array([0, 0, 2]))) == {"pooled"}


def test_the_error_of_an_unweighted_mean_is_not_that_of_a_weighted_one():
    # lm-evaluation-harness issue 3882: groups of 10 and 90 with errors .1 and .01. Unweighted sqrt(.1² + .01²) / 2,
    # weighted by size sqrt((.1 · .1)² + (.9 · .01)²). Of n values ±c the error of the mean is c / sqrt(n - 1).
    x = np.concatenate([0.1 * math.sqrt(9) * np.tile([1, -1], 5), 0.01 * math.sqrt(89) * np.tile([1, -1], 45)])
    errors = mean_error(x, np.arange(100), np.repeat([0, 1], [10, 90]))
    assert errors["fold_mean"].rows == pytest.approx(0.050249, abs=5e-7)
    assert errors["pooled"].rows == pytest.approx(0.013454, abs=5e-7)


def test_the_design_effect_of_a_quantile_is_that_of_the_share_up_to_it():
    # Values 1, 1, 2, 3 | 1, 2, 3, 3 | 1, 1, 1, 2 in three clusters: the median is 1.5, and 2, 1 and 3 rows, half of
    # all, are up to it. Over rows 12 squares of 1/2 with 12/11, over clusters (0 + 1 + 1) with 3/2.
    values = np.array([1, 1, 2, 3, 1, 2, 3, 3, 1, 1, 1, 2.0])
    median = find(MetricId.parse("median_k[all]")).statistic
    strata = Strata(np.repeat(np.arange(3), 4), np.zeros(12, dtype=int), 1)
    found = errors_of_sums(median, Histogram.of(values), strata)["pooled"]
    assert found.rows == pytest.approx(math.sqrt(12 * 0.25 * 12 / 11) / 12)
    assert found.clusters == pytest.approx(math.sqrt(2 * 3 / 2) / 12)
    assert found.design_effect == pytest.approx(3 / (36 / 11))


def test_a_quantile_of_nothing_has_no_error():
    median = find(MetricId.parse("median_k[all]")).statistic
    strata = Strata(np.arange(2), np.zeros(2, dtype=int), 1)
    assert errors_of_sums(median, Histogram.of(np.full(2, np.nan)), strata) == {}


def test_design_effects_of_what_is_read_off_scores_are_those_of_two_bootstraps(digits_pages):
    # Resampling whole pages over resampling single queries; each variance of 1,000 resamples is known to 4.5 %.
    metrics = ("auprc", "auroc", "ece", "mce", "roc_tpr@fpr=0.1", "optimism@fpr=0.1")
    run = read_run(digits_pages)
    run = replace(run, systems=run.systems[:1], info=replace(run.info, family=(), baseline=None))
    found = {}
    for unit in ("cluster", "query"):
        overrides = {"resamples": 1000, "interval_unit": unit}
        contract = replace(load_contract(overrides=overrides), metrics=(*metrics, "tpr@fpr"), primary=())
        results = evaluate(run, contract, command="test").results
        for metric in metrics:
            record = results.find(metric, run.systems[0].id, "all_queries", "pooled")
            found.setdefault(metric, []).append((record.se, record.n.design_effect))
    for metric, ((clusters, effect), (rows, _)) in found.items():
        assert effect == pytest.approx((clusters / rows) ** 2, rel=0.25), metric
