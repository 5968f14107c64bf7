"""Relations that must hold for any data, checked exactly."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.contracts import load_contract
from reportgen.reference import arithmetic, calibration, classification, ranking, selection
from reportgen.reference.answers import Candidate, Ranking, rank
from reportgen.reference.classification import DecisionCounts
from tests.reference.engines import reference_values
from tests.support.small_runs import Asked, run_of

CUTS = range(1, 9)
BINS = ("left_closed_last_closed", "mean")


@st.composite
def binary_rankings(draw: st.DrawFn) -> Ranking:
    """A ranking of binary relevance with at least one relevant candidate, some perhaps not retrieved."""
    retrieved = draw(st.lists(st.integers(0, 1), max_size=7))
    missed = draw(st.lists(st.integers(0, 1), min_size=0 if any(retrieved) else 1, max_size=3))
    if not any([*retrieved, *missed]):
        missed[0] = 1
    return Ranking(ranked=tuple(retrieved), judged=(*retrieved, *missed))


PAIRS = st.lists(st.tuples(st.integers(0, 12).map(lambda i: i / 12), st.integers(0, 1)), min_size=1, max_size=25)
"""(p, y) with many ties in p."""


@given(binary_rankings())
def test_at_rank_one_all_metrics_but_recall_agree(case):
    first = ranking.precision(case, 1)
    assert ranking.hit(case, 1) == ranking.reciprocal_rank(case, 1) == first
    assert ranking.average_precision_cut(case, 1, "min_R_K") == first
    assert ranking.ndcg(case, 1) == float(first)


@given(binary_rankings())
def test_hits_bound_each_other(case):
    for k in CUTS:
        found = k * ranking.precision(case, k)
        assert ranking.recall(case, k) <= ranking.hit(case, k) <= min(1, found)


@given(binary_rankings())
def test_what_must_rise_with_the_cut_rises(case):
    for k in CUTS:
        for metric in (ranking.recall, ranking.hit, ranking.reciprocal_rank):
            assert metric(case, k) <= metric(case, k + 1)
        assert k * ranking.precision(case, k) <= (k + 1) * ranking.precision(case, k + 1)
        assert ranking.average_precision_cut(case, k, "R") <= ranking.average_precision_cut(case, k + 1, "R")


@given(binary_rankings(), st.integers(1, 8), st.integers(1, 8))
def test_ndcg_cannot_gain_more_than_the_new_hits_allow(case, k, more):
    new_hits = (k + more) * ranking.precision(case, k + more) - k * ranking.precision(case, k)
    gained = ranking.ndcg(case, k + more) - ranking.ndcg(case, k)
    assert gained <= new_hits / math.log2(k + 2) + 1e-12


@given(binary_rankings())
def test_denominators_of_average_precision_are_ordered(case):
    for k in CUTS:
        by_hits, truncated, by_all = (
            ranking.average_precision_cut(case, k, denominator) for denominator in ("hits", "min_R_K", "R")
        )
        assert 0 <= by_all <= truncated <= by_hits <= 1


@given(binary_rankings())
def test_uncut_average_precision_is_the_cut_one_over_R_at_the_end_of_the_list(case):
    end = max(len(case.ranked), 1)
    assert ranking.average_precision(case) == ranking.average_precision_cut(case, end, "R")


@given(binary_rankings())
def test_hit_rates_bound_the_reciprocal_rank(case):
    rises = [(k, ranking.hit(case, k) - (ranking.hit(case, k - 1) if k > 1 else 0)) for k in range(1, 9)]
    assert ranking.reciprocal_rank(case, 8) == sum(Fraction(rise, k) for k, rise in rises)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=8), st.randoms())
def test_rankings_depend_on_scores_by_order_alone_and_not_on_the_order_of_rows(rows, random):
    candidates = [Candidate(f"d{i}", i, grade, float(score)) for i, (grade, score) in enumerate(rows)]
    stretched = [Candidate(row.doc_id, row.position, row.relevance, row.score**3 - 7) for row in candidates]
    random.shuffle(stretched)
    for ties in ("input_order", "docno_desc"):
        assert rank(stretched, ties).ranked == rank(candidates, ties).ranked


@given(PAIRS)
def test_auroc_counts_every_pair(pairs):
    positives = [p for p, y in pairs if y]
    negatives = [p for p, y in pairs if not y]
    credit = [Fraction(1) if a > b else Fraction(1, 2) if a == b else Fraction(0) for a in positives for b in negatives]
    assert classification.auroc(pairs) == (sum(credit) / len(credit) if credit else None)


@given(PAIRS)
def test_a_strictly_increasing_map_changes_no_ranking_metric_of_the_probabilities(pairs):
    mapped = [(p**3, y) for p, y in pairs]
    assert classification.auroc(mapped) == classification.auroc(pairs)
    assert classification.average_precision(mapped) == classification.average_precision(pairs)
    assert classification.roc_tpr(mapped, 0.2) == classification.roc_tpr(pairs, 0.2)


@given(PAIRS)
def test_auroc_of_the_reversed_probabilities_is_its_complement(pairs):
    value = classification.auroc(pairs)
    flipped = classification.auroc([(-p, y) for p, y in pairs])
    assert (value is None and flipped is None) or value + flipped == 1


@given(PAIRS, st.sampled_from([0.0, 0.1, 0.34, 0.5, 1.0]))
def test_no_threshold_within_the_budget_finds_more(pairs, budget):
    best = classification.best_under_budget(classification.roc_curve(pairs), budget)
    counts = [DecisionCounts.count((p >= t, y) for p, y in pairs) for t in [*{p for p, _ in pairs}, 2.0]]
    if best is None:
        assert len({y for _, y in pairs}) == 1
        return
    rates = [(Fraction(c.tp, c.tp + c.fn), Fraction(c.fp, c.fp + c.tn)) for c in counts]
    feasible = [rate for rate in rates if rate[1] <= Fraction(repr(budget))]
    assert (best.tpr, -best.fpr) == max((tpr, -fpr) for tpr, fpr in feasible)
    reached = DecisionCounts.count((best.accepts(p), y) for p, y in pairs)
    assert (reached.tp, reached.fp) == (
        best.tpr * (reached.tp + reached.fn),
        best.fpr * (reached.fp + reached.tn),
    )


@given(PAIRS, st.integers(0, 12))
def test_confusion_counts_add_up_and_their_metrics_stay_in_range(pairs, twelfths):
    counts = DecisionCounts.count((p >= twelfths / 12, y) for p, y in pairs)
    assert counts.tp + counts.fn == sum(y for _, y in pairs)
    assert counts.tp + counts.fp + counts.fn + counts.tn == len(pairs)
    share, correlation = classification.f1(counts), classification.mcc(counts)
    assert share is None or 0 <= share <= 1
    assert correlation is None or abs(correlation) <= 1 + 1e-12


@given(PAIRS)
def test_a_forecast_of_the_prevalence_is_calibrated_and_has_the_brier_score_of_chance(pairs):
    share = classification.prevalence([y for _, y in pairs])
    constant = [(float(share), y) for _, y in pairs]
    assert calibration.expected_calibration_error(constant, 10, *BINS) < 1e-12
    assert abs(calibration.brier(constant) - share * (1 - share)) < 1e-12


@given(PAIRS, st.integers(1, 20))
def test_calibration_errors_stay_between_zero_and_one(pairs, bins):
    assert 0 <= calibration.expected_calibration_error(pairs, bins, *BINS) <= 1
    assert 0 <= calibration.brier(pairs) <= 1


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.integers(0, 1)), min_size=1, max_size=20))
def test_exact_match_is_one_only_where_every_decision_is_right(decisions):
    right = all(predicted == (y == 1) for _, predicted, y in decisions)
    clusters = [
        DecisionCounts.count((predicted, y) for one, predicted, y in decisions if one == cluster)
        for cluster in {cluster for cluster, _, _ in decisions}
    ]
    assert (selection.exact_match(clusters) == 1) == right


@given(st.lists(st.fractions(0, 1, max_denominator=30), max_size=12))
def test_sums_of_fractions_are_exact(terms):
    one_by_one = Fraction(0)
    for term in terms:
        one_by_one += term
    assert arithmetic.total(terms) == one_by_one


@st.composite
def answered_queries(draw: st.DrawFn) -> list[Asked]:
    """Queries over three clusters, one fold each, with ties in score and probability."""
    rows = []
    for i in range(draw(st.integers(1, 6))):
        cluster = draw(st.integers(0, 2))
        cells = draw(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=4))
        candidates = [(f"d{j}", grade, float(score)) for j, (grade, score) in enumerate(cells)]
        p = draw(st.integers(0, 4)) / 4
        rows.append(Asked(f"q{i}", p=p, candidates=candidates, cluster=f"c{cluster}", fold=f"f{cluster}", label="A"))
    return rows


@settings(max_examples=30)
@given(answered_queries(), st.randoms())
def test_the_order_of_queries_changes_nothing(rows, random):
    contract = load_contract()
    expected = reference_values(run_of(*rows), contract)
    random.shuffle(rows)
    assert reference_values(run_of(*rows), contract) == expected


@settings(max_examples=30)
@given(answered_queries())
def test_a_query_without_relevant_candidates_leaves_positives_only_unchanged(rows):
    contract = load_contract()
    empty = Asked("empty", p=0.5, candidates=[("d0", 0, 1.0)], cluster=rows[0].cluster, fold=rows[0].fold)
    before, after = reference_values(run_of(*rows), contract), reference_values(run_of(*rows, empty), contract)
    kept = {key: value for key, value in before.items() if "positives_only" in key}
    assert kept
    assert {key: after[key] for key in kept} == kept


@settings(max_examples=30)
@given(answered_queries())
def test_one_query_more_of_value_zero_scales_all_queries_by_the_share_of_positives(rows):
    values = reference_values(run_of(*rows), load_contract())
    n_positive = sum(row.truth for row in rows)
    for metric in ("recall@3", "map@3", "mrr", "ndcg@5"):
        everything, positives = (values[f"{metric}|s|{subset}|pooled"] for subset in ("all_queries", "positives_only"))
        assert math.isclose(everything, (positives or 0) * n_positive / len(rows), abs_tol=1e-12)
