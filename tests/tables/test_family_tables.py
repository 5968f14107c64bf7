"""The tables of each family of metrics; every expected string follows from the invented values on paper."""

import msgspec
import pytest

from reportgen.domain.presentation import Row, Table, plain
from reportgen.domain.record import Results
from reportgen.tables import build_tables
from tests.support.full_results import make_full_results
from tests.support.results import baseline_last

RESULTS = make_full_results()
TABLES = {table.id: table for table in build_tables(RESULTS)}


def texts(row: Row) -> list[str]:
    return [plain(cell.text) for cell in row.cells]


def keys(table: Table) -> list[str]:
    return [column.key for column in table.columns]


def heads(table: Table) -> list[str]:
    return [plain(group.head) for group in table.groups]


def notes_of(table: Table) -> str:
    return " ".join(plain(note.text) for note in table.notes)


def test_lists_are_described_for_each_population() -> None:
    table = TABLES["candidates-per-query"]
    # 200 lists of 4 and 300 of 12: mean (800 + 3,600) / 500 = 8.8, median 12; of 500 queries 100 have 2 relevant.
    # The pool of each query holds 12 images, whatever is ranked.
    # Two fifths of the lists are shorter than 5 and 10, all shorter than 20.
    row = ["All queries", "500", "12.0", "8.8", "12.0", "12", "0.4", "0.0", "2", "0.0", "0.0", "40.0", "40.0", "100.0"]
    assert texts(table.rows[0]) == row
    positive = ["Queries with evidence", "100", "12.0", "8.8", "12.0", "12", "2.0", "2.0", "2"]
    assert texts(table.rows[1])[:9] == positive
    # Both systems rank the same lists, so they share the rows.
    assert heads(table) == [""]


def test_systems_that_rank_lists_of_other_lengths_have_rows_of_their_own() -> None:
    shorter = tuple(
        msgspec.structs.replace(d, bins=("3", "12")) if d.kind == "ranked" and d.system == "s1" else d
        for d in RESULTS.distributions
    )
    [table] = build_tables(msgspec.structs.replace(RESULTS, distributions=shorter), ["candidates-per-query"])
    assert heads(table) == ["Baseline", "Candidate model"]
    # (600 + 3,600) / 500 = 8.4
    assert plain(table.caption).startswith(
        "The pool of a query holds 12.0 images on average, of which 8.4 to 8.8 are ranked."
    )


def test_both_protocols_stand_side_by_side_with_their_policies() -> None:
    table = TABLES["dual-protocol-compact"]
    assert keys(table)[:3] == ["k", "ndcg_positives_only", "ndcg_all_queries"]
    assert heads(table) == ["Baseline", "Candidate model"]
    records = [RESULTS.headline("ndcg@10", "s0", p) for p in ("positives_only", "all_queries")]
    tenth = next(row for row in table.rows if texts(row)[0] == "10")
    assert [cell.results for cell in tenth.cells[1:3]] == [(r.id,) for r in records if r is not None]
    assert (
        "Pos.: Queries with evidence (n\u00a0=\u00a0100 in 50 pages); All: All queries (n\u00a0=\u00a0500 in 50 pages)."
        in notes_of(table)
    )
    assert "(empty_gold = exclude)" in notes_of(table)
    assert "(empty_gold_all_queries = zero)" in notes_of(table)
    assert "not compared with each other" in plain(table.caption)


def test_one_protocol_alone_is_no_dual_protocol() -> None:
    records = tuple(r for r in RESULTS.results if not ("@" in r.metric and r.subset == "all_queries"))
    records = tuple(r for r in records if r.metric not in {"map", "mrr"} or r.subset == "positives_only")
    assert (
        build_tables(msgspec.structs.replace(RESULTS, results=records), ["dual-protocol", "dual-protocol-compact"])
        == ()
    )


def test_the_full_form_of_ranking_has_both_protocols() -> None:
    table = TABLES["ranking-at-k"]
    at = keys(table).index("subset")
    subsets = {texts(row)[at] for row in table.rows}
    assert subsets == {
        "Queries with evidence (n\u00a0=\u00a0100 in 50 pages)",
        "All queries (n\u00a0=\u00a0500 in 50 pages)",
    }


