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
    assert paired_delong(y, np.array([4, 2.5, 1.5, 1, 2, 3]), np.array([2.5, 1.5, 0.5, 1, 2, 3])) is None


def test_equal_or_perfect_scores_and_single_positives_have_no_test():
    y, score = np.array([1.0, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    assert paired_delong(y, score, score) is None
    assert paired_delong(np.array([1.0, 0, 0, 0]), score, score[::-1]) is None
