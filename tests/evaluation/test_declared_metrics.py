"""Metrics that a run declares: values per query that were computed elsewhere, of any range and unit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import reportgen as rg
from reportgen.cli import main
from reportgen.errors import InputError, ReportgenError
from reportgen.tables import build_tables

BASE = (20.0, 40.0, 30.0, 50.0, 10.0, 30.0)
BIG = (25.0, 45.0, 35.0, 45.0, 25.0, 35.0)
MS = (1e-6, 4e-6, 2e-6, 3e-6, 2e-6, 6e-6)
DOCS = ("a", "a", "b", "b", "c", "c")
TASKS = ("arc", "arc", "arc", "arc", "qa", "qa")
TOML = """
[columns]
cluster = "doc"
{more}
[metrics.bleu]
title = "BLEU"
unit = "points"
range = [0, 100]
decimals = 1
{average}
[metrics.cost]
direction = "lower"
unit = "$"
decimals = 6
"""


def folder(tmp_path: Path, more: str = "", average: str = "", seeds: int = 1) -> Path:
    rows = ["query,system,seed,doc,task,bleu,cost"]
    for system, values in (("base", BASE), ("big", BIG)):
        for seed in range(seeds):
            for n, value in enumerate(values):
                rows.append(f"q{n},{system},{seed},{DOCS[n]},{TASKS[n]},{value + seed},{MS[n]}")
    (tmp_path / "per_query.csv").write_text("\n".join([*rows, ""]))
    (tmp_path / "run.toml").write_text(TOML.format(more=more, average=average))
    return tmp_path


def test_the_mean_has_an_interval_of_clusters_a_comparison_and_its_own_words(tmp_path: Path) -> None:
    results = rg.evaluate(folder(tmp_path), resamples=200)
    base = results.estimate("bleu", "base")
    assert base.value == pytest.approx(180 / 6)
    assert base.provenance == "supplied"
    assert base.n.clusters == 3
    # Resamples of whole documents: means of three of the documents' means 30, 40 and 20.
    (interval,) = base.intervals
    assert 20 <= interval.lower < 30 < interval.upper <= 40
    (comparison,) = [one for one in results.record.comparisons if one.metric == "bleu"]
    assert comparison.difference == pytest.approx(30 / 6)
    assert comparison.tests
    (metric,) = [one for one in results.record.metrics if one.id == "bleu"]
    assert (metric.name, metric.unit, metric.range, metric.decimals) == ("BLEU", "points", (0.0, 100.0), 1)
    assert "source:supplied" in results.record.signatures[base.signature]


def test_no_truth_is_needed_and_nothing_is_said_of_one(tmp_path: Path) -> None:
    results = rg.evaluate(folder(tmp_path), resamples=20)
    assert {one.family for one in results.record.metrics} == {"supplied"}
    shown = CliRunner().invoke(main, ["show", str(tmp_path), "--resamples", "20"]).stdout
    assert "positive" not in shown
    assert "BLEU" in shown


def test_the_table_of_declared_metrics_prints_their_decimals_and_units(tmp_path: Path) -> None:
    tables = {table.id: table for table in build_tables(rg.evaluate(folder(tmp_path), resamples=20).record)}
    printed = [cell.text for row in tables["supplied"].rows for cell in row.cells]
    assert {"30.0", "35.0", "0.000003"} <= set(printed)
    assert "positives" not in {column.key for column in tables["dataset"].columns}


def test_small_values_keep_their_digits(tmp_path: Path) -> None:
    results = rg.evaluate(folder(tmp_path), resamples=20)
    assert results.estimate("cost", "base").value == pytest.approx(18e-6 / 6, rel=1e-12)
    spread = results.estimate("cost", "base").sd
    assert [one.value for one in spread if one.over == "query"] == [pytest.approx(np.std(MS, ddof=1), rel=1e-9)]


def test_seeds_are_averaged_with_each_beside_the_mean(tmp_path: Path) -> None:
    results = rg.evaluate(folder(tmp_path, seeds=2), resamples=20)
    estimate = results.estimate("bleu", "base")
    assert estimate.value == pytest.approx(30.5)
    assert [one.value for one in estimate.seeds] == pytest.approx([30.0, 31.0])


def test_tasks_have_rows_of_their_own_and_a_mean_over_them(tmp_path: Path) -> None:
    results = rg.evaluate(folder(tmp_path, 'label = "task"', 'average = "label"'), resamples=20)
    assert results.estimate("bleu", "base", "label=arc").value == pytest.approx(35)
    assert results.estimate("bleu", "base", "label=qa").value == pytest.approx(20)
    assert results.estimate("bleu[macro:label]", "base").value == pytest.approx((35 + 20) / 2)
    tables = {table.id: table for table in build_tables(results.record)}
    rows = {row.cells[0].text: [cell.text for cell in row.cells] for row in tables["per-label-compact"].rows}
    assert "35.0" in " ".join(rows["arc"])
    assert "20.0" in " ".join(rows["qa"])
    assert "positives" not in {column.key for column in tables["per-label-compact"].columns}
    (check,) = [one for one in results.record.checks if one.code == "RG260"]
    assert check.status == "passed"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("range = [0, 100]", "range = [0, 1]", r"RG138 .*\[metrics.bleu\]: values of 'bleu' are 10 to 50"),
        ("[metrics.cost]", "[metrics.price]", r"RG121 .*column 'price' of \[metrics.price\] is in no file"),
        ("[metrics.cost]", "[metrics.auroc]", r"RG112 .*\[metrics.auroc\]: the id belongs to something else"),
        ("decimals = 1", 'decimals = 1\naverage = "label"', r"RG154 .*asks for a mean over labels"),
        ("range = [0, 100]", "range = [100, 0]", r"RG112 .*range is \[100, 0\]"),
        ("decimals = 1", "decimals = 12", r"RG112 .*decimals is 12"),
        ("[metrics.cost]", f"[metrics.{'a' * 81}]", r"RG112 .*up to 80"),
    ],
)
def test_a_wrong_declaration_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = folder(tmp_path) / "run.toml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError, match=f"(?s){said}"):
        rg.load(tmp_path)


def test_init_declares_the_columns_that_are_said_to_be_metrics(tmp_path: Path) -> None:
    run = folder(tmp_path)
    (run / "run.toml").unlink()
    with pytest.raises(ReportgenError, match="--column metric=bleu --column metric=cost"):
        rg.load(run)
    done = CliRunner().invoke(main, ["init", str(run), "--column", "metric=bleu", "--column", "metric=cost"])
    assert done.exit_code == 0, done.stderr
    assert [(one.id, one.direction) for one in rg.load(run).info.metrics] == [("bleu", "higher"), ("cost", "lower")]


def test_a_column_for_each_system_is_known_by_its_beginning(tmp_path: Path) -> None:
    rows = "".join(f"q{n},{a},{b}\n" for n, (a, b) in enumerate(zip(BASE, BIG, strict=True)))
    (tmp_path / "per_query.csv").write_text(f"query,bleu_base,bleu_big\n{rows}")
    (tmp_path / "run.toml").write_text('[columns]\nquery = "query"\n[metrics.bleu]\n')
    assert [one.supplied["bleu"].tolist() for one in rg.load(tmp_path).systems] == [list(BASE), list(BIG)]


def test_it_stands_beside_what_is_computed_here(tmp_path: Path) -> None:
    (tmp_path / "per_query.csv").write_text(
        "query,y_true,y_prob,latency\na,1,0.9,100\nb,0,0.2,300\nc,1,0.6,\nd,0,0.4,200\n"
    )
    (tmp_path / "run.toml").write_text('[columns]\nquery = "query"\n[metrics.latency]\ndirection = "lower"\n')
    results = rg.evaluate(tmp_path, resamples=20)
    assert results.estimate("auroc", "system").value == 1.0
    latency = results.estimate("latency", "system")
    assert (latency.value, latency.n.queries) == (200.0, 3), "a query without a value is left out and counted"


@pytest.mark.parametrize("value", ["1e308", "-1e154"])
def test_values_whose_squares_cannot_be_held_are_refused(tmp_path: Path, value: str) -> None:
    (tmp_path / "per_query.csv").write_text(f"y_true,y_prob,m\n1,0.9,{value}\n0,0.2,1\n")
    (tmp_path / "run.toml").write_text("[metrics.m]\n")
    with pytest.raises(InputError, match=r"RG138 .*\[metrics.m\]: values of 'm' .* squares cannot be held"):
        rg.load(tmp_path)
