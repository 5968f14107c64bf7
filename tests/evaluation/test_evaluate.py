"""An evaluation as a whole: aggregations, reasons, signatures, sentences, determinism."""

from __future__ import annotations

import math
import pickle
import threading
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from reportgen.contracts import load_contract
from reportgen.domain.contract import ContractTarget
from reportgen.domain.record_facts import Noun, Units
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.metrics import scores, weights
from reportgen.results import decode, encode
from tests.reference.random_runs import random_run
from tests.support.small_runs import Asked, Recorded, Tuned, in_order, run_of

CONTRACT = load_contract(overrides={"resamples": 200})


def results_of(run, contract=CONTRACT, **options):
    return evaluate(run, contract, command="test", **options).results


@pytest.fixture(scope="module")
def results():
    return results_of(random_run(5))


@pytest.mark.usefixtures("at_once")
def test_the_same_run_gives_the_same_bytes_whatever_the_jobs_and_batches(results, monkeypatch):
    monkeypatch.setattr(scores, "_WORKING_SET", 500)
    assert encode(results_of(random_run(5), jobs=2)) == encode(results)


def test_more_processors_than_systems_share_the_resamples_of_one_and_change_no_bit(monkeypatch):
    whole = random_run(5)
    run = replace(whole, systems=whole.systems[:1])
    alone = encode(results_of(run))
    monkeypatch.setattr(weights, "_BLOCK_CELLS", 16 * len(run.clusters))  # 16 resamples to a block
    met, draw = threading.Barrier(3, timeout=60), weights.Draws.block

    def meeting(draws, rows):
        if rows.start in (1, 17, 33):  # three blocks at once, or none of them goes on
            met.wait()
        return draw(draws, rows)

    monkeypatch.setattr(weights.Draws, "block", meeting)
    assert encode(results_of(run, jobs=3)) == alone


