"""What each check sees and what it must not see: runs of a few queries, counted by hand."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from reportgen.checks import check_run, of_all_systems
from reportgen.checks.families.labels import _prevalence
from reportgen.checks.naming import named, short
from reportgen.checks.order import share_in_order, tells_apart
from reportgen.contracts import load_contract
from reportgen.errors import Diagnostic
from tests.support.small_runs import MISSING, Asked, Recorded, Tuned, in_order, run_of

CONTRACT = load_contract(overrides={"resamples": 0})


def seen(run, code, contract=CONTRACT):
    """Messages of one check."""
    return [check.message for check in check_run(run, contract) if check.code == code]


def asked(n, **same):
    """Queries with alternating truth, one cluster each, in two folds."""
    return [
        Asked(f"q{i:02}", y=i % 2, p=0.3 + 0.02 * i, cluster=f"c{i:02}", fold=f"f{1 + i % 4 // 2}", **same)
        for i in range(n)
    ]


def candidates(*scores, gold=(0,)):
    return [(f"d{i}", int(i in gold), score) for i, score in enumerate(scores)]


# Splits


def test_clusters_of_tune_that_are_of_another_fold_are_not_shared():
    rows = asked(4)
    apart = run_of(*rows, tune=[Tuned(0.5, 1, fold="f1", cluster="c02"), Tuned(0.5, 0, fold="f2", cluster="c00")])
    assert seen(apart, "RG310") == []
    shared = run_of(*rows, tune=[Tuned(0.5, 1, fold="f1", cluster="c00"), Tuned(0.5, 0, fold="f1", cluster="c00")])
    assert seen(shared, "RG310") == ["1 cluster in TUNE and EVAL of one fold: c00 (fold f1)."]


def test_queries_that_are_alike_in_everything_are_copies_only_across_folds():
    same = {"label": "A", "candidates": candidates(0.9, 0.7, 0.4, 0.1)}
    one = Asked("q1", cluster="c1", fold="f1", p=0.5, **same)
    other = Asked("q2", cluster="c2", fold="f2", p=0.6, **same)
    assert seen(run_of(one, other), "RG311") == [
        "1 pair of queries that look like one and are in two folds: q1 (f1) = q2 (f2)."
    ]
    assert seen(run_of(one, replace(other, fold="f1")), "RG311") == []
    assert seen(run_of(one, replace(other, label="B")), "RG311") == []
    inside = replace(other, candidates=candidates(0.9, 0.8, 0.4, 0.1))  # the first and the last score alone are equal
    assert seen(run_of(one, inside), "RG311") == []


@pytest.mark.parametrize(
    ("scores", "copies"),
    [
        ((0.9, 0.7, 0.4, 0.1), 1),
        ((0.9, 0.7, 0.4, 0.4, 0.1), 1),
        ((0.9, 0.7, 0.1, 0.1), 0),  # three values: lists so coarse agree by chance
        ((0.9, 0.7, 0.7, 0.1, 0.1), 0),
        ((0.9, 0.7, 0.1), 0),
    ],
)
def test_queries_are_copies_only_where_four_different_scores_agree(scores, copies):
    one, other = (
        Asked(f"q{n}", cluster=f"c{n}", fold=f"f{n}", p=n / 10, candidates=candidates(*scores)) for n in (1, 2)
    )
    assert len(seen(run_of(one, other), "RG311")) == copies


@pytest.mark.parametrize(
    ("folds", "split", "message"),
    [
        (("1", "2", "4"), "", "Folds are numbered 1 to 4, but 3 is not there."),
        (("1", "2", "3"), "nested-3-fold", None),
        (("1", "2", "3"), "10-fold", "The split is called '10-fold', but the run has 3 folds."),
        (("a", "b", "d"), "leave-one-out", None),
    ],
)
def test_missing_folds_are_seen_in_the_name_of_the_split_and_in_gaps(folds, split, message):
    run = run_of(*(Asked(f"q{fold}", y=1, p=0.5, cluster=fold, fold=fold) for fold in folds))
    run = replace(run, info=replace(run.info, split=split))
    assert seen(run, "RG312") == ([message] if message else [])


def test_a_fold_without_tuning_predictions_is_missing_too():
    run = run_of(*asked(4), tune=[Tuned(0.5, 1, fold="f1", cluster="c02")])
    assert seen(run, "RG312") == ["There are no tuning predictions for fold f2."]


def grid(*filled):
    """One query per letter of each cluster's word."""
    return run_of(
        *(
            Asked(f"{cluster}{label}{i}", y=1, p=0.5, cluster=f"c{cluster}", label=label)
            for cluster, labels in enumerate(filled)
            for i, label in enumerate(labels)
        )
    )


