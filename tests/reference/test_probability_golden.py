"""Metrics of probabilities and decisions in both implementations, with the arithmetic beside each value."""

from __future__ import annotations

import math
from functools import cache

import pytest

from reportgen.contracts import load_contract
from tests.reference.engines import ENGINES, compute, with_every_variant
from tests.support.small_runs import MISSING, Asked, Recorded, run_of

every_engine = pytest.mark.parametrize("engine", ENGINES)


def values(engine, p, y, **conventions):
    """Metric id to pooled value of queries with these probabilities and classes, in one fold."""
    return _values(engine, tuple(p), tuple(y), tuple(conventions.items()))


@cache
def _values(engine, p, y, conventions):
    run = run_of(*(Asked(f"q{i}", y=truth, p=prob) for i, (prob, truth) in enumerate(zip(p, y, strict=True))))
    numbers = compute(engine, run, load_contract("field-standard", {"resamples": 0, **dict(conventions)}))
    return {key.split("|")[0]: value for key, value in numbers.values.items() if key.endswith("|all_queries|pooled")}


CONFUSED = ([0.9, 0.8, 0.6, 0.5, 0.4, 0.1], [1, 0, 1, 0, 1, 0])
"""At 0.5: TP .9 and .6, FP .8 and .5 (0.5 itself is positive), FN .4, TN .1."""


@every_engine
@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("tp@0.5", 2), ("fp@0.5", 2), ("fn@0.5", 1), ("tn@0.5", 1),
        ("sensitivity@0.5", 2 / 3), ("specificity@0.5", 1 / 3), ("fpr@0.5", 2 / 3), ("precision@0.5", 2 / 4),
        ("npv@0.5", 1 / 2), ("balanced_accuracy@0.5", (2 / 3 + 1 / 3) / 2), ("accuracy@0.5", 3 / 6),
        ("f1@0.5", 4 / 7), ("mcc@0.5", (2 * 1 - 2 * 1) / math.sqrt(4 * 3 * 3 * 2)),
    ],
)  # fmt: skip
def test_the_confusion_family_follows_from_four_counts(engine, metric, expected):
    assert values(engine, *CONFUSED)[metric] == pytest.approx(expected, abs=1e-12)


@every_engine
def test_a_decision_at_the_tuned_threshold_uses_that_of_each_fold(engine):
    # Threshold .3 in fold f1: .4 is positive; .7 in fold f2: .6 is not. TP 1 (.9), FP 1 (.4), FN 1 (.6), TN 1 (.2).
    run = run_of(
        Asked("a", y=1, p=0.9, fold="f1", cluster="c1"),
        Asked("b", y=0, p=0.4, fold="f1", cluster="c1"),
        Asked("c", y=1, p=0.6, fold="f2", cluster="c2"),
        Asked("d", y=0, p=0.2, fold="f2", cluster="c2"),
        recorded=Recorded({"tau": [0.3, 0.7]}, decision="tau"),
    )
    ours = compute(engine, run, load_contract("field-standard", {"resamples": 0}))
    assert [ours.value(f"{name}@tune", "s") for name in ("tp", "fp", "fn", "tn")] == [1, 1, 1, 1]
    assert ours.by_fold("fp@tune", "s") == [1, 0]
    assert ours.value("sensitivity@tune", "s", aggregation="fold_mean") == (1 + 0) / 2
    # Fold f2 calls nothing positive, so its precision is undefined and the mean is that of fold f1.
    assert ours.by_fold("precision@tune", "s") == [0.5, None]
    assert ours.value("precision@tune", "s", aggregation="fold_mean") == 0.5
    assert ("tp@tune|s|all_queries|fold_mean") not in ours.values


@every_engine
@pytest.mark.parametrize(
    ("metric", "p", "y"),
    [
        ("sensitivity@0.5", [0.9, 0.1], [0, 0]),
        ("specificity@0.5", [0.9, 0.1], [1, 1]),
        ("fpr@0.5", [0.9, 0.1], [1, 1]),
        ("precision@0.5", [0.1, 0.2], [1, 0]),
        ("npv@0.5", [0.9, 0.8], [1, 0]),
        ("balanced_accuracy@0.5", [0.9, 0.1], [1, 1]),
        ("f1@0.5", [0.1, 0.2], [0, 0]),
        ("mcc@0.5", [0.1, 0.2], [0, 0]),
    ],
)
def test_a_ratio_without_denominator_is_undefined_or_zero_as_the_contract_says(engine, metric, p, y):
    assert values(engine, p, y)[metric] is None
    assert values(engine, p, y, zero_division="zero")[metric] == 0