def test_an_interpretation_leaves_out_what_the_row_says_beside_it() -> None:
    record = RESULTS.by_id["ndcg@10|s0|positives_only|fold_mean"]
    rest = "mean of 5 folds; 95 % CI 0.710 to 0.750; 100 positive queries in 50 pages"
    said = f"Of ten, one (state NEG) is found ({rest})."
    changed = msgspec.structs.replace(record, interpretation=said)
    records = tuple(changed if r.id == record.id else r for r in RESULTS.results)
    [table] = build_tables(msgspec.structs.replace(RESULTS, results=records), ["main-results"])
    assert texts(table.rows[0])[-1] == "Of ten, one (state NEG) is found."


def test_the_compact_confusion_matrix_has_the_truth_down_and_the_decision_across_for_each_system() -> None:
    table = TABLES["confusion-compact"]
    assert keys(table) == ["system", "truth", "called_positive", "called_negative", "rate", "predictive", "f1", "mcc"]
    assert heads(table) == ["Threshold chosen on TUNE", "Threshold 0.5"]
    # TP 70 and FN 30: 70/100; FP 40 and TN 360: 40/400.
    assert texts(table.rows[0])[:6] == ["Baseline", "Positive", "70", "30", "0.700", "0.636"]
    assert texts(table.rows[1])[:6] == ["Baseline", "Negative", "40", "360", "0.100", ""]
    assert [texts(row)[:2] for row in table.rows[2:4]] == [
        ["Candidate model", "Positive"],
        ["Candidate model", "Negative"],
    ]
    # At 0.5 the invented results have F1 and MCC alone: there is no matrix to hold them.
    assert texts(table.rows[4]) == ["Baseline", "Positive", "", "", "", "", "0.470", "0.380"]


def test_all_that_stands_in_the_compact_confusion_matrix_is_pooled() -> None:
    table = TABLES["confusion-compact"]
    assert {note for row in table.rows for cell in row.cells for note in cell.notes} == set()
    assert {id.rpartition("|")[2] for row in table.rows for cell in row.cells for id in cell.results} == {"pooled"}
    assert "Values are pooled over folds." in plain(table.caption)


def test_without_a_false_positive_rate_the_matrix_has_the_specificity() -> None:
    kept = tuple(metric for metric in RESULTS.metrics if metric.id != "fpr@tune")
    [table] = build_tables(msgspec.structs.replace(RESULTS, metrics=kept), ["confusion-compact"])
    assert keys(table)[4:6] == ["rate", "specificity"]
    assert texts(table.rows[1])[4:6] == ["", "0.900"]


def test_the_matrix_of_the_deployment_says_what_lets_queries_pass() -> None:
    def deployed(name: str) -> str:
        return f"{name}[deployment]"

    metrics = tuple(
        msgspec.structs.replace(
            metric, id=deployed(metric.id.partition("@")[0]), family="deployment", params={"decider": decider}
        )
        for metric in RESULTS.metrics
        if metric.family == "confusion" and (decider := "state_not_neg or threshold:0.5")
    )
    records = tuple(
        msgspec.structs.replace(record, id=record.id.replace(record.metric, name), metric=name)
        for record in RESULTS.results
        if record.metric.endswith("@tune") and (name := deployed(record.metric.partition("@")[0]))
    )
    results = msgspec.structs.replace(
        RESULTS, metrics=(*RESULTS.metrics, *metrics), results=(*RESULTS.results, *records)
    )
    full, table = build_tables(results, ["confusion", "confusion-compact"])
    head = "Deployment: anything is returned, decided by state not NEG or threshold 0.5"
    assert head in heads(full)
    assert head in heads(table)
    shown = next(group for group in table.groups if group.head == head)
    assert [texts(row)[:5] for row in shown.rows[:2]] == [
        ["Baseline", "Positive", "70", "30", "0.700"],
        ["Baseline", "Negative", "40", "360", "0.100"],
    ]


def with_counts(budget: str) -> Results:
    """The invented results, with the counts of the TUNE threshold as those of a budget."""
    counts = {"tp@tune", "fp@tune", "fn@tune", "tn@tune"}
    metrics = tuple(
        msgspec.structs.replace(metric, id=metric.id.replace("tune", budget), family="operating_point")
        for metric in RESULTS.metrics
        if metric.id in counts
    )
    records = tuple(
        msgspec.structs.replace(
            record, id=record.id.replace("tune", budget), metric=record.metric.replace("tune", budget)
        )
        for record in RESULTS.results
        if record.metric in counts
    )
    return msgspec.structs.replace(RESULTS, metrics=(*RESULTS.metrics, *metrics), results=(*RESULTS.results, *records))


