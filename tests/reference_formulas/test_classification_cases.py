"""Classification, calibration and operating points against hand arithmetic, with the public source of each case."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest

from reportgen.contracts import load_contract
from reportgen.reference import classification
from reportgen.reference.calibration import brier, expected_calibration_error, surprise
from reportgen.reference.classification import DecisionCounts
from tests.reference.engines import reference_values
from tests.support.small_runs import Asked, Recorded, Tuned, run_of

TEN = (10, "left_closed_last_closed", "mean")


def pairs(p, y):
    return list(zip(p, y, strict=True))


def test_auroc_of_one_class_is_undefined():
    # scikit-learn/scikit-learn#30079, #30103, #27412.
    assert classification.auroc(pairs([0.1, 0.2, 0.3], [0, 0, 0])) is None
    assert classification.auroc([]) is None


def test_undefined_folds_are_left_out_of_the_fold_mean():
    # Fold f1: 4 of 5 pairs in order, .8. Fold f2: one class. Fold f3: 9 of 10, .9. Mean .85, neither .733 nor .567.
    folds = {"f1": ([5], [1, 2, 3, 4, 6]), "f2": ([], [1]), "f3": ([10], [*range(1, 10), 11])}
    run = run_of(
        *(
            Asked(f"{fold}.{y}.{i}", y=y, p=value / 20, fold=fold, cluster=fold)
            for fold, classes in folds.items()
            for y, values in ((1, classes[0]), (0, classes[1]))
            for i, value in enumerate(values)
        )
    )
    values = reference_values(run, load_contract())
    assert [values[f"auroc|s|all_queries|fold={fold}"] for fold in folds] == [0.8, None, 0.9]
    assert values["auroc|s|all_queries|fold_mean"] == pytest.approx(0.85, abs=1e-12)


def test_average_precision_without_positives_is_undefined_and_without_negatives_one():
    # scikit-learn/scikit-learn#8245.
    assert classification.average_precision(pairs([0.1] * 5, [0] * 5)) is None
    assert classification.average_precision(pairs([0.3, 0.2, 0.1], [1] * 3)) == 1


def test_auroc_counts_ties_half_and_is_never_flipped():
    # xrobin/pROC#61 and #22.
    assert classification.auroc(pairs([0.5] * 4, [1, 0, 1, 0])) == Fraction(1, 2)
    assert classification.auroc(pairs([0.9, 0.8, 0.1, 0.2], [0, 0, 1, 1])) == 0
    # Positives .6, .4 and negatives .4, .2: three pairs in order and one tie of four.
    assert classification.auroc(pairs([0.6, 0.4, 0.4, 0.2], [1, 1, 0, 0])) == Fraction(7, 8)


def test_where_no_threshold_is_feasible_everything_is_rejected():
    # scikit-learn/scikit-learn#26193 and #26194: the threshold is null, not infinity.
    best = classification.best_under_budget(classification.roc_curve(pairs([0.9, 0.1], [0, 1])), 0.0)
    assert best == classification.OperatingPoint(None, Fraction(0), Fraction(0))
    assert not best.accepts(1.0)
    assert json.dumps(best.threshold, allow_nan=False) == "null"


@pytest.mark.parametrize(
    ("case", "budget", "expected"),
    [
        (pairs([0.9, 0.8, 0.7, 0.6, 0.5, 0.1], [1, 1, 0, 1, 0, 0]), 0.34, (0.6, "1", "1/3")),
        (pairs([0.9, 0.8, 0.7, 0.6, 0.5, 0.1], [1, 1, 0, 1, 0, 0]), 0.2, (0.8, "2/3", "0")),
        # Equal TPR: the lower FPR wins.
        (pairs([0.9, 0.5, 0.1], [1, 0, 0]), 0.6, (0.9, "1", "0")),
        (pairs([0.9, 0.6, 0.4, 0.4], [1, 0, 1, 0]), 0.6, (0.9, "1/2", "0")),
    ],
)
def test_the_threshold_has_the_highest_tpr_within_the_budget(case, budget, expected):
    threshold, tpr, fpr = expected
    best = classification.best_under_budget(classification.roc_curve(case), budget)
    assert best == classification.OperatingPoint(threshold, Fraction(tpr), Fraction(fpr))
    assert classification.roc_tpr(case, budget) == Fraction(tpr)
    assert classification.roc_threshold(case, budget) == (threshold if best.tpr else None)


def test_no_collinear_point_of_the_curve_is_dropped():
    # Five pairs of a positive and a negative tied with each other: the point (2/5, 2/5) must stay.
    p = [value for i in range(5) for value in (i / 10, i / 10)]
    assert classification.roc_tpr(pairs(p, [1, 0] * 5), 0.4) == Fraction(2, 5)


def test_a_budget_is_read_as_the_decimal_it_is_written_as():
    # 3 of 100 negatives lie above the positive. The float 0.03 is a little below 3/100.
    negatives = [0.9] * 3 + [0.1] * 97
    assert Fraction(0.03) < Fraction(3, 100)
    assert classification.roc_tpr(pairs([0.5, *negatives], [1] + [0] * 100), 0.03) == 1


def test_thresholds_come_from_tune_of_the_fold_and_rates_from_the_evaluation():
    # Fold f1, TUNE: .8 is the lowest threshold without a false positive. Evaluation: .85+ hit, .5+ missed, .9- alarm.
    # Fold f2, TUNE: .3 likewise. Evaluation: .3+ hit (p = t is positive), .2- no alarm.
    run = run_of(
        Asked("a", y=1, p=0.85, fold="f1", cluster="c1"),
        Asked("b", y=1, p=0.5, fold="f1", cluster="c1"),
        Asked("c", y=0, p=0.9, fold="f1", cluster="c1"),
        Asked("d", y=1, p=0.3, fold="f2", cluster="c2"),
        Asked("e", y=0, p=0.2, fold="f2", cluster="c2"),
        tune=[Tuned(0.8, 1, "f1"), Tuned(0.7, 0, "f1"), Tuned(0.3, 1, "f2"), Tuned(0.1, 0, "f2")],
    )
    values = reference_values(run, load_contract())
    expected = {"pooled": (2 / 3, 1 / 2), "fold=f1": (1 / 2, 1.0), "fold=f2": (1.0, 0.0), "fold_mean": (3 / 4, 1 / 2)}
    for aggregation, (tpr, fpr) in expected.items():
        assert values[f"tpr@fpr=0.05|s|all_queries|{aggregation}"] == pytest.approx(tpr, abs=1e-12)
        assert values[f"fpr_achieved@fpr=0.05|s|all_queries|{aggregation}"] == pytest.approx(fpr, abs=1e-12)
    # On the same set, fold f1 alone cannot accept anything; fold f2 is perfect; together, the alarm at .9 comes first.
    same = [
        values[f"roc_tpr@fpr=0.05|s|all_queries|{aggregation}"]
        for aggregation in ("pooled", "fold=f1", "fold=f2", "fold_mean")
    ]
    assert same == [0.0, 0.0, 1.0, 0.5]


def test_a_fold_whose_tune_has_one_class_has_no_threshold():
    run = run_of(
        Asked("a", y=1, p=0.9, fold="f1", cluster="c1"),
        Asked("b", y=1, p=0.9, fold="f2", cluster="c2"),
        tune=[Tuned(0.8, 1, "f1"), Tuned(0.8, 1, "f2"), Tuned(0.1, 0, "f2")],
    )
    values = reference_values(run, load_contract())
    aggregations = ("pooled", "fold=f1", "fold=f2", "fold_mean")
    assert [values[f"tpr@fpr=0.1|s|all_queries|{aggregation}"] for aggregation in aggregations] == [
        None,
        None,
        1.0,
        1.0,
    ]
    assert values["fpr_achieved@fpr=0.1|s|all_queries|fold=f2"] is None


def test_mcc_is_zero_at_one_constant_margin_and_undefined_at_two():
    # Lightning-AI/torchmetrics#779, scikit-learn/scikit-learn#28509, haifengl/smile#879.
    assert classification.mcc(DecisionCounts.count(zip([False] * 3, [1, 0, 1], strict=True))) == 0
    assert classification.mcc(DecisionCounts(tp=1, fp=1, fn=0, tn=0)) == 0
    assert classification.mcc(DecisionCounts.count(zip([False] * 3, [0, 0, 0], strict=True))) is None
    large = DecisionCounts(tp=50_000, fp=5_000, fn=5_000, tn=50_000)
    assert classification.mcc(large) == pytest.approx((2.5e9 - 2.5e7) / 55_000**2, abs=1e-12)
    assert classification.mcc(large) == pytest.approx(0.818182, abs=5e-7)


def test_f1_at_the_recorded_threshold_uses_the_threshold_of_each_fold():
    # Thresholds .5 and .2: predictions 1 1 | 1 0 for truths 1 0 | 1 1, so TP 2, FP 1, FN 1, TN 0.
    run = run_of(
        Asked("a", y=1, p=0.5, fold="f1", cluster="c1"),
        Asked("b", y=0, p=0.6, fold="f1", cluster="c1"),
        Asked("c", y=1, p=0.3, fold="f2", cluster="c2"),
        Asked("d", y=1, p=0.1, fold="f2", cluster="c2"),
        recorded=Recorded({"tau_f1": [0.5, 0.2]}, decision="tau_f1"),
    )
    values = reference_values(run, load_contract())
    assert values["f1@tune|s|all_queries|pooled"] == pytest.approx(2 / 3)
    assert values["f1@tune|s|all_queries|fold_mean"] == pytest.approx(2 / 3)
    assert values["mcc@tune|s|all_queries|pooled"] == pytest.approx(-1 / 3)  # (0 − 1) / √(3·3·1·1)
    # At .5: predictions 1 1 | 0 0, TP 1, FP 1, FN 2.
    assert values["f1@0.5|s|all_queries|pooled"] == pytest.approx(2 / 5)
    assert values["f1@0.5|s|all_queries|fold=f2"] == 0.0
    assert values["mcc@0.5|s|all_queries|fold=f2"] is None


def test_a_fold_without_recorded_threshold_leaves_its_decisions_undefined():
    run = run_of(
        Asked("a", y=1, p=0.5, fold="f1", cluster="c1"),
        Asked("b", y=1, p=0.6, fold="f2", cluster="c2"),
        recorded=Recorded({"tau": [0.4, math.nan]}, decision="tau"),
    )
    values = reference_values(run, load_contract())
    aggregations = ("pooled", "fold=f1", "fold=f2", "fold_mean")
    assert [values[f"f1@tune|s|all_queries|{aggregation}"] for aggregation in aggregations] == [None, 1.0, None, 1.0]


def test_a_probability_of_one_stays_in_the_last_bin():
    # Lightning-AI/torchmetrics#3510 and #1646: |(.95 + 1.0)/2 − .5| = .475; |1 − 1/4| = .75.
    # The float nearest .95 stands for .95, hence the tolerance.
    assert float(expected_calibration_error(pairs([0.95, 1.0], [1, 0]), *TEN)) == pytest.approx(0.475)
    assert expected_calibration_error(pairs([1.0] * 4, [0, 0, 0, 1]), *TEN) == Fraction(3, 4)


def test_a_probability_on_an_edge_belongs_to_the_bin_above():
    # .3 and .25 are in different bins: (|.3 − 1| + |.25 − 0|) / 2 = .475; together they would give .225.
    assert float(expected_calibration_error(pairs([0.3, 0.25], [1, 0]), *TEN)) == pytest.approx(0.475)


@pytest.mark.parametrize("tenth", range(10))
def test_every_tenth_begins_its_own_bin(tenth):
    # With y = 0 at the edge and y = 1 just below, one shared bin would cancel to about |edge − 1/2|.
    edge = tenth / 10
    below = math.nextafter(edge, 0) if tenth else 0.999
    expected = (edge + (1 - below)) / 2
    error = expected_calibration_error(pairs([edge, below], [0, 1]), *TEN)
    assert float(error) == pytest.approx(expected, abs=1e-12)


def test_brier_score_equals_its_decomposition():
    # scikit-learn/scikit-learn#21774, #23767. Reliability .065 − resolution .0625 + uncertainty .1875 = .19.
    assert float(brier(pairs([0.2, 0.2, 0.8, 0.8], [0, 1, 1, 1]))) == pytest.approx(0.065 - 0.0625 + 0.1875)


def test_the_surprise_is_the_negative_logarithm_and_finite_at_zero():
    clip = 2.0**-52
    assert sum(surprise(pair, clip) for pair in ((0.5, 1), (0.25, 0))) == pytest.approx(math.log(2) - math.log(0.75))
    assert surprise((0.0, 1), clip) == pytest.approx(52 * math.log(2))
    assert surprise((1.0, 0), clip) == pytest.approx(52 * math.log(2))
    assert surprise((1.0, 0), 1e-15) == pytest.approx(15 * math.log(10), rel=1e-14)


def test_average_precision_is_not_the_trapezoid():
    # scikit-learn/scikit-learn#13074, #29051: (1 + 2/3 + 3/6) / 3; the trapezoid gives .677778.
    case = pairs([0.9, 0.8, 0.7, 0.6, 0.5, 0.4], [1, 0, 1, 0, 0, 1])
    assert classification.average_precision(case) == pytest.approx((1 + 2 / 3 + 3 / 6) / 3, abs=1e-12)


def test_average_precision_takes_tied_queries_together():
    # One threshold for all: precision 2/4 at recall 1, in whatever order the ties stand.
    assert classification.average_precision(pairs([0.5] * 4, [1, 1, 0, 0])) == Fraction(1, 2)


def test_metrics_of_no_queries_are_undefined():
    assert classification.prevalence([]) is None
    assert brier([]) is None
    assert expected_calibration_error([], *TEN) is None
    assert classification.roc_tpr([], 0.1) is None