def test_what_goes_wrong_among_the_resamples_is_raised(monkeypatch):
    monkeypatch.setattr(weights, "_draw", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        results_of(random_run(5))


def test_another_seed_moves_intervals_and_no_value(results):
    other = results_of(random_run(5), load_contract(overrides={"resamples": 200, "seed": 1}))
    assert [r.value for r in other.results] == [r.value for r in results.results]
    assert [r.intervals for r in other.results] != [r.intervals for r in results.results]


def test_evaluating_leaves_the_run_as_it_was():
    # ranx writes its scores into the run; a second evaluation must see the same input.
    run = random_run(5)
    before = [array.tobytes() for array in (run.queries.y_true, run.systems[0].y_prob, run.systems[0].score)]
    first, second = encode(results_of(run)), encode(results_of(run))
    assert first == second
    assert before == [array.tobytes() for array in (run.queries.y_true, run.systems[0].y_prob, run.systems[0].score)]


def test_a_signature_names_every_convention_behind_the_number(results):
    record = results.find("ndcg@10", "s", "positives_only", "fold_mean")
    assert results.signatures[record.signature] == (
        "ndcg@10|gain:linear|ties:input_order|unjudged:nonrelevant|missing:zero|empty:exclude|agg:fold_mean|sd:fold,ddof=1"
        "|ci:cluster_percentile,level=0.95,unit=cluster,strata=fold,B=200,seed=0"
    )
    everywhere = results.find("ndcg@10", "s", "all_queries", "fold_mean")
    assert "|empty:zero|" in results.signatures[everywhere.signature]
    gated = results.find("evidence_recall", "s", "positives_only", "pooled")
    assert "|decider:state_not_neg|" in results.signatures[gated.signature]


def test_with_zero_for_empty_gold_all_queries_is_positives_only_diluted(results):
    subset = results.subset_by_id["all_queries"]
    positives = results.find("ndcg@10", "s", "positives_only", "pooled").value
    everywhere = results.find("ndcg@10", "s", "all_queries", "pooled").value
    assert everywhere == pytest.approx(positives * subset.n_positive / subset.n_queries, abs=1e-12)


def test_the_fold_mean_is_the_mean_of_the_recorded_folds_and_its_sd_theirs(results):
    record = results.find("auroc", "s", "all_queries", "fold_mean")
    folds = [fold.value for fold in record.folds]
    assert record.value == pytest.approx(np.mean(folds), abs=1e-12)
    assert record.sd[0].value == pytest.approx(np.std(folds, ddof=1), rel=1e-9)
    assert (record.sd[0].over, record.sd[0].ddof, record.sd[0].n) == ("fold", 1, 4)


def test_undefined_folds_are_skipped_counted_and_said():
    # Folds with AUROC .8, undefined (one class) and .9: the mean is .85 over 2 of 3 (scikit-learn issue 30079).
    def fold(name, rows):
        return [Asked(f"{name}{i}", y=y, p=p, cluster=f"{name}{i}", fold=name) for i, (y, p) in enumerate(rows)]

    four_of_five = [(1, 0.5), (0, 0.1), (0, 0.2), (0, 0.3), (0, 0.4), (0, 0.9)]
    nine_of_ten = [(1, 0.5), *((0, 0.01 * i) for i in range(1, 10)), (0, 0.9)]
    run = run_of(*fold("a", four_of_five), *fold("b", [(0, 0.5), (0, 0.6)]), *fold("c", nine_of_ten), with_labels=False)
    record = results_of(run).find("auroc", "s", "all_queries", "fold_mean")
    assert record.value == pytest.approx(0.85, abs=1e-12)
    assert [(f.value, f.reason) for f in record.folds] == [(0.8, None), (None, "single_class"), (0.9, None)]
    assert "mean of 2 of 3 folds" in record.interpretation


def test_a_single_hold_out_split_has_no_fold_mean_and_no_sd():
    rows = [Asked(f"q{i}", y=i % 2, p=0.2 + 0.1 * i, cluster=f"c{i}") for i in range(6)]
    results = results_of(run_of(*rows, with_labels=False))
    assert {record.aggregation for record in results.results} == {"pooled"}
    assert results.headline_aggregation == "pooled"
    assert not any(record.sd or record.folds for record in results.results)


def test_what_no_system_can_have_is_left_out_and_said():
    rows = [Asked(f"q{i}", y=i % 2, p=0.2 + 0.1 * i, cluster=f"c{i}") for i in range(6)]
    results = results_of(run_of(*rows, with_labels=False))
    assert {metric.family for metric in results.metrics} == {
        "classification",
        "confusion",
        "calibration",
        "operating_point",
    }
    (absent,) = [check.message for check in results.checks if "the system has no such component" in check.message]
    assert absent.startswith("Not computed, since the system has no such component: nDCG@K, nDCG, Recall@K, ")


def test_a_component_that_one_of_two_systems_lacks_is_not_applicable_and_never_zero():
    run = random_run(5)
    bare = replace(run.systems[0], id="bare", label="Bare", y_prob=None, state=None, selected_k=None, tune=None)
    results = results_of(replace(run, systems=(*run.systems, bare)))
    record = results.find("auroc", "bare", "all_queries", "pooled")
    assert (record.value, record.status, record.reason) == (None, "not_applicable", "component_absent")
    assert record.display.value == "n/a"
    assert results.find("tpr@fpr=0.05", "bare", "all_queries", "pooled").reason == "component_absent"
    assert results.find("ndcg@10", "bare", "positives_only", "pooled").status == "ok"


def test_a_metric_undefined_on_its_subset_is_null_with_the_reason_and_prints_a_dash():
    rows = [Asked(f"q{i}", y=0, p=0.3, cluster=f"c{i}") for i in range(3)]
    record = results_of(run_of(*rows, with_labels=False)).find("auroc", "s", "all_queries", "pooled")
    assert (record.value, record.status, record.reason) == (None, "undefined", "single_class")
    assert record.display.value == "—"
    assert record.interpretation == "AUROC is undefined here: all queries of the subset have the same true class."


def test_operating_points_carry_the_interval_with_the_threshold_resampled_and_fixed(results):
    record = results.find("tpr@fpr=0.05", "s", "all_queries", "fold_mean")
    roles = [results.interval_settings[interval.settings].threshold for interval in record.intervals]
    assert roles[:2] == ["resampled", "fixed"]
    assert ", choice of threshold included" in record.interpretation


def test_beside_a_proportion_stand_wilson_and_clopper_pearson_with_effective_trials(results):
    record = results.find("tpr@fpr=0.05", "s", "all_queries", "pooled")
    assert [interval.method_used for interval in record.intervals[2:]] == ["wilson", "clopper_pearson"]
    # A share of the positive queries alone: Wilson's bounds are those of so many of them, and not of all queries.
    n, share, z = record.n, record.value, 1.959963985
    assert n.effective <= n.positives
    centre = (share + z**2 / (2 * n.effective)) / (1 + z**2 / n.effective)
    assert (record.intervals[2].lower + record.intervals[2].upper) / 2 == pytest.approx(centre, rel=1e-5)
    auroc = results.find("auroc", "s", "all_queries", "pooled").n
    assert auroc.design_effect < 1
    assert auroc.effective == auroc.queries  # never more than there are
    auprc = results.find("auprc", "s", "all_queries", "pooled").n
    assert auprc.effective == pytest.approx(min(auprc.queries, auprc.queries / auprc.design_effect), rel=1e-5)


def test_on_labels_only_what_is_shown_stands(results):
    record = results.find("auroc", "s", "label=L0", "fold_mean")
    assert [interval.method_used for interval in record.intervals] == ["percentile"]


def test_a_proportion_whose_resamples_all_agree_shows_wilson_instead():
    # All three alerts are right: the lower Wilson bound of 3/3 is 1 / (1 + z²/3) = .438503.
    rows = [Asked(f"q{i}", y=int(i < 3), p=0.5, state="POS" if i < 3 else "NEG", cluster=f"c{i}") for i in range(6)]
    record = results_of(run_of(*rows, with_labels=False)).find("alert_precision", "s", "all_queries", "pooled")
    assert (record.intervals[0].method_used, record.intervals[0].upper) == ("wilson", 1.0)
    assert record.intervals[0].lower == pytest.approx(1 / (1 + 1.959963985**2 / 3), abs=1e-9)
    assert record.intervals[1].degenerate
    assert record.display.interval == "[0.439, 1.000]"
    assert "Wilson" in record.interpretation


def test_beside_an_auroc_stand_delong_and_obuchowski_inside_zero_and_one(results):
    pooled = results.find("auroc", "s", "all_queries", "pooled")
    assert [interval.method_used for interval in pooled.intervals] == ["percentile", "delong", "delong_clustered"]
    assert all(0 < interval.lower <= pooled.value <= interval.upper < 1 for interval in pooled.intervals[1:])


def test_beside_a_fold_mean_stands_the_corrected_interval_called_a_heuristic(results):
    record = results.find("brier", "s", "all_queries", "fold_mean")
    assert record.intervals[-1].method_used == "nadeau_bengio_heuristic"
    assert results.interval_settings[record.intervals[-1].settings].unit == "fold"


def test_queries_as_units_give_the_same_values_and_other_intervals(results):
    single = results_of(random_run(5), load_contract(overrides={"resamples": 200, "interval_unit": "query"}))
    assert [r.value for r in single.results] == [r.value for r in results.results]
    record = single.find("brier", "s", "all_queries", "pooled")
    assert record.intervals != results.find("brier", "s", "all_queries", "pooled").intervals
    assert "|ci:query_percentile," in single.signatures[record.signature]


def test_when_every_cluster_is_one_query_clusters_and_queries_give_the_same_interval():
    rows = [Asked(f"q{i}", y=i % 2, p=0.1 * (i % 7), cluster=f"c{i:02}") for i in range(30)]
    run = run_of(*rows, with_labels=False)
    by_unit = [
        results_of(run, load_contract(overrides={"resamples": 300, "interval_unit": unit})).find(
            "auroc", "s", "all_queries", "pooled"
        )
        for unit in ("cluster", "query")
    ]
    assert by_unit[0].intervals[0] == by_unit[1].intervals[0]


def test_strata_by_label_keep_both_classes_in_every_resample():
    # scikit-learn: 3 positives of 8 give resamples without positives; strata by fold and class never do.
    rows = [Asked(f"q{i}", y=int(i < 3), p=0.1 * i, cluster=f"c{i}") for i in range(8)]
    run = run_of(*rows, with_labels=False)

    def failed(strata):
        contract = load_contract(overrides={"resamples": 400, "interval_strata": strata})
        return results_of(run, contract).find("auroc", "s", "all_queries", "pooled").intervals[0].failed

    # Eight draws of eight meet one class alone with probability (5/8)^8 + (3/8)^8 = 0.0237: 9.5 of 400, SD 3.0.
    assert failed("fold") == pytest.approx(400 * ((5 / 8) ** 8 + (3 / 8) ** 8), abs=12)
    assert failed("fold") > 0
    assert failed("fold_label") == 0


def test_bca_leaves_every_cluster_out_and_says_its_method():
    contract = load_contract(overrides={"resamples": 300, "interval_method": "bca"})
    results = results_of(random_run(5), contract)
    record = results.find("auroc", "s", "all_queries", "fold_mean")
    assert record.intervals[0].method_used == "bca"
    assert "|ci:cluster_bca," in results.signatures[record.signature]


def test_a_metric_with_values_per_query_shows_how_queries_differ_apart_from_its_error(results):
    record = results.find("ndcg@10", "s", "positives_only", "pooled")
    assert [spread.over for spread in record.sd] == ["query"]
    assert record.quartiles[0] <= record.quartiles[1] <= record.quartiles[2]
    assert record.se < record.sd[0].value


def test_many_undefined_resamples_are_said():
    rows = [Asked(f"q{i}", y=int(i == 0), p=0.1 * i, cluster=f"c{i}") for i in range(5)]
    record = results_of(run_of(*rows, with_labels=False)).find("auroc", "s", "all_queries", "pooled")
    assert record.intervals[0].failed > 2
    assert any("resamples are undefined" in note for note in record.notes)


def test_a_simultaneous_band_is_asked_for_by_name():
    contract = load_contract(overrides={"resamples": 200, "band": "simultaneous"})
    curve = next(curve for curve in results_of(random_run(5), contract).curves if curve.kind == "roc")
    assert (curve.band.kind, curve.band.method) == ("simultaneous", "cluster_sup_t")
    assert "simultaneous 95 % band" in curve.description


def test_thresholds_are_recorded_with_their_source(results):
    by_rule = {threshold.rule: threshold for threshold in results.thresholds}
    assert by_rule["max_tpr_under_fpr"].source == "chosen on TUNE"
    assert set(by_rule["max_tpr_under_fpr"].achieved) == {"tpr", "fpr"}
    assert by_rule["recorded"].source.endswith("column tau")


def test_without_a_named_decision_threshold_nothing_is_reported_at_the_tune_threshold():
    run = random_run(5)
    results = results_of(replace(run, info=replace(run.info, decision=None)))
    assert "f1@tune" not in results.metric_by_id
    assert any("F1 at a threshold" in check.message for check in results.checks)


def test_an_interpretation_speaks_the_words_of_the_run_and_says_the_denominator():
    rows = [Asked(f"q{i}", cluster=f"c{i}", candidates=in_order(*order)) for i, order in enumerate([(1, 0), (0, 1)])]
    units = Units(Noun("question", "questions"), Noun("page", "pages"), Noun("label", "labels"), Noun("line", "lines"))
    record = results_of(
        replace(run_of(*rows, with_labels=False), units=units), load_contract(overrides={"resamples": 0})
    ).find("recall@1", "s", "positives_only", "pooled")
    assert record.interpretation == (
        "On average 0.500 of a question's relevant lines are in the top 1 (2 positive questions in 2 pages)."
    )


def test_the_counts_of_a_value_are_of_the_queries_it_rests_on():
    # Macro, conditional: q3 does not pass, with its two candidates in a cluster of its own; q4 is negative.
    run = run_of(
        Asked("q1", state="POS", k=2, candidates=in_order(1, 0, 0), cluster="c1"),
        Asked("q2", state="UNCERTAIN", k=1, candidates=in_order(1, 1, 1, 1), cluster="c1"),
        Asked("q3", state="NEG", k=2, candidates=in_order(1, 1), cluster="c2"),
        Asked("q4", state="POS", k=1, candidates=in_order(0), cluster="c3"),
    )
    results = results_of(run)
    record = results.find("evidence_recall[conditional]", "s", "positives_only", "pooled")
    assert record.value == pytest.approx((1 + 1 / 4) / 2, abs=1e-12)
    n = record.n
    assert (n.queries, n.positives, n.clusters, n.candidates, n.undefined) == (2, 2, 1, 7, 1)
    n = results.find("evidence_recall", "s", "positives_only", "pooled").n
    assert (n.queries, n.positives, n.clusters, n.candidates, n.undefined) == (3, 3, 2, 9, 0)


def test_a_target_is_met_or_missed_on_the_headline_population_and_scope_only(results):
    contract = replace(CONTRACT, targets=(ContractTarget("auroc", ">=", 0.99), ContractTarget("brier", "<", 1.0)))
    targeted = results_of(random_run(5), contract)
    assert targeted.find("auroc", "s", "all_queries", "fold_mean").target.met is False
    assert targeted.find("brier", "s", "all_queries", "fold_mean").target.met is True
    assert targeted.find("auroc", "s", "all_queries", "pooled").target is None


def test_the_interval_of_a_distance_holds_its_value_where_nearly_no_resample_reaches_it():
    # Perfectly calibrated in three bins of 100 queries: the value is 0, and nearly every resample has a gap somewhere.
    shares = [(0.25, 4), (0.5, 2), (0.75, 4)]
    rows = [
        Asked(f"{p}.{i}", y=int(i % every == 0) if p < 0.6 else int(i % every != 0), p=p, cluster=f"{p}.{i}")
        for p, every in shares
        for i in range(100)
    ]
    record = results_of(run_of(*rows, with_labels=False)).find("ece", "s", "all_queries", "pooled")
    assert record.value == 0.0
    interval = record.intervals[0]
    assert (interval.method_used, interval.lower, record.notes) == ("recentred", 0.0, ())
    # A gap is normal with variance q / 900 for each bin, q = .1875, .25, .1875: their absolute sum is about .038.
    assert 0.02 < interval.upper < 0.08


def test_a_degenerate_interval_that_equals_its_value_says_so_and_is_not_said_to_miss_it():
    # F1 2/3 in both clusters: every resample is 2/3 up to the unit of the fixed-point sums.
    rows = [Asked(f"{c}{i}", y=y, p=p, cluster=c) for c in ("a", "b") for i, (y, p) in enumerate([(1, 0.9), (1, 0.1)])]
    record = results_of(run_of(*rows, with_labels=False)).find("f1@0.5", "s", "all_queries", "pooled")
    assert record.intervals[0].degenerate
    assert "(no interval: the resamples agree; " in record.interpretation
    assert record.notes == (
        "The resamples agree, so the interval has no width: it does not say how certain the value is.",
    )


def test_an_evaluation_can_be_pickled_before_and_after_its_values_per_query_are_asked_for():
    run = run_of(*(Asked(f"q{i}", candidates=in_order(i, 1), cluster=f"c{i}") for i in (0, 1)))
    evaluation = evaluate(run, load_contract(overrides={"resamples": 0}), command="test")
    before = pickle.dumps(evaluation)
    # The first relevant candidate is second, then first.
    for copied in (pickle.loads(before), pickle.loads(pickle.dumps(evaluation)), evaluation):
        assert copied.per_query["mrr"] == [0.5, 1.0]
        assert copied.per_query is copied.per_query
    assert pickle.loads(pickle.dumps(evaluation)).per_query["mrr"] == [0.5, 1.0]


def test_the_per_query_table_averages_to_the_pooled_values():
    evaluation = evaluate(random_run(5), CONTRACT, command="test")
    values = [value for value in evaluation.per_query["ndcg@10"] if value is not None]
    pooled = evaluation.results.find("ndcg@10", "s", "positives_only", "pooled").value
    assert math.fsum(values) / len(values) == pytest.approx(pooled, abs=1e-12)
    assert len({len(column) for column in evaluation.per_query.values()}) == 1


def test_values_per_query_hold_what_the_selected_set_finds_and_the_thresholds_of_the_fold():
    asked = [
        Asked("q1", p=0.8, k=1, candidates=in_order(1, 0), fold="f1", cluster="c1", state="POS"),
        # Of two relevant candidates one is among the two that are returned.
        Asked("q2", p=0.7, k=2, candidates=in_order(0, 1, 1), fold="f2", cluster="c2", state="POS"),
    ]
    recorded = Recorded({"tau": [0.5, 0.6], "tau_neg": [0.1, 0.2]}, decision="tau")
    contract = load_contract(overrides={"resamples": 0, "deployment_decider": "none"})
    columns = evaluate(run_of(*asked, recorded=recorded), contract, command="test").per_query
    assert columns["evidence_recall"] == columns["evidence_precision"] == [1.0, 0.5]
    assert (columns["tau@tune"], columns["tau_neg"]) == ([0.5, 0.6], [0.1, 0.2])
    assert columns["tau_pos"] == [None, None]


def test_values_per_query_hold_the_thresholds_of_the_states_that_are_chosen_on_tune():
    asked = [Asked(f"q{i}", p=0.8, y=1, fold=f"f{i}", cluster=f"c{i}", state="POS") for i in (1, 2)]
    # In the first fold 0.6 is the smallest threshold with a precision of 0.9, in the second no threshold has it.
    first = [Tuned(p, y, "f1", f"t{p}") for p, y in ((0.9, 1), (0.6, 1), (0.4, 0), (0.2, 0))]
    second = [Tuned(p, y, "f2", f"u{p}") for p, y in ((0.8, 0), (0.3, 1))]
    rules = {"resamples": 0, "tau_pos_rule": "min_precision", "tau_pos_target": 0.9}
    run = run_of(*asked, tune=[*first, *second], recorded=Recorded({"tau_neg": [0.1, 0.2]}))
    columns = evaluate(run, load_contract(overrides=rules), command="test").per_query
    assert (columns["tau_neg"], columns["tau_pos"]) == ([0.1, 0.2], [0.6, math.inf])
    assert columns["tau@tune"] == [None, None]


def test_short_lists_and_ties_across_a_cut_off_are_reported():
    tied = [("a", 1, 1.0), ("b", 0, 1.0), ("c", 0, 0.5)]
    run = run_of(Asked("q", cluster="c", candidates=tied), with_labels=False)
    messages = {check.code: check for check in results_of(run).checks}
    assert "1 at K = 1" in messages["RG241"].message
    assert messages["RG241"].severity == "warning"
    assert "1 of 1 at K = 5" in messages["RG240"].message


def test_the_runs_own_decision_is_by_its_threshold_where_there_are_no_states():
    rows = [
        Asked("q1", cluster="c1", p=0.9, k=1, candidates=in_order(1, 0)),
        Asked("q2", cluster="c2", p=0.1, k=1, candidates=in_order(1, 0)),
    ]
    recorded = Recorded({"tau": [0.5]}, decision="tau")
    results = results_of(run_of(*rows, recorded=recorded, with_labels=False))
    record = results.find("evidence_recall", "s", "positives_only", "pooled")
    assert record.value == 0.5
    signature = results.signatures[record.signature]
    assert "|decider:threshold:tune|" in signature
    assert "|threshold:tau|" in signature


def test_curves_have_a_band_that_holds_the_curve_and_the_mean_roc_has_the_mean_area(results):
    curve = next(curve for curve in results.curves if curve.kind == "roc")
    assert all(low <= y <= high for low, y, high in zip(curve.lower, curve.y, curve.upper, strict=True))
    area = np.trapezoid(curve.y, curve.x)
    assert area == pytest.approx(results.find("auroc", "s", "all_queries", "fold_mean").value, abs=0.02)
    reliability = next(curve for curve in results.curves if curve.kind == "reliability")
    assert sum(reliability.n) == results.subset_by_id["all_queries"].n_queries


def test_selected_k_is_counted_by_truth_and_state(results):
    counts = {item.by: sum(item.counts) for item in results.distributions if item.kind == "selected_k"}
    total = results.subset_by_id["all_queries"].n_queries
    assert counts[""] == counts["y=0"] + counts["y=1"] == total
    assert sum(counts[f"state={state}"] for state in ("NEG", "UNCERTAIN", "POS")) == total


def test_lengths_of_lists_are_counted_over_all_and_over_positive_queries(results):
    found = {(d.kind, d.subset): d for d in results.distributions if d.kind in {"ranked", "relevant"}}
    for subset in ("all_queries", "positives_only"):
        facts = results.subset_by_id[subset]
        relevant = found["relevant", subset]
        assert sum(relevant.counts) == sum(found["ranked", subset].counts) == facts.n_queries
        assert sum(int(n) * count for n, count in zip(relevant.bins, relevant.counts, strict=True)) == facts.n_gold
        assert 0 not in relevant.counts


def test_the_note_of_a_target_comes_with_it():
    contract = replace(
        CONTRACT, targets=(ContractTarget("auroc", ">=", 0.99, "A note."), ContractTarget("ece", "<", 1))
    )
    targeted = results_of(random_run(5), contract)
    notes = {r.metric: r.target.note for r in targeted.results if r.target is not None}
    assert notes == {"auroc": "A note.", "ece": ""}


def test_the_same_bytes_come_of_records_that_another_process_made(tiny):
    contract = load_contract("gold-standard", {"resamples": 0})
    run = read_run(tiny)
    here, sent = (evaluate(run, one, command="t").results for one in (contract, pickle.loads(pickle.dumps(contract))))
    assert any(record.target for record in here.results)
    returned = structs.replace(sent, results=pickle.loads(pickle.dumps(sent.results)))
    assert encode(here) == encode(sent) == encode(returned) == encode(decode(encode(sent), tiny))