def test_a_budget_that_is_a_headline_has_a_matrix() -> None:
    head = "Threshold chosen on TUNE for an FPR of at most 5\u00a0%"
    full, table = build_tables(with_counts("fpr=0.05"), ["confusion", "confusion-compact"])
    assert head in heads(full)
    shown = next(group for group in table.groups if group.head == head)
    assert [texts(row)[1:4] for row in shown.rows[:2]] == [["Positive", "70", "30"], ["Negative", "40", "360"]]


def test_a_budget_that_nothing_uses_is_left_to_the_operating_points() -> None:
    results = with_counts("fpr=0.1")
    head = "Threshold chosen on TUNE for an FPR of at most 10\u00a0%"
    assert [head in heads(table) for table in build_tables(results, ["confusion", "confusion-compact"])] == [False] * 2
    # Where labels are decided under it, it is used.
    decided = tuple(
        msgspec.structs.replace(metric, params={"decider": "fpr_budget:0.1"}) if metric.id == "f1@0.5" else metric
        for metric in results.metrics
    )
    [table] = build_tables(msgspec.structs.replace(results, metrics=decided), ["confusion-compact"])
    assert head in heads(table)


def test_operating_points_show_the_interval_of_tpr_that_includes_the_choice_of_threshold() -> None:
    table = TABLES["operating-points-compact"]
    assert heads(table)[0] == "Budget: FPR of at most 1\u00a0%"
    assert keys(table) == ["system", "tpr", "fpr_achieved"]
    first = table.rows[0]
    # TPR 0.33, with 0.02 to either side where the threshold stays and 0.05 where it is chosen again.
    assert (texts(first)[1], first.cells[1].detail) == ("0.330", "[0.280, 0.380]")
    assert "Intervals include the choice of thresholds." in notes_of(table)


def test_same_set_tpr_has_a_column_only_where_it_stands_alone() -> None:
    records = tuple(r for r in RESULTS.results if not r.metric.startswith(("tpr@", "fpr_achieved@")))
    metrics = tuple(m for m in RESULTS.metrics if not m.id.startswith(("tpr@", "fpr_achieved@")))
    alone = msgspec.structs.replace(RESULTS, results=records, metrics=metrics)
    [table] = build_tables(alone, ["operating-points-compact"])
    assert keys(table) == ["system", "roc_tpr"]
    assert "read off the ROC curve of the test data" in plain(table.caption)


def test_a_second_area_under_the_same_curve_is_left_to_the_full_form() -> None:
    like = RESULTS.metric_by_id["auprc"]
    second = msgspec.structs.replace(like, id="auprc[trapezoid]", name="AUPRC (trapezoid)", order=like.order)
    records = tuple(
        msgspec.structs.replace(r, id=r.id.replace("auprc", second.id, 1), metric=second.id)
        for r in RESULTS.results
        if r.metric == "auprc" and "=" not in r.subset
    )
    more = msgspec.structs.replace(
        RESULTS, metrics=(*RESULTS.metrics, second), results=(*RESULTS.results, *records)
    )  # fmt: skip
    full, compact = build_tables(more, ["classification", "classification-compact"])
    assert "AUPRC (trapezoid)" in {texts(row)[0] for row in full.rows}
    assert not any("trapezoid" in texts(row)[0] for row in compact.rows)


def test_thresholds_stand_fold_by_fold_under_their_rule_and_source() -> None:
    table = TABLES["thresholds"]
    assert heads(table) == ["FPR of at most 5\u00a0%, tune"]
    assert texts(table.rows[0]) == ["Baseline", "0.400", "0.410", "0.420", "0.430", "0.440"]


@pytest.mark.parametrize(
    ("change", "text", "note"),
    [
        ({"value": None, "reject_all": True}, "none", "nothing reaches it"),
        ({"fold": "f1"}, "—", "no such threshold in this fold"),
    ],
)
def test_a_threshold_that_rejects_all_is_told_from_one_that_is_missing(
    change: dict[str, object], text: str, note: str
) -> None:
    first, *rest = RESULTS.thresholds
    results = msgspec.structs.replace(RESULTS, thresholds=(msgspec.structs.replace(first, **change), *rest))
    [table] = build_tables(results, ["thresholds"])
    assert texts(table.rows[0])[1] == text
    assert note in notes_of(table)


