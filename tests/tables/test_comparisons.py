"""The tables of comparisons on the hand-built results; every expected string follows from the invented values."""

import msgspec

from reportgen.domain.presentation import Table, plain
from reportgen.tables import build_tables
from tests.support.results import make_results


def built(name: str, **how: int) -> Table:
    [table] = build_tables(make_results(**how), [name])
    return table


def texts(table: Table) -> list[list[str]]:
    return [[plain(cell.text) for cell in row.cells] for row in table.rows]


def test_a_comparison_shows_difference_both_p_values_and_verdict() -> None:
    table = built("comparisons-compact")
    assert texts(table)[0] == [
        "Candidate model", "+1.00", "0.012", "0.023", "better",
    ]  # fmt: skip
    difference = table.rows[0].cells[1]
    assert difference.detail == "[0.50, 1.50]"
    assert difference.value == 0.01
    assert dict(difference.extra) == {"lower": 0.005, "upper": 0.015, "p": 0.0116, "p_adjusted": 0.0232}


def test_the_full_form_of_a_comparison_says_on_what_it_is_and_what_it_means() -> None:
    results = make_results()
    [full, compact] = build_tables(results, ["comparisons", "comparisons-compact"])
    assert [column.key for column in full.columns][:4] == ["metric", "system", "against", "value"]
    assert [column.key for column in full.columns][-2:] == ["subset", "interpretation"]
    row, short = texts(full)[0], texts(compact)[0]
    assert row[:3] == ["nDCG@10", "Candidate model", "Baseline"]
    assert row[3:-6] == short[1:]
    assert row[-6:-2] == ["+1.37", "+0.20", "40 / 50 / 10", "0.80"]
    subset = "Queries with evidence (n\u00a0=\u00a0100 in 50 pages)"
    assert row[-2:] == [subset, results.comparisons[0].interpretation]


def test_the_head_of_a_metric_names_unit_queries_and_scope() -> None:
    heads = [plain(group.head) for group in built("comparisons-compact").groups]
    assert heads[0] == "nDCG@10\u00a0↑ (points; 100 queries with evidence in 50 pages; pooled)"


def test_a_component_that_is_absent_prints_na_with_the_reason() -> None:
    table = built("comparisons-compact")
    row = table.rows[1]
    assert plain(row.cells[1].text) == "n/a"
    assert row.cells[1].status == "not_applicable"
    notes = {note.key: plain(note.text) for note in table.notes}
    assert notes[row.cells[1].notes[0]] == "n/a: the system has no such component."


def test_pairs_with_several_partners_name_both() -> None:
    first = [row[0] for row in texts(built("comparisons-compact", n_systems=3))]
    assert first[:3] == [
        "Candidate model against Baseline",
        "Model 2 against Baseline",
        "Model 2 against Candidate model",
    ]


def test_the_notes_say_the_test_the_adjustment_and_the_interval() -> None:
    notes = " ".join(plain(note.text).replace("\u00a0", " ") for note in built("comparisons-compact").notes)
    assert "p: two-sided permutation within pages (10,000 draws); Holm-adjusted for 2 comparisons." in notes
    assert "Brackets hold 95 % paired bootstrap intervals." in notes
    assert "Effect size" not in notes
    assert "Detectable" not in notes
    full = " ".join(plain(note.text).replace("\u00a0", " ") for note in built("comparisons").notes)
    assert "Effect size: Cohen's d_z over queries, which leaves pages out of account." in full
    assert "Detectable: the smallest true difference that would be shown with 80 % power" in full


def test_the_notes_say_that_thresholds_of_operating_points_stay() -> None:
    results = make_results()
    fixed = tuple(msgspec.structs.replace(one, threshold="fixed") for one in results.interval_settings)
    [table] = build_tables(msgspec.structs.replace(results, interval_settings=fixed), ["comparisons-compact"])
    notes = " ".join(plain(note.text) for note in table.notes)
    assert "paired bootstrap intervals. Thresholds stay fixed in the resamples." in notes.replace("\u00a0", " ")


def test_a_difference_that_is_not_shown_is_not_called_absent() -> None:
    results = make_results(2)
    changed = tuple(msgspec.structs.replace(c, verdict="not_shown") for c in results.comparisons[:1])
    [table] = build_tables(msgspec.structs.replace(results, comparisons=changed), ["comparisons-compact"])
    assert texts(table)[0][-1] == "not shown"
    notes = " ".join(plain(note.text) for note in table.notes)
    # The adjusted p is of two comparisons, and the interval of the difference is [0.50, 1.50].
    assert "Not shown: adjusted p above 0.05. Intervals are not adjusted, so one may exclude 0." in notes


def test_tests_by_name_stand_with_statistic_and_both_p_values_behind_the_permutation() -> None:
    results = make_results(2)
    first = results.comparisons[0]
    named = msgspec.structs.replace(
        first.tests[0], name="McNemar, exact", statistic=266.0, p=0.01234, p_adjusted=0.02468, family_size=2
    )
    changed = (msgspec.structs.replace(first, tests=(*first.tests, named)), *results.comparisons[1:])
    [table] = build_tables(msgspec.structs.replace(results, comparisons=changed), ["named-tests"])
    permutation, mcnemar = texts(table)
    assert permutation[:4] == ["Candidate model against Baseline", first.tests[0].name, "—", first.display.p]
    assert mcnemar[1:] == ["McNemar, exact", "266.0", "0.012", "0.025", "Holm-adjusted for 2"]


