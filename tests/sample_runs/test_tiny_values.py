"""The report of the tiny run against its expected.json, which was worked out without the product."""

import json
from pathlib import Path

import pytest

from reportgen.contracts import load_contract
from reportgen.evaluation.evaluate import evaluate
from reportgen.inputs import read_run

TINY = Path(__file__).resolve().parents[2] / "sample_runs" / "tiny"
TUNE_ONLY = ("tpr@", "fpr_achieved@", "precision@fpr", "f1@fpr", "mcc@fpr", "optimism@")


@pytest.fixture(scope="module")
def results():
    contract = load_contract("field-standard", {"resamples": 20})  # intervals are not compared
    return evaluate(read_run(TINY), contract, command="evaluate").results.results


@pytest.fixture(scope="module")
def by_hand():
    return json.loads((TINY / "expected.json").read_text(encoding="utf-8"))["systems"]


def test_every_value_of_the_report_is_the_one_worked_out_by_hand(results, by_hand):
    compared = [r for r in results if not r.metric.startswith(TUNE_ONLY)]
    assert len(compared) > 500
    for result in compared:
        entry = by_hand[result.system][result.subset][result.aggregation][result.metric]
        assert result.value == pytest.approx(entry["value"], abs=1e-12), result.id


def test_every_fold_value_is_the_one_worked_out_by_hand(results, by_hand):
    for result in results:
        if result.aggregation == "fold_mean" and not result.metric.startswith(TUNE_ONLY):
            assert [fold.fold for fold in result.folds] == ["1", "2"]
            for fold in result.folds:
                entry = by_hand[result.system][result.subset]["fold"][fold.fold][result.metric]
                assert fold.value == pytest.approx(entry["value"], abs=1e-12), (result.id, fold.fold)


def test_thresholds_from_tune_are_not_applicable_without_a_tune_part(results):
    values = {result.value for result in results if result.metric.startswith(TUNE_ONLY)}
    assert values <= {None}