@pytest.mark.parametrize(
    ("filled", "holes", "repeats"),
    [
        (("AB", "AB", "AB"), 0, 0),
        (("AB", "AB", "A"), 1, 0),
        # Where most clusters lack a label, there is no grid to have holes.
        (("AB", "A", "B"), 0, 0),
        (("ABB", "AB", "AB"), 0, 1),
        # Where pairs have several queries as a rule, repeats are meant.
        (("AABB", "AABB"), 0, 0),
        (("A", "A", "AA"), 0, 0),
    ],
)
def test_a_grid_has_holes_and_repeats_only_where_it_is_one(filled, holes, repeats):
    run = grid(*filled)
    assert (len(seen(run, "RG313")), len(seen(run, "RG314"))) == (holes, repeats)


def test_a_cluster_that_is_in_tune_only_is_no_hole():
    run = grid("AB", "AB", "AB")
    with_tune = replace(run, clusters=(*run.clusters, "t"), cluster_fold=np.append(run.cluster_fold, -1))
    assert seen(with_tune, "RG313") == []


# Thresholds


def from_eval(first, second, tuned=0.9999):
    rows = [
        Asked(f"q{i}", y=i % 2, p=p, cluster=f"c{i}", fold="f1" if i < 2 else "f2")
        for i, p in enumerate((0.1234, 0.6, 0.4321, 0.7))
    ]
    tune = [Tuned(tuned, 1, fold="f1", cluster="c2"), Tuned(tuned, 0, fold="f2", cluster="c0")]
    return run_of(*rows, tune=tune, recorded=Recorded({"tau_f1": (first, second)}, "tau_f1"))


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        (0.1234, 0.4321, True),
        (0.1234, 0.5432, False),  # one fold may meet a probability by chance
        (0.6, 0.7, False),  # round values do so easily
        (0.1234, math.nan, False),
    ],
)
def test_a_threshold_is_from_eval_if_it_is_so_in_every_fold_and_no_round_number(first, second, found):
    assert bool(seen(from_eval(first, second), "RG321")) == found


def test_a_threshold_that_tune_has_as_well_may_come_from_there():
    assert seen(from_eval(0.1234, 0.4321, tuned=0.1234), "RG321") == []


@pytest.mark.parametrize("said", ["EVAL", "test", " Test split "])
def test_a_calibrator_that_is_said_to_be_fitted_on_eval_is_seen(said):
    run = run_of(*asked(4))
    run = replace(run, info=replace(run.info, calibrator_fit_on=said))
    assert seen(run, "RG324") == [f"run.toml says so: calibrator_fit_on = {said!r}."]


def test_levels_that_equal_their_rates_by_being_few_are_no_calibrator():
    # Two levels, each with its rate: 1 of 4, 3 of 4.
    rows = [Asked(f"q{i}", y=int(i in (0, 4, 5, 6)), p=0.25 if i < 4 else 0.75, cluster=f"c{i}") for i in range(8)]
    assert seen(run_of(*rows), "RG324") == []


def test_a_fold_without_thresholds_contradicts_nothing():
    rows = asked(4, state="POS")
    run = run_of(*rows, recorded=Recorded({"tau_neg": (math.nan, 0.1), "tau_pos": (0.2, 0.2)}))
    assert seen(run, "RG322") == []
    assert seen(run, "RG335") == []


# Probabilities


def test_the_share_in_order_is_the_area_under_the_curve():
    # scikit-learn's example of roc_auc_score: 3 of 4 pairs are in order; a tie counts half.
    y = np.array([False, False, True, True])
    assert share_in_order(np.array([0.1, 0.4, 0.35, 0.8]), y) == 0.75
    assert share_in_order(np.array([0.5, 0.5, 0.5, 0.8]), y) == 0.75


