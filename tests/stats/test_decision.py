"""Decision curves and the sweep over TUNE, by hand and against the metrics at single thresholds."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations_with_replacement
from statistics import fmean

import numpy as np
import pytest

from reportgen.contracts import load_contract
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.results import decode, encode
from reportgen.stats.curves import threshold_grid
from tests.metrics.test_operating_point import run
from tests.reference.random_runs import random_run


def results_of(run, **overrides):
    return evaluate(run, load_contract(overrides={"resamples": 0, **overrides}), command="test").results


def curves_of(results):
    return {curve.policy: curve for curve in results.curves if curve.kind == "decision"}


def test_the_grid_holds_the_decimals_between_0_and_1():
    assert threshold_grid(load_contract()).tolist() == [i / 100 for i in range(1, 100)]
    assert threshold_grid(load_contract(overrides={"threshold_step": 0.3})).tolist() == [0.3, 0.6, 0.9]
    assert threshold_grid(load_contract(overrides={"threshold_step": 0.25})).tolist() == [0.25, 0.5, 0.75]


def test_net_benefit_along_the_curves_is_what_the_counts_give_by_hand():
    # Seven queries, three positive. p ≥ 0.2: TP 3, FP 3 at odds 1/4; p ≥ 0.8: TP 1, FP 0; p ≥ 0.95: nobody.
    curves = curves_of(results_of(run()))
    at = {policy: dict(zip(curve.x, curve.y, strict=True)) for policy, curve in curves.items()}
    expected = {0.2: (3 - 3 / 4) / 7, 0.8: 1 / 7, 0.95: 0.0}
    assert {x: at["model"][x] for x in expected} == pytest.approx(expected, abs=1e-9)
    # Treating all: TP 3, FP 4.
    assert at["treat_all"][0.2] == pytest.approx((3 - 4 / 4) / 7, abs=1e-9)
    assert at["treat_all"][0.8] == pytest.approx((3 - 4 * 4) / 7, abs=1e-9)
    assert set(at["treat_none"].values()) == {0.0}
    assert curves["treat_none"].band is None


@pytest.mark.parametrize("aggregation", ["pooled", "fold_mean"])
def test_the_curve_and_its_band_agree_with_the_metric_at_the_same_threshold(aggregation):
    results = results_of(random_run(8), resamples=60, headline_aggregation=aggregation)
    curve = curves_of(results)["model"]
    assert (curve.aggregation, curve.id) == (aggregation, f"decision:model|s|all_queries|{aggregation}")
    for threshold in (0.05, 0.1, 0.2):
        at = curve.x.index(threshold)
        record = results.find(f"net_benefit@pt={threshold:g}", "s", "all_queries", aggregation)
        interval = record.intervals[0]
        found = (curve.y[at], curve.lower[at], curve.upper[at])
        assert found == pytest.approx((record.value, interval.lower, interval.upper), abs=1e-8)


def test_the_curve_of_treating_all_and_its_band_follow_from_the_prevalence():
    results = results_of(random_run(8), resamples=60, headline_aggregation="pooled")
    curve = curves_of(results)["treat_all"]
    prevalence = results.find("prevalence", "s", "all_queries", "pooled")
    odds = np.array(curve.x) / (1 - np.array(curve.x))
    bounds = (prevalence.value, prevalence.intervals[0].lower, prevalence.intervals[0].upper)
    for share, found in zip(bounds, (curve.y, curve.lower, curve.upper), strict=True):
        assert found == pytest.approx(share - (1 - share) * odds, abs=1e-6)


def test_the_curve_of_treating_all_is_averaged_over_folds_where_the_others_are():
    results = results_of(random_run(8), resamples=60, headline_aggregation="fold_mean")
    curve = curves_of(results)["treat_all"]
    share = np.mean([fold.value for fold in results.find("prevalence", "s", "all_queries", "pooled").folds])
    assert curve.y == pytest.approx(share - (1 - share) * np.array(curve.x) / (1 - np.array(curve.x)), abs=1e-6)


def test_the_sweep_reads_sensitivity_precision_and_workload_off_tune():
    # TUNE: positives at 0.9, 0.8, 0.6, negatives at 0.7, 0.5, 0.1.
    (sweep,) = results_of(run(), threshold_step=0.3).sweeps
    assert (sweep.id, sweep.thresholds) == ("tune|s|pooled", (0.3, 0.6, 0.9))
    assert sweep.sensitivity == pytest.approx([1, 1, 1 / 3], abs=1e-9)
    assert sweep.precision == pytest.approx([3 / 5, 3 / 4, 1], abs=1e-9)
    assert sweep.share_reached == pytest.approx([5 / 6, 4 / 6, 1 / 6], abs=1e-9)
    assert sweep.rate == pytest.approx([5000 / 6, 4000 / 6, 1000 / 6], abs=1e-6)


def test_a_cell_of_the_grid_takes_what_is_screened_from_tau_neg_and_what_alerts_from_tau_pos():
    (sweep,) = results_of(run(), threshold_step=0.3).sweeps
    cell = sweep.cell(0, 2)
    # tau_neg = 0.3 keeps all positives among 5 of 6 queries; tau_pos = 0.9 alerts on one, a positive.
    assert (cell.screening_sensitivity, cell.alert_precision) == (1, 1)
    assert (cell.workload, cell.alert_rate) == pytest.approx((5 / 6, 1000 / 6), abs=1e-6)
    # Five reach tau_neg, one of them tau_pos: four are uncertain.
    assert cell.uncertain == pytest.approx(4 / 6, abs=1e-6)
    with pytest.raises(ValueError, match="tau_neg must not be above tau_pos"):
        sweep.cell(2, 0)


def test_a_threshold_that_nothing_reaches_has_no_precision():
    (sweep,) = results_of(run(tune=[(0.5, 1), (0.2, 0)]), threshold_step=0.3).sweeps
    assert (sweep.precision, sweep.share_reached) == ((1.0, None, None), (0.5, 0.0, 0.0))


def test_the_sweep_averages_folds_and_looks_at_no_label_of_eval():
    one = random_run(8)
    other = replace(one, queries=replace(one.queries, y_true=1 - one.queries.y_true))
    (sweep,) = results_of(one).sweeps
    assert results_of(other).sweeps == (sweep,)
    tune, at = one.systems[0].tune, sweep.thresholds.index(0.5)
    reached = [np.mean(tune.y_prob[tune.fold == fold] >= 0.5) for fold in range(4)]
    found = [np.mean(tune.y_prob[(tune.fold == fold) & (tune.y_true == 1)] >= 0.5) for fold in range(4)]
    assert sweep.aggregation == "fold_mean"
    assert sweep.share_reached[at] == pytest.approx(np.mean(reached), abs=1e-9)
    assert sweep.sensitivity[at] == pytest.approx(np.mean(found), abs=1e-9)


def test_every_point_of_the_grid_is_what_a_loop_over_the_rows_of_the_file_counts(tmp_path):
    rng = np.random.default_rng(12)
    # TUNE parts of two folds; scores of two digits lie on the thresholds. 0.9 and above is reached in one fold alone.
    rows = [(k % 2, int(rng.random() < 0.3 + 0.4 * (k % 2)), round(rng.uniform(0, 0.9) + 0.09 * (k % 2), 2))
            for k in range(60)]  # fmt: skip
    tune = ["query,cluster,fold,y_true,system,y_prob"] + [
        f"t{k},{'ba'[fold]}{k},{fold},{y},s,{p}" for k, (fold, y, p) in enumerate(rows)
    ]
    ours = [tune[0]] + [f"q{k},{'ab'[k % 2]}{k},{k % 2},{k // 2 % 2},s,0.5" for k in range(8)]
    (tmp_path / "tune.csv").write_text("\n".join(tune) + "\n", encoding="utf-8")
    (tmp_path / "predictions.csv").write_text("\n".join(ours) + "\n", encoding="utf-8")
    files = '[files]\npredictions = "predictions.csv"\ntune = "tune.csv"\n'
    (tmp_path / "run.toml").write_text(f'title = "Grid"\nsynthetic = true\n{files}', encoding="utf-8")
    (sweep,) = results_of(read_run(tmp_path)).sweeps
    folds = [[(y, p) for f, y, p in rows if f == fold] for fold in (0, 1)]
    found, expected = [], []
    for i, j in combinations_with_replacement(range(99), 2):
        low, high = (i + 1) / 100, (j + 1) / 100
        positives = [[p for y, p in fold if y] for fold in folds]
        alerts = [[y for y, p in fold if p >= high] for fold in folds]
        precision = [sum(alert) / len(alert) for alert in alerts if alert]
        cell = sweep.cell(i, j)
        found.append((cell.screening_sensitivity, cell.alert_precision, cell.workload, cell.alert_rate, cell.uncertain))
        expected.append((
            fmean(sum(p >= low for p in fold) / len(fold) for fold in positives),
            fmean(precision) if precision else None,
            fmean(sum(p >= low for _, p in fold) / len(fold) for fold in folds),
            1000 * fmean(len(alert) / len(fold) for alert, fold in zip(alerts, folds, strict=True)),
            fmean(sum(low <= p < high for _, p in fold) / len(fold) for fold in folds),
        ))  # fmt: skip
    # Nothing reaches the highest thresholds, and there precision is undefined; a little lower one fold alone has it.
    assert len(found) == 99 * 100 / 2
    assert [row[1] is None for row in found] == [row[1] is None for row in expected]
    assert {len([alert for alert in folds if any(p >= t for _, p in alert)]) for t in (0.8, 0.93, 0.99)} == {0, 1, 2}
    assert np.array(found, dtype=float) == pytest.approx(
        np.array(expected, dtype=float), rel=1e-9, abs=1e-9, nan_ok=True
    )


def test_curves_and_sweeps_survive_the_file(tmp_path):
    results = results_of(random_run(8), resamples=10)
    assert decode(encode(results), tmp_path / "metrics_master.json") == results
