"""Paired DeLong against R's pROC 1.18.0 on real predictions, by hand, and by counting pairs."""

import csv
import gzip
import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats.paired import paired_delong
from tests.reference.engines import SAMPLE_RUNS

OOF = ("logreg", "gnb", "rf", "tree3")
DIGITS = ("logreg_few_pixels", "gnb", "tree3", "centroid")


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compare(y, a, b, expected):
    found = paired_delong(y, a, b)
    assert found is not None
    assert found.statistic == pytest.approx(expected["Z"], rel=1e-9)
    assert found.p == pytest.approx(expected["p"], abs=1e-9)


@pytest.mark.parametrize("pair", list(combinations(DIGITS, 2)), ids="-".join)
def test_digits_pages_agrees_with_pROC(pair):
    folder = SAMPLE_RUNS / "digits_pages"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["pROC_delong_iid"]
    truth = {row["query_id"]: float(row["has_evidence"]) for row in rows_of(folder / "queries.csv.gz")}
    prob = {name: {} for name in DIGITS}
    for row in rows_of(folder / "predictions.csv.gz"):
        prob[row["system"]][row["query_id"]] = float(row["prob"])
    y = np.array(list(truth.values()))
    a, b = (np.array([prob[name][query] for query in truth]) for name in pair)
    compare(y, a, b, expected[f"paired_{pair[0]}_vs_{pair[1]}"])


@pytest.mark.parametrize("name", ["breast_cancer", "digits_is8"])
@pytest.mark.parametrize("pair", list(combinations(OOF, 2)), ids="-".join)
def test_out_of_fold_predictions_agree_with_pROC(shared_data, name, pair):
    folder = shared_data / "sklearn_oof"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[name]["pROC_delong"]
    rows = rows_of(folder / f"{name}.csv.gz")
    y = np.array([float(row["y"]) for row in rows])
    a, b = (np.array([float(row[model]) for row in rows]) for model in pair)
    compare(y, a, b, expected[f"{pair[0]}_vs_{pair[1]}"])


