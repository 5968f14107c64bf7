"""Intervals and tests of values that are fitted to all rows, against other implementations and hand arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from benchmarks.measuring.simulation import Model, coverage, p_values_of_fits
from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.metrics.areas import Cells, Levels, Placed, QuerySums, ScoredCandidates, Tables, added
from reportgen.metrics.frames import Frame
from reportgen.metrics.influence import RankedRows
from reportgen.metrics.registry import find
from reportgen.stats.intervals import linearized_bounds
from reportgen.stats.linearize import FitToCandidates, FitToCells, Influence, Strata, auroc_errors, mean_influence
from reportgen.stats.paired import wald

CONTRACT = load_contract()


def frame_of(p, y, cluster, fold=None):
    fold = np.zeros(len(p), dtype=np.int64) if fold is None else fold
    columns = {"p": np.asarray(p, float), "score": np.asarray(p, float), "y": np.asarray(y, float)}
    return Frame("query", np.arange(len(p)), np.asarray(cluster), fold, np.zeros_like(fold), 0, columns)


def fitted(metric, frame, n_folds=1, *, keeps_influence=True):
    metric_id, strata = MetricId.parse(metric), Strata(frame.cluster, frame.fold, n_folds)
    folds = [frame.where(frame.fold == fold, "all_queries") for fold in range(n_folds)]
    fit = FitToCells(metric_id, find(metric_id).statistic, CONTRACT, strata, keeps_influence=keeps_influence)
    for at, cell in enumerate([frame, *folds]):
        fit.take([at], cell)
    return fit


def influence_of(metric, frame, n_folds=1):
    fit = fitted(metric, frame, n_folds)
    return fit.influence(n_folds), fit.values.tolist()


def area_of(metric, p, y, cluster, fold=None, n_folds=1, query=None, parts=1):
    """Of candidates, each of which is a query unless ``query`` says otherwise; in so many partitions of queries."""
    query = np.arange(len(p)) if query is None else query
    first = np.unique(query, return_index=True)[1]
    queries = frame_of(p[first], y[first], cluster[first], None if fold is None else fold[first])
    areas = [(MetricId.parse(metric), find(MetricId.parse(metric)).statistic)]
    cells = Cells.of(queries.rows, queries.fold, len(queries), n_folds)
    candidates = ScoredCandidates.of(query, y > 0, np.asarray(p, float))
    levels = Levels.of(candidates.gold, cells)
    owned = (query % parts == part for part in range(parts))
    some = (ScoredCandidates.of(query[own], y[own] > 0, np.asarray(p, float)[own]) for own in owned)
    placed = [Placed.of(one, levels, cells) for one in some]
    tables = Tables.of(added([one.counts(levels) for one in placed]), candidates.gold, levels, cells, areas)
    strata = Strata(queries.cluster, queries.fold, n_folds)
    fit = FitToCandidates(areas[0][0], [QuerySums.of(one, tables, areas) for one in placed], queries, strata)
    defined = int((~np.isnan(fit.values[1:])).sum())
    return fit.influence(defined), fit.values.tolist()


def clustered(n_clusters=60, size=7, seed=1):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), size)
    x = rng.normal(0, 1, n_clusters)[cluster] + rng.normal(0, 1, len(cluster))
    shift = rng.normal(0, 0.8, n_clusters)[cluster]
    y = (rng.random(len(cluster)) < 1 / (1 + np.exp(-(0.3 + 0.7 * x + shift)))).astype(int)
    return 1 / (1 + np.exp(-x)), y, cluster


def test_the_errors_of_slope_and_intercept_are_the_sandwich_of_whole_clusters():
    # The textbook form (Liang & Zeger 1986): inverse information, scores summed within clusters, G / (G - 1).
    p, y, cluster = clustered()
    design = np.column_stack([np.ones(len(p)), np.log(p) - np.log1p(-p)])
    beta = np.zeros(2)
    for _ in range(50):
        q = 1 / (1 + np.exp(-design @ beta))
        bread = np.linalg.inv(design.T @ (design * (q * (1 - q))[:, None]))
        beta = beta + bread @ design.T @ (y - q)
    scores = design * (y - q)[:, None]
    by_cluster = np.array([scores[cluster == index].sum(axis=0) for index in np.unique(cluster)])
    n = len(by_cluster)
    expected = np.sqrt(np.diag(bread @ (by_cluster.T @ by_cluster) @ bread) * n / (n - 1))
    for metric, error, value in zip(("calibration_intercept", "calibration_slope"), expected, beta, strict=True):
        found, values = influence_of(metric, frame_of(p, y, cluster))
        assert values[0] == pytest.approx(value, abs=1e-9)
        assert found["pooled"].errors.clusters == pytest.approx(error, rel=1e-7)


def test_the_error_of_the_area_of_candidates_is_delongs_but_for_what_one_row_less_divides():
    # Here the sum of squares is over all n rows with n / (n - 1), in DeLong's form over each class with its own.
    p, y, _ = clustered(n_clusters=300, size=1)
    found, values = area_of("auroc[candidate]", p, y, np.arange(len(p)))
    errors = auroc_errors(RankedRows.of(p, y), np.arange(len(p)))
    assert found["pooled"].errors.rows == pytest.approx(errors.rows, rel=0.01)
    assert values[0] == pytest.approx(stats.mannwhitneyu(p[y == 1], p[y == 0]).statistic / (y.sum() * (1 - y).sum()))


def test_the_error_of_a_mean_over_folds_is_that_of_independent_values():
    p, y, cluster = clustered()
    fold = (cluster >= 30).astype(np.int64)
    both, _ = influence_of("brier[reliability]", frame_of(p, y, cluster, fold), n_folds=2)
    apart = [
        influence_of("brier[reliability]", frame_of(p[fold == f], y[fold == f], cluster[fold == f]))[0] for f in (0, 1)
    ]
    expected = math.hypot(*(one["pooled"].errors.clusters for one in apart)) / 2
    assert both["fold_mean"].errors.clusters == pytest.approx(expected, rel=1e-12)


def test_errors_are_the_same_where_nobody_asks_for_the_influence():
    p, y, cluster = clustered()
    fold = (cluster >= 30).astype(np.int64)
    frame = frame_of(p, y, cluster, fold)
    kept, bare = (fitted("calibration_slope", frame, 2, keeps_influence=keeps) for keeps in (True, False))
    assert bare.errors(2) == kept.errors(2) == {name: one.errors for name, one in kept.influence(2).items()}
    assert list(bare.errors(2)) == ["pooled", "fold_mean"]
    assert list(bare.influence(2)) == ["fold_mean"]


@pytest.mark.parametrize("keeps_influence", [True, False])
def test_a_threshold_that_jumps_has_a_value_and_no_error(keeps_influence):
    frame = frame_of([0.9, 0.8, 0.3, 0.7, 0.6, 0.1], [1, 0, 0, 1, 1, 0], np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    found = fitted("roc_threshold@fpr=0.5", frame, 2, keeps_influence=keeps_influence)
    # Of all rows one negative of three is within the budget; of each fold, all positives are found before a negative.
    assert found.values.tolist() == [0.6, 0.9, 0.6]
    assert found.errors(2) == found.influence(2) == {}


def test_a_mean_is_over_the_folds_that_have_a_value():
    # The second fold has one class, and so no area.
    p, y, cluster = clustered()
    fold = (cluster >= 30).astype(np.int64)
    y = np.where(fold == 1, 1, y)
    found, values = area_of("auroc[candidate]", p, y, cluster, fold, n_folds=2)
    assert math.isnan(values[2])
    first, _ = area_of("auroc[candidate]", p[fold == 0], y[fold == 0], cluster[fold == 0])
    assert found["fold_mean"].errors.clusters == pytest.approx(first["pooled"].errors.clusters, rel=1e-12)


def test_what_has_no_value_has_no_influence():
    assert area_of("auroc[candidate]", np.array([0.2, 0.4, 0.6]), np.ones(3), np.arange(3))[0] == {}


def test_the_influence_on_a_difference_and_on_a_mean_of_trainings_are_those_of_the_rows():
    strata = Strata(np.arange(3), np.zeros(3, dtype=np.int64), 1)
    one, other = (Influence(strata, np.array(rows)) for rows in ([1.0, -2.0, 1.0], [3.0, 0.0, -3.0]))
    # Sums of squares over 3 rows with 3/2: 4 + 4 + 16 = 24 for the difference, 4 + 1 + 1 = 6 for the mean.
    assert one.less(other).errors.rows == pytest.approx(math.sqrt(24 * 1.5))
    assert mean_influence([one, other]).errors.clusters == pytest.approx(math.sqrt(6 * 1.5))
    assert one.errors.error("query") == one.errors.rows
    assert one.errors.error("cluster") == one.errors.clusters


def test_an_error_that_is_rounding_is_none():
    strata = Strata(np.arange(3), np.zeros(3, dtype=np.int64), 1)
    assert Influence(strata, np.array([1e-16, -2e-16, 1e-16])).errors.error("cluster") == 0


def test_degrees_of_freedom_are_units_less_strata():
    strata = Strata(np.array([0, 0, 1, 2, 3, 3]), np.array([0, 0, 0, 1, 1, 1]), 2)
    assert (strata.degrees("cluster"), strata.degrees("query")) == (2, 4)
    assert Strata(np.array([0, 1]), np.array([0, 1]), 2).degrees("cluster") == 0


def test_bounds_by_hand():
    # t of 10 degrees at .975 is 2.228139; without two ends of the range the interval is straight.
    assert linearized_bounds(1.0, 0.1, 10, 0.95, (None, None)) == pytest.approx((0.7771861, 1.2228139), abs=1e-7)
    # With one end it is cut there.
    assert linearized_bounds(0.1, 0.1, 10, 0.95, (0.0, None)) == pytest.approx((0.0, 0.3228139), abs=1e-7)
    # Half way up a range of .25 a share of .5: logit 0, error .02 / (.25 · .25) = .32, so ± .7130045.
    bound = 0.25 / (1 + math.exp(0.7130045))
    assert linearized_bounds(0.125, 0.02, 10, 0.95, (0.0, 0.25)) == pytest.approx((bound, 0.25 - bound), abs=1e-7)


def test_bounds_stay_inside_the_range_however_large_the_error():
    low, high = linearized_bounds(0.999, 10.0, 3, 0.95, (0.0, 1.0))
    assert 0 <= low < 0.999 < high <= 1
    assert linearized_bounds(1.0, 0.0, 3, 0.95, (0.0, 1.0)) == (1.0, 1.0)
    assert linearized_bounds(1.0, 1e-9, 3, 0.95, (0.0, 1.0)) == (1.0, 1.0)


def test_walds_test_by_hand():
    # t = 2 on 10 degrees: two-sided p .0734 (tables give .05 at 2.228 and .10 at 1.812).
    found = wald(0.4, 0.2, 10, "pages")
    assert (found.name, found.statistic, found.p) == (
        "Wald t test linearized over pages",
        2.0,
        pytest.approx(2 * stats.t.sf(2, 10), abs=1e-9),
    )
    assert wald(0.4, 0.0, 10, "pages") is None
    assert wald(0.4, 0.2, 0, "pages") is None


@pytest.mark.slow
def test_linearized_intervals_of_whole_clusters_cover_the_truth_and_those_of_single_queries_do_not():
    model, replications = Model(clusters=150, a=0.3, b=0.7), 150
    fewest = stats.binom.ppf(1e-4, replications, 0.95)
    hits = coverage(model, model.truth_of_fits, replications, 0, clustered=True)
    apart = coverage(model, model.truth_of_fits, replications, 0, clustered=False)
    for metric in ("calibration_intercept", "calibration_slope", "auroc[candidate]", "auprc[candidate]"):
        assert hits[metric] >= fewest, metric
        assert apart[metric] < fewest, metric
    # Isotonic regression follows chance, which lifts these above their truth: nine in ten intervals hold it.
    for metric in ("brier[miscalibration]", "brier[discrimination]"):
        assert hits[metric] >= stats.binom.ppf(1e-4, replications, 0.89), metric


def test_the_candidates_of_a_query_are_taken_together():
    # The same rows, once as queries and once as candidates, two to a query: of queries the sums of two are what varies.
    p, y, _ = clustered(n_clusters=40, size=4)
    query = np.arange(len(p)) // 2
    influence = RankedRows.of(p, y).average_precision()
    found = area_of("auprc[candidate]", p, y, np.arange(len(p)) // 4, query=query)[0]["pooled"]
    assert found.rows.tolist() == pytest.approx((influence[0::2] + influence[1::2]).tolist(), abs=1e-15)
    sums = influence.reshape(-1, 4).sum(axis=1)
    assert found.errors.clusters == pytest.approx(math.sqrt((sums**2).sum() * 40 / 39), rel=1e-9)


@pytest.mark.parametrize("metric", ["auroc[candidate]", "auprc[candidate]"])
def test_candidates_in_partitions_move_an_area_by_the_bits_of_one_table(metric):
    p, y, cluster = clustered(n_clusters=40)
    p = np.where(p < 0.3, np.nan, np.round(p, 2))  # not retrieved, and ties
    fold, query = (cluster >= 15).astype(np.int64), np.arange(len(p)) // 7 * 2 + (np.arange(len(p)) % 7 > 3)
    whole, values = area_of(metric, p, y, cluster, fold, 2, query)
    apart, same = area_of(metric, p, y, cluster, fold, 2, query, parts=3)
    assert same == values
    assert {name: one.rows.tolist() for name, one in apart.items()} == {
        name: one.rows.tolist() for name, one in whole.items()
    }
    for at, own in enumerate([fold >= 0, fold == 0, fold == 1]):
        score = np.where(np.isnan(p[own]), -1, p[own])
        peer = roc_auc_score if metric.startswith("auroc") else average_precision_score
        assert values[at] == pytest.approx(peer(y[own], score), rel=1e-12)


@pytest.mark.slow
def test_walds_p_values_are_uniform_where_two_systems_do_not_differ():
    replications = 200
    found = p_values_of_fits(
        Model(clusters=200, per_cluster=4), replications, ("calibration_slope", "brier[reliability]")
    )
    for p in found.values():
        assert stats.kstest(p, "uniform").pvalue > 1e-4
        low, high = stats.binom.ppf([1e-4, 1 - 1e-4], replications, 0.05)
        assert low <= (p <= 0.05).sum() <= high