def test_classes_are_told_apart_only_without_a_tie_and_with_both():
    y = np.array([False, True])
    assert tells_apart(np.array([0.2, 0.3]), y)
    assert not tells_apart(np.array([0.3, 0.3]), y)
    assert not tells_apart(np.array([0.2, 0.3]), np.array([True, True]))


@pytest.mark.parametrize("n", [18, 20])
def test_perfect_and_inverted_orders_need_ten_queries_of_each_class(n):
    perfect = run_of(*(replace(q, p=0.2 + 0.5 * q.truth + 0.001 * i) for i, q in enumerate(asked(n))))
    inverted = run_of(*(replace(q, p=0.8 - 0.5 * q.truth + 0.001 * i) for i, q in enumerate(asked(n))))
    assert (len(seen(perfect, "RG332")), len(seen(inverted, "RG331"))) == ((1, 1) if n == 20 else (0, 0))


def test_a_certain_probability_decides_the_calibration_slope_only_where_it_is_wrong():
    # Without it the slope is ln 3 / (2 ln 4). A right one at logit 36 is where the line would be anyway.
    rows = [(0.2, 0), (0.2, 1), (0.8, 1), (0.8, 1), (0.8, 1), (0.8, 0)]

    def run(*certain):
        return run_of(*(Asked(f"q{i}", y=y, p=p) for i, (p, y) in enumerate([*rows, *certain])))

    assert seen(run(), "RG334") == []
    assert seen(run((1.0, 1)), "RG334") == []
    (message,) = seen(run((1.0, 0)), "RG334")
    assert message.startswith("1 of 7 queries have a probability of exactly 0 or 1, which is taken as 2.2e-16 from")
    assert message.endswith("without them 0.396.")
    # Without any other probability there is no slope to compare with.
    assert seen(run_of(*(Asked(f"q{i}", y=i % 2, p=float(i // 2)) for i in range(4))), "RG334") == []


@pytest.mark.parametrize(("in_order", "inverted"), [(3, True), (4, False)])
def test_an_inverted_order_of_few_queries_is_more_than_three_and_a_half_deviations_below_chance(in_order, inverted):
    # Ten of each class: the deviation is sqrt(21 / 1200) = 0.1323, and 0.5 - 3.5 * 0.1323 = 0.037 of 100 pairs.
    # One positive query is above as many negative ones as there are pairs in order, the others above none.
    negative = [Asked(f"n{i}", y=0, p=0.5 + 0.01 * i) for i in range(10)]
    positive = [Asked(f"p{i}", y=1, p=0.3 + 0.01 * i) for i in range(9)]
    run = run_of(*negative, *positive, Asked("p9", y=1, p=0.495 + 0.01 * in_order))
    assert bool(seen(run, "RG331")) == inverted


@pytest.mark.parametrize(("above", "inverted"), [(117, True), (123, False)])
def test_an_inverted_order_of_many_queries_has_less_than_two_fifths_of_pairs_in_order(above, inverted):
    # 300 of each class: 3.5 deviations are 3.5 * sqrt(601 / 1,080,000) = 0.083, which would be 0.417. Some positive
    # queries are above all negative ones, the others below: 117 of 300 are 0.39 of all pairs, 123 are 0.41.
    rows = [Asked(f"n{i}", y=0, p=0.5) for i in range(300)]
    rows += [Asked(f"p{i}", y=1, p=0.6 if i < above else 0.4) for i in range(300)]
    assert bool(seen(run_of(*rows), "RG331")) == inverted


@pytest.mark.parametrize(("certain", "found"), [(30, False), (38, True)])
def test_certain_probabilities_decide_the_calibration_slope_if_they_change_it_by_a_tenth(certain, found):
    # 75 of 100 queries at 0.8 and 25 of 100 at 0.2 are positive: without the others the line has no intercept and the
    # slope b = ln 3 / ln 4. With n queries each at 0 and 1, all right and taken as 0.01 and 0.99, the slope r b solves
    # ln 4 (75 - 100 s(r ln 3)) + n ln 99 (1 - s(r b ln 99)) = 0, s the logistic function; at r = 1.1 it does so for
    # 2.777 = 0.0821 n, n = 33.8, and the slope rises with n (r = 1.05 for 14.4, 1.2 for 94).
    counts = [(0.8, 1, 75), (0.8, 0, 25), (0.2, 1, 25), (0.2, 0, 75), (1.0, 1, certain), (0.0, 0, certain)]
    run = run_of(*(Asked(f"{p}-{y}-{i}", y=y, p=p) for p, y, n in counts for i in range(n)))
    assert bool(seen(run, "RG334", load_contract(overrides={"resamples": 0, "log_loss_clip": 0.01}))) == found


def test_an_order_that_is_a_little_below_chance_is_not_inverted():
    rows = [replace(q, p=0.5 + 0.001 * (i * 7 % 40)) for i, q in enumerate(asked(40))]
    assert seen(run_of(*rows), "RG331") == []


@pytest.mark.parametrize(("raw", "failed"), [((0.4, 0.8), True), ((0.5, 0.7), False), ((0.6, 0.7), False)])
def test_calibrated_probabilities_are_compared_with_raw_ones_by_their_brier_score(raw, failed):
    # Truth 0 and 1, calibrated 0.5 and 0.7: (0.25 + 0.09) / 2 = 0.17. Raw: (0.16 + 0.04) / 2 = 0.1, the same 0.17, and
    # (0.36 + 0.09) / 2 = 0.225.
    run = run_of(Asked("q0", y=0, p=0.5), Asked("q1", y=1, p=0.7))
    run = replace(run, systems=(replace(run.systems[0], y_prob_raw=np.array(raw)),))
    (check,) = [check for check in check_run(run, CONTRACT) if check.code == "RG337"]
    brier = {(0.4, 0.8): "0.1000", (0.5, 0.7): "0.1700", (0.6, 0.7): "0.2250"}[raw]
    assert check.message == f"Brier score {brier} raw and 0.1700 calibrated."
    assert (check.status, check.severity) == ("failed" if failed else "passed", "note")


# Decisions


@pytest.mark.parametrize("state", ["NEG", "UNCERTAIN"])
def test_a_probability_on_a_threshold_may_have_been_decided_either_way(state):
    recorded = Recorded({"tau_neg": (0.3,), "tau_pos": (0.6,)})
    run = run_of(Asked("q1", y=1, p=0.3, state=state), Asked("q2", y=0, p=0.1, state="NEG"), recorded=recorded)
    assert seen(run, "RG335") == []
    off = run_of(Asked("q1", y=1, p=0.2, state="UNCERTAIN"), Asked("q2", y=0, p=0.1, state="NEG"), recorded=recorded)
    assert seen(off, "RG335") == [
        "The state of 1 query of 2 does not follow from the probability and the fold's thresholds: "
        "q1 is UNCERTAIN at 0.2 with thresholds 0.3 and 0.6."
    ]


def test_a_blocked_query_with_candidates_is_a_note():
    run = run_of(
        Asked("q1", state="NEG", k=1, candidates=in_order(1, 0)), Asked("q2", state="NEG", k=0, candidates=in_order(0))
    )
    [check] = [check for check in check_run(run, CONTRACT) if check.code == "RG336"]
    assert check.message == "1 query in state NEG has a selected K above 0: q1."
    assert (check.severity, check.status) == ("note", "failed")


# Rankings


@pytest.mark.parametrize(("ranked", "severity"), [(20, "note"), (19, "note"), (18, "warning")])
def test_gold_that_no_system_ranked_is_a_warning_from_one_in_twenty(ranked, severity):
    rows = [Asked(f"q{i}", candidates=[("d", 1, 0.5), ("e", 0, 0.4)]) for i in range(ranked)]
    run = run_of(*rows, Asked("last", candidates=[("d", 1, MISSING), ("e", 0, 0.4)]))
    [check] = [check for check in check_run(run, CONTRACT) if check.code == "RG340"]
    assert check.severity == severity
    assert f"1 of {ranked + 1} relevant candidates" in check.message


def pools(foreign):
    """Two queries in each of six clusters, which choose from two documents of their own; one may be a stranger."""
    return run_of(
        *(
            Asked(
                f"q{c}{n}", cluster=f"c{c}", label="AB"[n],
                candidates=[(f"c{c}-1", 1, 0.9), ("c0-2" if foreign and (c, n) == (3, 1) else f"c{c}-2", 0, 0.5)],
            )
            for c in range(6)
            for n in range(2)
        )
    )  # fmt: skip


def test_a_document_of_another_cluster_is_foreign_where_clusters_have_pools():
    assert seen(pools(foreign=False), "RG341") == []
    assert seen(pools(foreign=True), "RG341") == [
        "1 candidate of 12 is in the pools of more than one cluster, where each has a pool of its own: c0-2."
    ]


def test_documents_of_one_corpus_are_in_many_pools_by_right():
    shared = run_of(*(Asked(f"q{i}", cluster=f"c{i // 2}", candidates=in_order(1, 0, 0)) for i in range(8)))
    assert seen(shared, "RG341") == []
    alone = run_of(*(Asked(f"q{i}", cluster=f"c{i}", candidates=in_order(1, 0, 0)) for i in range(8)))
    assert seen(alone, "RG341") == []


def test_a_list_that_is_as_long_as_its_pool_is_not_cut():
    run = run_of(Asked("q1", k=2, candidates=in_order(1, 0)), Asked("q2", k=3, candidates=in_order(1, 0, 0)))
    assert seen(run, "RG342") == []
    cut = run_of(
        Asked("q1", k=2, candidates=[*in_order(1, 0), ("z", 0, MISSING)]),
        Asked("q2", k=3, candidates=in_order(1, 0, 0)),
    )
    assert seen(cut, "RG342") == [
        "In each of 2 queries the ranking holds as many candidates as were selected, and no more."
    ]


@pytest.mark.parametrize(("k", "found"), [((2,) * 12, True), ((2,) * 11 + (3,), False), ((1,) * 12, False)])
def test_one_k_for_all_is_no_selection_unless_it_is_the_first_alone(k, found):
    run = run_of(*(Asked(f"q{i:02}", k=k[i], candidates=in_order(1, 0, 0, 0)) for i in range(12)))
    assert bool(seen(run, "RG343")) == found


# Labels


def test_the_standard_error_of_a_prevalence_is_that_of_whole_clusters():
    # Five clusters of two queries with 0, 1, 1, 2, 1 positive ones: 5 of 10, residuals -1, 0, 0, 1, 0,
    # so the standard error is sqrt(5 / 4 · 2) / 10.
    truths = ((0, 0), (0, 1), (0, 1), (1, 1), (0, 1))
    run = run_of(
        *(Asked(f"q{c}{i}", y=y, p=0.5, cluster=f"c{c}") for c, ys in enumerate(truths) for i, y in enumerate(ys))
    )
    share, error = _prevalence(run, np.ones(5, dtype=bool))
    assert share == 0.5
    assert error == pytest.approx(math.sqrt(2.5) / 10, abs=1e-12)
    assert _prevalence(run, np.array([True, True, True, True, False])) is None


@pytest.mark.parametrize(
    ("positive", "drifts"),
    [
        # 15 % of f1 with residuals of ±0.5: standard error sqrt(10 / 9 · 10 · 0.25) / 100 = 1.667 points.
        # 24 %, residuals -0.4 and 0.6: sqrt(10 / 9 · 2.4) / 100 = 1.633. 9 / hypot(1.667, 1.633) = 3.86.
        ([2] * 6 + [3] * 4, False),
        # 25 %, the error as in f1: 10 / hypot(1.667, 1.667) = 4.24.
        ([2] * 5 + [3] * 5, True),
    ],
)
def test_a_fold_drifts_where_its_prevalence_is_more_than_four_errors_away(positive, drifts):
    # Two folds of ten clusters of ten queries; the numbers are those of positive queries in each cluster.
    rows = [
        Asked(f"q{fold}{c}{i}", y=int(i < ups), p=0.5, cluster=f"{fold}{c}", fold=fold)
        for fold, counts in (("f1", [1] * 5 + [2] * 5), ("f2", positive))
        for c, ups in enumerate(counts)
        for i in range(10)
    ]
    assert bool(seen(run_of(*rows), "RG352")) == drifts


def test_classes_of_folds_and_labels_are_no_matter_for_rankings_alone():
    run = run_of(*(Asked(f"q{i}", label="AB"[i % 2], candidates=in_order(1, 0)) for i in range(4)))
    assert seen(run, "RG350") + seen(run, "RG351") + seen(run, "RG352") == []


def test_a_fold_of_one_class_is_named_with_the_class():
    run = run_of(*(replace(q, y=1 if q.fold == "f1" else q.y) for q in asked(8)))
    assert seen(run, "RG350") == ["1 of 2 folds has queries of one class only: f1 (only positive ones)."]


def test_labels_of_one_class_are_named_with_the_class():
    run = run_of(*(Asked(f"q{i}", y=int(i in (0, 3)), p=0.5, label="ABC"[i % 3], cluster=f"c{i}") for i in range(6)))
    # A: queries 0 and 3, both positive; B and C have no positives.
    assert seen(run, "RG351") == [
        "3 of 3 labels have queries of one class only: A (only positive ones), B (no positive ones), "
        "C (no positive ones)."
    ]


# Derived from gold


@pytest.mark.parametrize("n", [9, 10])
def test_a_score_that_knows_the_gold_needs_ten_queries_that_could_be_wrong(n):
    sure = [Asked(f"q{i:02}", candidates=candidates(0.9, 0.2)) for i in range(n)]
    nothing_to_order = [Asked(f"r{i:02}", candidates=candidates(0.9)) for i in range(5)]
    unranked = Asked("s", candidates=candidates(MISSING, 0.2))
    assert len(seen(run_of(*sure, *nothing_to_order, unranked), "RG355")) == int(n == 10)


def test_one_query_in_the_wrong_order_clears_the_score():
    rows = [Asked(f"q{i:02}", candidates=candidates(0.9, 0.2)) for i in range(20)]
    assert seen(run_of(*rows, Asked("wrong", candidates=candidates(0.2, 0.9))), "RG355") == []


def test_an_order_of_input_matters_only_where_it_breaks_ties():
    tied = [Asked(f"q{i:02}", candidates=candidates(0.5, 0.5)) for i in range(10)]
    assert len(seen(run_of(*tied), "RG356")) == 1
    by_document = load_contract(overrides={"ties": "docno_desc"})
    assert seen(run_of(*tied), "RG356", by_document) == []
    untied = [Asked(f"q{i:02}", candidates=candidates(0.4, 0.5)) for i in range(10)]
    assert seen(run_of(*untied), "RG356") == []


def test_a_k_that_is_the_number_of_gold_must_vary_to_say_something():
    def rows(second):
        return [Asked(f"q{i:02}", k=1, candidates=in_order(1, 0)) for i in range(10)] + [
            Asked("last", k=second, candidates=in_order(1, 1, 0))
        ]

    assert len(seen(run_of(*rows(2)), "RG357")) == 1
    assert seen(run_of(*rows(3)), "RG357") == []
    assert seen(run_of(*rows(2)[:-1]), "RG357") == []


def test_states_that_are_the_truth_are_seen_where_probabilities_are_not():
    rows = [replace(q, state="POS" if q.truth else "NEG") for q in asked(20)]
    assert seen(run_of(*rows), "RG358") == ["The state of each of 20 queries is right, and none is UNCERTAIN."]
    assert seen(run_of(*rows[:18]), "RG358") == []
    assert seen(run_of(*rows[:-1], replace(rows[-1], state="UNCERTAIN")), "RG358") == []


# What all families share


def test_what_is_the_same_for_every_system_is_said_once_and_of_none():
    same = [Diagnostic("RG325", system, "All alike.") for system in ("a", "b")]
    assert [check.where for check in of_all_systems(same, 2)] == [""]
    assert of_all_systems(same[:1], 2) == same[:1]


def test_names_are_shown_up_to_three_and_then_counted():
    assert named(["a", "b", "c"]) == "a, b, c"
    assert named(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_a_name_of_thousands_of_characters_loses_its_middle():
    # 57 characters, the sign of the cut between blanks (5), and the last 18: 80.
    assert short("x" * 81) == "x" * 57 + " […] " + "x" * 18
    assert short("x" * 80) == "x" * 80
    assert len(named(["y" * 10_000] * 5)) == 3 * 80 + len(", ") * 2 + len(" and 2 more")
