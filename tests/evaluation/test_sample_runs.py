"""The shipped runs under every contract: an interval that does not hold its value is none."""

from __future__ import annotations

import pytest

from reportgen.contracts import contract_ids, load_contract
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from tests.reference.engines import SAMPLE_RUNS


@pytest.mark.parametrize("contract", contract_ids())
@pytest.mark.parametrize("name", ["tiny", "digits_pages"])
def test_no_value_or_difference_of_a_shipped_run_lies_outside_its_interval(name, contract):
    run = read_run(SAMPLE_RUNS / name)
    results = evaluate(run, load_contract(contract, {"resamples": 50}), command="test").results
    values = [(record.id, record.value, record.intervals) for record in results.results]
    values += [(one.id, one.difference, one.intervals) for one in results.comparisons]
    assert any(intervals for *_, intervals in values)
    outside = [(at, one) for at, value, found in values for one in found if not one.lower <= value <= one.upper]
    assert not outside


def test_what_a_value_without_information_would_be_is_beside_it():
    # 6 of the 12 queries are positive, and 3 of the 4 of criterion A.
    contract = load_contract("gold-standard", {"resamples": 0})
    results = evaluate(read_run(SAMPLE_RUNS / "tiny"), contract, command="test").results
    said = {record.id: record.interpretation for record in results.results}
    assert said["auprc|neural|all_queries|fold_mean"].startswith(
        "The area under the precision-recall curve is 1.000, prevalence 0.500 ("
    )
    assert ", prevalence 0.750 (" in said["auprc|neural|label=A|pooled"]
    assert "prevalence" not in said["auroc|neural|all_queries|pooled"]
