"""The full forms that have columns of their own beside metric, value, subset and interpretation; values by hand."""

import msgspec

from reportgen.domain.presentation import Row, Table, plain
from reportgen.domain.record import Results, comparison_id
from reportgen.tables import build_tables
from tests.support.full_results import make_full_results

RESULTS = make_full_results(n_systems=3)


def one(name: str, results: Results = RESULTS) -> Table:
    [table] = build_tables(results, [name])
    return table


def keys(table: Table) -> list[str]:
    return [column.key for column in table.columns]


def by_key(table: Table, row: Row) -> dict[str, str]:
    return dict(zip(keys(table), (plain(cell.text) for cell in row.cells), strict=True))


def test_per_fold_in_full_has_the_folds_before_their_mean_and_sd() -> None:
    table = one("per-fold")
    assert keys(table) == [
        "metric", "system", *(f"fold_f{at}" for at in range(5)), "value", "sd_folds", "subset", "interpretation",
    ]  # fmt: skip
    row = by_key(table, table.rows[0])
    # Fold values 0.01 apart around 0.73; their SD is the square root of 0.001 / 4, 0.0158.
    assert [row[f"fold_f{at}"] for at in range(5)] == ["0.710", "0.720", "0.730", "0.740", "0.750"]
    assert (row["metric"], row["system"], row["value"], row["sd_folds"]) == ("nDCG@10", "Baseline", "0.730", "0.016")
    assert row["subset"] == "Queries with evidence (n\u00a0=\u00a0100 in 50 pages)"
    assert row["interpretation"]


def test_the_ladder_in_full_has_the_step_and_both_differences() -> None:
    table = one("ablation-ladder")
    assert keys(table)[:4] == ["metric", "system", "step", "value"]
    assert keys(table)[-4:] == ["before", "first", "subset", "interpretation"]
    assert [plain(column.head) for column in table.columns[-4:-2]] == [
        "Difference from the step before", "Difference from the first step",
    ]  # fmt: skip
    compact = one("ablation-ladder-compact")
    for full_row, row in zip(table.rows, compact.rows, strict=True):
        full = by_key(table, full_row)
        short = by_key(compact, row)
        assert [full[key] for key in ("step", "system", "value", "before", "first")] == [
            short[key] for key in ("step", "system", "value", "before", "first")
        ]


def test_a_sweep_in_full_has_parameters_and_workload_beside_each_metric() -> None:
    table = one("sweep")
    assert [by_key(table, row)["metric"] for row in table.rows].count("Evidence recall") == len(table.rows) / 2
    compact = one("sweep-compact")
    short = [by_key(compact, row) for row in compact.rows]
    recall = [by_key(table, row) for row in table.rows if by_key(table, row)["metric"] == "Evidence recall"]
    assert [(r["param0"], r["value"], r["returned"], r["per_cluster"]) for r in recall] == [
        (r["param0"], r["evidence_recall"], r["returned"], r["per_cluster"]) for r in short
    ]


def test_a_parameter_that_is_no_number_stands_in_a_column_of_words() -> None:
    systems = tuple(msgspec.structs.replace(s, params={"rule": "top", "k": at}) for at, s in enumerate(RESULTS.systems))
    table = one("sweep-compact", msgspec.structs.replace(RESULTS, systems=systems))
    assert {column.key: column.role for column in table.columns if column.key.startswith("param")} == {
        "param0": "text", "param1": "number",
    }  # fmt: skip


def test_targets_in_full_say_what_the_value_means() -> None:
    table = one("targets")
    assert keys(table) == [
        "metric", "system", "target", "value", "sd_folds", "outcome", "subset", "interpretation",
    ]  # fmt: skip
    row = by_key(table, table.rows[0])
    assert (row["target"], row["value"], row["outcome"]) == ("≥ 0.85", "0.880", "met")


