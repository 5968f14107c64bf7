"""The shipped runs under every contract: an interval that does not hold its value is none."""

from __future__ import annotations

import pytest

from reportgen.contracts import contract_ids, load_contract
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from tests.reference.engines import SAMPLE_RUNS

NOT_COMPUTED = {
    "dual-protocol": "evidence_recall",
    "end-to-end": "evidence_recall",
    "paper": "auroc, evidence_recall",
}
"""What of ndcg@10, auroc and evidence_recall, the family of digits_pages, each contract's document does not ask for."""


@pytest.mark.slow
@pytest.mark.parametrize("contract", contract_ids())
@pytest.mark.parametrize("name", ["tiny", "digits_pages"])
def test_systems_are_compared_and_no_value_or_difference_lies_outside_its_interval(name, contract):
    run = read_run(SAMPLE_RUNS / name)
    results = evaluate(run, load_contract(contract, {"resamples": 50}), command="test").results
    assert results.comparisons
    messages = [check.message for check in results.checks if check.code == "RG320"]
    missed = [NOT_COMPUTED[contract]] if name == "digits_pages" and contract in NOT_COMPUTED else []
    assert len(messages) == len(missed)
    assert all(f"{contract} does not compute {one}, which" in messages[0] for one in missed)
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