@every_engine
def test_one_class_is_undefined_or_what_the_contract_puts_there(engine):
    negatives, positives = ([0.2, 0.7], [0, 0]), ([0.2, 0.7], [1, 1])
    replayed = {"single_class": "half", "auprc_edge": "prevalence"}
    assert [values(engine, *negatives)[m] for m in ("auroc", "auprc", "auprc[trapezoid]")] == [None, None, None]
    assert [values(engine, *positives)[m] for m in ("auroc", "auprc", "auprc[trapezoid]")] == [None, 1, 1]
    assert [values(engine, *negatives, **replayed)[m] for m in ("auroc", "auprc")] == [0.5, 0]
    assert [values(engine, *positives, **replayed)[m] for m in ("auroc", "auprc")] == [0.5, 1]


@every_engine
def test_a_fold_without_queries_stays_undefined_also_where_one_class_counts_as_a_half(engine):
    # Fold f2 has no query of label B; fold f1 has one class of it.
    run = run_of(
        Asked("a", y=1, p=0.9, fold="f1", cluster="c1", label="B"),
        Asked("b", y=1, p=0.4, fold="f1", cluster="c1", label="A"),
        Asked("c", y=0, p=0.6, fold="f2", cluster="c2", label="A"),
    )
    ours = compute(engine, run, load_contract("field-standard", {"resamples": 0, "single_class": "half"}))
    assert ours.by_fold("auroc", "s", "label=B") == [0.5, None]
    assert ours.value("auroc", "s", "label=B", "fold_mean") == 0.5


@every_engine
def test_the_trapezoid_is_not_average_precision(engine):
    # scikit-learn/scikit-learn#13074 and #29051. Precision after each query: 1, 1/2, 2/3, 1/2, 2/5, 1/2.
    found = values(engine, [0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 1])
    assert found["auprc"] == pytest.approx((1 + 2 / 3 + 3 / 6) / 3)
    assert found["auprc[trapezoid]"] == pytest.approx(((1 + 1) / 2 + (1 / 2 + 2 / 3) / 2 + (2 / 5 + 1 / 2) / 2) / 3)
    assert found["auprc[trapezoid]"] == pytest.approx(0.677778, abs=1e-6)


@every_engine
def test_the_brier_score_falls_into_its_parts(engine):
    # scikit-learn/scikit-learn#21774 and #23767: Brier .19 = .065 - .0625 + .1875.
    found = values(engine, [0.2, 0.2, 0.8, 0.8], [0, 1, 1, 1])
    assert found["brier"] == pytest.approx(0.19)
    assert found["brier[reliability]"] == pytest.approx(0.5 * 0.09 + 0.5 * 0.04)
    assert found["brier[resolution]"] == pytest.approx(0.5 * 0.0625 + 0.5 * 0.0625)
    assert found["brier[uncertainty]"] == 0.1875
    assert found["brier_skill"] == pytest.approx(1 - 0.19 / 0.1875)
    # The rates .5 and 1 rise already, so isotonic recalibration gives them: Brier (2 × .25 + 0) / 4 = .125.
    assert found["brier[miscalibration]"] == pytest.approx(0.19 - 0.125)
    assert found["brier[discrimination]"] == pytest.approx(0.1875 - 0.125)


@every_engine
def test_isotonic_recalibration_pools_what_falls(engine):
    # Rates 1, 0, 1 at .1, .5, .9: the first two are pooled to a half, so the Brier score becomes (.25 + .25) / 3.
    found = values(engine, [0.1, 0.5, 0.9], [1, 0, 1])
    assert found["brier[discrimination]"] == pytest.approx(2 / 9 - 0.5 / 3)
    assert found["brier[miscalibration]"] == pytest.approx((0.81 + 0.25 + 0.01) / 3 - 0.5 / 3)


@every_engine
def test_a_constant_forecast_of_the_prevalence_has_no_skill_and_no_error(engine):
    found = values(engine, [0.25] * 4, [1, 0, 0, 0])
    assert found["brier_skill"] == pytest.approx(0, abs=1e-12)
    assert found["ece"] == found["brier[reliability]"] == found["brier[resolution]"] == 0
    assert found["brier[discrimination]"] == 0
    assert found["calibration_slope"] is None


