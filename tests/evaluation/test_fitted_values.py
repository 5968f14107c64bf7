"""Values that are fitted to all rows in the results: intervals, errors, differences and their tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from reportgen.contracts import load_contract
from reportgen.domain.metric_id import MetricId
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.metrics.registry import find
from reportgen.metrics.statistics import NotResampled
from reportgen.metrics.weights import draws_of
from tests.evaluation.test_comparisons import compared, several
from tests.evaluation.test_trainings import SEEDS, write
from tests.reference.random_runs import random_run
from tests.support.words import said

CONTRACT = replace(load_contract(overrides={"resamples": 50}), primary=())


def fitted(results):
    """The values that are fitted to all rows; a threshold that was chosen on them is one without an error."""
    return [
        record
        for record in results.results
        if record.value is not None
        and isinstance(find(MetricId.parse(record.metric)).statistic, NotResampled)
        and not record.metric.startswith(("roc_threshold", "ece[equal_mass]"))
    ]


@pytest.fixture(scope="module")
def results():
    return evaluate(random_run(5), CONTRACT, command="test").results


def test_every_fitted_value_has_an_interval_an_error_and_a_design_effect(results):
    found = fitted(results)
    names = {"auroc[candidate]", "auprc[candidate]", "calibration_slope", "calibration_intercept",
             "calibration_in_the_large"}  # fmt: skip
    names |= {f"brier[{part}]" for part in ("reliability", "resolution", "miscalibration", "discrimination")}
    assert {record.metric for record in found} == names
    for record in found:
        shown = record.intervals[0]
        assert shown.method_used == "linearized"
        assert shown.lower < record.value < shown.upper
        assert record.se > 0
        assert record.n.design_effect > 0
        low, high = find(MetricId.parse(record.metric)).range
        assert low is None or shown.lower >= low
        assert high is None or shown.upper <= high
        assert ", linearized;" in record.interpretation


def test_the_settings_of_linearized_intervals_say_what_they_are_over(results):
    record = fitted(results)[0]
    settings = results.interval_settings[record.intervals[0].settings]
    assert (settings.method, settings.unit, settings.strata) == ("linearized", "cluster", "fold")
    assert (settings.resamples, settings.seed, settings.level) == (0, 0, 0.95)


def test_the_unit_of_the_contract_chooses_the_error(results):
    single = replace(CONTRACT, conventions={**CONTRACT.conventions, "interval_unit": "query"})
    other = evaluate(random_run(5), single, command="test").results
    for record in fitted(results):
        of_rows = other.find(record.metric, record.system, record.subset, record.aggregation)
        # Errors are stored with six digits.
        assert (record.se / of_rows.se) ** 2 == pytest.approx(record.n.design_effect, rel=1e-4)


def test_intervals_of_fits_need_no_resamples():
    none = replace(CONTRACT, conventions={**CONTRACT.conventions, "resamples": 0})
    found = fitted(evaluate(random_run(5), none, command="test").results)
    assert all(record.intervals[0].method_used == "linearized" for record in found)


def test_a_difference_of_fits_has_a_paired_interval_and_walds_test_with_the_others_of_its_family():
    found = compared(several(2, family=("calibration_slope", "brier")))
    slope, brier = found.comparisons
    (interval,) = slope.intervals
    assert interval.method_used == "linearized"
    (test,) = slope.tests
    assert test.name == "Wald t test linearized over clusters"
    # The interval of t and the test of t are of one error: half the width is that error times the quantile.
    run = several(2)
    degrees = sum(int((run.cluster_fold == fold).sum()) - 1 for fold in range(len(run.folds)))
    error = (interval.upper - interval.lower) / 2 / stats.t.ppf(0.975, degrees)
    assert test.statistic == pytest.approx(slope.difference / error, rel=1e-6)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(test.statistic), degrees), rel=1e-6)
    assert slope.smallest_detectable == pytest.approx(
        (stats.norm.ppf(1 - 0.05 / 4) + stats.norm.ppf(0.8)) * error, rel=1e-6
    )
    # Holm over both: the smaller p doubles.
    raw = sorted((test, brier.tests[0]), key=lambda one: one.p)
    assert raw[0].p_adjusted == pytest.approx(min(2 * raw[0].p, 1))
    assert {one.family_size for one in raw} == {2}
    # Paired: the two outputs go together, so the error is below that of independent systems.
    errors = [found.find("calibration_slope", system, slope.subset, slope.aggregation).se for system in ("s0", "s1")]
    assert error < (errors[0] ** 2 + errors[1] ** 2) ** 0.5


def test_under_max_t_a_family_with_a_fit_is_adjusted_after_holm():
    info = {"adjustment": "max_t"}
    both = compared(several(2, family=("calibration_slope", "brier"), **info))
    assert {c.tests[0].adjustment for c in both.comparisons} == {"holm"}
    alone = compared(several(2, family=("auroc", "brier"), **info))
    assert {c.tests[0].adjustment for c in alone.comparisons} == {"max_t"}


def test_a_fit_over_trainings_has_the_interval_of_their_mean(tmp_path):
    run = read_run(write(tmp_path / "seeds"))
    mean = evaluate(run, CONTRACT, command="test").results
    each = evaluate(run.trained, CONTRACT, command="test").results
    record = mean.find("brier[reliability]", "gnn", "all_queries", "pooled")
    assert record.value == pytest.approx(
        sum(each.find("brier[reliability]", f"gnn/seed={seed}", "all_queries", "pooled").value for seed in SEEDS) / 3
    )
    shown = record.intervals[0]
    assert shown.method_used == "linearized"
    assert shown.lower < record.value < shown.upper
    # The mean is no less certain than the least certain training.
    assert record.se <= max(
        each.find("brier[reliability]", f"gnn/seed={seed}", "all_queries", "pooled").se for seed in SEEDS
    )


def test_sentences_and_captions_name_the_tests_and_intervals_of_each_metric():
    found = compared(several(3, family=("calibration_slope", "brier", "auroc")))
    slope = next(c for c in found.comparisons if c.metric == "calibration_slope")
    assert ", linearized; " in slope.interpretation
    assert not any("linearized" in c.interpretation for c in found.comparisons if c.metric != "calibration_slope")
    assert said(found, "tests.made(results.comparisons, draws=true)").startswith(
        "p: two-sided permutation within clusters (200 draws), of Calibration slope two-sided Wald t test linearized "
        "over clusters; Holm-adjusted for "
    )
    assert said(found, "intervals.paired(results.comparisons)") == (
        "95 % paired bootstrap intervals, of Calibration slope paired linearized intervals"
    )
    alone = [c for c in found.comparisons if c.metric == "brier"]
    assert said(found, "tests.made(compared)", compared=alone).startswith("p: two-sided permutation within clusters;")
    assert said(found, "intervals.paired(compared)", compared=alone) == "95 % paired bootstrap intervals"
    assert said(found, "tests.made([])") == said(found, "intervals.of_differences([])") == ""


def test_the_error_over_bins_of_equal_mass_is_resampled_with_its_bins_as_they_are():
    run = random_run(5)
    contract = replace(CONTRACT, conventions={**CONTRACT.conventions, "resamples": 40, "interval_strata": "none"})
    contract = replace(contract, metrics=("ece[equal_mass]",), headline=(), primary=(), targets=())
    found = evaluate(run, contract, command="test").results
    record = found.find("ece[equal_mass]", "s", "all_queries", "pooled")
    shown = record.intervals[0]
    assert shown.method_used == "recentred"
    assert shown.lower <= record.value <= shown.upper
    # The same by hand: clusters drawn as often as in the product, bins by rank in the data, the two bounds of squares.
    y, p = run.queries.y_true, run.systems[0].y_prob
    bins = np.unique(np.searchsorted(np.sort(p), p, side="left") * 10 // len(p), return_inverse=True)[1]
    [block] = [block for block in draws_of(run, contract).blocks() if not block.is_first]
    weights = block.counts[:, run.queries.cluster].astype(float)
    drawn = np.zeros(len(weights))
    for index in range(bins.max() + 1):
        drawn += np.abs((weights * np.where(bins == index, p - y, 0.0)).sum(axis=1))
    drawn /= weights.sum(axis=1)
    squares, square = np.sort(drawn**2), record.value**2
    lower = max(2 * square - np.quantile(squares, 0.975), 0) ** 0.5
    upper = (square + squares.mean() - np.quantile(squares, 0.025)) ** 0.5
    assert (shown.lower, shown.upper) == pytest.approx((lower, upper), rel=1e-6)
