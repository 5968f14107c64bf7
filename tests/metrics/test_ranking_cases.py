"""Public bug reports of other tools as cases for the fast implementation; the reference has its own file."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.contracts import load_contract
from reportgen.metrics import ranking
from reportgen.metrics.frames import prepare
from reportgen.metrics.rankings import rank_candidates
from reportgen.reference import ranking as reference
from reportgen.reference.answers import read_answers
from tests.support.small_runs import MISSING, Asked, in_order, run_of

LOG2_3 = math.log2(3)
VALUES = {
    "ndcg": ranking.ndcg,
    "recall": ranking.recall,
    "precision": ranking.precision,
    "hit": ranking.hit,
    "map": ranking.average_precision,
    "mrr": ranking.reciprocal_rank,
    "rprec": ranking.r_precision,
}
WITHOUT_IDEAL = {
    "bpref": ranking.bpref,
    "rbp": lambda rankings, k, contract: ranking.rank_biased_precision(rankings, 0.8, contract),
    "err": ranking.expected_reciprocal_rank,
}
"""Metrics that a perfect ranking need not take to 1."""
EVERY = VALUES | WITHOUT_IDEAL


@cache
def under(conventions):
    """The field-standard contract with some conventions changed."""
    return load_contract("field-standard", dict(conventions))


def per_query(name, run, k=math.inf, **conventions):
    """(n_queries,) values of a ranking metric."""
    contract = under(tuple(sorted(conventions.items())))
    return EVERY[name](
        rank_candidates(run.candidates, run.systems[0].retrieved, len(run.queries), contract), float(k), contract
    )


def one(name, candidates, k=math.inf, **conventions):
    return per_query(name, run_of(Asked("q", candidates=candidates)), k, **conventions)[0]


def close(expected):
    return pytest.approx(float(expected), abs=1e-12)


AXYBZ = [*in_order(1, 0, 0, 1, 0), ("lost", 1, MISSING)]


@pytest.mark.parametrize(
    ("rule", "at_2", "at_5"),
    [("R", Fraction(1, 3), Fraction(1, 2)), ("min_R_K", Fraction(1, 2), Fraction(1, 2)), ("hits", 1, Fraction(3, 4))],
)
def test_the_denominator_of_average_precision(rule, at_2, at_5):
    # pyg-team/pytorch_geometric#9989, thuml/HashNet#25, opensearch-project/search-relevance#39.
    assert one("map", AXYBZ, 2, ap_denominator=rule) == close(at_2)
    assert one("map", AXYBZ, 5, ap_denominator=rule) == close(at_5)


@pytest.mark.parametrize(("ties", "expected"), [("docno_desc", 1), ("expected", Fraction(11, 18))])
def test_these_tie_rules_do_not_see_the_order_of_rows(ties, expected):
    # AmenRa/ranx gives 1/3 or 1 for these three rows, by the order of a dictionary.
    rows = [("d1", 0, 1.0), ("d2", 0, 1.0), ("d3", 1, 1.0)]
    for order in itertools.permutations(rows):
        assert one("mrr", order, ties=ties) == close(expected)


def test_cut_offs_beyond_the_list():
    # Lightning-AI/torchmetrics#886, lyst/lightfm#324: three candidates, all relevant, K = 10.
    rows = in_order(1, 1, 1)
    assert one("precision", rows, 10) == close(Fraction(3, 10))
    assert one("precision", rows, 10, precision_denominator="K_eff") == 1
    assert [one(name, rows, 10) for name in ("recall", "ndcg", "map", "rprec")] == [1, 1, 1, 1]


def test_the_ideal_ranking_holds_what_was_not_retrieved():
    # spiceai/spiceai#12277, o19s/search-metrics#3.
    rows = [("a", 1, 1.0), ("b", 1, MISSING)]
    assert one("ndcg", rows, 10) == one("ndcg", rows) == close(1 / (1 + 1 / LOG2_3))


def test_a_query_without_relevant_candidates_has_no_value():
    # scikit-learn/scikit-learn#29521.
    run = run_of(Asked("q1", candidates=in_order(1, 1)), Asked("q2", candidates=in_order(0, 0)))
    for name in VALUES:
        values = per_query(name, run, 2)
        assert values[0] == close(1)
        assert np.isnan(values[1])


def test_gain_of_graded_relevance():
    # castorini/anserini#92, Georgetown-IR-Lab/OpenNIR#14: ranking a (grade 1), b (grade 2).
    rows = in_order(1, 2)
    assert one("ndcg", rows, 2) == close((1 + 2 / LOG2_3) / (2 + 1 / LOG2_3))
    assert one("ndcg", rows, 2, ndcg_gain="exp2") == close((1 + 3 / LOG2_3) / (3 + 1 / LOG2_3))


@pytest.mark.parametrize("high", [60, 1023, 1024, 1100, 2**53])
@pytest.mark.parametrize("ties", ["input_order", "expected"])
def test_a_gain_beyond_every_float_counts_beside_others(high, ties):
    # Grades 1 and h, and h twice: beside 2^h - 1 a gain of 1 is nothing, so that the place of h alone counts.
    run = run_of(Asked("q1", candidates=in_order(1, high)), Asked("q2", candidates=in_order(high, 0, high)))
    expected = [close(1 / LOG2_3), close((1 + 1 / 2) / (1 + 1 / LOG2_3))]
    assert per_query("ndcg", run, 10, ndcg_gain="exp2", ties=ties).tolist() == expected
    answers = read_answers(run, run.systems[0], ties)
    assert [reference.ndcg(answer.ranking, 10, "exp2") for answer in answers] == expected


def test_at_rank_one_only_recall_and_average_precision_over_R_see_the_second_relevant_candidate():
    # AmenRa/ranx#30.
    rows = [("a", 1, 2.0), ("x", 0, 1.0), ("b", 1, MISSING)]
    assert [one(name, rows, 1) for name in ("mrr", "hit", "precision", "ndcg", "map")] == [1, 1, 1, 1, 1]
    assert one("recall", rows, 1) == one("map", rows, 1, ap_denominator="R") == close(0.5)


def test_a_candidate_without_score_is_not_retrieved_in_any_order_of_rows():
    # amiable-dev/llm-council#679, UKGovernmentBEIS/inspect_ai#1771.
    for order in itertools.permutations([("a", 1, MISSING), ("b", 0, 1.0), ("c", 1, 2.0)]):
        assert [one("mrr", order), one("recall", order)] == [1, close(0.5)]


def test_queries_are_ranked_one_by_one():
    # Lightning-AI/torchmetrics#3229 and #3216.
    run = run_of(
        Asked("q1", candidates=[("a", 0, 0.1), ("b", 1, 0.2), ("c", 0, 0.3)]),
        Asked("q2", candidates=[("a", 1, 0.8), ("b", 0, 0.1), ("c", 0, 0.05)]),
    )
    assert per_query("ndcg", run, 10).tolist() == [close(1 / LOG2_3), close(1)]


def test_the_cut_of_the_reciprocal_rank():
    # castorini/anserini#1790, usnistgov/trec_eval#31.
    rows = [(f"d{i:02}", int(i == 12), -float(i)) for i in range(1, 13)]
    assert one("mrr", rows) == close(Fraction(1, 12))
    assert one("mrr", rows, 10) == 0


def test_scores_may_be_negative_or_infinite():
    rows = [("a", 1, -math.inf), ("b", 0, -2.0), ("c", 1, math.inf)]
    assert [one("mrr", rows), one("map", rows)] == [1, close((1 + Fraction(2, 3)) / 2)]


LISTS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from([0.0, 1.0, 2.0, MISSING])), min_size=1, max_size=7
).filter(lambda cells: any(grade for grade, _ in cells))
RULES = st.sampled_from(["input_order", "docno_desc", "expected", "optimistic", "pessimistic"])


def rows_of(cells):
    return [(f"d{i}", grade, score) for i, (grade, score) in enumerate(cells)]


@settings(max_examples=30)
@given(LISTS.filter(lambda cells: len(cells) <= 4), st.integers(1, 5))
def test_averaged_ties_are_the_mean_over_all_orders_and_lie_between_the_two_bounds(cells, k):
    rows = rows_of(cells)
    # Every order of the candidates, as distinct scores that refine the given ones.
    orders = [
        [(doc, grade, score - place / 100) for place, (doc, grade, score) in enumerate(order)]
        for order in itertools.permutations(rows)
    ]
    for name in EVERY:
        for rule in ("min_R_K", "hits") if name == "map" else ("R",):
            values = [one(name, order, k, ap_denominator=rule) for order in orders]
            expected = one(name, rows, k, ties="expected", ap_denominator=rule)
            assert expected == pytest.approx(math.fsum(values) / len(values), abs=1e-9), name
            if rule == "hits":
                # A hit more may lower it: no order of a tie is a bound.
                continue
            bounds = [one(name, rows, k, ties=ties, ap_denominator=rule) for ties in ("pessimistic", "optimistic")]
            assert bounds[0] - 1e-12 <= expected <= bounds[1] + 1e-12, name


@given(LISTS, RULES)
def test_for_binary_relevance_five_metrics_are_one_at_rank_one(cells, ties):
    found = [one(name, rows_of(cells), 1, ties=ties) for name in ("ndcg", "precision", "hit", "mrr", "map")]
    assert found == pytest.approx([found[0]] * 5, abs=1e-12)


@given(LISTS, st.integers(1, 6), RULES)
def test_what_rises_with_the_cut_and_what_bounds_what(cells, k, ties):
    def at(name, depth, **conventions):
        return one(name, rows_of(cells), depth, ties=ties, **conventions)

    for name in ("recall", "hit", "mrr"):
        assert at(name, k) <= at(name, k + 1) + 1e-12
    assert k * at("precision", k) <= (k + 1) * at("precision", k + 1) + 1e-12
    assert at("map", k, ap_denominator="R") <= at("map", k + 1, ap_denominator="R") + 1e-12
    assert at("hit", k) <= min(1, k * at("precision", k)) + 1e-12
    assert at("recall", k) <= at("hit", k) + 1e-12
    by_all, truncated, by_hits = (at("map", k, ap_denominator=rule) for rule in ("R", "min_R_K", "hits"))
    assert by_all <= truncated + 1e-12
    assert truncated <= by_hits + 1e-12
    step = at("ndcg", k + 1) - at("ndcg", k)
    assert step <= ((k + 1) * at("precision", k + 1) - k * at("precision", k)) / math.log2(k + 2) + 1e-12


@given(LISTS, st.integers(1, 6), st.sampled_from(["input_order", "docno_desc", "optimistic", "pessimistic"]))
def test_hits_at_each_rank_bound_the_reciprocal_rank(cells, k, ties):
    rows = rows_of(cells)
    hits = [0.0, *(one("hit", rows, depth, ties=ties) for depth in (k, k + 2))]
    new = [hits[1] - hits[0], hits[2] - hits[1]]
    found = one("mrr", rows, k + 2, ties=ties)
    assert new[0] / k + new[1] / (k + 2) - 1e-12 <= found <= new[0] / 1 + new[1] / (k + 1) + 1e-12


@given(LISTS, RULES)
def test_a_query_with_nothing_relevant_changes_no_other(cells, ties):
    first = Asked("q1", candidates=rows_of(cells))
    alone, beside = run_of(first), run_of(first, Asked("q2", candidates=in_order(0, 0)))
    for name in EVERY:
        assert per_query(name, alone, 3, ties=ties)[0] == per_query(name, beside, 3, ties=ties)[0]


@given(LISTS, RULES)
def test_a_strictly_increasing_map_of_the_scores_changes_nothing(cells, ties):
    moved = [(doc, grade, score**3 - 7) for doc, grade, score in rows_of(cells)]
    for name in EVERY:
        assert one(name, moved, 3, ties=ties) == one(name, rows_of(cells), 3, ties=ties)


def test_preparing_leaves_the_run_as_it_was():
    run = run_of(Asked("q", state="POS", k=1, candidates=in_order(1, 0)))
    judged = replace(run, candidates=replace(run.candidates, judged=np.array([True, False])))
    before = judged.candidates.judged.tobytes(), judged.systems[0].score.tobytes()
    prepare(judged, judged.systems[0], load_contract(overrides={"unjudged": "judged_only"}))
    assert (judged.candidates.judged.tobytes(), judged.systems[0].score.tobytes()) == before