def test_without_tests_by_name_there_is_no_table_of_them() -> None:
    assert build_tables(make_results(2), ["named-tests"]) == ()


def test_the_ladder_holds_each_step_against_the_one_before_and_the_first() -> None:
    rows = texts(built("ablation-ladder-compact", n_systems=3))
    # nDCG@10, pooled as the comparisons are: 0.73, 0.74, 0.741.
    assert rows[0] == ["1", "Baseline", "0.730", "", "", ""]
    assert rows[1][4:] == ["+1.00", "+1.00"]
    assert rows[2][4:] == ["+1.00", "+2.00"]
    # Evidence recall: the first step selects nothing.
    assert rows[3][2] == "n/a"
    assert rows[4][4:] == ["n/a", "n/a"]


def test_the_ladder_shows_the_leading_metrics_of_other_components_untested() -> None:
    table = built("ablation-ladder-compact", n_systems=3)
    names = [plain(group.head).partition("\u00a0")[0] for group in table.groups]
    # The Metrics Contract, 8.1: nDCG@10, AUROC, Recall@10 and alert precision of each step.
    assert names == ["nDCG@10", "Evidence recall", "AUROC", "Recall@10", "Alert precision"]
    rows = texts(table)
    # AUROC: 0.880, 0.890, 0.891, means over five folds 0.01 apart, whose SD is 0.01 √2.5 = 0.016.
    assert rows[6:9] == [
        ["1", "Baseline", "0.880", "0.016", "", ""],
        ["2", "Candidate model", "0.890", "0.016", "+1.00", "+1.00"],
        ["3", "Model 2", "0.891", "0.016", "+0.10", "+1.10"],
    ]
    assert rows[13][2:] == ["—", "", "—", "—"]
    notes = [plain(note.text) for note in table.notes]
    outside = "outside the family of comparisons, so their differences are not tested."
    assert f"AUROC, Recall@10 and Alert precision: {outside}" in notes


def test_a_ladder_on_four_declared_metrics_shows_these() -> None:
    results = make_results(3)
    first, *_ = results.comparisons
    four = ("ndcg@10", "recall@10", "map@10", "mrr@10")
    declared = tuple(msgspec.structs.replace(first, metric=m, id=first.id.replace("ndcg@10", m)) for m in four)
    [table] = build_tables(msgspec.structs.replace(results, comparisons=declared), ["ablation-ladder-compact"])
    assert len(table.groups) == 4
    assert not any("outside the family" in plain(note.text) for note in table.notes)


def test_a_ladder_without_a_gate_shows_what_its_steps_have() -> None:
    results = make_results(3)
    gate = {metric.id for metric in results.metrics if metric.family in {"classification", "triage"}}
    without = tuple(
        msgspec.structs.replace(r, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=())
        if r.metric in gate
        else r
        for r in results.results
    )
    compared = tuple(c for c in results.comparisons if c.metric == "ndcg@10")
    [table] = build_tables(
        msgspec.structs.replace(results, results=without, comparisons=compared), ["ablation-ladder-compact"]
    )
    names = [plain(group.head).partition("\u00a0")[0] for group in table.groups]
    assert names == ["nDCG@10", "Recall@10", "Evidence recall"]


def test_the_ladder_says_over_how_many_folds_a_standard_deviation_is() -> None:
    results = make_results(n_systems=3)
    means = tuple(msgspec.structs.replace(c, aggregation="fold_mean") for c in results.comparisons)
    [table] = build_tables(msgspec.structs.replace(results, comparisons=means), ["ablation-ladder-compact"])
    at = [column.head for column in table.columns].index("SD over 5 folds")
    # Fold values 0.01 apart: the square root of 0.001 / 4. The first step has no evidence recall.
    assert [row[at] for row in texts(table)[:4]] == ["0.016", "0.016", "0.016", ""]


def test_the_sweep_shows_parameters_mean_k_recall_and_workload() -> None:
    table = built("sweep-compact", n_systems=3)
    assert [plain(column.head) for column in table.columns] == [
        "System", "gamma", "Mean K", "Evidence recall", "Images returned", "per page",
    ]  # fmt: skip
    # 5 folds: K is 0, 1, 2, 3 for 350, 50, 75, 25 queries: 275 images from 50 pages.
    assert texts(table) == [
        ["Candidate model", "0.75", "2.50", "0.720", "275", "5.5"],
        ["Model 2", "0.8", "2.51", "0.721", "275", "5.5"],
    ]


def test_a_parameter_or_a_selection_that_a_system_lacks_prints_na() -> None:
    results = make_results(3)
    systems = [msgspec.structs.replace(s, params={"k": 3} if s.id == "s0" else s.params) for s in results.systems]
    [table] = build_tables(msgspec.structs.replace(results, systems=tuple(systems)), ["sweep-compact"])
    assert texts(table)[0] == ["Baseline", "3", "n/a", "n/a", "n/a", "n/a", "n/a"]
    assert texts(table)[1][1:3] == ["n/a", "0.75"]


def test_without_comparisons_steps_or_parameters_there_are_no_such_tables() -> None:
    assert (
        build_tables(
            make_results(1), ["comparisons", "ablation-ladder", "ablation-ladder-compact", "sweep", "sweep-compact"]
        )
        == ()
    )
