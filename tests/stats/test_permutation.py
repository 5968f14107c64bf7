"""Exchanges within clusters against enumeration by hand, brute force with scikit-learn, and scipy."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.run import System
from reportgen.metrics import scores
from reportgen.metrics.frames import Frame, SystemFrames
from reportgen.metrics.registry import Instance, find
from reportgen.metrics.thresholds import Choice
from reportgen.stats import permutation
from reportgen.stats.permutation import Permuted, Side, Swaps, can_be_permuted, permute, untested_since

CONTRACT = load_contract()


def metric(text):
    metric_id = MetricId.parse(text)
    return Instance(metric_id, find(metric_id), 0)


def side(cluster, y, p, fold=None, choices=(), **columns):
    """A system with a probability on queries of given clusters."""
    cluster = np.asarray(cluster)
    zeros = np.zeros(len(cluster), dtype=np.int64)
    fold = zeros if fold is None else np.asarray(fold)
    values = {"y": np.asarray(y, dtype=float), "p": np.asarray(p, dtype=float)}
    frame = Frame("query", np.arange(len(cluster)), cluster, fold, zeros, 0, values | columns)
    return Side(SystemFrames(System("s", "S"), frame, None, None, None, (), {}), {"query": frame}, choices)


def swaps_of(folds, resamples, seed=0):
    return Swaps(np.asarray(folds), resamples, seed)


def permuted(a, b, text, swaps, aggregation="pooled", n_folds=1):
    item = metric(text)
    return permute([a], [b], [(item, aggregation)], swaps, n_folds, CONTRACT)[item.id]


def losses(differences):
    """Two systems whose Brier scores on one query per cluster differ by given amounts: (p - 0)^2 against 0."""
    n = len(differences)
    root = np.sqrt(np.abs(differences))
    positive = np.asarray(differences) > 0
    a = side(np.arange(n), np.zeros(n), np.where(positive, root, 0.0))
    b = side(np.arange(n), np.zeros(n), np.where(positive, 0.0, root))
    return a, b


def test_three_equal_differences_have_exact_p_of_two_in_eight():
    found = permuted(*losses([1.0, 1.0, 1.0]), "brier", swaps_of([0, 0, 0], 10_000))
    assert len(found.differences) == 8
    assert found.p == 0.25


def test_none_of_a_thousand_as_extreme_is_one_in_1001():
    found = Permuted(np.array([1.0, *np.zeros(1000)]), 0.0)
    assert found.p == 1 / 1001
    assert f"{found.p:.6f}" == "0.000999"


def test_ties_and_undefined_differences_count_as_extreme_on_both_sides():
    assert Permuted(np.array([0.5, -0.5, 0.5, 0.1, np.nan]), 0.0).p == 4 / 5


@pytest.mark.parametrize("seed", range(3))
def test_the_exact_sign_flip_of_a_mean_equals_scipy(seed):
    rng = np.random.default_rng(seed)
    # Whole multiples of 1/64 make many exact ties; one query per cluster makes the mean that of scipy.
    d = rng.integers(-20, 30, size=9) / 64
    a, b = losses(d)
    ours = permuted(a, b, "brier", swaps_of([0] * 9, 10_000))
    reference = stats.permutation_test(
        ((a.subset["query"]["p"] ** 2), (b.subset["query"]["p"] ** 2)),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples", n_resamples=np.inf, vectorized=True,
    )  # fmt: skip
    assert ours.p == pytest.approx(reference.pvalue, abs=1e-12)
    assert ours.differences[0] == pytest.approx(reference.statistic, abs=1e-9)


def test_random_exchanges_approach_the_exact_p_value():
    d = np.random.default_rng(7).normal(0.1, 0.3, size=12)
    all_of_them, some = swaps_of([0] * 12, 4096), swaps_of([0] * 12, 4095)
    assert (all_of_them.is_exact, some.is_exact) == (True, False)
    exact, drawn = (permuted(*losses(d), "brier", swaps) for swaps in (all_of_them, some))
    # Binomial standard error of 4,095 draws; four of them.
    assert drawn.p == pytest.approx(exact.p, abs=4 * np.sqrt(exact.p * (1 - exact.p) / 4095))


def _ranked(values, parts):
    ranks = np.empty(len(values))
    for part in parts:
        ranks[part] = stats.rankdata(values[part])
    return ranks


@pytest.mark.parametrize("aggregation", ["pooled", "fold_mean"])
@pytest.mark.parametrize(
    ("text", "reference"),
    [("auroc", roc_auc_score), ("auprc", average_precision_score)],
    ids=["auroc", "auprc"],
)
def test_scores_are_exchanged_as_ranks_within_the_part_a_value_is_computed_on(aggregation, text, reference):
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(6), 4)
    fold = cluster % 2
    y = np.tile([0, 1, 0, 1], 6)
    # Two systems on scales that have nothing in common, with ties; the folds of the first are far apart.
    pa, pb = rng.integers(0, 9, 24) / 100 + fold * 0.5, rng.integers(0, 6, 24) / 6
    a, b = side(cluster, y, pa, fold), side(cluster, y, pb, fold)
    found = permuted(a, b, text, swaps_of([0, 1] * 3, 64), aggregation, n_folds=2)
    parts = [np.arange(24)] if aggregation == "pooled" else [np.flatnonzero(fold == f) for f in (0, 1)]
    ra, rb = _ranked(pa, parts), _ranked(pb, parts)
    expected = {}
    for pattern in product([False, True], repeat=6):
        swap = np.array(pattern)[cluster]
        first, second = np.where(swap, rb, ra), np.where(swap, ra, rb)
        expected[pattern] = np.mean([reference(y[p], first[p]) - reference(y[p], second[p]) for p in parts])
    assert found.differences[0] == pytest.approx(
        np.mean([reference(y[p], pa[p]) - reference(y[p], pb[p]) for p in parts])
    )
    numbered = [expected[tuple(bool(row >> c & 1) for c in range(6))] for row in range(64)]
    assert found.differences == pytest.approx(numbered, abs=1e-8)


def test_trainings_are_exchanged_together_and_the_exact_p_of_their_mean_is_counted_by_hand():
    # One query per cluster, y = 0, so a Brier score is p². Mean losses .5, .3, .1 against .2, .1, .2: differences
    # .3, .2, -.1 with the sum .4. Of the eight sign patterns ±.3 ±.2 ±.1, four reach .4 in size: ±.6 and ±.4.
    def trained(losses):
        return side(np.arange(3), np.zeros(3), np.sqrt(losses))

    a = [trained([0.6, 0.2, 0.15]), trained([0.4, 0.4, 0.05])]
    b = [trained([0.2, 0.1, 0.2])]
    item = metric("brier")
    found = permute(a, b, [(item, "pooled")], swaps_of([0, 0, 0], 8), 1, CONTRACT)[item.id]
    assert len(found.differences) == 8
    assert found.p == 4 / 8
    # Row r exchanges the clusters whose bit is set in r.
    sums = [(0.3, -0.3)[r & 1] + (0.2, -0.2)[r >> 1 & 1] + (-0.1, 0.1)[r >> 2 & 1] for r in range(8)]
    assert found.differences == pytest.approx([total / 3 for total in sums], abs=1e-8)


def test_two_trainings_meet_three_in_six_pairs_whose_outputs_are_exchanged_cluster_by_cluster():
    rng = np.random.default_rng(11)
    cluster, y = np.repeat(np.arange(5), 4), np.tile([0, 1, 0, 1], 5)
    first, second = rng.integers(0, 9, (2, 20)) / 9, rng.integers(0, 7, (3, 20)) / 7
    a, b = ([side(cluster, y, p) for p in trainings] for trainings in (first, second))
    item = metric("auroc")
    found = permute(a, b, [(item, "pooled")], swaps_of([0] * 5, 32), 1, CONTRACT)[item.id]
    expected = []
    for row in range(32):
        swap = np.array([bool(row >> c & 1) for c in range(5)])[cluster]
        meetings = [(stats.rankdata(first[k % 2]), stats.rankdata(second[k % 3])) for k in range(6)]
        expected.append(np.mean([
            roc_auc_score(y, np.where(swap, rq, rp)) - roc_auc_score(y, np.where(swap, rp, rq)) for rp, rq in meetings
        ]))  # fmt: skip
    assert found.differences == pytest.approx(expected, abs=1e-8)
    means = [np.mean([roc_auc_score(y, p) for p in trainings]) for trainings in (first, second)]
    assert found.differences[0] == pytest.approx(means[0] - means[1], abs=1e-12)


def test_decisions_are_exchanged_as_they_are_at_their_fixed_thresholds():
    cluster, y = np.arange(4), np.array([1, 1, 0, 0])
    a = side(cluster, y, [0.9, 0.2, 0.1, 0.1], choices=(Choice(0, 0.05, 0.8, 0.0, 0.0),))
    b = side(cluster, y, [0.3, 0.2, 0.1, 0.1], choices=(Choice(0, 0.05, 0.25, 0.0, 0.0),))
    # Both find the first positive, each at its own threshold: no exchange makes a difference.
    found = permuted(a, b, "tpr@fpr=0.05", swaps_of([0] * 4, 16))
    assert found.differences.tolist() == [0.0] * 16
    assert found.p == 1.0
    # Without a threshold there is no decision and so no difference.
    bare = side(cluster, y, [0.3, 0.2, 0.1, 0.1])
    assert permute([a], [bare], [(metric("tpr@fpr=0.05"), "pooled")], swaps_of([0] * 4, 16), 1, CONTRACT) == {}


def test_ratios_are_made_anew_from_exchanged_sums():
    cluster, y = np.arange(3), np.array([1, 1, 0])
    a, b = side(cluster, y, [0.9, 0.9, 0.9]), side(cluster, y, [0.9, 0.1, 0.1])
    found = permuted(a, b, "f1@0.5", swaps_of([0] * 3, 8))
    # A: tp 2, fp 1: 4/5. B: tp 1, fn 1: 2/3. Exchanging query 1: A tp 1 fp 1 fn 1: 1/2; B tp 2: 1.
    assert found.differences[0] == pytest.approx(4 / 5 - 2 / 3)
    assert found.differences[0b010] == pytest.approx(1 / 2 - 1)
    # Exchanging query 2: A tp 2: 1; B tp 1, fp 1, fn 1: 1/2. Exchanging the first changes nothing.
    assert found.differences[0b100] == pytest.approx(1 - 1 / 2)
    assert found.differences[0b001] == found.differences[0]


def big(seed, n_clusters=60, per=5):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(n_clusters), per)
    effect = rng.normal(size=n_clusters)[cluster]
    y = (rng.random(len(cluster)) < 0.4).astype(float)
    pa, pb = (1 / (1 + np.exp(-(effect + y + rng.normal(size=len(cluster))))) for _ in range(2))
    return side(cluster, y, pa), side(cluster, y, pb)


def test_the_order_of_the_two_systems_changes_the_sign_and_nothing_else():
    a, b = big(0)
    for text in ("auroc", "auprc", "brier", "roc_tpr@fpr=0.05"):
        forward = permuted(a, b, text, swaps_of([0] * 60, 200))
        backward = permuted(b, a, text, swaps_of([0] * 60, 200))
        assert (forward.differences == -backward.differences).all()
        assert forward.p == backward.p


def test_the_order_of_queries_changes_nothing():
    a, b = big(1)
    order = np.random.default_rng(0).permutation(len(a.subset["query"]))

    def reordered(one):
        frame = one.subset["query"]
        return side(frame.cluster[order], frame["y"][order], frame["p"][order])

    for text in ("auroc", "auprc", "brier"):
        first = permuted(a, b, text, swaps_of([0] * 60, 200))
        second = permuted(reordered(a), reordered(b), text, swaps_of([0] * 60, 200))
        assert (first.differences == second.differences).all()


@pytest.mark.parametrize("cells", [700, 1], ids=["eleven rows", "one row, as with very many clusters"])
def test_blocks_and_batches_change_no_bit(monkeypatch, cells):
    a, b = big(2)
    before = [permuted(a, b, text, swaps_of([0] * 60, 300)).differences.tobytes() for text in ("auroc", "brier")]
    monkeypatch.setattr(permutation, "_BLOCK_CELLS", cells)
    monkeypatch.setattr(scores, "_WORKING_SET", 900)
    after = [permuted(a, b, text, swaps_of([0] * 60, 300)).differences.tobytes() for text in ("auroc", "brier")]
    assert before == after


def test_more_draws_leave_the_first_ones_and_their_stream_is_not_the_bootstraps():
    few, many = (np.concatenate([block.counts for block in swaps_of([0] * 70, b).blocks()]) for b in (50, 80))
    assert (few == many[:51]).all()
    assert not few[0].any()
    # A fair coin: 50 × 70 draws, five standard errors.
    assert few[1:].mean() == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(3500))
    other = np.concatenate([block.counts for block in swaps_of([0] * 70, 50, seed=1).blocks()])
    assert (other[1:] != few[1:]).any()


def test_clusters_outside_the_evaluation_split_are_never_exchanged_and_do_not_count():
    swaps = swaps_of([-1, 0, 0, -1], 100)
    assert swaps.is_exact
    assert len(swaps) == 4
    assert not np.concatenate([block.counts for block in swaps.blocks()])[:, [0, 3]].any()


def test_every_metric_of_the_catalogue_with_a_known_statistic_can_be_permuted():
    assert all(
        can_be_permuted(metric(text)) for text in ("ndcg@10", "auroc", "tpr@fpr=0.05", "exact_match", "p90_k[all]")
    )


def test_what_reads_a_roc_curve_besides_counts_is_not_permuted():
    assert not can_be_permuted(metric("optimism@fpr=0.05"))


def test_what_is_not_permuted_has_a_reason_of_its_own_and_the_rest_has_none():
    assert untested_since(metric("calibration_slope")) is None  # tested, though not by permutation
    assert not can_be_permuted(metric("calibration_slope"))
    assert "scales differ" in untested_since(metric("optimism@fpr=0.05"))
    assert untested_since(metric("brier")) is None


@pytest.mark.slow
@pytest.mark.parametrize("text", ["brier", "auroc"])
def test_p_values_are_uniform_where_the_systems_are_exchangeable(text):
    draws, replications = 99, 400
    found = [
        permuted(*big(1000 + seed, n_clusters=16, per=4), text, swaps_of([0] * 16, draws, seed)).p
        for seed in range(replications)
    ]
    # p is uniform on 0.01, 0.02, …, 1: counts in ten classes of equal probability.
    counts = np.histogram(np.rint(np.array(found) * 100), bins=np.arange(0.5, 101, 10))[0]
    assert counts.sum() == replications
    assert stats.chisquare(counts).pvalue > 0.001
    # Share at or below 0.05, within four binomial standard errors.
    share = np.mean(np.array(found) <= 0.05 + 1e-12)
    assert share == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / replications))
