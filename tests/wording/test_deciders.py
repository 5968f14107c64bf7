"""What decides, in the words of names and sentences."""

from __future__ import annotations

import pytest

from reportgen.wording.deciders import decided_clause, decider_name


@pytest.mark.parametrize(
    ("decider", "name", "clause"),
    [
        ("threshold:tune", "TUNE threshold", "decided at the TUNE threshold"),
        ("threshold:0.5", "threshold 0.5", "decided at threshold 0.5"),
        ("fpr_budget:0.05", "FPR ≤ 5% on TUNE", "decided at the threshold of FPR ≤ 5% on TUNE"),
        ("state_not_neg", "state not NEG", "decided by state not NEG"),
        ("state_pos", "state POS", "decided by state POS"),
        ("none", "", ""),
    ],
)
def test_a_decider_is_named_behind_a_metric_and_in_a_clause(decider, name, clause):
    assert decider_name(decider) == name
    assert decided_clause(decider) == clause
