"""Data without spread: a named interval, a note beside the number, never NaN and never a width of nothing unsaid."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.domain.record import Interval
from reportgen.evaluation import evaluate
from reportgen.evaluation.intervals import (
    INSTEAD_OF_BCA,
    UNMOVED,
    WITHOUT_ERROR,
    WITHOUT_WIDTH,
    undefined_resamples,
)
from reportgen.metrics.registry import find
from reportgen.metrics.statistics import NotResampled
from reportgen.results import encode
from tests.support.small_runs import Asked, Recorded, Tuned, in_order, run_of

N = 16
RESAMPLES = 30


def asked(y, p, cluster=lambda i: f"c{i:02}", fold=lambda i: "f1"):
    """16 queries of one label; a positive one has its relevant candidate first, and is in state POS."""
    return [
        Asked(
            f"q{i:02}", y=y(i), p=p(i), state="POS" if y(i) else "NEG", k=y(i), candidates=in_order(y(i), 0),
            cluster=cluster(i), fold=fold(i),
        )
        for i in range(N)
    ]  # fmt: skip


def tune(p, folds=("f1",)):
    return [Tuned(p(i), i % 2, fold=fold, cluster=f"t{i % 5}") for fold in folds for i in range(12)]


def odd(i):
    return i % 2


RUNS = {
    "constant score": (asked(odd, lambda i: 0.5), tune(lambda i: 0.5)),
    "one class": (asked(lambda i: 0, lambda i: i / N), tune(lambda i: i / 12)),
    "perfect": (asked(odd, lambda i: float(i % 2)), tune(lambda i: float(i % 2))),
    "perfectly wrong": (asked(odd, lambda i: 1.0 - i % 2), tune(lambda i: float(i % 2))),
    "a single cluster": (asked(odd, lambda i: i * 7 % N / N, lambda i: "c"), tune(lambda i: i / 12)),
    "one cluster in each fold": (
        asked(odd, lambda i: i * 7 % N / N, lambda i: f"c{i % 4}", lambda i: f"f{i % 4}"),
        tune(lambda i: i / 12, ("f0", "f1", "f2", "f3")),
    ),
    "one class in each fold": (asked(odd, lambda i: i / N, fold=lambda i: f"f{i % 2}"), tune(odd, ("f0", "f1"))),
    "equal folds": (asked(lambda i: i // 2 % 2, lambda i: i // 2 % 2, fold=lambda i: f"f{i % 2}"), ()),
    "one positive": (asked(lambda i: int(i == 3), lambda i: i / N), tune(lambda i: i / 12)),
    "clusters of one class": (asked(lambda i: i // 8, lambda i: i // 8 / 2, lambda i: f"c{i // 4}"), ()),
}
CONTRACTS = [
    {},
    {"interval_method": "bca", "interval_strata": "none", "band": "simultaneous"},
    {"interval_unit": "query", "interval_strata": "fold_label"},
]
CASES = [(name, contract) for name in RUNS for contract in CONTRACTS]
CASES += [("one positive", {"resamples": n}) for n in (0, 1)]


def results_of(run, **overrides):
    return evaluate(run, load_contract(overrides={"resamples": RESAMPLES, **overrides}), command="test").results


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("name", "overrides"), CASES, ids=str)
def test_no_interval_is_without_width_unsaid_and_no_number_is_none(name, overrides):
    rows, tuned = RUNS[name]
    folds = sorted({row.fold for row in rows})
    recorded = Recorded({"tau": [0.5] * len(folds)}, decision="tau")
    run = run_of(*rows, tune=tuned, recorded=recorded, with_labels=False)
    results = results_of(replace(run, systems=(*run.systems, replace(run.systems[0], id="t", label="T"))), **overrides)
    # A strict parser: Python's own would take NaN and Infinity.
    json.loads(encode(results), parse_constant=pytest.fail)
    for record in results.results:
        assert all(one.degenerate == (one.lower == one.upper) for one in record.intervals), record.id
        assert all(one.lower <= record.value <= one.upper for one in record.intervals), record.id
        shown = record.intervals[0] if record.intervals else None
        if shown is not None and shown.degenerate:
            assert (UNMOVED if shown.method_used == "linearized" else WITHOUT_WIDTH) in record.notes, record.id
            statistic = find(MetricId.parse(record.metric)).statistic
            assert getattr(statistic, "proportion", None) is None, record.id
        if shown is None and record.value is not None and "resamples" not in overrides:
            assert isinstance(find(MetricId.parse(record.metric)).statistic, NotResampled), record.id
            assert f"No interval: {WITHOUT_ERROR}." in record.notes, record.id
    for comparison in results.comparisons:
        for interval in comparison.intervals[:1]:
            assert (WITHOUT_WIDTH in comparison.notes) == interval.degenerate
    assert all(math.isfinite(y) for curve in results.curves for y in (*curve.y, *curve.lower, *curve.upper))


def test_an_interval_of_equal_resamples_is_the_value_in_all_digits():
    # WandeRum/multiROC issue 4: seven forecasts of .2095 for seven negatives; not [0.209, 0.209] around 0.210.
    rows = [Asked(f"q{i}", y=0, p=0.2095, cluster=f"c{i // 2}") for i in range(7)]
    record = pooled(results_of(run_of(*rows, with_labels=False)), "ece")
    assert record.value == pytest.approx(0.2095, abs=1e-15)
    assert [(one.lower, one.upper) for one in record.intervals] == [(record.value, record.value)]
    assert (record.display.value, record.display.interval) == ("0.210", "[0.210, 0.210]")


def pooled(results, metric, subset="all_queries"):
    return results.find(metric, "s", subset, "pooled")


def test_a_rate_per_1000_has_wilsons_interval_per_1000():
    # 16 queries, none in state NEG and positive: Wilson's upper bound of 0/16 is z² / (16 + z²) = 0.193608.
    record = pooled(results_of(run_of(*asked(odd, odd), with_labels=False)), "screening_fn")
    z2 = 1.959963984540054**2
    assert (record.value, record.intervals[0].method_used) == (0, "wilson")
    assert record.intervals[0].upper == pytest.approx(1000 * z2 / (16 + z2), rel=1e-9)
    assert record.display.interval == "[0.00, 193.61]"
    # 8/16 in state POS, every query its own cluster: (16 - 1) / 16 of the plain variance is 8/16 · 8/16 / 15.
    alerts = pooled(results_of(run_of(*asked(odd, odd), with_labels=False)), "alert_rate")
    wilson = next(one for one in alerts.intervals if one.method_used == "wilson")
    half = math.sqrt(z2 / 4 / 15 + z2**2 / (4 * 15**2)) / (1 + z2 / 15)
    assert (wilson.lower, wilson.upper) == pytest.approx((1000 * (0.5 - half), 1000 * (0.5 + half)), rel=1e-9)


def test_wilson_in_place_of_a_bootstrap_says_what_it_cannot_know():
    both = [
        pooled(results_of(run_of(*asked(odd, odd, cluster), with_labels=False)), "alert_precision").notes
        for cluster in (lambda i: f"c{i:02}", lambda i: f"c{i // 4}")
    ]
    assert both[0] == ("The resamples agree, so Wilson's interval is shown in place of theirs.",)
    assert "takes the queries of a cluster as independent" in both[1][0]


def test_resamples_that_lose_a_fold_are_counted_and_said():
    # One positive in each of two folds of eight: a fold is drawn without its own with (7/8)^8 = 0.344, one of the two
    # with 1 - 0.656² = 0.569: 228 of 400, SD 9.9.
    rows = asked(lambda i: int(i < 2), lambda i: i * 7 % N / N, fold=lambda i: f"f{i % 2}")
    results = results_of(run_of(*rows, with_labels=False), resamples=400)
    (note,) = (note for note in results.find("auroc", "s", "all_queries", "fold_mean").notes if "a fold" in note)
    lost = int(note.removeprefix("In ").split(" of 400 ")[0])
    assert lost == pytest.approx(400 * (1 - (1 - (7 / 8) ** 8) ** 2), abs=40)
    assert not any("a fold" in note for note in pooled(results, "auroc").notes)


def test_a_percentile_interval_in_place_of_bca_is_said_to_be_one():
    # K is 0 or 1, so that the median over queries falls on one of the two in nearly all resamples: BCa has no use.
    rows = asked(lambda i: int(i % 8 < 5), lambda i: i / N, cluster=lambda i: f"c{i // 2}")
    results = results_of(run_of(*rows, with_labels=False), interval_method="bca", resamples=400)
    bca = {at for at, one in enumerate(results.interval_settings) if one.method == "cluster_bca"}
    other = [r for r in results.results if r.intervals and r.intervals[0].settings in bca]
    fell_back = [r for r in other if r.intervals[0].method_used == "percentile" and not r.intervals[0].degenerate]
    assert fell_back
    for record in other:
        assert (INSTEAD_OF_BCA in record.notes) == (record in fell_back), record.id


def test_without_resamples_no_heuristic_stands_alone():
    results = results_of(run_of(*RUNS["equal folds"][0], with_labels=False), resamples=0)
    assert results.find("brier", "s", "all_queries", "fold_mean").intervals == ()
    assert len(results.folds) == 2


@pytest.mark.parametrize(
    ("n_clusters", "n_folds", "says"),
    [
        # 1 - sqrt(1 - 5/20) = 0.134; 1 - sqrt(1 - 1/20) = 0.025; 1 - sqrt(1 - 5/60) = 0.043, below 0.05.
        (
            20,
            5,
            "20 clusters in 5 strata, the smallest of 4 clusters, so they are about 13 % too short.",
        ),
        (20, 1, "20 clusters, so they are about 3 % too short."),
        (4, 4, "4 clusters in 4 strata, the smallest of 1 cluster, so they have no width."),
        (60, 5, None),
    ],
)
def test_intervals_of_few_clusters_are_said_to_be_too_short(n_clusters, n_folds, says):
    rows = [Asked(f"q{i}", y=i % 2, p=0.5, cluster=f"c{i:02}", fold=f"f{i % n_folds}") for i in range(n_clusters)]
    found = [check for check in results_of(run_of(*rows, with_labels=False)).checks if check.code == "RG255"]
    assert [check.message for check in found] == ([] if says is None else [f"Intervals rest on {says}"])


def test_probabilities_of_0_and_1_have_a_log_loss_at_the_smallest_clip():
    # Wrong at a distance of 2^-53 from certainty costs 53 log 2, right there next to nothing.
    queries, tuned = RUNS["perfectly wrong"]
    contract = load_contract("field-standard", {"resamples": 0, "log_loss_clip": 2.0**-53})
    results = evaluate(run_of(*queries, tune=tuned), contract, command="test").results
    (value,) = [one.value for one in results.results if one.id == "log_loss|s|all_queries|pooled"]
    assert value == pytest.approx(53 * math.log(2), rel=1e-12)


@pytest.mark.parametrize("name", ["a single cluster", "one cluster in each fold"])
def test_a_single_cluster_per_fold_leaves_what_is_fitted_to_all_rows_without_interval_and_says_so(name):
    queries, tuned = RUNS[name]
    results = results_of(run_of(*queries, tune=tuned, with_labels=False))
    fitted = [
        one
        for one in results.results
        if one.status == "ok" and isinstance(find(MetricId.parse(one.metric)).statistic, NotResampled)
    ]
    assert {"calibration_slope", "brier[miscalibration]"} & {one.metric for one in fitted}
    for record in fitted:
        if record.metric == "ece[equal_mass]":  # resampled with its bins as they are, as the other calibration errors
            continue
        assert not any(interval.method_used == "linearized" for interval in record.intervals)
        assert f"No interval: {WITHOUT_ERROR}." in record.notes


@pytest.mark.parametrize(("n", "is_said"), [(0, False), (100, False), (101, True), (2_999, True)])
def test_more_than_one_resample_in_a_hundred_without_a_value_is_said(n, is_said):
    lost, whole = (Interval(lower=0.1, upper=0.2, settings=0, failed=failed) for failed in (n, 0))
    notes = [*undefined_resamples((whole, lost), 10_000, 0), *undefined_resamples((whole,), 10_000, n)]
    beginnings = (f"{n:,} of 10,000 resamples are undefined", f"In {n:,} of 10,000 resamples a fold has no value")
    assert len(notes) == (2 if is_said else 0)
    assert all(note.startswith(beginning) for note, beginning in zip(notes, beginnings, strict=False))
