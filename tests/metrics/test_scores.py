"""The score pass: every resample equals scikit-learn on rows repeated as often as their cluster is drawn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from reportgen.metrics import scores


def rows_of(score, y, cluster=None):
    n = len(score)
    members = np.arange(n) if cluster is None else np.asarray(cluster)
    return scores.sort_scores(np.asarray(score, dtype=float), np.asarray(y, dtype=float), members)


def only_batch(rows, weights=None):
    return scores.as_they_are(rows) if weights is None else next(scores.batches(rows, weights))[1]


def tpr_at(counts, alpha):
    return scores.tpr_at_fpr(counts, np.array([alpha]))[:, 0]


def random_rows(seed, n=120, n_clusters=25):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = np.round(rng.normal(size=n) + y, 1)  # one decimal: many ties
    cluster = rng.integers(0, n_clusters, n)
    weights = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=30).astype(np.uint16)
    return score, y, cluster, weights


@pytest.mark.parametrize("seed", range(4))
def test_auroc_and_average_precision_of_a_resample_equal_scikit_learn_on_repeated_rows(seed):
    score, y, cluster, weights = random_rows(seed)
    rows = rows_of(score, y, cluster)
    steps = only_batch(rows, weights).steps
    for b, (auroc, ap) in enumerate(zip(scores.auroc(steps), scores.average_precision(steps), strict=True)):
        times = weights[b, cluster]
        repeated_y, repeated_score = np.repeat(y, times), np.repeat(score, times)
        assert auroc == pytest.approx(roc_auc_score(repeated_y, repeated_score), abs=1e-12)
        assert ap == pytest.approx(average_precision_score(repeated_y, repeated_score), abs=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.01, 0.1, 0.34, 1.0])
def test_tpr_at_fpr_is_the_highest_point_of_the_full_roc_curve_within_the_budget(alpha):
    score, y, cluster, weights = random_rows(9)
    counts = only_batch(rows_of(score, y, cluster), weights)
    for b, found in enumerate(tpr_at(counts, alpha)):
        times = weights[b, cluster]
        fpr, tpr, _ = roc_curve(np.repeat(y, times), np.repeat(score, times), drop_intermediate=False)
        assert found == pytest.approx(tpr[fpr <= alpha].max(), abs=1e-12)


def test_a_tie_between_a_positive_and_a_negative_counts_one_half():
    # pROC issue 61: four equal scores.
    assert scores.auroc(only_batch(rows_of([0.5] * 4, [1, 0, 1, 0])).steps).tolist() == [0.5]


def test_auroc_is_not_turned_round_when_the_scores_are_inverted():
    # pROC issue 22.
    assert scores.auroc(only_batch(rows_of([0.9, 0.8, 0.1, 0.2], [0, 0, 1, 1])).steps).tolist() == [0.0]


def test_average_precision_is_not_the_trapezoid():
    # scikit-learn issue 13074: (1 + 2/3 + 3/6) / 3, while the trapezoid gives .677778.
    rows = rows_of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 1])
    assert scores.exact_average_precision(rows) == pytest.approx((1 + 2 / 3 + 3 / 6) / 3, abs=1e-15)
    assert scores.average_precision(only_batch(rows).steps)[0] == pytest.approx((1 + 2 / 3 + 3 / 6) / 3, abs=1e-9)


def test_with_one_class_the_pass_is_undefined_and_not_a_number_that_looks_right():
    negatives, positives = rows_of([0.2, 0.7], [0, 0]), rows_of([0.2, 0.7], [1, 1])
    assert math.isnan(scores.auroc(only_batch(negatives).steps)[0])
    assert math.isnan(tpr_at(only_batch(negatives), 0.1)[0])
    assert math.isnan(scores.exact_average_precision(negatives))
    assert math.isnan(scores.average_precision(only_batch(negatives).steps)[0])
    assert scores.average_precision(only_batch(positives).steps)[0] == 1.0


def test_five_tied_pairs_give_the_point_that_the_default_roc_curve_drops():
    # roc_curve drops collinear points by default and then reads .2 where .4 is reached.
    score = np.repeat([5.0, 4.0, 3.0, 2.0, 1.0], 2)
    assert tpr_at(only_batch(rows_of(score, [1, 0] * 5)), 0.4).tolist() == [0.4]


def test_the_size_of_a_batch_changes_no_bit(monkeypatch):
    score, y, cluster, weights = random_rows(5)
    rows = rows_of(score, y, cluster)

    def values():
        every = [counts.steps for _, counts in scores.batches(rows, weights)]
        parts = [(scores.auroc(steps), scores.average_precision(steps)) for steps in every]
        return np.concatenate([np.stack(part) for part in parts], axis=1)

    whole = values()
    monkeypatch.setattr(scores, "_WORKING_SET", 300)
    assert whole.tobytes() == values().tobytes()


@given(total=st.integers(0, 20000), alpha=st.sampled_from([0.0, 0.01, 0.03, 0.05, 0.1, 0.34, 0.999, 1.0]))
def test_the_largest_count_within_a_budget_is_the_largest_whose_rate_does_not_exceed_it(total, alpha):
    count = scores.largest_count(np.array([float(total)]), alpha)[0]
    if total == 0:
        assert count == 0
    else:
        assert count / total <= alpha
        assert (count + 1) / total > alpha or count + 1 > total


def test_the_roc_curve_on_a_grid_goes_straight_through_ties_and_takes_the_top_of_steps():
    # One positive above all, then a positive and a negative tied: (0, 1/2) straight to (1, 1).
    counts = only_batch(rows_of([0.9, 0.5, 0.5], [1, 1, 0]))
    assert scores.roc_on_grid(counts.steps, np.array([0.0, 0.5, 1.0])).tolist() == [[0.5, 0.75, 1.0]]


def test_precision_on_a_grid_is_read_at_the_first_threshold_that_reaches_the_recall():
    # Ranking + - + -: recall 1/2 at precision 1, recall 1 at precision 2/3.
    counts = only_batch(rows_of([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0]))
    assert scores.precision_on_grid(counts.steps, np.array([0.0, 0.5, 0.51, 1.0])).tolist() == [[1, 1, 2 / 3, 2 / 3]]
    assert np.isnan(scores.precision_on_grid(only_batch(rows_of([0.9], [0])).steps, np.array([0.0]))).all()


def test_a_perfect_ranking_stays_perfect_in_every_resample_since_scores_stay_with_their_truth():
    # scipy issue 21704: drawn apart, scores and truth would centre on .5.
    y = np.repeat([0, 1], 50)
    weights = np.random.default_rng(0).multinomial(100, np.full(100, 0.01), size=200).astype(np.uint16)
    assert scores.auroc(only_batch(rows_of(y, y), weights).steps).tolist() == [1.0] * 200


def test_rows_are_taken_together_into_the_points_where_a_positive_is():
    # -+--+---: positives at .8 and .5, and everything at .2; counts start at zero.
    rows = rows_of([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2], [0, 1, 0, 0, 1, 0, 0, 0])
    assert rows.score.tolist() == [0.8, 0.5, 0.2]
    counts = only_batch(rows)
    assert counts.positives.tolist() == [[0, 1, 2, 2]]
    assert counts.negatives.tolist() == [[0, 1, 3, 6]]


def test_the_point_before_a_score_that_both_classes_share_is_kept_since_the_curve_is_slanted_from_there():
    # -+-± by falling score: the pair at .6 needs .7; the positive at .8 does not need .9.
    rows = rows_of([0.9, 0.8, 0.7, 0.6, 0.6], [0, 1, 0, 1, 0])
    assert rows.score.tolist() == [0.8, 0.7, 0.6]
    steps = only_batch(rows).steps
    assert steps.mixed.tolist() == [3]
    assert steps.tied.tolist() == [[1]]


def test_where_corners_are_asked_for_the_end_of_every_flat_piece_is_a_point():
    # -+--+---: the flat piece before each positive ends at .9 and .6, and everything at .2.
    score = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2])
    rows = scores.sort_scores(score, np.array([0, 1, 0, 0, 1, 0, 0, 0]), np.arange(8), corners=True)
    assert rows.score.tolist() == [0.9, 0.8, 0.6, 0.5, 0.2]


def test_points_that_are_there_to_be_read_at_change_no_measure():
    score, y, cluster, weights = random_rows(7)
    y[10:] = 0  # few rises among many points, so that they are taken out
    plain, with_points = (scores.sort_scores(score, y, cluster, points) for points in (None, score))
    assert len(with_points.score) > len(plain.score)
    assert with_points.rises is not None
    for measure in (scores.auroc, scores.average_precision, scores.trapezoid):
        found = [measure(only_batch(rows, weights).steps) for rows in (plain, with_points)]
        assert found[0].tobytes() == found[1].tobytes()


def test_a_threshold_that_will_be_read_at_is_a_point_even_between_scores():
    rows = scores.sort_scores(
        np.array([0.9, 0.7, 0.5, 0.3]), np.array([1, 0, 0, 0]), np.arange(4), np.array([0.6, 0.95])
    )
    assert rows.score.tolist() == [0.9, 0.7, 0.3]
    assert scores.at(scores.as_they_are(rows).negatives, rows.reached(np.array([[0.6]]))).tolist() == [[1]]


@pytest.mark.parametrize("weight", [1, 2, 3])
def test_a_point_counts_as_many_rows_as_any_resample_puts_on_it(weight):
    # 16,384 rows of one score and class, drawn once, twice, three times: the last two leave the range of 16 bits.
    rows = rows_of(np.zeros(2**14), np.ones(2**14), np.zeros(2**14, dtype=int))
    assert only_batch(rows, np.array([[1], [weight]], dtype=np.uint16)).positives.tolist() == [
        [0, 2**14],
        [0, weight * 2**14],
    ]


@pytest.mark.parametrize("n_points", [5, 101])
def test_the_roc_curve_of_a_resample_on_a_grid_equals_numpys_interpolation_of_scikit_learns_points(n_points):
    score, y, cluster, weights = random_rows(11)
    grid = np.linspace(0, 1, n_points)
    found = scores.roc_on_grid(only_batch(rows_of(score, y, cluster), weights).steps, grid)
    for b, curve in enumerate(found):
        times = weights[b, cluster]
        fpr, tpr, _ = roc_curve(np.repeat(y, times), np.repeat(score, times), drop_intermediate=False)
        assert curve == pytest.approx(np.interp(grid, fpr, tpr), abs=1e-12)


@pytest.mark.parametrize(("n_limits", "highest"), [(3, 9), (50, 9), (50, 900)])
def test_few_limits_and_many_and_high_counts_are_found_alike(n_limits, highest):
    cumulative = np.array([[0, 0, 2, 2, 5], [0, 1, 1, 4, highest]], dtype=np.int32)
    limits = np.tile(np.array([[0, 2, 2000]]), (2, n_limits // 3 + 1))[:, :n_limits]
    assert scores.Search(cumulative).within(limits)[:, :3].tolist() == [[1, 3, 4], [0, 2, 4]]


def test_limits_are_found_among_counts_that_only_64_bits_hold_for_all_rows_together():
    cumulative = np.array([[0, 1, 2**30]] * 3, dtype=np.int32)
    assert scores.Search(cumulative).within(np.array([[0, 1, 2**30]] * 3)).tolist() == [[0, 1, 2]] * 3


@pytest.mark.parametrize("n_limits", [0, 2, 300])
def test_among_no_resamples_nothing_is_found(n_limits):
    found = scores.Search(np.zeros((0, 3), dtype=np.int32)).within(np.zeros((0, n_limits), dtype=np.int64))
    assert found.shape == (0, n_limits)


def test_auroc_is_exact_where_the_number_of_pairs_exceeds_32_bits():
    # Of + - + -, each drawn 65,535 times, three of four pairs are in the right order, whatever the weight.
    weights = np.full((1, 4), 65535, dtype=np.uint16)
    assert scores.auroc(only_batch(rows_of([0.9, 0.8, 0.7, 0.6], [1, 0, 1, 0]), weights).steps).tolist() == [0.75]
