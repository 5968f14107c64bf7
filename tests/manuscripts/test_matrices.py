"""Whole-number confusion matrices: small cases by hand, and the verdicts of mlscorecheck on published scores."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from reportgen.manuscripts.printed_numbers import PrintedNumber, parse_number
from reportgen.manuscripts.proofs import matrix_exists

NAMES = {"acc": "accuracy", "sens": "sensitivity", "spec": "specificity", "ppv": "precision", "npv": "npv", "f1p": "f1",
         "bacc": "balanced_accuracy"}  # fmt: skip


def rates(**texts: str) -> dict[str, PrintedNumber]:
    found = {name: parse_number(text) for name, text in texts.items()}
    return {name: value for name, value in found.items() if value is not None}


def test_a_sensitivity_of_ten_positives_is_a_multiple_of_a_tenth():
    assert matrix_exists(10, 10, rates(sensitivity="0.80"))
    assert matrix_exists(10, 10, rates(sensitivity="0.85")) is False


def test_rates_that_are_possible_one_by_one_may_be_impossible_together():
    # Precision 0.50 needs as many false as true positives; specificity 1.00 needs zero.
    assert matrix_exists(10, 10, rates(precision="0.50"))
    assert matrix_exists(10, 10, rates(precision="0.50", specificity="1.00", sensitivity="0.90")) is False


def test_counts_are_held_exactly():
    exact = PrintedNumber("4", Fraction(4), Fraction(0))
    assert matrix_exists(10, 10, {"tp": exact, **rates(sensitivity="0.40")})
    assert matrix_exists(10, 10, {"tp": exact, **rates(sensitivity="0.50")}) is False
    assert matrix_exists(10, 10, {"fp": exact, **rates(fpr="0.40")})
    assert matrix_exists(10, 10, {"fn": exact, **rates(fnr="0.30")}) is False


def test_a_rate_without_a_denominator_is_held_against_nothing():
    assert matrix_exists(5, 0, rates(sensitivity="0.40", specificity="0.90", precision="1.00"))


def test_too_many_to_try_is_said():
    assert matrix_exists(10**6, 10**6, rates(f1="0.5")) is None


def test_every_matrix_is_found_from_its_own_rates():
    for positives, negatives in ((1, 1), (3, 2), (4, 7)):
        for tp, tn in product(range(positives + 1), range(negatives + 1)):
            fn, fp = positives - tp, negatives - tn
            own = {
                "sensitivity": tp / positives,
                "specificity": tn / negatives,
                "accuracy": (tp + tn) / (positives + negatives),
                "f1": 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 0.0,
            }
            texts = {name: f"{value:.3f}" for name, value in own.items()}
            assert matrix_exists(positives, negatives, rates(**texts)), (positives, negatives, tp, tn)


@pytest.fixture(scope="module")
def cases(shared_data: Path) -> list[dict]:
    return json.loads((shared_data / "mlscorecheck_cases" / "cases.json").read_text(encoding="utf-8"))


def test_the_verdicts_are_those_of_mlscorecheck(cases):
    held = 0
    for case in cases:
        arguments = case["args"]
        if case["function"] == "check_1_testset_no_kfold":
            sets = [arguments["testset"]]
        elif case["function"] == "check_n_testsets_som_no_kfold":  # scores of the summed counts
            sets = arguments["testsets"]
        else:
            continue  # means over folds of known sizes
        positives, negatives = (sum(one[of] for one in sets) for of in ("p", "n"))
        half = Fraction(str(arguments["eps"]))
        scores = {
            NAMES[name]: PrintedNumber(str(score), Fraction(str(score)), half)
            for name, score in arguments["scores"].items()
            if name in NAMES
        }
        assert matrix_exists(positives, negatives, scores) is not case["inconsistency"], case["source"]
        held += 1
    assert held == 7
