"""Paired DeLong against R's pROC 1.18.0 on real predictions, and its components by hand."""

import csv
import gzip
import json
from itertools import combinations

import numpy as np
import pytest

from reportgen.stats.delong import components, paired_delong
from tests.reference.engines import SAMPLE_RUNS

OOF = ("logreg", "gnb", "rf", "tree3")
DIGITS = ("logreg_few_pixels", "gnb", "tree3", "centroid")


def rows_of(path):
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_components_by_hand():
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=float)
    score = np.array([0.9, 0.8, 0.7, 0.3, 0.2, 0.75, 0.1, 0.05])
    positive, negative = components(y, score)
    assert positive == pytest.approx([1, 1, 0.8], abs=1e-15)
    assert negative == pytest.approx([1, 1, 2 / 3, 1, 1], abs=1e-15)
    # 14 of 15 pairs.
    assert positive.mean() == pytest.approx(14 / 15, abs=1e-15)


def test_a_tie_counts_one_half():
    positive, negative = components(np.array([1.0, 0.0]), np.array([0.5, 0.5]))
    assert (positive.tolist(), negative.tolist()) == ([0.5], [0.5])


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


def test_equal_or_perfect_scores_and_single_positives_have_no_test():
    y, score = np.array([1.0, 1, 0, 0]), np.array([0.9, 0.8, 0.2, 0.1])
    assert paired_delong(y, score, score) is None
    assert paired_delong(np.array([1.0, 0, 0, 0]), score, score[::-1]) is None