@every_engine
@pytest.mark.parametrize(
    ("edges", "bin_value", "expected"),
    [
        # p .3, .25, 1, 0 with y 1, 0, 1, 0. Left-closed: .3 alone (gap .7), .25 alone (.25), 1 (0) and 0 (0).
        ("left_closed_last_closed", "mean", (0.7 + 0.25) / 4),
        # Left-open: .3 and .25 share (.2, .3]: |.55 - 1| = .45.
        ("left_open_first_closed", "mean", 0.45 / 4),
        # Multiples of .1 as floats: .3 lies below .30000000000000004 and shares a bin with .25; 1 is in no bin.
        ("left_closed_drop_last", "mean", 0.45 / 4),
        # Centres .35, .25, .95 and .05 in place of the means.
        ("left_closed_last_closed", "centre", (0.65 + 0.25 + 0.05 + 0.05) / 4),
    ],
)
def test_the_calibration_error_puts_edges_where_the_contract_says(engine, edges, bin_value, expected):
    found = values(engine, [0.3, 0.25, 1.0, 0.0], [1, 0, 1, 0], ece_edges=edges, ece_bin_value=bin_value)
    assert found["ece"] == pytest.approx(expected, abs=1e-12)


@every_engine
def test_a_probability_of_one_is_counted_unless_a_document_that_loses_it_is_replayed(engine):
    # Lightning-AI/torchmetrics#3510: .475 is right, .025 leaves p = 1 out.
    p, y = [0.95, 1.0], [1, 0]
    assert values(engine, p, y)["ece"] == pytest.approx(0.475)
    assert values(engine, p, y, ece_edges="left_closed_drop_last")["ece"] == pytest.approx(0.025)
    lost = values(engine, [1.0, 1.0], [0, 1], ece_edges="left_closed_drop_last")
    assert (lost["ece"], lost["mce"]) == (0, None)


@every_engine
def test_the_maximum_calibration_error_is_that_of_the_worst_bin(engine):
    # Bins [.1, .2): |.15 - .5| = .35 of two queries; [.8, .9): |.8 - 1| = .2 of one.
    assert values(engine, [0.1, 0.2 - 2**-54, 0.8], [1, 0, 1])["mce"] == pytest.approx(0.35)


@every_engine
def test_equal_mass_bins_that_collapse_form_one_bin(engine):
    # Khanz9664/TrustLens#163: |.25 - .9| = .65, not 0.
    assert values(engine, [0.9] * 4, [1, 0, 0, 0])["ece[equal_mass]"] == pytest.approx(0.65)


@every_engine
def test_equal_mass_bins_hold_equally_many_queries(engine):
    # Two bins of two: |.1 + .2 - 1| = .7 and |.3 + .9 - 1| = .2, together .9 / 4; equal widths would part .3 and .9
    # from the rest otherwise.
    found = values(engine, [0.1, 0.2, 0.3, 0.9], [1, 0, 0, 1], ece_bins=2)
    assert found["ece[equal_mass]"] == pytest.approx(0.9 / 4)
    assert found["ece"] == pytest.approx((abs(0.6 - 1) + abs(0.9 - 1)) / 4)


@every_engine
def test_logistic_recalibration_of_two_values_gives_their_rates(engine):
    # Two parameters and two values of p fit the rates exactly: logit .5 = 0 at .2, logit .75 = ln 3 at .8, and
    # logit .8 = -logit .2 = ln 4. So a = ln(3) / 2 and b = ln(3) / (2 ln 4).
    found = values(engine, [0.2, 0.2, 0.8, 0.8, 0.8, 0.8], [0, 1, 1, 1, 1, 0])
    assert found["calibration_intercept"] == pytest.approx(math.log(3) / 2, abs=1e-12)
    assert found["calibration_slope"] == pytest.approx(math.log(3) / (2 * math.log(4)), abs=1e-12)


@every_engine
def test_calibration_in_the_large_is_the_intercept_beside_a_slope_of_1(engine):
    # At p = 1/2 a rate of 3/4 needs a = ln 3, whatever the probabilities are; O:E is 3 / 2.
    found = values(engine, [0.5, 0.5, 0.5, 0.5], [1, 1, 1, 0])
    assert found["calibration_in_the_large"] == pytest.approx(math.log(3), abs=1e-12)
    assert found["observed_expected"] == pytest.approx(3 / 2)
    # Right on average, though far too extreme: .1 + .9 + .9 + .1 = 2 of 4, and a = 0 by symmetry.
    found = values(engine, [0.1, 0.9, 0.9, 0.1], [0, 1, 0, 1])
    assert found["calibration_in_the_large"] == pytest.approx(0, abs=1e-12)
    assert found["observed_expected"] == pytest.approx(1)


@every_engine
def test_calibration_in_the_large_of_probabilities_of_0_and_1_is_that_of_the_clip_beside_them(engine):
    # With e the clip: 3 queries at 1 - e and 2 at e, 3 positives; the rates 1 - e exp(-a) and e exp(a) add up to 3
    # where 3 e exp(-a) = 2 e exp(a), so a = ln(3 / 2) / 2. With two of each and 2 positives it is 0 by symmetry.
    found = values(engine, [1, 1, 1, 0, 0], [1, 1, 0, 1, 0])
    assert found["calibration_in_the_large"] == pytest.approx(math.log(3 / 2) / 2, abs=1e-12)
    assert values(engine, [1, 0, 0, 1], [1, 0, 1, 0])["calibration_in_the_large"] == pytest.approx(0, abs=1e-12)


