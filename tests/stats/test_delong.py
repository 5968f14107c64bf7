"""Paired DeLong against R's pROC 1.18.0 on real predictions."""

import csv
import gzip
import json
from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.delong import paired_delong
from tests.reference.engines import SAMPLE_RUNS

OOF = ("logreg", "gnb", "rf", "tree3")
DIGITS = ("logreg_few_pixels", "gnb", "tree3", "centroid")


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def compare(y, a, b, expected):
    found = paired_delong(y, a, b)
    assert found is not None
    assert found.z == pytest.approx(expected["Z"], abs=1e-9)
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
    assert (found.auroc_a, found.auroc_b) == (1.0, 0.75)
    assert found.error == pytest.approx(np.sqrt(1 / 8), abs=1e-15)
    assert found.z == pytest.approx(0.25 / np.sqrt(1 / 8), abs=1e-12)


def test_equal_or_perfect_scores_and_single_positives_have_no_test():
    y, score = np.array([1.0, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    assert paired_delong(y, score, score) is None
    assert paired_delong(np.array([1.0, 0, 0, 0]), score, score[::-1]) is None