def test_labels_in_detail_in_full_are_a_row_for_each_metric_label_and_system_of_two() -> None:
    table = one("per-label-classification")
    auroc = next(group for group in table.groups if plain(group.head).startswith("AUROC"))
    assert len(auroc.rows) == 6
    first, second = (by_key(table, row) for row in auroc.rows[:2])
    assert (first["system"], second["system"]) == ("Baseline", "Model 2")
    # 0.88 and, since the third system adds a tenth of a point to 0.89, 0.891; times 0.97.
    assert (first["value"], second["value"]) == ("0.854", "0.864")
    assert first["subset"].startswith("Digit 0")
    assert "Of 3 systems with metrics of classification, Baseline and Model 2 are shown." in plain(table.caption)


def test_the_full_form_of_both_protocols_has_a_row_for_each() -> None:
    table = one("dual-protocol")
    tenth = [by_key(table, row) for row in table.rows if by_key(table, row)["metric"] == "nDCG@10"]
    assert len(tenth) == 6
    # All queries, of which a fifth are positive, and negative ones count zero.
    assert [row["value"] for row in tenth if row["system"] == "Baseline"] == ["0.730", "0.146"]


def _compared(metric: str, subset: str) -> Results:
    """The results with a comparison that told the second system from the baseline on a metric."""
    like = next(c for c in RESULTS.comparisons if c.verdict == "better" and c.tests)
    estimate = RESULTS.headline(metric, "s1", subset)
    assert estimate is not None
    made = msgspec.structs.replace(
        like, id=comparison_id(metric, "s1", "s0", subset, estimate.aggregation), metric=metric, system_a="s1",
        system_b="s0", subset=subset, aggregation=estimate.aggregation,
    )  # fmt: skip
    return msgspec.structs.replace(RESULTS, comparisons=(*RESULTS.comparisons, made))


def _starred(table: Table) -> dict[str, list[str]]:
    """Column to the systems whose cells carry an asterisk."""
    found: dict[str, list[str]] = {}
    for group in table.groups:
        for row in group.rows:
            for column, cell in zip(table.columns, row.cells, strict=True):
                if "*" in cell.notes:
                    found.setdefault(column.key, []).append(plain(row.cells[0].text))
    return found


def test_an_asterisk_stands_in_every_table_that_shows_the_compared_value() -> None:
    cases = {
        "operating-points-compact": ("tpr@fpr=0.05", "all_queries", {"tpr": ["Candidate model"]}),
        "dual-protocol-compact": ("ndcg@5", "all_queries", {"ndcg_all_queries": ["5"]}),
        "ranking-at-k-compact": ("recall@5", "positives_only", {"recall": ["5"]}),
        "per-label-compact": ("auroc", "label=D0", {"auroc_s1": ["Digit 0"]}),
        "per-fold-compact": ("auroc", "all_queries", {"mean": ["Candidate model"]}),
    }
    for name, (metric, subset, where) in cases.items():
        table = one(name, _compared(metric, subset))
        assert _starred(table) == where, name
        [note] = [plain(note.text) for note in table.notes if note.key == "*"]
        assert note.startswith("Differs from Baseline: Holm-adjusted p of at most 0.05 for 2 tests.")


def test_the_best_and_the_second_are_marked_wherever_systems_stand_beside_each_other() -> None:
    table = one("dual-protocol-compact")
    # At K = 10 the systems have 0.730, 0.740 and 0.741, one group each.
    at = [next(row for row in group.rows if plain(row.cells[0].text) == "10") for group in table.groups]
    assert [row.cells[1].mark for row in at] == ["", "second", "best"]
    labels = one("per-label-compact")
    # 0.880, 0.890 and 0.891 times 0.97.
    assert [cell.mark for cell in labels.rows[0].cells[4:7]] == ["", "second", "best"]
    for shown in (table, labels):
        assert any("Bold: best; underlined: second best." in plain(n.text) for n in shown.notes)
