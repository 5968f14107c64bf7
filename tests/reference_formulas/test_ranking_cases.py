"""Ranking metrics against hand arithmetic; each case names the public report it comes from."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from reportgen.contracts import load_contract
from reportgen.reference import ranking
from reportgen.reference.answers import Candidate, Ranking, rank
from tests.reference.engines import reference_of_queries, reference_values
from tests.support.small_runs import MISSING, Asked, in_order, run_of

LOG2_3 = math.log2(3)


def ranked(*grades: int, missed: tuple[int, ...] = ()) -> Ranking:
    """A ranking with these grades, best first, and relevant candidates that were not retrieved."""
    return Ranking(ranked=grades, judged=(*grades, *missed))


def close(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


AXYBZ = ranked(1, 0, 0, 1, 0, missed=(1,))
"""G = {a, b, c}, ranking a, x, y, b, z."""


@pytest.mark.parametrize(
    ("denominator", "at_2", "at_5"),
    [
        ("R", Fraction(1, 3), Fraction(1, 2)),
        ("min_R_K", Fraction(1, 2), Fraction(1, 2)),
        ("hits", Fraction(1), Fraction(3, 4)),
    ],
)
def test_the_denominator_of_average_precision_is_the_one_asked_for(denominator, at_2, at_5):
    # pyg-team/pytorch_geometric#9989, thuml/HashNet#25, opensearch-project/search-relevance#39.
    # Precisions at the hits: 1/1 at rank 1, 2/4 at rank 4.
    assert ranking.average_precision_cut(AXYBZ, 2, denominator) == at_2
    assert ranking.average_precision_cut(AXYBZ, 5, denominator) == at_5


@pytest.mark.parametrize(("denominator", "expected"), [("R", "1/2"), ("min_R_K", "1/2"), ("hits", "1")])
def test_average_precision_of_the_list_that_two_libraries_disagreed_on(denominator, expected):
    # pyg-team/pytorch_geometric#9989: G = {0, 4}, ranking 0, 3, 2, K = 3.
    case = ranked(1, 0, 0, missed=(1,))
    assert ranking.average_precision_cut(case, 3, denominator) == Fraction(expected)


def test_uncut_average_precision_always_divides_by_all_relevant():
    assert ranking.average_precision(AXYBZ) == Fraction(1, 2)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize(
    ("ties", "reciprocal_rank", "ndcg"),
    [("docno_desc", Fraction(1), 1.0), ("input_order", Fraction(1, 3), 1 / math.log2(4))],
)
def test_equal_scores_are_ordered_by_the_tie_rule_and_not_by_the_order_of_rows(order, ties, reciprocal_rank, ndcg):
    # usnistgov/trec_eval#22, cvangysel/pytrec_eval#56, beir-cellar/beir#105: d1 = d2 = d3, G = {d3}.
    rows = [Candidate(f"d{i + 1}", i, int(i == 2), 1.0) for i in range(3)]
    result = rank([rows[i] for i in order], ties)
    assert ranking.reciprocal_rank(result) == reciprocal_rank
    assert ranking.ndcg(result, 10) == close(ndcg)


def test_document_ids_are_compared_as_bytes_when_scores_tie():
    # In UTF-8 every byte of é is above z, and "d9" is above "d10".
    rows = [Candidate(doc, i, i + 1, 0.5) for i, doc in enumerate(["z", "é", "d10", "d9"])]
    assert rank(rows, "docno_desc").ranked == (2, 1, 4, 3)


def test_input_order_is_the_position_and_not_the_document_id():
    rows = [Candidate("z", 0, 1, 0.5), Candidate("a", 1, 2, 0.5)]
    assert rank(rows, "input_order").ranked == (1, 2)


def test_a_query_that_a_run_does_not_answer_counts_as_zero():
    # cvangysel/pytrec_eval#30, AmenRa/ranx#39, terrierteam/ir_measures#17, usnistgov/trec_eval#18.
    run = run_of(Asked("q1", candidates=[("a", 1, 1.0)]), Asked("q2", candidates=[("b", 1, MISSING)]))
    assert reference_values(run, load_contract())["map|s|positives_only|pooled"] == 0.5


def test_cut_offs_beyond_the_list_change_precision_only():
    # Lightning-AI/torchmetrics#886, lyst/lightfm#324: three candidates, all relevant, K = 10.
    case = ranked(1, 1, 1)
    assert ranking.precision(case, 10) == Fraction(3, 10)
    assert ranking.precision(case, 10, "K_eff") == 1
    assert ranking.recall(case, 10) == ranking.average_precision_cut(case, 10, "min_R_K") == 1
    assert ranking.ndcg(case, 10) == close(1)


def test_the_length_of_the_list_counts_retrieved_candidates_only():
    assert ranking.precision(ranked(1, missed=(1,)), 5, "K_eff") == 1


def test_precision_over_the_list_is_zero_where_nothing_was_retrieved():
    assert ranking.precision(ranked(missed=(1,)), 5, "K_eff") == 0


def test_the_ideal_ranking_holds_relevant_candidates_that_were_not_retrieved():
    # spiceai/spiceai#12277, o19s/search-metrics#3: G = {a, b}, retrieved a.
    assert ranking.ndcg(ranked(1, missed=(1,)), 10) == close(1 / (1 + 1 / LOG2_3))


@pytest.mark.parametrize(("policy", "expected"), [({}, 0.5), ({"empty_gold_all_queries": "exclude"}, 1.0)])
def test_a_query_without_relevant_candidates_is_undefined_and_the_contract_says_what_that_counts(policy, expected):
    # scikit-learn/scikit-learn#29521: q1 is ranked perfectly, q2 has nothing to find.
    run = run_of(Asked("q1", candidates=in_order(1, 1)), Asked("q2", candidates=in_order(0, 0)))
    contract = load_contract("field-standard", policy)
    values = reference_values(run, contract)
    for metric in ("ndcg@10", "recall@5", "map@3", "mrr", "hit@1"):
        assert reference_of_queries(run, contract)[f"{metric}|s|q2"] is None
        assert values[f"{metric}|s|positives_only|pooled"] == close(1.0)
        assert values[f"{metric}|s|all_queries|pooled"] == close(expected)


@pytest.mark.parametrize(("policy", "expected"), [("exclude", 1.0), ("zero", 0.5)])
def test_positives_only_has_its_own_policy_for_queries_without_relevant_candidates(policy, expected):
    # q2 has evidence, but none of it among its candidates.
    run = run_of(Asked("q1", candidates=in_order(1, 0)), Asked("q2", y=1, candidates=in_order(0, 0)))
    values = reference_values(run, load_contract("field-standard", {"empty_gold": policy}))
    assert values["recall@5|s|positives_only|pooled"] == expected
    assert values["recall@5|s|all_queries|pooled"] == 0.5


def test_gain_of_graded_relevance_is_linear_or_exponential():
    # castorini/anserini#92, Georgetown-IR-Lab/OpenNIR#14: a has grade 1, b grade 2, ranking a, b.
    case = ranked(1, 2)
    assert ranking.ndcg(case, 2, "linear") == close((1 + 2 / LOG2_3) / (2 + 1 / LOG2_3))
    assert ranking.ndcg(case, 2, "linear") == pytest.approx(0.859719, abs=5e-7)
    assert ranking.ndcg(case, 2, "exp2") == close((1 + 3 / LOG2_3) / (3 + 1 / LOG2_3))
    assert ranking.ndcg(case, 2, "exp2") == pytest.approx(0.796708, abs=5e-7)


def test_at_rank_one_only_recall_and_average_precision_over_R_see_the_second_relevant_candidate():
    # AmenRa/ranx#30: G = {a, b}, ranking a, x.
    case = ranked(1, 0, missed=(1,))
    assert ranking.reciprocal_rank(case, 1) == ranking.hit(case, 1) == ranking.precision(case, 1) == 1
    assert ranking.ndcg(case, 1) == close(1)
    assert ranking.average_precision_cut(case, 1, "min_R_K") == 1
    assert ranking.average_precision_cut(case, 1, "R") == Fraction(1, 2)
    assert ranking.recall(case, 1) == Fraction(1, 2)


def test_a_candidate_without_score_is_not_retrieved_but_still_judged():
    # amiable-dev/llm-council#679, UKGovernmentBEIS/inspect_ai#1771.
    rows = [Candidate("a", 0, 1, math.nan), Candidate("b", 1, 0, 1.0), Candidate("c", 2, 1, 2.0)]
    for order in itertools.permutations(rows):
        result = rank(order, "input_order")
        assert result.ranked == (1, 0)
        assert ranking.recall(result, 10) == Fraction(1, 2)


def test_queries_are_ranked_one_by_one_and_never_flattened_together():
    # Lightning-AI/torchmetrics#3229 and #3216; pooling the six scores would give another value.
    run = run_of(
        Asked("q1", candidates=[("a", 0, 0.1), ("b", 1, 0.2), ("c", 0, 0.3)]),
        Asked("q2", candidates=[("a", 1, 0.8), ("b", 0, 0.1), ("c", 0, 0.05)]),
    )
    value = reference_values(run, load_contract())["ndcg@10|s|positives_only|pooled"]
    assert value == close((1 / LOG2_3 + 1) / 2)
    assert value == pytest.approx(0.815465, abs=5e-7)


def test_the_cut_of_the_reciprocal_rank_matters():
    # castorini/anserini#1790, usnistgov/trec_eval#31: the one relevant candidate stands at rank 12.
    case = ranked(*[0] * 11, 1)
    assert ranking.reciprocal_rank(case) == Fraction(1, 12)
    assert ranking.reciprocal_rank(case, 10) == 0


def test_reciprocal_rank_is_zero_where_no_relevant_candidate_is_retrieved():
    assert ranking.reciprocal_rank(ranked(0, missed=(1,))) == 0


def test_an_unknown_tie_rule_is_refused():
    with pytest.raises(ValueError, match="no reference formula for ties = 'random'"):
        rank([], "random")
