"""How much single queries differ, against the table of nDCG per query in the README of the tiny run.

nDCG@10 of Lexical on the six queries with evidence: 1, 0.6509, 0.9060, 0.5, 0.3869, 1. Their mean is 0.7406, their
squared deviations add up to 0.3530, so the SD with divisor 5 is 0.2657. Sorted, 0.3869, 0.5, 0.6509, 0.9060, 1, 1:
P25 lies a quarter of the way from the second to the third, 0.5377; the median half-way, 0.7784; P75 three quarters of
the way from the fourth to the fifth, 0.9765.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reportgen.contracts import load_contract
from reportgen.documents import build_report
from reportgen.domain.presentation import Row, Table, plain
from reportgen.domain.record import Results, SeedValue
from reportgen.evaluation import evaluate
from reportgen.inputs import read_run
from reportgen.tables import build_tables
from tests.support.full_results import make_full_results


@pytest.fixture(scope="module")
def results(tiny: Path) -> Results:
    return evaluate(read_run(tiny), load_contract(overrides={"resamples": 20}), command="test").results


def one(results: Results, name: str) -> Table:
    [table] = build_tables(results, [name])
    return table


def by_key(table: Table, row: Row) -> dict[str, str]:
    return dict(zip((c.key for c in table.columns), (plain(cell.text) for cell in row.cells), strict=True))


def row_of(table: Table, metric: str, system: str) -> Row:
    [found] = [r for r in table.rows if (by_key(table, r)["metric"], by_key(table, r)["system"]) == (metric, system)]
    return found


@pytest.mark.parametrize("name", ["per-query-spread", "per-query-spread-compact"])
def test_a_row_holds_both_sds_apart_n_and_the_quartiles(results: Results, name: str) -> None:
    table = one(results, name)
    row = row_of(table, "nDCG@10", "Lexical")
    shown = by_key(table, row)
    # The value is that of all tables, the mean of 0.7642 and 0.6934, whose SD is 0.0708 / √2 = 0.0501.
    assert (shown["value"], shown["sd_folds"]) == ("0.729", "0.050")
    assert (shown["n"], shown["sd_queries"]) == ("6", "0.266")
    assert (shown["p25"], shown["median"], shown["p75"]) == ("0.538", "0.778", "0.977")
    machine = [cell.value for column, cell in zip(table.columns, row.cells, strict=True) if column.key == "sd_queries"]
    assert machine == [pytest.approx(0.2657, abs=5e-5)]
    of = {column.key: cell.results for column, cell in zip(table.columns, row.cells, strict=True)}
    assert of["value"] == of["sd_folds"] == ("ndcg@10|lexical|positives_only|fold_mean",)
    assert {of[key] for key in ("sd_queries", "p25", "median", "p75")} == {("ndcg@10|lexical|positives_only|pooled",)}


def test_the_caption_says_what_the_sd_is_over(results: Results) -> None:
    for name in ("per-query-spread", "per-query-spread-compact"):
        words = plain(one(results, name).caption).replace("\u00a0", " ")
        assert (
            "SD over queries (ddof 1) and quartiles (interpolated linearly) are of the n queries of all folds." in words
        )


def test_the_message_is_where_the_middle_half_of_the_queries_lies(results: Results) -> None:
    # Neural is best; see the README for its nDCG@10: sorted 0.6309, 0.6934, 0.7654, 0.9197, 1, 1.
    low, high = 0.6934 + (0.7654 - 0.6934) / 4, 0.9197 + (1 - 0.9197) * 3 / 4
    words = plain(one(results, "per-query-spread").caption)
    assert words.startswith(f"On nDCG@10 of Neural, at least half of the queries lie between {low:.3f} and {high:.3f}.")


def test_metrics_without_a_value_for_each_query_have_no_row(results: Results) -> None:
    table = one(results, "per-query-spread")
    names = {by_key(table, row)["metric"] for row in table.rows}
    assert "MRR@10" in names
    assert not names & {"AUROC", "AUPRC (AP)", "ECE"}
    assert {by_key(table, row)["subset"].partition(" (")[0] for row in table.rows} >= {"Positive queries"}


def test_the_compact_form_has_the_headline_for_baseline_and_best_and_says_who_is_left_out() -> None:
    results = make_full_results(n_systems=4)
    table = one(results, "per-query-spread-compact")
    headline = [
        results.metric_by_id[m].name for m in results.contract.headline if m.partition("@")[0] in {"ndcg", "mrr"}
    ]
    assert set(headline) <= {by_key(table, row)["metric"] for row in table.rows}
    assert len({by_key(table, row)["system"] for row in table.rows}) == 2
    assert any("Of 4 systems the baseline and the best" in plain(note.text) for note in table.notes)
    assert (
        len({by_key(one(results, "per-query-spread"), r)["system"] for r in one(results, "per-query-spread").rows}) == 4
    )


def test_a_mean_over_trainings_has_no_single_queries_and_says_so() -> None:
    results = make_full_results(n_systems=2)
    ids = [f"ndcg@10|s1|positives_only|{aggregation}" for aggregation in ("pooled", "fold_mean")]
    seeds = (SeedValue(seed="1", value=0.7), SeedValue(seed="2", value=0.78))
    records = tuple(
        msgspec.structs.replace(r, sd=(), quartiles=None, seeds=seeds) if r.id in ids else r for r in results.results
    )
    table = one(msgspec.structs.replace(results, results=records), "per-query-spread")
    shown = by_key(table, row_of(table, "nDCG@10", results.system_by_id["s1"].label))
    assert [shown[key] for key in ("n", "sd_queries", "p25", "median", "p75")] == ["—"] * 5
    assert any(plain(note.text) == "—: trainings have values on different queries." for note in table.notes)


def test_the_report_shows_the_compact_form_and_leaves_the_full_one_to_its_file(results: Results) -> None:
    document = build_report(results, build_tables(results), ())
    [section] = [section for section in document.all_sections if section.id == "queries"]
    assert [getattr(block, "id", None) for block in section.blocks] == ["per-query-spread-compact"]
    places = [getattr(block, "id", None) for part in document.all_sections for block in part.blocks]
    assert "per-query-spread" not in places
