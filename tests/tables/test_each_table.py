"""Each table on the hand-built results; every expected string follows from the invented values on paper."""

import msgspec
import pytest

from reportgen.domain.presentation import Row, Table, plain
from reportgen.tables import build_tables
from reportgen.tables._cells import Notes, estimate_cell
from tests.support.full_results import make_full_results
from tests.support.results import baseline_last, make_results

RESULTS = make_results()
TABLES = {table.id: table for table in build_tables(RESULTS)}


def texts(row: Row) -> list[str]:
    return [plain(cell.text) for cell in row.cells]


def row_of(table: Table, *start: str) -> list[str]:
    [found] = [texts(row) for row in table.rows if texts(row)[: len(start)] == list(start)]
    return found


def notes_of(table: Table) -> list[str]:
    return [plain(note.text) for note in table.notes]


def test_main_results_has_the_four_required_columns_and_the_system() -> None:
    table = TABLES["main-results"]
    assert [column.key for column in table.columns] == [
        "metric", "system", "value", "sd_folds", "subset", "interpretation",
    ]  # fmt: skip
    # 12 headline metrics of 2 systems.
    assert len(table.rows) == 24
    assert all(texts(row)[-1] for row in table.rows)


def test_main_results_of_one_system_needs_no_system_column() -> None:
    [table] = build_tables(make_results(n_systems=1), ["main-results"])
    assert [column.key for column in table.columns] == ["metric", "value", "sd_folds", "subset", "interpretation"]


def test_main_results_says_value_subset_n_and_map_denominator() -> None:
    # The second system's nDCG@10 is 0.73 + 0.01, and means of symmetric fold values equal the pooled value.
    row = row_of(TABLES["main-results"], "nDCG@10", "Candidate model")
    # Five fold values 0.01 apart have SD 0.0158.
    assert row[2:5] == ["0.740", "0.016", "Queries with evidence (n\u00a0=\u00a0100 in 50 pages)"]
    assert row_of(TABLES["main-results"], "MAP@10 (min(R,K))", "Baseline")[2] == "0.660"


def test_main_results_groups_by_what_the_metrics_are_about() -> None:
    assert [plain(group.head) for group in TABLES["main-results"].groups] == [
        "Ranking",
        "Classification",
        "Calibration",
        "Operating points",
        "Evidence selection",
        "Triage",
    ]


def test_the_message_names_the_best_system_with_value_interval_and_population() -> None:
    assert plain(TABLES["main-results"].caption).startswith(
        "Candidate model has the highest nDCG@10 on 100 queries with evidence. "
    )


def test_the_message_of_a_tie_in_print_says_who_has_the_same_when_rounded() -> None:
    records = tuple(
        msgspec.structs.replace(r, display=msgspec.structs.replace(r.display, value="0.740"))
        if r.metric == "ndcg@10"
        else r
        for r in RESULTS.results
    )
    [table] = build_tables(msgspec.structs.replace(RESULTS, results=records), ["main-results"])
    assert plain(table.caption).startswith(
        "Candidate model has the highest nDCG@10 on 100 queries with evidence; "
        "Baseline has the same value when rounded. "
    )


def test_compact_marks_the_best_and_names_scope_interval_and_n() -> None:
    table = TABLES["main-results-compact"]
    assert table.compact
    assert [column.key for column in table.columns] == ["metric", "value_s0", "value_s1"]
    by_metric = {texts(row)[0]: row for row in table.rows}
    assert [cell.mark for cell in by_metric["nDCG@10\u00a0↑"].cells] == ["", "", "best"]
    # Lower is better: 0.048 of the second system against 0.050.
    assert [cell.mark for cell in by_metric["ECE\u00a0↓"].cells] == ["", "", "best"]
    assert texts(by_metric["ECE\u00a0↓"])[1:] == ["0.050", "0.048"]
    # n/a is not a value to rank, so the other is best of nothing.
    assert [cell.mark for cell in by_metric["Evidence recall\u00a0↑"].cells] == ["", "", ""]
    assert [plain(group.head) for group in table.groups] == [
        "Queries with evidence (n\u00a0=\u00a0100 in 50 pages)",
        "All queries (n\u00a0=\u00a0500 in 50 pages)",
    ]
    assert "unweighted means over 5 folds" in plain(table.caption)
    assert (
        "Brackets hold 95\u00a0% percentile bootstrap intervals from 10,000 resamples of pages within folds (seed 0)."
        in notes_of(table)[-1]
    )


def test_compact_explains_why_a_value_is_missing() -> None:
    assert notes_of(TABLES["main-results-compact"])[:2] == [
        "n/a: the system has no such component.",
        "—: the system raised no alert in the subset.",
    ]


def test_compact_underlines_the_second_of_three_systems() -> None:
    [table] = build_tables(make_results(n_systems=3), ["main-results-compact"])
    # 0.730, 0.740, 0.741
    assert [cell.mark for cell in table.rows[0].cells] == ["", "", "second", "best"]


