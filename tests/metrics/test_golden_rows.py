"""One small run per family, its values by hand arithmetic, for both implementations.

The rows are next to the run, so that each number can be checked with a pencil.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.metrics.registry import entries
from tests.reference.engines import ENGINES, compute
from tests.support.small_runs import MISSING, Asked, in_order, run_of

LOG2_3 = math.log2(3)
every_engine = pytest.mark.parametrize("engine", ENGINES)


def value_of(engine, run, metric, subset="all_queries", populations=None, **conventions):
    contract = load_contract("field-standard", {"resamples": 0, **conventions})
    contract = replace(
        contract, metrics=(metric,), headline=(metric,), primary=(), targets=(),
        populations={**contract.populations, **(populations or {})},
    )  # fmt: skip
    return compute(engine, run, contract).value(metric, "s", subset)


def close(expected):
    return None if expected is None else pytest.approx(float(expected), abs=1e-9)


RANKED = run_of(
    # R = 3, ranked relevant, not, relevant; one relevant not ranked.
    Asked("q1", label="A", candidates=[("a", 1, 4.0), ("b", 0, 3.0), ("c", 1, 2.0), ("d", 1, MISSING)]),
    # R = 1 at rank 2 of 2.
    Asked("q2", label="A", candidates=[("a", 0, 2.0), ("b", 1, 1.0)]),
    # R = 1, not ranked: a list of one.
    Asked("q3", label="B", candidates=[("a", 0, 2.0), ("b", 1, MISSING)]),
    # Nothing relevant.
    Asked("q4", label="B", candidates=in_order(0, 0, 0)),
)
DCG_1 = 1 + 1 / 2
"""q1: gains at ranks 1 and 3, discounts 1 and 1 / log2(4)."""
IDEAL_3 = 1 + 1 / LOG2_3 + 1 / 2
RANKING_ROWS = {
    "ndcg": (DCG_1 / IDEAL_3 + 1 / LOG2_3 + 0) / 3,
    "rprec": (Fraction(2, 3) + 0 + 0) / 3,
    "coverage": Fraction(3, 5),
    "recall@all": (Fraction(2, 3) + 1 + 0) / 3,
    "hit@all": Fraction(2, 3),
    "precision@all": (Fraction(2, 3) + Fraction(1, 2) + 0) / 3,
    "precision[max]@1": 1,
    "precision[max]@5": (Fraction(3, 5) + Fraction(1, 5) + Fraction(1, 5)) / 3,
    "short_list@3": Fraction(2, 3),
    "short_list@1": 0,
    # q3 ranks nothing relevant: left out. q1 has 1 of 2 in the top 1, q2 0 of 1.
    "conditional_recall@1": Fraction(1, 4),
    # First relevant ranks 1, 2 and none: the middle one of three.
    "median_rank": 2,
    # q1: nothing above a, the one non-relevant b above c, d not ranked; q2 has a above b.
    "bpref": (Fraction(1, 3) + 0 + 0) / 3,
    # Weights 1/2, 1/4, 1/8 of the first three ranks; half of what a list has reached is left beyond its end.
    "rbp@p=0.5": (Fraction(5, 8) + Fraction(1, 4) + 0) / 3,
    "rbp[residual]@p=0.5": (Fraction(1, 8) + Fraction(1, 4) + Fraction(1, 2)) / 3,
    # Binary grades: a reader stops at each relevant candidate with probability 1/2; q1 at ranks 1 and 3, q2 at 2.
    "err@3": (Fraction(1, 2) + Fraction(1, 2) * Fraction(1, 2) / 3 + Fraction(1, 2) / 2 + 0) / 3,
    "err@1": Fraction(1, 2) / 3,
    # A depth that only this metric is asked for.
    "recall@2": (Fraction(1, 3) + 1 + 0) / 3,
    # Labels: A has 2/3 and 1, B has 0.
    "recall[macro:label]@3": (Fraction(5, 6) + 0) / 2,
    "mrr[macro:label]": (Fraction(3, 4) + 0) / 2,
    "map[macro:label]@3": ((Fraction(1) + Fraction(2, 3)) / 3 / 2 + Fraction(1, 4)) / 2,
}


@every_engine
@pytest.mark.parametrize(("metric", "expected"), RANKING_ROWS.items(), ids=RANKING_ROWS)
def test_ranking_and_coverage(engine, metric, expected):
    assert value_of(engine, RANKED, metric, "positives_only") == close(expected)


@every_engine
def test_the_prevalence_of_candidates_is_over_those_of_all_queries(engine):
    # 3 of 4, 1 of 2, 1 of 2 and none of 3, retrieved or not.
    assert value_of(engine, RANKED, "prevalence[candidate]") == close(Fraction(5, 11))


@every_engine
def test_the_attainable_precision_has_the_denominator_of_precision(engine):
    # K_eff = 3, 2, 1 of K = 5: min(3, 3)/3, min(1, 2)/2, min(1, 1)/1.
    value = value_of(engine, RANKED, "precision[max]@5", "positives_only", precision_denominator="K_eff")
    assert value == close((1 + Fraction(1, 2) + 1) / 3)


@every_engine
def test_the_median_rank_is_undefined_where_most_queries_find_nothing(engine):
    lost = [Asked(f"l{i}", candidates=[("a", 1, MISSING), ("b", 0, 1.0)]) for i in range(2)]
    assert value_of(engine, run_of(*lost, Asked("q", candidates=in_order(1))), "median_rank", "positives_only") is None
    found = [Asked(f"f{i}", candidates=in_order(0, 1)) for i in range(3)]
    assert value_of(engine, run_of(*lost, *found), "median_rank", "positives_only") == 2


JUDGED = replace(
    RANKED, candidates=replace(RANKED.candidates, judged=np.array([1, 0, 1, 1, 0, 1, 1, 1, 1, 1, 0], dtype=bool))
)
"""b of q1 (rank 2) and a of q2 (rank 1) unjudged; q4 does not count among positives."""


@every_engine
@pytest.mark.parametrize(("k", "expected"), [(1, Fraction(2, 3)), (3, (Fraction(2, 3) + Fraction(1, 2) + 1) / 3)])
def test_judged_is_the_share_of_the_top_that_somebody_judged(engine, k, expected):
    assert value_of(engine, JUDGED, f"judged@{k}", "positives_only") == close(expected)


@every_engine
def test_unjudged_candidates_play_no_part_in_bpref_and_are_the_residual_of_rank_biased_precision(engine):
    # q1 has nothing judged non-relevant above a and c, q2 nothing above b; q3 ranks nothing relevant.
    assert value_of(engine, JUDGED, "bpref", "positives_only") == close((Fraction(2, 3) + 1 + 0) / 3)
    # Ranks 2 and beyond 3; 1 and beyond 2; beyond 1.
    residuals = (Fraction(1, 4) + Fraction(1, 8), Fraction(1, 2) + Fraction(1, 4), Fraction(1, 2))
    assert value_of(engine, JUDGED, "rbp[residual]@p=0.5", "positives_only") == close(sum(residuals) / 3)


@every_engine
def test_fractional_grades_are_gains(engine):
    # Ranking of grades 1/2, 1: the exponential gain of 1/2 is 2^(1/2) - 1, and 1 is the highest grade.
    run, half = run_of(Asked("q", candidates=in_order(0.5, 1))), math.sqrt(2) - 1
    assert value_of(engine, run, "ndcg@10", "positives_only") == close((0.5 + 1 / LOG2_3) / (1 + 0.5 / LOG2_3))
    exponential = (half + 1 / LOG2_3) / (1 + half / LOG2_3)
    assert value_of(engine, run, "ndcg@10", "positives_only", ndcg_gain="exp2") == close(exponential)
    assert value_of(engine, run, "err@10", "positives_only") == close(half / 2 + (1 - half / 2) / 2 / 2)
    assert value_of(engine, run, "recall@1", "positives_only") == 0.5


@every_engine
def test_unjudged_candidates_count_as_not_relevant_or_are_taken_out(engine):
    # Without them q1 ranks two relevant ones first and q2 its relevant one.
    assert value_of(engine, JUDGED, "mrr", "positives_only") == close((1 + Fraction(1, 2) + 0) / 3)
    assert value_of(engine, JUDGED, "mrr", "positives_only", unjudged="judged_only") == close(Fraction(2, 3))
    assert value_of(engine, JUDGED, "rprec", "positives_only", unjudged="judged_only") == close(
        (Fraction(2, 3) + 1 + 0) / 3
    )


MISSED = run_of(Asked("q1", candidates=in_order(1)), Asked("q2", candidates=[("b", 1, MISSING)]))


@every_engine
@pytest.mark.parametrize(("policy", "expected"), [("zero", 0.5), ("exclude", 1.0)])
def test_a_query_for_which_nothing_is_ranked_is_zero_or_left_out(engine, policy, expected):
    # cvangysel/pytrec_eval#30, AmenRa/ranx#39: the mean over judged queries, unless the other is asked for by name.
    assert value_of(engine, MISSED, "map", "positives_only", missing_query=policy) == close(expected)


@every_engine
@pytest.mark.parametrize(
    ("policy", "expected"), [("exclude", 1), ("zero", Fraction(1, 3)), ("credit_if_empty", Fraction(2, 3))]
)
def test_an_empty_gold_set_is_left_out_or_zero_or_credited_if_nothing_is_ranked(engine, policy, expected):
    run = run_of(
        Asked("q1", candidates=in_order(1)),
        Asked("q2", candidates=in_order(0, 0)),
        Asked("q3", candidates=[("a", 0, MISSING)]),
    )
    assert value_of(engine, run, "recall@3", empty_gold_all_queries=policy) == close(expected)


TIED = run_of(Asked("q", candidates=[("d1", 0, 1.0), ("d2", 0, 1.0), ("d3", 1, 1.0)]))
TIE_ROWS = [
    ("docno_desc", "mrr", 1),
    ("docno_desc", "ndcg", 1),
    ("input_order", "mrr", Fraction(1, 3)),
    ("input_order", "ndcg", 1 / 2),
    ("expected", "mrr", Fraction(11, 18)),
    ("expected", "ndcg", (1 + 1 / LOG2_3 + 1 / 2) / 3),
    ("expected", "recall@1", Fraction(1, 3)),
    ("expected", "hit@1", Fraction(1, 3)),
    ("expected", "median_rank", 2),
    ("optimistic", "mrr", 1),
    ("pessimistic", "mrr", Fraction(1, 3)),
]


@every_engine
@pytest.mark.parametrize(("ties", "metric", "expected"), TIE_ROWS)
def test_three_tied_candidates_of_which_the_last_is_relevant(engine, ties, metric, expected):
    # usnistgov/trec_eval#22, cvangysel/pytrec_eval#56, beir-cellar/beir#105; means over orders by McSherry and Najork.
    assert value_of(engine, TIED, metric, "positives_only", ties=ties) == close(expected)


@every_engine
@pytest.mark.parametrize(
    ("denominator", "expected"),
    # Two of three tied are relevant, cut at 2. Orders 110: P@1 + P@2 = 2; 101: 1; 011: 1/2.
    [("R", (1 + Fraction(1, 2) + Fraction(1, 4)) / 3), ("hits", (1 + 1 + Fraction(1, 2)) / 3)],
)
def test_average_precision_over_all_orders_of_a_tie_that_the_cut_divides(engine, denominator, expected):
    run = run_of(Asked("q", candidates=[("a", 1, 1.0), ("b", 1, 1.0), ("c", 0, 1.0)]))
    contract = replace(
        load_contract("field-standard", {"resamples": 0, "ties": "expected", "ap_denominator": denominator}),
        cutoffs=(2,),
    )
    assert compute(engine, run, contract).value("map@2", "s", "positives_only") == close(expected)


SELECTED = run_of(
    Asked("q1", state="POS", k=2, candidates=in_order(1, 0, 0), cluster="c1", label="A"),
    Asked("q2", state="UNCERTAIN", k=1, candidates=in_order(1, 1, 1, 1), cluster="c1", label="B"),
    Asked("q3", state="NEG", k=2, candidates=in_order(1, 1), cluster="c2", label="A"),
    Asked("q4", state="POS", k=4, candidates=in_order(0, 0, 0, 0), cluster="c2", label="B"),
    Asked("q5", state="NEG", k=3, candidates=in_order(0, 0, 0), cluster="c3", label="A"),
    Asked("q6", state="POS", k=0, candidates=in_order(0, 1), cluster="c3", label="B"),
)
"""Returned K 2, 1, 0, 4, 0, 0; hits 1, 1, 0, 0, 0, 0; gold 1, 4, 2, 0, 0, 1."""
SELECTION_ROWS = {
    "evidence_recall": (1 + Fraction(1, 4) + 0 + 0) / 4,
    "evidence_recall[pooled]": Fraction(2, 8),
    "evidence_recall[conditional]": (1 + Fraction(1, 4) + 0) / 3,
    "evidence_recall[conditional:pooled]": Fraction(2, 6),
    "evidence_precision": (Fraction(1, 2) + 1) / 2,
    "evidence_precision[pooled]": Fraction(2, 3),
    "evidence_precision[conditional]": (Fraction(1, 2) + 1) / 2,
}
DECISION_ROWS = {
    "avg_k[all]": Fraction(7, 6),
    "avg_k[pred_pos]": Fraction(7, 4),
    "avg_k[gold_pos]": Fraction(3, 4),
    # Sorted 0, 0, 0, 1, 2, 4: h = 2.5, 1.25, 3.75, 4.5.
    "median_k[all]": Fraction(1, 2),
    "p25_k[all]": 0,
    "p75_k[all]": 1 + Fraction(3, 4),
    "p90_k[all]": 3,
    "min_k[all]": 0,
    "max_k[all]": 4,
    # Squares 4 + 1 + 16 = 21, less 49/6, over 5.
    "sd_k[all]": math.sqrt((21 - 49 / 6) / 5),
    "tp[deployment]": 2,
    "fp[deployment]": 1,
    "fn[deployment]": 2,
    "tn[deployment]": 1,
    "precision[deployment]": Fraction(2, 3),
    "recall[deployment]": Fraction(1, 2),
    "f1[deployment]": Fraction(4, 7),
    "fpr[deployment]": Fraction(1, 2),
    "fnr[deployment]": Fraction(1, 2),
    "state_rate[neg]": Fraction(2, 6),
    "state_rate[uncertain]": Fraction(1, 6),
    "state_rate[pos]": Fraction(3, 6),
    "alert_precision": Fraction(2, 3),
    "alert_recall": Fraction(2, 4),
    "alert_rate": 500,
    "screening_sensitivity": Fraction(3, 4),
    "screening_fn": Fraction(1000, 6),
    "miss_rate": Fraction(1, 4),
    # Decisions 11, 01, 01 against truth 11, 10, 01.
    "f1[micro]": Fraction(6, 8),
    # A: TP 1, FN 1: 2/3. B: TP 2, FP 1: 4/5. Two positives each.
    "f1[macro:label]": (Fraction(2, 3) + Fraction(4, 5)) / 2,
    "f1[weighted:label]": (Fraction(2, 3) + Fraction(4, 5)) / 2,
    # c1: 1, c2: 0, c3: 1; positives 2, 1, 1.
    "f1[samples]": Fraction(2, 3),
    "f1[weighted:cluster]": Fraction(3, 4),
    "exact_match": Fraction(2, 3),
    "hamming_accuracy": Fraction(2, 3),
    "hamming_loss": Fraction(1, 3),
}


@every_engine
@pytest.mark.parametrize(("metric", "expected"), SELECTION_ROWS.items(), ids=SELECTION_ROWS)
def test_evidence_recall_and_precision(engine, metric, expected):
    assert value_of(engine, SELECTED, metric, "positives_only") == close(expected)


@every_engine
@pytest.mark.parametrize(("metric", "expected"), DECISION_ROWS.items(), ids=DECISION_ROWS)
def test_workload_deployment_triage_and_labels(engine, metric, expected):
    assert value_of(engine, SELECTED, metric, multilabel_decider="state_not_neg") == close(expected)


@every_engine
@pytest.mark.parametrize(
    ("policy", "positives", "everything"),
    # Precisions 1/2, 1, –, 0 (q4 returns four of no gold), – (q5 empty and nothing to find), – (q6).
    [
        ("undefined", Fraction(3, 4), Fraction(1, 2)),
        ("zero", Fraction(3, 8), Fraction(1, 4)),
        ("credit_if_empty", Fraction(3, 8), Fraction(5, 12)),
    ],
)
def test_the_precision_of_an_empty_selection_is_a_policy(engine, policy, positives, everything):
    both = {"selection": ("positives_only", "all_queries")}
    for subset, expected in (("positives_only", positives), ("all_queries", everything)):
        value = value_of(engine, SELECTED, "evidence_precision", subset, both, empty_selection=policy)
        assert value == close(expected)


@every_engine
@pytest.mark.parametrize(("policy", "expected"), [("exclude", 0.5), ("zero", 0.05), ("credit_if_empty", 0.95)])
def test_evidence_recall_of_all_queries_may_credit_returning_nothing_where_nothing_is_to_find(engine, policy, expected):
    # One positive query with recall 1/2 and nine without gold for which nothing is returned.
    rows = [Asked(f"n{i}", state="NEG", k=2, candidates=in_order(0, 0)) for i in range(9)]
    run = run_of(Asked("p", state="POS", k=1, candidates=in_order(1, 1)), *rows)
    both = {"selection": ("positives_only", "all_queries")}
    value = value_of(engine, run, "evidence_recall", "all_queries", both, empty_gold_selection=policy)
    assert value == close(expected)


def label_run(truth, predicted):
    """Clusters × labels as 0/1, decided by state."""
    return run_of(
        *(
            Asked(f"{c}.{label}", y=y, state=("NEG", "POS")[predicted[c][label]], cluster=f"c{c}", label=f"L{label}")
            for c, row in enumerate(truth)
            for label, y in enumerate(row)
        )
    )  # fmt: skip


AVERAGES = {
    "f1[micro]": Fraction(4, 5),
    "f1[macro:label]": Fraction(1, 2),
    "f1[weighted:label]": Fraction(2, 3),
    "f1[samples:zero]": Fraction(5, 9),
    "f1[samples:one]": Fraction(8, 9),
    "f1[samples]": Fraction(5, 6),
    # c0 has F1 2/3 and two positive labels, c2 F1 1 and one.
    "f1[weighted:cluster]": (2 * Fraction(2, 3) + 1) / 3,
    "exact_match": Fraction(2, 3),
    "hamming_accuracy": Fraction(5, 6),
    "hamming_loss": Fraction(1, 6),
}


@every_engine
@pytest.mark.parametrize(("metric", "expected"), AVERAGES.items(), ids=AVERAGES)
def test_averages_of_f1_differ_and_each_has_its_own_name(engine, metric, expected):
    # scikit-learn/scikit-learn#26713, Lightning-AI/torchmetrics#1853, fcharte/utiml#17.
    run = label_run([[1, 1], [0, 0], [1, 0]], [[1, 0], [0, 0], [1, 0]])
    assert value_of(engine, run, metric, multilabel_decider="state_not_neg") == close(expected)


@every_engine
@pytest.mark.parametrize(("missed", "per_1000", "sensitivity"), [(73, 4.942, 0.947063), (6, 0.406, 0.995649)])
def test_five_missed_per_thousand_queries_are_not_a_sensitivity_of_99_5_percent(engine, missed, per_1000, sensitivity):
    # 1,379 positives among 14,770 queries: the two limits differ by a factor of ten.
    states = [(1, "NEG")] * missed + [(1, "UNCERTAIN")] * (1379 - missed) + [(0, "NEG")] * (14_770 - 1379)
    run = run_of(*(Asked(f"q{i}", y=y, state=state) for i, (y, state) in enumerate(states)))
    assert value_of(engine, run, "screening_fn") == pytest.approx(per_1000, abs=5e-4)
    assert value_of(engine, run, "screening_sensitivity") == pytest.approx(sensitivity, abs=5e-7)
    assert value_of(engine, run, "miss_rate") == pytest.approx(1 - sensitivity, abs=5e-7)


def test_every_entry_of_these_families_has_a_golden_row():
    mine = {"coverage", "selection", "workload", "deployment", "triage", "multilabel"}
    rows = {
        name.partition("@")[0] for table in (RANKING_ROWS, SELECTION_ROWS, DECISION_ROWS, AVERAGES) for name in table
    }
    declared = {f"{m.name}[{m.variant}]" if m.variant else m.name for m in entries() if m.family in mine}
    # Judged@K has a run and a test of its own.
    assert declared - rows == {"judged"}