@pytest.mark.parametrize(
    ("change", "head"),
    [
        ({"id": "tau_f1|s0|f0", "alpha": None}, "tau_f1, tune"),
        (
            {"id": "tau_neg:min_sensitivity=0.995|s0|f0", "alpha": None, "rule": "min_sensitivity", "target": 0.995},
            "tau_neg, for a sensitivity of at least 0.995, tune",
        ),
    ],
)
def test_a_threshold_is_named_by_what_it_was_chosen_for(change: dict[str, object], head: str) -> None:
    record = msgspec.structs.replace(RESULTS.thresholds[0], **change)
    unused = msgspec.structs.replace(RESULTS, thresholds=(record,))
    assert build_tables(unused, ["thresholds"]) == ()
    deciding = (*RESULTS.signatures, "f1@tune|threshold:tau_f1", "alert_rate|gate:state_not_neg")
    [table] = build_tables(msgspec.structs.replace(unused, signatures=deciding), ["thresholds"])
    assert heads(table) == [head]


def test_a_threshold_chosen_on_tune_is_not_listed_where_every_rate_is_read_off_the_evaluation_set() -> None:
    same_set = tuple(m for m in RESULTS.metrics if "fpr=" not in m.id or m.id.startswith("roc_tpr"))
    assert build_tables(msgspec.structs.replace(RESULTS, metrics=same_set), ["thresholds"]) == ()


def test_an_asterisk_marks_what_the_adjusted_p_tells_from_the_baseline() -> None:
    contract = msgspec.structs.replace(
        RESULTS.contract, conventions={**RESULTS.contract.conventions, "headline_aggregation": "pooled"}
    )
    [table] = build_tables(msgspec.structs.replace(RESULTS, contract=contract), ["main-results-compact"])
    by_metric = {texts(row)[0]: row for row in table.rows}
    # The comparison was made on nDCG@10, pooled; nothing else was tested.
    assert by_metric["nDCG@10\u00a0↑"].cells[2].notes[-1] == "*"
    assert "*" not in by_metric["AUROC\u00a0↑"].cells[2].notes
    assert "Differs from Baseline: Holm-adjusted p of at most 0.05 for 2 tests." in notes_of(table)


def test_the_asterisk_is_beside_the_system_that_differs_wherever_the_baseline_stands() -> None:
    contract = msgspec.structs.replace(
        RESULTS.contract, conventions={**RESULTS.contract.conventions, "headline_aggregation": "pooled"}
    )
    pooled = msgspec.structs.replace(RESULTS, contract=contract)
    for results in (pooled, baseline_last(pooled)):
        [table] = build_tables(results, ["main-results-compact"])
        (row,) = [row for row in table.rows if texts(row)[0] == "nDCG@10\u00a0↑"]
        marked = [column.key for column, cell in zip(table.columns, row.cells, strict=True) if "*" in cell.notes]
        assert marked == ["value_s1"]


def test_no_asterisk_stands_beside_a_value_of_another_scope_or_without_a_baseline() -> None:
    assert "Differs from" not in notes_of(TABLES["main-results-compact"])
    contract = msgspec.structs.replace(
        RESULTS.contract, conventions={**RESULTS.contract.conventions, "headline_aggregation": "pooled"}
    )
    run = msgspec.structs.replace(RESULTS.run, baseline=None)
    [table] = build_tables(msgspec.structs.replace(RESULTS, contract=contract, run=run), ["main-results-compact"])
    assert "Differs from" not in notes_of(table)


@pytest.mark.parametrize("verdict", ["not_shown", "not_tested"])
def test_no_asterisk_without_a_verdict(verdict: str) -> None:
    contract = msgspec.structs.replace(
        RESULTS.contract, conventions={**RESULTS.contract.conventions, "headline_aggregation": "pooled"}
    )
    compared = tuple(msgspec.structs.replace(c, verdict=verdict) for c in RESULTS.comparisons)
    results = msgspec.structs.replace(RESULTS, contract=contract, comparisons=compared)
    [table] = build_tables(results, ["main-results-compact"])
    assert "Differs from" not in notes_of(table)
