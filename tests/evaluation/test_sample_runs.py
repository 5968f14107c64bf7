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
