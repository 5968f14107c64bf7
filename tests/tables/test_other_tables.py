"""Tables that are not of metrics: distribution of K, threshold grid, targets, conventions, checks, labels in detail."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from reportgen.contracts import load_contract
from reportgen.domain.presentation import Row, Table, plain
from reportgen.domain.record import Distribution, Interval, Results, Target
from reportgen.evaluation import evaluate
from reportgen.figures import build_figures
from reportgen.inputs import read_run
from reportgen.tables import build_tables
from tests.support.full_results import make_full_results
from tests.support.results import make_results

RESULTS = make_full_results()


def texts(row: Row) -> list[str]:
    return [plain(cell.text) for cell in row.cells]


def heads(table: Table) -> list[str]:
    return [plain(group.head) for group in table.groups]


def notes_of(table: Table) -> str:
    return " ".join(plain(note.text) for note in table.notes)


def one(name: str, results: Results = RESULTS) -> Table:
    [table] = build_tables(results, [name])
    return table


def selected(by: str, counts: dict[int, int]) -> Distribution:
    return Distribution(
        id=f"selected_k|s1|all_queries|{by or 'all'}", kind="selected_k", system="s1", subset="all_queries", by=by,
        bins=tuple(map(str, counts)), counts=tuple(counts.values()),
    )  # fmt: skip


def test_k_is_described_over_all_queries() -> None:
    table = one("selected-k-compact")
    # 350, 50, 75 and 25 queries with K of 0 to 3: mean (50 + 150 + 75) / 500 = 0.55; nine tenths have at most 2.
    assert texts(table.rows[0]) == ["All queries", "500", "0.55", "0.0", "2.0", "0–3", "70.0", "10.0", "15.0", "5.0"]
    assert heads(table) == ["Candidate model"]


def test_k_is_given_by_truth_state_and_label_and_labels_only_in_full() -> None:
    groups = ["", "y=0", "y=1", "state=POS", "label=D0"]
    results = msgspec.structs.replace(RESULTS, distributions=tuple(selected(by, {0: 1, 1: 3}) for by in groups))
    names = ["All queries", "Negative queries", "Queries with evidence", "State POS", "Digit 0"]
    full = one("selected-k", results)
    assert [column.key for column in full.columns] == [
        "metric", "system", "value", "median", "p90", "range", "k0", "k1", "subset", "interpretation",
    ]  # fmt: skip
    assert [texts(row)[-2] for row in full.rows] == [f"{name} (n\u00a0=\u00a04)" for name in names]
    # K is 0 once and 1 three times.
    says = "Candidate model returns 0.75 images for a query on average."
    assert texts(full.rows[4])[:7] == ["Mean K (images)", "Candidate model", "0.75", "1.0", "1.0", "0–1", "25.0"]
    assert texts(full.rows[4])[-1] == says
    assert [texts(row)[0] for row in one("selected-k-compact", results).rows] == names[:-1]


def test_large_values_of_k_share_the_last_column() -> None:
    table = one(
        "selected-k-compact", msgspec.structs.replace(RESULTS, distributions=(selected("", {0: 1, 8: 1, 30: 2}),))
    )
    assert plain(table.columns[-1].head) == "≥8"
    # Three of four have at least 8; the mean is (8 + 60) / 4.
    assert (texts(table.rows[0])[2], texts(table.rows[0])[-1]) == ("17.00", "75.0")


def test_a_state_without_queries_has_no_mean() -> None:
    counts = (selected("", {0: 2}), selected("state=POS", {0: 0}))
    table = one("selected-k-compact", msgspec.structs.replace(RESULTS, distributions=counts))
    assert texts(table.rows[1]) == ["State POS", "0", "—", "—", "—", "—", "—"]
    assert "no such query" in notes_of(table)
    assert plain(table.caption).startswith("On average 0.00 images are returned for a query.")


def test_a_pair_of_thresholds_is_read_from_two_rows() -> None:
    table = one("threshold-grid-compact")
    assert heads(table) == ["Candidate model"]
    # The sweep's own lines: sensitivity 1 - t, workload half of it, precision (1 + t) / 2, 500 (1 - t) alerts.
    assert texts(table.rows[2]) == ["0.30", "0.700", "0.350", "0.650", "350.0"]
    assert texts(table.rows[-1])[3] == "—"
    assert "nothing on TUNE reaches the threshold" in notes_of(table)
    assert [plain(spanner.head) for spanner in table.spanners] == ["Read as τ NEG", "Read as τ POS"]


def test_the_full_grid_has_every_system_and_each_threshold_once() -> None:
    table = one("threshold-grid")
    # The sweep has nine thresholds: steps between them find one of these again; each has four measures.
    assert Counter(texts(row)[1] for row in table.rows) == {"Baseline": 36, "Candidate model": 36}
    # As in the compact form: sensitivity 1 - t, workload half of it, precision (1 + t) / 2, 500 (1 - t) alerts.
    at = [texts(row) for row in table.rows if texts(row)[1:3] == ["Candidate model", "0.30"]]
    assert [(row[0], row[3]) for row in at] == [
        ("Screening sensitivity", "0.700"), ("Workload", "0.350"),
        ("Alert precision", "0.650"), ("Alert rate", "350.0"),
    ]  # fmt: skip
    # 80 tuning predictions in each of five folds.
    assert {row[4] for row in at} == {"TUNE (400 predictions)"}
    assert at[0][5] == "Screening at τ NEG = 0.30 keeps 0.700 of the positive queries of TUNE."
    assert at[3][5] == "Of 1,000 queries of TUNE, 350.0 raise an alert at τ POS = 0.30."
    last = next(texts(row) for row in reversed(table.rows) if texts(row)[0] == "Alert precision")
    assert last[3:] == ["—", "TUNE (400 predictions)", "Alert precision is undefined here."]


def test_without_a_sweep_there_is_no_grid() -> None:
    assert build_tables(msgspec.structs.replace(RESULTS, sweeps=()), ["threshold-grid"]) == ()


def test_a_target_is_met_missed_or_open() -> None:
    table = one("targets-compact")
    # AUROC 0.88 and 0.89, each with 0.02 to either side, against at least 0.85.
    row = ["AUROC", "≥ 0.85", "Baseline", "0.880", "met", "All queries (n\u00a0=\u00a0500 in 50 pages)"]
    assert texts(table.rows[0]) == row
    assert plain(table.caption).startswith("2 of 2 values meet the target of the contract “Field standard”.")


def test_an_interval_across_the_target_leaves_the_outcome_open_and_a_note_stands_by() -> None:
    record = RESULTS.by_id["auroc|s0|all_queries|fold_mean"]
    across = Interval(lower=0.84, upper=0.9, settings=0, method_used="percentile")
    target = Target(op=">=", value=0.85, met=True, note="A constant meets it.")
    changed = msgspec.structs.replace(record, intervals=(across,), target=target)
    without = msgspec.structs.replace(
        RESULTS.by_id["auroc|s1|all_queries|fold_mean"],
        value=None, status="undefined", reason="single_class", target=None, intervals=(), sd=(),
        display=msgspec.structs.replace(record.display, value="—", interval="", sd=""),
    )  # fmt: skip
    new = {changed.id: changed, without.id: without}
    results = msgspec.structs.replace(RESULTS, results=tuple(new.get(r.id, r) for r in RESULTS.results))
    table = one("targets-compact", results)
    assert [texts(row)[4] for row in table.rows] == ["met, open", "—"]
    assert "A constant meets it." in notes_of(table)
    assert "neither met nor missed" in notes_of(table)
    assert "1 of 1 values meet the target" in plain(table.caption)
    assert "For 1 of them the interval leaves the outcome open." in plain(table.caption)


@pytest.mark.parametrize(
    ("op", "inside", "outside"), [(">=", 0.5, 0.49), ("<=", 0.5, 0.51), (">", 0.51, 0.5), ("<", 0.49, 0.5)]
)
def test_a_target_is_met_on_the_right_side_alone(op: str, inside: float, outside: float) -> None:
    target = Target(op=op, value=0.5, met=True)  # type: ignore[arg-type]  # one of the four
    assert (target.reached(inside, ()), target.reached(outside, ())) == (True, False)


def test_a_contract_without_targets_has_no_table_of_them() -> None:
    records = tuple(msgspec.structs.replace(record, target=None) for record in RESULTS.results)
    assert build_tables(msgspec.structs.replace(RESULTS, results=records), ["targets", "targets-compact"]) == ()


def named_in_signatures(results: Results, *words: str) -> Results:
    """The results with a signature that names these conventions."""
    return msgspec.structs.replace(results, signatures=(*results.signatures, "|".join(("any", *words))))


def test_only_conventions_that_bear_on_a_number_are_shown() -> None:
    shown = {texts(row)[0] for row in one("conventions", named_in_signatures(RESULTS, "gain:linear")).rows}
    assert {"ndcg_gain", "sd_ddof", "interval_unit", "resamples"} <= shown
    # No signature names them, and the synthetic curves have no log loss behind them.
    assert not shown & {"empty_selection", "zero_division"}
    single = msgspec.structs.replace(RESULTS, folds=RESULTS.folds[:1], interval_settings=())
    assert not {texts(row)[0] for row in one("conventions", single).rows} & {"sd_ddof", "resamples", "seed"}


def test_conventions_say_what_they_mean_and_who_chooses_otherwise() -> None:
    table = one("conventions", named_in_signatures(RESULTS, "gain:linear", "ties:half"))
    by_key = {texts(row)[0]: texts(row)[1:] for row in table.rows}
    value, meaning, elsewhere = by_key["ndcg_gain"]
    assert (value, meaning) == ("linear", "The gain of a grade is the grade itself.")
    # The contract of "Metrics Contract: Evidence Retrieval Pipeline" has the exponential gain.
    assert elsewhere.startswith("exp2 (")
    assert "Gold standard" in elsewhere
    # What a document does not say is not a choice of its, and the number of resamples is not a convention to dispute.
    assert by_key["auroc_ties"][2] == ""
    assert by_key["resamples"][2] == ""


def test_compact_conventions_are_the_disputed_and_the_questionable() -> None:
    contract = msgspec.structs.replace(RESULTS.contract, questionable={"seed": "it was rolled."})
    table = one(
        "conventions-compact", named_in_signatures(msgspec.structs.replace(RESULTS, contract=contract), "ap:min_R_K")
    )
    by_key = {texts(row)[0]: texts(row) for row in table.rows}
    assert all(row[3] for key, row in by_key.items() if key != "seed")
    assert "auroc_ties" not in by_key
    assert "Questionable: it was rolled." in notes_of(table)


def test_a_convention_from_elsewhere_is_shown_without_a_meaning() -> None:
    contract = msgspec.structs.replace(RESULTS.contract, conventions={"future_rule": "left", "log_loss_clip": 1e-16})
    results = named_in_signatures(msgspec.structs.replace(RESULTS, contract=contract), "clip:1e-16")
    rows = [texts(row) for row in one("conventions", results).rows]
    assert rows[0] == ["future_rule", "left", "", ""]
    assert rows[1][1] == "1e-16"


def test_what_is_found_alike_of_several_systems_is_one_row() -> None:
    results = make_full_results(3)
    alike = [replace(results.checks[0], where=system.id) for system in results.systems]
    other = replace(alike[0], message="Another message.")
    of_all = one("checks", msgspec.structs.replace(results, checks=(*alike, other)))
    assert [texts(row)[2] for row in of_all.rows] == ["all systems", "Baseline"]
    assert plain(of_all.caption).startswith("None of the 4 checks raised a warning.")
    of_two = one("checks", msgspec.structs.replace(results, checks=tuple(alike[:2])))
    assert [texts(row)[2] for row in of_two.rows] == ["Baseline and Candidate model"]


def test_checks_to_be_noted_stand_first_with_their_remedy() -> None:
    table = one("checks")
    assert heads(table) == ["To be noted before the numbers are used", "Passed", "Not run"]
    assert texts(table.rows[0]) == [
        "RG241", "warning", "candidates.csv", "Two rankings hold tied scores. Say how ties are broken.",
    ]  # fmt: skip
    assert texts(table.rows[2])[2] == "the run"
    assert plain(table.caption).startswith("1 of 2 checks raised a warning.")


def test_a_check_of_a_system_is_about_its_label() -> None:
    checks = tuple(replace(check, where="s1", status="passed") for check in RESULTS.checks)
    table = one("checks", msgspec.structs.replace(RESULTS, checks=checks))
    assert {texts(row)[2] for row in table.rows} == {"Candidate model"}
    assert "None of the 3 checks raised a warning." in plain(table.caption)


def test_labels_in_detail_are_of_two_systems_with_every_metric_of_a_part() -> None:
    gate, ranking = (one(name) for name in ("per-label-classification-compact", "per-label-ranking-compact"))
    assert "auroc" in [column.key for column in gate.columns]
    assert "ndcg@10" in [column.key for column in ranking.columns]
    assert plain(gate.caption).startswith(
        "All metrics of classification that were computed by digit, for Baseline and Candidate model."
    )
    assert [plain(group.head) for group in gate.groups] == ["Baseline", "Candidate model"]
    # AUROC 0.88 and 0.89 times 0.97.
    at = [column.key for column in gate.columns].index("auroc")
    rows = [texts(group.rows[0]) for group in gate.groups]
    assert [[*row[:3], row[at]] for row in rows] == [
        ["Digit 0", "166", "33", "0.854"],
        ["Digit 0", "166", "33", "0.863"],
    ]


def without_gate(results: Results, *systems: str) -> Results:
    """Take the component away from systems: what classifies a query is n/a."""
    gate = {m.id for m in results.metrics if m.family in {"classification", "calibration", "operating_point"}}
    records = tuple(
        msgspec.structs.replace(
            r, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=(), folds=(),
            display=msgspec.structs.replace(r.display, value="n/a", interval="", sd=""),
        )
        if r.metric in gate and r.system in systems
        else r
        for r in results.results
    )  # fmt: skip
    return msgspec.structs.replace(results, results=records)


def test_of_an_ablation_whose_baseline_has_no_gate_labels_show_a_system_that_has_it() -> None:
    # Twelve steps, of which the last two have a gate.
    results = without_gate(make_results(12, n_labels=2), *(f"s{at}" for at in range(10)))
    [short, gate] = build_tables(results, ["per-label-compact", "per-label-classification-compact"])
    assert [column.key for column in short.columns[4:]] == ["auroc_s10", "auroc_s11", "ndcg@10_s0", "ndcg@10_s11"]
    for table in (short, gate):
        assert not any("n/a" in texts(row) for row in table.rows)
    assert "Without AUROC (n/a): Baseline, Candidate model, Model 2," in plain(short.caption)
    assert "Of 12 systems with nDCG@10, Baseline and Model 11 are shown." in plain(short.caption)
    assert "Over 2 digits, AUROC of Model 11 lies between" in plain(short.caption)
    assert [plain(group.head) for group in gate.groups] == ["Model 10", "Model 11"]
    assert "Without metrics of classification (n/a): Baseline," in plain(gate.caption)
    [figure] = build_figures(results, ["per-label"])
    assert "Of 12 systems with nDCG@10, Baseline and Model 11 are shown." in plain(figure.caption)


def test_without_a_ladder_labels_show_the_best_system_on_the_metric() -> None:
    made = make_results(12, n_labels=2)
    flat = tuple(msgspec.structs.replace(system, step=None) for system in made.systems)
    results = without_gate(msgspec.structs.replace(made, systems=flat), "s11")
    [short] = build_tables(results, ["per-label-compact"])
    # Values rise with the number of the system; the last has no gate.
    assert [column.key for column in short.columns[4:]] == ["auroc_s0", "auroc_s10", "ndcg@10_s0", "ndcg@10_s11"]


def test_over_many_labels_the_metrics_of_the_headline_are_kept() -> None:
    table = one("per-label-ranking-compact", make_full_results(n_labels=40))
    # Of nine metrics five; the headline has these four and evidence recall.
    shown = [column.key for column in table.columns][3:]
    assert shown == ["ndcg@10", "recall@10", "map@10", "mrr@10", "evidence_recall"]
    assert "Of 9 metrics 5 are shown, those of the headline first" in notes_of(table)


def test_labels_without_metrics_of_a_part_have_no_detail() -> None:
    records = tuple(r for r in RESULTS.results if not r.subset.startswith("label="))
    results = msgspec.structs.replace(RESULTS, results=records)
    names = [f"per-label{part}{form}" for part in ("", "-classification", "-ranking") for form in ("", "-compact")]
    assert build_tables(results, names) == ()


def test_the_recall_of_the_dual_protocol_is_beside_the_one_that_divides_by_all_relevant_candidates(tiny: Path) -> None:
    contract = load_contract("dual-protocol", {"resamples": 0})
    results = evaluate(read_run(tiny), contract, command="test").results
    main, cut, matrix = build_tables(results, ["main-results-compact", "ranking-at-k-compact", "confusion-compact"])
    rows = [plain(row.cells[0].text).replace("\u00a0", " ") for row in main.rows]
    assert rows[1:3] == ["Recall@10 ↑", "Conditional recall@10 (given ranked) ↑"]
    assert "Conditional recall (given ranked)" in [str(column.head) for column in cut.columns]
    # The contract computes neither FPR nor the predictive values, so nothing explains them.
    assert [str(column.head) for column in matrix.columns][2:] == ["TPR", "Spec."]
    legend = next(text for note in matrix.notes if "share of" in (text := plain(note.text)))
    assert "TPR: share of the row that is called positive." in legend
    assert "PPV" not in legend


def test_many_systems_stand_down_and_few_across() -> None:
    def main(n_systems: int) -> Table:
        [table] = build_tables(make_results(n_systems), ["main-results-compact"])
        return table

    few, many = main(6), main(12)
    assert few.columns[0].head == "Metric"
    assert len(few.columns) == 1 + 6
    # A row for each system, a column for each metric, each population once above its metrics.
    assert many.columns[0].head == "System"
    assert len(many.rows) == 12
    assert len(many.columns) - 1 == len(few.rows)
    assert [plain(one.head) for one in many.spanners] == [plain(group.head) for group in few.groups]
    assert [plain(column.head) for column in many.columns[1:]] == [plain(row.cells[0].text) for row in few.rows]
    assert [cell.text for cell in many.rows[0].cells[1:]] == [row.cells[1].text for row in few.rows]


def test_cut_offs_and_numbers_among_the_conventions_are_numbers_for_a_spreadsheet() -> None:
    tables = {table.id: table for table in build_tables(make_results(2), ["ranking-at-k-compact", "conventions"])}
    cut_offs = [row.cells[0] for row in tables["ranking-at-k-compact"].rows]
    assert all(cell.value == int(plain(cell.text)) for cell in cut_offs if plain(cell.text).isdecimal())
    assert any(cell.value == 10 for cell in cut_offs)
    values = {plain(row.cells[0].text): row.cells[1] for row in tables["conventions"].rows}
    assert all(float(plain(cell.text)) == cell.value for cell in values.values() if plain(cell.text).isdecimal())