def test_compact_of_many_systems_drops_intervals_and_says_so() -> None:
    [table] = build_tables(make_results(n_systems=5), ["main-results-compact"])
    assert not any(cell.detail for row in table.rows for cell in row.cells)
    assert "Intervals are left out for width; the CSV form of this table holds them." in notes_of(table)[-1]


def test_dataset_adds_up() -> None:
    table = TABLES["dataset"]
    heads = [plain(column.head) for column in table.columns]
    assert heads == [
        "Fold", "Pages", "Queries", "Queries with evidence", "Positive", "Images", "Relevant", "Tuning predictions",
    ]  # fmt: skip
    assert texts(table.rows[0]) == ["Fold 1", "10", "100", "20", "20.0", "1,200", "40", "80"]
    assert texts(table.rows[-1]) == ["Total", "50", "500", "100", "20.0", "6,000", "200", "400"]
    # Its sizes are in its rows.
    assert plain(table.caption).startswith("“invented pages”, in 5 folds that share no page. A query is positive if")


def test_dataset_counts_a_page_of_two_folds_once() -> None:
    split = msgspec.structs.replace(RESULTS.split, disjoint=False)
    subsets = tuple(
        msgspec.structs.replace(s, n_clusters=48) if s.id == "all_queries" else s for s in RESULTS.subsets
    )  # fmt: skip
    [table] = build_tables(msgspec.structs.replace(RESULTS, split=split, subsets=subsets), ["dataset"])
    assert texts(table.rows[-1])[1] == "48"
    assert "in 5 folds that share pages." in plain(table.caption)


def test_dataset_of_a_hold_out_split_has_no_total() -> None:
    [table] = build_tables(make_results(n_folds=1), ["dataset"])
    assert len(table.rows) == 1
    assert "in a single evaluation split" in plain(table.caption)


def test_dataset_names_a_fold_that_is_called_by_a_number() -> None:
    folds = tuple(msgspec.structs.replace(fold, label=str(at)) for at, fold in enumerate(RESULTS.folds))
    [table] = build_tables(msgspec.structs.replace(RESULTS, folds=folds), ["dataset"])
    assert texts(table.rows[0])[0] == "Fold 0"


def test_dataset_without_candidates_or_tuning_has_no_such_columns() -> None:
    folds = tuple(msgspec.structs.replace(f, n_candidates=0, n_gold=0, n_tune=0) for f in RESULTS.folds)
    [table] = build_tables(msgspec.structs.replace(RESULTS, folds=folds), ["dataset"])
    assert [column.key for column in table.columns] == [
        "fold", "clusters", "queries", "positives", "positive_share",
    ]  # fmt: skip


def test_per_label_shows_gate_and_ranking_of_each_system_with_n_and_prevalence() -> None:
    table = TABLES["per-label-compact"]
    # 500 queries over 3 labels: 166 each, a fifth of them positive: 33, prevalence 33/166 = 0.199.
    # AUROC 0.88 and 0.89 times 0.97; nDCG@10 0.73 and 0.74 times 0.97: 0.8536, 0.8633, 0.7081, 0.7178.
    assert texts(table.rows[0]) == ["Digit 0", "166", "33", "0.199", "0.854", "0.863", "0.708", "0.718"]
    assert [plain(spanner.head) for spanner in table.spanners] == ["AUROC\u00a0↑", "nDCG@10\u00a0↑"]


def test_per_label_says_why_a_label_without_positives_has_no_value() -> None:
    table = TABLES["per-label-compact"]
    assert texts(table.rows[2]) == ["Digit 2", "166", "0", "0.000", "—", "—", "—", "—"]
    assert "—: the subset has no positive query." in notes_of(table)


def test_per_label_of_many_systems_keeps_the_baseline_and_the_last_step() -> None:
    [table] = build_tables(make_results(n_systems=12, n_labels=2), ["per-label-compact"])
    # The last of the twelve is the ladder's last step, and has the highest values.
    assert [column.key for column in table.columns[4:6]] == ["auroc_s0", "auroc_s11"]
    assert "Of 12 systems with AUROC, Baseline and Model 11 are shown." in plain(table.caption)
    [reversed_] = build_tables(baseline_last(make_results(n_systems=12, n_labels=2)), ["per-label-compact"])
    assert {column.key for column in reversed_.columns[4:6]} == {"auroc_s0", "auroc_s11"}


def test_per_label_of_one_system_has_intervals_instead_of_spanners() -> None:
    [table] = build_tables(make_results(n_systems=1), ["per-label-compact"])
    assert table.spanners == ()
    # 0.8536 and 0.02 on either side.
    assert table.rows[0].cells[4].detail == "[0.834, 0.874]"


def test_per_fold_shows_fold_values_mean_and_sd_over_folds_in_words() -> None:
    table = TABLES["per-fold-compact"]
    # Fold values 0.01 apart around 0.73; their SD is the square root of 0.001 / 4, 0.0158.
    assert texts(table.rows[0]) == ["Baseline", "0.710", "0.720", "0.730", "0.740", "0.750", "0.730", "0.016"]
    assert plain(table.columns[-1].head) == "SD over 5 folds"
    assert "standard deviation over the 5 folds (ddof\u00a01)." in plain(table.caption)
    assert "±" not in plain(table.caption)


