"""What the evaluation says about returned sets and grades, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.evaluation.checks import k_limits
from tests.support.small_runs import Asked, in_order, run_of

AUDIT = {"k_min": 2, "k_hard_cap": 10, "k_max_ratio": 0.5}


def checks(run, code, contract=None, **conventions):
    contract = contract or load_contract(overrides={"resamples": 0, **conventions})
    return [check for check in evaluate(run, contract, command="test").results.checks if check.code == code]


@pytest.mark.parametrize(
    ("n", "limits", "contradictory"),
    # floor(n / 2) is 0 for n = 1 and 1 for n = 2, 3: less than k_min. At 20 it meets the cap, at 30 the cap rules.
    [(1, (1, 1), True), (2, (1, 1), True), (3, (1, 1), True), (4, (2, 2), False), (20, (2, 10), False),
     (30, (2, 10), False)],
)  # fmt: skip
def test_the_limits_of_k_contradict_each_other_for_up_to_three_candidates(n, limits, contradictory):
    few, most, against = k_limits(load_contract(overrides=AUDIT), np.array([n]))
    assert (few[0], most[0]) == limits
    assert against[0] == contradictory


def test_a_ratio_is_read_as_the_decimal_it_is_written_as():
    # 0.29 · 100 is a little below 29 in floating point.
    _, most, _ = k_limits(load_contract(overrides={**AUDIT, "k_hard_cap": 0, "k_max_ratio": 0.29}), np.array([100]))
    assert most[0] == 29


def test_violations_of_the_limits_of_k_are_counted_and_not_enforced():
    run = run_of(
        Asked("fewer", state="POS", k=1, candidates=in_order(1, 0, 0, 0, 0, 0)),
        Asked("more", state="POS", k=4, candidates=in_order(1, 0, 0, 0, 0, 0)),
        Asked("right", state="POS", k=1, candidates=in_order(1, 0)),
        Asked("blocked", state="NEG", k=6, candidates=in_order(1, 0, 0, 0, 0, 0)),
    )
    [check] = checks(run, "RG247", **AUDIT)
    assert check.status == "failed"
    assert "Of 3 queries that pass, 1 get fewer and 1 get more" in check.message
    assert "contradict each other for 1;" in check.message
    assert checks(run, "RG247") == []


@pytest.mark.parametrize(("k", "status"), [(1, "passed"), (0, "failed")])
def test_the_deployment_is_what_its_decider_says_only_if_nobody_passes_for_nothing(k, status):
    run = run_of(
        Asked("q1", state="POS", k=k, candidates=in_order(1)), Asked("q2", state="NEG", k=0, candidates=in_order(0))
    )
    [check] = checks(run, "RG248")
    assert check.status == status
    assert ("1 query passes (state not NEG) and gets nothing (1 of them positive)" in check.message) == (k == 0)
    assert ("(state not NEG) and the deployment itself (anything returned) decide alike" in check.message) == (k == 1)


def test_graded_relevance_is_said_and_a_warning_where_the_contract_was_silent_on_its_gain():
    graded = run_of(Asked("q", candidates=in_order(2, 1, 0)))
    assert [check.severity for check in checks(graded, "RG246")] == ["note"]
    silent = replace(load_contract(overrides={"resamples": 0}), silent=("ndcg_gain",))
    assert [check.severity for check in checks(graded, "RG246", silent)] == ["warning"]
    assert checks(run_of(Asked("q", candidates=in_order(1, 0))), "RG246", silent) == []


def test_the_distribution_of_k_is_given_by_truth_state_and_label():
    run = run_of(
        Asked("q1", state="POS", k=2, candidates=in_order(1, 0), label="A"),
        Asked("q2", state="NEG", k=2, candidates=in_order(0, 0), label="B"),
        Asked("q3", state="UNCERTAIN", k=1, candidates=in_order(0, 0), label="B"),
    )
    results = evaluate(run, load_contract(overrides={"resamples": 0}), command="test").results
    found = {item.by: item.counts for item in results.distributions if item.kind == "selected_k"}
    assert found == {
        "": (1, 1, 1),
        "y=0": (1, 1, 0),
        "y=1": (0, 0, 1),
        "state=NEG": (1, 0, 0),
        "state=UNCERTAIN": (0, 1, 0),
        "state=POS": (0, 0, 1),
        "label=A": (0, 0, 1),
        "label=B": (1, 1, 0),
    }
