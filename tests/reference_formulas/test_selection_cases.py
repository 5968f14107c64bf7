"""Selection, triage and multi-label metrics against hand arithmetic, with the public source of each case."""

from __future__ import annotations

from fractions import Fraction

import pytest

from reportgen.contracts import load_contract
from reportgen.reference import selection
from reportgen.reference.answers import Answer, decider_of, decides
from reportgen.reference.arithmetic import quantile
from reportgen.reference.classification import (
    DecisionCounts,
    OperatingPoint,
    f1,
    missed,
    predicted_positive,
    sensitivity,
)
from tests.reference.engines import reference_of_queries, reference_values
from tests.support.small_runs import MISSING, Asked, Recorded, in_order, run_of


def close(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


THREE = (
    Asked("q1", state="POS", k=2, candidates=in_order(1, 0, 0)),
    Asked("q2", state="UNCERTAIN", k=1, candidates=in_order(1, 1, 1, 1)),
    Asked("q3", state="NEG", k=2, candidates=in_order(1, 1)),
)
"""|G| = 1, hit 1; |G| = 4, hit 1; |G| = 2, blocked by its state."""


def test_a_blocked_query_counts_zero_in_macro_and_pooled_evidence_recall():
    # amazon-science/irgr#2, memray/seq2seq-keyphrase#23: (1 + 1/4 + 0)/3 and (1 + 1 + 0)/(1 + 4 + 2).
    values = reference_values(run_of(*THREE), load_contract())
    assert values["evidence_recall|s|positives_only|pooled"] == close((1 + 0.25 + 0) / 3)
    assert values["evidence_recall[pooled]|s|positives_only|pooled"] == close(2 / 7)


def test_where_nothing_decides_every_query_returns_its_selection():
    # q3 then finds both of its two: (1 + 1/4 + 1)/3 and (1 + 1 + 2)/7; K = 2, 1, 2.
    values = reference_values(run_of(*THREE), load_contract("field-standard", {"deployment_decider": "none"}))
    assert values["evidence_recall|s|positives_only|pooled"] == close(2.25 / 3)
    assert values["evidence_recall[pooled]|s|positives_only|pooled"] == close(4 / 7)
    assert values["avg_k[all]|s|all_queries|pooled"] == close(5 / 3)


def test_the_returned_set_of_a_blocked_query_has_size_zero():
    # K = 2, 1, 0: mean 1, median 1, P90 at h = 2 · .9 = 1.8, so 1 + .8 (2 − 1).
    run = run_of(*THREE)
    values = reference_values(run, load_contract())
    assert values["avg_k[all]|s|all_queries|pooled"] == 1
    assert values["median_k[all]|s|all_queries|pooled"] == 1
    assert values["p90_k[all]|s|all_queries|pooled"] == close(1.8)
    assert reference_of_queries(run, load_contract())["avg_k[all]|s|q3"] == 0


def test_a_system_cannot_return_what_it_did_not_retrieve():
    run = run_of(Asked("q", state="POS", k=3, candidates=[("a", 1, 2.0), ("b", 0, 1.0), ("c", 1, MISSING)]))
    values = reference_values(run, load_contract())
    assert values["avg_k[all]|s|all_queries|pooled"] == 2
    assert values["evidence_recall|s|positives_only|pooled"] == 0.5


def test_evidence_recall_is_of_positive_queries_and_k_of_all():
    negative = Asked("q4", state="POS", k=3, candidates=in_order(0, 0, 0))
    values = reference_values(run_of(*THREE, negative), load_contract())
    assert values["evidence_recall|s|positives_only|pooled"] == close(1.25 / 3)
    assert values["avg_k[all]|s|all_queries|pooled"] == close(6 / 4)
    assert "evidence_recall|s|all_queries|pooled" not in values


def test_no_relevant_candidate_leaves_pooled_evidence_recall_undefined():
    assert selection.pooled_evidence_recall([]) is None
    nothing_relevant = Answer(query="q", cluster=0, fold=0, label=None, y=1, state="POS", selected_k=2)
    assert selection.pooled_evidence_recall([selection.returned(nothing_relevant, decides("none", {}))]) is None


@pytest.mark.parametrize(
    ("answer", "decider", "expected"),
    [
        ({"state": "NEG", "p": 0.9, "threshold": 0.5}, "state_not_neg", False),
        ({"state": "UNCERTAIN", "p": 0.1, "threshold": 0.5}, "state_not_neg", True),
        ({"state": "UNCERTAIN"}, "state_pos", False),
        ({"state": "POS"}, "state_pos", True),
        ({"p": 0.9, "threshold": 0.5}, "state_not_neg", None),
        ({"p": 0.9}, "state_pos", None),
        ({"state": "UNCERTAIN", "p": 0.1, "threshold": 0.5}, "threshold:tune", False),
        ({"state": "NEG", "p": 0.5, "threshold": 0.5}, "threshold:tune", True),
        ({"p": 0.9}, "threshold:tune", None),
        ({"threshold": 0.5}, "threshold:tune", None),
        ({"p": 0.5, "threshold": 0.9}, "threshold:0.5", True),
        ({"p": 0.49, "threshold": 0.1}, "threshold:0.5", False),
        ({"state": "POS"}, "threshold:0.5", None),
        ({"p": 0.6}, "fpr_budget:0.05", True),
        ({"p": 0.59}, "fpr_budget:0.05", False),
        ({"p": 0.9, "fold": 1}, "fpr_budget:0.05", None),
        ({"state": "POS"}, "fpr_budget:0.05", None),
        ({"state": "NEG"}, "none", True),
    ],
)
def test_a_decider_reads_what_its_name_says_and_nothing_else(answer, decider, expected):
    points = {0: OperatingPoint(0.6, Fraction(1), Fraction(0)), 1: None}
    asked = Answer(**{"query": "q", "cluster": 0, "fold": 0, "label": None, "y": 1, **answer})
    assert decides(decider, points)(asked) is expected


def test_a_decider_without_a_formula_is_refused():
    with pytest.raises(ValueError, match="no reference formula for the decider 'majority'"):
        decides("majority", {})


@pytest.mark.parametrize(
    ("word", "states", "named", "expected"),
    [
        ("recorded", True, True, "state_not_neg"),
        ("recorded", False, True, "threshold:tune"),
        ("recorded", False, False, "threshold:0.5"),
        ("threshold:0.5", True, True, "threshold:0.5"),
        ("state_not_neg", False, True, "state_not_neg"),
    ],
)
def test_the_runs_own_decision_is_by_states_then_by_its_threshold_then_at_one_half(word, states, named, expected):
    assert decider_of(word, states=states, named=named) == expected


@pytest.mark.parametrize(
    ("values", "q", "expected"),
    [
        # Hyndman and Fan's rule 7: P90 of 1, 2, 3, 4 is at h = 3 · .9 = 2.7, so 3 + .7 (4 − 3).
        ([4, 2, 1, 3], Fraction(9, 10), Fraction(37, 10)),
        ([4, 2, 1, 3], Fraction(1, 2), Fraction(5, 2)),
        ([7], Fraction(9, 10), Fraction(7)),
        ([], Fraction(1, 2), None),
    ],
)
def test_quantiles_interpolate_linearly(values, q, expected):
    assert quantile(values, q) == expected


def test_an_alert_is_a_query_in_state_pos():
    # Two of three alerts are right; 3 alerts among 4 queries are 750 per 1,000.
    rows = [("POS", 1), ("POS", 1), ("POS", 0), ("NEG", 0)]
    run = run_of(*(Asked(f"q{i}", y=y, state=state) for i, (state, y) in enumerate(rows)))
    values = reference_values(run, load_contract())
    assert values["alert_precision|s|all_queries|pooled"] == close(2 / 3)
    assert values["alert_rate|s|all_queries|pooled"] == 750


def test_alert_precision_without_alerts_is_undefined_and_the_rate_zero():
    values = reference_values(run_of(Asked("q", y=1, state="NEG")), load_contract())
    assert values["alert_precision|s|all_queries|pooled"] is None
    assert values["alert_rate|s|all_queries|pooled"] == 0


@pytest.mark.parametrize(("n_missed", "per_1000", "kept"), [(73, 4.942, 0.947063), (6, 0.406, 0.995649)])
def test_missed_queries_per_thousand_and_sensitivity_have_different_denominators(n_missed, per_1000, kept):
    # 1,379 positives among 14,770 queries: at most 5 per 1,000 is not a sensitivity of at least 99.5 %.
    counts = DecisionCounts(tp=1379 - n_missed, fp=0, fn=n_missed, tn=14_770 - 1379)
    assert float(missed(counts, per=1000)) == pytest.approx(per_1000, abs=5e-4)
    assert float(sensitivity(counts)) == pytest.approx(kept, abs=5e-7)


def test_decisions_on_nothing_are_undefined():
    nothing = DecisionCounts.count([])
    assert predicted_positive(nothing) is missed(nothing) is sensitivity(nothing) is None


def test_f1_of_a_label_never_predicted_and_never_true_is_left_out_of_the_macro_mean():
    # TUT-ARG/sed_eval#14, scikit-learn/scikit-learn#31052: A 50/67, C 0, B undefined; mean (50/67 + 0)/2.
    assert f1(DecisionCounts(tp=25, fp=5, fn=12, tn=0)) == Fraction(50, 67)
    assert f1(DecisionCounts(tp=0, fp=0, fn=33, tn=0)) == 0
    assert f1(DecisionCounts(tp=0, fp=0, fn=0, tn=9)) is None
    labels = [DecisionCounts(25, 5, 12, 0), DecisionCounts(0, 0, 0, 9), DecisionCounts(0, 0, 33, 0)]
    assert selection.macro_f1(labels) == Fraction(25, 67)
    assert selection.macro_f1(labels, "zero") == Fraction(50, 67) / 3
    assert selection.macro_f1(labels[1:2]) is None


def multilabel_run():
    """Y = [[1,1],[0,0],[1,0]]; at the run's threshold .3 [[1,0],[0,0],[1,0]], at .5 one fewer, by states all."""
    rows = [("c1", "A", 1, 0.6), ("c1", "B", 1, 0.2), ("c2", "A", 0, 0.1), ("c2", "B", 0, 0.2), ("c3", "A", 1, 0.4),
            ("c3", "B", 0, 0.2)]  # fmt: skip
    return run_of(
        *(Asked(f"{cluster}.{label}", y=y, p=p, cluster=cluster, label=label, state="UNCERTAIN")
          for cluster, label, y, p in rows),
        recorded=Recorded({"tau": [0.3]}, decision="tau"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("decider", "macro", "exact"),
    [
        # scikit-learn/scikit-learn#26713, Lightning-AI/torchmetrics#1853, fcharte/utiml#17: A 1, B 0; clusters c2, c3.
        ("recorded", 1 / 2, 2 / 3),
        ("threshold:tune", 1 / 2, 2 / 3),
        # p = .4 is not called positive: A has TP 1 and FN 1, 2/3; only c2 is right.
        ("threshold:0.5", (2 / 3 + 0) / 2, 1 / 3),
        # All six are called positive: A has TP 2 and FP 1, 4/5, B TP 1 and FP 2, 1/2; only c1 is right.
        ("state_not_neg", (4 / 5 + 1 / 2) / 2, 1 / 3),
        # None is: both F1 are 0; only c2 is right.
        ("state_pos", 0, 1 / 3),
    ],
)
def test_macro_f1_is_over_labels_and_exact_match_over_clusters_of_the_deciders_decisions(decider, macro, exact):
    values = reference_values(multilabel_run(), load_contract("field-standard", {"multilabel_decider": decider}))
    assert values["f1[macro:label]|s|all_queries|pooled"] == close(macro)
    assert values["exact_match|s|all_queries|pooled"] == close(exact)


def test_exact_match_of_no_clusters_is_undefined():
    assert selection.exact_match([]) is None