def test_per_fold_counts_the_folds_behind_an_sd_where_one_has_no_value() -> None:
    record = RESULTS.by_id["ndcg@10|s0|positives_only|fold_mean"]
    broken = msgspec.structs.replace(record.folds[0], value=None, reason="no_queries")
    changed = msgspec.structs.replace(
        record, folds=(broken, *record.folds[1:]), sd=(msgspec.structs.replace(record.sd[0], n=4),)
    )
    records = tuple(changed if r.id == record.id else r for r in RESULTS.results)
    [table] = build_tables(msgspec.structs.replace(RESULTS, results=records), ["per-fold-compact"])
    assert texts(table.rows[0])[1] == "—"
    assert notes_of(table)[:2] == ["—: the subset has no queries.", "Over 4 of 5 folds."]


def test_the_message_over_cut_offs_is_what_the_cut_off_does() -> None:
    ends = [RESULTS.headline(f"ndcg@{k}", "s1", "positives_only") for k in (1, 20)]
    first, last = (record.display.value for record in ends if record is not None)
    assert plain(TABLES["ranking-at-k-compact"].caption).startswith(
        f"nDCG of Candidate model goes from {first} at K = 1 to {last} at K = 20."
    )


def test_a_single_split_is_not_called_a_fold() -> None:
    [table] = build_tables(msgspec.structs.replace(RESULTS, folds=RESULTS.folds[:1]), ["dataset"])
    assert plain(table.columns[0].head) == "Split"
    assert [texts(row)[0] for row in table.rows] == ["Evaluation"]


def test_ranking_at_k_has_every_cut_off_of_every_system() -> None:
    table = TABLES["ranking-at-k-compact"]
    assert [plain(column.head) for column in table.columns] == [
        "K", "nDCG", "Recall", "Precision", "Hit", "MAP (min(R,K))", "MRR",
    ]  # fmt: skip
    assert [plain(group.head) for group in table.groups] == ["Baseline", "Candidate model"]
    assert texts(table.rows[1]) == ["3", "0.650", "0.660", "0.300", "0.780", "0.620", "0.680"]
    assert texts(table.rows[5]) == ["no cut-off", "", "", "", "", "0.668", "0.717"]


def test_a_metric_pooled_in_a_table_of_fold_means_says_so() -> None:
    contract = msgspec.structs.replace(RESULTS.contract, headline=("ndcg@10", "f1[macro:label]"))
    [table] = build_tables(msgspec.structs.replace(RESULTS, contract=contract), ["main-results"])
    assert notes_of(table)[0] == "Pooled over folds."


def test_the_machine_value_of_an_sd_is_the_one_over_folds_and_no_other() -> None:
    record = next(r for r in RESULTS.results if r.aggregation == "fold_mean" and r.sd)
    over_queries = msgspec.structs.replace(record.sd[0], value=0.3, over="query")
    assert dict(estimate_cell(msgspec.structs.replace(record, sd=(over_queries, *record.sd)), Notes()).extra)["sd"] == (
        record.sd[0].value
    )
    assert dict(estimate_cell(msgspec.structs.replace(record, sd=(over_queries,)), Notes()).extra)["sd"] is None


def test_a_supplied_value_says_so() -> None:
    records = tuple(
        msgspec.structs.replace(r, provenance="supplied") if r.metric == "ndcg@10" else r for r in RESULTS.results
    )
    [table] = build_tables(msgspec.structs.replace(RESULTS, results=records), ["ranking-at-k-compact"])
    assert "Supplied with the run, not computed here." in notes_of(table)


def test_a_value_that_was_not_computed_is_not_called_undefined() -> None:
    records = tuple(r for r in RESULTS.results if not (r.metric == "auroc" and r.system == "s0"))
    [table] = build_tables(msgspec.structs.replace(RESULTS, results=records), ["main-results"])
    row = next(row for row in table.rows if texts(row)[:2] == ["AUROC", "Baseline"])
    assert row.cells[2].status == "missing"
    assert texts(row)[-1] == "Not computed."


@pytest.mark.parametrize(
    ("denominator", "head"), [("min_R_K", "MAP@10 (min(R,K))"), ("R", "MAP@10 (R)"), ("hits", "MAP@10 (hits)")]
)
def test_the_head_of_average_precision_names_the_contract_s_denominator(denominator: str, head: str) -> None:
    conventions = {**RESULTS.contract.conventions, "ap_denominator": denominator}
    contract = msgspec.structs.replace(RESULTS.contract, conventions=conventions)
    [table] = build_tables(msgspec.structs.replace(RESULTS, contract=contract), ["main-results"])
    assert row_of(table, head, "Baseline")[2] == "0.660"


def test_decisions_say_from_how_many_clusters_the_queries_are() -> None:
    [table] = build_tables(make_full_results(), ["confusion-compact"])
    assert "n 500 queries in 50 pages." in plain(table.caption)