@every_engine
def test_calibration_in_the_large_needs_both_classes_and_a_ratio_something_expected(engine):
    assert values(engine, [0.2, 0.4], [1, 1])["calibration_in_the_large"] is None
    assert values(engine, [0.0, 0.0], [1, 0])["observed_expected"] is None


@every_engine
@pytest.mark.parametrize("y", [[0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]], ids=["separated", "reversed", "one-class"])
def test_logistic_recalibration_without_a_finite_solution_is_undefined(engine, y):
    assert values(engine, [0.1, 0.2, 0.7, 0.8], y)["calibration_slope"] is None


@every_engine
def test_candidates_of_all_queries_are_ranked_together_and_the_unretrieved_come_last(engine):
    # Relevant: 3.0 and the unretrieved one. Others: 2.0 and 1.0, and one more unretrieved. Pairs won: 3 of 3, and
    # 0 + 0 + 1/2 of 3.
    run = run_of(
        Asked("q1", candidates=[("a", 1, 3.0), ("b", 0, 2.0), ("c", 1, MISSING)]),
        Asked("q2", candidates=[("d", 0, 1.0), ("e", 0, MISSING)]),
    )
    ours = compute(engine, run, load_contract("field-standard", {"resamples": 0}))
    assert ours.value("auroc[candidate]", "s") == pytest.approx(3.5 / 6)
    # Precision 1 at the first, then 2 of 5 at the last group of equal scores.
    assert ours.value("auprc[candidate]", "s") == pytest.approx((1 + 2 / 5) / 2)


@every_engine
@pytest.mark.parametrize(("rule", "expected"), [("undefined", 2 / 3), ("zero", 1 / 3)])
def test_a_label_that_is_neither_true_nor_predicted_is_left_out_of_macro_f1_or_counts_as_zero(engine, rule, expected):
    # At 0.5, label A: TP 1, FP 1, FN 0, so F1 is 2/3; label B: nothing true and nothing predicted.
    run = run_of(
        Asked("a1", y=1, p=0.9, label="A", cluster="c1"),
        Asked("a2", y=0, p=0.8, label="A", cluster="c2"),
        Asked("b1", y=0, p=0.2, label="B", cluster="c1"),
        Asked("b2", y=0, p=0.1, label="B", cluster="c2"),
    )
    ours = compute(engine, run, load_contract("field-standard", {"resamples": 0, "zero_division": rule}))
    assert ours.value("f1[macro:label]", "s") == pytest.approx(expected)


def debiased(engine, p, y):
    run = run_of(*(Asked(f"q{i}", y=truth, p=prob) for i, (prob, truth) in enumerate(zip(p, y, strict=True))))
    contract = with_every_variant(load_contract("field-standard", {"resamples": 0}))
    return compute(engine, run, contract).value("ece[debiased]", "s")


@every_engine
@pytest.mark.parametrize(
    ("p", "y", "expected"),
    [
        # Two bins of four: (.75 - .2)² - .75 × .25 / 3 = .24 and (1 - .8)² - 0 = .04.
        ([0.2] * 4 + [0.8] * 4, [1, 1, 1, 0, 1, 1, 1, 1], math.sqrt((0.24 + 0.04) / 2)),
        # No gap at all, and chance would add .25 / 3: not below 0.
        ([0.5] * 4, [1, 0, 1, 0], 0),
        # The query alone in its bin adds nothing but counts: 4 × .24 / 5.
        ([0.2] * 4 + [0.9], [1, 1, 1, 0, 0], math.sqrt(4 * 0.24 / 5)),
        # Every query alone: no variance can be estimated.
        ([0.1, 0.5, 0.9], [0, 1, 1], None),
    ],
)
def test_the_debiased_calibration_error_takes_off_what_chance_adds(engine, p, y, expected):
    found = debiased(engine, p, y)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@every_engine
def test_the_debiased_calibration_error_is_that_of_its_authors_library(engine):
    # unbiased_square_ce of uncertainty-calibration 0.1.4 on these ten bins: 0.021408965507583286.
    p = [(i * 37 % 101) / 101 for i in range(1, 81)]
    y = [int((i * 53 % 97) / 97 < probability**2) for i, probability in zip(range(1, 81), p, strict=True)]
    assert debiased(engine, p, y) == pytest.approx(math.sqrt(0.021408965507583286), abs=1e-12)
