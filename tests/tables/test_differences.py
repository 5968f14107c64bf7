"""Baseline, system, difference in points and relative change: by hand, from the tables of two published documents."""

import msgspec
import pytest

from reportgen.domain.presentation import Table, plain
from reportgen.domain.record import Estimate, Results
from reportgen.numbers import fixed
from reportgen.tables import build_tables
from tests.support.results import make_results

# Value of the baseline and of the system, the difference in points and the relative change in per cent.
PRECISION_AT_1 = (0.5540, 0.6605, "+10.65", "+19.22")
NDCG_AT_10 = (0.7330, 0.8206, "+8.76", "+11.95")
LOSS = (0.2000, 0.1500, "\u22125.00", "\u221225.00")


def valued(results: Results, metric: str, *values: float | None) -> Results:
    """Give the systems these values of a metric, in their order, on its home subset."""
    by_system = dict(zip((system.id for system in results.systems), values, strict=True))
    home = results.home_subset(metric)

    def changed(record: Estimate) -> Estimate:
        if record.metric != metric or record.subset != home:
            return record
        value = by_system[record.system]
        if value is None:
            display = msgspec.structs.replace(record.display, value="n/a", interval="", sd="")
            return msgspec.structs.replace(
                record, value=None, status="not_applicable", reason="component_absent", intervals=(), sd=(),
                display=display,
            )  # fmt: skip
        display = msgspec.structs.replace(record.display, value=fixed(value, 4), decimals=4)
        return msgspec.structs.replace(record, value=value, display=display)

    return msgspec.structs.replace(results, results=tuple(map(changed, results.results)))


def row(table: Table, metric: str) -> dict[str, str]:
    [found] = [
        row for row in table.rows if plain(row.cells[0].text).removesuffix("\u00a0↑").removesuffix("\u00a0↓") == metric
    ]
    return {column.key: plain(cell.text) for column, cell in zip(table.columns, found.cells, strict=True)}


@pytest.mark.parametrize(
    ("metric", "name", "case"),
    [
        ("precision@1", "Precision@1", PRECISION_AT_1),
        ("ndcg@10", "nDCG@10", NDCG_AT_10),
        ("brier", "Brier score", LOSS),
    ],
)
def test_a_row_holds_both_values_the_points_and_the_per_cent(metric: str, name: str, case: tuple) -> None:
    old, new, points, relative = case
    [table] = build_tables(valued(make_results(2), metric, old, new), ["differences"])
    found = row(table, name)
    assert (found["against"], found["value"]) == (f"{old:.4f}", f"{new:.4f}")
    assert (found["difference"], found["relative"]) == (points, relative)
    assert (found["system"], found["against_system"]) == ("Candidate model", "Baseline")
    assert found["interpretation"].startswith("The difference between Candidate model and Baseline on")
    assert f"{points[1:]} points {'higher' if new > old else 'lower'}" in found["interpretation"]


def test_the_full_form_has_every_cut_off_and_the_compact_form_the_headline() -> None:
    full, compact = build_tables(make_results(2), ["differences", "differences-compact"])
    names = [plain(row.cells[0].text) for row in full.rows]
    assert [name for name in names if name.startswith("nDCG")] == [f"nDCG@{k}" for k in (1, 3, 5, 10, 20)]
    assert {"Hit@3", "AUROC", "Alert precision"} <= set(names)
    assert [plain(column.head) for column in compact.columns] == [
        "Metric", "Baseline", "Candidate model", "Difference", "Relative", "Adjusted p",
    ]  # fmt: skip
    assert len(compact.rows) == len(make_results(2).contract.headline)


def of_fold_means(results: Results) -> Results:
    """Let the comparisons be of the values that are shown first: means over folds."""
    changed = tuple(
        msgspec.structs.replace(c, aggregation="fold_mean", id=c.id.replace("pooled", "fold_mean"))
        for c in results.comparisons
    )
    return msgspec.structs.replace(results, comparisons=changed)


def test_only_the_family_has_p_and_the_table_says_so() -> None:
    [table] = build_tables(of_fold_means(make_results(2)), ["differences-compact"])
    assert row(table, "nDCG@10")["p_adjusted"] == "0.023"
    assert row(table, "AUROC")["p_adjusted"] == "—"
    assert "Tested are the differences in the family of comparisons, on nDCG@10; the others" in plain(table.caption)
    notes = [plain(note.text) for note in table.notes]
    assert any(note.startswith("—: outside the family of comparisons, not tested; or ") for note in notes)
    assert any("95\u00a0% paired bootstrap intervals beside differences" in note for note in notes)


def test_a_described_difference_has_its_interval_and_no_p() -> None:
    results = of_fold_means(make_results(2))
    first = results.comparisons[0]
    id_ = "auroc|s1-vs-s0|all_queries|fold_mean"
    described = msgspec.structs.replace(
        first, id=id_, metric="auroc", subset="all_queries", tests=(), in_family=False, verdict="not_tested"
    )
    results = msgspec.structs.replace(results, differences=(described,))
    [table] = build_tables(results, ["differences-compact"])
    [cells] = [one.cells for one in table.rows if plain(one.cells[0].text).startswith("AUROC")]
    assert (cells[3].detail, cells[3].results) == (first.display.interval, (id_,))
    assert plain(cells[5].text) == "—"


def test_a_component_that_the_baseline_lacks_has_no_difference() -> None:
    [table] = build_tables(valued(make_results(2), "auroc", None, 0.9), ["differences-compact"])
    found = row(table, "AUROC")
    assert (found["against"], found["difference"], found["relative"]) == ("n/a", "n/a", "—")


def test_no_relative_change_to_nothing() -> None:
    [table] = build_tables(valued(make_results(2), "auroc", 0.0, 0.9), ["differences-compact"])
    assert (row(table, "AUROC")["difference"], row(table, "AUROC")["relative"]) == ("+90.00", "—")


def test_several_systems_stand_under_their_pair_and_one_alone_has_no_table() -> None:
    [table] = build_tables(make_results(3), ["differences-compact"])
    heads = [plain(group.head).partition(":")[0] for group in table.groups]
    assert heads == [*["Candidate model against Baseline"] * 2, *["Model 2 against Baseline"] * 2]
    assert build_tables(make_results(1), ["differences", "differences-compact"]) == ()


def test_a_pair_that_is_compared_the_other_way_round_stays_so() -> None:
    results = of_fold_means(make_results(2))
    turned = msgspec.structs.replace(results, run=msgspec.structs.replace(results.run, baseline="s1"))
    [table] = build_tables(turned, ["differences"])
    assert row(table, "nDCG@10")["system"] == "Candidate model"
    assert row(table, "nDCG@10")["p_adjusted"] == "0.023"
    assert row(table, "AUROC")["system"] == "Baseline"