def test_by_hand():
    # Against the second positive the first score wins both pairs and the second loses one: the placements of the
    # positives differ by 0 and 1/2, those of the negatives by 0 and 1/2; each sample variance is 1/8, each over 2.
    y = np.array([1.0, 1, 0, 0])
    found = paired_delong(y, np.array([4.0, 3, 2, 1]), np.array([4.0, 2, 3, 1]))
    assert found is not None
    assert found.statistic == pytest.approx((1.0 - 0.75) / np.sqrt(1 / 8), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_the_error_is_that_of_the_structural_components_of_all_pairs(seed):
    # DeLong et al. 1988: psi of every positive with every negative; V10 and V01 are its means by row and by column,
    # S10 and S01 their 2 x 2 covariances over systems, and the variance of the difference is L (S10/m + S01/n) L'.
    rng = np.random.default_rng(seed)
    m, n = rng.integers(2, 12, 2)
    y = rng.permutation(np.repeat([1.0, 0.0], [m, n]))
    # Whole numbers make ties between the classes, and within them.
    scores = [rng.integers(0, 6, m + n) + y for _ in range(2)]
    v10, v01 = np.zeros((2, m)), np.zeros((2, n))
    for system, score in enumerate(scores):
        for i, positive in enumerate(score[y == 1]):
            for j, negative in enumerate(score[y == 0]):
                psi = 1.0 if positive > negative else 0.5 if positive == negative else 0.0
                v10[system, i] += psi / n
                v01[system, j] += psi / m
    covariance = np.cov(v10) / m + np.cov(v01) / n
    contrast = np.array([1, -1])
    found = paired_delong(y, *scores)
    assert found is not None
    z = contrast @ v10.mean(axis=1) / np.sqrt(contrast @ covariance @ contrast)
    assert found.statistic == pytest.approx(z, rel=1e-9)
    assert found.p == pytest.approx(2 * norm.sf(abs(z)), rel=1e-9)


def test_placements_that_all_move_equally_far_leave_no_variance():
    # Positives that win 3, 2, 1 of three pairs, then 2, 1, 0: each placement moves by 1/3, but for the last bits.
    y = np.array([1.0, 1, 1, 0, 0, 0])
    found = paired_delong(y, np.array([4, 2.5, 1.5, 1, 2, 3]), np.array([2.5, 1.5, 0.5, 1, 2, 3]))
    assert "no variance" in found.why


def test_equal_or_perfect_scores_and_single_positives_have_no_test():
    y, score = np.array([1.0, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    assert "no variance" in paired_delong(y, score, score).why
    assert "two positive" in paired_delong(np.array([1.0, 0, 0, 0]), score, score[::-1]).why


@pytest.mark.parametrize("seed", range(5))
def test_the_clustered_test_is_that_of_the_covariances_of_obuchowski(seed):
    # Obuchowski 1997: V10 and V01 as above, summed by cluster; with I10 (I01) clusters that hold a positive (negative),
    # S10 = I10 / ((I10 - 1) m) sum (V10_i. - m_i A)(V10_i. - m_i A)', S01 likewise, and
    # S11 = I / (I - 1) sum (V10_i. - m_i A)(V01_i. - n_i A)'; var = S10/m + S01/n + (S11 + S11')/(m n).
    rng = np.random.default_rng(seed)
    clusters, size = 12, 5
    cluster = np.repeat(np.arange(clusters), size)
    y = (rng.random(clusters * size) < np.repeat(rng.beta(1, 1, clusters), size)).astype(float)
    shift = np.repeat(rng.normal(size=clusters), size)
    scores = [np.round(y + shift + rng.normal(size=len(y)), 1) for _ in range(2)]
    positive, negative = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    m, n = len(positive), len(negative)
    sums, areas = np.zeros((2, 2, clusters)), np.zeros(2)  # system, class, cluster
    counts = np.array([np.bincount(cluster[of], minlength=clusters) for of in (positive, negative)])
    for system, score in enumerate(scores):
        for i in positive:
            for j in negative:
                psi = float(score[i] > score[j]) + 0.5 * float(score[i] == score[j])
                areas[system] += psi / (m * n)
                sums[system, 0, cluster[i]] += psi / n
                sums[system, 1, cluster[j]] += psi / m
    centred = sums - counts[None] * areas[:, None, None]
    variance = np.zeros((2, 2))
    for of, total in ((0, m), (1, n)):
        holding = int((counts[of] > 0).sum())
        variance += holding / ((holding - 1) * total) * centred[:, of] @ centred[:, of].T / total
    both = clusters / (clusters - 1) * centred[:, 0] @ centred[:, 1].T
    variance += (both + both.T) / (m * n)
    contrast = np.array([1, -1])
    found = paired_delong(y, *scores, cluster)
    assert found.statistic == pytest.approx((areas[0] - areas[1]) / np.sqrt(contrast @ variance @ contrast), rel=1e-9)
    assert found.name == "paired DeLong of pooled AUROC, clustered (Obuchowski)"


def test_the_clustered_test_of_single_queries_is_the_plain_one_and_that_of_one_cluster_is_none():
    rng = np.random.default_rng(3)
    y = np.repeat([1.0, 0.0], 15)
    a, b = y + rng.normal(size=(2, 30))
    plain, alone = paired_delong(y, a, b), paired_delong(y, a, b, np.arange(30))
    assert (alone.statistic, alone.p) == (plain.statistic, plain.p)
    assert "two clusters" in paired_delong(y, a, b, np.zeros(30, dtype=int)).why
    # The same rows once more, as a second cluster: each of the two adds nothing to the difference beside the other.
    twice = [np.concatenate([one, one]) for one in (y, a, b)]
    assert "all clusters" in paired_delong(*twice, np.repeat([0, 1], 30)).why
